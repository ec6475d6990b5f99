// tests/agents/brc_parity_test.cpp - a hundred updates of the public BRC, number by number.
//
// fixtures/brc.json was recorded by fixtures/record_brc.py from the original's own update functions
// (JAX, double precision), with three tasks and with one: with the same weights, batches and noise,
// ours must give the same losses and end at the same weights.
#include "agents/brc/learner.h"
#include "agents/nn/layers/initial.h"
#include "agents/waves.h"

namespace mneme {
namespace {

constexpr std::int64_t kObservation = 5, kAction = 3, kBatch = 8;

// The original's name of a parameter in our words. Its critics are one tensor, ours are two.
std::vector<std::pair<std::string, std::int64_t>> ours(const std::string& recorded) {
  std::string name = testing::in_our_words(recorded, {{"task_embedding/embeddings/", ""},
                                                      {"q_value_ensemble/", ""},
                                                      {"LayerNorm_0/bias", "Dense_0/shift"},
                                                      {"LayerNorm_1/bias", "Dense_1/shift"},
                                                      {"LayerNorm_", "Dense_"},
                                                      {"kernel", "weight"},
                                                      {"BronetBlock_", "block"}});
  if (name.find("block") != std::string::npos)
    name = testing::in_our_words(name, {{"Dense_0", "first"}, {"Dense_1", "second"}});
  name = testing::in_our_words(name, {{"critic/Dense_0", "critic/stem"},
                                      {"critic/Dense_1", "critic/head"},
                                      {"BroNet_0/Dense_0", "trunk/stem"},
                                      {"BroNet_0", "trunk"},
                                      {"Dense_0", "mean"},
                                      {"Dense_1", "log_std"},
                                      {"/", "."}});
  const std::string member = "critic.";
  if (name.rfind(member, 0) != 0) return {{name, -1}};
  return {{"member0." + name.substr(member.size()), 0},
          {"member1." + name.substr(member.size()), 1}};
}

testing::Distances replay(const test::JsonValue& recorded, BrcSettings settings) {
  const auto tasks = static_cast<std::int64_t>(recorded["tasks"].number);
  settings.actor_width = settings.critic_width = 32;
  settings.num_atoms = 21;
  settings.task_embedding_dim = 4;
  settings.learning_rate = settings.temperature_learning_rate = 3e-4;
  at::Generator any = nn::make_generator(0, 0, at::kCPU);
  brc::Networks networks(settings, {tasks, kObservation, kAction}, at::kDouble, any);
  testing::set_waves(networks.actor.parameters, recorded["actor"], 1, 0.2, ours);
  testing::set_waves(networks.critic.parameters, recorded["critic"], 101, 0.2, ours);
  networks.target.parameters.copy_from(networks.critic.parameters);
  testing::Distances found;
  found.losses = testing::farthest_loss(
      recorded, kBatch, kObservation, kAction, tasks,
      [&](const TrainingBatch& batch, const at::Tensor& noise, const at::Tensor& next_noise) {
        return networks.update(batch, batch, next_noise, noise);
      });
  found.weights =
      std::max({testing::farthest(networks.actor.parameters, recorded["actor"], ours),
                testing::farthest(networks.critic.parameters, recorded["critic"], ours),
                testing::farthest(networks.target.parameters, recorded["target"], ours)});
  return found;
}

// What is left is the rounding of sums taken in another order, which a hundred updates magnify.
TEST(BrcParity, HundredUpdatesEqualTheOriginal) {
  const test::JsonValue runs = testing::recorded_runs("brc.json");
  ASSERT_EQ(runs["cases"].size(), 2U);
  for (const auto& run : runs["cases"].members) {
    const testing::Distances found = replay(run.second, {});
    EXPECT_LT(found.losses, 1e-5);
    EXPECT_LT(found.weights, 1e-6);
  }
}

// A small departure would have been seen.
TEST(BrcParity, DetectsASmallDifference) {
  const test::JsonValue runs = testing::recorded_runs("brc.json");
  BrcSettings slower, lighter;
  slower.tau = 0.0049;
  lighter.weight_decay = 0;
  for (const BrcSettings& settings : {slower, lighter})
    EXPECT_GT(replay(runs["cases"][std::size_t{0}], settings).weights, 2e-5);
}

}  // namespace
}  // namespace mneme
