// agents/nn/kernels/autocast.h - scope in which matmuls run in bfloat16.
#pragma once

#include <ATen/autocast_mode.h>

namespace mneme::nn {

class Autocast {
 public:
  /// Does nothing unless `on`.
  Autocast(at::Device device, bool on)
      : type_(device.type()),
        on_(on),
        before_(on && at::autocast::is_autocast_enabled(type_)),
        kind_before_(on ? at::autocast::get_autocast_dtype(type_) : at::kFloat) {
    if (!on_) return;
    at::autocast::set_autocast_enabled(type_, true);
    at::autocast::set_autocast_dtype(type_, at::kBFloat16);
    at::autocast::increment_nesting();
  }
  ~Autocast() {
    if (!on_) return;
    // Copies of weights in bfloat16 are kept for as long as the outermost lasts: not beyond a step
    // that changes them.
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    at::autocast::set_autocast_dtype(type_, kind_before_);
    at::autocast::set_autocast_enabled(type_, before_);
  }
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  at::DeviceType type_;
  bool on_, before_;
  at::ScalarType kind_before_;
};

}  // namespace mneme::nn
