// study/difference.h - the lines that two texts do not share.
#pragma once

#include <string>

namespace mneme::lab {

/// Lines that only one of them has, "- old" and "+ new", in order; at most `limit` of them.
std::string difference(const std::string& before, const std::string& after, std::size_t limit = 40);

}  // namespace mneme::lab
