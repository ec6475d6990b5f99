// priorities/rank.cpp - buckets of ties, and counts above them in steps of 16.
#include "priorities/rank.h"

#include <bit>

#include "base/assert.h"
#include "base/text.h"
#include "mneme/error.h"
#include "priorities/kind.h"

namespace mneme {
namespace {

constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

std::string spec_of(Index capacity, const RankOptions& o) {
  if (!(o.alpha >= 0 && o.alpha <= 4)) {
    throw InvalidArgument(concat("rank_per: alpha ", o.alpha, " is outside [0, 4]"));
  }
  if (capacity < 1 || capacity >= Index{kNowhere}) {
    throw InvalidArgument(concat("rank_per: capacity ", capacity, " is outside [1, 2^32 - 1)"));
  }
  return concat("rank_per:alpha=", shortest_number(o.alpha));
}

constexpr std::array kParams{number_param("alpha", 0.7, 0, 4, "exponent of 1/rank; 0 is uniform"),
                             kBetaParam, kBetaEndParam, kWeightsParam, kDrawsParam};
constexpr std::array kExamples{std::string_view("rank_per")};

}  // namespace

RankBased::RankBased(Index capacity, const RankOptions& options)
    : PriorityDistribution(capacity, spec_of(capacity, options), options.draws, options.weights),
      mass_(options.alpha),
      bucket_(static_cast<std::size_t>(capacity)),
      position_(static_cast<std::size_t>(capacity), kNowhere),
      slots_(kBuckets) {
  for (std::size_t level = 0; level < counts_.size(); ++level) {
    counts_[level].assign(kBuckets >> (4 * level), 0);
  }
}

// The bits of positive floats rise with their value; the largest finite one comes first.
RankBased::Bucket RankBased::bucket_of(float magnitude) {
  return static_cast<Bucket>(0xfeffU - (std::bit_cast<std::uint32_t>(magnitude) >> 15));
}

void RankBased::count(Bucket bucket, std::uint32_t change) {
  for (std::size_t level = 0; level < counts_.size(); ++level) {
    counts_[level][std::size_t{bucket} >> (4 * level)] += change;
  }
  ranked_ += change == 1 ? 1 : -1;
}

void RankBased::insert(Index slot, Bucket bucket) {
  const auto s = static_cast<std::size_t>(slot);
  std::vector<std::uint32_t>& ties = slots_[bucket];
  ties.push_back(static_cast<std::uint32_t>(slot));  // may throw: before anything has changed
  bucket_[s] = bucket;
  position_[s] = static_cast<std::uint32_t>(ties.size() - 1);
  count(bucket, 1);
}

void RankBased::remove(Index slot) {
  const auto s = static_cast<std::size_t>(slot);
  if (position_[s] == kNowhere) return;
  std::vector<std::uint32_t>& ties = slots_[bucket_[s]];
  ties[position_[s]] = ties.back();
  position_[ties.back()] = position_[s];
  ties.pop_back();
  if (ties.capacity() > 64 && ties.size() < ties.capacity() / 4) {
    std::vector<std::uint32_t> smaller;
    smaller.reserve(ties.capacity() / 2);
    smaller.assign(ties.begin(), ties.end());
    ties.swap(smaller);
  }
  position_[s] = kNowhere;
  count(bucket_[s], ~std::uint32_t{0});
}

Index RankBased::rows_above(Bucket bucket) const {
  Index above = 0;
  for (std::size_t level = 0; level < counts_.size(); ++level) {
    const std::size_t at = std::size_t{bucket} >> (4 * level);
    for (std::size_t b = at & ~std::size_t{15}; b < at; ++b) above += counts_[level][b];
  }
  return above;
}

RankBased::Bucket RankBased::bucket_at(Index rank, Index& above) const {
  MNEME_ASSERT(rank >= 0 && rank < ranked_);
  std::size_t at = 0;
  above = 0;
  for (std::size_t level = counts_.size(); level-- > 0;) {
    at *= level + 1 == counts_.size() ? 1 : 16;
    while (above + counts_[level][at] <= rank) above += counts_[level][at++];
  }
  return static_cast<Bucket>(at);
}

void RankBased::do_append(Index first, std::span<const std::uint8_t>, Index count, RowState state) {
  for (Index slot = first; slot < first + count; ++slot) {
    remove(slot);
    if (state == RowState::drawable) insert(slot, bucket_of(max_seen_));
  }
}

void RankBased::do_exclude(std::span<const Index> slots) {
  for (const Index slot : slots) remove(slot);
}

void RankBased::do_admit(std::span<const Index> slots) {
  for (const Index slot : slots) insert(slot, bucket_of(max_seen_));
}

void RankBased::do_update(std::span<const Index> slots, std::span<const float> magnitudes,
                          Feedback) {
  for (const Index slot : slots) {
    __builtin_prefetch(&bucket_[static_cast<std::size_t>(slot)]);
    __builtin_prefetch(&position_[static_cast<std::size_t>(slot)]);
  }
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const Bucket bucket = bucket_of(magnitudes[i]);
    max_seen_ = std::max(max_seen_, magnitudes[i]);
    if (bucket_[static_cast<std::size_t>(slots[i])] == bucket) continue;
    remove(slots[i]);
    insert(slots[i], bucket);
  }
}

void RankBased::do_draw(std::span<const double> uniforms, Rng&, std::span<Index> slots) const {
  const double total = mass_.through(ranked_);
  for (std::size_t i = 0; i < uniforms.size(); ++i) {
    const double mass = uniforms[i] * total;
    Index above = 0;
    Bucket bucket = bucket_at(mass_.before(mass, ranked_), above);
    double start = mass_.through(above);
    // The guess may be a neighbor's: step until the bucket's share of the mass holds it.
    while (mass < start && above > 0) {
      bucket = bucket_at(above - 1, above);
      start = mass_.through(above);
    }
    auto ties = static_cast<Index>(slots_[bucket].size());
    double end = mass_.through(above + ties);
    while (mass >= end && above + ties < ranked_) {
      bucket = bucket_at(above + ties, above);
      ties = static_cast<Index>(slots_[bucket].size());
      start = end;
      end = mass_.through(above + ties);
    }
    // Ties share evenly what their ranks weigh together.
    const double place = (mass - start) / (end - start) * static_cast<double>(ties);
    const Index at = std::min(ties - 1, static_cast<Index>(std::max(place, 0.0)));
    slots[i] = slots_[bucket][static_cast<std::size_t>(at)];
  }
}

void RankBased::do_masses(std::span<const Index> slots, std::span<double> masses) const {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const auto s = static_cast<std::size_t>(slots[i]);
    if (position_[s] == kNowhere) {
      masses[i] = 0;
      continue;
    }
    const Index above = rows_above(bucket_[s]);
    const auto ties = static_cast<Index>(slots_[bucket_[s]].size());
    masses[i] = (mass_.through(above + ties) - mass_.through(above)) / static_cast<double>(ties);
  }
}

double RankBased::smallest_mass() const {
  if (ranked_ == 0) return 0;
  Index above = 0;
  bucket_at(ranked_ - 1, above);
  return (mass_.through(ranked_) - mass_.through(above)) / static_cast<double>(ranked_ - above);
}

// Bucket by bucket: the order inside decides which row a mass finds, so it is part of the state.
void RankBased::do_save(StateWriter& out) const {
  out.put(max_seen_);
  out.put(ranked_);
  for (std::size_t b = 0; b < kBuckets; ++b) {
    if (slots_[b].empty()) continue;
    out.put(static_cast<std::uint32_t>(b));
    out.put(static_cast<std::uint32_t>(slots_[b].size()));
    out.put_all(std::span<const std::uint32_t>(slots_[b]));
  }
}

void RankBased::do_load(StateReader& in, const Ring& ring) {
  const auto max_seen = in.get<float>();
  const auto ranked = in.get<Index>();
  Index expected = 0;
  for (const std::uint64_t bits : ring.drawable) expected += std::popcount(bits);
  if (!(max_seen >= 1 && std::isfinite(max_seen)) || ranked != expected) {
    throw CorruptData(concat(spec(), ": saved with largest error ", max_seen, " and ", ranked,
                             " ranked of ", expected, " rows"));
  }
  std::vector<std::vector<std::uint32_t>> slots(kBuckets);
  std::vector<Bucket> bucket(bucket_.size());
  std::vector<std::uint32_t> position(position_.size(), kNowhere);
  for (Index left = ranked; left > 0;) {
    const auto b = in.get<std::uint32_t>(), ties = in.get<std::uint32_t>();
    if (b >= kBuckets || ties == 0 || Index{ties} > left || !slots[b].empty()) {
      throw CorruptData(concat(spec(), ": saved bucket ", b, " with ", ties, " rows"));
    }
    slots[b].resize(ties);
    in.get_all(std::span<std::uint32_t>(slots[b]));
    for (std::uint32_t p = 0; p < ties; ++p) {
      const std::uint32_t slot = slots[b][p];
      if (Index{slot} >= capacity() || position[slot] != kNowhere ||
          (ring.drawable[slot / 64] >> (slot % 64) & 1) == 0) {
        throw CorruptData(concat(spec(), ": saved slot ", slot, " is not a drawable row"));
      }
      bucket[slot] = static_cast<Bucket>(b);
      position[slot] = p;
    }
    left -= ties;
  }
  slots_.swap(slots);
  bucket_.swap(bucket);
  position_.swap(position);
  max_seen_ = max_seen;
  ranked_ = 0;
  for (auto& level : counts_) std::fill(level.begin(), level.end(), 0);
  for (std::size_t b = 0; b < kBuckets; ++b) {
    const auto ties = static_cast<std::uint32_t>(slots_[b].size());
    for (std::size_t level = 0; level < counts_.size(); ++level) {
      counts_[level][b >> (4 * level)] += ties;
    }
    ranked_ += ties;
  }
}

extern constinit const PrioritizedEntry rank_per_entry = {
    prioritized_info("rank_per", "rank-based prioritized replay: 1/rank^alpha", kParams, kExamples),
    [](const Params& p, Index capacity) -> std::unique_ptr<PriorityDistribution> {
      return std::make_unique<RankBased>(
          capacity,
          RankOptions{.alpha = p.at("alpha"), .draws = draws_of(p), .weights = weights_of(p)});
    }};

}  // namespace mneme
