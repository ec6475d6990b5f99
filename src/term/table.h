// term/table.h - columns of text that line up, and numbers as people read them.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace mneme::lab {

/// Prints itself with every column as wide as its widest cell; numbers (cells that look like one)
/// to the right.
class Table {
 public:
  explicit Table(std::vector<std::string> header) : rows_{std::move(header)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  friend std::ostream& operator<<(std::ostream& out, const Table& table);

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// Six significant digits, or "-" for a number that does not exist (NaN).
std::string number(double value, int digits = 6);

/// So many digits after the point.
std::string rounded(double value, int digits);

/// Whole numbers with a thin separator every three digits: 1,000,000.
std::string count(double value);

/// `text` broken into lines of at most `width` columns, each after the first indented by `indent`.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width = 100);

}  // namespace mneme::lab
