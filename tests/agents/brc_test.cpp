// tests/agents/brc_test.cpp - BRC as an agent: the order of an update, resuming, samplers, export.
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/jit/serialization/import.h>

#include <cmath>
#include <map>

#include "agents/brc/learner.h"
#include "agents/nn/layers/initial.h"
#include "agents/support.h"
#include "mneme/rng.h"

namespace mneme {
namespace {

using testing::numbers;

// One update written down plainly, from the specification alone: layers, projection and optimizer
// share nothing with the code under test. `Mistake` breaks one thing, to show that it would be
// seen.
enum class Mistake { none, old_critic, old_embedding, new_temperature, unweighted, late_target };

class Plain {
 public:
  using Tensors = std::map<std::string, at::Tensor>;

  Plain(const brc::Networks& from, const BrcSettings& settings, Mistake mistake)
      : settings_(settings), mistake_(mistake) {
    copy(from.actor.parameters, actor);
    copy(from.critic.parameters, critic);
    copy(from.target.parameters, target);
  }

  void update(const TrainingBatch& c, const TrainingBatch& a, const at::Tensor& next_noise,
              const at::Tensor& noise) {
    const double old_alpha = std::exp(log_alpha);
    Tensors before = detached(critic);
    // 1. critic
    auto [next, next_log_prob] = policy(with_task(c.next_observation, critic, c.task), next_noise);
    const at::Tensor p = (logits(target, c.next_observation, next, c.task, 0).softmax(-1) +
                          logits(target, c.next_observation, next, c.task, 1).softmax(-1)) /
                         2;
    const at::Tensor wanted = projected(p.detach(), c, old_alpha, next_log_prob.detach());
    at::Tensor loss = at::zeros({}, at::kDouble);
    for (const int member : {0, 1}) {
      const at::Tensor rows =
          -(wanted * logits(critic, c.observation, c.action, c.task, member).log_softmax(-1))
               .sum(1);
      loss = loss + (mistake_ == Mistake::unweighted ? rows : rows * c.weight).mean();
    }
    critic_loss = loss.item<double>();
    if (mistake_ == Mistake::late_target) follow();
    adam(critic, loss, critic_moments_);
    // 2. target
    if (mistake_ != Mistake::late_target) follow();
    // 3. actor
    Tensors used = mistake_ == Mistake::old_critic ? before : detached(critic);
    const Tensors table = mistake_ == Mistake::old_embedding ? before : detached(critic);
    auto [action, log_prob] = policy(with_task(a.observation, table, a.task), noise);
    const at::Tensor z =
        at::linspace(-settings_.v_max, settings_.v_max, settings_.num_atoms, at::kDouble);
    const at::Tensor q = (logits(used, a.observation, action, a.task, 0).softmax(-1) +
                          logits(used, a.observation, action, a.task, 1).softmax(-1))
                             .matmul(z) /
                         2;
    const double entropy = -log_prob.mean().item<double>();
    const double wanted_entropy = -0.5 * static_cast<double>(noise.size(1));
    if (mistake_ == Mistake::new_temperature) temperature(entropy - wanted_entropy);
    adam(actor, (std::exp(log_alpha) * log_prob - q).mean(), actor_moments_);
    // 4. temperature
    if (mistake_ != Mistake::new_temperature) temperature(entropy - wanted_entropy);
    ++steps_;
  }

  double difference(const brc::Networks& other) const {
    double most = std::abs(std::exp(log_alpha) - other.temperature.value());
    const auto compare = [&](const nn::Parameters& list, const Tensors& mine) {
      for (const nn::Parameter& one : list.all())
        most = std::max(most, (one.value - mine.at(one.name)).abs().max().item<double>());
    };
    compare(other.actor.parameters, actor);
    compare(other.critic.parameters, critic);
    compare(other.target.parameters, target);
    return most;
  }

  Tensors actor, critic, target;
  double log_alpha = std::log(0.1), critic_loss = 0;

 private:
  struct Moments {
    Tensors first, second;
  };

  static void copy(const nn::Parameters& from, Tensors& to) {
    for (const nn::Parameter& one : from.all())
      to[one.name] = one.value.detach().clone().requires_grad_(true);
  }
  static Tensors detached(const Tensors& from) {
    Tensors to;
    for (const auto& [name, value] : from) to[name] = value.detach().clone();
    return to;
  }

  static at::Tensor normed(const Tensors& w, const std::string& name, const at::Tensor& x) {
    const at::Tensor y = x.matmul(w.at(name + ".weight").t()) + w.at(name + ".bias");
    const at::Tensor centred = y - y.mean(-1, true);
    const at::Tensor deviation = (centred.square().mean(-1, true) + 1e-6).sqrt();
    return centred / deviation * w.at(name + ".scale") + w.at(name + ".shift");
  }
  static at::Tensor trunk(const Tensors& w, const std::string& name, const at::Tensor& x,
                          Index blocks) {
    at::Tensor y = normed(w, name + ".stem", x).relu();
    for (Index k = 0; k < blocks; ++k) {
      const std::string block = name + ".block" + std::to_string(k);
      y = y + normed(w, block + ".second", normed(w, block + ".first", y).relu());
    }
    return y;
  }
  static at::Tensor linear(const Tensors& w, const std::string& name, const at::Tensor& x) {
    return x.matmul(w.at(name + ".weight").t()) + w.at(name + ".bias");
  }
  static at::Tensor rows_of(const Tensors& w, const at::Tensor& task) {
    const at::Tensor v = w.at("embedding").index_select(0, task);
    return v / v.square().sum(-1, true).sqrt();
  }
  static at::Tensor with_task(const at::Tensor& o, const Tensors& w, const at::Tensor& task) {
    return at::cat({o, rows_of(w, task).detach()}, -1);
  }
  at::Tensor logits(const Tensors& w, const at::Tensor& o, const at::Tensor& a,
                    const at::Tensor& task, int member) const {
    const std::string name = "member" + std::to_string(member);
    const at::Tensor x = at::cat({o, a, rows_of(w, task)}, -1);
    return linear(w, name + ".head", trunk(w, name, x, settings_.critic_blocks));
  }
  std::pair<at::Tensor, at::Tensor> policy(const at::Tensor& x, const at::Tensor& noise) const {
    const at::Tensor y = trunk(actor, "trunk", x, settings_.actor_blocks);
    const at::Tensor log_std = -10 + 6 * (1 + linear(actor, "log_std", y).tanh());
    const at::Tensor u = linear(actor, "mean", y) + log_std.exp() * noise;
    const at::Tensor gaussian = -noise.square() / 2 - log_std - std::log(2 * M_PI) / 2;
    return {u.tanh(), (gaussian - (1 - u.tanh().square()).log()).sum(-1)};
  }
  at::Tensor projected(const at::Tensor& p, const TrainingBatch& c, double alpha,
                       const at::Tensor& log_prob) const {
    const auto atoms = static_cast<int>(settings_.num_atoms);
    const double bound = settings_.v_max, spacing = 2 * bound / (atoms - 1);
    at::Tensor out = at::zeros_like(p);
    for (std::int64_t b = 0; b < p.size(0); ++b)
      for (int k = 0; k < atoms; ++k) {
        const double z = -bound + spacing * k;
        const double t =
            std::clamp(c.reward[b].item<double>() +
                           c.discount[b].item<double>() * (z - alpha * log_prob[b].item<double>()),
                       -bound, bound);
        const double place = (t + bound) / spacing, low = std::floor(place),
                     high = std::ceil(place);
        out[b][static_cast<int>(low)] += p[b][k] * (high + (low == high ? 1 : 0) - place);
        out[b][static_cast<int>(high)] += p[b][k] * (place - low);
      }
    return out;
  }

  void adam(Tensors& w, const at::Tensor& loss, Moments& moments) const {
    std::vector<at::Tensor> values;
    for (const auto& [name, value] : w) values.push_back(value);
    const auto gradients = torch::autograd::grad({loss}, values, {}, {}, false, true);
    const double t = static_cast<double>(steps_ + 1);
    const at::NoGradGuard no_grad;
    std::size_t k = 0;
    for (auto& [name, value] : w) {
      const at::Tensor g = gradients[k++];
      at::Tensor& m = moments.first.try_emplace(name, at::zeros_like(value)).first->second;
      at::Tensor& v = moments.second.try_emplace(name, at::zeros_like(value)).first->second;
      m = 0.9 * m + 0.1 * g;
      v = 0.999 * v + 0.001 * g * g;
      const at::Tensor step =
          m / (1 - std::pow(0.9, t)) / ((v / (1 - std::pow(0.999, t))).sqrt() + 1e-8);
      value.copy_(value - 3e-4 * (step + 1e-4 * value));
    }
  }
  void temperature(double surplus) {
    const double g = std::exp(log_alpha) * surplus, t = static_cast<double>(steps_ + 1);
    alpha_first_ = 0.5 * alpha_first_ + 0.5 * g;
    alpha_second_ = 0.999 * alpha_second_ + 0.001 * g * g;
    log_alpha -= settings_.temperature_learning_rate * (alpha_first_ / (1 - std::pow(0.5, t))) /
                 (std::sqrt(alpha_second_ / (1 - std::pow(0.999, t))) + 1e-8);
  }
  void follow() {
    const at::NoGradGuard no_grad;
    for (auto& [name, value] : target) value.copy_(0.005 * critic.at(name) + 0.995 * value);
  }

  BrcSettings settings_;
  Mistake mistake_;
  Moments actor_moments_, critic_moments_;
  double alpha_first_ = 0, alpha_second_ = 0;
  std::int64_t steps_ = 0;
};

TrainingBatch random_batch(std::int64_t rows, at::Generator& generator) {
  const auto normal = [&](at::IntArrayRef sizes) {
    return at::randn(sizes, generator, at::kDouble);
  };
  TrainingBatch batch;
  batch.observation = normal({rows, 5});
  batch.next_observation = normal({rows, 5});
  batch.action = normal({rows, 2}).tanh();
  batch.reward = normal({rows});
  batch.discount = numbers(std::vector<double>(static_cast<std::size_t>(rows), 0.99));
  batch.discount.slice(0, rows / 4 * 3).zero_();  // the last quarter ended
  batch.weight = at::rand({rows}, generator, at::kDouble);
  batch.task = at::randint(0, 3, {rows}, generator, at::kLong);
  return batch;
}

TEST(BrcUpdate, FollowsTheOrderOfTheSpecification) {
  BrcSettings settings;
  settings.critic_width = 12;
  settings.actor_width = 8;
  settings.num_atoms = 11;
  settings.task_embedding_dim = 4;
  settings.temperature_learning_rate = 0.05;  // so that using it too early would show
  for (const Mistake mistake :
       {Mistake::none, Mistake::old_critic, Mistake::old_embedding, Mistake::new_temperature,
        Mistake::unweighted, Mistake::late_target}) {
    at::Generator generator = nn::make_generator(11, 1, at::kCPU);
    brc::Networks networks(settings, {3, 5, 2}, at::kDouble, generator);
    Plain plain(networks, settings, mistake);
    double loss = 0;
    for (int k = 0; k < 3; ++k) {
      const TrainingBatch critic_batch = random_batch(16, generator);
      const TrainingBatch actor_batch = random_batch(16, generator);  // the actor's own
      const at::Tensor next_noise = at::randn({16, 2}, generator, at::kDouble);
      const at::Tensor noise = at::randn({16, 2}, generator, at::kDouble);
      loss = networks.update(critic_batch, actor_batch, next_noise, noise).critic_loss;
      plain.update(critic_batch, actor_batch, next_noise, noise);
    }
    if (mistake == Mistake::none) {
      // Sums in another order; Adam's first steps divide tiny gradients by tiny roots.
      EXPECT_LT(plain.difference(networks), 1e-10);
      EXPECT_NEAR(loss, plain.critic_loss, 1e-9);
    } else {
      EXPECT_GT(plain.difference(networks), 1e-8) << "mistake " << static_cast<int>(mistake);
    }
  }
}

TEST(BrcUpdate, ActorAndTemperatureFollowPolicyDelay) {
  BrcSettings settings;
  settings.critic_width = settings.actor_width = 8;
  settings.policy_delay = 2;
  at::Generator generator = nn::make_generator(3, 1, at::kCPU);
  brc::Networks networks(settings, {3, 5, 2}, at::kDouble, generator);
  const TrainingBatch batch = random_batch(8, generator);
  const at::Tensor noise = at::randn({8, 2}, generator, at::kDouble);
  EXPECT_FALSE(networks.update(batch, batch, noise, noise).acted);
  EXPECT_DOUBLE_EQ(networks.temperature.value(), 0.1);
  EXPECT_TRUE(networks.update(batch, batch, noise, noise).acted);
  EXPECT_NE(networks.temperature.value(), 0.1);
}

// Three tasks of unequal shapes, in streams of unequal length, padded with zeros.
AgentShape three_tasks() {
  return {.tasks = {{"dmc/a", 5, 2, 100}, {"dmc/b", 7, 3, 100}, {"dmc/c", 4, 1, 100}}};
}
AgentShape one_task() { return {.tasks = {{"dmc/a", 5, 2, 100}}}; }

ReplayBuffer uneven_world(const AgentShape& shape, const std::string& sampler) {
  ReplayBuffer buffer({.observation = {shape.observation()},
                       .action = {shape.action()},
                       .capacity = 256,
                       .streams = shape.streams(),
                       .sampler = sampler,
                       .seed = 3});
  for (Index stream = 0; stream < shape.streams(); ++stream) {
    const AgentTask& task = shape.tasks[static_cast<std::size_t>(stream)];
    Rng rng(17, 0, static_cast<std::uint32_t>(stream));
    std::vector<float> now(static_cast<std::size_t>(shape.observation())), next = now;
    std::vector<float> action(static_cast<std::size_t>(shape.action()));
    for (Index t = 0; t < 200 - 70 * stream; ++t) {
      for (float& a : action) a = static_cast<float>(2 * rng.uniform() - 1);
      for (std::size_t k = 0; k < static_cast<std::size_t>(task.observation); ++k)
        next[k] = 0.9F * now[k] + 0.3F * action[k % static_cast<std::size_t>(task.action)];
      const bool last = t % 23 == 22;
      buffer.add({.stream = stream,
                  .observation = now,
                  .action = action,
                  .reward = static_cast<float>(stream + 1) * (1 - now[0] * now[0]),
                  .next_observation = next,
                  .terminated = last && t % 2 == 0,
                  .truncated = last && t % 2 == 1});
      now = next;
      if (last) std::fill(now.begin(), now.end(), 0.0F);
    }
  }
  return buffer;
}

BrcConfig small_config(const AgentShape& shape) {
  const auto config = agent_info("brc").config("laptop", shape);
  config->set("critic_width", "16");
  config->set("actor_width", "8");
  config->set("batch_size", "32");
  return *static_cast<BrcConfig*>(config.get());
}

std::vector<float> actions_of(Agent& agent, const AgentShape& shape, Acting how) {
  const std::size_t rows = shape.tasks.size();
  std::vector<float> observations(rows * static_cast<std::size_t>(shape.observation()), 0.3F);
  std::vector<float> actions(rows * static_cast<std::size_t>(shape.action()));
  std::vector<std::int32_t> tasks;
  for (std::size_t k = 0; k < rows; ++k) tasks.push_back(static_cast<std::int32_t>(k));
  agent.act({observations, tasks}, actions, how);
  return actions;
}

// A vector step whose rewards and ends follow from its number; episodes of unequal lengths.
void live(Agent& agent, const AgentShape& shape, int t) {
  const std::size_t rows = shape.tasks.size();
  std::vector<float> rewards;
  std::vector<std::uint8_t> terminated, truncated;
  for (std::size_t k = 0; k < rows; ++k) {
    const int task = static_cast<int>(k);
    rewards.push_back(0.1F * static_cast<float>(t % 5) + static_cast<float>(task));
    terminated.push_back(t % (3 + task) == 2 ? 1 : 0);
    truncated.push_back(t % (5 + task) == 4 ? 1 : 0);
  }
  agent.begin_step({});
  agent.end_step({rewards, terminated, truncated});
}

// learn(2): both batches drawn before the first update, both scaled with the temperature of then.
TEST(BrcLearner, SamplesAndScalesAllBatchesFirst) {
  const AgentShape shape = three_tasks();
  BrcConfig config = small_config(shape);
  config.own.temperature_learning_rate = 0.1;  // so that reading it twice would show
  for (const bool mistake : {false, true}) {
    ReplayBuffer one = uneven_world(shape, "uniform"), two = uneven_world(shape, "uniform");
    const auto agent = config.make(shape, {one.reader(), {}}, {.seed = 5});
    // Purposes 1 and 2: initial weights and noise (common/learner_base.cpp).
    at::Generator initial = nn::make_generator(5, 1, at::kCPU);
    at::Generator noise = nn::make_generator(5, 2, at::kCPU);
    brc::Networks networks(config.own, {3, 7, 3}, at::kFloat, initial);
    ReplayBatches batches({two.reader(), {}}, shape, 32, at::kCPU);
    brc::RewardScale scale(3, 1, {.target_entropy = -1.5});
    const std::vector<float> reward{1, 2, 3};
    const std::vector<std::uint8_t> no{0, 0, 0}, two_end{1, 1, 0};  // the third has no return yet
    agent->end_step({reward, two_end, no});
    scale.update(reward, two_end, no);
    for (int round = 0; round < 2; ++round) {
      agent->learn(2, 0);
      batches.draw(2);
      double alpha = networks.temperature.value();
      for (const std::size_t k : {0, 1}) {
        if (mistake) alpha = networks.temperature.value();
        TrainingBatch batch = batches.critic(k);
        batch.reward = batch.reward.clone();
        for (std::int64_t row = 0; row < 32; ++row)
          batch.reward[row] /= static_cast<float>(
              scale.divisor(static_cast<std::size_t>(batch.task[row].item<std::int64_t>()), alpha));
        const at::Tensor next_noise = at::randn({32, 3}, noise), mine = at::randn({32, 3}, noise);
        networks.update(batch, batches.actor(k), next_noise, mine);
      }
    }
    ByteWriter theirs, ours;
    agent->save(theirs);
    networks.save(ours);
    const bool same = std::equal(ours.bytes().begin(), ours.bytes().end(), theirs.bytes().begin());
    EXPECT_EQ(same, !mistake);
  }
}

TEST(BrcLearner, SameSeedGivesSameUpdates) {
  for (const AgentShape& shape : {three_tasks(), one_task()}) {
    std::vector<std::vector<float>> runs;
    for (const std::uint64_t seed : {1, 1, 2}) {
      ReplayBuffer buffer = uneven_world(shape, "per");
      const auto agent = small_config(shape).make(shape, {buffer.reader(), {}}, {.seed = seed});
      for (int t = 0; t < 6; ++t) live(*agent, shape, t);
      agent->learn(4, 0.5);
      runs.push_back(actions_of(*agent, shape, Acting::explore));
    }
    EXPECT_EQ(runs[0], runs[1]);
    EXPECT_NE(runs[0], runs[2]);
  }
}

TEST(BrcLearner, LoadedAgentContinuesBitForBit) {
  const AgentShape shape = three_tasks();
  for (const char* normalizer : {"returns", "moments"}) {
    BrcConfig config = small_config(shape);
    config.own.reward_normalizer = normalizer;
    const auto days = [&](Agent& agent, int from, int to) {
      std::vector<std::vector<float>> seen;
      for (int t = from; t < to; ++t) {
        seen.push_back(actions_of(agent, shape, Acting::explore));
        live(agent, shape, t);
        agent.learn(2, 0.1);
      }
      return seen;
    };
    ReplayBuffer buffer = uneven_world(shape, "uniform");
    const auto agent = config.make(shape, {buffer.reader(), {}}, {.seed = 4});
    days(*agent, 0, 7);
    ByteWriter saved;
    agent->save(saved);
    const auto expected = days(*agent, 7, 14);
    ByteWriter last;
    agent->save(last);

    // The same batches again: a buffer in the same state.
    ReplayBuffer again = uneven_world(shape, "uniform");
    days(*config.make(shape, {again.reader(), {}}, {.seed = 4}), 0, 7);
    const auto resumed = config.make(shape, {again.reader(), {}}, {.seed = 99});
    ByteReader reader(saved.bytes());
    resumed->load(reader);
    EXPECT_EQ(reader.left(), 0U);
    EXPECT_EQ(days(*resumed, 7, 14), expected);
    ByteWriter resumed_last;
    resumed->save(resumed_last);
    EXPECT_EQ(resumed_last.bytes(), last.bytes());

    // Of another width, or cut off: refused by name.
    BrcConfig wide = config;
    wide.own.critic_width = 24;
    ByteReader twice(saved.bytes());
    EXPECT_THROW(wide.make(shape, {again.reader(), {}}, {})->load(twice), CorruptData);
    ByteReader half(std::span(saved.bytes()).first(saved.bytes().size() / 2));
    EXPECT_THROW(config.make(shape, {again.reader(), {}}, {})->load(half), CorruptData);
  }
}

TEST(BrcLearner, LearnsWithEverySampler) {
  const AgentShape shape = three_tasks();
  std::vector<std::string> specs;
  for (const SamplerInfo* info : registered_samplers()) specs.emplace_back(info->name);
  for (const std::string& spec : specs) {
    for (const bool own_actor : {false, true}) {
      ReplayBuffer buffer = uneven_world(shape, spec);
      AgentReaders readers{buffer.reader(), {}};
      if (own_actor) readers.actor = buffer.add_reader("actor", {.sampler = "uniform"});
      const auto agent = small_config(shape).make(shape, readers, {});
      for (int t = 0; t < 6; ++t) live(*agent, shape, t);
      const std::vector<float> before = actions_of(*agent, shape, Acting::evaluate);
      agent->learn(3, 0.5);
      EXPECT_NE(actions_of(*agent, shape, Acting::evaluate), before) << spec;
      const Metrics metrics = agent->take_metrics();
      for (const char* name : {"critic_loss", "actor_loss", "entropy", "temperature"})
        EXPECT_TRUE(std::isfinite(metrics.at(name))) << spec << " " << name;
      EXPECT_GT(metrics.at("critic_loss"), 0) << spec;
    }
  }
}

// What the learner found reaches the priorities: the next batch is another one.
TEST(BrcLearner, TdErrorsReachPriorities) {
  const AgentShape shape = three_tasks();
  for (const char* spec : {"uniform", "per"}) {
    ReplayBuffer taught = uneven_world(shape, spec), untaught = uneven_world(shape, spec);
    const auto agent = small_config(shape).make(shape, {taught.reader(), {}}, {});
    for (int t = 0; t < 12; ++t) live(*agent, shape, t);
    agent->learn(4, 0);
    Batch one = taught.make_batch(32), two = untaught.make_batch(32);
    for (int k = 0; k < 4; ++k) untaught.sample(two);
    taught.sample(one);
    untaught.sample(two);
    const bool same = std::equal(one.id.begin(), one.id.end(), two.id.begin());
    EXPECT_EQ(same, std::string(spec) == "uniform");
  }
}

// Every step of one task pays 0.5, of the other -0.5, nothing ends: the values are known, and one
// pair of critics tells them apart by the table alone.
TEST(BrcLearner, LearnsValuesOfTwoSmallWorlds) {
  at::Generator generator = nn::make_generator(5, 1, at::kCPU);
  BrcSettings settings;
  settings.critic_width = settings.actor_width = 32;
  settings.learning_rate = 1e-3;
  settings.tau = 0.05;
  settings.temperature = 1e-6;
  brc::Networks networks(settings, {2, 2, 1}, at::kFloat, generator);
  TrainingBatch batch;
  for (int k = 0; k < 400; ++k) {
    batch.observation = at::randn({64, 2}, generator);
    batch.action = at::rand({64, 1}, generator) * 2 - 1;
    batch.next_observation = at::randn({64, 2}, generator);
    batch.task = at::randint(0, 2, {64}, generator, at::kLong);
    batch.reward = 0.5 - batch.task.to(at::kFloat);
    batch.discount = at::full({64}, 0.8);
    batch.weight = at::ones({64});
    networks.update(batch, batch, at::randn({64, 1}, generator), at::randn({64, 1}, generator));
  }
  const at::NoGradGuard no_grad;
  const nn::Support support(-10, 10, 101, at::kFloat);
  for (const std::int64_t task : {0, 1}) {
    const at::Tensor all = at::full({64}, task, at::kLong);
    const at::Tensor value =
        nn::expectation(support, networks.critic(batch.observation, batch.action, all)).mean();
    EXPECT_NEAR(value.item<double>(), (task == 0 ? 0.5 : -0.5) / (1 - 0.8), 0.25);
  }
}

TEST(BrcLearner, RejectsUnknownTask) {
  const AgentShape shape = three_tasks();
  ReplayBuffer buffer = uneven_world(shape, "uniform");
  const auto agent = small_config(shape).make(shape, {buffer.reader(), {}}, {});
  const std::vector<float> observations(2 * 7);
  std::vector<float> actions(2 * 3);
  for (const std::vector<std::int32_t>& tasks :
       std::vector<std::vector<std::int32_t>>{{0, 3}, {-1, 0}, {0}})
    EXPECT_THROW(agent->act({observations, tasks}, actions, Acting::evaluate), InvalidArgument);
  EXPECT_NO_THROW(agent->act({observations, {}}, actions, Acting::evaluate));
}

TEST(BrcLearner, NonFiniteLossThrowsDiverged) {
  const AgentShape shape = three_tasks();
  ReplayBuffer buffer = uneven_world(shape, "uniform");
  BrcConfig config = small_config(shape);
  config.own.learning_rate = 1e30;
  const auto agent = config.make(shape, {buffer.reader(), {}}, {});
  EXPECT_THROW(agent->learn(50, 0), Diverged);
}

TEST(BrcLearner, ExportedPolicyActsAsTheAgent) {
  for (const AgentShape& shape : {three_tasks(), one_task()}) {
    ReplayBuffer buffer = uneven_world(shape, "uniform");
    const auto agent = small_config(shape).make(shape, {buffer.reader(), {}}, {.seed = 8});
    for (int t = 0; t < 6; ++t) live(*agent, shape, t);
    agent->learn(5, 0);
    const std::string path = ::testing::TempDir() + "brc_policy.pt";
    agent->export_policy(path);
    torch::jit::Module module = torch::jit::load(path);

    const auto count = static_cast<std::int64_t>(shape.tasks.size());
    at::Generator generator = nn::make_generator(9, 1, at::kCPU);
    const at::Tensor observations = at::randn({4 * count, shape.observation()}, generator);
    const at::Tensor tasks = at::arange(4 * count, at::kLong).remainder(count);
    const c10::IValue said =
        count > 1 ? module.forward({observations, tasks}) : module.forward({observations});
    const at::Tensor exported = said.toTensor();

    std::vector<std::int32_t> rows;
    for (std::int64_t k = 0; k < 4 * count; ++k)
      rows.push_back(static_cast<std::int32_t>(k % count));
    at::Tensor ours = at::empty({4 * count, shape.action()});
    agent->act(
        {{observations.data_ptr<float>(), static_cast<std::size_t>(observations.numel())}, rows},
        {ours.data_ptr<float>(), static_cast<std::size_t>(ours.numel())}, Acting::evaluate);
    EXPECT_LT((exported - ours).abs().max().item<double>(), 1e-6);
    EXPECT_GT(ours.std().item<double>(), 1e-3);  // there is something to compare
  }
  const AgentShape shape = one_task();
  ReplayBuffer buffer = uneven_world(shape, "uniform");
  EXPECT_THROW(small_config(shape)
                   .make(shape, {buffer.reader(), {}}, {})
                   ->export_policy("/nonexistent/folder/policy.pt"),
               IoError);
}

TEST(BrcConfig, PresetsAreThoseOfTheSpecification) {
  for (const char* preset : {"upstream", "paper"}) {
    for (const AgentShape& shape : {three_tasks(), one_task()}) {
      const auto config = agent_info("brc").config(preset, shape);
      const auto& brc = static_cast<const BrcConfig&>(*config);
      EXPECT_EQ(brc.own.critic_width, 4096);
      EXPECT_EQ(brc.run.batch_size, shape.tasks.size() > 1 ? 1024 : 256);
      EXPECT_EQ(brc.run.utd, 2);
      EXPECT_EQ(brc.run.steps, 1'000'000);
      EXPECT_EQ(brc.run.capacity, 1'000'000);
      EXPECT_EQ(brc.run.random_steps, 4999);
      EXPECT_EQ(brc.run.learning_starts, 5000);
      EXPECT_EQ(brc.run.stream_policy, "uniform");
      EXPECT_TRUE(brc.run.truncation_wins);
      EXPECT_NO_THROW(brc.check(shape));
    }
  }
}

TEST(BrcConfig, LaptopHasMoreEnvironmentsForHumanoids) {
  for (const auto& [name, tasks, environments] : {std::tuple{"hb/h1hand-walk", 4, 8},
                                                  {"humanoid_bench/h1-walk-v0", 1, 32},
                                                  {"hb/h1hand-walk", 40, 1},
                                                  {"dmc/walker-walk", 4, 1}}) {
    AgentShape shape;
    for (int t = 0; t < tasks; ++t)
      shape.tasks.push_back({.name = name, .observation = 3, .action = 2, .horizon = 1000});
    const auto config = agent_info("brc").config("laptop", shape);
    EXPECT_EQ(config->run.num_envs, environments) << name << ", " << tasks;
    shape.environments = config->run.num_envs;
    EXPECT_NO_THROW(config->check(shape)) << name << ", " << tasks;
  }
}

TEST(BrcConfig, RejectsInvalidSettings) {
  const AgentShape shape = three_tasks();
  EXPECT_THROW(agent_info("brc").config("huge", shape), NotFound);
  const auto refused = [&](const char* name, const char* value) {
    BrcConfig config = small_config(shape);
    config.set(name, value);
    EXPECT_THROW(config.check(shape), InvalidArgument) << name << "=" << value;
  };
  refused("reward_normalizer", "both");
  refused("priority", "loss");
  refused("critic_width", "0");
  refused("num_atoms", "1");
  refused("policy_delay", "0");
  refused("tau", "1.5");
  refused("temperature", "0");
  refused("discount", "1");
  EXPECT_THROW(small_config(shape).check({}), InvalidArgument);
  BrcConfig config = small_config(shape);
  EXPECT_THROW(config.set("critic_widht", "3"), NotFound);
}

}  // namespace
}  // namespace mneme
