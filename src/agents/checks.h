// agents/checks.h - what a setting may be, said in one way.
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
    throw InvalidArgument(concat(name, " is '", value, "'; it is one of ", join(allowed)));
}

template <class Number>
void at_least(const char* name, Number value, double least) {
  if (!(static_cast<double>(value) >= least))
    throw InvalidArgument(concat(name, " is ", value, "; it is at least ", least));
}

inline void within(const char* name, double value, double low, double high) {
  if (!(value >= low && value <= high))
    throw InvalidArgument(concat(name, " is ", value, "; it is between ", low, " and ", high));
}

}  // namespace mneme
