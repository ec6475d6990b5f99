// study/run_directory.h - what the directory of a run holds, told from its files alone.
#pragma once

#include <filesystem>
#include <string>

namespace mneme::lab {

enum class Progress {
  none,   ///< nothing to go on from: it was stopped before its first checkpoint, or never begun
  begun,  ///< goes on from a checkpoint, and may be at its end
  over    ///< finished and cleared of what only a run under way needs
};
Progress progress_of(const std::filesystem::path& directory);

/// The text of its config.toml; empty if there is none.
std::string configuration_in(const std::filesystem::path& directory);

/// Takes away the replay buffer and the checkpoint of a finished run. What it wrote stays. May be
/// interrupted and repeated.
void clear_finished(const std::filesystem::path& directory);

}  // namespace mneme::lab
