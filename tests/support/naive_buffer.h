// tests/support/naive_buffer.h - a replay buffer written in the plainest way, to compare the real
// one with.
//
// Every transition is stored whole, with its own next observation, in a std::deque per stream.
// Windows, stacks and sequences are found by walking. It shares no code with the buffer and lives
// on its own: it may outlive any number of buffer objects that are fed the same rows.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "mneme/replay_buffer.h"

namespace mneme::test {

enum class NaiveEnd { none, terminated, truncated, cut };

struct NaiveTransition {
  std::vector<float> observation, action, next_observation;
  float reward = 0;
  NaiveEnd end = NaiveEnd::none;
  std::vector<std::vector<float>> fields;
  double priority = 1;  // proportional: |TD error| + eps
};

/// What a batch must say of one row.
struct NaiveWindow {
  std::vector<float> observation, action, next_observation;
  std::vector<std::vector<float>> fields;
  double reward = 0, discount = 0;
  Index horizon = 0, age = 0;
  const NaiveTransition* last = nullptr;  // the last step taken
};

/// What a batch of sequences must say of one window.
struct NaiveSequence {
  std::vector<float> observation, action, reward, last_observation;
  std::vector<std::uint8_t> valid;
  bool terminated = false;
};

class NaiveBuffer {
 public:
  NaiveBuffer(const ReplayConfig& config, bool takes_feedback, double eps)
      : config_(config),
        takes_feedback_(takes_feedback),
        eps_(eps),
        streams_(static_cast<std::size_t>(config.streams)) {}

  /// The rows of another one, each with the priority of a new row. REQUIRES: the same streams.
  void take_rows(const NaiveBuffer& other);

  void add(Index stream, NaiveTransition row);
  void cut(Index stream);
  FeedbackReport update_priorities(std::span<const std::uint64_t> ids,
                                   std::span<const float> td_errors);

  Index size(Index stream) const { return static_cast<Index>(at(stream).rows.size()); }
  std::uint64_t head(Index stream) const { return at(stream).head; }
  std::uint64_t oldest(Index stream) const { return head(stream) - at(stream).rows.size(); }
  std::uint64_t cuts() const { return cuts_; }
  bool stored(std::uint64_t id) const;

  /// Whether a batch may hold this row: stored, its window complete, its stack not below the
  /// oldest.
  bool drawable(Index stream, std::uint64_t sequence) const;
  Index drawable_rows(Index stream) const;
  bool can_sample() const;

  NaiveWindow window(Index stream, std::uint64_t sequence) const;
  NaiveSequence sequence(Index stream, std::uint64_t start, Index length, Index burn_in) const;

  /// The importance weight of proportional priorities, divided by the buffer's largest.
  double weight(Index stream, std::uint64_t sequence, double alpha, double beta) const;

  const NaiveTransition& row(Index stream, std::uint64_t sequence) const {
    return at(stream).rows.at(sequence - oldest(stream));
  }

 private:
  struct Stream {
    std::deque<NaiveTransition> rows;
    std::uint64_t head = 0;
    double largest = 1;  // priority ever seen
  };
  Stream& at(Index stream) { return streams_.at(static_cast<std::size_t>(stream)); }
  const Stream& at(Index stream) const { return streams_.at(static_cast<std::size_t>(stream)); }
  Index held() const { return config_.horizon == Horizon::full ? config_.n_step - 1 : 0; }
  bool begins_episode(Index stream, std::uint64_t sequence) const;
  std::vector<float> stack(Index stream, std::uint64_t newest, Index frames) const;
  std::vector<float> stack_after(Index stream, std::uint64_t last) const;

  ReplayConfig config_;
  bool takes_feedback_;
  double eps_;
  std::vector<Stream> streams_;
  std::uint64_t cuts_ = 0;
};

}  // namespace mneme::test
