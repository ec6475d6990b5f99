// storage/store_image.cpp - an image as bytes, and the many ways in which bytes can be wrong.
#include "storage/store_image.h"

#include <algorithm>

#include "base/text.h"

namespace mneme {
namespace {

void require(bool good, const char* what) {
  if (!good) throw CorruptData(concat("manifest: ", what, "; it is damaged or not mneme's"));
}

template <class T>
void put_list(StateWriter& out, const std::vector<T>& values) {
  out.put(static_cast<std::uint64_t>(values.size()));
  out.put_all(std::span<const T>(values));
}

std::vector<std::byte> get_bytes(ByteReader& in, std::size_t wanted, const char* what) {
  const auto size = in.get<std::uint64_t>();
  require(size == 0 || size == wanted, what);
  std::vector<std::byte> bytes(in.claim(size));
  in.get_all(std::span<std::byte>(bytes));
  return bytes;
}

RowStorageShape read_tape_shape(ByteReader& in) {
  RowStorageShape shape;
  const auto stride = in.get<std::uint64_t>();
  shape.shift = in.get<std::uint32_t>();
  const auto window = in.get<std::uint64_t>();
  require(stride >= 1 && stride <= std::uint64_t{1} << 40, "a row of impossible size");
  require(shape.shift < 30 && window >= 1 && window <= std::uint64_t{1} << 30,
          "blocks of impossible size");
  shape.stride = stride;
  shape.window = window;
  return shape;
}

StreamState read_state(ByteReader& in, Index capacity) {
  StreamState s;
  s.head = in.get<std::uint64_t>();
  s.oldest = in.get<std::uint64_t>();
  s.finals_head = in.get<std::uint64_t>();
  s.finals_oldest = in.get<std::uint64_t>();
  s.cuts = in.get<std::uint64_t>();
  constexpr std::uint64_t kMost = std::uint64_t{1} << 44;  // what an id has room for
  const auto most = static_cast<std::uint64_t>(capacity);
  require(s.head <= kMost && s.oldest <= s.head && s.head - s.oldest <= most,
          "a stream with impossible bounds");
  require((s.oldest == 0) == (s.head <= most), "a stream that lost rows it had room for");
  require(s.finals_head <= kMost && s.finals_oldest <= s.finals_head &&
              s.finals_head - s.finals_oldest <= s.head - s.oldest,
          "a stream with more ends than rows");
  return s;
}

}  // namespace

Settled settled_rows(std::size_t tape, const StreamState& s) {
  if (tape == kFinals) return {s.finals_oldest, s.finals_head};
  if (tape == kObservations) return {s.oldest, s.head};
  return {s.oldest, s.head > s.oldest ? s.head - 1 : s.oldest};
}

std::uint64_t first_block(const Settled& rows, const RowStorageShape& shape) {
  return rows.first >> shape.shift;
}
std::size_t block_count(const Settled& rows, const RowStorageShape& shape) {
  if (rows.first == rows.end) return 0;
  return static_cast<std::size_t>(((rows.end - 1) >> shape.shift) - (rows.first >> shape.shift)) +
         1;
}
std::size_t rows_in_block(const Settled& rows, const RowStorageShape& shape, std::uint64_t block) {
  return static_cast<std::size_t>(
      std::min<std::uint64_t>(shape.rows(), rows.end - (block << shape.shift)));
}

void write_image(StateWriter& out, const StoreImage& image) {
  out.put(image.shape.streams);
  out.put(image.shape.capacity);
  for (std::size_t t = 0; t < 3; ++t) {
    out.put(static_cast<std::uint64_t>(image.shape.tapes[t].stride));
    out.put(static_cast<std::uint32_t>(image.shape.tapes[t].shift));
    out.put(static_cast<std::uint64_t>(image.shape.tapes[t].window));
    out.put(image.segments[t]);
    out.put(image.blocks_per_segment[t]);
  }
  for (const StreamImage& stream : image.streams) {
    out.put(stream.state.head);
    out.put(stream.state.oldest);
    out.put(stream.state.finals_head);
    out.put(stream.state.finals_oldest);
    out.put(stream.state.cuts);
    put_list(out, stream.newest);
    put_list(out, stream.successor);
    for (const auto& blocks : stream.blocks) put_list(out, blocks);
  }
}

StoreImage read_image(ByteReader& in) {
  StoreImage image;
  image.shape.streams = in.get<Index>();
  image.shape.capacity = in.get<Index>();
  require(image.shape.streams >= 1 && image.shape.streams <= Index{1} << 20 &&
              image.shape.capacity >= 1 && image.shape.capacity < Index{1} << 29,
          "impossible numbers of streams or transitions");
  std::array<std::uint64_t, 3> in_all{};
  for (std::size_t t = 0; t < 3; ++t) {
    image.shape.tapes[t] = read_tape_shape(in);
    image.segments[t] = in.get<std::uint32_t>();
    image.blocks_per_segment[t] = in.get<std::uint32_t>();
    in_all[t] = std::uint64_t{image.segments[t]} * image.blocks_per_segment[t];
    require(image.blocks_per_segment[t] >= 1 && in_all[t] < std::uint64_t{1} << 31,
            "an impossible number of segments");
  }
  std::array<std::vector<std::uint32_t>, 3> seen;
  for (Index s = 0; s < image.shape.streams; ++s) {
    StreamImage stream;
    stream.state = read_state(in, image.shape.capacity);
    stream.newest = get_bytes(in, image.shape.tapes[kSides].stride, "a newest row of wrong size");
    require(stream.newest.empty() == (stream.state.head == 0), "a stream without its newest row");
    stream.successor = get_bytes(in, image.shape.tapes[kObservations].stride,
                                 "a following observation of wrong size");
    for (std::size_t t = 0; t < 3; ++t) {
      const std::size_t count = block_count(settled_rows(t, stream.state), image.shape.tapes[t]);
      require(in.get<std::uint64_t>() == count, "a stream with too many or too few blocks");
      stream.blocks[t].resize(in.claim(count * sizeof(BlockImage)) / sizeof(BlockImage));
      in.get_all(std::span<BlockImage>(stream.blocks[t]));
      for (const BlockImage& block : stream.blocks[t]) {
        require(block.number < in_all[t], "a block beyond the last segment");
        seen[t].push_back(block.number);
      }
    }
    image.streams.push_back(std::move(stream));
  }
  for (auto& numbers : seen) {
    std::sort(numbers.begin(), numbers.end());
    require(std::adjacent_find(numbers.begin(), numbers.end()) == numbers.end(),
            "a block that belongs to two places");
  }
  return image;
}

}  // namespace mneme
