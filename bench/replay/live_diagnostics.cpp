// bench/replay/live_diagnostics.cpp - what counting the draws costs: a reader that does against one
// that does not, on the same rows.
//
// The difference is smaller than what other work on the machine adds: single batches take turns
// (on, off, off, on), and of each round the lower quartiles are compared.
#include "base/text.h"
#include "replay/workload.h"

namespace mneme::bench {

void measure_live_diagnostics(const Settings& settings, Report& report) {
  report.section("live_diagnostics");
  ReplayBuffer buffer(config("uniform", settings.capacity));
  fill_wrapped(buffer);
  for (const char* sampler : {"uniform", "truncated_geometric"}) {
    for (const std::size_t size : {std::size_t{256}, std::size_t{32768}}) {
      const auto reader = [&](bool on) {
        return buffer.add_reader(concat(sampler, " ", size, on ? " on" : " off"),
                                 {.sampler = sampler, .diagnostics = on});
      };
      ReplayReader readers[2]{reader(true), reader(false)};
      Batch batch = buffer.make_batch(size);
      const int turns = size == 256 ? 200 : 8;
      std::vector<double> ratios, on_ns;
      for (int round = -1; round < settings.rounds; ++round) {
        std::vector<double> times[2];
        for (int k = 0; k < 2 * turns; ++k) {
          const std::size_t which = ((static_cast<unsigned>(k) + 1) >> 1) & 1;
          const double begin = now_ns(Clock::thread);
          readers[which].sample(batch);
          times[which].push_back((now_ns(Clock::thread) - begin) / static_cast<double>(size));
        }
        check_rows(batch, sampler);
        if (round < 0) continue;
        on_ns.push_back(quantile(times[0], 0.25));
        ratios.push_back(on_ns.back() / quantile(times[1], 0.25));
      }
      report.add({concat("`", sampler, "`, B = ", size == 256 ? "256" : "32,768",
                         ", counting its draws, against not"),
                  "x", spread_of(ratios), 1.02,
                  per_item({.name = "", .run = {}, .items = 1, .ns = on_ns}, "row")});
    }
  }
}

}  // namespace mneme::bench
