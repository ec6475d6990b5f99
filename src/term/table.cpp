// term/table.cpp - alignment and number formatting.
#include "term/table.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace mneme::lab {
namespace {

bool looks_like_number(const std::string& cell) {
  return !cell.empty() &&
         (std::isdigit(static_cast<unsigned char>(cell.back())) || cell == "-" ||
          cell.back() == '%') &&
         cell.find_first_not_of("0123456789+-.,e %") == std::string::npos;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Table& table) {
  std::vector<std::size_t> widths;
  std::vector<bool> numeric;
  for (const auto& row : table.rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  // A column is numeric if all of its cells below the header are.
  for (std::size_t c = 0; c < widths.size(); ++c) {
    numeric.push_back(std::all_of(table.rows_.begin() + 1, table.rows_.end(), [&](const auto& row) {
      return c >= row.size() || row[c].empty() || looks_like_number(row[c]);
    }));
  }
  for (const auto& row : table.rows_) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string gap(widths[c] - row[c].size(), ' ');
      line += (c > 0 ? "  " : "") + (numeric[c] ? gap + row[c] : row[c] + gap);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    if (line.empty()) continue;  // a table without a header
    out << line << '\n';
  }
  return out;
}

std::string number(double value, int digits) {
  if (std::isnan(value)) return "-";
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out.precision(digits);
  out << value;
  return out.str();
}

std::string rounded(double value, int digits) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out.setf(std::ios::fixed);
  out.precision(digits);
  out << value;
  return std::move(out).str();
}

std::string count(double value) {
  if (!(std::abs(value) < 1e15)) return number(value);
  std::string digits = std::to_string(std::llround(std::abs(value)));
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return (value < 0 ? "-" : "") + digits;
}

std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  std::istringstream words(text);
  std::string out, word;
  std::size_t column = indent;
  while (words >> word) {
    if (!out.empty() && column + 1 + word.size() > width) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (!out.empty()) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out;
}

}  // namespace mneme::lab
