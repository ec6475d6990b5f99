// replay/saved_state.cpp - configurations as bytes.
#include "replay/saved_state.h"

#include "base/text.h"

namespace mneme {
namespace {

void put_field(StateWriter& out, const FieldSpec& field) {
  out.put(static_cast<std::uint8_t>(field.type));
  out.put(static_cast<std::uint64_t>(field.shape.size()));
  out.put_all(std::span<const Index>(field.shape));
}

FieldSpec get_field(ByteReader& in) {
  const auto type = in.get<std::uint8_t>();
  if (type > static_cast<std::uint8_t>(DType::i64))
    throw CorruptData("the manifest names a number type that does not exist");
  const auto dimensions = in.get<std::uint64_t>();
  if (dimensions > 64) throw CorruptData("the manifest has a field of more than 64 dimensions");
  std::vector<Index> shape(in.claim(dimensions * sizeof(Index)) / sizeof(Index));
  in.get_all(std::span<Index>(shape));
  return {std::move(shape), static_cast<DType>(type)};
}

// What goes into paths, messages and Python must be text.
std::string get_name(ByteReader& in) {
  std::string name = get_text(in);
  if (as_utf8(name) != name) throw CorruptData("the manifest has a name that is not valid UTF-8");
  return name;
}

template <class Config>
void put_sampling(StateWriter& out, const Config& c) {
  put_text(out, c.sampler);
  put_text(out, c.stream_policy);
  out.put(c.n_step);
  out.put(c.discount);
  out.put(static_cast<std::uint8_t>(c.horizon));
  out.put(c.stack);
  out.put(c.seed);
  out.put(static_cast<std::uint8_t>(c.diagnostics));
}

template <class Config>
void get_sampling(ByteReader& in, Config& c) {
  c.sampler = get_name(in);
  c.stream_policy = get_name(in);
  c.n_step = in.get<Index>();
  c.discount = in.get<double>();
  const auto horizon = in.get<std::uint8_t>();
  if (horizon > 1) throw CorruptData("the manifest names a horizon that does not exist");
  c.horizon = static_cast<Horizon>(horizon);
  c.stack = in.get<Index>();
  c.seed = in.get<std::uint64_t>();
  c.diagnostics = in.get<std::uint8_t>() != 0;
}

std::string get_field_name(ByteReader& in) {
  std::string name = get_text(in);
  try {
    check_field_name(name);
  } catch (const InvalidArgument& error) {
    throw CorruptData(concat("the manifest has a field that no buffer has: ", error.what()));
  }
  return name;
}

// The buffer's own reader first, the others by names of their own.
void check_names(const std::vector<SavedReader>& readers) {
  if (readers.empty() || !readers.front().name.empty())
    throw CorruptData("the manifest does not begin with the buffer's own reader");
  for (std::size_t k = 1; k < readers.size(); ++k) {
    for (std::size_t other = 0; other < k; ++other)
      if (readers[k].name == readers[other].name)
        throw CorruptData("the manifest has two readers of one name");
  }
}

}  // namespace

std::vector<std::byte> encode_state(const SavedState& state) {
  ByteWriter out;
  const ReplayConfig& c = state.config;
  put_field(out, c.observation);
  put_field(out, c.action);
  out.put(c.capacity);
  out.put(c.streams);
  put_sampling(out, c);
  out.put(c.commit_every);
  out.put(static_cast<std::uint64_t>(c.fields.size()));
  for (const NamedField& field : c.fields) {
    put_text(out, field.name);
    put_field(out, field.spec);
  }
  out.put(static_cast<std::uint64_t>(state.readers.size()));
  for (const SavedReader& reader : state.readers) {
    put_text(out, reader.name);
    put_sampling(out, reader.config);
    out.put(static_cast<std::uint64_t>(reader.state.size()));
    out.put_all(std::span<const std::byte>(reader.state));
  }
  return out.bytes();
}

SavedState decode_state(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  SavedState state;
  ReplayConfig& c = state.config;
  c.observation = get_field(in);
  c.action = get_field(in);
  c.capacity = in.get<Index>();
  c.streams = in.get<Index>();
  get_sampling(in, c);
  c.commit_every = in.get<Index>();
  for (auto left = in.get<std::uint64_t>(); left > 0; --left) {
    std::string name = get_field_name(in);
    c.fields.push_back({std::move(name), get_field(in)});
  }
  for (auto left = in.get<std::uint64_t>(); left > 0; --left) {
    SavedReader reader;
    reader.name = get_name(in);
    get_sampling(in, reader.config);
    reader.state.resize(in.claim(in.get<std::uint64_t>()));
    in.get_all(std::span<std::byte>(reader.state));
    state.readers.push_back(std::move(reader));
  }
  if (in.left() != 0) throw CorruptData("trailing bytes after the last reader of the manifest");
  check_names(state.readers);
  return state;
}

RowLayout layout_of(const ReplayConfig& c) { return RowLayout(c.observation, c.action, c.fields); }

SavedState state_of(const Archive& archive) {
  SavedState state = decode_state(archive.manifest().owner);
  const ReplayConfig& c = state.config;
  StoreShape described;
  try {
    described = StreamStore::shape_for(layout_of(c), c.streams, c.capacity);
  } catch (const Error& error) {
    throw CorruptData(concat(archive.path().string(), ": ", error.what()));
  }
  // Both halves of a manifest are written together; whatever makes them disagree is damage.
  if (!(described == archive.manifest().image.shape))
    throw CorruptData(concat(archive.path().string(), ": the rows are not those that the ",
                             "configuration in the manifest describes"));
  return state;
}

}  // namespace mneme
