// tests/agents/brc_fixtures_test.cpp - BRC's parts against the fixtures of its specification, and
// what untrained networks give (their matrices are (in, out), ours (out, in)).
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <limits>

#include "agents/brc/learner.h"
#include "agents/nn/layers/initial.h"
#include "agents/support.h"
#include "support/chi_square.h"

namespace mneme {
namespace {

using brc::Sizes;
using testing::assign;
using testing::expect_near;
using testing::matrix;
using testing::numbers;

const at::ScalarType kTypes[] = {at::kDouble, at::kFloat};

// Fixtures have ten digits; float has seven, and sums of a few of them lose one.
double within(at::ScalarType type) { return type == at::kDouble ? 1e-9 : 1e-5; }

at::Tensor moved(const nn::Support& support, const at::Tensor& p, double reward, double discount,
                 double alpha, double log_prob) {
  const at::ScalarType type = p.scalar_type();
  return nn::project(support, p, numbers({reward - discount * alpha * log_prob}, type),
                     numbers({discount}, type));
}

TEST(BrcFixtures, F1Projection) {
  for (const at::ScalarType type : kTypes) {
    const nn::Support support(-2, 2, 5, type);
    const at::Tensor p = matrix({{0.1, 0.2, 0.4, 0.2, 0.1}}, type);
    struct Case {
      double reward, discount, alpha, log_prob;
      std::vector<double> target;
      double mean;
    };
    for (const Case& one :
         {Case{0.3, 0.9, 0.1, -1.5, {0.0365, 0.1565, 0.333, 0.307, 0.167}, 0.4115},
          Case{0.5, 0, 0.1, -1.5, {0, 0, 0.5, 0.5, 0}, 0.5},
          Case{0, 1, 0, 0, {0.1, 0.2, 0.4, 0.2, 0.1}, 0},
          Case{3, 0.9, 0.1, 0, {0, 0, 0, 0.08, 0.92}, 1.92},
          Case{1, 0, 0.1, 0, {0, 0, 0, 1, 0}, 1}}) {
      const at::Tensor target =
          moved(support, p, one.reward, one.discount, one.alpha, one.log_prob);
      expect_near(target, one.target, within(type));
      expect_near(target.sum(), {1}, within(type), "mass");
      expect_near(nn::mean_of(support, target), {one.mean}, within(type), "mean");
    }
    const nn::Support whole(-10, 10, 101, type);
    const at::Tensor one_hot = at::zeros({1, 101}, type);
    one_hot[0][65] = 1;
    const at::Tensor target = moved(whole, one_hot, 0.25, 0.99, 0.05, 2);
    expect_near(target[0].slice(0, 64, 68), {0, 0.395, 0.605, 0}, within(type));
    expect_near(target.sum(), {1}, within(type));
  }
}

TEST(BrcFixtures, F2MeanOfMembersLossAndGradients) {
  for (const at::ScalarType type : kTypes) {
    const nn::Support support(-2, 2, 5, type);
    const at::Tensor logits = matrix({{0, 1, 2, 1, 0}, {1, 0, 0, 0, -1}}, type).unsqueeze(1);
    const at::Tensor p = logits.softmax(-1);
    expect_near(p[0], {0.0674508059, 0.1833502999, 0.4983977885, 0.1833502999, 0.0674508059},
                within(type));
    expect_near(p[1], {0.4466332238, 0.1643071808, 0.1643071808, 0.1643071808, 0.0604452338},
                within(type));
    expect_near(nn::expectation(support, logits), {0, -0.7723759799}, within(type));
    expect_near(nn::mean_of(support, p.mean(0)), {-0.3861879900}, within(type));
    const at::Tensor target = moved(support, p.mean(0), 0.3, 0.9, 0.1, -1.5);
    expect_near(target, {0.0938203354, 0.2440520437, 0.2802125299, 0.2597344431, 0.1221806479},
                within(type));
    expect_near(nn::mean_of(support, target), {0.0724030244}, within(type));
    const at::Tensor online =
        matrix({{0.2, 0, 0.5, 0.3, -0.1}, {0, 0, 0, 0, 0}}, type).unsqueeze(1).requires_grad_();
    const at::Tensor rows = nn::cross_entropy(online, target.unsqueeze(0)).rows;
    expect_near(rows, {1.5877768096 + 1.6094379124}, within(type));
    expect_near(torch::autograd::grad({rows.mean()}, {online})[0][0],
                {0.105598212, -0.0807819462, -0.0110256473, -0.039342864, 0.0255522456},
                within(type));
    const at::Tensor first = matrix({{0, 1, 2, 1, 0}}, type).requires_grad_();
    expect_near(torch::autograd::grad({nn::expectation(support, first).sum()}, {first})[0],
                {-0.1349016117, -0.1833502999, 0, 0.1833502999, 0.1349016117}, within(type));
  }
}

// The same numbers through an update: heads without weights say what their biases are.
TEST(BrcFixtures, F2ThroughAnUpdate) {
  for (const at::ScalarType type : kTypes) {
    BrcSettings settings;
    settings.critic_width = settings.actor_width = 4;
    settings.num_atoms = 5;
    settings.v_max = 2;
    for (const char* priority : {"value", "cross_entropy"}) {
      settings.priority = priority;
      at::Generator generator = nn::make_generator(1, 1, at::kCPU);
      brc::Networks networks(settings, {1, 2, 1}, type, generator);
      const auto say = [&](brc::Critic& critic, std::size_t member, std::vector<double> logits) {
        assign(critic.members[member].head.weight, at::zeros({5, 4}));
        assign(critic.members[member].head.bias, numbers(logits));
      };
      say(networks.target, 0, {0, 1, 2, 1, 0});
      say(networks.target, 1, {1, 0, 0, 0, -1});
      say(networks.critic, 0, {0.2, 0, 0.5, 0.3, -0.1});
      say(networks.critic, 1, {0, 0, 0, 0, 0});
      TrainingBatch batch;
      batch.observation = batch.next_observation = matrix({{0.1, 0.2}}, type);
      batch.action = matrix({{0.3}}, type);
      batch.discount = numbers({0.9}, type);
      batch.weight = numbers({1}, type);
      batch.task = at::zeros({1}, at::kLong);
      const at::Tensor noise = matrix({{0.5}}, type);
      // The fixture's log-probability is -1.5; what the policy's differs by is added to the reward.
      const double log_prob =
          networks.actor.sample(batch.observation, noise).log_prob.item<double>();
      batch.reward = numbers({0.3 + 0.9 * 0.1 * (1.5 + log_prob)}, type);
      const brc::UpdateReport report = networks.update(batch, batch, noise, noise);
      EXPECT_NEAR(report.critic_loss, 3.1972147220, within(type));
      // Means before the step: -0.0197... of member 1 by its softmax, 0 of member 2.
      const double e[] = {std::exp(0.2), 1, std::exp(0.5), std::exp(0.3), std::exp(-0.1)};
      const double mean = (-2 * e[0] - e[1] + e[3] + 2 * e[4]) / (e[0] + e[1] + e[2] + e[3] + e[4]);
      if (settings.priority == "value")
        expect_near(report.td_error, {0.0724030244 - mean / 2}, within(type));
      else
        expect_near(report.td_error, {3.1972147220}, within(type));
    }
  }
}

struct Step {
  std::vector<float> rewards;
  std::vector<std::uint8_t> terminated, truncated;
};

// An episode of one task among two; the other one continues with zeros.
void play(brc::RewardScale& scale, std::size_t task, const std::vector<float>& rewards,
          bool terminated, bool truncated) {
  for (std::size_t t = 0; t < rewards.size(); ++t) {
    Step step{{0, 0}, {0, 0}, {0, 0}};
    step.rewards[task] = rewards[t];
    if (t + 1 == rewards.size()) {
      step.terminated[task] = terminated ? 1 : 0;
      step.truncated[task] = truncated ? 1 : 0;
    }
    scale.update(step.rewards, step.terminated, step.truncated);
  }
}

TEST(BrcFixtures, F3Returns) {
  const double infinity = std::numeric_limits<double>::infinity();
  brc::RewardScale scale(2, 1, {.discount = 0.99, .bound = 10, .target_entropy = -1});
  EXPECT_EQ(scale.lowest(0), infinity);
  EXPECT_EQ(scale.highest(0), -infinity);
  EXPECT_EQ(scale.divisor(0, 0.1), infinity);
  EXPECT_EQ(1 / scale.divisor(0, 0.1), 0);

  play(scale, 0, {1, 2, 3}, false, true);
  EXPECT_NEAR(scale.lowest(0), 199.9801, 1e-9);
  EXPECT_NEAR(scale.highest(0), 201, 1e-9);
  EXPECT_NEAR(scale.divisor(0, 0.1), 20.6, 1e-9);
  EXPECT_NEAR(1 / scale.divisor(0, 0.1), 0.0485436893, 1e-9);
  EXPECT_EQ(scale.divisor(1, 0.1), infinity) << "tasks do not mix";

  play(scale, 0, {-4, -4}, true, false);
  EXPECT_NEAR(scale.lowest(0), -7.96, 1e-9);
  EXPECT_NEAR(scale.highest(0), 201, 1e-9);
  EXPECT_NEAR(scale.divisor(0, 0.1), 20.6, 1e-9);

  brc::RewardScale fresh(2, 1, {.discount = 0.99, .bound = 10, .target_entropy = -1});
  play(fresh, 1, {-4, -4}, true, false);
  EXPECT_NEAR(fresh.lowest(1), -7.96, 1e-9);
  EXPECT_NEAR(fresh.highest(1), -4, 1e-9);
  EXPECT_NEAR(fresh.divisor(1, 0.1), 1.296, 1e-9);
  EXPECT_NEAR(1 / fresh.divisor(1, 0.1), 0.7716049383, 1e-9);

  brc::RewardScale short_sighted(2, 1, {.discount = 0.9, .bound = 10, .target_entropy = -1});
  play(short_sighted, 0, {1, 2, 3}, false, true);
  EXPECT_NEAR(short_sighted.lowest(0), 19.81, 1e-9);
  EXPECT_NEAR(short_sighted.highest(0), 21, 1e-9);
  EXPECT_NEAR(short_sighted.divisor(0, 0.1), 2.15, 1e-9);
}

TEST(BrcFixtures, F3Moments) {
  brc::RewardScale scale(1, 1, {.kind = "moments", .discount = 0.9, .bound = 10});
  const std::vector<float> reward{1};
  const std::vector<std::uint8_t> no{0}, yes{1};
  const double expected[] = {0.1, 0.450161079498, 0.424362665653, 0.450080555983};
  for (int k = 0; k < 4; ++k) {
    scale.update(reward, no, k == 2 ? yes : no);
    EXPECT_NEAR(scale.divisor(0, 123), expected[k], 1e-12) << k;
  }
}

TEST(BrcRewardScale, BothEndsCountAsTruncation) {
  brc::RewardScale both(2, 1, {}), cut(2, 1, {}), over(2, 1, {});
  play(both, 0, {1, 2, 3}, true, true);
  play(cut, 0, {1, 2, 3}, false, true);
  play(over, 0, {1, 2, 3}, true, false);
  EXPECT_EQ(both.divisor(0, 0.1), cut.divisor(0, 0.1));
  EXPECT_NE(both.divisor(0, 0.1), over.divisor(0, 0.1));
}

TEST(BrcRewardScale, IsPositiveWithZeroRewards) {
  brc::RewardScale scale(2, 1, {.discount = 0.99, .bound = 10, .target_entropy = -1});
  play(scale, 0, {0, 0}, false, true);
  EXPECT_NEAR(scale.divisor(0, 0.1), 0.5, 1e-12);
  EXPECT_GT(scale.divisor(0, 0), 0) << "0 / 0 otherwise";
  EXPECT_EQ(brc::RewardScale(2, 1, {.kind = "none"}).divisor(1, 0.1), 1);
}

// Environments of one task have episodes of their own and a range together.
TEST(BrcRewardScale, EnvironmentsOfOneTaskShareRange) {
  brc::RewardScale scale(2, 2, {.discount = 0.5, .bound = 1, .target_entropy = 0});
  const std::vector<std::uint8_t> none{0, 0, 0, 0}, ends{1, 0, 0, 1};
  scale.update(std::vector<float>{1, 100, 2, 3}, none, none);
  scale.update(std::vector<float>{4, 100, 2, -8}, ends, none);
  EXPECT_NEAR(scale.divisor(0, 0), 4, 1e-12);  // 1 + 2, 4; the 100s belong to no finished episode
  EXPECT_NEAR(scale.divisor(1, 0), 8, 1e-12);
  scale.update(std::vector<float>{0, 100, 0, 0}, std::vector<std::uint8_t>{0, 1, 0, 0}, none);
  EXPECT_NEAR(scale.divisor(0, 0), 175, 1e-12);
}

// Rewards before an episode was interrupted belong to no episode.
TEST(BrcRewardScale, DropsInterruptedEpisodes) {
  for (const char* kind : {"returns", "moments"}) {
    brc::RewardScale scale(1, 1, {.kind = kind, .discount = 0.5, .bound = 1, .target_entropy = 0});
    const std::vector<std::uint8_t> no{0}, yes{1};
    scale.update(std::vector<float>{2}, no, no);
    scale.on_episodes_interrupted();
    // Moments are of running returns, the others of whole episodes.
    scale.update(std::vector<float>{3}, kind == std::string("moments") ? no : yes, no);
    EXPECT_NEAR(scale.divisor(0, 0), 3, 1e-12) << kind;
  }
}

TEST(BrcFixtures, F4TanhGaussian) {
  for (const at::ScalarType type : kTypes) {
    const at::Tensor mean = matrix({{0.5, -1}}, type).requires_grad_();
    const at::Tensor noise = matrix({{0.7, -0.2}}, type);
    struct Case {
      std::vector<double> raw, log_std, action;
      double log_prob;
    };
    const std::vector<Case> cases{
        {{0, 0.3}, {-4, -2.2521243253}, {0.4721402285, -0.7702878069}, 5.3012405457},
        {{1, 0.6}, {0.5695649357, -0.777702598}, {0.9399067157, -0.7975676824}, 1.2653931128}};
    at::Tensor raw, log_prob;
    for (const Case& one : cases) {
      raw = matrix({one.raw}, type).requires_grad_();
      const at::Tensor log_std = nn::bounded(raw, -10, 2);
      const nn::PolicySample policy = nn::tanh_gaussian(mean, log_std, noise);
      expect_near(log_std, one.log_std, within(type));
      expect_near(policy.action, one.action, within(type));
      expect_near(policy.log_prob, {one.log_prob}, within(type));
      log_prob = policy.log_prob;
    }
    const auto gradients = torch::autograd::grad({log_prob.sum()}, {mean, raw});
    expect_near(gradients[0], {1.8798134313, -1.5951353648}, within(type));
    expect_near(gradients[1], {3.3408028625, -3.6436469039}, within(type));
  }
}

TEST(BrcFixtures, F5Temperature) {
  for (const at::ScalarType type : kTypes) {
    brc::Temperature temperature(BrcSettings{}, type);
    EXPECT_NEAR(temperature.value(), 0.1, within(type));
    const double entropy[] = {-5, -5, 3};
    const double after[] = {0.1000300045, 0.1000600195, 0.1000557249};
    for (int k = 0; k < 3; ++k) {
      temperature.step(entropy[k] - -1);
      // In float the steps show too: they are 3e-5, the rounding 1e-8.
      EXPECT_NEAR(temperature.value(), after[k], type == at::kDouble ? 1e-10 : 3e-8) << k;
    }
  }
}

TEST(BrcFixtures, F6AdamAndTarget) {
  for (const at::ScalarType type : kTypes) {
    nn::Parameters parameters(type), target(type);
    const at::Tensor w = parameters.add("w", numbers({0.5}));
    const at::Tensor slow = target.add("w", numbers({0.5}));
    nn::Adam adam(parameters, {.decay = BrcSettings{}.weight_decay});
    adam.step({numbers({2}, type)}, BrcSettings{}.learning_rate);
    expect_near(w, {0.4996999850015}, type == at::kDouble ? 1e-12 : 1e-6);
    adam.step({numbers({-1}, type)}, BrcSettings{}.learning_rate);
    expect_near(w, {0.4996200688991}, type == at::kDouble ? 1e-12 : 1e-6);
    assign(w, numbers({2}));
    assign(slow, numbers({1}));
    adam.step({at::Tensor()}, 0, &target, BrcSettings{}.tau);
    expect_near(slow, {1.005}, within(type));
  }
}

TEST(BrcFixtures, F6UnitEmbedding) {
  for (const at::ScalarType type : kTypes) {
    BrcSettings settings;
    settings.critic_width = 4;
    settings.task_embedding_dim = 2;
    const brc::Critic critic(settings, {2, 1, 1}, type, nullptr);
    assign(critic.embedding, matrix({{3, 4}, {-5, 12}}));
    const at::Tensor rows = critic.embedded(at::zeros({1}, at::kLong));
    expect_near(rows, {0.6, 0.8}, within(type));
    expect_near(torch::autograd::grad({rows}, {critic.embedding}, {matrix({{1, 0}}, type)})[0],
                {0.128, -0.096, 0, 0}, within(type));
  }
}

TEST(BrcFixtures, F6LayerNormAndBroNet) {
  for (const at::ScalarType type : kTypes) {
    nn::Parameters parameters(type);
    const brc::NormedDense normed(parameters, "normed", 3, 3, nullptr);
    assign(normed.dense.weight, at::eye(3));
    expect_near(normed.then_add(matrix({{1, 2, 4}}, type), at::zeros({1, 3}, type)),
                {-1.069044624, -0.267261156, 1.33630578}, within(type));

    const brc::BroNet net(parameters, "net", 2, 3, 1, nullptr);
    assign(net.stem.dense.weight, matrix({{1, 0, -1}, {0, 2, 1}}).t());
    assign(net.blocks[0].first.dense.weight, matrix({{0, 1, 0}, {1, 0, 0}, {0, 0, 1}}).t());
    assign(net.blocks[0].second.dense.weight, at::diag(numbers({1, -1, 2})));
    const at::Tensor x = matrix({{1, 2}}, type);
    expect_near(net.stem.dense(x), {1, 4, 1}, within(type));
    const at::Tensor stem = net.stem.then_relu(x);
    expect_near(stem, {0, 1.4142132088, 0}, within(type));
    const at::Tensor first = net.blocks[0].first.then_relu(stem);
    expect_near(first, {1.4142119714, 0, 0}, within(type));
    expect_near(net.blocks[0].second.then_add(first, at::zeros_like(first)),
                {1.4142119714, -0.7071059857, -0.7071059857}, within(type));
    expect_near(net(x), {1.4142119714, 0.7071072231, -0.7071059857}, within(type));
  }
}

// "Task uniform, then time uniform", also where tasks have seen unequal numbers of steps; the batch
// says of which task a row is.
TEST(BrcFixtures, F6UniformOverTasksThenOverTime) {
  const AgentShape shape{.tasks = {{"a/a", 1, 1, 10}, {"a/b", 1, 1, 10}, {"a/c", 1, 1, 10}}};
  ReplayBuffer buffer({.observation = {1}, .action = {1}, .capacity = 64, .streams = 3});
  const Index sizes[] = {5, 9, 40};
  std::vector<double> law;
  for (Index stream = 0; stream < 3; ++stream) {
    for (Index t = 0; t < sizes[stream]; ++t) {
      const float now = static_cast<float>(t), next = now + 1;
      buffer.add({.stream = stream,
                  .observation = std::span(&now, 1),
                  .action = std::span(&now, 1),
                  .next_observation = std::span(&next, 1)});
      law.push_back(1.0 / 3 / static_cast<double>(sizes[stream]));
    }
  }
  ReplayBatches batches({buffer.reader(), {}}, shape, 1000, at::kCPU);
  std::vector<double> counts(law.size());
  const std::size_t first[] = {0, 5, 14};
  for (int k = 0; k < 300; ++k) {
    batches.draw(2);
    for (const std::size_t which : {0, 1}) {
      const TrainingBatch& batch = batches.critic(which);
      for (std::int64_t row = 0; row < 1000; ++row)
        ++counts[first[static_cast<std::size_t>(batch.task.data_ptr<std::int64_t>()[row])] +
                 static_cast<std::size_t>(batch.observation.data_ptr<float>()[row])];
    }
  }
  EXPECT_GT(test::chi_square_p(counts, law), 1e-6);
  const std::vector<double> time_only(law.size(), 1.0 / static_cast<double>(law.size()));
  EXPECT_LT(test::chi_square_p(counts, time_only), 1e-6) << "this check has no power";
}

// Section 2.5. On the meta device: numbers are counted, not kept.
TEST(BrcNetworks, HaveAsManyParametersAsThePublicCode) {
  const auto options = at::TensorOptions(at::kMeta).dtype(at::kFloat);
  const BrcSettings settings;
  const auto critic = [&](Sizes sizes) {
    return brc::Critic(settings, sizes, options, nullptr).parameters.count();
  };
  const auto actor = [&](Sizes sizes) {
    return brc::Actor(settings, sizes, options, nullptr).parameters.count();
  };
  EXPECT_EQ(critic({20, 308, 61}), 138'453'834);
  EXPECT_EQ(critic({4, 223, 38}), 137'568'586);
  EXPECT_EQ(critic({3, 67, 21}), 136'151'338);
  EXPECT_EQ(critic({50, 39, 4}), 135'784'202);
  EXPECT_EQ(critic({1, 223, 38}), 137'306'314);
  EXPECT_EQ(actor({20, 308, 61}), 251'770);
  EXPECT_EQ(actor({4, 223, 38}), 218'188);
  EXPECT_EQ(actor({3, 67, 21}), 169'514);
  EXPECT_EQ(actor({50, 39, 4}), 153'608);
  EXPECT_EQ(actor({1, 223, 38}), 209'996);
}

// Section 2.6. The figures are limits for wide networks; a width of some hundreds and one draw of
// the weights leave a few percent.
TEST(BrcNetworks, StartWhereThePublicCodeStarts) {
  at::Generator generator = nn::make_generator(1, 1, at::kCPU);
  BrcSettings settings;
  settings.critic_width = 512;
  const Sizes sizes{3, 67, 20};
  const brc::Critic critic(settings, sizes, at::kFloat, &generator);
  const brc::Actor actor(settings, sizes, at::kFloat, &generator);
  const at::NoGradGuard no_grad;
  const at::Tensor observation = at::randn({4096, 67}, generator);
  const at::Tensor action = at::rand({4096, 20}, generator) * 2 - 1;
  const at::Tensor task = at::randint(0, 3, {4096}, generator, at::kLong);

  const at::Tensor features = actor.trunk(brc::actor_input(critic, observation, task));
  EXPECT_NEAR(features.square().mean().item<double>(), 1.50, 0.1);
  EXPECT_NEAR(actor.mean(features).std().item<double>(), 1.70, 0.1);
  EXPECT_NEAR(actor.log_std(features).std().item<double>(), 1.22, 0.1);
  const nn::PolicySample policy =
      actor.sample(brc::actor_input(critic, observation, task), at::randn({4096, 20}, generator));
  EXPECT_NEAR(-policy.log_prob.mean().item<double>() / 20, -5.2, 0.3);

  const at::Tensor logits = critic(observation, action, task);
  ASSERT_EQ(logits.sizes(), (std::vector<std::int64_t>{2, 4096, 101}));
  EXPECT_NEAR(logits.std().item<double>(), 2.3, 0.15);
  const nn::Support support(-10, 10, 101, at::kFloat);
  EXPECT_NEAR(nn::expectation(support, logits)[0].std().item<double>(), 2, 0.5);
  // log 101 + deviation^2 / 2, a little less with 101 atoms: 6.9 at 2.24 (the limit of width), the
  // table's 7.4 at 2.4.
  const at::Tensor uniform = at::full({1, 4096, 101}, 1.0 / 101);
  EXPECT_NEAR(nn::cross_entropy(logits, uniform).rows.mean().item<double>() / 2, 7.15, 0.4);
  // Each member from its own random numbers.
  EXPECT_FALSE(at::allclose(logits[0], logits[1], 1e-2, 1e-2));
  // Rows of the table: length about 1 before it is made 1 (32 normals of deviation 1/sqrt(32)).
  EXPECT_NEAR(critic.embedding.norm().item<double>() / std::sqrt(3.0), 1, 0.3);
}

TEST(BrcNetworks, AllWeightsStartOrthogonal) {
  at::Generator generator = nn::make_generator(2, 1, at::kCPU);
  BrcSettings settings;
  settings.critic_width = 128;
  for (const std::int64_t tasks : {1, 3}) {
    const brc::Critic critic(settings, {tasks, 9, 3}, at::kDouble, &generator);
    double squares = 0;
    for (const nn::Parameter& one : critic.parameters.all())
      squares += one.value.square().sum().item<double>();
    const double in = tasks > 1 ? 9 + 3 + 32 : 9 + 3, width = 128;
    const double table = tasks > 1 ? critic.embedding.square().sum().item<double>() : 0.0;
    EXPECT_NEAR(std::sqrt(squares), std::sqrt(2 * (2 * in + 8 * width + 202 + 5 * width) + table),
                1e-9);
    const at::Tensor k = critic.members[0].trunk.blocks[0].first.dense.weight.detach();
    EXPECT_TRUE(at::allclose(k.mm(k.t()), 2 * at::eye(128, at::kDouble), 1e-9, 1e-9));
  }
}

}  // namespace
}  // namespace mneme
