// os/machine.cpp - from /proc and the file system.
#include "os/machine.h"

#include <unistd.h>

#include <array>
#include <fstream>
#include <thread>

#include "base/text.h"
#include "os/version.h"

namespace mneme::lab {
namespace {

// The value of the first line "NAME : value".
std::string line_of(const char* file, const std::string& name) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(name)) {
      const std::size_t at = line.find_first_not_of(" \t", line.find(':') + 1);
      return at == std::string::npos ? std::string() : line.substr(at);
    }
  return {};
}

}  // namespace

std::string machine_text() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  std::string processor = line_of("/proc/cpuinfo", "model name");
  if (processor.empty()) processor = "processor unknown";
  return concat(name.data(), ", ", processor, ", ", std::thread::hardware_concurrency(), " cores");
}

std::string build_text() { return concat("mneme ", kVersion, ", compiler ", __VERSION__); }

double free_disk(const std::filesystem::path& path) {
  std::filesystem::path at = std::filesystem::absolute(path);
  std::error_code error;
  while (!std::filesystem::exists(at, error) && at.has_relative_path()) at = at.parent_path();
  return static_cast<double>(std::filesystem::space(at, error).available);
}

double free_memory() {
  const std::string text = line_of("/proc/meminfo", "MemAvailable");
  return parse_number(text.substr(0, text.find(' '))).value_or(0) * 1024;
}

std::filesystem::path own_program() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error);
}

}  // namespace mneme::lab
