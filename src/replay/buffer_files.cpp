// replay/buffer_files.cpp - describing, verifying and exporting a buffer's directory.
#include "mneme/buffer_files.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "base/npy.h"
#include "base/text.h"
#include "mneme/error.h"
#include "replay/saved_state.h"
#include "storage/archive.h"
#include "storage/convert.h"

namespace mneme {
namespace {

namespace fs = std::filesystem;

DType export_type(DType stored) { return stored == DType::bf16 ? DType::f32 : stored; }

const char* numpy_name(DType type) {
  switch (type) {
    case DType::f32:
    case DType::bf16:
      return "<f4";
    case DType::f64:
      return "<f8";
    case DType::f16:
      return "<f2";
    case DType::u8:
      return "|u1";
    case DType::i32:
      return "<i4";
    case DType::i64:
      return "<i8";
  }
  return "";
}

// One column on its way into a file.
class Column {
 public:
  Column(const fs::path& path, const FieldSpec& spec, std::uint64_t rows)
      : stored_(spec.type),
        type_(export_type(spec.type)),
        count_(static_cast<std::size_t>(spec.count())),
        row_(count_ * size_of(type_)),
        file_(path, numpy_name(spec.type), spec.shape, rows) {}

  void add(const void* stored) {
    convert(stored, stored_, row_.data(), type_, count_);
    file_.append(row_.data(), row_.size());
  }
  void finish() { file_.finish(); }

 private:
  DType stored_, type_;
  std::size_t count_;
  std::vector<std::byte> row_;
  NpyFile file_;
};

// Files are written in a hidden directory beside their places and moved there when all are whole.
// Until then, or after an exception, no file of the export is to be seen.
class Staging {
 public:
  explicit Staging(const fs::path& folder) : folder_(folder) {
    std::error_code error;
    made_folder_ = fs::create_directories(folder, error);
    if (error) throw_io_error(folder, "create the directory", error.value());
    std::string name = (folder / ".export-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw_io_error(folder, "write", errno);
    inside_ = name;
  }
  ~Staging() {
    std::error_code gone;
    for (const std::string& file : names_) fs::remove(inside_ / file, gone);
    for (const fs::path& file : moved_) fs::remove(file, gone);
    fs::remove(inside_, gone);
    if (made_folder_) fs::remove(folder_, gone);  // only if it is empty
  }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// Where to write the file that will have this name.
  fs::path add(const std::string& name) {
    require_free(folder_ / name);
    names_.push_back(name);
    return inside_ / name;
  }
  /// Moves every file to its place and returns the places, in the order of `add`.
  std::vector<std::string> publish() {
    std::vector<std::string> places;
    for (const std::string& name : names_) {
      const fs::path place = folder_ / name;
      require_free(place);
      std::error_code error;
      fs::rename(inside_ / name, place, error);
      if (error) throw_io_error(place, "write", error.value());
      moved_.push_back(place);
      places.push_back(place.string());
    }
    moved_.clear();
    return places;
  }

 private:
  static void require_free(const fs::path& file) {
    std::error_code unknown;
    if (fs::exists(fs::symlink_status(file, unknown)))
      throw IoError(concat(file.string(), " exists already; choose an empty directory"));
  }

  fs::path folder_, inside_;
  bool made_folder_ = false;
  std::vector<std::string> names_;
  std::vector<fs::path> moved_;  // by a publish that has not finished
};

}  // namespace

BufferInfo buffer_info(const std::string& path) {
  const Manifest manifest = read_manifest(path);
  const SavedState state = decode_state(manifest.owner);
  BufferInfo info;
  info.config = state.config;
  info.commit = manifest.commit;
  for (const StreamImage& stream : manifest.image.streams) {
    const auto size = static_cast<Index>(stream.state.head - stream.state.oldest);
    info.sizes.push_back(size);
    info.transitions += size;
    info.added += stream.state.head;
    info.cuts += stream.state.cuts;
    info.ends += stream.state.finals_head - stream.state.finals_oldest;
  }
  for (const SavedReader& reader : state.readers) info.readers.push_back(reader.name);
  // A run may be adding and removing files meanwhile: what is gone does not count.
  std::error_code error;
  for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;
    const std::uintmax_t bytes = at->is_regular_file(gone) ? at->file_size(gone) : 0;
    if (gone || bytes == 0) continue;
    info.bytes += bytes;
    ++info.files;
  }
  return info;
}

std::uint64_t verify_buffer(const std::string& path, const Progress& progress) {
  const auto archive = Archive::open(Disk::real(), path, Archive::Access::read);
  static_cast<void>(state_of(*archive));
  return archive->verify(progress);
}

std::vector<std::string> export_buffer(const std::string& path, const std::string& directory,
                                       const Progress& progress) {
  const auto archive = Archive::open(Disk::real(), path, Archive::Access::read);
  const ReplayConfig config = state_of(*archive).config;
  StreamStore store(layout_of(config), config.streams, config.capacity, archive->blocks());
  archive->restore(store, Archive::Rows::in_place);
  std::uint64_t rows = 0;
  for (Index s = 0; s < config.streams; ++s)
    rows += static_cast<std::uint64_t>(store.bounds(s).size());

  Staging staging(directory);
  const auto column = [&](const std::string& name, const FieldSpec& spec) {
    return Column(staging.add(concat(name, ".npy")), spec, rows);
  };
  Column observation = column("observation", config.observation);
  Column next = column("next_observation", config.observation);
  std::vector<Column> sides;
  sides.push_back(column("action", config.action));
  sides.push_back(column("reward", FieldSpec{}));
  for (const NamedField& field : config.fields) sides.push_back(column(field.name, field.spec));
  Column ends = column("end", {{}, DType::u8});
  Column streams = column("stream", {{}, DType::i32});
  Column sequences = column("sequence", {{}, DType::i64});

  std::uint64_t done = 0;
  for (Index s = 0; s < config.streams; ++s) {
    const StreamStore::Bounds bounds = store.bounds(s);
    const auto stream = static_cast<std::int32_t>(s);
    for (std::uint64_t q = bounds.oldest; q < bounds.head; ++q) {
      const std::byte* record = store.side(s, q);
      const std::uint32_t word = store.end_word(record);
      const auto end = static_cast<std::uint8_t>(StreamStore::end_of(word));
      observation.add(store.observation(s, q));
      next.add(store.successor(s, q, word));
      for (std::size_t f = 0; f < sides.size(); ++f)
        sides[f].add(record + store.layout().fields[f].offset);
      ends.add(&end);
      streams.add(&stream);
      sequences.add(&q);
      if (progress && ++done % 4096 == 0)
        progress(static_cast<double>(done) / static_cast<double>(rows));
    }
  }
  for (Column& side : sides) side.finish();
  for (Column* other : {&observation, &next, &ends, &streams, &sequences}) other->finish();
  std::vector<std::string> files = staging.publish();
  if (progress) progress(1);
  return files;
}

}  // namespace mneme
