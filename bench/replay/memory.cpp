// bench/replay/memory.cpp - bytes per transition, as what the process grows by.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "replay/workload.h"

namespace mneme::bench {
namespace {

double resident_bytes() {
  std::ifstream in("/proc/self/statm");
  double total = 0, resident = 0;
  in >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// In a process of its own: what others have freed before would be used again.
double growth_per_row(const std::string& sampler, Index capacity) {
  int ends[2];
  if (pipe(ends) != 0) std::exit(1);
  const pid_t child = fork();
  if (child == 0) {
    const double before = resident_bytes();
    ReplayBuffer buffer(config(sampler, capacity));
    fill_wrapped(buffer);
    const double grown = (resident_bytes() - before) / static_cast<double>(capacity);
    _exit(write(ends[1], &grown, sizeof grown) == sizeof grown ? 0 : 1);
  }
  double grown = 0;
  int status = 0;
  if (child < 0 || read(ends[0], &grown, sizeof grown) != sizeof grown ||
      waitpid(child, &status, 0) != child || status != 0) {
    std::fprintf(stderr, "the process that measures memory failed\n");
    std::exit(1);
  }
  close(ends[0]);
  close(ends[1]);
  return grown;
}

}  // namespace

void measure_memory(const Settings& settings, Report& report) {
  report.section("memory");
  report.add({"bytes per transition", "bytes",
              exactly(growth_per_row("uniform", settings.capacity)), 324, "payload 296"});
  report.add({"bytes per transition with priorities (`per`)", "bytes",
              exactly(growth_per_row("per", settings.capacity)), 332, "payload 296"});
}

}  // namespace mneme::bench
