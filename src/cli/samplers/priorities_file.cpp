// cli/samplers/priorities_file.cpp - reading priorities, and what to say where they are missing.
#include "cli/samplers/priorities_file.h"

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "mneme/error.h"
#include "mneme/sampler.h"

namespace mneme::lab {

std::vector<float> read_priorities(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    throw NotFound(concat("--priorities ", path, ": the file does not exist"));
  if (!std::filesystem::is_regular_file(path, error))
    throw IoError(concat(path, ": cannot read priorities: not a regular file"));
  std::ifstream in(path);
  if (!in) throw IoError(concat(path, ": cannot open for reading"));
  constexpr std::size_t kMost = std::size_t{1} << 27;
  std::vector<float> priorities;
  std::array<char, 64> line;
  while (in.getline(line.data(), line.size()) || in.gcount() > 0) {
    const std::string_view text(line.data());
    const auto number = in ? parse_number(text) : std::nullopt;
    if (!number || *number < 0 || !std::isfinite(static_cast<float>(*number)))
      throw InvalidArgument(concat(path, ": line ", priorities.size() + 1, " is '",
                                   text.substr(0, 40), "', which is not a priority; write one ",
                                   "finite number of at least 0 per line, oldest first"));
    priorities.push_back(static_cast<float>(*number));
    if (priorities.size() > kMost)
      throw InvalidArgument(concat(path, ": more than ", kMost, " priorities"));
  }
  if (priorities.empty()) throw InvalidArgument(concat(path, ": there is no priority in it"));
  return priorities;
}

void check_priorities(const std::vector<float>& priorities, const std::vector<std::string>& specs,
                      Index capacity) {
  bool used = false;
  for (const std::string& spec : specs) {
    const SamplerInfo& info = sampler_info(spec);
    used = used || info.needs_feedback;
    if (info.needs_feedback && priorities.empty())
      throw InvalidArgument(concat(info.name, " depends on TD errors, there is no closed form; ",
                                   "give priorities with --priorities FILE, or look at the report ",
                                   "of a run"));
  }
  if (priorities.empty()) return;
  if (!used)
    throw InvalidArgument(concat("--priorities is for samplers that draw by them, not for ",
                                 specs.empty() ? "those of the paper" : join(specs)));
  if (static_cast<Index>(priorities.size()) != capacity)
    throw InvalidArgument(concat("--capacity must be the number of priorities, ", priorities.size(),
                                 ", got ", capacity));
}

}  // namespace mneme::lab
