// agents/nn/io/tensors.cpp - tensors as saved state.
#include "agents/nn/io/tensors.h"

#include <sstream>

#include "base/text.h"

namespace mneme::nn {
namespace {

std::string shape_text(at::ScalarType type, at::IntArrayRef sizes) {
  std::ostringstream text;
  text << type << sizes;
  return text.str();
}

struct Header {
  at::ScalarType type;
  std::vector<std::int64_t> sizes;
};

Header read_header(StateReader& in) {
  constexpr std::int64_t kMostNumbers = std::int64_t{1} << 40;
  Header header{static_cast<at::ScalarType>(in.get<std::int8_t>()), {}};
  const auto dimensions = in.get<std::int64_t>();
  if (dimensions < 0 || dimensions > 8)
    throw CorruptData(concat("a tensor has ", dimensions, " dimensions; allowed: 0 to 8"));
  std::int64_t numbers = 1;
  for (std::int64_t k = 0; k < dimensions; ++k) {
    const auto size = in.get<std::int64_t>();
    if (size < 0 || (size > 0 && numbers > kMostNumbers / size))
      throw CorruptData(concat("a tensor has size ", size, " in dimension ", k));
    numbers *= size;
    header.sizes.push_back(size);
  }
  return header;
}

}  // namespace

void put_tensor(StateWriter& out, const at::Tensor& tensor) {
  const at::Tensor plain = tensor.detach().cpu().contiguous();
  out.put(static_cast<std::int8_t>(plain.scalar_type()));
  out.put(static_cast<std::int64_t>(plain.dim()));
  for (const std::int64_t size : plain.sizes()) out.put(size);
  out.write(plain.const_data_ptr(), plain.nbytes());
}

void get_tensor(StateReader& in, const at::Tensor& tensor) {
  const auto [type, sizes] = read_header(in);
  if (type != tensor.scalar_type() || sizes != tensor.sizes())
    throw CorruptData(concat("expected a tensor of ",
                             shape_text(tensor.scalar_type(), tensor.sizes()), ", got ",
                             shape_text(type, sizes), "; it was saved with other settings"));
  const at::Tensor read = at::empty(sizes, type);
  in.read(read.mutable_data_ptr(), read.nbytes());
  const at::NoGradGuard no_grad;
  tensor.copy_(read);
}

at::Tensor get_any_tensor(StateReader& in, at::ScalarType type) {
  constexpr std::int64_t kMostBytes = 1 << 20;  // so that damage does not ask for all memory
  const auto [saved, sizes] = read_header(in);
  std::int64_t numbers = 1;
  for (const std::int64_t size : sizes) numbers *= size;
  if (saved != type || numbers > kMostBytes)
    throw CorruptData(concat("expected a small tensor of ", at::toString(type), ", got ",
                             shape_text(saved, sizes)));
  const at::Tensor read = at::empty(sizes, type);
  in.read(read.mutable_data_ptr(), read.nbytes());
  return read;
}

}  // namespace mneme::nn
