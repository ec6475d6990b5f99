// agents/settings/fields.h - settings structs by name: set from text, listed as text.
//
// A struct takes part by saying once what it has:
//
//   struct Config {
//     double discount = 0.99;
//     template <class Self, class Visit>
//     static void fields(Self& self, const Visit& visit) {
//       visit("discount", self.discount, "of future rewards");
//     }
//   };
#pragma once

#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "base/text.h"
#include "mneme/error.h"
#include "mneme/index.h"

namespace mneme {

struct Field {
  std::string name, value, help;
};

template <class Settings>
std::vector<Field> list_fields(const Settings& settings) {
  std::vector<Field> list;
  Settings::fields(settings, [&](const char* name, const auto& member, const char* help) {
    using T = std::remove_cvref_t<decltype(member)>;
    if constexpr (std::is_same_v<T, bool>)
      list.push_back({name, member ? "true" : "false", help});
    else if constexpr (std::is_same_v<T, std::string>)
      list.push_back({name, member, help});
    else if constexpr (std::is_same_v<T, double>)
      list.push_back({name, shortest_number(member), help});
    else
      list.push_back({name, std::to_string(member), help});
  });
  return list;
}

/// Sets a member and returns true; returns false if no member has this name. Throws
/// InvalidArgument if the text is not a value of its type.
template <class Settings>
bool set_field(Settings& settings, std::string_view name, std::string_view text) {
  bool found = false;
  const auto refuse = [&](std::string_view wanted) {
    return InvalidArgument(concat(name, " must be ", wanted, ", got '", text, "'"));
  };
  Settings::fields(settings, [&](const char* known, auto& member, const char*) {
    if (name != known) return;
    found = true;
    using T = std::remove_cvref_t<decltype(member)>;
    if constexpr (std::is_same_v<T, bool>) {
      if (text != "true" && text != "false") throw refuse("true or false");
      member = text == "true";
    } else if constexpr (std::is_same_v<T, std::string>) {
      member = text;
    } else {
      const auto number = parse_fraction(text);
      if (!number) throw refuse("a number");
      if constexpr (std::is_same_v<T, double>) {
        member = *number;
      } else {
        if (*number != std::floor(*number) || std::abs(*number) > 1e15) throw refuse("an integer");
        member = static_cast<T>(*number);
      }
    }
  });
  return found;
}

}  // namespace mneme
