// base/powers.h - x^y for a whole batch, the same bits on every machine.
//
// pow_of of elementary.h branches and is a call; this is the same formula without branches, in a
// loop that the compiler turns into vector instructions (about 4 ns per value with AVX2).
#pragma once

#include <span>

namespace mneme::detail {

/// Replaces every value v > 0 by v^exponent. 0 stays 0 unless the exponent is 0, which makes
/// everything 1. Results saturate at about 1e-307 and 1e307. REQUIRES: finite, not negative, no
/// denormals.
void raise_all(std::span<double> values, double exponent);

}  // namespace mneme::detail
