// priorities/kind.h - what the source file of a prioritized sampler declares.
//
//   constexpr std::array kParams{number_param("alpha", 0.6, 0, 8, "exponent of the priority"),
//                                kBetaParam, kBetaEndParam, ...};
//   constexpr std::array kExamples{std::string_view("per")};
//   extern constinit const PrioritizedEntry per_entry = {
//       prioritized_info("per", "one line for `mneme samplers`", kParams, kExamples),
//       [](const Params& p, Index capacity) -> std::unique_ptr<PriorityDistribution> { ... }};
//
// A line MNEME_PRIORITIZED_SAMPLER(per) in samplers/registry.def makes it known everywhere. The
// parameters `beta` and `beta_end` must be among its own: the buffer reads them.
#pragma once

#include <array>
#include <memory>

#include "base/sampler_spec.h"
#include "priorities/priority_distribution.h"

namespace mneme {

/// What registry.def collects: how to describe and to make one kind.
struct PrioritizedEntry {
  SamplerInfo info;
  std::unique_ptr<PriorityDistribution> (*make)(const Params& params, Index capacity);
};

constexpr SamplerInfo prioritized_info(std::string_view name, std::string_view summary,
                                       std::span<const ParamSpec> params,
                                       std::span<const std::string_view> examples) {
  return {name, summary, params, examples, true};
}

constexpr ParamSpec number_param(std::string_view name, double fallback, double lowest,
                                 double highest, std::string_view help) {
  return {.name = name, .fallback = fallback, .lowest = lowest, .highest = highest, .help = help};
}
constexpr ParamSpec choice_param(std::string_view name, std::string_view choices, double fallback,
                                 std::string_view help) {
  return {.name = name,
          .fallback = fallback,
          .lowest = 0,
          .highest = 2,
          .help = help,
          .choices = choices,
          .kind = ParamSpec::Kind::choice};
}

// What all of them take.
inline constexpr ParamSpec kBetaParam =
    number_param("beta", 0.4, 0, 10, "exponent of the importance weights at the start of the run");
inline constexpr ParamSpec kBetaEndParam =
    number_param("beta_end", 1, 0, 10, "the same at the end, reached linearly");
inline constexpr ParamSpec kEpsParam = number_param("eps", 1e-6, 0, 1e6, "added to |TD error|");
inline constexpr ParamSpec kDrawsParam =
    choice_param("draws", "stratified|independent", 0,
                 "one draw from each equal share of the mass, or all independent");
/// Weights divided by the largest of the buffer, where that is cheap, or of the batch.
inline constexpr ParamSpec kWeightsParam =
    choice_param("weights", "buffer|batch|none", 0, "largest weight they are divided by");
inline constexpr ParamSpec kBatchWeightsParam =
    choice_param("weights", "buffer|batch|none", 1,
                 "largest weight they are divided by; buffer costs a pass over the ring");

inline Draws draws_of(const Params& p) {
  return p.chosen("draws", "stratified") ? Draws::stratified : Draws::independent;
}
inline WeightScale weights_of(const Params& p) {
  return p.chosen("weights", "buffer")  ? WeightScale::buffer
         : p.chosen("weights", "batch") ? WeightScale::batch
                                        : WeightScale::none;
}

}  // namespace mneme
