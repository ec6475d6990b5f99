// report/replay_plane.h - what runs measured besides scores: where their draws lie between old
// and new, and where their time went.
#pragma once

#include "report/study_report.h"

namespace mneme::lab {

/// Fills in recency, frontier and timing of a group. Means over at most 32 runs of each method: the
/// spread between seeds is far below what a picture shows.
void add_replay_places(const Ledger& ledger, const Group& group, GroupReport& report);

}  // namespace mneme::lab
