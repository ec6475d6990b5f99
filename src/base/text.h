// base/text.h - building messages, reading numbers, suggesting the nearest name.
//
// libstdc++ 12 has no <format> and the core uses no library, hence concat(). Numbers are read and
// written in the C locale whatever the process has set.
#pragma once

#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace mneme {

/// All arguments written one after the other, as operator<< does, in the C locale.
template <class... Parts>
std::string concat(const Parts&... parts) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out.precision(10);
  (out << ... << parts);
  return std::move(out).str();
}

/// The decimal number that is the whole of `text`, or nothing: no blanks, no hex, no inf, no nan,
/// no overflow.
std::optional<double> parse_number(std::string_view text);

/// The same, or a fraction of two such numbers: 1/64.
std::optional<double> parse_fraction(std::string_view text);

/// `value` with as many digits as it takes to read the same double back, at most 17.
std::string shortest_number(double value);

/// `text` with '?' for every byte that is not part of valid UTF-8.
std::string as_utf8(std::string_view text);

/// "a, b, c".
std::string join(const std::vector<std::string>& parts, std::string_view separator = ", ");

/// The `count` names most like `given`, nearest first.
std::vector<std::string> nearest_names(std::string_view given, std::vector<std::string> known,
                                       std::size_t count);

/// What to say about `given` when only `known` exist: "unknown sampler 'unifrom'; did you mean
/// 'uniform'? Known: ...".
std::string unknown_name(std::string_view kind, std::string_view given,
                         const std::vector<std::string>& known);

}  // namespace mneme
