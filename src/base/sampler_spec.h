// base/sampler_spec.h - the text form of a sampler: `name` or `name:key=value,key=value`.
//
// A value is a number, a word, or a sampler in parentheses:
// `mix:eps=0.1,a=(uniform),b=(linear:ratio=4)`.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mneme/index.h"
#include "mneme/sampler_info.h"

namespace mneme {

struct Spec {
  std::string name;
  std::vector<std::pair<std::string, std::string>> values;  // in the order given, no key twice
};

/// Takes a spec string apart. Throws InvalidArgument if it is malformed, longer than 4096
/// characters or nested deeper than eight levels.
Spec parse_spec(std::string_view text);

/// The values of a sampler's parameters: checked, complete, defaults filled in.
class Params {
 public:
  /// Throws NotFound for a key that `own` does not have, InvalidArgument for a value that is not
  /// allowed.
  Params(const Spec& spec, const SamplerInfo& info);

  double at(std::string_view name) const { return entry(name).number; }
  Index whole(std::string_view name) const { return static_cast<Index>(entry(name).number); }
  const std::string& text(std::string_view name) const { return entry(name).text; }
  bool chosen(std::string_view name, std::string_view choice) const {
    return entry(name).text == choice;
  }

  /// The spec with every parameter in it, in the order of declaration.
  std::string canonical() const;

 private:
  struct Entry {
    const ParamSpec* spec;
    double number = 0;
    std::string text;
  };
  const Entry& entry(std::string_view name) const;

  std::string_view sampler_;
  std::vector<Entry> entries_;
};

/// The words of a choice parameter.
std::vector<std::string> choices_of(const ParamSpec& spec);

}  // namespace mneme
