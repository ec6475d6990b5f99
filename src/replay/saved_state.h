// replay/saved_state.h - what a buffer keeps in its manifest beside the rows: its configuration,
// and every reader with its configuration and state.
#pragma once

#include <string>
#include <vector>

#include "base/state.h"
#include "mneme/replay_buffer.h"
#include "storage/archive.h"

namespace mneme {

struct SavedReader {
  std::string name;
  SamplingConfig config = {};
  std::vector<std::byte> state = {};  // what ReplayReader::Impl::save wrote
};

struct SavedState {
  ReplayConfig config;
  std::vector<SavedReader> readers;  // the buffer's own first
};

std::vector<std::byte> encode_state(const SavedState& state);
/// Throws CorruptData unless everything fits together: any bytes may come in. Whether the
/// configuration is one that a buffer can have is for the buffer to say.
SavedState decode_state(std::span<const std::byte> bytes);

/// The state that an archive's manifest holds, which must describe the archive's own rows. Throws
/// CorruptData.
SavedState state_of(const Archive& archive);
/// The rows that a configuration asks for. Throws InvalidArgument.
RowLayout layout_of(const ReplayConfig& config);

}  // namespace mneme
