// tests/agents/sac_td3_parity_test.cpp - a hundred updates of Stable-Baselines3's SAC and TD3,
// recorded by fixtures/record_sac_td3.py, made again: same weights, batches and noise.
#include "agents/nn/layers/initial.h"
#include "agents/sac_td3/learner.h"
#include "agents/waves.h"

namespace mneme {
namespace {

using testing::wave;

constexpr std::int64_t kObservation = 5, kAction = 3, kBatch = 16;
constexpr double kActor = 100, kCritic = 200;  // kinds of the waves that weights are

void set_waves(const nn::Parameters& parameters, double kind) {
  for (std::size_t k = 0; k < parameters.all().size(); ++k) {
    const at::Tensor& value = parameters.all()[k].value;
    testing::assign(value, 0.5 * wave(kind + static_cast<double>(k), value.sizes()));
  }
}

double farthest(const nn::Parameters& parameters, const test::JsonValue& recorded) {
  double distance = 0;
  EXPECT_EQ(recorded.members.size(), parameters.all().size());
  for (std::size_t k = 0; k < parameters.all().size(); ++k) {
    const at::Tensor ours = parameters.all()[k].value.detach().reshape({-1});
    const at::Tensor theirs =
        at::tensor(testing::numbers_of(recorded.members[k].second), at::kDouble);
    const at::Tensor every = ours.slice(0, 0, std::nullopt, 7);
    EXPECT_EQ(every.numel(), theirs.numel());
    distance = std::max(distance, (every - theirs).abs().max().item<double>());
  }
  return distance;
}

testing::Distances run(const std::string& algorithm, double target_entropy) {
  const test::JsonValue file = testing::recorded_runs("sac_td3_parity.json");
  const test::JsonValue& recorded = file["cases"][algorithm];
  SacTd3Settings settings;
  settings.algorithm = algorithm == "sac" ? SacTd3Algorithm::sac : SacTd3Algorithm::td3;
  settings.actor_layers = settings.critic_layers = "8-12";
  settings.learning_rate = 3e-3;
  settings.target_entropy = target_entropy;
  at::Generator generator = nn::make_generator(1, 1, at::kCPU);
  sac_td3::Networks networks(settings, {kObservation, kAction}, at::kDouble, generator);
  set_waves(networks.actor.parameters, kActor);
  set_waves(networks.critic.parameters, kCritic);
  networks.target.parameters.copy_from(networks.critic.parameters);
  networks.target_actor.parameters.copy_from(networks.actor.parameters);

  testing::Distances distances;
  const auto& steps = recorded["steps"].members;
  EXPECT_EQ(steps.size(), 100U);
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const test::JsonValue& step = steps[k].second;
    const TrainingBatch batch = testing::wave_batch(k, kBatch, kObservation, kAction, 1);
    const double first = 1000 + 10 * static_cast<double>(k);
    const at::Tensor noise = 2 * wave(first + 6, {kBatch, kAction});
    const at::Tensor next_noise = 2 * wave(first + 7, {kBatch, kAction});
    const auto report = networks.update(batch, batch, noise, next_noise);
    const auto compare = [&](double ours, const char* name) {
      distances.losses = std::max(distances.losses, std::abs(ours - step[name].number));
    };
    compare(report.critic_loss, "critic_loss");
    if (report.acted) compare(report.actor_loss, "actor_loss");
    if (settings.sac()) compare(report.temperature, "ent_coef");
  }
  const test::JsonValue& weights = recorded["weights"];
  for (const double distance : {farthest(networks.actor.parameters, weights["actor"]),
                                farthest(networks.critic.parameters, weights["critic"]),
                                farthest(networks.target.parameters, weights["critic_target"])})
    distances.weights = std::max(distances.weights, distance);
  if (!settings.sac())
    distances.weights = std::max(
        distances.weights, farthest(networks.target_actor.parameters, weights["actor_target"]));
  return distances;
}

// Twelve digits are recorded; a hundred updates let the thirteenth grow.
TEST(SacTd3Parity, HundredUpdatesEqualStableBaselines3) {
  for (const char* algorithm : {"sac", "td3"}) {
    const testing::Distances distances = run(algorithm, -1);
    EXPECT_LT(distances.losses, 1e-9) << algorithm;
    EXPECT_LT(distances.weights, 1e-9) << algorithm;
  }
}

TEST(SacTd3Parity, DetectsAnotherAgent) { EXPECT_GT(run("sac", -0.5).weights, 1e-5); }

}  // namespace
}  // namespace mneme
