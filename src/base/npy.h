// base/npy.h - arrays in NumPy's own file format (version 1.0), row by row.
//
//   NpyFile file("reward.npy", "<f4", {}, rows);      // rows numbers: shape (rows,)
//   file.append(data, bytes);
//   file.finish();
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string_view>

#include "mneme/index.h"

namespace mneme {

class NpyFile {
 public:
  /// `type` as NumPy writes it ("<f4", "|u1"); `row` the dimensions of one row. Throws IoError.
  NpyFile(const std::filesystem::path& path, std::string_view type, std::span<const Index> row,
          std::uint64_t rows);
  /// Throws IoError.
  void append(const void* data, std::size_t bytes);
  /// Throws IoError if anything could not be written, such as on a full disk.
  void finish();

 private:
  std::filesystem::path path_;
  std::ofstream out_;
};

}  // namespace mneme
