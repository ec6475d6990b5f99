// os/command_line.h - words as a shell reads them.
#pragma once

#include <string>
#include <vector>

namespace mneme::lab {

/// One word, in single quotes where a shell would read it differently.
std::string shell_word(const std::string& word);

/// "mneme" and these words, to be pasted into a shell.
std::string command_line(const std::vector<std::string>& words);

}  // namespace mneme::lab
