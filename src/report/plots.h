// report/plots.h - the plots of a page as files, drawn by the page itself in a browser
// without a window.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace mneme::lab {

/// `json` is the page's data. Writes NAME.svg and NAME.png for every plot into a folder that is
/// made if need be; returns the names. The browser is the one in MNEME_CHROMIUM, or chromium,
/// google-chrome or google-chrome-stable on the path. Throws NotFound if there is no such browser, IoError.
std::vector<std::string> write_pictures(const std::string& json,
                                        const std::filesystem::path& folder);

}  // namespace mneme::lab
