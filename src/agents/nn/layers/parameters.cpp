// agents/nn/layers/parameters.cpp - the learned tensors of a network.
#include "agents/nn/layers/parameters.h"

#include "agents/nn/io/tensors.h"
#include "base/text.h"

namespace mneme::nn {

at::Tensor unit_rows(const at::Tensor& matrix) {
  return matrix / matrix.norm(2, -1, true).clamp_min(1e-8);
}

at::Tensor Parameters::add(std::string name, const at::Tensor& initial, bool unit) {
  const at::NoGradGuard no_grad;
  // In double until here: a row that was rounded first is not of length 1.
  const at::Tensor wanted = unit ? unit_rows(initial.to(at::kDouble)) : initial;
  at::Tensor value = wanted.to(options_, false, true).contiguous();
  value.set_requires_grad(true);
  all_.push_back({std::move(name), value, unit});
  return value;
}

std::vector<at::Tensor> Parameters::values() const {
  std::vector<at::Tensor> values;
  for (const Parameter& one : all_) values.push_back(one.value);
  return values;
}

std::int64_t Parameters::count() const {
  std::int64_t count = 0;
  for (const Parameter& one : all_) count += one.value.numel();
  return count;
}

void Parameters::copy_from(const Parameters& other) {
  const at::NoGradGuard no_grad;
  for (std::size_t k = 0; k < all_.size(); ++k) all_[k].value.copy_(other.all_[k].value);
}

void Parameters::learn(bool on) {
  for (const Parameter& one : all_) one.value.set_requires_grad(on);
}

void Parameters::save(StateWriter& out) const {
  out.put(static_cast<std::uint64_t>(all_.size()));
  for (const Parameter& one : all_) {
    put_text(out, one.name);
    put_tensor(out, one.value);
  }
}

void Parameters::load(StateReader& in) {
  if (in.get<std::uint64_t>() != all_.size())
    throw CorruptData("the saved network has another number of tensors");
  for (const Parameter& one : all_) {
    const std::string name = get_text(in);
    if (name != one.name) throw CorruptData(concat("expected tensor ", one.name, ", got ", name));
    get_tensor(in, one.value);
  }
}

}  // namespace mneme::nn
