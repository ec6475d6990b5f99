// priorities/priority_distribution.cpp - checks, counts and weights, the same for every
// distribution.
#include "priorities/priority_distribution.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <cmath>

#include "base/assert.h"
#include "base/powers.h"
#include "base/text.h"
#include "mneme/error.h"

namespace mneme {
namespace {

constexpr std::uint64_t kStateTag = 0x31776c656d656e6dULL;  // "mnemelw1"

std::uint64_t bit(Index slot) { return std::uint64_t{1} << (slot % 64); }
std::size_t word(Index slot) { return static_cast<std::size_t>(slot / 64); }

}  // namespace

PriorityDistribution::PriorityDistribution(Index capacity, std::string spec, Draws draws,
                                           WeightScale scale)
    : capacity_(capacity), draws_(draws), scale_(scale) {
  if (capacity < 1 || capacity > (Index{1} << 40)) {
    throw InvalidArgument(concat(spec, ": capacity ", capacity, " is outside [1, 2^40]"));
  }
  static constexpr const char* kDraws[] = {"stratified", "independent"};
  static constexpr const char* kScales[] = {"buffer", "batch", "none"};
  spec_ = concat(spec, ",draws=", kDraws[static_cast<int>(draws)],
                 ",weights=", kScales[static_cast<int>(scale)]);
  ring_.drawable.resize(static_cast<std::size_t>((capacity + 63) / 64));
}

bool PriorityDistribution::drawable(Index slot) const {
  check_slots({&slot, 1}, "drawable");
  return (ring_.drawable[word(slot)] & bit(slot)) != 0;
}

void PriorityDistribution::set_drawable(Index slot, bool on) {
  std::uint64_t& bits = ring_.drawable[word(slot)];
  rows_ += static_cast<Index>(on) - static_cast<Index>((bits & bit(slot)) != 0);
  bits = on ? bits | bit(slot) : bits & ~bit(slot);
}

void PriorityDistribution::append(Index first, Index count, std::span<const std::uint8_t> ends,
                                  RowState state) {
  if (first != ring_.next) {
    throw InvalidArgument(concat(spec_, ": append at slot ", first,
                                 ", but the next slot of the ring is ", ring_.next,
                                 "; append rows in order of sequence number"));
  }
  if (count < 1 || count > capacity_) {
    throw InvalidArgument(
        concat(spec_, ": append of ", count, " rows; allowed are 1 to ", capacity_));
  }
  if (!ends.empty() && ends.size() != static_cast<std::size_t>(count)) {
    throw InvalidArgument(concat(spec_, ": append of ", count, " rows with ", ends.size(),
                                 " episode marks; pass one per row or none"));
  }
  while (count > 0) {
    const Index piece = std::min(count, capacity_ - ring_.next);
    const auto marks = ends.first(std::min(ends.size(), static_cast<std::size_t>(piece)));
    do_append(ring_.next, marks, piece, state);
    for (Index slot = ring_.next; slot < ring_.next + piece; ++slot) {
      set_drawable(slot, state == RowState::drawable);
    }
    ends = ends.subspan(marks.size());
    count -= piece;
    ring_.next += piece;
    ring_.written = std::max(ring_.written, ring_.next);
    if (ring_.next == capacity_) ring_.next = 0;
  }
}

void PriorityDistribution::end_episode() { do_end_episode(); }

void PriorityDistribution::exclude(std::span<const Index> slots) {
  check_slots(slots, "exclude");
  for (const Index slot : slots) set_drawable(slot, false);
  do_exclude(slots);
}

void PriorityDistribution::admit(std::span<const Index> slots) {
  check_slots(slots, "admit");
  for (const Index slot : slots) {
    if (!written(slot)) {
      throw InvalidArgument(concat(spec_, ": admit of slot ", slot, ", which was never written"));
    }
  }
  std::array<Index, kChunk> fresh;
  std::size_t count = 0;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (!drawable(slots[i])) {
      set_drawable(slots[i], true);
      fresh[count++] = slots[i];
    }
    if (count == kChunk || i + 1 == slots.size()) {
      do_admit(std::span(fresh).first(count));
      count = 0;
    }
  }
}

FeedbackCount PriorityDistribution::update(std::span<const Index> slots,
                                           std::span<const float> values, Feedback feedback) {
  if (slots.size() != values.size()) {
    throw InvalidArgument(concat(spec_, ": update got ", slots.size(), " slots and ", values.size(),
                                 " values; pass as many of each"));
  }
  check_slots(slots, "update");
  FeedbackCount counts;
  std::array<Index, kChunk> good_slots;
  std::array<float, kChunk> good_values;
  for (std::size_t done = 0; done < slots.size(); done += kChunk) {
    const std::size_t end = std::min(slots.size(), done + kChunk);
    std::size_t good = 0, refused = 0;
    for (std::size_t i = done; i < end; ++i) {
      const float value = values[i], magnitude = std::abs(value);
      const bool finite = magnitude <= FLT_MAX;  // false for NaN
      const bool bad = !finite || (feedback == Feedback::priority && value < 0);
      const bool there = (ring_.drawable[word(slots[i])] & bit(slots[i])) != 0;
      good_slots[good] = slots[i];
      good_values[good] = magnitude;
      good += static_cast<std::size_t>(!bad && there);
      refused += static_cast<std::size_t>(bad);
    }
    do_update(std::span(good_slots).first(good), std::span(good_values).first(good), feedback);
    counts.applied += static_cast<Index>(good);
    counts.refused += static_cast<Index>(refused);
    counts.skipped += static_cast<Index>(end - done - good - refused);
  }
  return counts;
}

void PriorityDistribution::sample(Rng& rng, double beta, std::span<Index> slots,
                                  std::span<float> weights) const {
  if (!weights.empty() && weights.size() != slots.size()) {
    throw InvalidArgument(concat(spec_, ": sample got room for ", slots.size(), " slots and ",
                                 weights.size(), " weights; pass as many of each, or no weights"));
  }
  if (!(beta >= 0 && beta <= 10)) {
    throw InvalidArgument(concat(spec_, ": beta ", beta, " is outside [0, 10]"));
  }
  if (!can_draw()) {
    throw InvalidArgument(
        concat(spec_, ": no row can be drawn; append rows with a positive priority"));
  }
  std::array<double, kChunk> uniforms;
  const double share = 1 / static_cast<double>(slots.size());
  for (std::size_t done = 0; done < slots.size(); done += kChunk) {
    const std::size_t count = std::min(kChunk, slots.size() - done);
    rng.fill_uniform(std::span(uniforms).first(count));
    if (draws_ == Draws::stratified) {
      for (std::size_t i = 0; i < count; ++i) {
        uniforms[i] = (static_cast<double>(done + i) + uniforms[i]) * share;
      }
    }
    do_draw(std::span(uniforms).first(count), rng, slots.subspan(done, count));
  }
  if (!weights.empty()) weigh(slots, beta, weights);
}

void PriorityDistribution::draw(std::span<const double> uniforms, Rng& redraws,
                                std::span<Index> slots) const {
  if (uniforms.size() != slots.size() || !can_draw()) {
    throw InvalidArgument(concat(spec_, ": draw got ", uniforms.size(), " uniforms and room for ",
                                 slots.size(), " slots, with ", rows_, " rows to draw from"));
  }
  for (const double u : uniforms) {
    if (u >= 0 && u < 1) continue;
    throw InvalidArgument(concat(spec_, ": uniform ", u, " is outside [0, 1)"));
  }
  for (std::size_t done = 0; done < slots.size(); done += kChunk) {
    const std::size_t count = std::min(kChunk, slots.size() - done);
    do_draw(uniforms.subspan(done, count), redraws, slots.subspan(done, count));
  }
}

void PriorityDistribution::weigh(std::span<const Index> slots, double beta,
                                 std::span<float> weights) const {
  if (weights.size() != slots.size()) {
    throw InvalidArgument(concat(spec_, ": weigh got ", slots.size(), " slots and room for ",
                                 weights.size(), " weights; pass as many of each"));
  }
  if (!(beta >= 0 && beta <= 10)) {
    throw InvalidArgument(concat(spec_, ": beta ", beta, " is outside [0, 10]"));
  }
  check_slots(slots, "weigh");
  std::array<double, kChunk> ratios;
  const auto each_chunk = [&](const auto& use) {
    for (std::size_t done = 0; done < slots.size(); done += kChunk) {
      const auto chunk = std::span(ratios).first(std::min(kChunk, slots.size() - done));
      do_masses(slots.subspan(done, chunk.size()), chunk);
      use(chunk, done);
    }
  };
  // The mass whose weight is 1: n P = 1, or the rarest row of the buffer or the batch.
  double unit = DBL_MAX;
  if (scale_ == WeightScale::batch) {
    each_chunk([&](std::span<double> masses, std::size_t) {
      for (const double m : masses) unit = m > 0 ? std::min(unit, m) : unit;
    });
  } else if (scale_ == WeightScale::buffer) {
    unit = smallest_mass();
  } else {
    unit = total_mass() / static_cast<double>(std::max<Index>(1, rows_));
  }
  each_chunk([&](std::span<double> masses, std::size_t done) {
    for (double& m : masses) m = m > 0 ? unit / m : 0;
    std::array<bool, kChunk> none;
    for (std::size_t i = 0; i < masses.size(); ++i) none[i] = masses[i] <= 0;
    detail::raise_all(masses, beta);
    for (std::size_t i = 0; i < masses.size(); ++i) {
      weights[done + i] = none[i] ? 0.0F : static_cast<float>(masses[i]);
    }
  });
}

double PriorityDistribution::probability(Index slot) const {
  check_slots({&slot, 1}, "probability");
  if (!can_draw()) return 0;
  double mass = 0;
  do_masses({&slot, 1}, {&mass, 1});
  return mass > 0 ? mass / total_mass() : 0;
}

void PriorityDistribution::probabilities(std::span<const Index> slots,
                                         std::span<double> out) const {
  check_slots(slots, "probabilities");
  if (out.size() != slots.size())
    throw InvalidArgument(concat(spec_, ": probabilities: ", out.size(), " places for ",
                                 slots.size(), " slots; pass one for each"));
  if (!can_draw()) return std::fill(out.begin(), out.end(), 0.0);
  const double total = total_mass();
  for (std::size_t done = 0; done < slots.size(); done += kChunk) {
    const std::size_t count = std::min(kChunk, slots.size() - done);
    do_masses(slots.subspan(done, count), out.subspan(done, count));
  }
  for (double& mass : out) mass = mass > 0 ? mass / total : 0;
}

void PriorityDistribution::save(StateWriter& out) const {
  out.put(kStateTag);
  out.put(static_cast<std::uint64_t>(spec_.size()));
  out.put_all(std::span<const char>(spec_));
  out.put(capacity_);
  out.put(ring_.next);
  out.put(ring_.written);
  out.put_all(std::span<const std::uint64_t>(ring_.drawable));
  do_save(out);
}

void PriorityDistribution::load(StateReader& in) {
  if (in.get<std::uint64_t>() != kStateTag) {
    throw CorruptData(concat(spec_, ": this is not the saved state of a priority distribution"));
  }
  const auto length = in.get<std::uint64_t>();
  if (length > 4096) throw CorruptData(concat(spec_, ": a saved spec of ", length, " letters"));
  std::string saved(static_cast<std::size_t>(length), ' ');
  in.get_all(std::span<char>(saved));
  const auto capacity = in.get<Index>();
  if (saved != spec_ || capacity != capacity_) {
    throw InvalidArgument(concat("the state was saved by ", saved, " of capacity ", capacity,
                                 " and cannot be loaded by ", spec_, " of capacity ", capacity_));
  }
  Ring ring;
  ring.next = in.get<Index>();
  ring.written = in.get<Index>();
  if (ring.next < 0 || ring.next >= capacity_ || ring.written < ring.next ||
      ring.written > capacity_ || (ring.written < capacity_ && ring.next != ring.written)) {
    throw CorruptData(concat(spec_, ": saved cursor ", ring.next, " with ", ring.written, " rows"));
  }
  ring.drawable.resize(ring_.drawable.size());
  in.get_all(std::span<std::uint64_t>(ring.drawable));
  Index rows = 0;
  for (const std::uint64_t bits : ring.drawable) rows += std::popcount(bits);
  for (Index slot = ring.written; slot < static_cast<Index>(ring.drawable.size()) * 64; ++slot) {
    if ((ring.drawable[word(slot)] & bit(slot)) != 0) {
      throw CorruptData(concat(spec_, ": saved slot ", slot, " is drawable but holds no row"));
    }
  }
  do_load(in, ring);
  ring_ = std::move(ring);
  rows_ = rows;
}

void PriorityDistribution::check_slots(std::span<const Index> slots, const char* call) const {
  std::uint64_t outside = 0;
  for (const Index slot : slots) {
    const auto s = static_cast<std::uint64_t>(slot);
    outside |= s | (static_cast<std::uint64_t>(capacity_ - 1) - s);
  }
  if (outside >> 63 == 0) return;
  for (const Index slot : slots) {
    if (slot >= 0 && slot < capacity_) continue;
    throw InvalidArgument(concat(spec_, ": ", call, " got slot ", slot, ", outside [0, ", capacity_,
                                 "); pass slots returned by sample()"));
  }
}

}  // namespace mneme
