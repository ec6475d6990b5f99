// storage/archive.h - a directory that holds a store: segment files, one manifest, one lock.
//
//   auto archive = Archive::create(disk, path, shape);
//   StreamStore store(layout, S, N, archive->blocks());
//   ... append ...
//   archive->commit(store, owner_bytes);        // what is in the store now survives everything
//   ...
//   auto again = Archive::open(disk, path);
//   again->restore(store);                      // and again->owner() is what the owner gave
//
// The manifest is replaced by rename. Until a new one is on the disk, nothing that the old one
// vouches for is written to; see storage/store_image.h and storage/segment_files.h. One process
// has an archive open for writing; others may look at it while it is closed.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "storage/disk.h"
#include "storage/segment_files.h"
#include "storage/stream_store.h"

namespace mneme {

/// All that a manifest says.
struct Manifest {
  std::uint64_t identity = 0;  // of the buffer, in every segment
  std::uint64_t lineage = 0;   // of this very commit: who has it knows what is in the files
  std::uint64_t commit = 0;    // how many there have been
  StoreImage image;
  std::vector<std::byte> owner;  // what the owner of the store wanted to be kept with it
};

std::vector<std::byte> encode_manifest(const Manifest& manifest);
/// Bytes before the content of a manifest.
inline constexpr std::size_t kManifestHeader = 24;
/// Checks the header of a manifest of this size, then its content by the piece, in constant memory.
class ManifestCheck {
 public:
  /// Throws CorruptData for the header of anything but a manifest of this version and size.
  ManifestCheck(std::span<const std::byte> header, std::size_t size);
  void add(std::span<const std::byte> content);
  /// Throws CorruptData if the checksum does not fit.
  void finish() const;

 private:
  std::uint32_t wanted_ = 0, crc_ = 0;
};
/// Throws CorruptData for anything but a whole manifest of this version.
Manifest decode_manifest(std::span<const std::byte> bytes);
/// The manifest in a directory, without locking it. Throws IoError if it is missing, CorruptData.
Manifest read_manifest(const std::filesystem::path& directory);

class Archive {
 public:
  using Access = SegmentFiles::Access;

  /// Whether a directory holds a buffer.
  static bool exists(const std::filesystem::path& path);

  /// Makes the directory if need be. Throws InvalidArgument if a buffer lives there already or the
  /// disk has no room for one of this shape, IoError.
  static std::unique_ptr<Archive> create(Disk& disk, const std::filesystem::path& path,
                                         const StoreShape& shape,
                                         std::size_t largest_segment = std::size_t{64} << 20);
  /// Throws IoError if there is no buffer or another process has it, CorruptData.
  static std::unique_ptr<Archive> open(Disk& disk, const std::filesystem::path& path,
                                       Access access = Access::write);

  const std::filesystem::path& path() const { return path_; }
  Access access() const { return access_; }
  const Manifest& manifest() const { return manifest_; }
  std::array<Blocks*, 3> blocks() const {
    return {segments_[0].get(), segments_[1].get(), segments_[2].get()};
  }

  /// Whether the store works on the blocks of this archive, or its rows have to be copied.
  enum class Rows { in_place, copied };
  /// What the store is known to share with the last commit: its rows up to there, or nothing.
  enum class Since { last_commit, nothing };

  /// Makes what is in the store now, and these bytes, the content of the archive. Costs the rows
  /// added since the last commit. Not while a writer adds. Throws IoError: then the last commit is
  /// what the archive holds. If the rows themselves could not be synced, no later commit is
  /// possible. Throws InvalidArgument if it was opened for reading.
  void commit(const StreamStore& store, std::vector<std::byte> owner, Rows rows,
              Since since = Since::last_commit);

  /// Fills an empty store of the archive's shape. Throws CorruptData if a checksum does not fit;
  /// then the store is good for nothing but destruction.
  void restore(StreamStore& store, Rows rows) const;

  /// Reads every row and throws CorruptData for the first block whose checksum does not fit. Calls
  /// `progress` with the share that is done, if it is given; returns the bytes looked at.
  std::uint64_t verify(const std::function<void(double)>& progress = {}) const;

 private:
  Archive(Disk& disk, std::filesystem::path path, Access access);
  void map_segments();
  StoreImage capture(const StreamStore& store, Rows rows, Since since);
  StreamImage capture_stream(const StreamStore& store, Index stream, const StreamImage& before,
                             Rows rows);
  void restore_stream(StreamStore& store, Index stream, Rows rows) const;
  const std::byte* checked_block(std::size_t tape, Index stream, std::size_t k) const;
  void free_unused();

  Disk& disk_;
  std::filesystem::path path_;
  Access access_;
  File lock_;
  Manifest manifest_;
  std::array<std::unique_ptr<SegmentFiles>, 3> segments_;
  std::string broken_;  // why no commit is possible any more
};

}  // namespace mneme
