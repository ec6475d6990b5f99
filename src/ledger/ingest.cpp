// ledger/ingest.cpp - from lines to rows. A file's cursor and its rows change together.
#include "ledger/ingest.h"

#include <cmath>
#include <fstream>
#include <map>

#include "base/crc32c.h"
#include "base/text.h"
#include "mneme/error.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;
using Cells = std::vector<std::string_view>;

Cells split(std::string_view line) {
  Cells cells;
  for (std::size_t at = 0;;) {
    const std::size_t comma = line.find(',', at);
    cells.push_back(line.substr(at, comma - at));
    if (comma == std::string_view::npos) return cells;
    at = comma + 1;
  }
}

// A cell without a number, or with one that is none, has none.
double real(std::string_view cell) {
  if (cell.empty() || cell.find("nan") != std::string_view::npos) return std::nan("");
  if (cell.find("inf") != std::string_view::npos) return cell.front() == '-' ? -HUGE_VAL : HUGE_VAL;
  const auto value = parse_number(cell);
  if (!value) throw CorruptData(concat("'", cell.substr(0, 40), "' is no number"));
  return *value;
}

std::int64_t whole(std::string_view cell) {
  const double value = real(cell);
  if (value != std::floor(value) || std::abs(value) > 9e15)
    throw CorruptData(concat("'", cell.substr(0, 40), "' is no whole number"));
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

// One file of a run and the table it goes to.
struct Source {
  const char *file, *table, *columns;
  void (*put)(Statement& to, Id run, const Cells& header, const Cells& cells, Names& names);
};

void put_evaluation(Statement& to, Id run, const Cells&, const Cells& c, Names& names) {
  to.bind(run).bind(names(c.at(3))).bind(whole(c.at(0))).bind(whole(c.at(1))).bind(real(c.at(2)));
  to.bind(whole(c.at(4)));
  for (std::size_t at = 5; at < 10; ++at) to.bind(real(c.at(at)));
  to.run();
}

// step, frame, name, value
void put_metric(Statement& to, Id run, const Cells&, const Cells& c, Names& names) {
  to.bind(run).bind(names(c.at(2))).bind(whole(c.at(0))).bind(real(c.at(3))).run();
}

// step, frame, reader, name, value
void put_diagnostic(Statement& to, Id run, const Cells&, const Cells& c, Names& names) {
  to.bind(run).bind(names(concat(c.at(2), ':', c.at(3)))).bind(whole(c.at(0))).bind(real(c.at(4)));
  to.run();
}

// Seconds since the run began: step, frame, name, value as for metrics, or a column per phase.
void put_timing(Statement& to, Id run, const Cells& header, const Cells& c, Names& names) {
  if (header.size() == 4 && header[2] == "name") return put_metric(to, run, header, c, names);
  for (std::size_t at = 1; at < header.size(); ++at)
    if (header[at] != "frame")
      to.bind(run).bind(names(header[at])).bind(whole(c.at(0))).bind(real(c.at(at))).run();
}

constexpr Source kSources[] = {
    {"eval.csv", "evaluation",
     "run, task, step, frame, seconds, episodes, mean_return, deviation, score, success, length",
     put_evaluation},
    {"metrics.csv", "metric", "run, name, step, value", put_metric},
    {"diagnostics.csv", "diagnostic", "run, name, step, value", put_diagnostic},
    {"timing.csv", "timing", "run, name, step, value", put_timing}};

std::string marks(std::string_view columns) {
  std::string text = "?";
  for (const char c : columns)
    if (c == ',') text += ", ?";
  return text;
}

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::uint32_t sum_of(std::string_view bytes) { return crc32c(0, bytes.data(), bytes.size()); }

// Whether anything was new.
bool take(const Ledger& ledger, Id run, const fs::path& path, const Source& source, Names& names) {
  const Database& db = ledger.database();
  const std::string text = content(path);
  const std::string_view all = std::string_view(text).substr(0, text.rfind('\n') + 1);
  std::size_t from = 0;
  bool gone = false;
  {
    Statement cursor = db.prepare("SELECT bytes, sum FROM cursor WHERE run = ? AND file = ?");
    if (cursor.bind(run).bind(source.file).step()) {
      const auto bytes = static_cast<std::size_t>(cursor.integer(0));
      // Taken back to a checkpoint since: what was read is no longer what is there.
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

  const Cells header = split(all.substr(0, all.find('\n')));
  Statement put = db.prepare(concat("INSERT OR REPLACE INTO ", source.table, " (", source.columns,
                                    ") VALUES (", marks(source.columns), ")"));
  for (std::size_t at = from; at < all.size();) {
    const std::size_t end = all.find('\n', at);
    const std::string_view line = all.substr(at, end - at);
    try {
      const Cells cells = split(line);
      if (cells.size() != header.size())
        throw CorruptData(concat(cells.size(), " cells where the header has ", header.size()));
      if (at > 0) source.put(put, run, header, cells, names);
    } catch (const Error& error) {
      if (dynamic_cast<const CorruptData*>(&error) == nullptr) throw;
      throw CorruptData(concat(path.string(), ": '", line.substr(0, 80), "': ", error.what()));
    }
    at = end + 1;
  }
  db.prepare("INSERT OR REPLACE INTO cursor (run, file, bytes, sum) VALUES (?, ?, ?, ?)")
      .bind(run)
      .bind(source.file)
      .bind(static_cast<std::int64_t>(all.size()))
      .bind(static_cast<std::int64_t>(sum_of(all)))
      .run();
  return true;
}

// What a list of runs shows, from the rows just taken.
void summarise(const Database& db, Id run) {
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
    const fs::path path = directory / source.file;
    std::error_code error;
    if (fs::exists(path, error)) changed |= take(ledger, run, path, source, names);
  }
  if (!changed) return;
  summarise(ledger.database(), run);
  all.commit();
}

}  // namespace mneme::lab
