// storage/convert.h - numbers from one storage type to another.
#pragma once

#include <cstddef>

#include "mneme/schema.h"

namespace mneme {

/// Whether values of type `from` may be handed in for a field stored as `to`: the same type, or any
/// two floating types. Integers are taken only as they are: a silent 0.7 -> 0 or 300 -> 44 would
/// be wrong data.
bool can_store(DType from, DType to);

/// Converts `count` numbers. Every pair of types works; floats to integers truncate and saturate,
/// NaN becomes 0.
void convert(const void* from, DType from_type, void* to, DType to_type, std::size_t count);

}  // namespace mneme
