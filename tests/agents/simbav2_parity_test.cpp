// tests/agents/simbav2_parity_test.cpp - a hundred updates of the public SimbaV2, number by number.
//
// fixtures/simbav2.json was recorded by fixtures/record_simbav2.py from the original's own update
// functions (JAX, double precision): with the same weights, batches and noise, ours must give the
// same losses and end at the same weights.
#include "agents/nn/layers/initial.h"
#include "agents/simbav2/learner.h"
#include "agents/waves.h"

namespace mneme {
namespace {

constexpr std::int64_t kObservation = 5, kAction = 3, kBatch = 8;

// The original's name of a parameter in our words. Both critics are one tensor in both.
std::vector<std::pair<std::string, std::int64_t>> ours(const std::string& name) {
  return {{testing::in_our_words(name, {{"VmapSimbaV2Critic_0/", ""},
                                        {"/hyper_dense/kernel", ""},
                                        {"scaler/scaler", "scaler"},
                                        {"encoder/layers_", "encoder.block"},
                                        {"/mlp/w1", ".first"},
                                        {"/mlp/w2", ".second"},
                                        {"/mlp/scaler", ".scaler"},
                                        {"/alpha_scaler", ".alpha"},
                                        {"embedder/w", "encoder.embedder.dense"},
                                        {"embedder/scaler", "encoder.embedder.scaler"},
                                        {"predictor/mean_", "mean."},
                                        {"predictor/std_", "log_std."},
                                        {"predictor/value_", "head."},
                                        {"predictor/", "head."},
                                        {".w1", ".first"},
                                        {".w2", ".second"}}),
           -1}};
}

// The recorded run again, with these settings.
testing::Distances replay(const test::JsonValue& recorded, SimbaV2Settings settings) {
  settings.two_critics = recorded["two_critics"].boolean;
  settings.actor_width = settings.critic_width = 8;
  settings.num_atoms = 21;
  settings.learning_rate = 1e-3;
  settings.learning_rate_end = 5e-4;
  at::Generator any = nn::make_generator(0, 0, at::kCPU);
  simbav2::Networks networks(settings, kObservation, kAction, 100, at::kDouble, any);
  testing::set_waves(networks.actor.parameters, recorded["actor"], 1, 1, ours);
  testing::set_waves(networks.critic.parameters, recorded["critic"], 101, 1, ours);
  networks.target.parameters.copy_from(networks.critic.parameters);
  testing::Distances found;
  found.losses = testing::farthest_loss(
      recorded, kBatch, kObservation, kAction, 1,
      [&](const TrainingBatch& batch, const at::Tensor& noise, const at::Tensor& next_noise) {
        return networks.update(batch, batch, noise, next_noise);
      });
  found.weights =
      std::max({testing::farthest(networks.actor.parameters, recorded["actor"], ours),
                testing::farthest(networks.critic.parameters, recorded["critic"], ours),
                testing::farthest(networks.target.parameters, recorded["target"], ours)});
  return found;
}

// The original's optimizer has its rates in single precision, 6e-8 off; a millionth is left of that
// after a hundred updates.
TEST(SimbaV2Parity, HundredUpdatesEqualTheOriginal) {
  const test::JsonValue runs = testing::recorded_runs("simbav2.json");
  ASSERT_EQ(runs["cases"].size(), 2U);
  for (const auto& run : runs["cases"].members) {
    const testing::Distances found = replay(run.second, {});
    EXPECT_LT(found.losses, 1e-6);
    EXPECT_LT(found.weights, 1e-6);
  }
}

// A small departure would have been seen.
TEST(SimbaV2Parity, DetectsASmallDifference) {
  const test::JsonValue runs = testing::recorded_runs("simbav2.json");
  SimbaV2Settings slower, farther;
  slower.tau = 0.0049;
  farther.shift = 2.999;
  for (const SimbaV2Settings& settings : {slower, farther})
    EXPECT_GT(replay(runs["cases"][std::size_t{0}], settings).weights, 1e-5);
}

}  // namespace
}  // namespace mneme
