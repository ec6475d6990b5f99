// ledger/ledger.h - the ledger: every study and every run, what they are and how they stand.
//
//   Ledger ledger("runs/ledger.db", Ledger::Mode::create);
//   const Id study = ledger.add_study({...});
//   const Id run = ledger.add_run({...}, factors);
//   ledger.set_state(run, RunState::running);
//   ingest(ledger, run);                       // ledger/ingest.h: what the run has written
//   for (const RunRow& row : ledger.runs({.study = "fig3-laptop"})) ...
//
// Curves are read with ledger/curves.h. Several processes may write: one waits for the other.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ledger/database.h"

namespace mneme::lab {

using Id = std::int64_t;

enum class RunState {
  planned,      ///< not begun
  running,      ///< a worker has it, or had it when the machine stopped
  stopped,      ///< begun; continues from its last checkpoint
  done,         ///< at its last step
  failed,       ///< `error` says why
  unavailable,  ///< cannot run on this machine; `error` says what is missing
  superseded    ///< the study was changed since: kept, but no longer part of it
};
const char* name_of(RunState state);

struct StudyRow {
  Id id = 0;
  std::string name = {}, text = {}, hash = {};
  double created = 0;
  std::int64_t runs = 0, done = 0, failed = 0;  ///< superseded ones not counted
};

struct RunRow {
  Id id = 0;
  std::string study = {}, key = {};
  RunState state = RunState::planned;
  std::string agent = {}, method = {}, task = {};  ///< method: the sampler or arm that is compared
  std::int64_t seed = 0, attempts = 0, step = 0, steps = 0;
  double score = 0, seconds = 0;                  ///< at the last evaluation; NaN before it
  double created = 0, started = 0, finished = 0;  ///< NaN: not yet
  /// In the file: relative to the ledger's folder, so that the folder can be moved. Here: joined to
  /// it. Of a stranger's ledger it may lead anywhere; see Ledger::holds.
  std::string directory = {};
  std::string build = {}, machine = {}, error = {};
  std::string command = {};  ///< that makes this run by itself
};

/// Which runs; what is empty does not restrict.
struct RunFilter {
  std::string study = {}, method = {}, task = {};
  std::string state = {};   ///< a name of RunState
  bool superseded = false;  ///< those too
};

using NamedValues = std::vector<std::pair<std::string, std::string>>;

class Ledger {
 public:
  using Mode = Database::Mode;
  /// Throws NotFound, IoError, CorruptData, InvalidArgument for a version of a newer program.
  explicit Ledger(const std::filesystem::path& path, Mode mode = Mode::open,
                  std::chrono::milliseconds patience = std::chrono::seconds(30));

  const Database& database() const { return db_; }
  /// Where the ledger is: runs are below it.
  std::filesystem::path folder() const;
  /// Whether the run's directory, every link followed, is below the ledger's folder.
  bool holds(const RunRow& run) const;

  // Studies. `hash` and `created` are filled in here.
  std::vector<StudyRow> studies() const;
  /// With id 0 if the name is unknown.
  StudyRow find_study(const std::string& name) const;
  Id add_study(const std::string& name, const std::string& text);
  void set_study_text(Id study, const std::string& text);

  // Runs. `settings`: of the agent, resolved; `factors`: what the study varies.
  std::vector<RunRow> runs(const RunFilter& filter = {}) const;
  /// By "study/key" or by the key alone where only one run has it, or by its number. Throws
  /// NotFound, InvalidArgument if several runs fit.
  RunRow run(const std::string& name) const;
  RunRow run(Id id) const;
  Id add_run(Id study, const RunRow& row, const std::string& configuration,
             const NamedValues& settings, const NamedValues& factors);
  std::string configuration(Id run) const;
  NamedValues settings(Id run) const;
  NamedValues factors(Id run) const;

  void set_state(Id run, RunState state, const std::string& error = {});
  /// An attempt begins: counted, with the machine and the build that it is made with.
  void begin_attempt(Id run, const std::string& build, const std::string& machine);
  /// Frees the key for another run: kept under a name that is free.
  void supersede(Id run, const std::string& directory);
  /// With everything it wrote; its directory is not touched.
  void remove_run(Id run);
  /// If it has no runs any more.
  void remove_study_if_empty(const std::string& name);

  /// The number a name stands for in the large tables.
  Id name_id(const std::string& text) const;

 private:
  RunRow read_run(const Statement& s) const;

  Database db_;
};

/// Seconds since 1970.
double now_seconds();

}  // namespace mneme::lab
