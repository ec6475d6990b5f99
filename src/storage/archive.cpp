// storage/archive.cpp - committing a store to a directory and taking it back.
#include "storage/archive.h"

#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>

#include "base/crc32c.h"
#include "base/text.h"
#include "mneme/error.h"

namespace mneme {
namespace {

namespace fs = std::filesystem;

constexpr const char* kManifest = "manifest";
constexpr const char* kLock = "lock";

// Names, not numbers that anything is computed from: two buffers must not share one.
std::uint64_t fresh_name() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

// About an eighth of what the tape will need, so that a young buffer has small files, but no file
// larger than asked for and none so small that there are many for nothing.
std::uint32_t blocks_per_segment(std::size_t tape, const StoreShape& shape, std::size_t largest) {
  const RowStorageShape& t = shape.tapes[tape];
  const std::size_t all = t.most_blocks() * static_cast<std::size_t>(shape.streams);
  const std::size_t most = (tape == kFinals ? largest / 16 : largest) / t.block_bytes();
  const std::size_t least = (std::size_t{64} << 10) / t.block_bytes();
  return static_cast<std::uint32_t>(
      std::max<std::size_t>(1, std::min(most, std::max(least, all / 8))));
}

void check_disk_space(const fs::path& path, const StoreShape& shape) {
  double needed = 0;
  for (const std::size_t t : {kObservations, kSides})
    needed += static_cast<double>(shape.streams) * static_cast<double>(shape.capacity) *
              static_cast<double>(shape.tapes[t].stride);
  std::error_code error;
  const fs::space_info space = fs::space(path, error);
  if (!error && needed > static_cast<double>(space.available))
    throw InvalidArgument(concat(
        shape.streams, " x ", shape.capacity, " transitions need ", needed / 0x1p30, " GiB at ",
        path.string(), ", where there is room for ", static_cast<double>(space.available) / 0x1p30,
        " GiB; lower the capacity or choose another disk"));
}

// Who has the lock for writing leaves its process id in a file. That is for the message alone:
// where it cannot be written or read, the lock holds all the same.
void leave_note(const fs::path& note) {
  try {
    const File file(note, File::Mode::create);
    const std::string id = std::to_string(getpid());
    static_cast<void>(!write(file.descriptor(), id.data(), id.size()));
  } catch (const IoError&) {
  }
}

std::string holder_in(const fs::path& note) {
  std::string id(20, ' ');
  try {
    const File file(note, File::Mode::read);
    const ssize_t size = read(file.descriptor(), id.data(), id.size());
    id.resize(static_cast<std::size_t>(std::max<ssize_t>(0, size)));
  } catch (const IoError&) {
    id.clear();
  }
  const bool number =
      std::all_of(id.begin(), id.end(), [](char c) { return c >= '0' && c <= '9'; });
  return number ? id : "";
}

// An advisory lock that the system gives up with the process, however that ends.
// It is on the directory itself.
void take_lock(const File& directory, const fs::path& path, Archive::Access access) {
  const bool writing = access == Archive::Access::write;
  const fs::path note = path / kLock;
  if (flock(directory.descriptor(), (writing ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0) {
    const std::string holder = holder_in(note);
    throw IoError(concat(path.string(), " is open ",
                         holder.empty() ? "elsewhere" : concat("in process ", holder),
                         "; close it there first, or work on a copy of the directory"));
  }
  if (writing) leave_note(note);
}

const fs::path& existing(const fs::path& path) {
  std::error_code error;
  const bool directory = fs::is_directory(path, error);
  // Not there is said below; a name that is too long, or a place that may not be looked at, is
  // this.
  if (error && error.value() != ENOENT) throw_io_error(path, "look at", error.value());
  if (!directory)
    throw IoError(concat(path.string(), " is not a directory; a buffer is opened by the directory ",
                         "it was created in"));
  if (!Archive::exists(path))
    throw IoError(concat(path.string(), " does not hold a buffer: it has no manifest"));
  return path;
}

}  // namespace

Manifest read_manifest(const fs::path& directory) {
  const fs::path path = existing(directory) / kManifest;
  const File file(path, File::Mode::read);
  const auto read_some = [&](std::size_t at, std::size_t wanted) {
    std::vector<std::byte> bytes(wanted);
    std::size_t done = 0;
    while (done < wanted) {
      const ssize_t now = pread(file.descriptor(), bytes.data() + done, wanted - done,
                                static_cast<off_t>(at + done));
      if (now < 0 && errno == EINTR) continue;
      if (now < 0) throw_io_error(path, "read", errno);
      if (now == 0) break;
      done += static_cast<std::size_t>(now);
    }
    bytes.resize(done);
    return bytes;
  };
  try {
    // Memory is taken for the whole only after its header and its checksum were found to fit.
    const std::size_t size = file.bytes();
    ManifestCheck check(read_some(0, kManifestHeader), size);
    constexpr std::size_t kPiece = std::size_t{1} << 20;
    for (std::size_t at = kManifestHeader; at < size; at += kPiece)
      check.add(read_some(at, std::min(kPiece, size - at)));
    check.finish();
    return decode_manifest(read_some(0, size));
  } catch (const CorruptData& error) {
    throw CorruptData(concat(path.string(), ": ", error.what()));
  }
}

Archive::Archive(Disk& disk, fs::path path, Access access)
    : disk_(disk), path_(std::move(path)), access_(access), lock_(path_, File::Mode::directory) {
  take_lock(lock_, path_, access);
}

bool Archive::exists(const fs::path& path) {
  std::error_code unknown;
  return fs::exists(path / kManifest, unknown);
}

std::unique_ptr<Archive> Archive::create(Disk& disk, const fs::path& path, const StoreShape& shape,
                                         std::size_t largest_segment) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw_io_error(path, "create the directory", error.value());
  check_disk_space(path, shape);
  std::unique_ptr<Archive> archive(new Archive(disk, fs::absolute(path), Access::write));
  if (exists(path))
    throw InvalidArgument(
        concat(path.string(), " holds a buffer already; open it, or choose ", "another directory"));
  archive->manifest_.identity = fresh_name();
  archive->manifest_.image.shape = shape;
  archive->manifest_.image.streams.resize(static_cast<std::size_t>(shape.streams));
  for (std::size_t t = 0; t < 3; ++t)
    archive->manifest_.image.blocks_per_segment[t] = blocks_per_segment(t, shape, largest_segment);
  archive->map_segments();
  return archive;
}

std::unique_ptr<Archive> Archive::open(Disk& disk, const fs::path& path, Access access) {
  std::unique_ptr<Archive> archive(new Archive(disk, fs::absolute(existing(path)), access));
  archive->manifest_ = read_manifest(path);
  archive->map_segments();
  archive->free_unused();
  return archive;
}

void Archive::map_segments() {
  for (std::size_t t = 0; t < 3; ++t) {
    segments_[t] = std::make_unique<SegmentFiles>(
        disk_,
        SegmentFiles::Settings{path_, kTapeNames[t], manifest_.identity,
                               manifest_.image.shape.tapes[t].block_bytes(),
                               manifest_.image.blocks_per_segment[t], access_},
        manifest_.image.segments[t]);
  }
}

void Archive::free_unused() {
  for (std::size_t t = 0; t < 3; ++t) {
    std::vector<std::uint32_t> used;
    for (const StreamImage& stream : manifest_.image.streams) {
      for (const BlockImage& block : stream.blocks[t]) used.push_back(block.number);
    }
    segments_[t]->set_used(used);
  }
}

StreamImage Archive::capture_stream(const StreamStore& store, Index stream,
                                    const StreamImage& before, Rows rows) {
  StreamImage now;
  now.state = store.state(stream);
  for (std::size_t t = 0; t < 3; ++t) {
    const RowStorage& tapes = store.tapes(t);
    const RowStorageShape& shape = tapes.shape();
    const Settled settled = settled_rows(t, now.state), old = settled_rows(t, before.state);
    const std::uint64_t first = first_block(settled, shape), old_first = first_block(old, shape);
    const std::size_t count = block_count(settled, shape);
    now.blocks[t].reserve(count);
    for (std::uint64_t block = first; block < first + count; ++block) {
      const bool known = block >= old_first && block < old_first + before.blocks[t].size();
      BlockImage image = known ? before.blocks[t][block - old_first] : BlockImage{};
      const std::size_t had = known ? rows_in_block(old, shape, block) : 0;
      const std::size_t has = rows_in_block(settled, shape, block);
      if (!known) {
        image.number =
            rows == Rows::in_place ? tapes.number(stream, block) : segments_[t]->take().number;
      }
      if (has > had) {
        const std::byte* from = tapes.row(stream, (block << shape.shift) + had);
        const std::size_t bytes = (has - had) * shape.stride;
        if (rows == Rows::copied)
          std::memcpy(segments_[t]->at(image.number).data + had * shape.stride, from, bytes);
        image.crc = crc32c(image.crc, from, bytes);
        segments_[t]->mark(image.number);
      }
      now.blocks[t].push_back(image);
    }
  }
  if (now.state.head > 0) {
    const std::byte* newest = store.side(stream, now.state.head - 1);
    now.newest.assign(newest, newest + store.layout().side_stride);
    if (StreamStore::end_of(store.end_word(newest)) == End::none) {
      const std::byte* next = store.observation(stream, now.state.head);
      now.successor.assign(next, next + store.layout().observation_stride);
    }
  }
  return now;
}

StoreImage Archive::capture(const StreamStore& store, Rows rows, Since since) {
  StoreImage next;
  next.shape = manifest_.image.shape;
  next.blocks_per_segment = manifest_.image.blocks_per_segment;
  next.streams.reserve(manifest_.image.streams.size());
  const StreamImage nothing;
  for (Index s = 0; s < store.streams(); ++s) {
    const StreamImage& before = since == Since::last_commit
                                    ? manifest_.image.streams[static_cast<std::size_t>(s)]
                                    : nothing;
    next.streams.push_back(capture_stream(store, s, before, rows));
  }
  for (std::size_t t = 0; t < 3; ++t) next.segments[t] = segments_[t]->segments();
  return next;
}

void Archive::commit(const StreamStore& store, std::vector<std::byte> owner, Rows rows,
                     Since since) {
  if (access_ == Access::read)
    throw InvalidArgument(
        concat(path_.string(), " was opened for reading; nothing can be ", "committed to it"));
  if (!broken_.empty())
    throw IoError(concat(path_.string(), " cannot be committed to any more: ", broken_,
                         "; open it again to continue from commit ", manifest_.commit));
  std::array<std::size_t, 3> waiting;
  for (std::size_t t = 0; t < 3; ++t) waiting[t] = segments_[t]->waiting();

  Manifest next;
  next.identity = manifest_.identity;
  next.lineage = fresh_name();
  next.commit = manifest_.commit + 1;
  next.image = capture(store, rows, since);
  next.owner = std::move(owner);
  try {
    for (const auto& segments : segments_) segments->sync();
  } catch (const IoError& error) {
    // After a failed sync the system may have dropped the pages: a later success proves nothing.
    broken_ = error.what();
    throw;
  }
  const std::vector<std::byte> bytes = encode_manifest(next);
  replace_file(disk_, path_ / kManifest, bytes.data(), bytes.size());

  manifest_ = std::move(next);
  if (rows == Rows::copied) return free_unused();
  for (std::size_t t = 0; t < 3; ++t) segments_[t]->release(waiting[t]);
}

const std::byte* Archive::checked_block(std::size_t tape, Index stream, std::size_t k) const {
  const StreamImage& image = manifest_.image.streams[static_cast<std::size_t>(stream)];
  const RowStorageShape& shape = manifest_.image.shape.tapes[tape];
  const Settled settled = settled_rows(tape, image.state);
  const std::uint64_t block = first_block(settled, shape) + k;
  const std::byte* data = segments_[tape]->at(image.blocks[tape][k].number).data;
  if (crc32c(0, data, rows_in_block(settled, shape, block) * shape.stride) !=
      image.blocks[tape][k].crc)
    throw CorruptData(concat(path_.string(), ": the ", kTapeNames[tape], " of stream ", stream,
                             " from row ", block << shape.shift,
                             " on were changed after they were written: their checksum does not "
                             "fit"));
  return data;
}

void Archive::restore_stream(StreamStore& store, Index stream, Rows rows) const {
  const StreamImage& image = manifest_.image.streams[static_cast<std::size_t>(stream)];
  for (std::size_t t = 0; t < 3; ++t) {
    RowStorage& tapes = store.tapes(t);
    const RowStorageShape& shape = tapes.shape();
    const Settled settled = settled_rows(t, image.state);
    const std::uint64_t first = first_block(settled, shape);
    tapes.begin_at(stream, first);
    for (std::size_t k = 0; k < image.blocks[t].size(); ++k) {
      const std::byte* data = checked_block(t, stream, k);
      if (rows == Rows::in_place) {
        tapes.restore(stream, segments_[t]->at(image.blocks[t][k].number));
      } else {
        tapes.reach(stream, (first + k + 1) << shape.shift);
        std::memcpy(tapes.row_mutable(stream, (first + k) << shape.shift), data,
                    rows_in_block(settled, shape, first + k) * shape.stride);
      }
    }
  }
  const std::uint64_t head = image.state.head;
  if (head > 0) {
    store.tapes(kSides).reach(stream, head);
    std::memcpy(store.tapes(kSides).row_mutable(stream, head - 1), image.newest.data(),
                image.newest.size());
    store.tapes(kObservations).reach(stream, head + 1);
    if (!image.successor.empty())
      std::memcpy(store.tapes(kObservations).row_mutable(stream, head), image.successor.data(),
                  image.successor.size());
  }

  // Every end word leads to a final observation that is there.
  std::uint64_t final_row = image.state.finals_oldest;
  for (std::uint64_t q = image.state.oldest; q < head; ++q) {
    const std::uint32_t word = store.end_word(store.side(stream, q));
    if (StreamStore::end_of(word) == End::none) continue;
    if (word >> 2 != (final_row & 0x3fffffff) || final_row >= image.state.finals_head)
      throw CorruptData(concat(path_.string(), ": row ", q, " of stream ", stream,
                               " ends in a final observation that is not there"));
    ++final_row;
  }
  const bool open_end =
      head > 0 && StreamStore::end_of(store.end_word(store.side(stream, head - 1))) == End::none;
  if (final_row != image.state.finals_head || open_end != !image.successor.empty())
    throw CorruptData(
        concat(path_.string(), ": the ends of stream ", stream, " do not fit its rows"));
  store.restore(stream, image.state);
}

void Archive::restore(StreamStore& store, Rows rows) const {
  for (Index s = 0; s < store.streams(); ++s) restore_stream(store, s, rows);
}

std::uint64_t Archive::verify(const std::function<void(double)>& progress) const {
  std::uint64_t bytes = 0;
  const Index streams = manifest_.image.shape.streams;
  for (Index s = 0; s < streams; ++s) {
    for (std::size_t t = 0; t < 3; ++t) {
      const std::size_t count =
          manifest_.image.streams[static_cast<std::size_t>(s)].blocks[t].size();
      for (std::size_t k = 0; k < count; ++k) {
        checked_block(t, s, k);
        bytes += manifest_.image.shape.tapes[t].block_bytes();
        const double within =
            (static_cast<double>(t) + static_cast<double>(k) / static_cast<double>(count)) / 3;
        if (progress) progress((static_cast<double>(s) + within) / static_cast<double>(streams));
      }
    }
  }
  if (progress) progress(1);
  return bytes;
}

}  // namespace mneme
