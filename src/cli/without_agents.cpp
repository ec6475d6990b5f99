// cli/without_agents.cpp - the commands that train, in a build without LibTorch.
#include "cli/commands.h"
#include "mneme/error.h"
#include "run/policy.h"

namespace mneme::lab {
namespace {

constexpr const char* kMissing =
    "this build of mneme has no agents: LibTorch was not found. pip install torch==2.13.0 into "
    ".venv (or set TORCH_ROOT), then configure and build again";

void refuse(CLI::App& app, const char* name) {
  CLI::App* command = app.add_subcommand(name, "needs LibTorch, which this build has not found");
  command->allow_extras();
  command->callback([] { throw NotFound(kMissing); });
}

}  // namespace

void add_train_command(CLI::App& app, std::ostream&) { refuse(app, "train"); }
void add_eval_command(CLI::App& app, std::ostream&) { refuse(app, "eval"); }
void add_export_command(CLI::App& app, std::ostream&) { refuse(app, "export"); }
void add_study_command(CLI::App& app, std::ostream&) { refuse(app, "study"); }
void add_bench_command(CLI::App& app, std::ostream&) { refuse(app, "bench"); }

std::unique_ptr<Policy> trained_policy(const std::string&) { throw NotFound(kMissing); }

}  // namespace mneme::lab
