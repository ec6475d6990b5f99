// tests/report/real_study.h - a ledger with the runs of a real study, out of fixtures/.
//
// The scores are those of 36 runs that `mneme study` made (fixtures/README.md); here they go back
// into run directories and from there into a ledger, the way a study's own files do.
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "base/text.h"
#include "ledger/ingest.h"
#include "ledger/ledger.h"
#include "support/failing_disk.h"
#include "support/places.h"

namespace mneme::lab {

struct RealRun {
  std::string utd, method, task;
  std::int64_t seed = 0;
  std::string evaluations, diagnostics, timing;  ///< its tables, with their headers
};

inline std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
  return cells;
}

/// In the order of the study: tasks, settings, methods, seeds.
inline std::vector<RealRun> real_runs() {
  const std::filesystem::path folder = test::source_path("tests/report/fixtures");
  std::vector<RealRun> runs;
  const auto run_of = [&](const std::vector<std::string>& cells) -> RealRun& {
    for (RealRun& run : runs)
      if (run.utd == cells.at(0) && run.method == cells.at(1) && run.task == cells.at(2) &&
          std::to_string(run.seed) == cells.at(3))
        return run;
    runs.push_back({cells.at(0), cells.at(1), cells.at(2), std::stoll(cells.at(3)), "", "", ""});
    return runs.back();
  };
  // utd, method, task, seed, then the cells of the run's own table.
  const auto read = [&](const char* file, std::string RealRun::* lines) {
    std::ifstream in(folder / file);
    std::string line, header;
    std::getline(in, header);
    for (int comma = 0; comma < 4; ++comma) header.erase(0, header.find(',') + 1);
    while (std::getline(in, line)) {
      const std::vector<std::string> cells = cells_of(line);
      RealRun& run = run_of(cells);
      if ((run.*lines).empty()) (run.*lines) = header + '\n';
      for (std::size_t at = 4; at < cells.size(); ++at)
        (run.*lines) += cells[at] + (at + 1 < cells.size() ? "," : "\n");
    }
  };
  read("evaluations.csv", &RealRun::evaluations);
  read("diagnostics.csv", &RealRun::diagnostics);
  read("timing.csv", &RealRun::timing);
  return runs;
}

class RealStudy {
 public:
  /// What the study is called, and which of its runs to make; the others stay planned.
  explicit RealStudy(
      const std::string& name = "small", const std::function<RunState(const RealRun&)>& state =
                                             [](const RealRun&) { return RunState::done; })
      : ledger_(file(), Ledger::Mode::create) {
    const Id study = ledger_.add_study(name, "title = 'a miniature'\nseeds = 3\n");
    for (const RealRun& run : real_runs()) {
      const std::string key = concat(run.task, ",utd=", run.utd, ",", run.method, ",s", run.seed);
      std::string plain = key;
      for (char& c : plain)
        if (c == '/') c = '-';
      const std::filesystem::path directory = directory_ / plain;
      const Id id = ledger_.add_run(
          study,
          {.key = plain,
           .agent = "simbav2",
           .method = run.method,
           .task = run.task,
           .seed = run.seed,
           .steps = 1500,
           .directory = directory.string(),
           .command = concat("mneme train simbav2 ", run.task, " --seed ", run.seed)},
          "seed = 0\n",
          {{"sampler", run.method},
           {"actor_sampler", ""},
           {"capacity", "1500"},
           {"utd", run.utd},
           {"batch_size", "32"},
           {"num_envs", "1"}},
          {{"utd", run.utd}, {"batch_size", "32"}});
      const RunState now = state(run);
      if (now == RunState::planned) continue;
      std::filesystem::create_directories(directory);
      std::ofstream(directory / "eval.csv") << run.evaluations;
      std::ofstream(directory / "diagnostics.csv") << run.diagnostics;
      std::ofstream(directory / "timing.csv") << run.timing;
      ledger_.begin_attempt(id, "0.1.0", "a machine");
      ingest(ledger_, id);
      ledger_.set_state(id, now, now == RunState::failed ? "critic_loss is not a number" : "");
    }
  }

  std::filesystem::path file() const { return directory_ / "ledger.db"; }
  std::filesystem::path folder(const std::string& name) const { return directory_ / name; }
  Ledger& ledger() { return ledger_; }

 private:
  mneme::testing::TemporaryDirectory directory_;
  Ledger ledger_;
};

}  // namespace mneme::lab
