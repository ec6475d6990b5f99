// os/write_file.h - files written for the user: whole, or not at all.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace mneme::lab {

/// Writes into a new file beside `path` and renames it over `path`, which keeps its permissions; an
/// interrupted call leaves the old file as it was. Missing folders are made. Only regular files are
/// replaced: a device, a FIFO or a folder is refused, a symbolic link keeps pointing where it does
/// and what it points to is replaced. Throws IoError that begins with `path`; InvalidArgument if
/// `path` is empty.
void write_file(const std::filesystem::path& path, std::string_view text);

/// The same for a library that writes by itself: `write` gets the name of the new file.
void write_file_with(const std::filesystem::path& path,
                     const std::function<void(const std::filesystem::path& file)>& write);

}  // namespace mneme::lab
