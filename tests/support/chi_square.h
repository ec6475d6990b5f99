// tests/support/chi_square.h - does a histogram follow a distribution?
#pragma once

#include <span>
#include <vector>

#include "mneme/sampler.h"

namespace mneme::test {

/// The probability that counts drawn from p would look at least this unlikely. Rare indices are
/// pooled to an expected count of 10; a count where p is 0 gives 0.
double chi_square_p(std::span<const double> counts, std::span<const double> p);

/// How often each index is drawn in `draws` draws, in batches of `batch`.
std::vector<double> histogram(Sampler& sampler, const BufferView& view, Rng rng, std::size_t draws,
                              std::size_t batch);

/// All probabilities of a view.
std::vector<double> pmf_of(const Sampler& sampler, const BufferView& view,
                           Scope scope = Scope::cycle);

/// The histogram of a sampler that is off by one, towards the oldest.
std::vector<double> one_too_old(std::vector<double> counts);

}  // namespace mneme::test
