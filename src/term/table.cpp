// term/table.cpp - column widths, wrapping, alignment.
#include "term/table.h"

#include <algorithm>
#include <sstream>

#include "base/text.h"

namespace mneme::lab {
namespace {

constexpr std::size_t kGap = 2, kNarrowText = 16, kNarrowName = 10;

// Also an interval: [0.1, 0.4].
bool looks_like_number(const std::string& cell) {
  if (cell == "-" || cell == "undefined") return true;
  return !cell.empty() &&
         (std::isdigit(static_cast<unsigned char>(cell.back())) || cell.back() == '%' ||
          cell.back() == ']') &&
         cell.find_first_not_of("0123456789+-.,e %[]?") == std::string::npos;
}

// The parts of a name between which a line may end: after a comma.
std::vector<std::string> parts_of(const std::string& word) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < word.size();) {
    const std::size_t end = std::min(word.find(',', begin), word.size() - 1) + 1;
    parts.push_back(word.substr(begin, end - begin));
    begin = end;
  }
  return parts;
}

// A cell on lines of at most `width` columns: broken between words, and longer words after commas.
std::vector<std::string> lines_of(const std::string& cell, std::size_t width) {
  if (display_width(cell) <= width) return {cell};
  std::vector<std::string> lines;
  const auto append = [&](const std::string& piece, const char* gap) {
    if (lines.empty() ||
        display_width(lines.back()) + std::string_view(gap).size() + display_width(piece) > width)
      lines.push_back(piece);
    else
      lines.back() += gap + piece;
  };
  std::istringstream words(cell);
  for (std::string word; words >> word;) {
    if (display_width(word) <= width) {
      append(word, " ");
      continue;
    }
    const std::vector<std::string> parts = parts_of(word);
    for (std::size_t k = 0; k < parts.size(); ++k) append(parts[k], k == 0 ? " " : "");
  }
  return lines;
}

std::size_t longest_word(const std::string& cell) {
  std::size_t longest = 0;
  std::istringstream words(cell);
  for (std::string word; words >> word;) longest = std::max(longest, display_width(word));
  return longest;
}

std::size_t longest_part(const std::string& cell) {
  std::size_t longest = 0;
  std::istringstream words(cell);
  for (std::string word; words >> word;)
    for (const std::string& part : parts_of(word)) longest = std::max(longest, display_width(part));
  return longest;
}

struct Column {
  std::size_t index = 0, width = 0;
  std::size_t cells = 0;             // the widest cell below the heading
  std::size_t words = 0, parts = 0;  // the longest word of its cells, the longest part of one
  bool numeric = false, text = false;
};

std::size_t total(const std::vector<Column>& columns) {
  std::size_t sum = columns.empty() ? 0 : kGap * (columns.size() - 1);
  for (const Column& column : columns) sum += column.width;
  return sum;
}

}  // namespace

Table& Table::style(std::size_t column, Style style) {
  Row& row = rows_.back();
  row.styles.resize(std::max(row.styles.size(), column + 1), Style::plain);
  row.styles[column] = style;
  return *this;
}

void Table::print(std::ostream& out, const Screen& screen) const {
  std::vector<Column> columns;
  for (const Row& row : rows_)
    while (columns.size() < row.cells.size()) columns.push_back({.index = columns.size()});
  for (Column& column : columns) {
    // A column is numeric if all of its cells below the header are; text if one has a blank.
    column.numeric = true;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      if (column.index >= rows_[r].cells.size()) continue;
      const std::string& cell = rows_[r].cells[column.index];
      column.width = std::max(column.width, display_width(cell));
      if (r > 0) column.cells = std::max(column.cells, display_width(cell));
      column.words = std::max(column.words, longest_word(cell));
      column.parts = std::max(column.parts, longest_part(cell));
      if (r == 0 || cell.empty()) continue;
      column.numeric = column.numeric && looks_like_number(cell);
      column.text = column.text || cell.find(' ') != std::string::npos;
    }
  }

  std::vector<std::string> missing;
  const auto too_wide = [&] { return screen.width > 0 && total(columns) > screen.width; };
  const auto excess = [&] { return total(columns) - screen.width; };
  // The widest column gives way before the others, down to `least` of it.
  const auto shrink = [&](const auto& least) {
    while (too_wide()) {
      Column* widest = nullptr;
      for (Column& column : columns)
        if (column.width > least(column) && (widest == nullptr || column.width > widest->width))
          widest = &column;
      if (widest == nullptr) return;
      // In steps, so that two long columns share what is missing.
      const std::size_t room = widest->width - least(*widest);
      widest->width -= std::min(excess(), std::max<std::size_t>(1, (room + 1) / 2));
    }
  };
  const auto wrap = [&] {
    shrink([](const Column& column) {
      return column.text && !column.numeric ? std::max(kNarrowText, column.words) : column.width;
    });
  };
  wrap();
  for (const std::string& heading : expendable_) {
    if (!too_wide()) break;
    const auto at = std::find_if(columns.begin(), columns.end(), [&](const Column& column) {
      return column.index < rows_.front().cells.size() &&
             rows_.front().cells[column.index] == heading;
    });
    if (at == columns.end()) continue;
    missing.push_back(heading);
    columns.erase(at);
    wrap();
  }
  // Numbers stay whole; the heading above them gives way.
  shrink([](const Column& column) {
    return std::max(kNarrowName, column.numeric ? column.cells : column.parts);
  });
  shrink([](const Column& column) {
    return column.numeric ? std::max(kNarrowName, column.cells) : kNarrowName;
  });

  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const Row& row = rows_[r];
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    for (const Column& column : columns) {
      const std::string cell = column.index < row.cells.size() ? row.cells[column.index] : "";
      cells.push_back(lines_of(cell, column.width));
      height = std::max(height, cells.back().size());
    }
    for (std::size_t l = 0; l < height; ++l) {
      std::string line;
      std::size_t owed = 0;  // blanks that nothing may follow
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const std::string text =
            l < cells[c].size() ? clipped(cells[c][l], columns[c].width) : std::string();
        const std::size_t gap = columns[c].width - display_width(text);
        const std::size_t before = columns[c].numeric ? gap : 0;
        const Style style = r == 0                                 ? Style::strong
                            : columns[c].index < row.styles.size() ? row.styles[columns[c].index]
                                                                   : Style::plain;
        if (!text.empty()) {
          line += std::string(owed + before, ' ') + styled(text, style, screen);
          owed = gap - before + kGap;
        } else {
          owed += gap + kGap;
        }
      }
      if (display_width(line) > 0) out << line << '\n';  // a table may have no header
    }
  }
  if (!missing.empty())
    out << styled(wrapped(concat("left out at this width: ", join(missing)), 2, screen.width),
                  Style::dim, screen)
        << '\n';
}

}  // namespace mneme::lab
