// storage/manifest.cpp - the manifest as bytes: magic, version, length, checksum, content.
#include <algorithm>
#include <cstring>

#include "base/crc32c.h"
#include "base/text.h"
#include "storage/archive.h"

namespace mneme {
namespace {

struct Header {
  std::array<char, 8> magic{'m', 'n', 'e', 'm', 'e', 'm', 'a', 'n'};
  std::uint32_t version = 1;
  std::uint32_t crc = 0;  // of the content
  std::uint64_t bytes = 0;
};
static_assert(sizeof(Header) == kManifestHeader);

}  // namespace

std::vector<std::byte> encode_manifest(const Manifest& manifest) {
  ByteWriter out;
  out.put(Header{});
  out.put(manifest.identity);
  out.put(manifest.lineage);
  out.put(manifest.commit);
  write_image(out, manifest.image);
  out.put(static_cast<std::uint64_t>(manifest.owner.size()));
  out.put_all(std::span<const std::byte>(manifest.owner));
  std::vector<std::byte> bytes = out.bytes();
  Header header;
  header.bytes = bytes.size() - sizeof header;
  header.crc = crc32c(0, bytes.data() + sizeof header, bytes.size() - sizeof header);
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

ManifestCheck::ManifestCheck(std::span<const std::byte> bytes, std::size_t size) {
  const Header wanted;
  Header header;
  if (bytes.size() < sizeof header)
    throw CorruptData(concat("the manifest has ", bytes.size(), " bytes; it was truncated"));
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != wanted.magic) throw CorruptData("this is not a manifest of mneme");
  if (header.version != wanted.version)
    throw CorruptData(concat("the manifest is of format version ", header.version,
                             "; this mneme reads version ", wanted.version));
  if (header.bytes != size - sizeof header)
    throw CorruptData(concat("the manifest has ", size - sizeof header, " bytes of content where ",
                             header.bytes, " were written; it was truncated or added to"));
  wanted_ = header.crc;
}

void ManifestCheck::add(std::span<const std::byte> content) {
  crc_ = crc32c(crc_, content.data(), content.size());
}

void ManifestCheck::finish() const {
  if (crc_ != wanted_)
    throw CorruptData(
        "the checksum of the manifest does not match; it was changed after it was written");
}

Manifest decode_manifest(std::span<const std::byte> bytes) {
  ManifestCheck check(bytes.first(std::min(bytes.size(), kManifestHeader)), bytes.size());
  const std::span<const std::byte> content = bytes.subspan(kManifestHeader);
  check.add(content);
  check.finish();
  ByteReader in(content);
  Manifest manifest;
  manifest.identity = in.get<std::uint64_t>();
  manifest.lineage = in.get<std::uint64_t>();
  manifest.commit = in.get<std::uint64_t>();
  manifest.image = read_image(in);
  manifest.owner.resize(in.claim(in.get<std::uint64_t>()));
  in.get_all(std::span<std::byte>(manifest.owner));
  if (in.left() != 0) throw CorruptData("trailing bytes after the manifest");
  return manifest;
}

}  // namespace mneme
