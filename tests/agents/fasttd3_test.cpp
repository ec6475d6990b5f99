// tests/agents/fasttd3_test.cpp - FastTD3's numbers: projection, targets, losses, normalizers,
// networks, optimizer, against values worked out in double precision from its rules.
#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <limits>

#include "agents/fasttd3/learner.h"
#include "agents/nn/kernels/autocast.h"
#include "agents/nn/layers/initial.h"
#include "agents/nn/optim/schedules.h"

namespace mneme::fasttd3 {
namespace {

using Numbers = std::vector<double>;

// Both precisions: the rules are the same, only the last digits differ.
class FastTD3Fixture : public testing::TestWithParam<at::ScalarType> {
 protected:
  void SetUp() override { at::set_num_threads(1); }
  double tolerance() const { return GetParam() == at::kDouble ? 1e-9 : 1e-5; }
  at::TensorOptions options() const { return at::TensorOptions(GetParam()); }
  at::Tensor tensor(const Numbers& numbers, at::IntArrayRef sizes = {}) const {
    at::Tensor one = at::tensor(numbers, at::kDouble).to(GetParam());
    return sizes.empty() ? one : one.view(sizes);
  }
  void expect_near(const at::Tensor& found, const Numbers& wanted, const std::string& what) const {
    const at::Tensor flat = found.detach().to(at::kDouble).flatten();
    ASSERT_EQ(flat.numel(), static_cast<std::int64_t>(wanted.size())) << what;
    for (std::size_t k = 0; k < wanted.size(); ++k)
      EXPECT_NEAR(flat[static_cast<std::int64_t>(k)].item<double>(), wanted[k], tolerance())
          << what << ", number " << k;
  }
  nn::Support five() const { return {-2, 2, 5, options()}; }
};

INSTANTIATE_TEST_SUITE_P(Precision, FastTD3Fixture, testing::Values(at::kDouble, at::kFloat),
                         [](const auto& one) {
                           return std::string(one.param == at::kDouble ? "Double" : "Float");
                         });

TEST_P(FastTD3Fixture, ProjectionSharesMassBetweenNeighbours) {
  const at::Tensor p = tensor({0.1, 0.2, 0.4, 0.2, 0.1}, {1, 5});
  struct Case {
    const char* name;
    double reward, discount;
    Numbers wanted;
    double mean;
  };
  for (const Case& one : std::vector<Case>{
           {"clamped at the top", 0.5, 0.9, {0.03, 0.15, 0.32, 0.32, 0.18}, 0.47},
           {"end, on an atom", 0, 0, {0, 0, 1, 0, 0}, 0},
           {"end, below", -3, 0, {1, 0, 0, 0, 0}, -2},
           {"end, above", 5, 0, {0, 0, 0, 0, 1}, 2},
           {"end, between", 1.25, 0, {0, 0, 0, 0.75, 0.25}, 1.25},
           {"three steps", 0.5, 0.729, {0, 0.1416, 0.3584, 0.3584, 0.1416}, 0.5},
           {"identity", 0, 1, {0.1, 0.2, 0.4, 0.2, 0.1}, 0},
           {"half", 0, 0.5, {0, 0.2, 0.6, 0.2, 0}, 0},
       }) {
    const at::Tensor m = nn::project(five(), p, tensor({one.reward}), tensor({one.discount}));
    expect_near(m, one.wanted, one.name);
    expect_near(nn::mean_of(five(), m), {one.mean}, one.name);
  }
}

// Logits whose softmax is the distribution itself.
TEST_P(FastTD3Fixture, BothCriticsLearnTheSmallerTarget) {
  const at::Tensor next =
      tensor({0.1, 0.2, 0.4, 0.2, 0.1, 0.05, 0.15, 0.3, 0.3, 0.2}, {2, 1, 5}).log();
  const at::Tensor logits = tensor({0, 1, 2, 1, 0, 0.5, 0, -0.5, 0, 0.5}, {2, 1, 5});
  const at::Tensor reward = tensor({0.5}), discount = tensor({0.9});

  const Targets clipped = targets_of(five(), next, reward, discount, true);
  expect_near(clipped.wanted, {0.03, 0.15, 0.32, 0.32, 0.18}, "clipped target");
  expect_near(clipped.values, {0.47, 0.845}, "values");
  expect_near(clipped.value, {0.47}, "value of the clipped target");
  expect_near(critic_loss(five(), logits, clipped.wanted).rows, {3.4169822970}, "clipped loss");

  const Targets own = targets_of(five(), next, reward, discount, false);
  expect_near(own.wanted[1], {0.015, 0.095, 0.24, 0.33, 0.32}, "the second's own target");
  expect_near(own.value, {(0.47 + 0.845) / 2}, "mean of both");
  expect_near(critic_loss(five(), logits, own.wanted).rows, {3.3144822970}, "loss of each its own");

  at::Tensor learned = logits.clone();
  learned.set_requires_grad(true);
  const at::Tensor loss = critic_loss(five(), learned, clipped.wanted).rows.sum();
  const at::Tensor slope = torch::autograd::grad({loss}, {learned})[0];
  expect_near(slope[0], {0.0374508059, 0.0333502999, 0.1783977885, -0.1366497001, -0.1125491941},
              "gradient of the first critic's logits");
}

// The fused function against the definition that autograd differentiates.
TEST_P(FastTD3Fixture, LossHasTheSlopeOfItsDefinition) {
  at::Generator generator = nn::make_generator(7, 1, at::kCPU);
  const auto random = [&](at::IntArrayRef sizes) {
    return at::randn(sizes, generator, at::TensorOptions(at::kDouble)).to(GetParam());
  };
  for (const std::int64_t targets : {1, 2}) {
    at::Tensor logits = random({2, 4, 5});
    logits.set_requires_grad(true);
    const at::Tensor wanted = random({targets, 4, 5}).softmax(-1), weight = random({4});
    const CriticLoss fused = critic_loss(five(), logits, wanted);
    const at::Tensor plain = nn::plain::cross_entropy(logits, wanted).rows;
    EXPECT_TRUE(at::allclose(fused.rows, plain, 0, tolerance()));
    EXPECT_TRUE(at::allclose(fused.value, nn::expectation(five(), logits).mean(0), 0, tolerance()));
    EXPECT_FALSE(fused.value.requires_grad());
    const auto slope = [&](const at::Tensor& rows) {
      return torch::autograd::grad({(rows * weight).mean()}, {logits})[0];
    };
    EXPECT_TRUE(at::allclose(slope(fused.rows), slope(plain), 0, tolerance()));
  }
}

TEST_P(FastTD3Fixture, ProjectionOfNonFiniteReturnsIsNaN) {
  const at::Tensor p = at::full({3, 5}, 0.2, options());
  const double inf = std::numeric_limits<double>::infinity();
  const at::Tensor m =
      nn::project(five(), p, tensor({std::nan(""), 1, inf}), tensor({0.9, std::nan(""), 0.9}));
  EXPECT_TRUE(m.isnan().all().item<bool>());
}

TEST_P(FastTD3Fixture, EqualValuesGiveTheSecondsTarget) {
  // The same mean, 0, in another shape.
  const at::Tensor next =
      tensor({0.1, 0.2, 0.4, 0.2, 0.1, 0.2, 0.1, 0.4, 0.1, 0.2}, {2, 1, 5}).log();
  const Targets found = targets_of(five(), next, tensor({0}), tensor({0}), true);
  expect_near(found.wanted, {0, 0, 1, 0, 0}, "at an end");
  // Exact zeros: means of 1e-30 here and there would be told apart by the last bit of a processor.
  const at::Tensor apart = tensor({0, 0, 1, 0, 0, 0.5, 0, 0, 0, 0.5}, {2, 1, 5});
  expect_near(targets_of(five(), apart.log(), tensor({0}), tensor({1}), true).wanted,
              {0.5, 0, 0, 0, 0.5}, "elsewhere");
}

TEST_P(FastTD3Fixture, ActorRaisesTheExpectedValue) {
  at::Tensor logits = tensor({0, 0.5, 1, 1.5, 2, 1, 1, 1, 1, 9}, {2, 1, 5});
  logits.set_requires_grad(true);
  const at::Tensor value = policy_value(five(), logits, true);
  expect_near(value, {0.9056333666}, "the smaller value");
  const at::Tensor slope = torch::autograd::grad({value.sum()}, {logits})[0];
  expect_near(slope[0], {-0.1685622345, -0.1822661647, -0.1428125464, 0.0245346377, 0.4691063079},
              "gradient of the first");
  expect_near(slope[1], {0, 0, 0, 0, 0}, "gradient of the second");
  const at::Tensor both = nn::expectation(five(), logits);
  expect_near(policy_value(five(), logits, false),
              {(both[0].item<double>() + both[1].item<double>()) / 2}, "each its own");
}

TEST_P(FastTD3Fixture, ObservationStatisticsMergeBothWays) {
  struct Stage {
    Numbers rows;
    double mean, reference, exact;
  };
  ObservationNormalizer reference(1, nn::Merge::fasttd3, at::kCPU);
  ObservationNormalizer exact(1, nn::Merge::exact, at::kCPU);
  for (const Stage& stage :
       std::vector<Stage>{{{1, 2, 3, 4}, 2.5, 1.25, 1.25},
                          {{10, 12}, 5.3333333333, 8.3024691358, 17.2222222222},
                          {{5, 5, 5}, 5.2222222222, 5.5459533608, 11.5061728395}}) {
    const at::Tensor rows = tensor(stage.rows).unsqueeze(1);
    reference.count(rows);
    exact.count(rows);
    for (const ObservationNormalizer* one : {&reference, &exact})
      EXPECT_NEAR(one->moments().mean().item<double>(), stage.mean, 1e-9);
    EXPECT_NEAR(reference.moments().variance().item<double>(), stage.reference, 1e-9);
    EXPECT_NEAR(exact.moments().variance().item<double>(), stage.exact, 1e-9);
    if (stage.rows.size() == 2) {
      expect_near(reference(tensor({5}, {1, 1})), {-0.1152843847}, "normalized, reference");
      expect_near(exact(tensor({5}, {1, 1})), {-0.0801288498}, "normalized, exact");
    }
  }
  EXPECT_EQ(exact.moments().count(), 9);
}

TEST(FastTD3Normalizers, RewardsAreDividedByTheSizeOfReturns) {
  RewardNormalizer one(
      {.environments = 2, .discount = 0.9, .bound = 10, .merge = nn::Merge::fasttd3});
  RewardNormalizer narrow(
      {.environments = 2, .discount = 0.9, .bound = 1, .merge = nn::Merge::fasttd3});
  struct Stage {
    std::vector<float> rewards;
    std::vector<std::uint8_t> done;
    Numbers returns;
    double variance, largest, scaled;
  };
  for (const Stage& stage :
       std::vector<Stage>{{{1, 2}, {0, 0}, {1, 2}, 0.25, 2, 3.99999992},
                          {{1, -4}, {0, 1}, {1.9, -4}, 4.88265625, 4, 0.9051111577},
                          {{3, 0}, {1, 0}, {3, -3.6}, 6.9123263889, 4, 0.7607078111}}) {
    one.count(stage.rewards, stage.done);
    narrow.count(stage.rewards, stage.done);
    EXPECT_NEAR(one.returns(0).returns()[0], stage.returns[0], 1e-9);
    EXPECT_NEAR(one.returns(0).returns()[1], stage.returns[1], 1e-9);
    EXPECT_NEAR(one.returns(0).variance(), stage.variance, 1e-9);
    EXPECT_EQ(one.returns(0).largest(), stage.largest);
    EXPECT_NEAR(2 / one.divisor(0), stage.scaled, 1e-9);
    const at::Tensor batch = one(at::full({1}, 2.0, at::kDouble), at::zeros({1}, at::kLong));
    EXPECT_NEAR(batch.item<double>(), stage.scaled, 1e-9);
  }
  EXPECT_EQ(narrow.divisor(0), 4);
}

TEST(FastTD3Normalizers, TasksHaveStatisticsOfTheirOwn) {
  RewardNormalizer both(
      {.tasks = 2, .environments = 2, .discount = 0.9, .bound = 10, .merge = nn::Merge::fasttd3});
  RewardNormalizer second({.environments = 2, .discount = 0.9, .bound = 10});
  const std::vector<std::uint8_t> done{0, 1, 0, 0};
  for (const std::vector<float>& rewards :
       std::vector<std::vector<float>>{{1, 2, 30, 50}, {0, -1, 20, -10}, {1, 1, 5, 5}}) {
    both.count(rewards, done);
    second.count(std::span(rewards).subspan(2), std::span(done).subspan(2));
  }
  EXPECT_EQ(both.divisor(1), second.divisor(0) + 1e-8);  // and merged exactly
  EXPECT_LT(both.divisor(0), both.divisor(1) / 5);
  const at::Tensor scaled = both(at::ones({3}, at::kDouble), at::tensor({1, 0, 1}, at::kLong));
  EXPECT_NEAR(scaled[0].item<double>(), 1 / both.divisor(1), 1e-12);
  EXPECT_NEAR(scaled[1].item<double>(), 1 / both.divisor(0), 1e-12);
}

// Weights by rule: layer l of a network with offset s.
void set_weights(Mlp& mlp, int offset) {
  const at::NoGradGuard no_grad;
  for (int l = 0; l < 4; ++l) {
    const Linear& layer = mlp.layers[static_cast<std::size_t>(l)];
    for (int r = 0; r < layer.weight.size(0); ++r) {
      for (int c = 0; c < layer.weight.size(1); ++c)
        layer.weight[r][c].fill_(0.1 * ((7 * r + 3 * c + offset + l) % 11 - 5));
      layer.bias[r].fill_(0.05 * ((5 * r + offset + l) % 7 - 3));
    }
  }
}

FastTD3Settings tiny() {
  FastTD3Settings s;
  s.actor_width = s.critic_width = 8;
  s.num_atoms = 5;
  s.v_min = -2;
  s.v_max = 2;
  return s;
}

TEST_P(FastTD3Fixture, NetworksAndGradients) {
  at::Generator generator = nn::make_generator(1, 1, at::kCPU);
  const NetworkShape shape{.observation = 3, .action = 2};
  Actor actor(tiny(), shape, options(), &generator);
  Critics critics(tiny(), shape, options(), &generator);
  set_weights(*actor.mlp, 1);
  set_weights(critics.mlps[0], 2);
  set_weights(critics.mlps[1], 5);
  const at::Tensor observation = tensor({0.5, -1, 2}, {1, 3});
  const at::Tensor action = tensor({0.3, -0.2}, {1, 2});

  const at::Tensor chosen = actor(observation, {});
  expect_near(chosen, {0.08211468813, -0.08211468813}, "action");
  expect_near(chosen.atanh(), {0.0823, -0.0823}, "before tanh");
  const at::Tensor logits = critics(observation, {}, action);
  expect_near(logits[0], {0.1, -0.11896, -0.01078, 0.12026, -0.0987}, "first critic");
  expect_near(logits[1], {-0.1992, 0.18968, 0.01032, 0.0492, -0.13016}, "second critic");
  expect_near(nn::expectation(five(), logits), {-0.0315715943, -0.0083137361}, "values");

  const at::Tensor wanted = tensor({0.03, 0.15, 0.32, 0.32, 0.18}, {1, 5});
  const at::Tensor first = nn::cross_entropy(logits.narrow(0, 0, 1), wanted.unsqueeze(0)).rows;
  expect_near(first, {1.6102284692}, "cross-entropy");
  expect_near(nn::cross_entropy(logits.narrow(0, 1, 1), wanted.unsqueeze(0)).rows, {1.5847239455},
              "cross-entropy of the second");
  std::vector<at::Tensor> weights;
  for (const Linear& layer : critics.mlps[0].layers) weights.push_back(layer.weight);
  const auto slopes = torch::autograd::grad({first.sum()}, weights);
  const double slack = std::max(tolerance(), 1e-8);  // the fixture is of finite differences
  EXPECT_NEAR(slopes[0][0][0].item<double>(), -0.0013449614, slack);
  EXPECT_NEAR(slopes[0][4][2].item<double>(), -0.0084540426, slack);
  EXPECT_NEAR(slopes[1][2][1].item<double>(), -0.0040348839, slack);
  EXPECT_NEAR(slopes[2][0][3].item<double>(), 0, slack);
  EXPECT_NEAR(slopes[3][1][0].item<double>(), 0.0080294568, slack);
  EXPECT_NEAR(slopes[3][4][1].item<double>(), 0, slack);

  // The short cut of the policy update, where the action alone has a gradient.
  at::Tensor moving = action.clone();
  moving.set_requires_grad(true);
  const at::Tensor whole =
      torch::autograd::grad({critics(observation, {}, moving).square().sum()}, {moving})[0];
  const nn::Frozen frozen(critics.parameters);
  const at::Tensor short_cut = critics(observation, {}, moving);
  EXPECT_TRUE(at::allclose(short_cut, logits, 0, tolerance()));
  EXPECT_TRUE(at::allclose(torch::autograd::grad({short_cut.square().sum()}, {moving})[0], whole, 0,
                           tolerance()));
}

TEST_P(FastTD3Fixture, OptimizerTargetAndSchedule) {
  nn::Parameters learned(options()), target(options());
  const at::Tensor p = learned.add("p", tensor({0.5})), follows = target.add("p", tensor({0.4}));
  nn::Adam adam(learned, {.decay = 0.1});
  adam.step({tensor({0.2})}, 3e-4);
  expect_near(p, {0.499685000015}, "first step");
  adam.step({tensor({-0.1})}, 3e-4);
  expect_near(p, {0.499590108358}, "second step");
  adam.step({tensor({0.05})}, 3e-4, &target, 0.1);
  expect_near(p, {0.499472991918}, "third step");
  expect_near(follows, {0.4099472992}, "target");
  for (const auto& [step, rate] : {std::pair{25'000.0, 2.604594155e-4},
                                   {50'000.0, 1.65e-4},
                                   {75'000.0, 6.954058454e-5},
                                   {100'000.0, 3e-5}})
    EXPECT_NEAR(nn::cosine(3e-4, 3e-5, step, 100'000), rate, 1e-13);
}

TEST(FastTD3Networks, HaveThePublishedSizes) {
  at::Generator generator = nn::make_generator(1, 1, at::kCPU);
  const NetworkShape shape{.observation = 151, .action = 61};
  const FastTD3Settings settings;
  const Actor actor(settings, shape, at::kFloat, &generator);
  EXPECT_EQ(actor.parameters.count(), 249'917);
  EXPECT_EQ(Critics(settings, shape, at::kFloat, &generator).parameters.count(), 1'800'394);
  // Initial weights: the last layer of the actor is small and has no bias.
  const Linear& last = actor.mlp->layers[3];
  EXPECT_NEAR(last.weight.std().item<double>(), 0.01, 0.001);
  EXPECT_EQ(last.bias.abs().max().item<double>(), 0);
  const Linear& first = actor.mlp->layers[0];
  EXPECT_LE(first.weight.abs().max().item<double>(), 1 / std::sqrt(151.0));
  EXPECT_GT(first.bias.abs().max().item<double>(), 0.9 / std::sqrt(151.0));
}

TEST(FastTD3Networks, SimNormGivesDistributions) {
  at::Generator generator = nn::make_generator(1, 1, at::kCPU);
  FastTD3Settings settings;
  settings.sim_type = "both";
  const NetworkShape shape{.observation = 151, .action = 61};
  const Actor actor(settings, shape, at::kDouble, &generator);
  const Critics critics(settings, shape, at::kDouble, &generator);
  EXPECT_EQ(actor.mlp->layers[2].weight.size(0), 8 * 64);
  EXPECT_EQ(critics.mlps[1].layers[3].weight.size(1), 8 * 64);
  // With last weights 1 each action is the sum of 8 distributions; tanh of it.
  {
    const at::NoGradGuard no_grad;
    actor.mlp->layers[3].weight.fill_(0.125);
  }
  const at::Tensor action = actor(at::randn({4, 151}, at::kDouble), {});
  EXPECT_TRUE(at::allclose(action, at::full_like(action, std::tanh(1.0))));
}

TEST(FastTD3Networks, SphereStartsAtSquaredGainsAndIsNotProjected) {
  at::Generator generator = nn::make_generator(1, 1, at::kCPU);
  nn::Parameters list(at::kDouble);
  const nn::SphereOptions wide{.kind = nn::Sphere::fasttd3, .width = 512, .blocks = 2};
  const nn::Scaler alpha(list, "alpha", wide, 512, 1.0 / 3, 1 / std::sqrt(512.0));
  EXPECT_NEAR(alpha.raw[0].item<double>(), 0.0147314, 1e-7);
  EXPECT_NEAR(alpha.gain, 7.5425, 1e-4);

  FastTD3Settings settings;
  settings.network = "simbav2";
  settings.critic_width = settings.actor_width = 16;
  const NetworkShape shape{.observation = 5, .action = 2};
  const Critics critics(settings, shape, at::kDouble, &generator);
  const Actor actor(settings, shape, at::kDouble, &generator);
  const auto first_of = [](const nn::Scaler& one) {
    return (one.raw * one.gain).flatten()[0].item<double>();
  };
  EXPECT_NEAR(first_of(critics.encoder->blocks[1].alpha), 1.0 / 9, 1e-12);
  EXPECT_NEAR(first_of(actor.encoder->blocks[0].alpha), 0.25, 1e-12);
  for (const nn::Parameter& one : critics.parameters.all()) EXPECT_FALSE(one.unit_rows) << one.name;
  const at::Tensor logits =
      critics(at::randn({3, 5}, at::kDouble), {}, at::rand({3, 2}, at::kDouble));
  EXPECT_EQ(logits.sizes(), (std::vector<std::int64_t>{2, 3, 101}));
  EXPECT_FALSE(at::allclose(logits[0], logits[1]));
}

TEST(FastTD3Networks, TaskEmbeddingsAreRenormalizedOnLookup) {
  at::Generator generator = nn::make_generator(1, 1, at::kCPU);
  const Actor actor(tiny(), {.observation = 3, .action = 2, .tasks = 3}, at::kDouble, &generator);
  EXPECT_EQ(actor.mlp->layers[0].weight.size(1), 3 + 32);
  const at::Tensor before = actor.tasks.vectors.detach().clone();
  const at::Tensor observation = at::randn({2, 3}, at::kDouble),
                   task = at::tensor({2, 0}, at::kLong);
  at::Tensor acted;
  {
    const at::NoGradGuard no_grad;
    acted = actor(observation, task);
  }
  EXPECT_TRUE(actor.tasks.vectors.equal(before)) << "acting changes nothing";
  actor.tasks.shorten(task);
  const at::Tensor lengths = actor.tasks.vectors.norm(2, -1);
  EXPECT_NEAR(lengths[0].item<double>(), 1, 1e-6);
  EXPECT_TRUE(actor.tasks.vectors[1].equal(before[1])) << "not looked up";
  EXPECT_NEAR(lengths[2].item<double>(), 1, 1e-6);
  EXPECT_TRUE(at::allclose(actor(observation, task), acted));
  EXPECT_FALSE(at::allclose(actor(observation, 0 * task), acted));
}

// One update worked out beside it, with noise that reaches its bounds.
TEST(FastTD3Networks, UpdateFollowsItsDefinition) {
  at::set_num_threads(1);
  FastTD3Settings settings = tiny();
  settings.policy_noise = 1;
  settings.init_scale = 1;
  at::Generator generator = nn::make_generator(3, 1, at::kCPU);
  const NetworkShape shape{.observation = 3, .action = 2};
  Networks networks(settings, shape, at::kDouble, generator);
  const auto rows = [&](std::int64_t columns) {
    return at::randn({6, columns}, generator, at::TensorOptions(at::kDouble));
  };
  const TrainingBatch batch{.observation = rows(3),
                            .action = rows(2),
                            .next_observation = rows(3),
                            .reward = rows(1).squeeze(1),
                            .discount = at::full({6}, 0.9, at::kDouble),
                            .weight = at::arange(1, 7, at::kDouble) / 6,
                            .task = at::zeros({6}, at::kLong)};
  const nn::Support support(-2, 2, 5, at::kDouble);

  at::Tensor loss, error;
  {
    const at::NoGradGuard no_grad;
    const at::Tensor next = (networks.actor(batch.next_observation, {}) + 0.5).clamp(-1, 1);
    const at::Tensor p = networks.target(batch.next_observation, {}, next).softmax(-1);
    const at::Tensor m = nn::project(support, p, batch.reward, batch.discount);
    const at::Tensor v = m.matmul(support.values);
    const at::Tensor logits = networks.critics(batch.observation, {}, batch.action);
    at::Tensor total = at::zeros({6}, at::kDouble), wanted = at::zeros({6}, at::kDouble);
    for (std::int64_t k = 0; k < 6; ++k) {
      const std::int64_t smaller = v[0][k].item<double>() < v[1][k].item<double>() ? 0 : 1;
      wanted[k] = v[smaller][k];
      for (std::int64_t q : {0, 1})
        total[k] -= (m[smaller][k] * logits[q][k].softmax(-1).log()).sum();
    }
    loss = (total * batch.weight).mean();
    error = wanted - nn::expectation(support, logits).mean(0);
  }
  const auto copy_of = [](const nn::Parameters& list) {
    std::vector<at::Tensor> copies;
    for (const at::Tensor& one : list.values()) copies.push_back(one.detach().clone());
    return copies;
  };
  const auto actor = copy_of(networks.actor.parameters);
  const auto critics = copy_of(networks.critics.parameters);
  const CriticReport report =
      networks.update_critics(batch, at::full({6, 2}, 10.0, at::kDouble), 1e-2);
  EXPECT_NEAR(report.loss, loss.item<double>(), 1e-12);
  EXPECT_TRUE(at::allclose(report.td_error, error, 0, 1e-12));
  for (std::size_t k = 0; k < critics.size(); ++k) {
    const at::Tensor now = networks.critics.parameters.values()[k];
    EXPECT_FALSE(now.equal(critics[k]));
    EXPECT_TRUE(at::allclose(networks.target.parameters.values()[k], 0.9 * critics[k] + 0.1 * now,
                             0, 1e-14));
  }
  for (std::size_t k = 0; k < actor.size(); ++k)
    EXPECT_TRUE(networks.actor.parameters.values()[k].equal(actor[k])) << "no gradient reaches it";

  const auto after = copy_of(networks.critics.parameters);
  const double before = networks.update_actor(batch, 1e-2);
  EXPECT_LT(networks.update_actor(batch, 1e-2), before);
  for (std::size_t k = 0; k < after.size(); ++k)
    EXPECT_TRUE(networks.critics.parameters.values()[k].equal(after[k])) << "the actor's turn";
}

TEST(FastTD3Networks, GradientsAreClippedByNorm) {
  // One step of Adam does not depend on the length of a gradient; the moments do. So after a long
  // and a short gradient in a row the weights tell whether the long one was cut.
  const auto weights_after = [](double longest, double size) {
    FastTD3Settings settings = tiny();
    settings.max_grad_norm = longest;
    at::Generator generator = nn::make_generator(3, 1, at::kCPU);
    Networks networks(settings, {.observation = 3, .action = 2}, at::kDouble, generator);
    TrainingBatch batch{.observation = at::ones({2, 3}, at::kDouble),
                        .action = at::ones({2, 2}, at::kDouble),
                        .next_observation = at::ones({2, 3}, at::kDouble),
                        .reward = at::ones({2}, at::kDouble),
                        .discount = at::zeros({2}, at::kDouble),
                        .weight = at::full({2}, size, at::kDouble),
                        .task = at::zeros({2}, at::kLong)};
    const at::Tensor noise = at::zeros({2, 2}, at::kDouble);
    networks.update_critics(batch, noise, 1e-3);
    batch.weight = at::full({2}, 1e-3, at::kDouble);
    networks.update_critics(batch, noise, 1e-3);
    return networks.critics.parameters.values()[0].detach().clone();
  };
  EXPECT_TRUE(at::allclose(weights_after(1e-2, 100), weights_after(1e-2, 1e4), 0, 1e-9));
  EXPECT_FALSE(at::allclose(weights_after(0, 1e-2), weights_after(0, 1e4), 0, 1e-9));
}

// Eight bits of a number in matrix products, for both kinds of layers: losses differ in the third
// digit, weights stay in single precision, and nothing outside sees that it was on.
TEST(FastTD3Networks, ProductsInBf16) {
  for (const char* network : {"mlp", "simbav2"}) {
    const auto losses = [&](const std::string& precision) {
      FastTD3Settings settings = tiny();
      settings.network = network;
      settings.critic_width = 64;
      settings.precision = precision;
      at::Generator generator = nn::make_generator(3, 1, at::kCPU);
      Networks networks(settings, {.observation = 3, .action = 2}, at::kFloat, generator);
      const TrainingBatch batch{.observation = at::randn({32, 3}, generator),
                                .action = at::randn({32, 2}, generator),
                                .next_observation = at::randn({32, 3}, generator),
                                .reward = at::randn({32}, generator),
                                .discount = at::full({32}, 0.9),
                                .weight = at::ones({32}),
                                .task = at::zeros({32}, at::kLong)};
      const at::Tensor noise = at::randn({32, 2}, generator);
      std::vector<double> found;
      for (int k = 0; k < 3; ++k) {
        found.push_back(networks.update_critics(batch, noise, 1e-3).loss);
        found.push_back(networks.update_actor(batch, 1e-3));
      }
      for (const at::Tensor& value : networks.critics.parameters.values())
        EXPECT_EQ(value.scalar_type(), at::kFloat);
      return found;
    };
    const std::vector<double> full = losses("f32"), half = losses("bf16");
    EXPECT_EQ(losses("auto"), full) << "on a CPU";
    EXPECT_NE(half, full);
    for (std::size_t k = 0; k < full.size(); ++k)
      EXPECT_NEAR(half[k], full[k], 2e-2 * std::abs(full[k]) + 2e-2) << network << " " << k;
    EXPECT_FALSE(at::autocast::is_autocast_enabled(at::kCPU));
  }
}

}  // namespace
}  // namespace mneme::fasttd3
