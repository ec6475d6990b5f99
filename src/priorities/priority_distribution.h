// priorities/priority_distribution.h - how likely each row of one stream is, as feedback arrives.
//
//   Proportional distribution(capacity, {.alpha = 0.6});
//   distribution.append(slot, 1);                   // a new row gets the largest priority
//   distribution.sample(rng, beta, slots, weights); // a batch with its importance weights
//   distribution.update(slots, td_errors);          // what the learner found
//
// A distribution lives in slot space: slot = sequence number mod capacity of one stream. It knows
// nothing of storage. The owner of the rows checks before update() that a slot still holds the row
// that was drawn (by its 64-bit id).
//
// Three kinds of slots: never written; *drawable* rows; and rows that are *held*: written but not
// to be drawn, such as the newest rows of an n-step buffer, whose horizon is not complete. Held
// rows carry no mass, feedback for them is skipped.
//
// Weights: w = (n P)^-beta with n the number of drawable rows, divided by the largest weight of the
// buffer or the batch. Draws are independent, or stratified: draw k of B takes the k-th of B equal
// shares of the mass, so that slots come out in rising order and every row's expected count over
// the batch is B P.
//
// One virtual call per batch. Changing members are for one thread at a time; const members may run
// beside each other.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/state.h"
#include "mneme/index.h"
#include "mneme/rng.h"

namespace mneme {

enum class Draws { stratified, independent };
enum class WeightScale { buffer, batch, none };  ///< by what importance weights are divided
enum class Feedback { td_error, priority };      ///< a signed error, or a priority as it is
enum class RowState { drawable, held };

/// What became of a batch of feedback.
struct FeedbackCount {
  Index applied = 0;
  Index refused = 0;  ///< NaN, infinite, or a negative priority
  Index skipped = 0;  ///< the slot holds no drawable row
  bool operator==(const FeedbackCount&) const = default;
};

/// beta from its first to its last value as `progress` goes from 0 to 1.
struct BetaSchedule {
  double first = 0.4, last = 1.0;
  double at(double progress) const {
    const double share = progress > 0 ? (progress < 1 ? progress : 1) : 0;
    return first + (last - first) * share;
  }
};

class PriorityDistribution {
 public:
  virtual ~PriorityDistribution() = default;
  PriorityDistribution(const PriorityDistribution&) = delete;
  PriorityDistribution& operator=(const PriorityDistribution&) = delete;

  /// Name and every option, written out: two distributions with the same spec and capacity behave
  /// alike.
  const std::string& spec() const { return spec_; }
  Index capacity() const { return capacity_; }
  Index drawable_rows() const { return rows_; }
  bool drawable(Index slot) const;
  /// Whether sample() would find anything: some drawable row has a priority above 0.
  bool can_sample() const { return can_draw(); }
  Index next_slot() const { return ring_.next; }  ///< where the next append must go

  /// `count` rows were written to slots first, first+1, ... around the ring, over what was there.
  /// ends[k] != 0 tells that row k is the last of its episode; empty means that none is. Throws
  /// InvalidArgument unless first == next_slot(), 1 <= count <= capacity and ends has that length
  /// or none.
  void append(Index first, Index count, std::span<const std::uint8_t> ends = {},
              RowState state = RowState::drawable);

  /// The newest episode ends with the newest row, though that row was appended without saying so (a
  /// cut).
  void end_episode();

  /// Drawable rows become held, held rows drawable (with the priority of a new row). Rows that are
  /// so already stay. Throws InvalidArgument for a slot outside the ring or, for admit, one that
  /// was never written.
  void exclude(std::span<const Index> slots);
  void admit(std::span<const Index> slots);

  /// Applies feedback. Values that are NaN, infinite, or negative where a priority is
  /// given, are refused and counted; the others are applied. A slot given twice keeps its last
  /// value. Throws InvalidArgument, having changed nothing, if a slot is outside the ring or the
  /// lengths differ.
  FeedbackCount update(std::span<const Index> slots, std::span<const float> values,
                       Feedback feedback = Feedback::td_error);

  /// Draws with replacement; weights may be empty. Throws InvalidArgument, having touched nothing,
  /// if no row can be drawn, the lengths differ, or beta is not in [0, 10].
  void sample(Rng& rng, double beta, std::span<Index> slots, std::span<float> weights) const;

  /// The draws that these uniforms in [0, 1) lead to. Distributions that reject take further
  /// numbers from `redraws`.
  void draw(std::span<const double> uniforms, Rng& redraws, std::span<Index> slots) const;

  /// Importance weights of slots, 0 for those that cannot be drawn.
  void weigh(std::span<const Index> slots, double beta, std::span<float> weights) const;

  /// The exact probability of a slot, 0 where no drawable row is or nothing can be drawn at all.
  double probability(Index slot) const;
  /// The same for many slots, at the cost of one total.
  void probabilities(std::span<const Index> slots, std::span<double> out) const;

  void save(StateWriter& out) const;
  /// Throws CorruptData if the bytes do not fit together, InvalidArgument if they belong to a
  /// distribution with another spec or capacity. Then nothing has changed.
  void load(StateReader& in);

 protected:
  PriorityDistribution(Index capacity, std::string spec, Draws draws, WeightScale scale);

  static constexpr std::size_t kChunk = 256;  // working memory of one step, on the stack
  bool written(Index slot) const { return slot < ring_.written; }
  Index rows_written() const { return ring_.written; }

  struct Ring {
    Index next = 0, written = 0;          // where the next row goes; how many slots hold a row
    std::vector<std::uint64_t> drawable;  // one bit per slot: may carry mass
  };

 private:
  // Everything below gets checked input. Ranges do not wrap. `redraws` is for distributions that
  // reject.
  virtual void do_append(Index first, std::span<const std::uint8_t> ends, Index count,
                         RowState state) = 0;
  virtual void do_end_episode() {}
  virtual void do_exclude(std::span<const Index> slots) = 0;
  virtual void do_admit(std::span<const Index> slots) = 0;
  virtual void do_update(std::span<const Index> slots, std::span<const float> magnitudes,
                         Feedback feedback) = 0;
  virtual bool can_draw() const = 0;
  virtual void do_draw(std::span<const double> uniforms, Rng& redraws,
                       std::span<Index> slots) const = 0;
  virtual void do_masses(std::span<const Index> slots, std::span<double> masses) const = 0;
  virtual double total_mass() const = 0;
  virtual double smallest_mass() const = 0;  // of the slots that can be drawn
  virtual void do_save(StateWriter& out) const = 0;
  // Reads everything, then changes anything.
  virtual void do_load(StateReader& in, const Ring& ring) = 0;

  void check_slots(std::span<const Index> slots, const char* call) const;
  void set_drawable(Index slot, bool on);

  Index capacity_;
  std::string spec_;
  Draws draws_;
  WeightScale scale_;
  Index rows_ = 0;  // drawable ones
  Ring ring_;
};

}  // namespace mneme
