// tests/agents/waves.h - what fixtures/record_*.py recorded of the published agents, and the
// weights and batches it was recorded with: sines of their positions, made here as they were made
// there (fixtures/waves.py).
#pragma once

#include <cmath>
#include <fstream>
#include <functional>
#include <string>

#include "agents/common/replay_batches.h"
#include "agents/nn/layers/parameters.h"
#include "agents/support.h"
#include "support/json.h"
#include "support/places.h"

namespace mneme::testing {

inline at::Tensor wave(double kind, at::IntArrayRef sizes) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  std::vector<double> numbers;
  for (std::int64_t k = 0; k < count; ++k)
    numbers.push_back(std::sin(12.9898 * static_cast<double>(k + 1) + 78.233 * kind));
  return at::tensor(numbers, at::kDouble).view(sizes);
}

/// The batch of one recorded update: discount where the episode continues.
inline TrainingBatch wave_batch(std::size_t update, std::int64_t rows, std::int64_t observation,
                                std::int64_t action, std::int64_t tasks) {
  const double first = 1000 + 10 * static_cast<double>(update);
  TrainingBatch batch;
  batch.observation = wave(first, {rows, observation});
  batch.action = wave(first + 1, {rows, action});
  batch.next_observation = wave(first + 2, {rows, observation});
  batch.reward = wave(first + 3, {rows});
  batch.discount = 0.99 * (wave(first + 4, {rows}) <= 0.8).to(at::kDouble);
  batch.weight = at::ones({rows}, at::kDouble);
  batch.task = at::arange(rows, at::kLong).remainder(tasks);
  return batch;
}

inline std::vector<double> numbers_of(const test::JsonValue& list) {
  std::vector<double> numbers;
  for (const auto& member : list.members) numbers.push_back(member.second.number);
  return numbers;
}

inline std::vector<std::int64_t> shape_of(const test::JsonValue& list) {
  std::vector<std::int64_t> shape;
  for (const auto& member : list.members)
    shape.push_back(static_cast<std::int64_t>(member.second.number));
  return shape;
}

inline bool is_matrix(const std::string& name) { return name.ends_with("kernel"); }

/// A matrix of one layout, (in, out) there and (out, in) here, in the other.
inline at::Tensor as_ours(const std::string& name, const at::Tensor& recorded) {
  return is_matrix(name) ? recorded.transpose(-1, -2) : recorded;
}

/// What a recorded parameter is here: pairs of one of ours and the member of the recorded tensor it
/// stands for, -1 for all of it.
using Counterparts =
    std::function<std::vector<std::pair<std::string, std::int64_t>>(const std::string&)>;

/// `text` with every `from` replaced by its `to`, one pair after the other.
inline std::string in_our_words(
    std::string text, const std::vector<std::pair<std::string_view, std::string_view>>& words) {
  for (const auto& [from, to] : words) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
  }
  return text;
}

inline const nn::Parameter& named(const nn::Parameters& parameters, const std::string& name) {
  for (const nn::Parameter& one : parameters.all())
    if (one.name == name) return one;
  throw std::runtime_error("no parameter " + name);
}

/// with_waves of the script.
inline void set_waves(nn::Parameters& parameters, const test::JsonValue& recorded, double kind,
                      double matrices, const Counterparts& counterparts) {
  const at::NoGradGuard no_grad;
  for (std::size_t k = 0; k < recorded.members.size(); ++k) {
    const auto& [name, value] = recorded.members[k];
    const at::Tensor numbers =
        as_ours(name, wave(kind + static_cast<double>(k), shape_of(value["shape"])));
    for (const auto& [ours, member] : counterparts(name)) {
      const nn::Parameter& one = named(parameters, ours);
      const at::Tensor part = (member < 0 ? numbers : numbers[member]).reshape(one.value.sizes());
      if (is_matrix(name) || name.ends_with("embedding")) {
        one.value.copy_(one.unit_rows ? nn::unit_rows(part) : matrices * part);
      } else {
        // The originals' layers begin in single precision, whatever is computed in later.
        const at::Tensor old = one.value.to(at::kFloat).to(at::kDouble);
        one.value.copy_(old + (old.abs() + 0.1) * part / 10);
      }
    }
  }
}

/// The largest difference between ours and the recorded.
inline double farthest(const nn::Parameters& parameters, const test::JsonValue& recorded,
                       const Counterparts& counterparts) {
  double distance = 0;
  for (const auto& [name, value] : recorded.members) {
    std::vector<at::Tensor> parts;
    for (const auto& [ours, member] : counterparts(name))
      parts.push_back(as_ours(name, named(parameters, ours).value.detach()).reshape({-1}));
    const auto every = static_cast<std::int64_t>(value["every"].number);
    const at::Tensor wanted = at::tensor(numbers_of(value["numbers"]), at::kDouble);
    const at::Tensor found = at::cat(parts).slice(0, 0, std::nullopt, every);
    distance = std::max(distance, (found - wanted).abs().max().item<double>());
  }
  return distance;
}

inline test::JsonValue recorded_runs(const std::string& file) {
  std::ifstream in(test::source_path("tests/agents/fixtures/" + file));
  return test::parse_json(std::string{std::istreambuf_iterator<char>(in), {}});
}

struct Distances {
  double losses = 0, weights = 0;
};

/// Runs the recorded updates: `update(batch, noise, next_noise)` returns a report with the losses.
template <class Update>
double farthest_loss(const test::JsonValue& recorded, std::int64_t rows, std::int64_t observation,
                     std::int64_t action, std::int64_t tasks, const Update& update) {
  double distance = 0;
  const auto& steps = recorded["steps"].members;
  EXPECT_EQ(steps.size(), 100U);
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const test::JsonValue& step = steps[k].second;
    const auto noise = [&](const char* name) {
      return at::tensor(numbers_of(step[name]), at::kDouble).view({rows, action});
    };
    const auto report = update(wave_batch(k, rows, observation, action, tasks), noise("noise"),
                               noise("next_noise"));
    for (const auto& [ours, name] : {std::pair{report.critic_loss, "critic_loss"},
                                     {report.actor_loss, "actor_loss"},
                                     {report.entropy, "entropy"},
                                     {report.temperature, "temperature"}})
      distance = std::max(distance, std::abs(ours - step[name].number));
  }
  return distance;
}

}  // namespace mneme::testing
