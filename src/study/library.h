// study/library.h - the studies that are part of the program, and studies in files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mneme::lab {

struct NamedStudy {
  std::string_view name, text;
};

/// Those of studies/ when the program was built: figures in their order, then tables, then the rest.
const std::vector<NamedStudy>& named_studies();

struct StudyText {
  std::string name, text;
};

/// A named one, or the file of this path. Throws NotFound with the names, IoError.
StudyText study_text(const std::string& name_or_file);

}  // namespace mneme::lab
