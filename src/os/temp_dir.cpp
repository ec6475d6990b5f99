// os/temp_dir.cpp - mkdtemp, and remove.
#include "os/temp_dir.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/text.h"
#include "mneme/error.h"
#include "os/remove.h"

namespace mneme::lab {

TempDir::TempDir(const std::string& prefix) {
  std::string name = (std::filesystem::temp_directory_path() / (prefix + "-XXXXXX")).string();
  if (mkdtemp(name.data()) == nullptr)
    throw IoError(concat("cannot make a temporary directory: ", std::strerror(errno)));
  path_ = name;
}

TempDir::~TempDir() { remove_own_directory(path_); }

}  // namespace mneme::lab
