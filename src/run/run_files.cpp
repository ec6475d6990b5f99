// run/run_files.cpp - the list.
#include "run/run_files.h"

#include <array>

namespace mneme::lab {
namespace {

constexpr std::array<std::string_view, 23> kFiles{"config.toml",
                                                  "config.toml.new",
                                                  ".config.toml.*.part",
                                                  "eval.csv",
                                                  "metrics.csv",
                                                  "diagnostics.csv",
                                                  "timing.csv",
                                                  "checkpoint/state-*",
                                                  "checkpoint/.state-*.part",
                                                  "replay/manifest",
                                                  "replay/manifest.*",
                                                  "replay/.manifest.*",
                                                  "replay/lock",
                                                  "replay/*.segment",
                                                  "replay.old/manifest",
                                                  "replay.old/manifest.*",
                                                  "replay.old/.manifest.*",
                                                  "replay.old/lock",
                                                  "replay.old/*.segment",
                                                  "tensorboard/events.out.tfevents.*",
                                                  "log.txt",
                                                  "log.1.txt",
                                                  "log.2.txt"};
// The last three are the log.
constexpr std::span<const std::string_view> kAllButLog(kFiles.data(), kFiles.size() - 3);
constexpr KnownFiles kRunFiles{"config.toml", kFiles};

}  // namespace

const KnownFiles& run_files() {
  static constexpr KnownFiles known = kRunFiles;
  return known;
}

std::span<const std::string_view> run_files_but_log() { return kAllButLog; }

}  // namespace mneme::lab
