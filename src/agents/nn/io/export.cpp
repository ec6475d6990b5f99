// agents/nn/io/export.cpp - TorchScript modules.
#include "agents/nn/io/export.h"

#include <torch/csrc/jit/api/module.h>

#include <algorithm>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme::nn {

void export_module(const std::string& path, const NamedTensors& tensors,
                   const std::string& source) {
  torch::jit::Module module("Policy");
  for (const auto& [name, tensor] : tensors) {
    std::string attribute = name;
    std::replace(attribute.begin(), attribute.end(), '.', '_');
    module.register_buffer(attribute, tensor.detach().cpu().contiguous().clone());
  }
  module.define(source);
  try {
    module.save(path);
  } catch (const std::exception& error) {
    throw IoError(concat(path, ": cannot write the policy: ", error.what()));
  }
}

}  // namespace mneme::nn
