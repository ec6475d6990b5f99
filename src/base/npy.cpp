// base/npy.cpp - the header NumPy expects, and the numbers after it.
#include "base/npy.h"

#include "base/text.h"
#include "mneme/error.h"

namespace mneme {

NpyFile::NpyFile(const std::filesystem::path& path, std::string_view type,
                 std::span<const Index> row, std::uint64_t rows)
    : path_(path), out_(path, std::ios::binary | std::ios::trunc) {
  std::string header =
      concat("{'descr': '", type, "', 'fortran_order': False, 'shape': (", rows, ",");
  for (const Index dimension : row) header += concat(" ", dimension, ",");
  header += "), }";
  // Magic, version and length take 10 bytes; data starts at a multiple of 64.
  header.resize((header.size() + 10 + 1 + 63) / 64 * 64 - 10, ' ');
  header.back() = '\n';
  const auto length = static_cast<std::uint16_t>(header.size());
  out_.write("\x93NUMPY\x01\x00", 8);
  out_.put(static_cast<char>(length & 0xff));
  out_.put(static_cast<char>(length >> 8));
  out_ << header;
  if (!out_) throw IoError(concat(path.string(), ": cannot write; is the disk full?"));
}

void NpyFile::append(const void* data, std::size_t bytes) {
  out_.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
  if (!out_) throw IoError(concat(path_.string(), ": cannot write; is the disk full?"));
}

void NpyFile::finish() {
  out_.close();
  if (!out_) throw IoError(concat(path_.string(), ": cannot write; is the disk full?"));
}

}  // namespace mneme
