// term/number_format.cpp - digits, separators and units.
#include "term/number_format.h"

#include <algorithm>
#include <cmath>
#include <locale>
#include <sstream>

#include "base/text.h"

namespace mneme::lab {
namespace {

// "-0.000" is 0.
std::string without_negative_zero(std::string text) {
  const bool zero = text.find_first_of("123456789") == std::string::npos;
  return zero && text.starts_with('-') ? text.substr(1) : text;
}

// Commas every three digits of the part before the point.
std::string with_separators(std::string text) {
  const std::size_t begin = text.starts_with('-') ? 1 : 0;
  const std::size_t end = std::min(text.find('.'), text.size());
  for (std::size_t at = end; at > begin + 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

}  // namespace

std::string number(double value, int digits) {
  if (std::isnan(value)) return "-";
  const double size = std::abs(value);
  if (size >= 10'000 && size < 1e15 && size >= std::pow(10.0, digits)) return count(value);
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out.precision(digits);
  out << value;
  std::string text = without_negative_zero(std::move(out).str());
  const bool plain = text.find_first_of("en") == std::string::npos;  // no exponent, not inf
  return plain && size >= 10'000 ? with_separators(std::move(text)) : text;
}

std::string rounded(double value, int digits) {
  if (std::isnan(value)) return "-";
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out.setf(std::ios::fixed);
  out.precision(digits);
  out << value;
  return without_negative_zero(std::move(out).str());
}

std::string with_sign(double value, int digits) {
  const std::string text = rounded(value, digits);
  return std::isnan(value) || text.starts_with('-') ? text : '+' + text;
}

std::string count(double value) {
  if (std::isnan(value)) return "-";
  if (!(std::abs(value) < 1e15)) return number(value);
  return with_separators(concat(value < 0 ? "-" : "", std::llround(std::abs(value))));
}

std::string duration_text(double seconds) {
  if (std::isnan(seconds)) return "-";
  if (!(seconds < 1e12)) return "years";
  const auto whole = static_cast<long>(std::ceil(std::max(0.0, seconds)));
  if (whole < 120) return concat(whole, " s");
  if (whole < 7200) return concat(whole / 60, " min");
  return concat(whole / 3600, " h ", whole % 3600 / 60, " min");
}

std::string size_text(double bytes) {
  if (std::isnan(bytes)) return "-";
  if (bytes < 1e3) return concat(rounded(bytes, 0), " bytes");
  if (bytes < 1e6) return concat(rounded(bytes / 1e3, 0), " kB");
  if (bytes < 1e9) return concat(rounded(bytes / 1e6, 0), " MB");
  return concat(rounded(bytes / 1e9, 1), " GB");
}

}  // namespace mneme::lab
