// os/path_search.cpp - the folders of PATH in order.
#include "os/path_search.h"

#include <unistd.h>

#include <cstdlib>
#include <sstream>

namespace mneme::lab {

namespace fs = std::filesystem;

fs::path find_program(const std::string& name) {
  if (name.empty()) return {};
  const auto runs = [](const fs::path& path) {
    std::error_code error;
    return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) {
    const fs::path path = fs::absolute(name).lexically_normal();
    return runs(path) ? path : fs::path();
  }
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (!folder.empty() && runs(fs::path(folder) / name)) return fs::absolute(folder) / name;
  return {};
}

}  // namespace mneme::lab
