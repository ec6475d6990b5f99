// priorities/recency_priority.cpp - priorities in the tree, recency in the acceptance.
#include "priorities/recency_priority.h"

#include <algorithm>
#include <array>

#include "base/elementary.h"
#include "base/text.h"
#include "priorities/kind.h"
#include "priorities/leaf.h"

namespace mneme {
namespace {

std::string spec_of(const RecencyPriorityOptions& o) {
  if (!(o.recency >= 0 && o.recency <= 1000)) {
    throw InvalidArgument(concat("recency_per: recency ", o.recency, " is outside [0, 1000]"));
  }
  if (!(o.alpha >= 0 && o.alpha <= 8)) {
    throw InvalidArgument(concat("recency_per: alpha ", o.alpha, " is outside [0, 8]"));
  }
  if (!(o.eps >= 0 && o.eps <= 1e6)) {
    throw InvalidArgument(concat("recency_per: eps ", o.eps, " is outside [0, 1e6]"));
  }
  return concat("recency_per:recency=", shortest_number(o.recency),
                ",alpha=", shortest_number(o.alpha), ",eps=", shortest_number(o.eps));
}

constexpr std::array kParams{
    number_param("recency", 10, 0, 1000,
                 "log2 odds of newest over oldest in a full buffer; 0 is per"),
    number_param("alpha", 0.6, 0, 8, "exponent of the priority; 0 is truncated_geometric"),
    kEpsParam,
    kBetaParam,
    kBetaEndParam,
    kBatchWeightsParam,
    kDrawsParam};
constexpr std::array kExamples{std::string_view("recency_per")};

}  // namespace

RecencyPriority::RecencyPriority(Index capacity, const RecencyPriorityOptions& options)
    : ThinnedDistribution(capacity, spec_of(options), options.draws, options.weights),
      options_(options),
      rate_(options.recency * detail::kLn2 /
            static_cast<double>(std::max<Index>(1, capacity - 1))) {}

void RecencyPriority::do_append(Index first, std::span<const std::uint8_t>, Index count,
                                RowState state) {
  tree_.fill_range(first, count, state == RowState::drawable ? new_leaf_ : 0.0F);
}

void RecencyPriority::do_exclude(std::span<const Index> slots) {
  for (const Index slot : slots) tree_.clear_range(slot, 1);
}

void RecencyPriority::do_admit(std::span<const Index> slots) {
  for (const Index slot : slots) tree_.fill_range(slot, 1, new_leaf_);
}

void RecencyPriority::do_update(std::span<const Index> slots, std::span<const float> magnitudes,
                                Feedback feedback) {
  std::array<double, kChunk> scratch;
  std::array<float, kChunk> leaves;
  const double eps = feedback == Feedback::td_error ? options_.eps : 0.0;
  detail::power_leaves(magnitudes, eps, options_.alpha, std::span(scratch).first(slots.size()),
                       std::span(leaves).first(slots.size()));
  tree_.set(slots, std::span(leaves).first(slots.size()));
  for (std::size_t i = 0; i < slots.size(); ++i) new_leaf_ = std::max(new_leaf_, leaves[i]);
}

Index RecencyPriority::newest_drawable() const {
  Index slot = next_slot();
  for (Index age = 0; age < rows_written(); ++age) {
    slot = slot == 0 ? capacity() - 1 : slot - 1;
    if (drawable(slot)) break;
  }
  return slot;
}

void RecencyPriority::accept(std::span<const Index> slots, std::span<double> acceptance) const {
  const Index newest = newest_drawable();
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const Index age = newest >= slots[i] ? newest - slots[i] : newest - slots[i] + capacity();
    acceptance[i] = detail::exp_of(-rate_ * static_cast<double>(age));
  }
}

void RecencyPriority::do_save(StateWriter& out) const {
  out.put(new_leaf_);
  detail::save_leaves(out, tree_);
}

void RecencyPriority::do_load(StateReader& in, const Ring& ring) {
  const auto new_leaf = in.get<float>();
  if (!(new_leaf >= 1 && new_leaf <= FLT_MAX)) {
    throw CorruptData(concat(spec(), ": saved largest leaf ", new_leaf));
  }
  const std::vector<float> leaves = detail::load_leaves(in, capacity());
  detail::check_held(leaves, ring.drawable);
  tree_.set_range(0, leaves);
  new_leaf_ = new_leaf;
}

extern constinit const PrioritizedEntry recency_per_entry = {
    prioritized_info("recency_per", "truncated geometric recency times per", kParams, kExamples),
    [](const Params& p, Index capacity) -> std::unique_ptr<PriorityDistribution> {
      return std::make_unique<RecencyPriority>(capacity,
                                               RecencyPriorityOptions{.recency = p.at("recency"),
                                                                      .alpha = p.at("alpha"),
                                                                      .eps = p.at("eps"),
                                                                      .draws = draws_of(p),
                                                                      .weights = weights_of(p)});
    }};

}  // namespace mneme
