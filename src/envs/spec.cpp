// envs/spec.cpp - reads and writes task specs.
#include "envs/spec.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "envs/remote/suites.h"
#include "mneme/error.h"

namespace mneme::envs {
namespace {

constexpr double kMostSteps = 1e9;

Index whole(std::string_view key, std::string_view value) {
  const auto number = parse_number(value);
  if (!number || *number != std::floor(*number) || *number < 1 || *number > kMostSteps)
    throw InvalidArgument(concat("task spec: ", key, "=", value,
                                 " is not allowed; give a whole number from 1 to 1000000000"));
  return static_cast<Index>(*number);
}

// Whether `value` is the first of two allowed words.
bool first_of(std::string_view key, std::string_view value, std::string_view first,
              std::string_view second) {
  if (value == first) return true;
  if (value == second) return false;
  throw InvalidArgument(
      concat("task spec: ", key, "=", value, " is not allowed; give ", first, " or ", second));
}

std::string one_of(std::string_view key, std::string_view value,
                   std::initializer_list<std::string_view> allowed) {
  std::string all;
  for (const std::string_view word : allowed) {
    if (value == word) return std::string(value);
    all += concat(all.empty() ? "" : ", ", word);
  }
  throw InvalidArgument(
      concat("task spec: ", key, "=", value, " is not allowed; give one of ", all));
}

constexpr std::array<std::string_view, 3> kFaults = {"stop", "restart", "drop"};

Fault fault_of(std::string_view value) {
  for (std::size_t i = 0; i < kFaults.size(); ++i)
    if (value == kFaults[i]) return static_cast<Fault>(i);
  throw InvalidArgument(
      concat("task spec: fault=", value, " is not allowed; give stop, restart or drop"));
}

double seconds(std::string_view value) {
  const auto number = parse_number(value);
  if (!number || !(*number > 0) || *number > 86400)
    throw InvalidArgument(concat("task spec: timeout=", value,
                                 " is not allowed; give seconds, more than 0 and at most 86400"));
  return *number;
}

// A key of Python suites. A seed plus any environment's number is below 2^31.
void python_key(EnvSpec& spec, std::string_view key, std::string_view value) {
  if (key == "fault") {
    spec.fault = fault_of(value);
  } else if (key == "timeout") {
    spec.timeout = seconds(value);
  } else if (key == "seed") {
    spec.seed = value == "0" ? 0 : whole(key, value);
  } else {
    spec.options.emplace_back(key, value);
    std::sort(spec.options.begin(), spec.options.end());
  }
}

}  // namespace

std::string_view name_of(Fault fault) { return kFaults[static_cast<std::size_t>(fault)]; }

std::string EnvSpec::text() const {
  std::string out = name;
  char separator = ':';
  const auto add = [&](std::string_view key, const std::string& value) {
    out += concat(separator, key, '=', value);
    separator = ',';
  };
  if (repeat != 1) add("repeat", std::to_string(repeat));
  if (limit != 0) add("limit", std::to_string(limit));
  if (!sorted) add("keys", "native");
  if (dtype != DType::f32) add("dtype", "f64");
  if (model != "shapes") add("model", model);
  if (fault != Fault::stop) add("fault", std::string(name_of(fault)));
  if (timeout != EnvSpec().timeout) add("timeout", shortest_number(timeout));
  if (seed >= 0) add("seed", std::to_string(seed));
  for (const auto& [key, value] : options) add(key, value);
  return out;
}

EnvSpec parse_env_spec(std::string_view text) {
  if (text.size() > 1000) throw InvalidArgument("task spec: longer than 1000 characters");
  EnvSpec spec;
  const std::size_t colon = text.find(':');
  spec.name = text.substr(0, colon);
  if (colon == std::string_view::npos) return spec;
  std::string_view rest = text.substr(colon + 1);
  std::vector<std::string> seen;
  for (;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view pair = rest.substr(0, comma);
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos)
      throw InvalidArgument(concat("task spec '", text, "': '", pair,
                                   "' is not key=value; write suite/task:key=value,key=value"));
    const std::string_view key = pair.substr(0, equals), value = pair.substr(equals + 1);
    for (const std::string& before : seen)
      if (before == key)
        throw InvalidArgument(concat("task spec '", text, "': ", key, " is given twice"));
    seen.emplace_back(key);
    if (key == "repeat")
      spec.repeat = whole(key, value);
    else if (key == "limit")
      spec.limit = whole(key, value);
    else if (key == "keys")
      spec.sorted = first_of(key, value, "sorted", "native");
    else if (key == "dtype")
      spec.dtype = first_of(key, value, "f32", "f64") ? DType::f32 : DType::f64;
    else if (find_python_suite(spec.name) != nullptr)
      python_key(spec, key, value);
    else if (key == "model")
      spec.model = one_of(key, value, {"shapes", "tips", "meshes", "suite"});
    else
      throw InvalidArgument(
          unknown_name("key of a task spec", key, {"repeat", "limit", "keys", "dtype", "model"}));
    if (comma == std::string_view::npos) return spec;
    rest = rest.substr(comma + 1);
  }
}

}  // namespace mneme::envs
