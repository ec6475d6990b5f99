// tests/fuzz/worker_answer_fuzz.cpp - whatever a worker says on the control socket is an answer or
// CorruptData.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "envs/remote/protocol.h"
#include "mneme/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mneme;
  if (size == 0) return 0;
  const std::size_t groups = data[0] % 4;
  try {
    const envs::Reply answer =
        envs::parse_reply({reinterpret_cast<const char*>(data + 1), size - 1});
    if (answer.name == "made") {
      for (const envs::GroupInfo& group : envs::parse_made(answer, groups).groups) {
        Index total = 0;
        for (const ObservationKey& key : group.keys) total += key.size;
        if (total != group.observation) __builtin_trap();
      }
    }
    if (answer.name == "error" && envs::parse_error(answer).row < -1) __builtin_trap();
  } catch (const CorruptData&) {
    return 0;
  }
  return 0;
}
