// tests/fuzz/manifest_fuzz.cpp - any bytes as a manifest: an error in words or a manifest, nothing
// else.
//
// The checksum is put right first, or hardly any input would get beyond it.
#include <cstring>

#include "base/crc32c.h"
#include "mneme/error.h"
#include "replay/saved_state.h"
#include "storage/archive.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  std::vector<std::byte> bytes(size);
  if (size > 0) std::memcpy(bytes.data(), data, size);
  constexpr std::size_t kHeader = 24, kCrc = 12, kBytes = 16;
  if (size >= kHeader) {
    const std::uint64_t content = size - kHeader;
    const std::uint32_t crc = mneme::crc32c(0, bytes.data() + kHeader, content);
    std::memcpy(bytes.data() + kCrc, &crc, sizeof crc);
    std::memcpy(bytes.data() + kBytes, &content, sizeof content);
  }
  try {
    const mneme::Manifest manifest = mneme::decode_manifest(bytes);
    // What was read is written the same way again.
    if (mneme::encode_manifest(manifest) != bytes) __builtin_trap();
    const mneme::SavedState state = mneme::decode_state(manifest.owner);
    static_cast<void>(mneme::encode_state(state));
  } catch (const mneme::Error&) {
  }
  return 0;
}
