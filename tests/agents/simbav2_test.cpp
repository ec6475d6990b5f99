// tests/agents/simbav2_test.cpp - SimbaV2 against the fixtures of its specification (double
// precision, row vectors; their matrices are (in, out), ours (out, in)).
#include <torch/csrc/autograd/autograd.h>

#include <cmath>

#include "agents/nn/heads/categorical.h"
#include "agents/nn/heads/tanh_gaussian.h"
#include "agents/nn/layers/hypersphere.h"
#include "agents/nn/layers/initial.h"
#include "agents/nn/optim/adam.h"
#include "agents/nn/optim/schedules.h"
#include "agents/nn/stats/moments.h"
#include "agents/nn/stats/return_scale.h"
#include "agents/simbav2/learner.h"
#include "agents/support.h"

namespace mneme {
namespace {

using testing::assign;
using testing::expect_near;
using testing::matrix;
using testing::numbers;
using testing::tolerance;

const at::ScalarType kTypes[] = {at::kDouble, at::kFloat};

// F1: width 2, so that the embedder's scaler starts at sqrt(2 / 2) = 1.
nn::Embedder fixture_embedder(nn::Parameters& to) {
  at::Generator any = nn::make_generator(0, 0, at::kCPU);
  nn::Embedder embedder(to, "embedder", {.width = 2, .blocks = 2}, 2, &any);
  assign(embedder.dense.weight, nn::unit_rows(matrix({{1, 2, 2}, {2, -1, 2}})));
  assign(embedder.scaler.raw, numbers({0.9, 1.2}));
  return embedder;
}

TEST(SimbaV2Fixtures, F1Embedder) {
  for (const at::ScalarType type : kTypes) {
    nn::Parameters parameters(type);
    const nn::Embedder embedder = fixture_embedder(parameters);
    expect_near(embedder.dense.weight,
                {0.33333333, 0.66666667, 0.66666667, 0.66666667, -0.33333333, 0.66666667},
                tolerance(type));
    expect_near(embedder(matrix({{0.5, -1}}, type)), {0.38870051, 0.92136416}, tolerance(type));
  }
}

TEST(SimbaV2Fixtures, F2Block) {
  for (const at::ScalarType type : kTypes) {
    nn::Parameters parameters(type);
    const nn::Embedder embedder = fixture_embedder(parameters);
    at::Generator any = nn::make_generator(0, 0, at::kCPU);
    const nn::LerpBlock block(parameters, "block", {.width = 2, .blocks = 2}, &any);
    EXPECT_DOUBLE_EQ(block.scaler.gain, 1);
    assign(block.first.weight, matrix({{1, 0},
                                       {0, 1},
                                       {0.6, 0.8},
                                       {-0.6, 0.8},
                                       {0.8, -0.6},
                                       {-1, 0},
                                       {0, -1},
                                       {-0.8, -0.6}}));
    assign(block.second.weight,
           matrix({{1, 1, 1, 1, -1, -1, -1, -1}, {1, -1, 1, -1, 1, -1, 1, -1}}) / std::sqrt(8.0));
    expect_near(block.scaler.raw, std::vector<double>(8, 0.5), tolerance(type));  // as it starts
    assign(block.scaler.raw, 0.5 * numbers({1, 1.1, 0.9, 1, 1.2, 1, 0.8, 1}));
    expect_near(block.alpha.raw * block.alpha.gain, {1 / 3.0, 1 / 3.0}, tolerance(type));
    assign(block.alpha.raw, numbers({1 / std::sqrt(2.0), 0.8}));
    expect_near(block.alpha.raw * block.alpha.gain, {0.33333333, 0.37712362}, tolerance(type));

    const at::Tensor x = embedder(matrix({{0.5, -1}}, type)).detach().requires_grad_(true);
    const at::Tensor y = block(x);
    expect_near(y, {0.73866177, 0.67407625}, tolerance(type));

    const auto gradients = torch::autograd::grad(
        {y}, {x, block.alpha.raw, block.scaler.raw, block.first.weight, block.second.weight},
        {matrix({{1, -2}}, type)});
    const double within = tolerance(type);
    expect_near(gradients[0], {0.65970286, -1.00561254}, within, "input");
    expect_near(gradients[1], {0.51867453, 0.94824536}, within, "alpha");
    expect_near(gradients[2], {-0.20913011, 0.41228130, -0.52205072, 0.22546633, 0, 0, 0, 0},
                within, "scaler");
    expect_near(gradients[3].t().slice(1, 0, 4),
                {-0.10456506, 0.09566214, -0.09410855, 0.08696559, -0.24785791, 0.22675471,
                 -0.22307212, 0.20614065},
                within, "first");
    expect_near(gradients[4].select(1, 1), {-0.06489683, -0.70625602}, within, "second, row 1");
    expect_near(gradients[4].select(1, 3), {-0.03226405, -0.35112161}, within, "second, row 3");
  }
}

TEST(SimbaV2Fixtures, F3AdamProjectionAndTarget) {
  for (const at::ScalarType type : kTypes) {
    nn::Parameters parameters(type), target(type);
    const at::Tensor w = parameters.add("w", matrix({{0.6, 0.8}}), true);
    const at::Tensor slow = target.add("w", matrix({{0.6, 0.8}}), true);
    nn::Adam adam(parameters);
    adam.step({matrix({{0.5, -0.25}}, type)}, 0.1);
    expect_near(w, {0.48564293, 0.87415727}, tolerance(type));
    adam.step({matrix({{0.5, 0.75}}, type)}, 0.1, &target, 0.005);
    expect_near(w, {0.42357539, 0.90586086}, tolerance(type));
    expect_near(slow, {0.59911788, 0.80052930}, tolerance(type));
  }
}

TEST(SimbaV2Fixtures, F4RewardScale) {
  nn::ReturnScale scale(1, {.discount = 0.99});
  struct Row {
    float reward;
    std::uint8_t done;
    double g, mean, variance, count, largest, divisor;
  };
  for (const Row& row : {Row{1, 0, 1, 0.99990001, 0.00019997, 1.0001, 1, 0.2},
                         Row{2, 0, 2.99, 1.99490025, 0.99022448, 2.0001, 2.99, 0.99510024},
                         Row{-1, 0, 1.9601, 1.98330056, 0.66042977, 3.0001, 2.99, 0.81266831},
                         Row{4, 1, 4, 2.48746281, 1.25789062, 4.0001, 4, 1.12155723},
                         Row{0.5, 0, 4.46, 2.88196236, 1.62885266, 5.0001, 4.46, 1.27626513},
                         Row{3, 0, 7.4154, 3.63752271, 4.21179602, 6.0001, 7.4154, 2.05226607}}) {
    scale.update({&row.reward, 1}, {&row.done, 1});
    EXPECT_NEAR(scale.returns()[0], row.g, 1e-8);
    EXPECT_NEAR(scale.mean(), row.mean, 1e-8);
    EXPECT_NEAR(scale.variance(), row.variance, 1e-8);
    EXPECT_NEAR(scale.count(), row.count, 1e-9);
    EXPECT_NEAR(scale.largest(), row.largest, 1e-8);
    EXPECT_NEAR(std::max(std::sqrt(scale.variance() + 1e-8), scale.largest() / 5), row.divisor,
                1e-8);
  }
}

TEST(SimbaV2Fixtures, F5ObservationNormalizer) {
  nn::Moments moments(1, 1e-4, nn::Merge::exact);
  struct Row {
    double x, mean, variance, count, normalized;
  };
  for (const Row& row : {Row{2, 1.99980002, 0.00049991, 1.0001, 0.00894409},
                         Row{4, 2.99985001, 1.00044996, 2.0001, 0.99992505},
                         Row{-1, 1.66661111, 4.22220740, 3.0001, -1.29774661}}) {
    moments.update(matrix({{row.x}}));
    expect_near(moments.mean(), {row.mean}, 1e-8);
    expect_near(moments.variance(), {row.variance}, 1e-8);
    EXPECT_NEAR(moments.count(), row.count, 1e-9);
    // The table's first row divides by the variance as printed; eight digits of 0.0005 are five.
    expect_near((row.x - moments.mean()) / (moments.variance() + 1e-8).sqrt(), {row.normalized},
                1e-7);
  }
}

TEST(SimbaV2Fixtures, F6Projection) {
  for (const at::ScalarType type : kTypes) {
    const nn::Support support(-2, 2, 5, type);
    const at::Tensor p = matrix({{0.1, 0.2, 0.4, 0.2, 0.1}}, type);
    const at::Tensor logits = matrix({{0.2, -0.1, 0.4, 0, -0.3}}, type).requires_grad_(true);
    struct Row {
      double reward, terminated, entropy_term;
      std::vector<double> projected;
    };
    const std::vector<Row> rows{{0.3, 0, 0.1, {0.059, 0.179, 0.378, 0.262, 0.122}},
                                {1.0, 1, 0.1, {0, 0, 0, 1, 0}},
                                {5.0, 0, -0.2, {0, 0, 0, 0, 1}},
                                {-0.5, 0, 0.4, {0.252, 0.392, 0.254, 0.102, 0}}};
    std::vector<at::Tensor> projected;
    for (const Row& row : rows) {
      const double discount = 0.9 * (1 - row.terminated);
      projected.push_back(nn::project(support, p,
                                      numbers({row.reward - discount * row.entropy_term}, type),
                                      numbers({discount}, type)));
      expect_near(projected.back(), row.projected, tolerance(type));
      expect_near(projected.back().sum(), {1}, tolerance(type));
    }
    expect_near(nn::expectation(support, logits), {-0.16160205}, tolerance(type));
    expect_near(logits.log_softmax(-1),
                {-1.47875558, -1.77875558, -1.27875558, -1.67875558, -1.97875558}, tolerance(type));
    const at::Tensor first = nn::cross_entropy(logits.unsqueeze(0), projected[0].unsqueeze(0)).rows;
    expect_near(first, {1.57025558}, tolerance(type));
    expect_near(torch::autograd::grad({first.sum()}, {logits})[0],
                {0.16892114, -0.01015186, -0.09961649, -0.07539395, 0.01624116}, tolerance(type));
    const at::Tensor second =
        nn::cross_entropy(logits.unsqueeze(0), projected[1].unsqueeze(0)).rows;
    expect_near(second, {1.67875558}, tolerance(type));
    expect_near(torch::autograd::grad({second.sum()}, {logits})[0],
                {0.22792114, 0.16884814, 0.27838351, -0.81339395, 0.13824116}, tolerance(type));
  }
}

TEST(SimbaV2Fixtures, F7PolicyAndTemperature) {
  for (const at::ScalarType type : kTypes) {
    const at::Tensor log_std = nn::bounded(matrix({{-0.2, 0.1}}, type), -10, 2);
    expect_near(log_std, {-5.18425192, -3.40199203}, tolerance(type));
    const nn::PolicySample policy =
        nn::tanh_gaussian(matrix({{0.3, -1.2}}, type), log_std, matrix({{0.5, -1.5}}, type));
    expect_near(policy.action, {0.29387479, -0.84827250}, tolerance(type));
    expect_near(policy.log_prob, {6.86010589}, tolerance(type));
    const at::Tensor log_temperature =
        numbers({std::log(0.01)}, type).squeeze().requires_grad_(true);
    const at::Tensor loss = log_temperature.exp() * (-policy.log_prob.detach().mean() - (-0.5 * 2));
    expect_near(loss, {-0.05860106}, tolerance(type));
    expect_near(torch::autograd::grad({loss}, {log_temperature})[0], {-0.05860106},
                tolerance(type));
  }
}

TEST(SimbaV2Fixtures, F8Schedules) {
  EXPECT_DOUBLE_EQ(simbav2_discount(1000, 2), 0.99);
  EXPECT_DOUBLE_EQ(simbav2_discount(1000, 1), 0.995);
  EXPECT_DOUBLE_EQ(simbav2_discount(100, 2), 0.95);
  EXPECT_DOUBLE_EQ(nn::linear(1e-4, 5e-5, 0, 1e6), 1e-4);
  EXPECT_DOUBLE_EQ(nn::linear(1e-4, 5e-5, 500'000, 1e6), 7.5e-5);
  EXPECT_NEAR(nn::linear(1e-4, 5e-5, 990'001, 1e6), 5.049995e-5, 1e-15);
}

// Sizes of section 3.5.
TEST(SimbaV2, HasAsManyParametersAsThePublicCode) {
  at::Generator generator = nn::make_generator(1, 1, at::kCPU);
  const SimbaV2Settings walk;
  EXPECT_EQ(simbav2::Actor(walk, 51, 19, at::kFloat, &generator).parameters.count(), 176'422);
  EXPECT_EQ(simbav2::Critic(walk, 51, 19, at::kFloat, &generator).parameters.count(),
            2 * 4'550'757);
  SimbaV2Settings dog;
  dog.two_critics = false;
  EXPECT_EQ(simbav2::Actor(dog, 223, 38, at::kFloat, &generator).parameters.count(), 203'340);
  EXPECT_EQ(simbav2::Critic(dog, 223, 38, at::kFloat, &generator).parameters.count(), 4'648'549);
}

// Section 3.3: what an untrained network gives. The spread over initial weights is a few percent.
TEST(SimbaV2, StartsWhereThePublicCodeStarts) {
  at::Generator generator = nn::make_generator(1, 1, at::kCPU);
  const SimbaV2Settings settings;
  const simbav2::Actor actor(settings, 51, 19, at::kFloat, &generator);
  const simbav2::Critic critic(settings, 51, 19, at::kFloat, &generator);
  const at::NoGradGuard no_grad;
  const at::Tensor observation = at::randn({4096, 51}, generator);
  const at::Tensor features = actor.encoder(observation);
  EXPECT_NEAR(actor.mean(features).std().item<double>(), 0.095, 0.02);
  const at::Tensor log_std = nn::bounded(actor.log_std(features), -10, 2);
  EXPECT_NEAR(log_std.mean().item<double>(), -3.93, 0.15);
  EXPECT_NEAR(log_std.std().item<double>(), 0.52, 0.1);
  const at::Tensor action = at::rand({4096, 19}, generator) * 2 - 1;
  const at::Tensor logits = critic(observation, action);
  EXPECT_EQ(logits.sizes(), (std::vector<std::int64_t>{2, 4096, 101}));
  EXPECT_NEAR(logits.std().item<double>(), 0.044, 0.01);
  // Each critic from its own random numbers.
  EXPECT_FALSE(at::allclose(logits[0], logits[1], 1e-3, 1e-3));
  // Rows of every weight matrix are of length 1.
  for (const nn::Parameter& one : critic.parameters.all()) {
    if (!one.unit_rows) continue;
    EXPECT_TRUE(at::allclose(one.value.norm(2, -1), at::ones({}), 1e-5, 1e-6)) << one.name;
  }
}

// Two critics as one product are two critics.
TEST(SimbaV2, MembersDoNotMix) {
  at::Generator generator = nn::make_generator(2, 1, at::kCPU);
  SimbaV2Settings two, one;
  two.critic_width = one.critic_width = 16;
  one.two_critics = false;
  const simbav2::Critic both(two, 5, 3, at::kDouble, &generator);
  const simbav2::Critic single(one, 5, 3, at::kDouble, &generator);
  const at::Tensor observation = at::randn({7, 5}, generator, at::kDouble);
  const at::Tensor action = at::randn({7, 3}, generator, at::kDouble);
  const at::NoGradGuard no_grad;
  for (std::int64_t member = 0; member < 2; ++member) {
    for (std::size_t k = 0; k < single.parameters.all().size(); ++k) {
      const at::Tensor& to = single.parameters.all()[k].value;
      to.copy_(both.parameters.all()[k].value[member].view(to.sizes()));
    }
    EXPECT_TRUE(at::allclose(single(observation, action)[0], both(observation, action)[member],
                             1e-12, 1e-12));
  }
}

AgentShape shape_of(Index environments = 1) {
  return {.tasks = {{"dmc/small", 5, 3, 1000}}, .environments = environments};
}

std::unique_ptr<SimbaV2Config> small_config(const AgentShape& shape, const std::string& sampler) {
  auto config = agent_info("simbav2").config("laptop", shape);
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"critic_width", "16"},
                                                        {"actor_width", "8"},
                                                        {"batch_size", "32"},
                                                        {"sampler", sampler},
                                                        {"two_critics", "true"}})
    config->set(name, value);
  return std::unique_ptr<SimbaV2Config>(static_cast<SimbaV2Config*>(config.release()));
}

std::vector<float> actions_of(Agent& agent, const AgentShape& shape) {
  std::vector<float> observation(static_cast<std::size_t>(shape.observation()), 0.3F);
  std::vector<float> action(static_cast<std::size_t>(shape.action()));
  agent.act({observation}, action, Acting::evaluate);
  return action;
}

TEST(SimbaV2, SameSeedGivesSameUpdates) {
  const AgentShape shape = shape_of();
  std::vector<std::vector<float>> runs;
  for (const std::uint64_t seed : {1, 1, 2}) {
    ReplayBuffer buffer = testing::small_world(shape, "per", 200);
    auto agent = small_config(shape, "per")->make(shape, {buffer.reader(), {}}, {.seed = seed});
    agent->learn(5, 0.5);
    runs.push_back(actions_of(*agent, shape));
  }
  EXPECT_EQ(runs[0], runs[1]);
  EXPECT_NE(runs[0], runs[2]);
}

TEST(SimbaV2, LoadedAgentContinuesBitForBit) {
  const AgentShape shape = shape_of();
  const auto config = small_config(shape, "uniform");
  const std::vector<float> observation(5, 0.2F), reward(1, 0.5F);
  const std::vector<std::uint8_t> no(1, 0);
  const auto live = [&](Agent& agent) {
    agent.begin_step(observation);
    std::vector<float> action(3);
    agent.act({observation}, action, Acting::explore);
    agent.end_step({reward, no, no});
    agent.learn(2, 0.1);
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

  // Of another width: refused by name.
  auto other = small_config(shape, "uniform");
  other->set("critic_width", "24");
  ByteReader twice(saved.bytes());
  EXPECT_THROW(other->make(shape, {again.reader(), {}}, {})->load(twice), CorruptData);
}

TEST(SimbaV2, LearnsWithEverySampler) {
  const AgentShape shape = shape_of();
  std::vector<std::string> specs;
  for (const SamplerInfo* info : registered_samplers()) specs.emplace_back(info->name);
  for (const std::string& spec : specs) {
    ReplayBuffer buffer = testing::small_world(shape, spec, 200);
    auto agent = small_config(shape, spec)->make(shape, {buffer.reader(), {}}, {});
    const std::vector<float> before = actions_of(*agent, shape);
    agent->learn(3, 0.5);
    EXPECT_NE(actions_of(*agent, shape), before) << spec;
    EXPECT_GT(agent->take_metrics().at("critic_loss"), 0) << spec;
  }
}

// The value of a world in which every step pays 1 and nothing ends early is known.
TEST(SimbaV2, LearnsValueOfSmallWorld) {
  at::Generator generator = nn::make_generator(5, 1, at::kCPU);
  SimbaV2Settings settings;
  settings.critic_width = settings.actor_width = 32;
  settings.learning_rate = settings.learning_rate_end = 3e-3;
  settings.tau = 0.05;
  settings.temperature = 1e-6;
  simbav2::Networks networks(settings, 2, 1, 1e6, at::kFloat, generator);
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
  const nn::Support support(-5, 5, 101, at::kFloat);
  const double value = nn::expectation(support, networks.critic(batch.observation, batch.action))
                           .mean()
                           .item<double>();
  EXPECT_NEAR(value, 0.5 / (1 - 0.8), 0.15);
}

TEST(SimbaV2, NonFiniteLossThrowsDiverged) {
  const AgentShape shape = shape_of();
  ReplayBuffer buffer = testing::small_world(shape, "uniform", 200);
  auto config = small_config(shape, "uniform");
  config->set("learning_rate", "1e30");
  auto agent = config->make(shape, {buffer.reader(), {}}, {});
  EXPECT_THROW(agent->learn(50, 0), Diverged);
}

TEST(SimbaV2, RejectsInvalidSettings) {
  AgentShape two = shape_of();
  two.tasks.push_back(two.tasks.front());
  EXPECT_THROW(small_config(shape_of(), "uniform")->check(two), InvalidArgument);
  EXPECT_THROW(agent_info("simbav2").config("huge", shape_of()), NotFound);
  EXPECT_THROW(agent_info("simba"), NotFound);
  auto config = small_config(shape_of(), "uniform");
  EXPECT_THROW(config->set("critic_widht", "3"), NotFound);
  EXPECT_THROW(config->set("critic_width", "wide"), InvalidArgument);
  EXPECT_THROW(config->set("critic_width", "1.5"), InvalidArgument);
  config->set("utd", "1/16");
  EXPECT_EQ(config->run.utd, 1.0 / 16);
  config->set("utd", "0");
  EXPECT_THROW(config->check(shape_of()), InvalidArgument);
}

}  // namespace
}  // namespace mneme
