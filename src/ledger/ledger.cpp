// ledger/ledger.cpp - studies and runs: rows in and out.
#include "ledger/ledger.h"

#include <array>
#include <charconv>
#include <cmath>

#include "base/text.h"
#include "ledger/schema.h"
#include "mneme/error.h"
#include "os/file.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;

constexpr std::array kStates{RunState::planned,   RunState::running, RunState::stopped,
                             RunState::done,      RunState::failed,  RunState::unavailable,
                             RunState::superseded};

RunState state_named(const std::string& name) {
  for (const RunState state : kStates)
    if (name == name_of(state)) return state;
  throw CorruptData(concat("a run's state is '", name, "', which this program does not know"));
}

constexpr const char* kRunColumns =
    "SELECT run.id, study.name, run.key, run.state, run.agent, run.method, run.task, run.seed, "
    "run.attempts, run.step, run.steps, run.score, run.seconds, run.created, run.started, "
    "run.finished, run.directory, run.build, run.machine, run.error, run.command FROM run JOIN "
    "study ON "
    "study.id = run.study ";

RunRow row_of(const Statement& s) {
  return {.id = s.integer(0),
          .study = s.text(1),
          .key = s.text(2),
          .state = state_named(s.text(3)),
          .agent = s.text(4),
          .method = s.text(5),
          .task = s.text(6),
          .seed = s.integer(7),
          .attempts = s.integer(8),
          .step = s.integer(9),
          .steps = s.integer(10),
          .score = s.real(11),
          .seconds = s.real(12),
          .created = s.real(13),
          .started = s.real(14),
          .finished = s.real(15),
          .directory = s.text(16),
          .build = s.text(17),
          .machine = s.text(18),
          .error = s.text(19),
          .command = s.text(20)};
}

// FNV-1a: tells texts apart; not a cryptographic hash.
std::string hash_of(const std::string& text) {
  std::uint64_t sum = 0xcbf29ce484222325ULL;
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  std::string out;
  for (int digit = 0; digit < 16; ++digit, sum <<= 4) out += "0123456789abcdef"[sum >> 60];
  return out;
}

NamedValues named_values(const Database& db, const char* table, Id run) {
  NamedValues values;
  Statement s =
      db.prepare(concat("SELECT name.text, value FROM ", table, " JOIN name ON name.id = ", table,
                        ".name WHERE run = ? ORDER BY name.id"));
  s.bind(run);
  while (s.step()) values.emplace_back(s.text(0), s.text(1));
  return values;
}

}  // namespace

namespace {

// A directory as the file keeps it.
std::string stored(const fs::path& directory, const fs::path& folder) {
  if (directory.empty()) return {};
  const fs::path whole = fs::absolute(directory).lexically_normal();
  const fs::path below = whole.lexically_relative(fs::absolute(folder).lexically_normal());
  return below.empty() || *below.begin() == ".." ? whole.string() : below.string();
}

// And back. Before, it was relative to the directory that the study was started in, or absolute:
// FOLDER/STUDY/KEY, of which the last two are below the ledger wherever that is now.
std::string located(const std::string& directory, const std::string& study,
                    const fs::path& folder) {
  if (directory.empty()) return {};
  const fs::path path = directory;
  const fs::path tail = fs::path(study) / path.filename();
  if (directory == tail.string() || directory.ends_with("/" + tail.string())) {
    std::error_code error;
    if (path.is_relative() || fs::exists(folder / tail, error)) return (folder / tail).string();
  }
  return (path.is_absolute() ? path : folder / path).string();
}

}  // namespace

std::filesystem::path Ledger::folder() const {
  const fs::path folder = db_.path().parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

bool Ledger::holds(const RunRow& run) const { return is_inside(run.directory, folder()); }

RunRow Ledger::read_run(const Statement& s) const {
  RunRow row = row_of(s);
  row.directory = located(row.directory, row.study, folder());
  return row;
}

double now_seconds() {
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  return now.count();
}

const char* name_of(RunState state) {
  switch (state) {
    case RunState::planned:
      return "planned";
    case RunState::running:
      return "running";
    case RunState::stopped:
      return "stopped";
    case RunState::done:
      return "done";
    case RunState::failed:
      return "failed";
    case RunState::unavailable:
      return "unavailable";
    case RunState::superseded:
      return "superseded";
  }
  return "?";
}

Ledger::Ledger(const std::filesystem::path& path, Mode mode, std::chrono::milliseconds patience)
    : db_(path, mode, patience) {
  bring_up_to_date(db_);
}

std::vector<StudyRow> Ledger::studies() const {
  std::vector<StudyRow> rows;
  Statement s = db_.prepare(
      "SELECT study.id, name, text, hash, study.created, count(run.id), "
      "sum(run.state = 'done'), sum(run.state = 'failed') FROM study LEFT JOIN run ON run.study = "
      "study.id AND run.state <> 'superseded' GROUP BY study.id ORDER BY study.id");
  while (s.step())
    rows.push_back({.id = s.integer(0),
                    .name = s.text(1),
                    .text = s.text(2),
                    .hash = s.text(3),
                    .created = s.real(4),
                    .runs = s.integer(5),
                    .done = s.integer(6),
                    .failed = s.integer(7)});
  return rows;
}

StudyRow Ledger::find_study(const std::string& name) const {
  for (StudyRow& row : studies())
    if (row.name == name) return row;
  return {};
}

Id Ledger::add_study(const std::string& name, const std::string& text) {
  Statement s = db_.prepare("INSERT INTO study (name, text, hash, created) VALUES (?, ?, ?, ?)");
  s.bind(name).bind(text).bind(hash_of(text)).bind(now_seconds()).run();
  return db_.last_id();
}

void Ledger::set_study_text(Id study, const std::string& text) {
  Statement s = db_.prepare("UPDATE study SET text = ?, hash = ? WHERE id = ?");
  s.bind(text).bind(hash_of(text)).bind(study).run();
}

std::vector<RunRow> Ledger::runs(const RunFilter& filter) const {
  std::string where;
  std::vector<std::string> values;
  const auto restrict = [&](const char* column, const std::string& value) {
    if (value.empty()) return;
    where += concat(where.empty() ? "WHERE " : "AND ", column, " = ? ");
    values.push_back(value);
  };
  restrict("study.name", filter.study);
  restrict("run.method", filter.method);
  restrict("run.task", filter.task);
  restrict("run.state", filter.state);
  if (!filter.superseded && filter.state.empty())
    where += concat(where.empty() ? "WHERE " : "AND ", "run.state <> 'superseded' ");
  Statement s = db_.prepare(concat(kRunColumns, where, "ORDER BY run.id"));
  for (const std::string& value : values) s.bind(value);
  std::vector<RunRow> rows;
  while (s.step()) rows.push_back(read_run(s));
  return rows;
}

RunRow Ledger::run(Id id) const {
  Statement s = db_.prepare(concat(kRunColumns, "WHERE run.id = ?"));
  if (!s.bind(id).step()) throw NotFound(concat("the ledger has no run number ", id));
  return read_run(s);
}

RunRow Ledger::run(const std::string& name) const {
  Id id = 0;
  const char* end = name.data() + name.size();
  if (const auto [at, error] = std::from_chars(name.data(), end, id);
      error == std::errc() && at == end)
    return run(id);
  Statement s = db_.prepare(
      concat(kRunColumns, "WHERE run.key = ?1 OR study.name || '/' || run.key = ?1 LIMIT 2"));
  if (!s.bind(name).step()) {
    std::vector<std::string> known;
    for (const RunRow& row : runs()) known.push_back(concat(row.study, '/', row.key));
    const std::vector<std::string> near = nearest_names(name, known, 1);
    throw NotFound(concat("the ledger has no run '", name.substr(0, 120), "'",
                          near.empty() ? "" : "; did you mean '",
                          near.empty() ? "" : near.front() + "'", "? mneme runs ls lists them"));
  }
  RunRow row = read_run(s);
  if (s.step())
    throw InvalidArgument(concat("several studies have a run '", name, "'; write STUDY/", name,
                                 ", for example ", row.study, '/', name));
  return row;
}

Id Ledger::add_run(Id study, const RunRow& row, const std::string& configuration,
                   const NamedValues& settings, const NamedValues& factors) {
  db_.prepare(
         "INSERT INTO run (study, key, state, agent, method, task, seed, steps, created, "
         "directory, error, command) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .bind(study)
      .bind(row.key)
      .bind(name_of(row.state))
      .bind(row.agent)
      .bind(row.method)
      .bind(row.task)
      .bind(row.seed)
      .bind(row.steps)
      .bind(now_seconds())
      .bind(stored(row.directory, folder()))
      .bind(row.error)
      .bind(row.command)
      .run();
  const Id id = db_.last_id();
  db_.prepare("INSERT INTO configuration (run, text) VALUES (?, ?)")
      .bind(id)
      .bind(configuration)
      .run();
  for (const auto& [table, values] : {std::pair{"setting", &settings}, {"factor", &factors}}) {
    Statement s =
        db_.prepare(concat("INSERT INTO ", table, " (run, name, value) VALUES (?, ?, ?)"));
    for (const auto& [name, value] : *values) s.bind(id).bind(name_id(name)).bind(value).run();
  }
  return id;
}

std::string Ledger::configuration(Id run) const {
  Statement s = db_.prepare("SELECT text FROM configuration WHERE run = ?");
  return s.bind(run).step() ? s.text(0) : std::string();
}

NamedValues Ledger::settings(Id run) const { return named_values(db_, "setting", run); }
NamedValues Ledger::factors(Id run) const { return named_values(db_, "factor", run); }

void Ledger::set_state(Id run, RunState state, const std::string& error) {
  const bool over = state == RunState::done || state == RunState::failed;
  Statement s = db_.prepare("UPDATE run SET state = ?, error = ?, finished = ? WHERE id = ?");
  s.bind(name_of(state)).bind(error).bind(over ? now_seconds() : std::nan("")).bind(run).run();
}

void Ledger::begin_attempt(Id run, const std::string& build, const std::string& machine) {
  Statement s = db_.prepare(
      "UPDATE run SET state = 'running', attempts = attempts + 1, error = '', build = ?, machine = "
      "?, started = coalesce(started, ?) WHERE id = ?");
  s.bind(build).bind(machine).bind(now_seconds()).bind(run).run();
}

void Ledger::supersede(Id run, const std::string& directory) {
  const RunRow row = this->run(run);
  std::string key;
  for (int number = 1;; ++number) {
    key = concat(row.key, '~', number);
    Statement taken = db_.prepare(
        "SELECT 1 FROM run WHERE key = ? AND study = (SELECT study FROM run WHERE id = ?)");
    if (!taken.bind(key).bind(run).step()) break;
  }
  Statement s =
      db_.prepare("UPDATE run SET key = ?, directory = ?, state = 'superseded' WHERE id = ?");
  s.bind(key).bind(stored(directory, folder())).bind(run).run();
}

void Ledger::remove_run(Id run) { db_.prepare("DELETE FROM run WHERE id = ?").bind(run).run(); }

void Ledger::remove_study_if_empty(const std::string& name) {
  db_.prepare(
         "DELETE FROM study WHERE name = ? AND NOT EXISTS (SELECT 1 FROM run WHERE run.study = "
         "study.id)")
      .bind(name)
      .run();
}

Id Ledger::name_id(const std::string& text) const {
  Statement find = db_.prepare("SELECT id FROM name WHERE text = ?");
  if (find.bind(text).step()) return find.integer(0);
  db_.prepare("INSERT INTO name (text) VALUES (?)").bind(text).run();
  return db_.last_id();
}

}  // namespace mneme::lab
