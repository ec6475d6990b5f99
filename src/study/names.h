// study/names.h - names that become directories or columns.
#pragma once

#include <string>
#include <string_view>

namespace mneme::lab {

/// A study's name is the name of its directory. Throws InvalidArgument for one that is empty, longer
/// than 100 bytes, begins with a dot or a dash, has a slash or a control character, or is the
/// ledger's.
void check_study_name(const std::string& name);

/// The name of an arm or a part. Throws InvalidArgument for one that is empty, longer than 200 bytes
/// or has control characters. `what`: "arm", "part".
void check_label(std::string_view what, const std::string& name);

}  // namespace mneme::lab
