// ledger/schema.cpp - one step per version: a new ledger takes all of them, an older one those
// it lacks. A step that has been released is never edited; a change is another step.
//
// Names (of metrics, tasks, settings) are numbers in the large tables, and those are clustered by
// what is asked of them: one curve of one run is one stretch of the file.
#include "ledger/schema.h"

#include <array>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme::lab {
namespace {

constexpr std::int64_t kApplication = 0x6d6e656d;  // "mnem"

constexpr std::array<const char*, 2> kSteps{// 1: studies, runs, and what runs write.
                                            R"sql(
CREATE TABLE study (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  text TEXT NOT NULL,           -- resolved: scale and overrides laid over the file
  hash TEXT NOT NULL,
  created REAL NOT NULL         -- seconds since 1970, as all times
);
CREATE TABLE run (
  id INTEGER PRIMARY KEY,
  study INTEGER NOT NULL REFERENCES study (id),
  key TEXT NOT NULL,            -- its name within the study
  state TEXT NOT NULL,
  agent TEXT NOT NULL,
  method TEXT NOT NULL,         -- the sampler or arm that is compared
  task TEXT NOT NULL,           -- or the name of a set that is learned together
  seed INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  step INTEGER NOT NULL DEFAULT 0,
  steps INTEGER NOT NULL,
  score REAL,                   -- mean over tasks at the last evaluation
  seconds REAL,                 -- of work at the last evaluation
  created REAL NOT NULL,
  started REAL,
  finished REAL,
  directory TEXT NOT NULL,
  command TEXT NOT NULL DEFAULT '',  -- that makes this run by itself
  build TEXT NOT NULL DEFAULT '',
  machine TEXT NOT NULL DEFAULT '',
  error TEXT NOT NULL DEFAULT '',
  UNIQUE (study, key)
);
CREATE TABLE configuration (    -- beside `run`, so that lists of runs stay small
  run INTEGER PRIMARY KEY REFERENCES run (id) ON DELETE CASCADE,
  text TEXT NOT NULL
);
CREATE TABLE name (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE setting (          -- of the agent, resolved
  run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  name INTEGER NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (run, name)
) WITHOUT ROWID;
CREATE TABLE factor (           -- what the study varies, as its file writes it
  run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  name INTEGER NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (run, name)
) WITHOUT ROWID;
CREATE TABLE evaluation (
  run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  task INTEGER NOT NULL,
  step INTEGER NOT NULL,
  frame INTEGER NOT NULL,
  seconds REAL,
  episodes INTEGER NOT NULL,
  mean_return REAL,
  deviation REAL,
  score REAL,
  success REAL,                 -- NULL where success is not defined
  length REAL,
  PRIMARY KEY (run, task, step)
) WITHOUT ROWID;
CREATE TABLE metric (
  run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  name INTEGER NOT NULL,
  step INTEGER NOT NULL,
  value REAL,
  PRIMARY KEY (run, name, step)
) WITHOUT ROWID;
CREATE TABLE diagnostic (
  run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  name INTEGER NOT NULL,        -- reader:name, such as critic:expected_recency
  step INTEGER NOT NULL,
  value REAL,
  PRIMARY KEY (run, name, step)
) WITHOUT ROWID;
CREATE TABLE cursor (           -- how far each file of a run has been read
  run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  file TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  sum INTEGER NOT NULL,         -- CRC-32C of those bytes
  PRIMARY KEY (run, file)
) WITHOUT ROWID;
)sql",
                                            // 2: where the time went.
                                            R"sql(
CREATE TABLE timing (
  run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  name INTEGER NOT NULL,        -- environment, sample, gather, update, feedback, ...
  step INTEGER NOT NULL,
  value REAL,                   -- seconds since the run began
  PRIMARY KEY (run, name, step)
) WITHOUT ROWID;
)sql"};

// A file that cannot be written cannot be brought up to date.
void check_readable(const Database& db) {
  if (db.number("PRAGMA application_id") != kApplication)
    throw CorruptData(concat(db.path().string(), " is a database of another program, not a ledger ",
                             "of mneme; choose another file"));
  throw InvalidArgument(
      concat(db.path().string(), " is of ledger version ", db.number("PRAGMA user_version"),
             ", this program reads version ", static_cast<int>(kSteps.size()),
             ", and the file cannot be written; copy the folder to where it can"));
}

}  // namespace

int ledger_version() { return static_cast<int>(kSteps.size()); }

const char* schema_step(int version) { return kSteps.at(static_cast<std::size_t>(version - 1)); }

void bring_up_to_date(const Database& db) {
  // Without the lock first: a ledger that is current is opened without waiting for other processes.
  if (db.number("PRAGMA user_version") == ledger_version() &&
      db.number("PRAGMA application_id") == kApplication)
    return;
  if (db.read_only()) return check_readable(db);
  Transaction all(db);
  const std::int64_t version = db.number("PRAGMA user_version");
  const bool empty = db.number("SELECT count(*) FROM sqlite_master") == 0;
  if (!empty && db.number("PRAGMA application_id") != kApplication)
    throw CorruptData(concat(db.path().string(),
                             " is a database of another program, not a ledger of ",
                             "mneme; choose another file"));
  if (version > ledger_version())
    throw InvalidArgument(concat(
        db.path().string(), " was written by a newer mneme (ledger version ", version,
        ", this one knows up to ", ledger_version(), "); use that one. Nothing was changed"));
  for (std::int64_t next = version + 1; next <= ledger_version(); ++next)
    db.execute(schema_step(static_cast<int>(next)));
  db.execute(concat("PRAGMA user_version = ", ledger_version(),
                    "; PRAGMA application_id = ", kApplication));
  all.commit();
}

}  // namespace mneme::lab
