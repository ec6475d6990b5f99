// term/plot.h - curves drawn with characters.
#pragma once

#include <string>
#include <vector>

namespace mneme::lab {

struct PlotPoint {
  double x = 0, y = 0;
};

/// One curve with its axes on `height` lines of at most `width` columns; y from 0 to 1 unless
/// points lie outside. Points that are not finite are left out; no points give no lines.
std::vector<std::string> plot_lines(const std::vector<PlotPoint>& points, std::size_t width,
                                    std::size_t height);

/// "▁▂▅▇": a character per value, between the least and the largest of them.
std::string sparkline(const std::vector<double>& values);

}  // namespace mneme::lab
