// tests/agents/fasttd3_parity_test.cpp - a hundred updates of the public FastTD3, number by number.
//
// fixtures/fasttd3.json was recorded by fixtures/record_fasttd3.py from the original's own update
// loop (PyTorch, double precision): its default; n-step returns, SimNorm, clipped gradients and
// critics with targets of their own; hyperspherical networks; several tasks. With the same weights,
// batches and noise, ours must give the same losses and end at the same weights.
#include "agents/fasttd3/learner.h"
#include "agents/nn/layers/initial.h"
#include "agents/nn/optim/schedules.h"
#include "agents/waves.h"

namespace mneme::fasttd3 {
namespace {

constexpr std::int64_t kObservation = 5, kAction = 3, kBatch = 8;

// The settings of the script's cases.
FastTD3Settings settings_of(const std::string& name) {
  FastTD3Settings s;
  s.critic_width = 32;
  s.actor_width = 16;
  s.task_embedding_dim = 16;
  s.num_atoms = 21;
  s.v_min = -5;
  s.v_max = 5;
  s.critic_learning_rate_end = 1e-4;
  s.actor_learning_rate_end = 5e-5;
  s.policy_noise = 0.2;
  s.noise_clip = 0.3;
  s.merge = "reference";
  if (name == "variants") {
    s.clipped_double_q = false;
    s.max_grad_norm = 0.5;
    s.sim_type = "both";
    s.sim_dimension = 4;
    s.actor_sim_groups = 2;
    s.critic_sim_groups = 3;
  } else if (name == "simbav2") {
    s.network = "simbav2";
    s.critic_width = s.actor_width = 8;
  } else if (name == "tasks") {
    s.normalize_observations = false;
  }
  return s;
}

using Pairs = std::vector<std::pair<std::string, std::int64_t>>;

// The original's names of a parameter in our words. Its two critics are one recorded tensor; ours
// are two of plain layers, one of hyperspherical ones.
std::string plain_layer(const std::string& name, const std::string& owner, bool sim) {
  return owner + testing::in_our_words(name, {{"kernel", "weight"},
                                              {"net.0", ".layer0"},
                                              {"net.2", ".layer1"},
                                              {"fc_mu.0", ".layer3"},
                                              {"fc_head.0.linear", ".layer2"},
                                              {"fc_head.linear", ".layer2"},
                                              {"fc_head.0.norm", ".norm"},
                                              {"fc_head.norm", ".norm"},
                                              {sim ? "fc_head.1" : "fc_head.2", ".layer3"},
                                              {"fc_head.0", ".layer2"}});
}

std::string sphere_layer(const std::string& name) {
  return testing::in_our_words(name, {{".w.kernel", ""},
                                      {".scaler.scaler", ".scaler"},
                                      {"alpha_scaler.scaler", "alpha"},
                                      {"mean_scaler.scaler", "scaler"},
                                      {"encoder.", "encoder.block"},
                                      {"mlp.", ""},
                                      {"embedder.w", "encoder.embedder.dense"},
                                      {"embedder.scaler", "encoder.embedder.scaler"},
                                      {"predictor.mean_", "head."},
                                      {"predictor.", "head."},
                                      {".w1", ".first"},
                                      {".w2", ".second"}});
}

testing::Counterparts counterparts(const FastTD3Settings& settings, bool critic) {
  return [settings, critic](const std::string& name) -> Pairs {
    if (name == "task.embedding") return {{"tasks", -1}};
    if (settings.network == "simbav2") return {{sphere_layer(name), -1}};
    const bool sim = settings.sim_type == "both";
    if (!critic) return {{plain_layer(name, "actor", sim), -1}};
    return {{plain_layer(name, "critic1", sim), 0}, {plain_layer(name, "critic2", sim), 1}};
  };
}

// put_waves of the script: biases begin at 0.
void set_waves(nn::Parameters& parameters, const test::JsonValue& recorded, double kind,
               const testing::Counterparts& ours) {
  for (const nn::Parameter& one : parameters.all())
    if (one.name.ends_with("bias")) testing::assign(one.value, at::zeros_like(one.value));
  testing::set_waves(parameters, recorded, kind, 0.5, ours);
}

// The batch of one recorded update as the networks see it: windows of 1 to n steps, and what the
// learner does with observations.
TrainingBatch batch_of(std::size_t update, std::int64_t tasks, std::int64_t n_steps,
                       ObservationNormalizer* observations) {
  TrainingBatch batch = testing::wave_batch(update, kBatch, kObservation, kAction, tasks);
  const at::Tensor more = at::arange(kBatch, at::kLong).remainder(n_steps).to(at::kDouble);
  batch.discount = batch.discount * at::pow(0.99, more);
  if (observations == nullptr) return batch;
  observations->count(batch.observation);
  batch.observation = (*observations)(batch.observation);
  observations->count(batch.next_observation);
  batch.next_observation = (*observations)(batch.next_observation);
  return batch;
}

// The recorded run again, with these settings.
testing::Distances replay(const test::JsonValue& recorded, const FastTD3Settings& settings) {
  const auto tasks = static_cast<std::int64_t>(recorded["tasks"].number);
  const auto n_steps = static_cast<std::int64_t>(recorded["n_steps"].number);
  at::Generator any = nn::make_generator(0, 0, at::kCPU);
  Networks networks(settings, {kObservation, kAction, tasks}, at::kDouble, any);
  const auto actor = counterparts(settings, false), critic = counterparts(settings, true);
  set_waves(networks.actor.parameters, recorded["actor"], 1, actor);
  set_waves(networks.critics.parameters, recorded["critic"], 101, critic);
  networks.target.parameters.copy_from(networks.critics.parameters);
  ObservationNormalizer observations(
      kObservation, settings.merge == "reference" ? nn::Merge::fasttd3 : nn::Merge::exact,
      at::kCPU);

  testing::Distances found;
  const auto compare = [&](double ours, const char* name, std::size_t k) {
    found.losses = std::max(found.losses, std::abs(ours - recorded[name][k].number));
  };
  constexpr std::size_t kUpdates = 100;
  EXPECT_EQ(recorded["critic_loss"].size(), kUpdates);
  EXPECT_EQ(recorded["actor_loss"].size(), kUpdates / 2);
  for (std::size_t k = 0; k < kUpdates; ++k) {
    const TrainingBatch batch =
        batch_of(k, tasks, n_steps, settings.normalize_observations ? &observations : nullptr);
    const at::Tensor noise =
        at::tensor(testing::numbers_of(recorded["noise"][k]), at::kDouble).view({kBatch, kAction});
    const auto step = static_cast<double>(k / 2), steps = 50.0;
    const CriticReport report = networks.update_critics(
        batch, noise,
        nn::cosine(settings.critic_learning_rate, settings.critic_learning_rate_end, step, steps));
    compare(report.loss, "critic_loss", k);
    compare(report.lowest_target, "lowest_target", k);
    compare(report.highest_target, "highest_target", k);
    if (k % 2 == 1)
      compare(
          networks.update_actor(batch, nn::cosine(settings.actor_learning_rate,
                                                  settings.actor_learning_rate_end, step, steps)),
          "actor_loss", k / 2);
  }
  found.weights =
      std::max({testing::farthest(networks.actor.parameters, recorded["actor"], actor),
                testing::farthest(networks.critics.parameters, recorded["critic"], critic),
                testing::farthest(networks.target.parameters, recorded["target"], critic)});
  return found;
}

// The record has twelve digits, and so much is equal. With several tasks the original's policy
// update shortens vectors of the critics' table before the target follows, ours after it has: 1e-9
// of a target's vector (README.md).
TEST(FastTD3Parity, HundredUpdatesEqualTheOriginal) {
  const test::JsonValue runs = testing::recorded_runs("fasttd3.json");
  ASSERT_EQ(runs["cases"].size(), 4U);
  for (const auto& run : runs["cases"].members) {
    const std::string& name = run.second["name"].text;
    const testing::Distances found = replay(run.second, settings_of(name));
    const double tolerance = name == "tasks" ? 1e-8 : 1e-10;
    EXPECT_LT(found.losses, tolerance) << name;
    EXPECT_LT(found.weights, tolerance) << name;
  }
}

// A small departure would have been seen.
TEST(FastTD3Parity, DetectsASmallDifference) {
  const test::JsonValue runs = testing::recorded_runs("fasttd3.json");
  const auto changed = [&](std::size_t run, auto change) {
    const test::JsonValue& recorded = runs["cases"][run];
    FastTD3Settings settings = settings_of(recorded["name"].text);
    change(settings);
    const testing::Distances found = replay(recorded, settings);
    EXPECT_GT(found.losses, 1e-6) << "run " << run;
    EXPECT_GT(found.weights, 1e-6) << "run " << run;
  };
  for (std::size_t run = 0; run < 4; ++run) changed(run, [](FastTD3Settings& s) { s.tau = 0.099; });
  changed(0, [](FastTD3Settings& s) { s.weight_decay = 0.09; });
  changed(2, [](FastTD3Settings& s) { s.noise_clip = 0.29; });
  changed(0, [](FastTD3Settings& s) { s.merge = "exact"; });
  changed(0, [](FastTD3Settings& s) { s.clipped_double_q = false; });
  changed(1, [](FastTD3Settings& s) { s.max_grad_norm = 0.51; });
  changed(2, [](FastTD3Settings& s) { s.critic_learning_rate_end = 1.01e-4; });
}

}  // namespace
}  // namespace mneme::fasttd3
