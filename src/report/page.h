// report/page.h - writes a self-contained HTML page: the template that web/ builds, filled with data.
#pragma once

#include <string>

namespace mneme::lab {

/// Writes `json` (see web/README.md for its form) into a copy of the template at `path`, replacing
/// the file in one step. Throws IoError if the template has not been built (and says how to) or the
/// file cannot be written.
void write_page(const std::string& path, const std::string& json);

/// The page as text.
std::string filled_page(const std::string& json);

/// The same with the explorer, a page that computes its own numbers; `json` says where it starts.
void write_explorer(const std::string& path, const std::string& json);

}  // namespace mneme::lab
