// os/temp_dir.h - a directory for the time of one object.
#pragma once

#include <filesystem>
#include <string>

namespace mneme::lab {

class TempDir {
 public:
  /// A new directory PREFIX-XXXXXX in the system's folder for them, readable by this user alone.
  /// Throws IoError.
  explicit TempDir(const std::string& prefix);
  ~TempDir();  ///< removes it with everything in it
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace mneme::lab
