// bench/replay/adding.cpp - a vector step of 64 environments, and one row at a time, against a
// memcpy of the same bytes into a ring of the same size.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/pages.h"
#include "replay/workload.h"

namespace mneme::bench {
namespace {

constexpr std::size_t kVector = 64, kSteps = 8;

// Steps that lead from one into the next, the last into the first: made before the clock.
struct Steps {
  std::vector<std::vector<float>> observations;
  std::vector<float> action = std::vector<float>(kVector * kAction, 0.5f),
                     reward = std::vector<float>(kVector, 1.0f);
  std::size_t at = 0;
  Steps() {
    for (std::size_t k = 0; k < kSteps; ++k)
      observations.emplace_back(kVector * kObservation, static_cast<float>(k));
  }
  const std::vector<float>& now() const { return observations[at]; }
  const std::vector<float>& next() const { return observations[(at + 1) % kSteps]; }
  void advance() { at = (at + 1) % kSteps; }
};

class CopiedRing {
 public:
  CopiedRing(Index rows) : ring_(static_cast<std::size_t>(rows) * kRow) {
    std::memset(ring_.data(), 1, ring_.bytes());  // so that no page is new
  }
  void copy(const Steps& steps, std::size_t rows) {
    std::byte* to = ring_.data() + at_;
    std::memcpy(to, steps.next().data(), rows * 4 * kObservation);
    std::memcpy(to + rows * 4 * kObservation, steps.action.data(), rows * 4 * kAction);
    std::memcpy(to + rows * 4 * (kObservation + kAction), steps.reward.data(), rows * 4);
    at_ += rows * kRow;
    if (at_ + kVector * kRow > ring_.bytes()) at_ = 0;
  }

 private:
  static constexpr std::size_t kRow = static_cast<std::size_t>(kPayload);
  Pages ring_;
  std::size_t at_ = 0;
};

}  // namespace

void measure_adding(const Settings& settings, Report& report) {
  report.section("adding");
  ReplayBuffer vector(config("uniform", settings.capacity / kVector, kVector));
  ReplayBuffer with_priorities(config("per", settings.capacity / kVector, kVector));
  ReplayBuffer one(config("uniform", settings.capacity));
  CopiedRing ring(settings.capacity), small(settings.capacity);
  Steps a, b, c, d, e;
  const auto step = [](ReplayBuffer& buffer, Steps& s) {
    buffer.add_all({.observation = s.now(),
                    .action = s.action,
                    .reward = s.reward,
                    .next_observation = s.next()});
    s.advance();
  };
  const auto add_one = [&] {
    using Span = std::span<const float>;
    one.add({.observation = Span(e.now()).first(kObservation),
             .action = Span(e.action).first(kAction),
             .reward = 1,
             .next_observation = Span(e.next()).first(kObservation)});
    e.advance();
  };
  // wrapped, before the clock
  for (Index k = 0; k < settings.capacity / static_cast<Index>(kVector) * 4 / 3; ++k) {
    step(vector, a);
    step(with_priorities, b);
  }
  for (Index k = 0; k < settings.capacity * 4 / 3; ++k) add_one();
  for (const ReplayBuffer* buffer : {&vector, &with_priorities, &one}) {
    if (buffer->cuts() == 0 && buffer->size() >= settings.capacity / 64 * 64) continue;
    std::fprintf(stderr, "a step was not taken as the next one\n");
    std::exit(1);
  }

  constexpr auto kItems = static_cast<double>(kVector);
  std::vector<Contestant> all;
  all.push_back({"memcpy of 64 rows", [&] { ring.copy(c, kVector), c.advance(); }, kItems, 256});
  all.push_back({"add_all", [&] { step(vector, a); }, kItems, 256});
  all.push_back({"add_all, per", [&] { step(with_priorities, b); }, kItems, 256});
  all.push_back({"memcpy of one row", [&] { small.copy(d, 1), d.advance(); }, 1, 16384});
  all.push_back({"add", add_one, 1, 16384});
  take_turns(all, settings.rounds);
  const std::string copied = per_item(all[0], "row");
  report.add({"`add_all` of 64 streams, against a memcpy of the same bytes", "x",
              ratio(all[1], all[0]), 2, per_item(all[1], "row") + ", memcpy " + copied});
  report.add({"the same with priorities (`per`)",
              "x",
              ratio(all[2], all[0]),
              {},
              per_item(all[2], "row") + ", memcpy " + copied});
  report.add({"`add` of one row, against a memcpy of the same bytes",
              "x",
              ratio(all[4], all[3]),
              {},
              per_item(all[4], "row") + ", memcpy " + per_item(all[3], "row")});
}

}  // namespace mneme::bench
