// term/table.h - columns of text that line up and fit the screen.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "term/number_format.h"
#include "term/screen.h"

namespace mneme::lab {

/// Prints itself with every column as wide as its widest cell; numbers (cells that look like one)
/// to the right. Where that is wider than the screen, texts of several words wrap, then the columns
/// named in `expendable` are left out, the first one first, then long names are shortened; a last
/// line says which columns are missing.
class Table {
 public:
  explicit Table(std::vector<std::string> header) { rows_.push_back({std::move(header), {}}); }

  Table& add(std::vector<std::string> row) {
    rows_.push_back({std::move(row), {}});
    return *this;
  }
  /// Of a cell of the row added last.
  Table& style(std::size_t column, Style style);
  /// Headings of the columns that can be missed, the least important first.
  Table& expendable(std::vector<std::string> headings) {
    expendable_ = std::move(headings);
    return *this;
  }
  std::size_t size() const { return rows_.size() - 1; }

  void print(std::ostream& out, const Screen& screen) const;
  /// On the screen of the answer.
  friend std::ostream& operator<<(std::ostream& out, const Table& table) {
    table.print(out, answer_screen());
    return out;
  }

 private:
  struct Row {
    std::vector<std::string> cells;
    std::vector<Style> styles;
  };
  std::vector<Row> rows_;
  std::vector<std::string> expendable_;
};

}  // namespace mneme::lab
