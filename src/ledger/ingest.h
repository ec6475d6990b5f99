// ledger/ingest.h - copies what a run has written so far into the ledger.
//
// Reads only what is new. May be called at any moment and again: an unfinished line waits for the
// next call, and a file that was truncated to a checkpoint is read again, so that the ledger has
// what the files have. A process that is killed in between has changed nothing.
#pragma once

#include "ledger/ledger.h"

namespace mneme::lab {

/// The tables of run/tables.h in the run's directory. Files that do not exist yet are skipped, and
/// so are columns this program does not know. Throws CorruptData for a malformed line, naming it, or
/// a missing column; IoError.
void ingest(Ledger& ledger, Id run);

}  // namespace mneme::lab
