// term/plot.cpp - points on a grid of characters.
#include "term/plot.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "term/number_format.h"
#include "term/screen.h"

namespace mneme::lab {
namespace {

// 250000 as "250k".
std::string step_text(double value) {
  if (value >= 1e6) return number(value / 1e6, 3) + "M";
  return value >= 1e3 ? number(value / 1e3, 3) + "k" : number(value, 3);
}

}  // namespace

std::vector<std::string> plot_lines(const std::vector<PlotPoint>& all, std::size_t width,
                                    std::size_t height) {
  std::vector<PlotPoint> points;
  for (const PlotPoint& point : all)
    if (std::isfinite(point.x) && std::isfinite(point.y)) points.push_back(point);
  constexpr std::size_t kLabel = 6;
  if (points.empty() || height < 2 || width < kLabel + 12) return {};
  double low = 0, high = 1, left = points.front().x, right = left;
  for (const PlotPoint& point : points) {
    low = std::min(low, point.y);
    high = std::max(high, point.y);
    left = std::min(left, point.x);
    right = std::max(right, point.x);
  }
  const std::size_t columns = width - kLabel - 1;
  std::vector<std::vector<std::string>> cells(height, std::vector<std::string>(columns, " "));
  for (const PlotPoint& point : points) {
    const double x = right > left ? (point.x - left) / (right - left) : 0;
    const double y = (point.y - low) / (high - low);
    const auto column = static_cast<std::size_t>(x * static_cast<double>(columns - 1) + 0.5);
    const auto row = static_cast<std::size_t>((1 - y) * static_cast<double>(height - 1) + 0.5);
    cells[row][column] = "●";
  }
  std::vector<std::string> lines;
  for (std::size_t row = 0; row < height; ++row) {
    std::string label;
    if (row == 0 || row + 1 == height || (height % 2 == 1 && row == height / 2))
      label = number(
          high - (high - low) * static_cast<double>(row) / static_cast<double>(height - 1), 3);
    std::string line = padded(label, kLabel, true) + (label.empty() ? "│" : "┤");
    for (const std::string& cell : cells[row]) line += cell;
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  std::string axis = std::string(kLabel, ' ') + "└";
  for (std::size_t k = 0; k < columns; ++k) axis += "─";
  lines.push_back(std::move(axis));
  const std::string first = step_text(left), last = step_text(right);
  const std::size_t taken = first.size() + last.size();
  lines.push_back(std::string(kLabel + 1, ' ') + first +
                  std::string(columns > taken ? columns - taken : 1, ' ') + last);
  return lines;
}

std::string sparkline(const std::vector<double>& values) {
  constexpr std::array kBars{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  double low = INFINITY, high = -INFINITY;
  for (const double value : values)
    if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
  std::string line;
  for (const double value : values) {
    if (!std::isfinite(value))
      line += ' ';
    else
      line += kBars[high > low ? static_cast<std::size_t>((value - low) / (high - low) * 7 + 0.5)
                               : std::size_t{3}];
  }
  return line;
}

}  // namespace mneme::lab
