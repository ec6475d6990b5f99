// run/requirements.cpp - counting parameters and rows.
#include "run/requirements.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "base/text.h"
#include "envs/remote/suites.h"
#include "mneme/error.h"
#include "os/machine.h"

namespace mneme::lab {
namespace {

// An interpreter with its suite; a run has one for each thread and suite, and one more to evaluate.
constexpr double kPythonBytes = 300e6;
// A process with LibTorch in it.
constexpr double kProcessBytes = 350e6;
// Weights, target, gradient and the optimizer's two moments, in single precision.
constexpr double kBytesPerParameter = 20;

double row_bytes(const RunConfig& run) {
  const double number = run.settings->run.storage == "f32" ? 4 : 2;
  return number * static_cast<double>(run.shape.observation()) +
         4 * static_cast<double>(run.shape.action()) + 8;
}

double python_bytes(const RunConfig& run) {
  std::set<std::string_view> suites;
  for (const std::string& task : run.tasks)
    if (const envs::PythonSuite* suite = envs::find_python_suite(task)) suites.insert(suite->name);
  return kPythonBytes * 2 * static_cast<double>(suites.size()) * static_cast<double>(run.threads);
}

}  // namespace

double buffer_bytes(const RunConfig& run) {
  const RunSettings& s = run.settings->run;
  return static_cast<double>(std::min(s.capacity, s.steps)) *
         static_cast<double>(run.shape.streams()) * row_bytes(run);
}

std::string bytes_text(double bytes) {
  const double scale = bytes < 1e6 ? 1e3 : bytes < 1e9 ? 1e6 : 1e9;
  const double tenths = scale < 1e9 ? 1 : 10;  // digits after the point of gigabytes
  const double value = std::round(bytes / scale * tenths) / tenths;
  std::string text = concat(value);
  if (scale == 1e9 && text.find('.') == std::string::npos) text += ".0";
  return concat(text, scale < 1e6 ? " kB" : scale < 1e9 ? " MB" : " GB");
}

Requirements requirements_of(const RunConfig& run) {
  const auto parameters = static_cast<double>(run.settings->network_shapes(run.shape).parameters());
  const double buffer = buffer_bytes(run);
  const bool on_disk = run.replay == "disk";
  // Twice the state: the next checkpoint is written before the last one goes.
  return {
      kProcessBytes + kBytesPerParameter * parameters + python_bytes(run) + (on_disk ? 0 : buffer),
      (on_disk ? buffer : 0) + 2 * 16 * parameters + 1e6};
}

void check_requirements(const RunConfig& run, const std::filesystem::path& directory) {
  const Requirements needs = requirements_of(run);
  const double memory = free_memory(), disk = free_disk(directory);
  if (needs.memory > memory)  // on CUDA too: the replay buffer is in host memory
    throw InvalidArgument(concat(
        "this run needs about ", bytes_text(needs.memory), " of memory and ", bytes_text(memory),
        " are free; ",
        run.replay == "disk" ? "narrower networks need less (--preset laptop, --set critic_width=)"
                             : "--replay disk keeps the buffer out of it, --set storage=f16 halves "
                               "it, --capacity shortens it"));
  if (needs.disk > disk)
    throw InvalidArgument(concat("this run needs about ", bytes_text(needs.disk),
                                 " on the disk of ", directory.string(), " and ", bytes_text(disk),
                                 " are free; --set storage=f16 halves its buffer, --capacity ",
                                 "shortens it, --out puts it elsewhere"));
}

}  // namespace mneme::lab
