// agents/settings/checks.h - range checks of settings, with one form of error message.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme {

inline void one_of(const char* name, const std::string& value,
                   const std::vector<std::string>& allowed) {
  if (std::find(allowed.begin(), allowed.end(), value) == allowed.end())
    throw InvalidArgument(concat(name, " must be one of ", join(allowed), ", got '", value, "'"));
}

template <class Number>
void at_least(const char* name, Number value, double least) {
  if (!(static_cast<double>(value) >= least))
    throw InvalidArgument(concat(name, " must be at least ", least, ", got ", value));
}

inline void within(const char* name, double value, double low, double high) {
  if (!(value >= low && value <= high))
    throw InvalidArgument(concat(name, " must be between ", low, " and ", high, ", got ", value));
}

}  // namespace mneme
