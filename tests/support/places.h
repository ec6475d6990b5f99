// tests/support/places.h - where things of this checkout are.
//
// A function, not a macro: the place is compiled into one file, so that a compiler cache serves
// every other test of another checkout.
#pragma once

#include <string>
#include <string_view>

namespace mneme::test {

/// The absolute path of a file of the repository, "tests/..." or "src/...".
std::string source_path(std::string_view relative);

}  // namespace mneme::test
