// bench/replay/workload.h - the parts of the report, one file each, and what they share.
#pragma once

#include "mneme/replay_buffer.h"
#include "replay/contest.h"

namespace mneme::bench {

constexpr std::size_t kObservation = 64, kAction = 8;
constexpr double kPayload = 4 * (kObservation + kAction + 1) + 4;  // with the end word: 296

struct Settings {
  Index capacity = 1'000'000;
  int rounds = 31;
  std::string directory;  // for the files; must not exist
};

/// The usual rows.
ReplayConfig config(const std::string& sampler, Index capacity, Index streams = 1);

/// Appends steps from .. to-1 of one stream: every number of observation t is t modulo 2^20, and
/// episodes have 1000 steps.
void fill(ReplayBuffer& buffer, Index stream, Index from, Index to);
/// A third more than fits into every stream.
Index fill_wrapped(ReplayBuffer& buffer);
/// Gives all rows of a stream exponential TD errors.
void feed(ReplayReader& reader, Index stream, Index from, Index to, Rng& rng);
/// Ends the program if a batch holds a row that was not filled in so.
void check_rows(const Batch& batch, const char* who);

void measure_memory(const Settings& settings, Report& report);
void measure_sampling(const Settings& settings, Report& report);
void measure_live_diagnostics(const Settings& settings, Report& report);
void measure_adding(const Settings& settings, Report& report);
void measure_tree(const Settings& settings, Report& report);
void measure_exactness(const Settings& settings, Report& report);
void measure_tasks(const Settings& settings, Report& report);
void measure_beside_writer(const Settings& settings, Report& report);
void measure_files(const Settings& settings, Report& report);

}  // namespace mneme::bench
