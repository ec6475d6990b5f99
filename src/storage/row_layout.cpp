// storage/row_layout.cpp - offsets and strides of a row.
#include "storage/row_layout.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme {
namespace {

std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::size_t checked_count(const std::string& name, const FieldSpec& spec) {
  double product = 1;
  for (const Index dimension : spec.shape) {
    if (dimension < 1)
      throw InvalidArgument(concat("field '", name, "' has a dimension of ", dimension,
                                   "; every dimension must be at least 1"));
    product *= static_cast<double>(dimension);
  }
  if (product > 1e9)
    throw InvalidArgument(
        concat("field '", name, "' has ", product, " numbers per row; at most 1e9 are allowed"));
  return static_cast<std::size_t>(spec.count());
}

// Columns of batches and of exported buffers.
constexpr std::array kReserved{"observation", "action",  "reward", "next_observation",
                               "discount",    "weight",  "id",     "stream",
                               "age",         "horizon", "valid",  "end",
                               "sequence"};

bool may_be_in_a_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

}  // namespace

// A field's name becomes the name of a file when the buffer is exported, and an attribute of
// batches.
void check_field_name(const std::string& name) {
  if (name.empty() || name.size() > 64 || name.front() == '.' || name.front() == '-' ||
      !std::all_of(name.begin(), name.end(), may_be_in_a_name))
    throw InvalidArgument(concat("field name '", name.substr(0, 80),
                                 "' must be 1 to 64 letters, digits, '_', '-' or '.', and begin "
                                 "with a letter, a digit or '_'"));
  if (std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end())
    throw InvalidArgument(
        concat("field name '", name, "' is reserved, as are: ",
               join(std::vector<std::string>(kReserved.begin(), kReserved.end()))));
}

RowLayout::RowLayout(const FieldSpec& observation, const FieldSpec& action,
                     const std::vector<NamedField>& extras)
    : observation_type(observation.type),
      observation_count(checked_count("observation", observation)),
      observation_bytes(observation_count * size_of(observation.type)),
      observation_stride(observation_bytes),
      end_offset(0) {
  std::size_t offset = sizeof(std::uint32_t);
  const auto place = [&](const std::string& name, const FieldSpec& spec) {
    fields.push_back({name, spec.type, checked_count(name, spec), offset});
    offset += fields.back().count * size_of(spec.type);
  };
  place("action", action);
  place("reward", FieldSpec{});
  for (const NamedField& extra : extras) {
    check_field_name(extra.name);
    for (const FieldPlace& known : fields) {
      if (known.name == extra.name)
        throw InvalidArgument(concat("the field '", extra.name, "' is given twice"));
    }
    place(extra.name, extra.spec);
  }

  // Whole cache lines where that costs little: a record across two lines is two misses.
  const auto stride = [](std::size_t bytes, std::size_t unit) {
    const std::size_t lines = round_up(bytes, 64);
    return lines - bytes <= (unit + bytes) / 12 ? lines : round_up(bytes, 4);
  };
  observation_stride = stride(observation_bytes, offset);
  side_stride = stride(offset, observation_bytes);
}

}  // namespace mneme
