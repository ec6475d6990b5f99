// storage/manifest.cpp - the manifest as bytes: magic, version, length, checksum, content.
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
static_assert(sizeof(Header) == 24);

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

Manifest decode_manifest(std::span<const std::byte> bytes) {
  const Header wanted;
  Header header;
  if (bytes.size() < sizeof header)
    throw CorruptData(concat("the manifest has ", bytes.size(), " bytes; it was truncated"));
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != wanted.magic) throw CorruptData("this is not a manifest of mneme");
  if (header.version != wanted.version)
    throw CorruptData(concat("the manifest is of format version ", header.version,
                             "; this mneme reads version ", wanted.version));
  const std::span<const std::byte> content = bytes.subspan(sizeof header);
  if (header.bytes != content.size())
    throw CorruptData(concat("the manifest has ", content.size(), " bytes of content where ",
                             header.bytes, " were written; it was truncated or added to"));
  if (header.crc != crc32c(0, content.data(), content.size()))
    throw CorruptData("the manifest's checksum does not fit; it was changed after it was written");
  ByteReader in(content);
  Manifest manifest;
  manifest.identity = in.get<std::uint64_t>();
  manifest.lineage = in.get<std::uint64_t>();
  manifest.commit = in.get<std::uint64_t>();
  manifest.image = read_image(in);
  manifest.owner.resize(in.claim(in.get<std::uint64_t>()));
  in.get_all(std::span<std::byte>(manifest.owner));
  if (in.left() != 0) throw CorruptData("the manifest goes on after its end");
  return manifest;
}

}  // namespace mneme
