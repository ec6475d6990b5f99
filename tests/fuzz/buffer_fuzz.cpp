// tests/fuzz/buffer_fuzz.cpp - a buffer's files with any bytes changed: opened as it was, or
// refused in words.
//
// An input is a list of changes (file, place, new bytes) to the fixture of the present format. The
// first byte says what happens to the checksums: as they are (then a buffer that opens must hold
// what it held), or put right after the changes (then anything may be in it, but nothing may
// break).
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "base/crc32c.h"
#include "mneme/buffer_files.h"
#include "mneme/error.h"
#include "mneme/replay_buffer.h"
#include "storage/archive.h"

namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<char>;

struct World {
  fs::path directory;
  std::map<std::string, Bytes> files;
  std::vector<std::uint64_t> drawn;  // the ids of the next batches of the unchanged buffer
};

std::vector<std::uint64_t> draw(mneme::ReplayBuffer& buffer) {
  std::vector<std::uint64_t> ids;
  mneme::Batch batch = buffer.make_batch(32);
  for (int k = 0; k < 3; ++k) {
    buffer.sample(batch);
    ids.insert(ids.end(), batch.id.begin(), batch.id.end());
  }
  return ids;
}

const World& world() {
  static const World made = [] {
    World w;
    const fs::path memory = "/dev/shm";
    w.directory = (access(memory.c_str(), W_OK) == 0 ? memory : fs::temp_directory_path()) /
                  ("mneme-buffer-fuzz-" + std::to_string(getpid()));
    fs::create_directories(w.directory);
    const fs::path fixture = fs::path(MNEME_SOURCE_DIR) / "tests/replay/fixtures/buffer-v1";
    for (const auto& entry : fs::directory_iterator(fixture)) {
      std::ifstream in(entry.path(), std::ios::binary);
      w.files[entry.path().filename()] = {std::istreambuf_iterator<char>(in), {}};
      fs::copy_file(entry.path(), w.directory / entry.path().filename());
    }
    mneme::ReplayBuffer buffer = mneme::ReplayBuffer::open(w.directory, mneme::OpenFor::reading);
    w.drawn = draw(buffer);
    return w;
  }();
  return made;
}

// Checksums of blocks and of the manifest itself, for whatever is in the files now.
void put_right(std::map<std::string, Bytes>& files) {
  Bytes& manifest = files["manifest"];
  if (manifest.size() < 24) return;
  const auto seal = [&] {
    const std::uint64_t content = manifest.size() - 24;
    const std::uint32_t crc = mneme::crc32c(0, manifest.data() + 24, content);
    std::memcpy(manifest.data() + 12, &crc, sizeof crc);
    std::memcpy(manifest.data() + 16, &content, sizeof content);
  };
  seal();
  try {
    mneme::Manifest m = mneme::decode_manifest(std::as_bytes(std::span(manifest)));
    for (std::size_t t = 0; t < 3; ++t) {
      const mneme::RowStorageShape& shape = m.image.shape.tapes[t];
      const Bytes& segment = files[std::string(mneme::kTapeNames[t]) + "-000000.segment"];
      for (mneme::StreamImage& stream : m.image.streams) {
        const mneme::Settled rows = mneme::settled_rows(t, stream.state);
        std::uint64_t block = mneme::first_block(rows, shape);
        for (mneme::BlockImage& image : stream.blocks[t]) {
          const std::size_t at = 4096 + image.number * shape.block_bytes();
          const std::size_t bytes = mneme::rows_in_block(rows, shape, block++) * shape.stride;
          if (at + bytes <= segment.size())
            image.crc = mneme::crc32c(0, segment.data() + at, bytes);
        }
      }
    }
    const std::vector<std::byte> again = mneme::encode_manifest(m);
    manifest.resize(again.size());
    std::memcpy(manifest.data(), again.data(), again.size());
  } catch (const mneme::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const World& w = world();
  if (size < 1) return 0;
  const bool right = data[0] % 2 == 1;
  std::map<std::string, Bytes> files = w.files;
  for (std::size_t at = 1; at + 6 <= size;) {
    auto file = files.begin();
    std::advance(file, data[at] % files.size());
    std::uint32_t place;
    std::memcpy(&place, data + at + 1, sizeof place);
    const std::size_t length = std::min<std::size_t>(data[at + 5], size - at - 6);
    Bytes& bytes = file->second;
    if (length == 0) bytes.resize(place % (bytes.size() + 1));  // truncated
    for (std::size_t k = 0; k < length && !bytes.empty(); ++k)
      bytes[(place + k) % bytes.size()] = static_cast<char>(data[at + 6 + k]);
    at += 6 + length;
  }
  if (right) put_right(files);
  for (const auto& [name, bytes] : files) {
    std::ofstream out(w.directory / name, std::ios::binary | std::ios::trunc);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  try {
    // A configuration that asks for much memory is not a fault of the reader.
    const mneme::ReplayConfig config = mneme::buffer_info(w.directory).config;
    if (config.capacity > 100'000 || config.streams > 1000) return 0;
    mneme::ReplayBuffer buffer = mneme::ReplayBuffer::open(w.directory, mneme::OpenFor::reading);
    const std::vector<std::uint64_t> drawn = draw(buffer);
    if (!right && drawn != w.drawn) __builtin_trap();
  } catch (const mneme::Error&) {
  }
  return 0;
}
