// storage/row_layout.h - where each field of a row lies.
//
// A row is an observation in one array and everything else (action, reward, extra fields, how it
// ends) in a side record in another. Gathering a transition then touches the observation's lines
// twice (itself and its successor) and one side record.
#pragma once

#include <cstdint>
#include <vector>

#include "mneme/schema.h"

namespace mneme {

/// How the step after a row is reached.
enum class End : std::uint32_t {
  none = 0,        ///< the next row is its successor
  terminated = 1,  ///< the episode is over, nothing follows
  truncated =
      2,   ///< the episode was stopped by a limit; the final observation is worth a bootstrap
  cut = 3  ///< the stream broke off (a reset without notice); the final observation is worth a
           ///< bootstrap
};

struct FieldPlace {
  std::string name;
  DType type;
  std::size_t count;   // numbers
  std::size_t offset;  // in the side record
};

struct RowLayout {
  /// Throws InvalidArgument for empty or negative dimensions, duplicate or reserved names.
  RowLayout(const FieldSpec& observation, const FieldSpec& action,
            const std::vector<NamedField>& extras);

  DType observation_type;
  std::size_t observation_count, observation_bytes, observation_stride;
  std::size_t
      end_offset;  // of the 32-bit word that holds End and the place of the final observation
  std::vector<FieldPlace> fields;  // action, reward, then the extras
  std::size_t side_stride;

  static constexpr std::size_t kAction = 0, kReward = 1, kExtras = 2;
};

}  // namespace mneme
