// agents/nn/layers/parameters.h - the learned tensors of one network, by name and in order.
//
// A network is a struct of tensors that it has added here; optimizers, checkpoints and export need
// only the list. Matrices are (out, in), or (members, out, in) for an ensemble.
#pragma once

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <string>
#include <vector>

#include "base/state.h"

namespace mneme::nn {

struct Parameter {
  std::string name;
  at::Tensor value;
  bool unit_rows = false;  ///< every row (the weights into one unit) is kept at length 1
};

class Parameters {
 public:
  explicit Parameters(at::TensorOptions options = at::kFloat) : options_(options) {}

  /// Takes a copy of `initial` in this list's type and device. Rows are brought to length 1 if they
  /// are to have it.
  at::Tensor add(std::string name, const at::Tensor& initial, bool unit_rows = false);

  const std::vector<Parameter>& all() const { return all_; }
  const at::TensorOptions& options() const { return options_; }
  /// Tensors only, in order: what gradients are asked for.
  std::vector<at::Tensor> values() const;
  /// Values in all tensors.
  std::int64_t count() const;

  /// REQUIRES: the same network.
  void copy_from(const Parameters& other);
  /// Whether gradients are recorded. A network that only passes them on, such as the critic in an
  /// actor's loss, costs less while its own are off.
  void learn(bool on);

  void save(StateWriter& out) const;
  /// Throws CorruptData if names, shapes or types differ.
  void load(StateReader& in);

 private:
  at::TensorOptions options_;
  std::vector<Parameter> all_;
};

/// Gradients of `parameters` are not recorded while this lives.
class Frozen {
 public:
  explicit Frozen(Parameters& parameters) : parameters_(parameters) { parameters_.learn(false); }
  ~Frozen() { parameters_.learn(true); }
  Frozen(const Frozen&) = delete;
  Frozen& operator=(const Frozen&) = delete;

 private:
  Parameters& parameters_;
};

/// Rows divided by their length, or by 1e-8 if that is larger.
at::Tensor unit_rows(const at::Tensor& matrix);

}  // namespace mneme::nn
