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
  /// The next row is its successor.
  none = 0,
  /// The episode is over, nothing follows.
  terminated = 1,
  /// The episode was stopped by a limit; the final observation is worth a bootstrap.
  truncated = 2,
  /// The stream was interrupted (a reset without notice); the final observation is worth a
  /// bootstrap.
  cut = 3
};

struct FieldPlace {
  std::string name;
  DType type;
  std::size_t count;   // numbers
  std::size_t offset;  // in the side record
};

/// Throws InvalidArgument for a name that no extra field can have: one that is reserved, or that
/// could not be the name of a file.
void check_field_name(const std::string& name);

struct RowLayout {
  /// Throws InvalidArgument for empty or negative dimensions, duplicate or reserved names.
  RowLayout(const FieldSpec& observation, const FieldSpec& action,
            const std::vector<NamedField>& extras);

  DType observation_type;
  std::size_t observation_count, observation_bytes, observation_stride;
  /// Of the 32-bit word that holds End and the place of the final observation.
  std::size_t end_offset;
  std::vector<FieldPlace> fields;  // action, reward, then the extras
  std::size_t side_stride;

  static constexpr std::size_t kAction = 0, kReward = 1, kExtras = 2;
};

}  // namespace mneme
