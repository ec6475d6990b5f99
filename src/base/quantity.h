// base/quantity.h - counts, ratios and shares as people write them.
//
// `name` is the option or setting that the text was given for; errors (InvalidArgument) begin with it.
#pragma once

#include <string>

#include "mneme/index.h"

namespace mneme {

/// A whole number of transitions or steps: 1000000, 1e6, 1M, 51.2k, 1,000,000.
Index parse_count(const std::string& name, const std::string& text);

/// A positive number or a fraction: 2, 0.5, 1/64.
double parse_ratio(const std::string& name, const std::string& text);

/// A number from 0 to 1 or a fraction: 0.857, 6/7.
double parse_share(const std::string& name, const std::string& text);

}  // namespace mneme
