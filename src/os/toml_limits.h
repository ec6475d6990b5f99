// os/toml_limits.h - bounds on a TOML text, checked before it is parsed.
#pragma once

#include <string_view>

namespace mneme::lab {

/// Throws InvalidArgument for a text of more than a megabyte, keys of more than 32 parts (a.b.c) or
/// brackets nested deeper than 32: a parser that recurses would run out of stack.
void check_toml_limits(std::string_view text);

}  // namespace mneme::lab
