// tests/agents/simbav2_parity_test.cpp - a hundred updates of the public SimbaV2, number by number.
//
// fixtures/simbav2.json was recorded by fixtures/record_simbav2.py from the original's own update
// functions (JAX, single precision): with the same weights, batches and noise, ours must give the
// same losses and end at the same weights. Weights and batches are sines of their positions, made
// here as they were made there.
#include <cmath>
#include <fstream>
#include <regex>

#include "agents/nn/initial.h"
#include "agents/simbav2/learner.h"
#include "agents/support.h"
#include "support/json.h"

namespace mneme {
namespace {

constexpr std::int64_t kObservation = 5, kAction = 3, kBatch = 8;

at::Tensor wave(double kind, at::IntArrayRef sizes) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  at::Tensor numbers = at::empty({count}, at::kDouble);
  for (std::int64_t k = 0; k < count; ++k)
    numbers[k] = std::sin(12.9898 * static_cast<double>(k + 1) + 78.233 * kind);
  return numbers.view(sizes);
}

TrainingBatch batch_of(int update, double discount) {
  const double first = 1000 + 10.0 * update;
  TrainingBatch batch;
  batch.observation = wave(first, {kBatch, kObservation}).to(at::kFloat);
  batch.action = wave(first + 1, {kBatch, kAction}).to(at::kFloat);
  batch.next_observation = wave(first + 2, {kBatch, kObservation}).to(at::kFloat);
  batch.reward = wave(first + 3, {kBatch}).to(at::kFloat);
  batch.discount = discount * (wave(first + 4, {kBatch}) <= 0.8).to(at::kFloat);
  batch.weight = at::ones({kBatch});
  return batch;
}

// The original's name of a parameter in our words.
std::string our_name(std::string name) {
  const std::vector<std::pair<const char*, const char*>> words{
      {"VmapSimbaV2Critic_0/", ""},
      {"/hyper_dense/kernel", ""},
      {"scaler/scaler$", "scaler"},
      {"^embedder/w$", "encoder.embedder.dense"},
      {"^embedder/scaler", "encoder.embedder.scaler"},
      {"^encoder/layers_([0-9])/mlp/w1", "encoder.block$1.first"},
      {"^encoder/layers_([0-9])/mlp/w2", "encoder.block$1.second"},
      {"^encoder/layers_([0-9])/mlp/scaler", "encoder.block$1.scaler"},
      {"^encoder/layers_([0-9])/alpha_scaler", "encoder.block$1.alpha"},
      {"^predictor/mean_", "mean."},
      {"^predictor/std_", "log_std."},
      {"^predictor/value_", "head."},
      {"^predictor/", "head."},
      {"\\.w1$", ".first"},
      {"\\.w2$", ".second"}};
  for (const auto& [from, to] : words) name = std::regex_replace(name, std::regex(from), to);
  return name;
}

const nn::Parameter& find(const nn::Parameters& parameters, const std::string& name) {
  for (const nn::Parameter& one : parameters.all())
    if (one.name == our_name(name)) return one;
  throw std::runtime_error("no parameter " + name + ", in our words " + our_name(name));
}

std::vector<std::int64_t> shape_of(const test::JsonValue& value) {
  std::vector<std::int64_t> shape;
  for (const auto& member : value.members)
    shape.push_back(static_cast<std::int64_t>(member.second.number));
  return shape;
}

at::Tensor tensor_of(const test::JsonValue& value) {
  std::vector<double> numbers;
  for (const auto& member : value.members) numbers.push_back(member.second.number);
  return at::tensor(numbers, at::kDouble);
}

bool is_matrix(const std::string& name) { return name.ends_with("kernel"); }

// As with_waves of the script.
void set_waves(nn::Parameters& parameters, const test::JsonValue& names, double kind) {
  const at::NoGradGuard no_grad;
  for (std::size_t k = 0; k < names.members.size(); ++k) {
    const auto& [name, value] = names.members[k];
    const nn::Parameter& one = find(parameters, name);
    const at::Tensor numbers = wave(kind + static_cast<double>(k), shape_of(value["shape"]));
    if (is_matrix(name)) {
      one.value.copy_(nn::unit_rows(numbers.transpose(-1, -2).to(at::kFloat)));
    } else {
      const at::Tensor old = one.value.to(at::kDouble);
      one.value.copy_(old + (old.abs() + 0.1) * numbers.view(old.sizes()) / 10);
    }
  }
}

void expect_weights(const nn::Parameters& parameters, const test::JsonValue& recorded,
                    double within) {
  for (const auto& [name, value] : recorded.members) {
    at::Tensor wanted = tensor_of(value["numbers"]).view(shape_of(value["shape"]));
    if (is_matrix(name)) wanted = wanted.transpose(-1, -2);
    const at::Tensor ours = find(parameters, name).value.detach().to(at::kDouble);
    EXPECT_LT((ours - wanted.reshape(ours.sizes())).abs().max().item<double>(), within) << name;
  }
}

TEST(SimbaV2Parity, AHundredUpdatesOfTheOriginal) {
  std::ifstream file(std::string(MNEME_SOURCE_DIR) + "/tests/agents/fixtures/simbav2.json");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const test::JsonValue recorded = test::parse_json(text);
  for (const auto& member : recorded["cases"].members) {
    const test::JsonValue& one = member.second;
    SimbaV2Settings settings;
    settings.two_critics = one["two_critics"].boolean;
    settings.actor_width = 8;
    settings.critic_width = 8;
    settings.atoms = 21;
    settings.first_rate = 1e-3;
    settings.last_rate = 5e-4;
    at::Generator any = nn::make_generator(0, 0, at::kCPU);
    simbav2::Networks networks(settings, kObservation, kAction, 100, at::kFloat, any);
    set_waves(networks.actor.parameters, one["actor"], 1);
    set_waves(networks.critic.parameters, one["critic"], 101);
    networks.target.parameters.copy_from(networks.critic.parameters);

    // Both compute in single precision and in another order: losses agree to a few units of its
    // last place at first, and differences grow as the weights part.
    const auto& steps = one["steps"].members;
    ASSERT_EQ(steps.size(), 100U);
    for (std::size_t k = 0; k < steps.size(); ++k) {
      const test::JsonValue& step = steps[k].second;
      const TrainingBatch batch = batch_of(static_cast<int>(k), 0.99);
      const auto noise = [&](const char* name) {
        return tensor_of(step[name]).to(at::kFloat).view({kBatch, kAction});
      };
      const auto report = networks.update(batch, batch, noise("noise"), noise("next_noise"));
      const double within = k < 5 ? 2e-5 : 2e-3;
      EXPECT_NEAR(report.critic_loss, step["critic_loss"].number, within) << k;
      EXPECT_NEAR(report.actor_loss, step["actor_loss"].number, within) << k;
      EXPECT_NEAR(report.entropy, step["entropy"].number, within * 5) << k;
      EXPECT_NEAR(report.temperature, step["temperature"].number, 1e-6) << k;
    }
    expect_weights(networks.actor.parameters, one["actor"], 1e-2);
    expect_weights(networks.critic.parameters, one["critic"], 1e-2);
    expect_weights(networks.target.parameters, one["target"], 1e-3);
  }
}

}  // namespace
}  // namespace mneme
