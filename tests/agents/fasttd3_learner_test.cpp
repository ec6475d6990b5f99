// tests/agents/fasttd3_learner_test.cpp - FastTD3 in a small world: what is updated when, which
// noise is drawn anew, what a loaded agent continues with, every sampler, presets, exported policies.
#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/serialization/import.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "agents/fasttd3/learner.h"
#include "agents/fasttd3/tasks.h"
#include "agents/nn/io/tensors.h"
#include "mneme/replay_buffer.h"
#include "mneme/rng.h"
#include "support/failing_disk.h"

namespace mneme::fasttd3 {
namespace {

using Adjust = std::function<void(FastTD3Config&)>;

constexpr Index kObservation = 5, kAction = 2;

AgentShape shape_of(std::size_t tasks, Index environments) {
  AgentShape shape{.tasks = {}, .environments = environments};
  for (std::size_t t = 0; t < tasks; ++t)
    shape.tasks.push_back({.name = "dmc/task" + std::to_string(t),
                           .observation = kObservation,
                           .action = kAction,
                           .horizon = 1000});
  return shape;
}

FastTD3Config small_config(const AgentShape& shape, const Adjust& adjust) {
  auto made = agent_info("fasttd3").config("laptop", shape);
  auto config = dynamic_cast<FastTD3Config&>(*made);
  config.own.critic_width = config.own.actor_width = 16;
  config.own.num_atoms = 11;
  config.run.batch_size = 32;
  config.run.capacity = 40;
  config.run.steps = 100;
  if (adjust) adjust(config);
  return config;
}

// Points that drift, and are pushed by actions.
class World {
 public:
  explicit World(const Adjust& adjust = {}, std::size_t tasks = 1, Index environments = 16,
                 std::uint64_t seed = 5)
      : shape(shape_of(tasks, environments)),
        config(small_config(shape, adjust)),
        buffer({.observation = {kObservation},
                .action = {kAction},
                .capacity = config.run.capacity,
                .streams = shape.streams(),
                .sampler = config.run.sampler,
                .stream_policy = config.run.stream_policy,
                .n_step = config.run.n_step,
                .discount = config.run.discount,
                .horizon = Horizon::clip,
                .seed = seed}),
        rng(seed, 1) {
    at::set_num_threads(1);
    make_agent(seed);
    for (float& one : observations) one = random();
  }

  // The same world, agent and buffer, through files and bytes.
  World(const World& from, const std::filesystem::path& path,
        std::span<const std::byte> agent_bytes)
      : shape(from.shape),
        config(from.config),
        buffer(ReplayBuffer::load(path.string())),
        rng(from.rng),
        observations(from.observations) {
    make_agent(999);
    ByteReader in(agent_bytes);
    learner().load(in);
    EXPECT_EQ(in.left(), 0U);
  }

  Learner& learner() { return dynamic_cast<Learner&>(*agent); }

  void step(Index updates) {
    const auto streams = static_cast<std::size_t>(shape.streams());
    std::vector<float> actions(streams * kAction), rewards(streams);
    std::vector<std::int32_t> tasks(streams);
    for (std::size_t e = 0; e < streams; ++e)
      tasks[e] = static_cast<std::int32_t>(e / static_cast<std::size_t>(shape.environments));
    agent->begin_step(observations);
    agent->act({observations, tasks}, actions, Acting::explore);
    std::vector<float> next = observations;
    std::vector<std::uint8_t> terminated(streams), truncated(streams);
    for (std::size_t e = 0; e < streams; ++e) {
      for (std::size_t k = 0; k < kObservation; ++k)
        next[e * kObservation + k] =
            0.9f * next[e * kObservation + k] + 0.1f * random() + 0.1f * actions[e * kAction];
      rewards[e] = 1 - std::abs(next[e * kObservation]);
      terminated[e] = rng.below(20) == 0;
      truncated[e] = rng.below(20) == 0;
    }
    buffer.add_all({.observation = observations,
                    .action = actions,
                    .reward = rewards,
                    .next_observation = next,
                    .terminated = terminated,
                    .truncated = truncated});
    for (std::size_t e = 0; e < streams; ++e) {
      if (terminated[e] == 0 && truncated[e] == 0) continue;
      for (std::size_t k = 0; k < kObservation; ++k) next[e * kObservation + k] = random();
    }
    observations = next;
    agent->end_step({rewards, terminated, truncated});
    if (updates > 0) agent->learn(updates, 0.5);
  }

  std::vector<std::byte> bytes() const {
    ByteWriter out;
    agent->save(out);
    return out.bytes();
  }

  std::vector<float> act(Acting how) {
    std::vector<float> actions(static_cast<std::size_t>(shape.streams() * kAction));
    agent->act({observations}, actions, how);
    return actions;
  }

  std::vector<float> scales() {
    const at::Tensor now = learner().noise_scales();
    return {now.const_data_ptr<float>(), now.const_data_ptr<float>() + now.numel()};
  }

  float random() { return static_cast<float>(rng.uniform() * 2 - 1); }

  AgentShape shape;
  FastTD3Config config;
  ReplayBuffer buffer;
  Rng rng;
  std::vector<float> observations =
      std::vector<float>(static_cast<std::size_t>(shape.streams() * kObservation));
  std::unique_ptr<Agent> agent;

 private:
  void make_agent(std::uint64_t seed) {
    AgentReaders readers{.critic = buffer.reader(), .actor = {}};
    if (!config.run.actor_sampler.empty())
      readers.actor = buffer.add_reader(
          "actor", {.sampler = config.run.actor_sampler, .stream_policy = "equal_share"});
    agent = config.make(shape, readers, {.seed = seed});
  }
};

// Whether each learn() call that follows moves the actor.
std::vector<bool> policy_updates(World& world, std::vector<Index> updates) {
  world.step(0);
  std::vector<bool> moved;
  for (const Index count : updates) {
    world.agent->take_metrics();
    world.step(count);
    const Metrics metrics = world.agent->take_metrics();
    EXPECT_TRUE(metrics.contains("critic_loss"));
    moved.push_back(metrics.contains("actor_loss"));
  }
  return moved;
}

TEST(FastTD3Learner, ActorLearnsEverySecondUpdate) {
  using Which = std::vector<bool>;
  World usual;
  EXPECT_EQ(policy_updates(usual, {2, 2, 2}), (Which{true, true, true}));
  World single([](auto& c) { c.run.utd = 1; });
  // The first call is that of step 1; even steps have their turn.
  EXPECT_EQ(policy_updates(single, {1, 1, 1, 1}), (Which{false, true, false, true}));
  World each([](auto& c) { c.own.policy_delay = 1; });
  EXPECT_EQ(policy_updates(each, {2, 1}), (Which{true, true})) << "the public code never does";
  World rare([](auto& c) { c.own.policy_delay = 3; });
  EXPECT_EQ(policy_updates(rare, {2, 2, 2}), (Which{false, true, true}));
  World half([](auto& c) { c.run.utd = 0.5; });
  EXPECT_EQ(policy_updates(half, {1, 1, 1, 1}), (Which{false, true, false, true}));
}

TEST(FastTD3Learner, NoiseScaleIsDrawnPerEpisode) {
  World world([](auto& c) {
    c.own.std_min = 0.2;
    c.own.std_max = 0.6;
  });
  const std::vector<float> first = world.scales();
  for (const float one : first) {
    EXPECT_GE(one, 0.2f);
    EXPECT_LE(one, 0.6f);
  }
  EXPECT_NE(first[0], first[1]);
  world.act(Acting::explore);
  EXPECT_EQ(world.scales(), first) << "no step has been taken";

  std::vector<float> rewards(16, 0.0f);
  std::vector<std::uint8_t> none(16, 0), terminated(16, 0), truncated(16, 0);
  terminated[3] = 1;
  truncated[7] = 1;
  world.agent->end_step({rewards, terminated, truncated});
  world.act(Acting::evaluate);
  EXPECT_EQ(world.scales(), first) << "evaluation does not explore";
  world.act(Acting::explore);
  const std::vector<float> second = world.scales();
  for (std::size_t e = 0; e < 16; ++e) EXPECT_EQ(second[e] != first[e], e == 3 || e == 7) << e;
  world.act(Acting::explore);
  EXPECT_EQ(world.scales(), second) << "once per episode";
  world.agent->end_step({rewards, none, none});
  world.act(Acting::explore);
  EXPECT_EQ(world.scales(), second) << "the episodes continue";
}

TEST(FastTD3Learner, ActionsExceedBoundsUnlessClamped) {
  const auto wide = [](auto& c) { c.own.std_min = c.own.std_max = 3; };
  World raw(wide);
  World clamped([&](auto& c) {
    wide(c);
    c.own.clamp_actions = true;
  });
  World silent([](auto& c) { c.own.std_min = c.own.std_max = 0; });
  const auto largest = [](const std::vector<float>& actions) {
    float most = 0;
    for (const float one : actions) most = std::max(most, std::abs(one));
    return most;
  };
  EXPECT_GT(largest(raw.act(Acting::explore)), 2);
  EXPECT_EQ(largest(clamped.act(Acting::explore)), 1);
  EXPECT_LT(largest(raw.act(Acting::evaluate)), 0.1) << "the first policy does next to nothing";
  EXPECT_EQ(silent.act(Acting::explore), silent.act(Acting::evaluate));
}

TEST(FastTD3Learner, StatisticsCountConfiguredRows) {
  const auto seen_after = [](const Adjust& adjust) {
    World world(adjust);
    world.step(0);
    world.act(Acting::evaluate);
    EXPECT_EQ(world.learner().observations().moments().count(),
              world.config.own.normalize_observations ? 16 : 0);
    world.step(2);
    return world.learner().observations().moments().count();
  };
  EXPECT_EQ(seen_after({}), 2 * 16 + 2 * 2 * 32);
  EXPECT_EQ(seen_after([](auto& c) { c.own.normalize_from_replay = false; }), 2 * 16);
  EXPECT_EQ(seen_after([](auto& c) { c.own.normalize_observations = false; }), 0);
}

TEST(FastTD3Learner, LearningRatesFollowRunSteps) {
  // At the end of the run the rate is 0: nothing but the targets moves any more.
  World world([](auto& c) {
    c.run.steps = 4;
    c.own.critic_learning_rate_end = c.own.actor_learning_rate_end = 0;
  });
  for (int k = 0; k < 4; ++k) world.step(2);
  const at::Tensor before = world.learner().networks().critics.parameters.values()[0].clone();
  const at::Tensor target = world.learner().networks().target.parameters.values()[0].clone();
  world.step(2);
  EXPECT_TRUE(world.learner().networks().critics.parameters.values()[0].equal(before));
  EXPECT_FALSE(world.learner().networks().target.parameters.values()[0].equal(target));
}

TEST(FastTD3Learner, SameSeedGivesSameUpdates) {
  World one, two, other({}, 1, 16, 6);
  for (World* world : {&one, &two, &other})
    for (int k = 0; k < 5; ++k) world->step(2);
  EXPECT_EQ(one.bytes(), two.bytes());
  EXPECT_NE(one.bytes(), other.bytes());
}

struct Kind {
  const char* name;
  std::size_t tasks;
  Adjust adjust;
};

class FastTD3Kinds : public ::testing::TestWithParam<Kind> {};

INSTANTIATE_TEST_SUITE_P(
    All, FastTD3Kinds,
    ::testing::Values(
        Kind{"Usual", 1, {}}, Kind{"Prioritized", 1, [](auto& c) { c.run.sampler = "per"; }},
        Kind{"SimNorm", 1, [](auto& c) { c.own.sim_type = "both"; }},
        Kind{"SimbaV2", 1, [](auto& c) { c.own.network = "simbav2"; }},
        Kind{"NoStatistics", 1, [](auto& c) { c.own.normalize_observations = false; }},
        Kind{"Tasks", 3, {}}, Kind{"TasksSimbaV2", 2, [](auto& c) { c.own.network = "simbav2"; }}),
    [](const auto& one) { return std::string(one.param.name); });

TEST_P(FastTD3Kinds, LoadedAgentContinuesBitForBit) {
  const testing::TemporaryDirectory directory;
  World world(GetParam().adjust, GetParam().tasks, 4);
  for (int k = 0; k < 4; ++k) world.step(2);
  world.buffer.save((directory / "buffer").string());
  const std::vector<std::byte> saved = world.bytes();
  World again(world, directory / "buffer", saved);
  EXPECT_EQ(again.bytes(), saved);
  for (int k = 0; k < 4; ++k) {
    world.step(2);
    again.step(2);
  }
  EXPECT_EQ(again.bytes(), world.bytes());
  EXPECT_NE(world.bytes(), saved);
  EXPECT_EQ(again.agent->take_metrics().size(), world.agent->take_metrics().size());
}

TEST_P(FastTD3Kinds, ExportedPolicyActsAsTheAgent) {
  const testing::TemporaryDirectory directory;
  World world(GetParam().adjust, GetParam().tasks, 4);
  for (int k = 0; k < 4; ++k) world.step(2);
  const std::string path = (directory / "policy.pt").string();
  world.agent->export_policy(path);
  torch::jit::Module policy = torch::jit::load(path);
  std::vector<torch::jit::IValue> inputs{nn::rows_of(world.observations, kObservation)};
  std::vector<std::int32_t> tasks(static_cast<std::size_t>(world.shape.streams()));
  at::Tensor numbers = at::zeros({world.shape.streams()}, at::kLong);
  for (std::size_t e = 0; e < tasks.size(); ++e) {
    tasks[e] = static_cast<std::int32_t>(e / 4);
    numbers[static_cast<std::int64_t>(e)] = tasks[e];
  }
  if (GetParam().tasks > 1) inputs.emplace_back(numbers);
  std::vector<float> actions(tasks.size() * kAction);
  world.agent->act({world.observations, tasks}, actions, Acting::evaluate);
  const at::Tensor found = policy.forward(inputs).toTensor();
  EXPECT_TRUE(at::allclose(found, nn::rows_of(actions, kAction), 0, 1e-6));
  EXPECT_GT(found.abs().max().item<double>(), 1e-4);
}

TEST(FastTD3Learner, StateOfAnotherAgentIsRefused) {
  World world, wide({}, 1, 8), deep([](auto& c) { c.own.num_atoms = 12; });
  world.step(2);
  const std::vector<std::byte> saved = world.bytes();
  for (World* other : {&wide, &deep}) {
    ByteReader in(saved);
    EXPECT_THROW(other->agent->load(in), CorruptData);
  }
  ByteReader cut{std::span(saved).first(saved.size() - 1)};
  EXPECT_THROW(world.agent->load(cut), CorruptData);
}

TEST(FastTD3Learner, LearnsWithEverySampler) {
  std::vector<std::string> specs;
  for (const SamplerInfo* info : registered_samplers())
    for (const std::string_view example : info->examples) specs.emplace_back(example);
  EXPECT_GT(specs.size(), 10U);
  for (const std::string& spec : specs) {
    SCOPED_TRACE(spec);
    World world([&](auto& c) { c.run.sampler = spec; });
    for (int k = 0; k < 3; ++k) world.step(0);
    for (int k = 0; k < 3; ++k) world.step(2);
    const Metrics metrics = world.agent->take_metrics();
    EXPECT_GT(metrics.at("critic_loss"), 0);
    EXPECT_TRUE(metrics.contains("actor_loss"));
  }
}

TEST(FastTD3Learner, ActorSamplerChangesActorBatchesOnly) {
  const auto actor_after = [](const std::string& sampler) {
    World world([&](auto& c) {
      c.run.actor_sampler = sampler;
      c.own.critic_learning_rate = c.own.critic_learning_rate_end = 0;
    });
    for (int k = 0; k < 6; ++k) world.step(2);
    // Critics see the same batches whatever the actor sees, and so do the statistics.
    return std::pair{world.learner().networks().actor.parameters.values()[0].clone(),
                     world.learner().observations().moments().count()};
  };
  const auto shared = actor_after(""), own = actor_after("truncated_geometric:alpha=10");
  EXPECT_FALSE(shared.first.equal(own.first));
  EXPECT_EQ(shared.second, own.second);
}

TEST(FastTD3Learner, ImportanceWeightsAndTdErrorsAreUsed) {
  for (const char* priority : {"value", "cross_entropy"}) {
    World world([&](auto& c) {
      c.run.sampler = "per";
      c.own.priority = priority;
    });
    for (int k = 0; k < 3; ++k) world.step(0);
    Batch before = world.buffer.make_batch(256), after = world.buffer.make_batch(256);
    world.buffer.sample(before);
    for (int k = 0; k < 3; ++k) world.agent->learn(2, 1.0);
    world.buffer.sample(after);
    const auto spread = [](const std::vector<float>& weights) {
      return *std::max_element(weights.begin(), weights.end()) -
             *std::min_element(weights.begin(), weights.end());
    };
    EXPECT_EQ(spread(before.weight), 0) << "all rows are new";
    EXPECT_GT(spread(after.weight), 0) << priority;
  }
}

// Episodes of one step whose best action is (0.5, -0.5), learned from random actions.
TEST(FastTD3Learner, LearnsBestAction) {
  World world([](auto& c) {
    c.own.critic_learning_rate = c.own.critic_learning_rate_end = 3e-3;
    c.own.actor_learning_rate = c.own.actor_learning_rate_end = 3e-4;
    c.own.v_min = -4;
    c.own.v_max = 2;
    c.own.num_atoms = 31;
    c.own.critic_width = c.own.actor_width = 64;
    c.run.batch_size = 128;
    c.run.n_step = 1;
  });
  std::vector<float> actions(32), rewards(16);
  const std::vector<std::uint8_t> terminated(16, 1);
  const auto reward_of = [](const std::vector<float>& all, std::size_t e) {
    const float right = all[2 * e] - 0.5f, up = all[2 * e + 1] + 0.5f;
    return 1 - right * right - up * up;
  };
  for (int k = 0; k < 40; ++k) {
    for (float& one : actions) one = world.random();
    for (std::size_t e = 0; e < 16; ++e) rewards[e] = reward_of(actions, e);
    world.buffer.add_all({.observation = world.observations,
                          .action = actions,
                          .reward = rewards,
                          .next_observation = world.observations,
                          .terminated = terminated});
  }
  world.agent->begin_step(world.observations);
  const auto mean_reward = [&] {
    const std::vector<float> found = world.act(Acting::evaluate);
    double sum = 0;
    for (std::size_t e = 0; e < 16; ++e) sum += static_cast<double>(reward_of(found, e));
    return sum / 16;
  };
  EXPECT_NEAR(mean_reward(), 0.5, 0.05) << "the first policy does nothing";
  for (int k = 0; k < 250; ++k) world.agent->learn(2, 0.5);
  EXPECT_GT(mean_reward(), 0.85);
}

TEST(FastTD3Learner, NonFiniteLossThrowsDiverged) {
  World world([](auto& c) { c.own.normalize_observations = false; });
  for (float& one : world.observations) one = 3e38f;
  for (int k = 0; k < 2; ++k) {
    std::vector<float> actions(32, 0.0f), rewards(16, 0.0f);
    world.buffer.add_all({.observation = world.observations,
                          .action = actions,
                          .reward = rewards,
                          .next_observation = world.observations});
  }
  try {
    world.agent->learn(2, 0);
    FAIL() << "no error";
  } catch (const Diverged& error) {
    EXPECT_NE(std::string(error.what()).find("critic_loss is "), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("update 1"), std::string::npos) << error.what();
  }
  EXPECT_THROW(world.act(Acting::evaluate), Diverged);
}

FastTD3Config preset(const char* name, const char* task, std::size_t tasks = 1) {
  AgentShape shape;
  for (std::size_t t = 0; t < tasks; ++t)
    shape.tasks.push_back({.name = task, .observation = 3, .action = 2, .horizon = 1000});
  return dynamic_cast<FastTD3Config&>(*agent_info("fasttd3").config(name, shape));
}

TEST(FastTD3Presets, EqualThePublishedTable) {
  const FastTD3Config walk = preset("upstream", "hb/h1hand-walk");
  EXPECT_EQ(walk.run.num_envs, 128);
  EXPECT_EQ(walk.run.batch_size, 32'768);
  EXPECT_EQ(walk.run.capacity, 51'200);
  EXPECT_EQ(walk.run.utd, 2);
  EXPECT_EQ(walk.run.steps, 100'000);
  EXPECT_EQ(walk.run.n_step, 1);
  EXPECT_EQ(walk.own.v_max, 250);
  EXPECT_EQ(walk.own.critic_learning_rate_end, 3e-4);
  EXPECT_EQ(walk.own.merge, "reference");
  EXPECT_FALSE(walk.own.normalize_rewards);
  EXPECT_EQ(preset("upstream", "hb/h1hand-push:limit=500").run.steps, 1'000'000);
  EXPECT_EQ(preset("upstream", "hb/h1hand-push").own.v_min, -1'000);
  EXPECT_EQ(preset("upstream", "hb/h1-push").own.v_min, -250) << "without hands: the suite's";
  EXPECT_EQ(preset("paper", "hb/h1hand-push").run.steps, 100'000);
  EXPECT_EQ(preset("paper", "hb/h1hand-push").own.actor_learning_rate_end, 3e-5);

  const FastTD3Config rough = preset("upstream", "isaac/Velocity-Rough-G1");
  EXPECT_EQ(rough.run.num_envs, 4096);
  EXPECT_EQ(rough.run.n_step, 8);
  EXPECT_EQ(rough.run.utd, 4);
  EXPECT_EQ(rough.run.capacity, 5'120);
  EXPECT_EQ(rough.own.num_atoms, 251);
  EXPECT_EQ(preset("paper", "isaac/Velocity-Rough-G1").run.num_envs, 2048);
  const FastTD3Config lift = preset("upstream", "isaac/Lift-Cube-Franka");
  EXPECT_FALSE(lift.run.bootstrap_truncated);
  EXPECT_EQ(lift.own.std_max, 0.8);
  const FastTD3Config leap = preset("upstream", "playground/LeapCubeReorient");
  EXPECT_FALSE(leap.own.clipped_double_q);
  EXPECT_EQ(leap.run.discount, 0.99);
  EXPECT_EQ(preset("upstream", "playground/Anything").run.discount, 0.97);
  EXPECT_EQ(preset("upstream", "dmc/cheetah-run").own.v_max, 500);
  EXPECT_EQ(preset("upstream", "dmc/cheetah-run").run.n_step, 3);

  const FastTD3Config many = preset("upstream", "metaworld/reach", 50);
  EXPECT_TRUE(many.own.normalize_rewards);
  EXPECT_EQ(many.run.num_envs, 8192 / 50);
  EXPECT_EQ(many.run.discount, 0.99);
  EXPECT_EQ(preset("upstream", "metaworld/reach", 10).run.discount, 0.97);
  EXPECT_EQ(preset("laptop", "dmc/walker-walk", 4).run.num_envs, 16);
  EXPECT_EQ(preset("laptop", "dmc/walker-walk").run.num_envs, 64);
  EXPECT_THROW(preset("desktop", "dmc/walker-walk"), NotFound);
}

TEST(FastTD3Presets, FindTaskByEveryName) {
  for (const char* name : {"hb/h1hand-push", "hb/h1hand-push_fixed", "hb/h1hand-push:model=suite",
                           "humanoid_bench/h1hand-push", "humanoid_bench/h1hand-push-v0:limit=9"}) {
    EXPECT_EQ(preset("upstream", name).own.v_max, 1'000) << name;
    EXPECT_EQ(preset("upstream", name).run.capacity, 51'200) << name;
  }
  EXPECT_EQ(preset("upstream", "dm_control/cheetah-run").own.v_max, 500);
  EXPECT_EQ(preset("laptop", "dm_control/cheetah-run").run.discount, 0.99);
  EXPECT_EQ(preset("upstream", "gym/push-v0").own.v_max, 10) << "another suite's";
}

TEST(FastTD3Presets, AreSmallerForHumanoids) {
  for (const char* name : {"hb/h1hand-stand", "hb/h1-sit_hard", "humanoid_bench/h1-walk-v0"}) {
    const FastTD3Config small = preset("laptop", name);
    EXPECT_EQ(small.own.network, "simbav2") << name;
    EXPECT_EQ(small.run.num_envs, 32) << name;
    EXPECT_EQ(small.own.v_min, -10) << name;
    EXPECT_EQ(small.own.v_max, 100) << name;
  }
  EXPECT_EQ(preset("laptop", "hb/h1hand-maze").own.v_max, 1'000) << "a checkpoint pays hundreds";
  const FastTD3Config four = preset("laptop", "hb/h1hand-stand", 4);
  EXPECT_EQ(four.run.num_envs, 8);
  EXPECT_EQ(four.own.v_max, 10) << "rewards are normalized";
  EXPECT_EQ(preset("paper", "hb/h1hand-stand").own.network, "mlp");
}

TEST(FastTD3Presets, RejectsInvalidSettings) {
  const AgentShape shape = shape_of(1, 2);
  for (const auto& [name, value] :
       std::vector<std::pair<const char*, const char*>>{{"network", "gru"},
                                                        {"sim_type", "all"},
                                                        {"merge", "chan"},
                                                        {"priority", "rank"},
                                                        {"critic_width", "2"},
                                                        {"policy_delay", "0"},
                                                        {"num_atoms", "1"},
                                                        {"std_max", "0.01"},
                                                        {"v_min", "250"},
                                                        {"tau", "0"},
                                                        {"weight_decay", "-1"}}) {
    auto config = agent_info("fasttd3").config("laptop", shape);
    config->check(shape);
    config->set(name, value);
    try {
      config->check(shape);
      ADD_FAILURE() << name << "=" << value << " was accepted";
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    }
  }
  auto both = agent_info("fasttd3").config("laptop", shape);
  both->set("network", "simbav2");
  both->set("sim_type", "actor");
  EXPECT_THROW(both->check(shape), InvalidArgument);
  EXPECT_THROW(both->check({}), InvalidArgument);
}

}  // namespace
}  // namespace mneme::fasttd3
