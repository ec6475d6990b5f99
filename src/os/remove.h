// os/remove.h - the only place that removes directories or files a user could miss.
//
// Nothing here follows a link, and each function removes only what it can prove to be mneme's:
// files of a known list in a directory with a known marker, or what this process has just made.
// The test package/removals finds every other removal in the tree.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mneme::lab {

/// What a kind of directory consists of: a file that is always there, and patterns (as of a shell;
/// * does not match /) of everything that mneme writes into it, subdirectories by their files.
struct KnownFiles {
  std::string_view marker;
  std::span<const std::string_view> patterns;
};

/// What is in a directory, by path below it.
struct Contents {
  std::vector<std::string> known, unknown;  ///< files; a link is always unknown
  std::uintmax_t bytes = 0;                 ///< of the known ones
  bool marked = false;                      ///< the marker is there, a regular file
};
/// Throws IoError if it is not a directory (a link is not) or cannot be read.
Contents contents_of(const std::filesystem::path& directory, const KnownFiles& what);

/// Removes the known files, then the directories that are empty. Returns whether the directory
/// itself is gone. Throws InvalidArgument if the marker is missing; IoError.
bool remove_known(const std::filesystem::path& directory, const KnownFiles& what);

/// Removes those known files that match these patterns too; the marker need not be there any more.
/// Directories that are then empty go, the directory itself stays. Throws IoError.
void remove_known_part(const std::filesystem::path& directory, const KnownFiles& what,
                       std::span<const std::string_view> patterns);

/// Removes a directory with everything in it, links as links: one that this process made. Throws
/// nothing: what cannot be removed stays.
void remove_own_directory(const std::filesystem::path& directory) noexcept;

/// Removes a directory with everything in it if `marker`, a file in it or beside it, is a regular
/// file. Returns whether there was one. Throws InvalidArgument without the marker; IoError.
bool remove_marked_directory(const std::filesystem::path& directory,
                             const std::filesystem::path& marker);

/// Removes one regular file of a known name; false if it is missing. Throws IoError.
bool remove_known_file(const std::filesystem::path& folder, std::string_view name);

/// Removes a directory if it is empty.
bool remove_empty_directory(const std::filesystem::path& directory);

}  // namespace mneme::lab
