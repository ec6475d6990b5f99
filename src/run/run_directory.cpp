// run/run_directory.cpp - looking first, and clearing by renaming first.
#include "run/run_directory.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "base/text.h"
#include "mneme/buffer_files.h"
#include "mneme/error.h"
#include "os/file.h"
#include "run/run_config.h"
#include "run/tables.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;

constexpr std::array<RunTable, 4> kTables{RunTable::evaluation, RunTable::metrics,
                                          RunTable::diagnostics, RunTable::timing};

// The last step in any table; -1 without one.
std::int64_t last_step(const fs::path& directory) {
  std::int64_t last = -1;
  for (const RunTable table : kTables)
    if (const auto text = read_file_if_present(directory / file_of(table)))
      last = std::max(last, last_step_in(*text));
  return last;
}

bool has_states(const fs::path& directory) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory / "checkpoint", error))
    if (entry.path().filename().string().starts_with("state-")) return true;
  return false;
}

RunInspection inspect(const fs::path& directory) {
  const fs::path file = directory / "config.toml";
  const auto config = read_file_if_present(file);
  if (!config) return {RunProgress::none, {}};
  const RunOutline outline = outline_of(*config, file.string());
  check_no_links(directory);
  // Nothing but a start: no checkpoint was ever complete and no step was taken.
  const auto fresh = [&] { return !has_states(directory) && last_step(directory) <= 0; };
  if (!fs::exists(fs::symlink_status(directory / "replay"))) {
    const std::string why = why_not_finished(directory);
    if (why.empty()) return {RunProgress::finished, {}};
    if (fresh()) return {RunProgress::unstarted, {}};
    return {RunProgress::unreadable,
            concat(outline.replay == "memory" ? "its replay buffer was in memory, and "
                                              : "its replay buffer is missing, and ",
                   why)};
  }
  if (!fs::exists(fs::symlink_status(directory / "replay" / "manifest")) && fresh())
    return {RunProgress::unstarted, {}};
  // As the trainer decides: the state whose number is that of the buffer's last commit.
  const BufferInfo info = buffer_info((directory / "replay").string());
  if (fs::exists(directory / "checkpoint" / concat("state-", info.commit)))
    return {RunProgress::resumable, {}};
  if (info.added == 0 && fresh()) return {RunProgress::unstarted, {}};
  return {RunProgress::unreadable,
          concat("its checkpoint checkpoint/state-", info.commit, " is missing")};
}

}  // namespace

void check_no_links(const fs::path& directory) {
  for (const char* name : {"checkpoint", "replay", "tensorboard"}) {
    std::error_code error;
    if (fs::is_symlink(directory / name, error))
      throw IoError(concat((directory / name).string(), " is a link; a run's directories must not ",
                           "be links"));
  }
}

RunInspection inspect_run(const fs::path& directory) {
  try {
    return inspect(directory);
  } catch (const std::exception& error) {
    return {RunProgress::unreadable, error.what()};
  }
}

std::string why_not_finished(const fs::path& directory) {
  const fs::path file = directory / "config.toml";
  const Index steps = outline_of(read_file(file), file.string()).steps;
  const fs::path table = directory / file_of(RunTable::evaluation);
  const auto text = read_file_if_present(table);
  if (!text) return concat(file_of(RunTable::evaluation), " is missing");
  const std::int64_t last = last_step_in(*text);
  if (last >= steps) return {};
  return last < 0 ? concat(file_of(RunTable::evaluation), " has no evaluation")
                  : concat("its last evaluation is at step ", last, " of ", steps);
}

std::string configuration_in(const fs::path& directory) {
  try {
    return read_file_if_present(directory / "config.toml").value_or(std::string());
  } catch (const IoError&) {
    return {};
  }
}

void clear_finished(const fs::path& directory) {
  if (configuration_in(directory).empty()) return;
  std::error_code error;
  // One rename decides: a run with half a buffer would be neither finished nor resumable.
  fs::rename(directory / "replay", directory / "replay.old", error);
  constexpr std::array<std::string_view, 7> kGone{
      "replay.old/manifest",  "replay.old/manifest.*", "replay.old/.manifest.*",  "replay.old/lock",
      "replay.old/*.segment", "checkpoint/state-*",    "checkpoint/.state-*.part"};
  remove_known_part(directory, run_files(), kGone);
}

void clear_unstarted(const fs::path& directory) {
  remove_known_part(directory, run_files(), run_files_but_log());
}

void remove_old_checkpoints(const fs::path& directory, const std::string& keep) {
  std::error_code error;
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory / "checkpoint", error))
    if (entry.path().filename() != keep)
      names.push_back("checkpoint/" + entry.path().filename().string());
  const std::vector<std::string_view> gone(names.begin(), names.end());
  remove_known_part(directory, run_files(), gone);
}

}  // namespace mneme::lab
