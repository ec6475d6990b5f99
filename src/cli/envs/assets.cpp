// cli/envs/assets.cpp - `--assets DIR` of the commands that run environments.
#include <algorithm>
#include <cstdlib>

#include "base/text.h"
#include "cli/envs/play.h"
#include "envs/hb_files.h"
#include "mneme/error.h"
#include "mneme/vec_env.h"

namespace mneme::lab {
namespace {

// Whether a task, or every task of a set, is HumanoidBench's.
bool is_humanoid_bench(const std::string& name) {
  if (name.starts_with("hb/")) return true;
  for (const std::string& set : task_set_names())
    if (set == name) return task_set(name).front().starts_with("hb/");
  return false;
}

}  // namespace

void add_assets(CLI::App* command, std::string& folder) {
  command
      ->add_option(
          "--assets", folder,
          "meshes or checkout of humanoid-bench, for tasks hb/... (MNEME_HB_ASSETS, where the "
          "spec has model=)")
      ->type_name("DIR");
}

void use_assets(const std::string& folder, std::vector<std::string>& tasks) {
  if (folder.empty()) return;
  setenv("MNEME_HB_ASSETS", folder.c_str(), 1);
  for (std::string& task : tasks) {
    const std::size_t colon = std::min(task.find(':'), task.size());
    if (!is_humanoid_bench(task.substr(0, colon)) || task.find("model=") != std::string::npos)
      continue;
    const bool hands =
        task.find("h1-") == std::string::npos && task.find("nohands") == std::string::npos;
    task += concat(colon == task.size() ? ':' : ',', "model=", envs::best_model(hands));
  }
}

}  // namespace mneme::lab
