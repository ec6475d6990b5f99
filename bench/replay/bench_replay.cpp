// bench/replay/bench_replay.cpp - the replay buffer against the memory and the disk it stands on.
//
//   bench_replay [--capacity N] [--rounds N] [--part NAME]... [--directory D] [--json FILE]
//
// Rows as in the usual comparison: observation 64 f32, action 8 f32, one reward; every ring has
// wrapped. Contestants take turns in rotating order on the same work; reported are medians of
// paired ratios with their 10-90 % range (contest.h). Answers are checked before the clock. What
// each part measures stands at the top of its file.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "replay/workload.h"

namespace mneme::bench {
namespace {

struct Part {
  const char* name;
  void (*measure)(const Settings&, Report&);
};
constexpr Part kParts[] = {{"memory", measure_memory},
                           {"sampling", measure_sampling},
                           {"live_diagnostics", measure_live_diagnostics},
                           {"adding", measure_adding},
                           {"tree", measure_tree},
                           {"exactness", measure_exactness},
                           {"tasks", measure_tasks},
                           {"beside_writer", measure_beside_writer},
                           {"files", measure_files}};

std::string machine() {
  std::ifstream in("/proc/cpuinfo");
  std::string name = "unknown processor";
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  }
  return name;
}

// Programs that want a core, averaged over the last minute; this one is among them.
double load() {
  double minute = 0;
  std::ifstream("/proc/loadavg") >> minute;
  return minute;
}

int cores() {
  int count = 0;
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) count += line.rfind("processor", 0) == 0 ? 1 : 0;
  return count;
}

int run(int argc, char** argv) {
  Settings settings;
  settings.directory = "bench_replay.files";
  std::string json_path;
  std::vector<std::string> wanted;
  for (int k = 1; k < argc; k += 2) {
    const std::string flag = argv[k];
    const char* value = k + 1 < argc ? argv[k + 1] : nullptr;
    if (flag == "--capacity" && value) {
      settings.capacity = std::max(10'000LL, std::atoll(value));
    } else if (flag == "--rounds" && value) {
      settings.rounds = std::max(3, std::atoi(value));
    } else if (flag == "--part" && value) {
      wanted.push_back(value);
    } else if (flag == "--directory" && value) {
      settings.directory = value;
    } else if (flag == "--json" && value) {
      json_path = value;
    } else {
      std::fprintf(stderr,
                   "usage: bench_replay [--capacity N] [--rounds N] [--part NAME]... "
                   "[--directory D] [--json FILE]\nparts:");
      for (const Part& part : kParts) std::fprintf(stderr, " %s", part.name);
      std::fprintf(stderr, "\n");
      return 2;
    }
  }

  const double load_before = load();
  std::printf("%s, %d cores, load %.1f; GCC-compatible %s, %s\n", machine().c_str(), cores(),
              load_before, __VERSION__, MNEME_BENCH_FLAGS);
  std::printf("observation 64 f32, action 8 f32, capacity %lld, wrapped, %d rounds\n\n",
              static_cast<long long>(settings.capacity), settings.rounds);
  Report report;
  for (const Part& part : kParts) {
    bool chosen = wanted.empty();
    for (const std::string& name : wanted) chosen = chosen || name == part.name;
    if (chosen) part.measure(settings, report);
  }
  Json json;
  json.begin_object().field("machine", machine()).field("cores", cores());
  json.field("compiler", __VERSION__).field("flags", MNEME_BENCH_FLAGS);
  json.field("load_before", load_before).field("load_after", load());
  json.field("capacity", settings.capacity).field("rounds", settings.rounds);
  report.write(json);
  json.end_object();
  if (json_path.empty()) return 0;
  std::ofstream file(json_path);
  file << std::move(json).text() << '\n';
  file.close();
  if (!file) std::fprintf(stderr, "cannot write %s\n", json_path.c_str());
  return file ? 0 : 1;
}

}  // namespace
}  // namespace mneme::bench

int main(int argc, char** argv) { return mneme::bench::run(argc, argv); }
