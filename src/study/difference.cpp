// study/difference.cpp - the longest common subsequence of lines, and what is not in it.
#include "study/difference.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include "base/text.h"

namespace mneme::lab {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace

std::string difference(const std::string& before, const std::string& after, std::size_t limit) {
  const std::vector<std::string> a = lines_of(before), b = lines_of(after);
  // common[i][j]: of a from i on and b from j on.
  std::vector<std::vector<std::size_t>> common(a.size() + 1,
                                               std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = a.size(); i-- > 0;)
    for (std::size_t j = b.size(); j-- > 0;)
      common[i][j] =
          a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
  std::vector<std::string> changes;
  for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      ++i, ++j;
    } else if (j == b.size() || (i < a.size() && common[i + 1][j] >= common[i][j + 1])) {
      changes.push_back("- " + a[i++]);
    } else {
      changes.push_back("+ " + b[j++]);
    }
  }
  if (changes.size() > limit) {
    const std::size_t more = changes.size() - limit;
    changes.resize(limit);
    changes.push_back(concat("... and ", more, " more lines"));
  }
  return join(changes, "\n");
}

}  // namespace mneme::lab
