// mneme/sampler_info.h - what the registry knows of a sampler: its name, parameters and examples.
#pragma once

#include <span>
#include <string_view>

namespace mneme {

/// One parameter of a sampler: what a spec string may set and to what.
struct ParamSpec {
  enum class Kind { number, whole, choice, sampler };
  std::string_view name;
  /// The default; for a choice its position in `choices`.
  double fallback;
  /// Allowed range, both included.
  double lowest, highest;
  std::string_view help;
  /// "capacity|size": the words of a choice, in order.
  std::string_view choices = {};
  Kind kind = Kind::number;
};

struct SamplerInfo {
  std::string_view name;
  std::string_view summary;
  std::span<const ParamSpec> params;
  /// Spec strings worth testing and showing, the default first.
  std::span<const std::string_view> examples;
  /// Draws by priorities from TD errors, which only a ReplayBuffer keeps. The other samplers need
  /// to know nothing but the age of a transition.
  bool needs_feedback = false;
};

/// Parameters that every sampler takes beside its own (`draws`).
std::span<const ParamSpec> common_params();

}  // namespace mneme
