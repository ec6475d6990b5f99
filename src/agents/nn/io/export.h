// agents/nn/io/export.h - policies as TorchScript files.
#pragma once

#include <ATen/ATen.h>

#include <string>
#include <utility>
#include <vector>

namespace mneme::nn {

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

/// A module with these tensors as attributes (dots in names become underscores) and the methods of
/// `source`, which is TorchScript and defines `forward(self, observation)`. Throws IoError if the
/// file cannot be written.
void export_module(const std::string& path, const NamedTensors& tensors, const std::string& source);

}  // namespace mneme::nn
