// mneme/live_diagnostics.h - what sampling really did to the data, measured over the batches drawn.
//
//   const mneme::LiveDiagnostics live = buffer.diagnostics();
//   live.expected_recency, live.sampling_entropy, live.never_replayed, ...
//
// The words mean what they mean in mneme/diagnostics.h, where they are computed from a sampler's
// formula; here they are counted, since the reader was made or reset_diagnostics() was called.
// Entropies are in nats. A number is NaN while nothing has been counted that it could come from.
#pragma once

#include <cstdint>
#include <vector>

#include "mneme/index.h"

namespace mneme {

/// Bins of histograms over ages and over replays: 0, 1, ..., 15 have one each, and from there on
/// every octave has eight of equal width. Bin b holds first_of_bin(b) .. first_of_bin(b + 1) - 1.
int bin_of(Index value);
Index first_of_bin(int bin);

struct LiveDiagnostics {
  std::uint64_t batches = 0, draws = 0;
  std::uint64_t rows_added = 0;  ///< to all streams
  double replay_volume = 0;      ///< draws / rows_added

  /// Ages are counted in every batch, in buffers beyond 65,536 rows in one of eight.
  std::uint64_t draws_by_age = 0;
  double mean_age = 0;           ///< 0 = the newest of its stream
  double expected_recency = 0;   ///< mean of i / (n - 1) over the starts that could be drawn then
  double reference_recency = 0;  ///< 1 - mean_age / (capacity - 1)
  std::vector<std::uint64_t> age_histogram;  ///< draws by age, see bin_of
  /// Entropy of the ages drawn, within a stream and over the whole time since the reset, if the
  /// ages of one bin were equally likely: -sum p_b ln(p_b / ages in b), with (bins met - 1) /
  /// (2 draws_by_age) added for the bias of the counts (Miller and Madow). Above the
  /// true entropy by what varies within bins, which is less than 0.002 for uniform and truncated
  /// geometric sampling; draws that depend on more than age (priorities) show only as ages.
  double sampling_entropy = 0;

  /// Replays of single rows are counted for a fixed share of them: all in small buffers, 1 in a
  /// power of two in large ones, chosen by a hash of their numbers.
  double tracked_share = 1;
  std::uint64_t rows_evicted = 0;  ///< tracked rows added since the reset and overwritten since
  double replays_per_row = 0;      ///< mean over them: how often each had been drawn
  double never_replayed = 0;       ///< share of them that was never drawn
  std::vector<std::uint64_t> replay_histogram;  ///< of them by the number of draws, see bin_of

  std::uint64_t batches_searched = 0;  ///< 1 in 32, looked through for repeated rows
  double unique_share = 0;             ///< distinct rows in these batches / draws in them

  std::uint64_t feedback_applied = 0, feedback_stale = 0, feedback_refused = 0;
  std::uint64_t cuts = 0;  ///< streams interrupted without notice or declared cut
};

}  // namespace mneme
