// storage/row_layout.cpp - offsets and strides of a row.
#include "storage/row_layout.h"

#include <algorithm>

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

}  // namespace

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
  const std::vector<std::string> reserved{"observation", "action",  "reward", "next_observation",
                                          "discount",    "weight",  "id",     "stream",
                                          "age",         "horizon", "valid"};
  for (const NamedField& extra : extras) {
    if (extra.name.empty() ||
        std::find(reserved.begin(), reserved.end(), extra.name) != reserved.end())
      throw InvalidArgument(concat("an extra field cannot be called '", extra.name,
                                   "'; these names are taken: ", join(reserved)));
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
