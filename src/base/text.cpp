// base/text.cpp - number parsing in the C locale and nearest-name suggestions.
#include "base/text.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <locale>

namespace mneme {
namespace {

// Levenshtein distance, one row at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

// Bytes of the UTF-8 character that `text` begins with; 0 if it begins with none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned first = byte(0);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xc2 ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t k = 1; k < length; ++k)
    if ((byte(k) & 0xc0) != 0x80) return 0;
  // Overlong forms, surrogates, and what lies beyond U+10FFFF.
  if (length > 2) {
    const unsigned second = byte(1);
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) ||
        (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90))
      return 0;
  }
  return length;
}

}  // namespace

std::string as_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      out += '?';
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::optional<double> parse_number(std::string_view text) {
  // operator>> would take "0x10" apart or skip blanks: let only the characters of a decimal number
  // through.
  if (text.empty() || text.size() > 64) return std::nullopt;
  for (const char c : text) {
    if (!std::isdigit(static_cast<unsigned char>(c)) &&
        std::string_view("+-.eE").find(c) == std::string_view::npos)
      return std::nullopt;
  }
  std::istringstream in{std::string(text)};
  in.imbue(std::locale::classic());
  double value = 0;
  in >> value;
  if (in.fail() || in.peek() != std::char_traits<char>::eof() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::optional<double> parse_fraction(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto over = parse_number(text.substr(0, slash));
  const auto under =
      slash == std::string_view::npos ? std::optional(1.0) : parse_number(text.substr(slash + 1));
  if (!over || !under || *under == 0 || !std::isfinite(*over / *under)) return std::nullopt;
  return *over / *under;
}

std::string shortest_number(double value) {
  if (!std::isfinite(value)) return concat(value);
  if (value == std::floor(value) && std::abs(value) < 1e15)
    return std::to_string(static_cast<long long>(value));
  for (const int digits : {6, 12, 15, 16}) {
    std::ostringstream out;
    out.imbue(std::locale::classic());
    out.precision(digits);
    out << value;
    if (parse_number(out.str()) == value) return std::move(out).str();
  }
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out.precision(17);
  out << value;
  return std::move(out).str();
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) out += separator;
    out += part;
  }
  return out;
}

namespace {

// How far a name is from what was typed. The whole name counts, but a beginning or a part of it is
// near: dmc/cartpole means dmc/cartpole-balance, not the shorter dmc/dog-walk.
std::size_t unlikeness(std::string_view given, std::string_view name) {
  if (given.size() >= 3 && name.starts_with(given)) return 1;
  if (given.size() >= 4 && name.find(given) != std::string_view::npos) return 2;
  return edit_distance(given, name);
}

}  // namespace

std::vector<std::string> nearest_names(std::string_view given, std::vector<std::string> known,
                                       std::size_t count) {
  const std::string shown(given.substr(0, 60));
  std::stable_sort(known.begin(), known.end(), [&](const auto& a, const auto& b) {
    return unlikeness(shown, a) < unlikeness(shown, b);
  });
  known.resize(std::min(count, known.size()));
  return known;
}

std::string unknown_name(std::string_view kind, std::string_view given,
                         const std::vector<std::string>& known) {
  std::string shown(given.substr(0, 60));
  std::string message = concat("unknown ", kind, " '", shown, "'");
  const auto nearest = std::min_element(
      known.begin(), known.end(),
      [&](const auto& a, const auto& b) { return unlikeness(shown, a) < unlikeness(shown, b); });
  // Suggest only what is plausibly a slip: up to a third of the name mistyped, or a part of it.
  if (nearest != known.end() && !shown.empty() &&
      (unlikeness(shown, *nearest) <= std::max<std::size_t>(2, nearest->size() / 3))) {
    message += concat("; did you mean '", *nearest, "'?");
  } else {
    message += ";";
  }
  return message +
         (known.empty() ? concat(" nothing is registered") : concat(" known: ", join(known)));
}

}  // namespace mneme
