// tests/agents/sac_td3_test.cpp - plain SAC and TD3: updates against numbers worked out by hand,
// and the agent around them.
#include <torch/csrc/jit/serialization/import.h>

#include <cmath>

#include "agents/nn/layers/initial.h"
#include "agents/sac_td3/learner.h"
#include "agents/sac_td3_scalar.h"
#include "agents/support.h"
#include "mneme/rng.h"
#include "mneme/sampler.h"

namespace mneme {
namespace {

namespace scalar = testing::scalar;
using testing::assign;
using testing::expect_near;

// ------------------------------------------------------- updates, against tests/sac_td3_scalar.h

SacTd3Settings one_unit(const std::string& algorithm) {
  SacTd3Settings settings;
  settings.algorithm = algorithm == "sac" ? SacTd3Algorithm::sac : SacTd3Algorithm::td3;
  settings.actor_layers = settings.critic_layers = "1";
  settings.learning_rate = 0.05;
  settings.tau = 0.2;
  settings.temperature = 0.3;
  return settings;
}

std::vector<double> numbers_in(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.detach().to(at::kDouble).contiguous().view({-1});
  return {flat.const_data_ptr<double>(), flat.const_data_ptr<double>() + flat.numel()};
}

// The numbers of one member, in the order of the scalar networks.
std::vector<double> member(const nn::Parameters& parameters, std::int64_t m) {
  std::vector<double> all;
  for (const nn::Parameter& one : parameters.all())
    for (const double number : numbers_in(one.value[m])) all.push_back(number);
  return all;
}

// weight, bias, then per output unit weights and biases: p2, p4 | p3, p5 become p2 p3 p4 p5.
std::vector<double> actor_numbers(const nn::Parameters& parameters) {
  std::vector<double> all = member(parameters, 0);
  if (all.size() == 6) std::swap(all[3], all[4]);
  return all;
}

struct Both {
  explicit Both(const SacTd3Settings& settings)
      : generator(nn::make_generator(4, 1, at::kCPU)),
        networks(settings, {1, 1}, at::kDouble, generator) {
    // Units that are mostly on, and critics that differ: both are the smaller one for some rows.
    const auto set = [](const nn::Parameters& parameters, std::size_t k,
                        const std::vector<double>& numbers) {
      const at::Tensor& value = parameters.all()[k].value;
      assign(value, at::tensor(numbers, at::kDouble).view(value.sizes()));
    };
    set(networks.actor.parameters, 0, {0.7});
    set(networks.actor.parameters, 1, {0.4});
    if (settings.sac()) {
      set(networks.actor.parameters, 2, {0.5, -0.3});
      set(networks.actor.parameters, 3, {-0.2, -0.6});
    } else {
      set(networks.actor.parameters, 2, {0.5});
      set(networks.actor.parameters, 3, {-0.2});
    }
    set(networks.critic.parameters, 0, {0.6, 0.8, 0.9, -0.7});
    set(networks.critic.parameters, 1, {0.5, 0.6});
    set(networks.critic.parameters, 2, {0.9, -0.8});
    set(networks.critic.parameters, 3, {0.1, 1.3});
    networks.target.parameters.copy_from(networks.critic.parameters);
    networks.target_actor.parameters.copy_from(networks.actor.parameters);

    plain.rate = settings.learning_rate;
    plain.tau = settings.tau;
    plain.log_temperature = std::log(settings.temperature);
    plain.actor.p = plain.target_actor.p = actor_numbers(networks.actor.parameters);
    for (std::size_t m = 0; m < 2; ++m)
      plain.critic[m].p = plain.target[m].p =
          member(networks.critic.parameters, static_cast<std::int64_t>(m));
  }

  void expect_equal(const sac_td3::UpdateReport& report, const std::string& when) const {
    constexpr double kWithin = 1e-12;  // a few roundings of numbers near 1
    EXPECT_NEAR(report.critic_loss, plain.critic_loss, kWithin) << when;
    if (report.acted) {
      EXPECT_NEAR(report.actor_loss, plain.actor_loss, kWithin) << when;
    }
    expect_near(report.td_error, plain.td_error, kWithin, when + " td error");
    const auto same = [&](const std::vector<double>& ours, const std::vector<double>& theirs,
                          const std::string& what) {
      ASSERT_EQ(ours.size(), theirs.size()) << when << what;
      for (std::size_t k = 0; k < ours.size(); ++k)
        EXPECT_NEAR(ours[k], theirs[k], kWithin) << when << ' ' << what << ' ' << k;
    };
    same(actor_numbers(networks.actor.parameters), plain.actor.p, "actor");
    for (std::size_t m = 0; m < 2; ++m) {
      const auto which = static_cast<std::int64_t>(m);
      same(member(networks.critic.parameters, which), plain.critic[m].p, "critic");
      same(member(networks.target.parameters, which), plain.target[m].p, "target");
    }
  }

  at::Generator generator;
  sac_td3::Networks networks;
  scalar::Agent plain{};
};

struct Drawn {
  std::vector<scalar::Row> rows;
  TrainingBatch batch;
  at::Tensor noise, next_noise;
};

// Rows with weights of their own; one in four has terminated.
Drawn draw(Rng& rng, std::size_t count) {
  Drawn drawn;
  for (std::size_t k = 0; k < count; ++k) {
    const auto number = [&] { return 2 * rng.uniform() - 1; };
    drawn.rows.push_back({.observation = number(),
                          .action = number(),
                          .reward = number(),
                          .discount = k % 4 == 3 ? 0 : 0.9,
                          .next = number(),
                          .weight = 0.2 + rng.uniform(),
                          .noise = 2 * number(),
                          .next_noise = 4 * number()});
  }
  const auto column = [&](double scalar::Row::* field) {
    std::vector<double> numbers;
    for (const scalar::Row& row : drawn.rows) numbers.push_back(row.*field);
    return at::tensor(numbers, at::kDouble);
  };
  drawn.batch.observation = column(&scalar::Row::observation).unsqueeze(1);
  drawn.batch.action = column(&scalar::Row::action).unsqueeze(1);
  drawn.batch.next_observation = column(&scalar::Row::next).unsqueeze(1);
  drawn.batch.reward = column(&scalar::Row::reward);
  drawn.batch.discount = column(&scalar::Row::discount);
  drawn.batch.weight = column(&scalar::Row::weight);
  drawn.noise = column(&scalar::Row::noise).unsqueeze(1);
  drawn.next_noise = column(&scalar::Row::next_noise).unsqueeze(1);
  return drawn;
}

// Several updates: what the first step of Adam hides (the size of a gradient) the later ones show.
TEST(Sac, UpdatesEqualHandComputedOnes) {
  Both both(one_unit("sac"));
  Rng rng(11);
  for (int k = 0; k < 12; ++k) {
    const Drawn drawn = draw(rng, 8);
    const double before = both.networks.temperature();
    const auto report =
        both.networks.update(drawn.batch, drawn.batch, drawn.noise, drawn.next_noise);
    both.plain.update_sac(drawn.rows, -1);
    both.expect_equal(report, "update " + std::to_string(k));
    EXPECT_NEAR(report.entropy, both.plain.entropy, 1e-12);
    EXPECT_EQ(report.temperature, before);
    EXPECT_NEAR(both.networks.temperature(), std::exp(both.plain.log_temperature), 1e-12);
  }
}

TEST(Td3, UpdatesEqualHandComputedOnes) {
  const SacTd3Settings settings = one_unit("td3");
  Both both(settings);
  Rng rng(12);
  for (int k = 0; k < 12; ++k) {
    const Drawn drawn = draw(rng, 8);
    const auto report =
        both.networks.update(drawn.batch, drawn.batch, drawn.noise, drawn.next_noise);
    both.plain.update_td3(drawn.rows, 2, settings.policy_noise, settings.noise_clip);
    EXPECT_EQ(report.acted, k % 2 == 1);
    both.expect_equal(report, "update " + std::to_string(k));
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_NEAR(actor_numbers(both.networks.target_actor.parameters)[i],
                  both.plain.target_actor.p[i], 1e-12);
  }
}

// The comparison above sees what it should: each of these mistakes is far outside its tolerance.
TEST(Sac, ComparisonDetectsMistakes) {
  const auto distance = [](const auto& spoil) {
    Both both(one_unit("sac"));
    Rng rng(11);
    double farthest = 0;
    for (int k = 0; k < 3; ++k) {
      const Drawn drawn = draw(rng, 8);
      both.networks.update(drawn.batch, drawn.batch, drawn.noise, drawn.next_noise);
      std::vector<scalar::Row> rows = drawn.rows;
      const double target_entropy = spoil(rows);
      both.plain.update_sac(rows, target_entropy);
      const auto ours = member(both.networks.critic.parameters, 0);
      for (std::size_t i = 0; i < ours.size(); ++i)
        farthest = std::max(farthest, std::abs(ours[i] - both.plain.critic[0].p[i]));
      farthest = std::max(
          farthest, std::abs(std::log(both.networks.temperature()) - both.plain.log_temperature));
    }
    return farthest;
  };
  EXPECT_LT(distance([](auto&) { return -1.0; }), 1e-12);
  EXPECT_GT(distance([](auto&) { return 1.0; }), 1e-6) << "target entropy";
  EXPECT_GT(distance([](auto& rows) {
              for (scalar::Row& row : rows) row.weight = 1;
              return -1.0;
            }),
            1e-6)
      << "importance weights";
  EXPECT_GT(distance([](auto& rows) {
              for (scalar::Row& row : rows) row.discount = 0.9;
              return -1.0;
            }),
            1e-6)
      << "termination";
}

// After termination neither the next observation nor its noise matters.
TEST(SacTd3Update, TerminationIgnoresNextObservation) {
  for (const char* algorithm : {"sac", "td3"}) {
    std::vector<std::vector<double>> results;
    for (const double next : {-1.0, 5.0}) {
      Both both(one_unit(algorithm));
      Rng rng(3);
      Drawn drawn = draw(rng, 6);
      drawn.batch.discount.zero_();
      drawn.batch.next_observation.fill_(next);
      results.push_back(numbers_in(
          both.networks.update(drawn.batch, drawn.batch, drawn.noise, drawn.next_noise).td_error));
      for (const double number : member(both.networks.critic.parameters, 0))
        results.back().push_back(number);
    }
    EXPECT_EQ(results[0], results[1]) << algorithm;
  }
}

// Noise on the target's action is cut, and so is the action.
TEST(Td3, TargetNoiseIsClipped) {
  const auto error = [](double noise) {
    SacTd3Settings settings = one_unit("td3");
    Both both(settings);
    Rng rng(3);
    const Drawn drawn = draw(rng, 1);
    return both.networks
        .update(drawn.batch, drawn.batch, drawn.noise, at::full_like(drawn.noise, noise))
        .td_error.item<double>();
  };
  EXPECT_NE(error(0), error(1));    // 0.2 of noise
  EXPECT_NE(error(1), error(2.5));  // 0.5, the bound
  EXPECT_EQ(error(2.5), error(100));
  EXPECT_EQ(error(-2.5), error(-100));
}

TEST(Td3, ActorAndTargetsFollowPolicyDelay) {
  SacTd3Settings settings = one_unit("td3");
  settings.policy_delay = 3;
  Both both(settings);
  Rng rng(8);
  auto& n = both.networks;
  std::vector<double> actor = member(n.actor.parameters, 0),
                      target = member(n.target.parameters, 0);
  std::vector<double> critic = member(n.critic.parameters, 0);
  for (int k = 1; k <= 9; ++k) {
    const Drawn drawn = draw(rng, 8);
    EXPECT_EQ(n.update(drawn.batch, drawn.batch, {}, drawn.next_noise).acted, k % 3 == 0);
    EXPECT_EQ(member(n.actor.parameters, 0) != actor, k % 3 == 0);
    EXPECT_EQ(member(n.target.parameters, 0) != target, k % 3 == 0);
    EXPECT_NE(member(n.critic.parameters, 0), critic);
    actor = member(n.actor.parameters, 0);
    target = member(n.target.parameters, 0);
    critic = member(n.critic.parameters, 0);
  }
}

// Too little entropy warms, too much cools; fixed stays fixed.
TEST(Sac, TemperatureFollowsEntropy) {
  for (const double wanted : {-50.0, 50.0}) {
    for (const bool learned : {true, false}) {
      SacTd3Settings settings = one_unit("sac");
      settings.target_entropy = wanted;
      settings.learn_temperature = learned;
      Both both(settings);
      Rng rng(5);
      const Drawn drawn = draw(rng, 8);
      both.networks.update(drawn.batch, drawn.batch, drawn.noise, drawn.next_noise);
      // The first step of Adam is one learning rate of the logarithm.
      const double expected = learned ? 0.3 * std::exp(wanted > 0 ? 0.05 : -0.05) : 0.3;
      EXPECT_NEAR(both.networks.temperature(), expected, 1e-8);
    }
  }
}

// Every step pays 0.5 and nothing ends: the value is known.
TEST(SacTd3Update, LearnsValueOfSmallWorld) {
  for (const char* algorithm : {"sac", "td3"}) {
    at::Generator generator = nn::make_generator(5, 1, at::kCPU);
    SacTd3Settings settings;
    settings.algorithm =
        std::string_view(algorithm) == "sac" ? SacTd3Algorithm::sac : SacTd3Algorithm::td3;
    settings.actor_layers = settings.critic_layers = "32-32";
    settings.learning_rate = 3e-3;
    settings.tau = 0.05;
    settings.temperature = 1e-6;
    settings.learn_temperature = false;
    settings.policy_delay = 1;  // so that targets arrive as soon as SAC's
    sac_td3::Networks networks(settings, {2, 1}, at::kFloat, generator);
    TrainingBatch batch;
    for (int k = 0; k < 400; ++k) {
      batch.observation = at::randn({64, 2}, generator);
      batch.action = at::rand({64, 1}, generator) * 2 - 1;
      batch.next_observation = at::randn({64, 2}, generator);
      batch.reward = at::full({64}, 0.5);
      batch.discount = at::full({64}, 0.8);
      batch.weight = at::ones({64});
      networks.update(batch, batch, at::randn({64, 1}, generator), at::randn({64, 1}, generator));
    }
    const at::NoGradGuard no_grad;
    EXPECT_NEAR(networks.critic(batch.observation, batch.action).mean().item<double>(), 2.5, 0.15)
        << algorithm;
  }
}

// ------------------------------------------------------------------------------------- the agent

AgentShape shape_of(Index environments = 1) {
  return {.tasks = {{"dmc/small", 5, 3, 1000}}, .environments = environments};
}

std::unique_ptr<AgentConfig> small_config(const AgentShape& shape, const std::string& algorithm) {
  auto config = agent_info(algorithm).config("laptop", shape);
  config->set("actor_layers", "8-6");
  config->set("critic_layers", "16-9");
  config->set("batch_size", "32");
  return config;
}

std::vector<float> actions_of(Agent& agent, const AgentShape& shape, Acting how) {
  std::vector<float> observation(static_cast<std::size_t>(shape.observation()), 0.3F);
  std::vector<float> action(static_cast<std::size_t>(shape.action()));
  agent.act({observation}, action, how);
  return action;
}

class SacTd3 : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Agents, SacTd3, ::testing::Values("sac", "td3"),
                         [](const auto& one) { return std::string(one.param); });

TEST_P(SacTd3, SameSeedGivesSameUpdates) {
  const AgentShape shape = shape_of();
  std::vector<std::vector<float>> runs;
  for (const std::uint64_t seed : {1, 1, 2}) {
    ReplayBuffer buffer = testing::small_world(shape, "per", 200);
    auto agent =
        small_config(shape, GetParam())->make(shape, {buffer.reader(), {}}, {.seed = seed});
    agent->learn(5, 0.5);
    runs.push_back(actions_of(*agent, shape, Acting::evaluate));
  }
  EXPECT_EQ(runs[0], runs[1]);
  EXPECT_NE(runs[0], runs[2]);
}

TEST_P(SacTd3, LoadedAgentContinuesBitForBit) {
  const AgentShape shape = shape_of();
  const auto config = small_config(shape, GetParam());
  const auto live = [&](Agent& agent) {
    std::vector<float> action = actions_of(agent, shape, Acting::explore);
    agent.learn(3, 0.1);  // an odd number: TD3's turns are part of the state
    return action;
  };
  ReplayBuffer buffer = testing::small_world(shape, "uniform", 200);
  auto agent = config->make(shape, {buffer.reader(), {}}, {.seed = 4});
  for (int k = 0; k < 3; ++k) live(*agent);
  ByteWriter saved;
  agent->save(saved);
  std::vector<std::vector<float>> expected;
  for (int k = 0; k < 3; ++k) expected.push_back(live(*agent));

  // The same batches again: a buffer in the same state.
  ReplayBuffer again = testing::small_world(shape, "uniform", 200);
  auto first = config->make(shape, {again.reader(), {}}, {.seed = 4});
  for (int k = 0; k < 3; ++k) live(*first);
  auto second = config->make(shape, {again.reader(), {}}, {.seed = 99});
  ByteReader reader(saved.bytes());
  second->load(reader);
  EXPECT_EQ(reader.left(), 0U);
  for (int k = 0; k < 3; ++k) EXPECT_EQ(live(*second), expected[static_cast<std::size_t>(k)]);

  // Of another width, or cut in half: refused.
  auto other = small_config(shape, GetParam());
  other->set("critic_layers", "16-10");
  ByteReader twice(saved.bytes());
  EXPECT_THROW(other->make(shape, {again.reader(), {}}, {})->load(twice), CorruptData);
  ByteReader half(std::span(saved.bytes()).first(saved.bytes().size() / 2));
  EXPECT_THROW(config->make(shape, {again.reader(), {}}, {})->load(half), CorruptData);
}

TEST_P(SacTd3, LearnsWithEverySampler) {
  const AgentShape shape = shape_of(2);
  std::vector<std::string> specs;
  for (const SamplerInfo* info : registered_samplers()) specs.emplace_back(info->name);
  for (const std::string& spec : specs) {
    for (const bool own_actor : {false, true}) {
      ReplayBuffer buffer = testing::small_world(shape, spec, 200, "uniform", own_actor ? 3 : 1);
      AgentReaders readers{buffer.reader(), {}};
      if (own_actor) readers.actor = buffer.add_reader("actor", {.sampler = "uniform"});
      auto agent = small_config(shape, GetParam())->make(shape, readers, {});
      const std::vector<float> before = actions_of(*agent, shape, Acting::evaluate);
      agent->learn(3, 0.5);
      EXPECT_NE(actions_of(*agent, shape, Acting::evaluate), before) << spec;
      for (const auto& [name, value] : agent->take_metrics())
        EXPECT_TRUE(std::isfinite(value)) << spec << ' ' << name;
    }
  }
}

// With rates of 0 nothing but the metrics can tell whose batch was used.
TEST_P(SacTd3, ActorSamplerChangesActorBatchesOnly) {
  const AgentShape shape = shape_of();
  std::vector<Metrics> found;
  for (const char* sampler : {"", "uniform", "truncated_geometric:alpha=50"}) {
    ReplayBuffer buffer = testing::small_world(shape, "uniform", 200);
    AgentReaders readers{buffer.reader(), {}};
    if (*sampler != 0) readers.actor = buffer.add_reader("actor", {.sampler = sampler});
    auto config = small_config(shape, GetParam());
    config->set("learning_rate", "0");
    auto agent = config->make(shape, readers, {});
    agent->learn(2, 0);
    found.push_back(agent->take_metrics());
  }
  EXPECT_EQ(found[0].at("critic_loss"), found[1].at("critic_loss"));
  EXPECT_EQ(found[0].at("critic_loss"), found[2].at("critic_loss"));
  EXPECT_NE(found[0].at("actor_loss"), found[2].at("actor_loss"));
}

// What the learner found reaches the priorities, and the weights made of them the critics.
TEST_P(SacTd3, TdErrorsReachPriorities) {
  const AgentShape shape = shape_of();
  for (const char* spec : {"uniform", "per"}) {
    ReplayBuffer taught = testing::small_world(shape, spec, 200);
    ReplayBuffer untaught = testing::small_world(shape, spec, 200);
    auto agent = small_config(shape, GetParam())->make(shape, {taught.reader(), {}}, {});
    agent->learn(4, 0);
    Batch one = taught.make_batch(32), two = untaught.make_batch(32);
    for (int k = 0; k < 4; ++k) untaught.sample(two);
    taught.sample(one);
    untaught.sample(two);
    const bool same = std::equal(one.id.begin(), one.id.end(), two.id.begin());
    EXPECT_EQ(same, std::string(spec) == "uniform");
    const auto [least, most] = std::minmax_element(one.weight.begin(), one.weight.end());
    EXPECT_EQ(*least == *most, std::string(spec) == "uniform");
  }
}

TEST_P(SacTd3, ExplorationStaysInBounds) {
  const AgentShape shape = shape_of();
  ReplayBuffer buffer = testing::small_world(shape, "uniform", 200);
  auto config = small_config(shape, GetParam());
  if (std::string_view(GetParam()) == "td3") config->set("exploration_noise", "3");
  auto agent = config->make(shape, {buffer.reader(), {}}, {});
  EXPECT_EQ(actions_of(*agent, shape, Acting::evaluate),
            actions_of(*agent, shape, Acting::evaluate));
  const std::vector<float> first = actions_of(*agent, shape, Acting::explore);
  EXPECT_NE(first, actions_of(*agent, shape, Acting::explore));
  for (int k = 0; k < 50; ++k)
    for (const float action : actions_of(*agent, shape, Acting::explore))
      EXPECT_LE(std::abs(action), 1);
}

TEST_P(SacTd3, NonFiniteLossThrowsDiverged) {
  const AgentShape shape = shape_of();
  ReplayBuffer buffer = testing::small_world(shape, "uniform", 200);
  auto config = small_config(shape, GetParam());
  config->set("learning_rate", "1e30");
  auto agent = config->make(shape, {buffer.reader(), {}}, {});
  EXPECT_THROW(agent->learn(50, 0), Diverged);
}

TEST_P(SacTd3, ExportedPolicyActsAsTheAgent) {
  const AgentShape shape = shape_of();
  ReplayBuffer buffer = testing::small_world(shape, "uniform", 200);
  auto agent = small_config(shape, GetParam())->make(shape, {buffer.reader(), {}}, {.seed = 8});
  agent->learn(20, 0);
  const std::string path = ::testing::TempDir() + "sac_td3_policy_" + GetParam() + ".pt";
  agent->export_policy(path);
  torch::jit::Module module = torch::jit::load(path);
  at::Generator generator = nn::make_generator(9, 1, at::kCPU);
  const at::Tensor observations = at::randn({20, shape.observation()}, generator);
  at::Tensor ours = at::empty({20, shape.action()});
  agent->act({{observations.data_ptr<float>(), static_cast<std::size_t>(observations.numel())}},
             {ours.data_ptr<float>(), static_cast<std::size_t>(ours.numel())}, Acting::evaluate);
  const at::Tensor exported = module.forward({observations}).toTensor();
  EXPECT_LT((exported - ours).abs().max().item<double>(), 1e-6);
  EXPECT_GT(ours.std().item<double>(), 1e-3);  // there is something to compare
  EXPECT_THROW(agent->export_policy("/nonexistent/folder/policy.pt"), IoError);
}

TEST(SacTd3Config, PresetsAreThoseOfStableBaselines3) {
  const auto value = [](const char* agent, const char* preset, const std::string& name) {
    for (const Field& field : agent_info(agent).config(preset, shape_of())->list())
      if (field.name == name) return field.value;
    return std::string("absent");
  };
  for (const char* agent : {"sac", "td3"}) {
    for (const char* preset : {"upstream", "paper"}) {
      EXPECT_EQ(value(agent, preset, "batch_size"), "256");
      EXPECT_EQ(value(agent, preset, "utd"), "1");
      EXPECT_EQ(value(agent, preset, "tau"), "0.005");
      EXPECT_EQ(value(agent, preset, "discount"), "0.99");
      EXPECT_EQ(value(agent, preset, "capacity"), "1000000");
      EXPECT_EQ(value(agent, preset, "action_repeat"), "1");
      EXPECT_EQ(value(agent, preset, "bootstrap_truncated"), "true");
    }
  }
  EXPECT_EQ(value("sac", "upstream", "learning_rate"), "0.0003");
  EXPECT_EQ(value("sac", "upstream", "critic_layers"), "256-256");
  EXPECT_EQ(value("sac", "upstream", "policy_delay"), "absent") << "a setting of TD3";
  EXPECT_EQ(value("td3", "upstream", "learning_rate"), "0.001");
  EXPECT_EQ(value("td3", "upstream", "actor_layers"), "400-300");
  EXPECT_EQ(value("td3", "upstream", "policy_delay"), "2");
  EXPECT_EQ(value("td3", "upstream", "temperature"), "absent") << "a setting of SAC";
  EXPECT_EQ(value("td3", "laptop", "actor_layers"), "128-128");
  // Their sizes: SAC on Pendulum, 256-256.
  const AgentShape pendulum{.tasks = {{"dmc/pendulum-swingup", 3, 1, 1000}}};
  ReplayBuffer buffer = testing::small_world(pendulum, "uniform", 20);
  const Index hidden = 256 * 256 + 256;
  EXPECT_EQ(agent_info("sac")
                .config("upstream", pendulum)
                ->make(pendulum, {buffer.reader(), {}}, {})
                ->parameters(),
            (3 * 256 + 256 + hidden + 256 * 2 + 2) + 2 * (4 * 256 + 256 + hidden + 256 + 1) + 1);
}

TEST(SacTd3Config, RejectsInvalidSettings) {
  AgentShape two = shape_of();
  two.tasks.push_back(two.tasks.front());
  EXPECT_THROW(small_config(shape_of(), "sac")->check(two), InvalidArgument);
  EXPECT_THROW(agent_info("sac").config("huge", shape_of()), NotFound);
  struct Refused {
    const char *agent, *name, *value;
  };
  for (const auto& [agent, name, value] : {Refused{"sac", "actor_layers", ""},
                                           {"sac", "actor_layers", "256-"},
                                           {"sac", "actor_layers", "-256"},
                                           {"td3", "critic_layers", "256x256"},
                                           {"td3", "critic_layers", "0"},
                                           {"sac", "critic_layers", "10000000"},
                                           {"sac", "tau", "1.5"},
                                           {"sac", "temperature", "0"},
                                           {"td3", "policy_delay", "0"},
                                           {"td3", "policy_noise", "-1"},
                                           {"td3", "batch_size", "4096"}}) {
    auto config = small_config(shape_of(), agent);
    config->set(name, value);
    EXPECT_THROW(config->check(shape_of()), InvalidArgument)
        << agent << ' ' << name << '=' << value;
  }
  EXPECT_EQ(layer_sizes("actor_layers", "64"), std::vector<std::int64_t>{64});
  EXPECT_EQ(layer_sizes("actor_layers", "400-300"), (std::vector<std::int64_t>{400, 300}));
}

}  // namespace
}  // namespace mneme
