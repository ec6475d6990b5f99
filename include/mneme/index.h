// mneme/index.h - the type of positions and sizes.
#pragma once

#include <cstdint>

namespace mneme {

/// Position in age order, 0 = oldest. Sizes, ages and capacities have the same type.
using Index = std::int64_t;

/// The largest capacity that samplers accept; every whole number up to it is exact in a double.
inline constexpr Index kMaxCapacity = Index{1} << 50;

}  // namespace mneme
