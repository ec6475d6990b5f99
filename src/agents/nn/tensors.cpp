// agents/nn/tensors.cpp - a tensor as type, sizes and numbers.
#include "agents/nn/tensors.h"

#include <sstream>

#include "base/text.h"

namespace mneme::nn {
namespace {

std::string shape_text(at::ScalarType type, at::IntArrayRef sizes) {
  std::ostringstream text;
  text << type << sizes;
  return text.str();
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
  const auto type = static_cast<at::ScalarType>(in.get<std::int8_t>());
  const auto dimensions = in.get<std::int64_t>();
  if (dimensions < 0 || dimensions > 8) throw CorruptData("a tensor of impossible shape");
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(dimensions));
  for (std::int64_t& size : sizes) size = in.get<std::int64_t>();
  if (type != tensor.scalar_type() || sizes != tensor.sizes())
    throw CorruptData(concat("a tensor of ", shape_text(type, sizes), " where ",
                             shape_text(tensor.scalar_type(), tensor.sizes()),
                             " is expected; it was saved with other settings"));
  const at::Tensor read = at::empty(sizes, type);
  in.read(read.mutable_data_ptr(), read.nbytes());
  const at::NoGradGuard no_grad;
  tensor.copy_(read);
}

}  // namespace mneme::nn
