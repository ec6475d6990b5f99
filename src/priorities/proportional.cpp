// priorities/proportional.cpp - PER on one tree.
#include "priorities/proportional.h"

#include <algorithm>
#include <array>

#include "base/elementary.h"
#include "base/text.h"
#include "priorities/kind.h"
#include "priorities/leaf.h"

namespace mneme {
namespace {

std::string spec_of(const ProportionalOptions& o) {
  if (!(o.alpha >= 0 && o.alpha <= 8)) {
    throw InvalidArgument(concat("per: alpha ", o.alpha, " is outside [0, 8]"));
  }
  if (!(o.eps >= 0 && o.eps <= 1e6)) {
    throw InvalidArgument(concat("per: eps ", o.eps, " is outside [0, 1e6]"));
  }
  return concat("per:alpha=", shortest_number(o.alpha), ",eps=", shortest_number(o.eps),
                ",new=", o.new_rows == NewRows::seen ? "seen" : "stored");
}

constexpr std::array kParams{
    number_param("alpha", 0.6, 0, 8, "exponent of the priority; 0 is uniform"),
    kEpsParam,
    kBetaParam,
    kBetaEndParam,
    choice_param("new_rows", "seen|stored", 0,
                 "a new row gets the largest priority ever seen, or of the stored rows"),
    kWeightsParam,
    kDrawsParam};
constexpr std::array kExamples{std::string_view("per")};

}  // namespace

Proportional::Proportional(Index capacity, const ProportionalOptions& options)
    : PriorityDistribution(capacity, spec_of(options), options.draws, options.weights),
      options_(options),
      tree_(capacity, options.new_rows == NewRows::stored ? PriorityTree::Extremes::both
                                                          : PriorityTree::Extremes::minimum) {}

float Proportional::new_leaf() const {
  if (options_.new_rows == NewRows::seen) return seen_leaf_;
  return tree_.maximum() > 0 ? tree_.maximum() : 1.0F;
}

double Proportional::new_priority() const {
  if (options_.new_rows == NewRows::seen) return max_seen_;
  return options_.alpha == 0 ? 1.0
                             : detail::pow_of(static_cast<double>(new_leaf()), 1 / options_.alpha);
}

void Proportional::do_append(Index first, std::span<const std::uint8_t>, Index count,
                             RowState state) {
  tree_.fill_range(first, count, state == RowState::drawable ? new_leaf() : 0.0F);
}

void Proportional::do_exclude(std::span<const Index> slots) {
  const std::array<float, kChunk> zeros{};
  for (std::size_t done = 0; done < slots.size(); done += kChunk) {
    const std::size_t count = std::min(kChunk, slots.size() - done);
    tree_.set(slots.subspan(done, count), std::span(zeros).first(count));
  }
}

void Proportional::do_admit(std::span<const Index> slots) {
  std::array<float, kChunk> leaves;
  leaves.fill(new_leaf());
  tree_.set(slots, std::span(leaves).first(slots.size()));
}

void Proportional::do_update(std::span<const Index> slots, std::span<const float> magnitudes,
                             Feedback feedback) {
  std::array<double, kChunk> scratch;
  std::array<float, kChunk> leaves;
  const double eps = feedback == Feedback::td_error ? options_.eps : 0.0;
  const std::size_t count = slots.size();
  float largest = 0;
  for (const float m : magnitudes) largest = std::max(largest, m);
  detail::power_leaves(magnitudes, eps, options_.alpha, std::span(scratch).first(count),
                       std::span(leaves).first(count));
  tree_.set(slots, std::span(leaves).first(count));
  if (static_cast<double>(largest) + eps > max_seen_) {
    max_seen_ = static_cast<double>(largest) + eps;
    for (std::size_t i = 0; i < count; ++i) seen_leaf_ = std::max(seen_leaf_, leaves[i]);
  }
}

void Proportional::do_draw(std::span<const double> uniforms, Rng&, std::span<Index> slots) const {
  std::array<double, kChunk> masses;
  const double total = tree_.total();
  for (std::size_t i = 0; i < uniforms.size(); ++i) masses[i] = uniforms[i] * total;
  tree_.find(std::span(masses).first(uniforms.size()), slots);
}

void Proportional::do_masses(std::span<const Index> slots, std::span<double> masses) const {
  std::array<float, kChunk> leaves;
  tree_.values(slots, std::span(leaves).first(slots.size()));
  for (std::size_t i = 0; i < slots.size(); ++i) masses[i] = static_cast<double>(leaves[i]);
}

void Proportional::do_save(StateWriter& out) const {
  out.put(max_seen_);
  detail::save_leaves(out, tree_);
}

void Proportional::do_load(StateReader& in, const Ring& ring) {
  const auto max_seen = in.get<double>();
  if (!(max_seen >= 1 && max_seen <= 1e39)) {
    throw CorruptData(concat(spec(), ": saved largest priority ", max_seen));
  }
  const std::vector<float> leaves = detail::load_leaves(in, capacity());
  detail::check_held(leaves, ring.drawable);
  tree_.set_range(0, leaves);
  max_seen_ = max_seen;
  std::array<double, 1> leaf{max_seen};
  detail::raise_all(leaf, options_.alpha);
  seen_leaf_ = detail::leaf_of(leaf[0]);
}

extern constinit const PrioritizedEntry per_entry = {
    prioritized_info("per", "proportional prioritized replay: |TD error|^alpha", kParams,
                     kExamples),
    [](const Params& p, Index capacity) -> std::unique_ptr<PriorityDistribution> {
      return std::make_unique<Proportional>(
          capacity, ProportionalOptions{
                        .alpha = p.at("alpha"),
                        .eps = p.at("eps"),
                        .new_rows = p.chosen("new_rows", "seen") ? NewRows::seen : NewRows::stored,
                        .draws = draws_of(p),
                        .weights = weights_of(p)});
    }};

}  // namespace mneme
