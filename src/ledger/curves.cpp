// ledger/curves.cpp - one range of a table per query.
#include "ledger/curves.h"

#include "base/text.h"

namespace mneme::lab {
namespace {

const char* table_of(Series series) {
  switch (series) {
    case Series::metric:
      return "metric";
    case Series::diagnostic:
      return "diagnostic";
    case Series::timing:
      return "timing";
  }
  return "metric";
}

}  // namespace

std::vector<EvaluationRow> evaluations(const Ledger& ledger, Id run) {
  std::vector<EvaluationRow> rows;
  Statement s = ledger.database().prepare(
      "SELECT name.text, step, frame, episodes, seconds, mean_return, deviation, score, success, "
      "length FROM evaluation JOIN name ON name.id = task WHERE run = ? ORDER BY task, step");
  s.bind(run);
  while (s.step())
    rows.push_back({.task = s.text(0),
                    .step = s.integer(1),
                    .frame = s.integer(2),
                    .episodes = s.integer(3),
                    .seconds = s.real(4),
                    .mean_return = s.real(5),
                    .deviation = s.real(6),
                    .score = s.real(7),
                    .success = s.real(8),
                    .length = s.real(9)});
  return rows;
}

std::int64_t last_evaluation_step(const Ledger& ledger, Id run) {
  Statement s =
      ledger.database().prepare("SELECT coalesce(max(step), -1) FROM evaluation WHERE run = ?");
  s.bind(run);
  return s.step() ? s.integer(0) : -1;
}

std::vector<std::string> series_names(const Ledger& ledger, Id run, Series series) {
  std::vector<std::string> names;
  const char* table = table_of(series);
  // One lookup per name, not one per row.
  Statement s = ledger.database().prepare(
      concat("SELECT text FROM name WHERE EXISTS (SELECT 1 FROM ", table, " WHERE run = ? AND ",
             table, ".name = name.id) ORDER BY id"));
  s.bind(run);
  while (s.step()) names.push_back(s.text(0));
  return names;
}

std::vector<Point> points(const Ledger& ledger, Id run, Series series, const std::string& name) {
  std::vector<Point> out;
  Statement s = ledger.database().prepare(concat("SELECT step, value FROM ", table_of(series),
                                                 " WHERE run = ? AND name = (SELECT id ",
                                                 "FROM name WHERE text = ?) ORDER BY step"));
  s.bind(run).bind(name);
  while (s.step()) out.push_back({.step = s.integer(0), .value = s.real(1)});
  return out;
}

}  // namespace mneme::lab
