// ledger/ingest.cpp - from lines to rows. A file's cursor and its rows change together.
#include "ledger/ingest.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/crc32c.h"
#include "base/text.h"
#include "mneme/error.h"
#include "os/file.h"
#include "run/tables.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;
using Cells = std::vector<std::string_view>;

// Empty and 'nan' cells are NaN.
double real(std::string_view cell) {
  if (cell.empty() || cell.find("nan") != std::string_view::npos) return std::nan("");
  if (cell.find("inf") != std::string_view::npos) return cell.front() == '-' ? -HUGE_VAL : HUGE_VAL;
  const auto value = parse_number(cell);
  if (!value) throw CorruptData(concat("'", cell.substr(0, 40), "' is not a number"));
  return *value;
}

std::int64_t whole(std::string_view cell) {
  const double value = real(cell);
  if (value != std::floor(value) || !(std::abs(value) <= 9e15))
    throw CorruptData(concat("'", cell.substr(0, 40), "' is not a whole number"));
  return static_cast<std::int64_t>(value);
}

// A name is looked up once per call.
class Names {
 public:
  explicit Names(const Ledger& ledger) : ledger_(ledger) {}
  Id operator()(std::string_view text) {
    const auto [at, fresh] = known_.try_emplace(std::string(text), 0);
    if (fresh) at->second = ledger_.name_id(at->first);
    return at->second;
  }

 private:
  const Ledger& ledger_;
  std::map<std::string, Id> known_;
};

// A line of a table, its cells by the names of their columns.
class Row {
 public:
  Row(const Cells& header, const Cells& cells) : header_(header), cells_(cells) {}
  bool has(std::string_view name) const {
    return std::find(header_.begin(), header_.end(), name) != header_.end();
  }
  std::string_view operator[](std::string_view name) const {
    const auto at = std::find(header_.begin(), header_.end(), name);
    if (at == header_.end()) throw CorruptData(concat("the table has no column '", name, "'"));
    return cells_[static_cast<std::size_t>(at - header_.begin())];
  }

 private:
  const Cells &header_, &cells_;
};

// A file of a run and the table it goes to.
struct Source {
  RunTable file;
  const char *table, *columns;
  void (*put)(Statement& to, Id run, const Row& row, Names& names);
};

void put_evaluation(Statement& to, Id run, const Row& row, Names& names) {
  to.bind(run).bind(names(row[column::task])).bind(whole(row[column::step]));
  to.bind(whole(row[column::frame])).bind(real(row[column::seconds]));
  to.bind(whole(row[column::episodes]));
  for (const std::string_view name :
       {column::mean_return, column::deviation, column::score, column::success, column::length})
    to.bind(real(row[name]));
  to.run();
}

void put_metric(Statement& to, Id run, const Row& row, Names& names) {
  to.bind(run).bind(names(row[column::name])).bind(whole(row[column::step]));
  to.bind(real(row[column::value])).run();
}

void put_diagnostic(Statement& to, Id run, const Row& row, Names& names) {
  to.bind(run).bind(names(concat(row[column::reader], ':', row[column::name])));
  to.bind(whole(row[column::step])).bind(real(row[column::value])).run();
}

// A column per phase; older programs wrote rows of name and value, as for metrics.
void put_timing(Statement& to, Id run, const Row& row, Names& names) {
  if (row.has(column::name)) return put_metric(to, run, row, names);
  for (const std::string_view name : columns_of(RunTable::timing))
    if (name != column::step && name != column::frame && row.has(name))
      to.bind(run).bind(names(name)).bind(whole(row[column::step])).bind(real(row[name])).run();
}

constexpr Source kSources[] = {
    {RunTable::evaluation, "evaluation",
     "run, task, step, frame, seconds, episodes, mean_return, deviation, score, success, length",
     put_evaluation},
    {RunTable::metrics, "metric", "run, name, step, value", put_metric},
    {RunTable::diagnostics, "diagnostic", "run, name, step, value", put_diagnostic},
    {RunTable::timing, "timing", "run, name, step, value", put_timing}};

std::string marks(std::string_view columns) {
  std::string text = "?";
  for (const char c : columns)
    if (c == ',') text += ", ?";
  return text;
}

std::uint32_t sum_of(std::string_view bytes) { return crc32c(0, bytes.data(), bytes.size()); }

// The lines of one file that are new; whether there were any.
bool ingest_file(const Ledger& ledger, Id run, const fs::path& path, const std::string& text,
                 const Source& source, Names& names) {
  const Database& db = ledger.database();
  const std::string file(file_of(source.file));
  const std::string_view all = std::string_view(text).substr(0, text.rfind('\n') + 1);
  std::size_t from = 0;
  bool gone = false;
  {
    Statement cursor = db.prepare("SELECT bytes, sum FROM cursor WHERE run = ? AND file = ?");
    if (cursor.bind(run).bind(file).step()) {
      const auto bytes = static_cast<std::size_t>(cursor.integer(0));
      // Truncated to a checkpoint since then: what was read is no longer what is there.
      if (bytes <= all.size() && sum_of(all.substr(0, bytes)) == cursor.integer(1)) {
        from = bytes;
      } else {
        cursor.reset();
        gone = true;
        db.prepare(concat("DELETE FROM ", source.table, " WHERE run = ?")).bind(run).run();
      }
    }
  }
  if (from == all.size()) return gone;

  const Cells header = cells_of(all.substr(0, all.find('\n')));
  Statement put = db.prepare(concat("INSERT OR REPLACE INTO ", source.table, " (", source.columns,
                                    ") VALUES (", marks(source.columns), ")"));
  for (std::size_t at = from; at < all.size();) {
    const std::size_t end = all.find('\n', at);
    const std::string_view line = all.substr(at, end - at);
    try {
      const Cells cells = cells_of(line);
      if (cells.size() != header.size())
        throw CorruptData(concat(cells.size(), " cells where the header has ", header.size()));
      if (at > 0) source.put(put, run, Row(header, cells), names);
    } catch (const Error& error) {
      if (dynamic_cast<const CorruptData*>(&error) == nullptr) throw;
      throw CorruptData(concat(path.string(), ": '", line.substr(0, 80), "': ", error.what()));
    }
    at = end + 1;
  }
  db.prepare("INSERT OR REPLACE INTO cursor (run, file, bytes, sum) VALUES (?, ?, ?, ?)")
      .bind(run)
      .bind(file)
      .bind(static_cast<std::int64_t>(all.size()))
      .bind(static_cast<std::int64_t>(sum_of(all)))
      .run();
  return true;
}

// Step, score and seconds of the run, from its rows.
void summarize(const Database& db, Id run) {
  db.prepare(
        "UPDATE run SET "
        "step = max(coalesce((SELECT max(step) FROM evaluation WHERE run = ?1), 0), coalesce("
        "(SELECT max(step) FROM metric WHERE run = ?1 AND name = (SELECT id FROM name WHERE text = "
        "'updates')), 0)), "
        "(score, seconds) = (SELECT avg(score), max(seconds) FROM evaluation WHERE run = ?1 AND "
        "step = (SELECT max(step) FROM evaluation WHERE run = ?1)) WHERE id = ?1")
      .bind(run)
      .run();
}

}  // namespace

void ingest(Ledger& ledger, Id run) {
  const fs::path directory = ledger.run(run).directory;
  Names names(ledger);
  Transaction all(ledger.database());
  bool changed = false;
  for (const Source& source : kSources) {
    const fs::path path = directory / file_of(source.file);
    if (const auto text = read_file_if_present(path))
      changed |= ingest_file(ledger, run, path, *text, source, names);
  }
  if (!changed) return;
  summarize(ledger.database(), run);
  all.commit();
}

}  // namespace mneme::lab
