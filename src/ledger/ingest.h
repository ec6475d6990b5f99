// ledger/ingest.h - what a run has written so far, taken into the ledger.
//
// Reads only what is new. May be called at any moment and again: a line that is not finished waits
// for the next time, and a file that was taken back to a checkpoint is read anew, so that the
// ledger has what the files have. A reader that dies in between has changed nothing.
#pragma once

#include "ledger/ledger.h"

namespace mneme::lab {

/// eval.csv, metrics.csv, diagnostics.csv and, where there is one, timing.csv of the run's
/// directory. Files that do not exist yet are skipped. Throws CorruptData for a line that is not of
/// its table, naming it; IoError.
void ingest(Ledger& ledger, Id run);

}  // namespace mneme::lab
