// envs/hb/assets.h - models made with files of others; envs/hb_files.h says which and where.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "envs/hb_files.h"

namespace mneme::envs::hb {

struct Scene;

enum class Meshes { none, tips, all };

/// "shapes" unless `name` ends in ":model=NAME".
std::string_view model_of(std::string_view name);

/// An element that reads a mesh; `more` are further attributes. Throws NotFound if it is not there.
std::string mesh_element(std::string_view name, const std::filesystem::path& file,
                         std::string_view more = "");

/// The suite's model of a task in one text, files it includes put in, with the marks of `scene`;
/// and the folder its other files are relative to. Throws NotFound without a checkout.
struct SuiteModel {
  std::string text, folder;
};
SuiteModel suite_model(std::string_view name, const Scene& scene);

}  // namespace mneme::envs::hb
