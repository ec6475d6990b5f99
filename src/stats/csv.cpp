// stats/csv.cpp - reading scores from CSV text, line by line, with a sentence for everything that
// can be wrong.
#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <tuple>

#include "base/text.h"
#include "mneme/error.h"
#include "mneme/scores.h"

namespace mneme::stats {
namespace {

constexpr std::size_t kLongestLine = 65'536;
constexpr std::size_t kLongestName = 200;
constexpr std::size_t kLargestFile = std::size_t{1} << 31;
constexpr std::array<std::string_view, 5> kColumns{"run", "task", "step", "value", "method"};
enum Column { kRun, kTask, kStep, kValue, kMethod };

// What stands where in a message: printable and short, however wild the file is.
std::string shown(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 40)) out += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
  return text.size() > 40 ? out + "..." : out;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

class Reader {
 public:
  Reader(std::string_view text, std::string_view source, std::string_view method)
      : text_(text), method_(method) {
    table_.source = source;
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") text_.remove_prefix(3);  // byte-order mark
  }

  ScoreTable read() {
    read_header();
    while (next_line()) read_row();
    if (table_.rows.empty())
      fail("there is a header but no row; add one row for each run, task and step");
    return std::move(table_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw CorruptData(concat(table_.source, line_ > 0 ? concat(", line ", line_) : "", ": ", what));
  }

  // Moves to the next line that is not blank; false at the end. A carriage return at its end does
  // not count.
  bool next_line() {
    while (!text_.empty()) {
      ++line_;
      const std::size_t end = text_.find('\n');
      current_ = text_.substr(0, end);
      text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
      if (!current_.empty() && current_.back() == '\r') current_.remove_suffix(1);
      if (current_.size() > kLongestLine)
        fail(concat("the line has ", current_.size(), " characters, at most ", kLongestLine,
                    " are read; is this a CSV file with one row per line?"));
      if (!trimmed(current_).empty()) return true;
    }
    return false;
  }

  // Splits the line at commas; "..." keeps commas, and "" inside stands for one quote.
  void split() {
    fields_.clear();
    std::size_t i = 0;
    while (true) {
      while (i < current_.size() && (current_[i] == ' ' || current_[i] == '\t')) ++i;
      std::string field;
      if (i < current_.size() && current_[i] == '"') {
        i = quoted(i + 1, field);
      } else {
        const std::size_t end = std::min(current_.find(',', i), current_.size());
        field = trimmed(current_.substr(i, end - i));
        i = end;
      }
      fields_.push_back(std::move(field));
      if (i >= current_.size()) return;
      ++i;  // the comma
    }
  }

  // Reads up to the closing quote; returns the position of the comma or the end after it.
  std::size_t quoted(std::size_t i, std::string& field) const {
    while (true) {
      const std::size_t quote = current_.find('"', i);
      if (quote == std::string_view::npos)
        fail(
            "a quoted field is not closed on its line; close it with \" (fields do not span "
            "lines)");
      field += current_.substr(i, quote - i);
      i = quote + 1;
      if (i >= current_.size() || current_[i] != '"') break;
      field += '"';
      ++i;
    }
    while (i < current_.size() && (current_[i] == ' ' || current_[i] == '\t')) ++i;
    if (i < current_.size() && current_[i] != ',')
      fail(concat("'", shown(current_.substr(i)),
                  "' follows a closing quote; put a comma between fields"));
    return i;
  }

  void read_header() {
    if (!next_line())
      throw CorruptData(concat(table_.source, ": the file is empty; it needs a header line",
                               " 'run,task,step,value' and one row per checkpoint"));
    split();
    where_.fill(kAbsent);
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      for (std::size_t c = 0; c < kColumns.size(); ++c) {
        if (fields_[f] != kColumns[c]) continue;
        if (where_[c] != kAbsent)
          fail(concat("the header has two columns '", kColumns[c], "'; keep one"));
        where_[c] = f;
      }
    }
    for (const Column c : {kRun, kTask, kStep, kValue}) {
      if (where_[c] == kAbsent)
        fail(concat("the header has no column '", kColumns[c], "', it says '", shown(current_),
                    "'; it must name run, task, step and value (method is optional)"));
    }
    width_ = fields_.size();
  }

  std::string name(Column column) const {
    const std::string& field = fields_[where_[column]];
    if (field.empty())
      fail(concat("the cell of column '", kColumns[column],
                  "' is empty; fill it, or remove the row"));
    if (field.size() > kLongestName)
      fail(concat("the ", kColumns[column], " '", shown(field), "' has ", field.size(),
                  " characters; use at most ", kLongestName));
    for (const char c : field) {
      if (static_cast<unsigned char>(c) < 0x20)
        fail(concat("the ", kColumns[column], " '", shown(field),
                    "' holds a control character; remove it"));
    }
    return field;
  }

  double number(Column column) const {
    const std::string& field = fields_[where_[column]];
    if (field.empty())
      fail(concat("the cell of column '", kColumns[column],
                  "' is empty; fill it, or remove the run"));
    const std::optional<double> value = parse_number(field);
    if (!value)
      fail(concat("column '", kColumns[column], "' holds '", shown(field),
                  "', which is not a finite decimal number; write one such as 612.5"));
    return *value;
  }

  void read_row() {
    split();
    if (fields_.size() != width_)
      fail(concat("the row has ", fields_.size(), " fields, the header ", width_,
                  "; every row needs one for each column"));
    ScoreRow row;
    row.method = where_[kMethod] == kAbsent ? std::string(method_) : name(kMethod);
    row.run = name(kRun);
    row.task = name(kTask);
    row.step = number(kStep);
    row.value = number(kValue);
    row.line = line_;
    if (row.step < 0) fail(concat("step ", row.step, " is negative; steps count from 0"));
    const auto [first, fresh] = seen_.try_emplace({row.method, row.task, row.run, row.step}, line_);
    if (!fresh)
      fail(concat("run '", shown(row.run), "', task '", shown(row.task), "', step ", row.step,
                  " was given before, on line ", first->second, "; keep one of the two"));
    table_.rows.push_back(std::move(row));
  }

  static constexpr std::size_t kAbsent = ~std::size_t{0};
  std::string_view text_, method_, current_;
  std::size_t line_ = 0, width_ = 0;
  std::array<std::size_t, kColumns.size()> where_{};
  std::vector<std::string> fields_;
  std::map<std::tuple<std::string, std::string, std::string, double>, std::size_t> seen_;
  ScoreTable table_;
};

}  // namespace

ScoreTable parse_scores(std::string_view text, std::string_view source, std::string_view method) {
  return Reader(text, source, method).read();
}

ScoreTable read_scores(const std::string& path, std::string_view method) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw IoError(concat("cannot open '", path, "'; check that the file exists and may be read"));
  // read() turns what the system refuses (a directory, say) into a state, the iterators would
  // throw.
  std::string text;
  std::array<char, 65'536> block;
  std::size_t line = 0;  // where the last one begins
  while (file.read(block.data(), block.size()) || file.gcount() > 0) {
    text.append(block.data(), static_cast<std::size_t>(file.gcount()));
    // A device without line ends would be read forever; parse_scores says what is wrong.
    line = std::max(line, text.rfind('\n') + 1);
    if (text.size() - line > 2 * kLongestLine) break;
    if (text.size() > kLargestFile)
      throw IoError(concat("'", path, "' has more than ", kLargestFile, " bytes; split it"));
  }
  if (file.bad()) throw IoError(concat("cannot read '", path, "'; is it a regular file?"));
  return parse_scores(text, path, method);
}

}  // namespace mneme::stats
