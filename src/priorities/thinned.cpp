// priorities/thinned.cpp - propose, keep or propose again.
#include "priorities/thinned.h"

#include <algorithm>
#include <array>
#include <cfloat>
#include <numeric>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme {

void ThinnedDistribution::do_draw(std::span<const double> uniforms, Rng& redraws,
                                  std::span<Index> slots) const {
  std::array<double, kChunk> masses, acceptance, coins;
  std::array<Index, kChunk> proposed;
  std::array<std::size_t, kChunk> open;  // draws that have no slot yet
  std::size_t left = uniforms.size();
  std::iota(open.begin(), open.begin() + static_cast<std::ptrdiff_t>(left), std::size_t{0});
  std::copy(uniforms.begin(), uniforms.end(), masses.begin());
  const double total = tree_.total();
  for (int round = 0; round < kRounds && left > 0; ++round) {
    const auto now = std::span(masses).first(left);
    if (round > 0) redraws.fill_uniform(now);
    for (double& mass : now) mass *= total;
    tree_.find(now, std::span(proposed).first(left));
    accept(std::span(proposed).first(left), std::span(acceptance).first(left));
    redraws.fill_uniform(std::span(coins).first(left));
    std::size_t still = 0;
    for (std::size_t i = 0; i < left; ++i) {
      if (coins[i] < acceptance[i]) {
        slots[open[i]] = proposed[i];
      } else {
        open[still++] = open[i];
      }
    }
    left = still;
  }
  if (left > 0) draw_by_listing(std::span(open).first(left), redraws, slots);
}

// use(slot, mass) for every slot that can be drawn, in rising order.
template <class Use>
void ThinnedDistribution::each_mass(const Use& use) const {
  std::array<Index, kChunk> chunk;
  std::array<double, kChunk> masses;
  for (Index first = 0; first < rows_written(); first += static_cast<Index>(kChunk)) {
    const auto count = static_cast<std::size_t>(
        std::min<Index>(static_cast<Index>(kChunk), rows_written() - first));
    std::iota(chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(count), first);
    do_masses(std::span(chunk).first(count), std::span(masses).first(count));
    for (std::size_t i = 0; i < count; ++i) {
      if (masses[i] > 0) use(chunk[i], masses[i]);
    }
  }
}

void ThinnedDistribution::draw_by_listing(std::span<const std::size_t> open, Rng& redraws,
                                          std::span<Index> slots) const {
  const double total = total_mass();
  if (!(total > 0)) throw InvalidArgument(concat(spec(), ": every row's mass rounds to zero"));
  std::array<double, kChunk> masses;
  const auto wanted = std::span(masses).first(open.size());
  redraws.fill_uniform(wanted);
  for (double& mass : wanted) mass *= total;
  // In rising order one pass serves all. Which open draw gets which slot is then not random: deal
  // them out at random.
  std::sort(wanted.begin(), wanted.end());
  std::array<std::size_t, kChunk> order;
  for (std::size_t i = 0; i < open.size(); ++i) {
    const auto j = static_cast<std::size_t>(redraws.below(i + 1));
    order[i] = order[j];
    order[j] = open[i];
  }
  double before = 0;
  std::size_t next = 0;
  Index last = 0;
  each_mass([&](Index slot, double mass) {
    before += mass;
    last = slot;
    while (next < wanted.size() && wanted[next] < before) slots[order[next++]] = slot;
  });
  while (next < wanted.size()) slots[order[next++]] = last;
}

void ThinnedDistribution::do_masses(std::span<const Index> slots, std::span<double> masses) const {
  std::array<float, kChunk> leaves;
  tree_.values(slots, std::span(leaves).first(slots.size()));
  accept(slots, masses);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    masses[i] = leaves[i] > 0 ? masses[i] * static_cast<double>(leaves[i]) : 0;
  }
}

double ThinnedDistribution::total_mass() const {
  double total = 0;
  each_mass([&](Index, double mass) { total += mass; });
  return total;
}

double ThinnedDistribution::smallest_mass() const {
  double least = DBL_MAX;
  each_mass([&](Index, double mass) { least = std::min(least, mass); });
  return least;
}

}  // namespace mneme
