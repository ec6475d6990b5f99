// priorities/reliability.cpp - episodes over the ring, their sums, and the acceptance R^omega.
#include "priorities/reliability.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/assert.h"
#include "base/powers.h"
#include "base/text.h"
#include "priorities/kind.h"
#include "priorities/leaf.h"

namespace mneme {
namespace {

constexpr std::size_t kFirstEpisodes = 16;

std::string spec_of(Index capacity, const ReliabilityOptions& o) {
  if (!(o.alpha >= 0 && o.alpha <= 8)) {
    throw InvalidArgument(concat("reaper: alpha ", o.alpha, " is outside [0, 8]"));
  }
  if (!(o.omega >= 0 && o.omega <= 8)) {
    throw InvalidArgument(concat("reaper: omega ", o.omega, " is outside [0, 8]"));
  }
  if (capacity >= (Index{1} << 31)) {
    throw InvalidArgument(concat("reaper: capacity ", capacity, " is outside [1, 2^31)"));
  }
  return concat("reaper:alpha=", shortest_number(o.alpha), ",omega=", shortest_number(o.omega));
}

// Sums live in f32 leaves: round up, so that no row of an unfinished episode is more than reliable.
float leaf_above(double sum) {
  const float rounded = detail::leaf_of(sum);
  return static_cast<double>(rounded) < sum ? std::nextafter(rounded, FLT_MAX) : rounded;
}

constexpr std::array kParams{
    number_param("alpha", 0.3, 0, 8, "exponent of |TD error|"),
    number_param("omega", 0.3, 0, 8, "exponent of the reliability; 0 is per"),
    kBetaParam,
    kBetaEndParam,
    kBatchWeightsParam,
    kDrawsParam};
constexpr std::array kExamples{std::string_view("reaper")};

}  // namespace

Reliability::Reliability(Index capacity, const ReliabilityOptions& options)
    : ThinnedDistribution(capacity, spec_of(capacity, options), options.draws, options.weights),
      options_(options),
      errors_(capacity),
      episode_of_(static_cast<std::size_t>(capacity)),
      updated_(static_cast<std::size_t>((capacity + 63) / 64)),
      episodes_(kFirstEpisodes),
      sums_(static_cast<Index>(kFirstEpisodes), PriorityTree::Extremes::both) {}

// How many rows lie from `first` up to `slot`, both included, around the ring.
Index Reliability::rows_from(Index first, Index slot) const {
  return (slot >= first ? slot - first : slot - first + capacity()) + 1;
}

double Reliability::sum_through(const Episode& e, Index slot) const {
  const Index rows = rows_from(e.first, slot), before_seam = std::min(rows, capacity() - e.first);
  return e.evicted + errors_.sum(e.first, before_seam) + errors_.sum(0, rows - before_seam);
}

double Reliability::sum_of(const Episode& e) const {
  return e.length == 0 ? e.evicted : sum_through(e, (e.first + e.length - 1) % capacity());
}

double Reliability::largest_sum() const {
  const double ended = static_cast<double>(sums_.maximum());
  const Episode& last = episode(newest_);
  const double f = ended > 0 ? ended : 1.0;
  return last.ended ? f : std::max(f, sum_of(last));
}

double Reliability::reliability(Index slot) const {
  if (slot < 0 || slot >= capacity() || !written(slot)) {
    throw InvalidArgument(concat(spec(), ": slot ", slot, " holds no row"));
  }
  const Episode& e = episode(episode_of_[static_cast<std::size_t>(slot)]);
  const double sum = e.ended ? sum_of(e) : largest_sum();
  // An episode without any error is fully reliable.
  return sum > 0 ? std::min(1.0, sum_through(e, slot) / sum) : 1.0;
}

void Reliability::accept(std::span<const Index> slots, std::span<double> acceptance) const {
  // The factor is 1 until a row's first update, and where no row is.
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const auto s = static_cast<std::size_t>(slots[i]);
    const bool counts = (updated_[s / 64] >> (s % 64) & 1) != 0;
    acceptance[i] = counts ? reliability(slots[i]) : 1.0;
  }
  detail::raise_all(acceptance, options_.omega);
}

// Sums of ended episodes are kept for F.
void Reliability::note_sum(std::uint32_t number) {
  const Episode& e = episode(number);
  const auto at = static_cast<Index>(number & (episodes_.size() - 1));
  sums_.fill_range(at, 1, e.ended && e.length > 0 ? leaf_above(sum_of(e)) : 0.0F);
}

void Reliability::begin_episode() {
  if (newest_ - oldest_ + 1 == episodes_.size()) grow();
  ++newest_;
  episode(newest_) = Episode{};
  drop_empty();
}

// Episodes of which no row is left are forgotten; the newest stays, for it may continue.
void Reliability::drop_empty() {
  while (oldest_ != newest_ && episode(oldest_).length == 0) ++oldest_;
}

void Reliability::grow() {
  std::vector<Episode> wider(2 * episodes_.size());
  PriorityTree sums(static_cast<Index>(wider.size()), PriorityTree::Extremes::both);
  for (std::uint32_t n = oldest_; n != newest_ + 1; ++n) {
    wider[n & (wider.size() - 1)] = episode(n);
  }
  episodes_.swap(wider);
  sums_ = std::move(sums);
  for (std::uint32_t n = oldest_; n != newest_ + 1; ++n) note_sum(n);
}

// The row at `slot` is about to be overwritten: its episode continues without it but remembers its
// error.
void Reliability::evict(Index slot) {
  const std::uint32_t number = episode_of_[static_cast<std::size_t>(slot)];
  Episode& e = episode(number);
  MNEME_ASSERT(e.first == slot && e.length > 0);
  e.evicted += static_cast<double>(errors_.value(slot));
  e.first = (e.first + 1) % capacity();
  if (--e.length > 0) return;
  note_sum(number);
  drop_empty();
}

void Reliability::do_append(Index first, std::span<const std::uint8_t> ends, Index count,
                            RowState state) {
  for (Index k = 0; k < count; ++k) {
    const Index slot = first + k;
    const auto s = static_cast<std::size_t>(slot);
    if (written(slot)) evict(slot);
    if (episode(newest_).ended) begin_episode();
    Episode& e = episode(newest_);
    if (e.length == 0) e.first = slot;
    ++e.length;
    episode_of_[s] = newest_;
    updated_[s / 64] &= ~(std::uint64_t{1} << (s % 64));
    errors_.fill_range(slot, 1, max_seen_);
    tree_.fill_range(slot, 1, state == RowState::drawable ? new_leaf_ : 0.0F);
    if (!ends.empty() && ends[static_cast<std::size_t>(k)] != 0) do_end_episode();
  }
}

void Reliability::do_end_episode() {
  Episode& e = episode(newest_);
  if (e.length == 0) return;
  e.ended = true;
  note_sum(newest_);
}

void Reliability::do_exclude(std::span<const Index> slots) {
  for (const Index slot : slots) tree_.clear_range(slot, 1);
}

void Reliability::do_admit(std::span<const Index> slots) {
  for (const Index slot : slots) {
    const auto s = static_cast<std::size_t>(slot);
    updated_[s / 64] &= ~(std::uint64_t{1} << (s % 64));
    tree_.fill_range(slot, 1, new_leaf_);
  }
}

void Reliability::do_update(std::span<const Index> slots, std::span<const float> magnitudes,
                            Feedback) {
  std::array<double, kChunk> scratch;
  std::array<float, kChunk> leaves;
  const std::size_t count = slots.size();
  detail::power_leaves(magnitudes, 0, options_.alpha, std::span(scratch).first(count),
                       std::span(leaves).first(count));
  tree_.set(slots, std::span(leaves).first(count));
  errors_.set(slots, magnitudes);
  for (std::size_t i = 0; i < count; ++i) {
    const auto s = static_cast<std::size_t>(slots[i]);
    updated_[s / 64] |= std::uint64_t{1} << (s % 64);
    if (magnitudes[i] > max_seen_) {
      max_seen_ = magnitudes[i];
      new_leaf_ = leaves[i];
    }
  }
  for (const Index slot : slots) note_sum(episode_of_[static_cast<std::size_t>(slot)]);
}

void Reliability::do_save(StateWriter& out) const {
  out.put(max_seen_);
  out.put(new_leaf_);
  out.put(static_cast<std::uint64_t>(newest_ - oldest_) + 1);
  for (std::uint32_t n = oldest_; n != newest_ + 1; ++n) {
    const Episode& e = episode(n);
    out.put(e.first);
    out.put(e.length);
    out.put(e.evicted);
    out.put(static_cast<std::uint64_t>(e.ended));
  }
  out.put_all(std::span<const std::uint64_t>(updated_));
  detail::save_leaves(out, tree_);
  detail::save_leaves(out, errors_);
}

void Reliability::do_load(StateReader& in, const Ring& ring) {
  const auto max_seen = in.get<float>(), new_leaf = in.get<float>();
  const auto count = in.get<std::uint64_t>();
  if (!(max_seen >= 1 && max_seen <= FLT_MAX && new_leaf >= 1 && new_leaf <= FLT_MAX) ||
      count < 1 || count > static_cast<std::uint64_t>(capacity()) + 1) {
    throw CorruptData(
        concat(spec(), ": saved largest error ", max_seen, " and ", count, " episodes"));
  }
  // Episodes follow each other around the ring, from the oldest row on, and hold every row.
  const Index oldest = ring.written == capacity() ? ring.next : 0;
  std::size_t room = kFirstEpisodes;
  while (room < count) room *= 2;
  std::vector<Episode> episodes(room);
  std::vector<std::uint32_t> episode_of(episode_of_.size());
  Index rows = 0;
  for (std::size_t n = 0; n < count; ++n) {
    Episode& e = episodes[n];
    e.first = in.get<Index>();
    e.length = in.get<Index>();
    e.evicted = in.get<double>();
    e.ended = in.get<std::uint64_t>() != 0;
    const bool last = n + 1 == count, empty = ring.written == 0;
    if (e.length < (empty ? 0 : 1) || e.length > ring.written - rows ||
        (!empty && e.first != (oldest + rows) % capacity()) || e.first < 0 ||
        e.first >= capacity() || !(e.evicted >= 0 && std::isfinite(e.evicted)) ||
        (!last && !e.ended)) {
      throw CorruptData(
          concat(spec(), ": saved episode ", n, " of ", e.length, " rows at ", e.first));
    }
    for (Index k = 0; k < e.length; ++k) {
      episode_of[static_cast<std::size_t>((e.first + k) % capacity())] =
          static_cast<std::uint32_t>(n);
    }
    rows += e.length;
  }
  if (rows != ring.written) {
    throw CorruptData(concat(spec(), ": episodes hold ", rows, " rows of ", ring.written));
  }
  std::vector<std::uint64_t> updated(updated_.size());
  in.get_all(std::span<std::uint64_t>(updated));
  const std::vector<float> leaves = detail::load_leaves(in, capacity());
  const std::vector<float> errors = detail::load_leaves(in, capacity());
  detail::check_held(leaves, ring.drawable);
  PriorityTree sums(static_cast<Index>(room), PriorityTree::Extremes::both);
  tree_.set_range(0, leaves);
  errors_.set_range(0, errors);
  updated_.swap(updated);
  episodes_.swap(episodes);
  episode_of_.swap(episode_of);
  sums_ = std::move(sums);
  oldest_ = 0;
  newest_ = static_cast<std::uint32_t>(count - 1);
  max_seen_ = max_seen;
  new_leaf_ = new_leaf;
  for (std::uint32_t n = 0; n <= newest_; ++n) note_sum(n);
}

extern constinit const PrioritizedEntry reaper_entry = {
    prioritized_info("reaper", "prioritized by TD error and by how reliable its target is", kParams,
                     kExamples),
    [](const Params& p, Index capacity) -> std::unique_ptr<PriorityDistribution> {
      return std::make_unique<Reliability>(capacity, ReliabilityOptions{.alpha = p.at("alpha"),
                                                                        .omega = p.at("omega"),
                                                                        .draws = draws_of(p),
                                                                        .weights = weights_of(p)});
    }};

}  // namespace mneme
