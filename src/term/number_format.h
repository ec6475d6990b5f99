// term/number_format.h - numbers, times and sizes as people read them; 17 digits are for --json.
#pragma once

#include <string>

namespace mneme::lab {

/// So many significant digits, thousands separated from 10,000 on, never "-0": 0.8567, 900,000,
/// 6.94e-06. "-" for NaN.
std::string number(double value, int digits = 6);

/// So many digits after the point, never "-0.000"; "-" for NaN.
std::string rounded(double value, int digits);
/// The same with its sign: "+0.12".
std::string with_sign(double value, int digits);

/// Whole numbers with a comma every three digits: 1,000,000.
std::string count(double value);

/// "47 s", "12 min", "3 h 5 min"; "-" for NaN.
std::string duration_text(double seconds);

/// "800 bytes", "1.2 GB" (of 1000 each).
std::string size_text(double bytes);

}  // namespace mneme::lab
