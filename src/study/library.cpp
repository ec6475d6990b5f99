// study/library.cpp - the list that CMake writes, sorted for readers.
#include "study/library.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/text.h"
#include "mneme/error.h"
#include "os/file.h"

namespace mneme::lab {
namespace {

// fig2 before fig10, figures before tables before other names.
int rank_of(std::string_view name) {
  const bool figure = name.starts_with("fig"), table = name.starts_with("tab");
  if (!(figure || table) || name.size() < 4 ||
      std::isdigit(static_cast<unsigned char>(name[3])) == 0)
    return 2000;
  return (table ? 1000 : 0) + std::stoi(std::string(name.substr(3)));
}

}  // namespace

const std::vector<NamedStudy>& named_studies() {
  static const std::vector<NamedStudy> all = [] {
    std::vector<NamedStudy> list{
#include "study/studies.inc"
    };
    std::stable_sort(list.begin(), list.end(), [](const NamedStudy& a, const NamedStudy& b) {
      return rank_of(a.name) < rank_of(b.name);
    });
    return list;
  }();
  return all;
}

StudyText study_text(const std::string& name_or_file) {
  for (const NamedStudy& study : named_studies())
    if (study.name == name_or_file) return {name_or_file, std::string(study.text)};
  const std::filesystem::path path = name_or_file;
  std::error_code error;
  const bool is_file = std::filesystem::is_regular_file(path, error);
  if (!is_file && path.extension() != ".toml" && name_or_file.find('/') == std::string::npos) {
    std::vector<std::string> names;
    for (const NamedStudy& study : named_studies()) names.emplace_back(study.name);
    throw NotFound(concat(unknown_name("study", name_or_file, names), "; or the path of a file"));
  }
  return {path.stem().string(), read_file(path, std::size_t{1} << 20)};
}

}  // namespace mneme::lab
