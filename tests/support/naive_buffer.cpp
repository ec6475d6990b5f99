// tests/support/naive_buffer.cpp - walking.
#include "support/naive_buffer.h"

#include <algorithm>
#include <cmath>

namespace mneme::test {

void NaiveBuffer::add(Index stream, NaiveTransition row) {
  Stream& s = at(stream);
  if (size(stream) == config_.capacity) s.rows.pop_front();
  if (!s.rows.empty() && s.rows.back().end == NaiveEnd::none &&
      s.rows.back().next_observation != row.observation) {
    s.rows.back().end = NaiveEnd::cut;
    ++cuts_;
  }
  s.rows.push_back(std::move(row));
  ++s.head;
  // The row whose window has just become complete enters with the largest priority.
  if (size(stream) > held())
    s.rows[s.rows.size() - 1 - static_cast<std::size_t>(held())].priority = s.largest;
}

void NaiveBuffer::take_rows(const NaiveBuffer& other) {
  streams_ = other.streams_;
  cuts_ = other.cuts_;
  for (Stream& stream : streams_) {
    stream.largest = 1;
    for (NaiveTransition& row : stream.rows) row.priority = 1;
  }
}

void NaiveBuffer::cut(Index stream) {
  Stream& s = at(stream);
  if (s.rows.empty() || s.rows.back().end != NaiveEnd::none) return;
  s.rows.back().end = NaiveEnd::cut;
  ++cuts_;
}

bool NaiveBuffer::stored(std::uint64_t id) const {
  const Index stream = ReplayBuffer::stream_of(id);
  const std::uint64_t sequence = ReplayBuffer::sequence_of(id);
  return stream < config_.streams && sequence >= oldest(stream) && sequence < head(stream);
}

FeedbackReport NaiveBuffer::update_priorities(std::span<const std::uint64_t> ids,
                                              std::span<const float> td_errors) {
  FeedbackReport report;
  for (std::size_t k = 0; k < ids.size(); ++k) {
    const Index stream = ReplayBuffer::stream_of(ids[k]);
    const std::uint64_t sequence = ReplayBuffer::sequence_of(ids[k]);
    const bool here = stored(ids[k]), number = std::isfinite(td_errors[k]);
    if (!takes_feedback_) {
      ++report.ignored;
    } else if (here && !number) {
      ++report.refused;
    } else if (!here || !drawable(stream, sequence)) {
      ++report.stale;
    } else {
      ++report.applied;
      Stream& s = at(stream);
      const double priority = std::abs(static_cast<double>(td_errors[k])) + eps_;
      s.rows[sequence - oldest(stream)].priority = priority;
      s.largest = std::max(s.largest, priority);
    }
  }
  return report;
}

bool NaiveBuffer::drawable(Index stream, std::uint64_t sequence) const {
  if (sequence < oldest(stream) || sequence >= head(stream)) return false;
  const auto index = static_cast<Index>(sequence - oldest(stream));
  const auto age = static_cast<Index>(head(stream) - 1 - sequence);
  const Index first = oldest(stream) > 0 ? config_.stack - 1 : 0;
  return index >= first && age >= held();
}

Index NaiveBuffer::drawable_rows(Index stream) const {
  Index count = 0;
  for (std::uint64_t q = oldest(stream); q < head(stream); ++q) count += drawable(stream, q);
  return count;
}

bool NaiveBuffer::can_sample() const {
  for (Index s = 0; s < config_.streams; ++s)
    if (drawable_rows(s) == 0) return false;
  return true;
}

bool NaiveBuffer::begins_episode(Index stream, std::uint64_t sequence) const {
  return sequence == oldest(stream) || row(stream, sequence - 1).end != NaiveEnd::none;
}

// Frames oldest first; the episode's first one is repeated where there are too few.
std::vector<float> NaiveBuffer::stack(Index stream, std::uint64_t newest, Index frames) const {
  std::vector<float> out;
  std::uint64_t at_row = newest;
  for (Index f = 0; f < frames; ++f) {
    const std::vector<float>& frame = row(stream, at_row).observation;
    out.insert(out.begin(), frame.begin(), frame.end());
    if (!begins_episode(stream, at_row)) --at_row;
  }
  return out;
}

std::vector<float> NaiveBuffer::stack_after(Index stream, std::uint64_t last) const {
  std::vector<float> out = stack(stream, last, config_.stack - 1);
  const std::vector<float>& next = row(stream, last).next_observation;
  out.insert(out.end(), next.begin(), next.end());
  return out;
}

NaiveWindow NaiveBuffer::window(Index stream, std::uint64_t sequence) const {
  NaiveWindow w;
  const NaiveTransition& first = row(stream, sequence);
  w.observation = stack(stream, sequence, config_.stack);
  w.action = first.action;
  w.fields = first.fields;
  w.age = static_cast<Index>(head(stream) - 1 - sequence);
  std::uint64_t q = sequence;
  double power = 1;
  while (true) {
    w.last = &row(stream, q);
    w.reward += power * static_cast<double>(w.last->reward);
    power *= config_.discount;
    ++w.horizon;
    if (w.last->end != NaiveEnd::none || w.horizon == config_.n_step || q + 1 == head(stream))
      break;
    ++q;
  }
  w.discount = w.last->end == NaiveEnd::terminated ? 0 : power;
  w.next_observation = stack_after(stream, q);
  return w;
}

NaiveSequence NaiveBuffer::sequence(Index stream, std::uint64_t start, Index length,
                                    Index burn_in) const {
  // Back over the burn-in, as far as the episode and whole stacks go ...
  const std::uint64_t whole =
      oldest(stream) > 0 ? oldest(stream) + static_cast<std::uint64_t>(config_.stack - 1) : 0;
  std::uint64_t first = start;
  Index back = 0;
  while (back < burn_in && first > whole && !begins_episode(stream, first)) {
    --first;
    ++back;
  }
  // ... then on to the end of the window, the episode or the data.
  const std::size_t width = stack(stream, start, config_.stack).size(),
                    actions = row(stream, start).action.size();
  NaiveSequence s;
  for (Index k = back; k < burn_in; ++k) {
    s.valid.push_back(0);
    s.observation.insert(s.observation.end(), width, 0);
    s.action.insert(s.action.end(), actions, 0);
    s.reward.push_back(0);
  }
  std::uint64_t q = first;
  while (true) {
    const NaiveTransition& r = row(stream, q);
    const std::vector<float> frames = stack(stream, q, config_.stack);
    s.valid.push_back(1);
    s.observation.insert(s.observation.end(), frames.begin(), frames.end());
    s.action.insert(s.action.end(), r.action.begin(), r.action.end());
    s.reward.push_back(r.reward);
    if (r.end != NaiveEnd::none || static_cast<Index>(s.valid.size()) == length ||
        q + 1 == head(stream))
      break;
    ++q;
  }
  s.last_observation = stack_after(stream, q);
  s.terminated = row(stream, q).end == NaiveEnd::terminated;
  const auto steps = static_cast<std::size_t>(length);
  s.valid.resize(steps);
  s.reward.resize(steps);
  s.observation.resize(steps * width);
  s.action.resize(steps * actions);
  return s;
}

double NaiveBuffer::weight(Index stream, std::uint64_t sequence, double alpha, double beta) const {
  double least = INFINITY;
  for (std::uint64_t q = oldest(stream); q < head(stream); ++q)
    if (drawable(stream, q)) least = std::min(least, row(stream, q).priority);
  return std::pow(least / row(stream, sequence).priority, alpha * beta);
}

}  // namespace mneme::test
