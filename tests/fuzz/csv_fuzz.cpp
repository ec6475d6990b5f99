// tests/fuzz/csv_fuzz.cpp - any bytes as a CSV file: scores come out, or an mneme::Error; nothing
// else.
//
// Scores that were read continue through arranging, normalizing, averaging and a few repetitions of the
// bootstrap, so that a table the reader should have refused is caught by what stands behind it.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "mneme/bootstrap.h"
#include "mneme/error.h"
#include "mneme/scores.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mneme::stats;
  try {
    const ScoreTable table = parse_scores({reinterpret_cast<const char*>(data), size}, "fuzz.csv");
    for (MethodCurves& method : arrange({&table, 1}, size % 2 == 0)) {
      std::vector<Scale> scales;
      for (const std::string& task : method.curves.tasks)
        scales.push_back(scale_of(task, Suite::automatic));
      normalise(method.curves, scales);
      const ScoreMatrix scores = auc(without_step_zero(method.curves));
      bootstrap_aggregates(scores, {.repetitions = 3});
      const std::vector<double> curve = mean_curve(method.curves);
      speed_up(method.curves.steps, curve, curve);
    }
  } catch (const mneme::Error&) {
  }
  return 0;
}
