// agents/nn/kernels/sphere_steps.cpp - fused hyperspherical layers, forward and backward.
#include "agents/nn/kernels/sphere_steps.h"

#include <ATen/Dispatch.h>

#include <cmath>

#include "agents/nn/kernels/fused.h"

namespace mneme::nn {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr double kTiny = 1e-8;

// l2 of a row z of length r: y = z * inverse. Back: dz = g * inverse - y (g . y) * bend, where bend
// is 1 / r, or 0 where the length is not that of z.
template <class T>
struct Unit {
  T inverse, bend;
  Unit(T length, Sphere kind) {
    const T tiny = static_cast<T>(kTiny);
    inverse = 1 / (kind == Sphere::simbav2 ? std::max(length, tiny) : length + tiny);
    const bool counts = kind == Sphere::simbav2 ? length >= tiny : length > 0;
    bend = counts ? 1 / length : 0;
  }
};

// Gradient through a normalized row: back(i) is dz_i.
template <class T>
auto back_through(const Unit<T>& unit, const T* y, const T* g, std::int64_t n) {
  const T inward = lane_sum<T>(n, [=](std::int64_t i) { return g[i] * y[i]; }) * unit.bend;
  return [=](std::int64_t i) { return g[i] * unit.inverse - y[i] * inward; };
}

// Gradients of a layer's input and weight, where they are needed.
Tensor input_slope(AutogradContext* context, const Tensor& slope, const Tensor& input,
                   const Tensor& weight) {
  return context->needs_input_grad(0) ? product_back(slope, input, weight) : Tensor();
}

Tensor weight_slope(AutogradContext* context, const Tensor& slope, const Tensor& input) {
  return context->needs_input_grad(1) ? nn::weight_slope(slope, input) : Tensor();
}

struct UnitWithShift : torch::autograd::Function<UnitWithShift> {
  static Tensor forward(AutogradContext* context, const Tensor& given, double shift, Sphere kind) {
    const BelowAutograd below;
    const Tensor x = given.contiguous();
    const std::int64_t rows = x.size(0), in = x.size(1), out = in + 1;
    Tensor y = at::empty({rows, out}, x.options()), lengths = at::empty({rows}, x.options());
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "unit_with_shift", [&] {
      const auto* from = x.const_data_ptr<scalar_t>();
      auto* to = y.mutable_data_ptr<scalar_t>();
      auto* length = lengths.mutable_data_ptr<scalar_t>();
      const auto last = static_cast<scalar_t>(shift);
      each_row<scalar_t>({1, rows, out}, [=](std::int64_t, std::int64_t row) {
        const scalar_t* z = from + row * in;
        scalar_t* unit = to + row * out;
        length[row] = std::sqrt(
            lane_sum<scalar_t>(in, [=](std::int64_t i) { return z[i] * z[i]; }) + last * last);
        const scalar_t inverse = Unit<scalar_t>(length[row], kind).inverse;
        for (std::int64_t i = 0; i < in; ++i) unit[i] = z[i] * inverse;
        unit[in] = last * inverse;
      });
    });
    context->save_for_backward({y, lengths});
    context->saved_data["kind"] = static_cast<std::int64_t>(kind);
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& slopes) {
    const BelowAutograd below;
    const variable_list saved = context->get_saved_variables();
    const Tensor &y = saved[0], &lengths = saved[1], slope = slopes[0].contiguous();
    const auto kind = static_cast<Sphere>(context->saved_data["kind"].toInt());
    const std::int64_t rows = y.size(0), width = y.size(1), in = width - 1;
    Tensor dx = at::empty({rows, in}, y.options());
    AT_DISPATCH_FLOATING_TYPES(y.scalar_type(), "unit_with_shift", [&] {
      const auto* unit = y.const_data_ptr<scalar_t>();
      const auto* length = lengths.const_data_ptr<scalar_t>();
      const auto* g = slope.const_data_ptr<scalar_t>();
      auto* to = dx.mutable_data_ptr<scalar_t>();
      each_row<scalar_t>({1, rows, width}, [=](std::int64_t, std::int64_t row) {
        const auto back = back_through<scalar_t>(Unit<scalar_t>(length[row], kind),
                                                 unit + row * width, g + row * width, width);
        for (std::int64_t i = 0; i < in; ++i) to[row * in + i] = back(i);
      });
    });
    return {dx, Tensor(), Tensor()};
  }
};

// multiplier * x and relu(multiplier * x) + 1e-8.
struct Scaled : torch::autograd::Function<Scaled> {
  static Tensor forward(AutogradContext* context, const Tensor& input, const Tensor& weight,
                        const Tensor& raw, double gain, bool relu) {
    const BelowAutograd below;
    const Tensor x = product(input, weight);
    const RowShape shape = row_shape(x);
    Tensor y = at::empty_like(x);
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "scaled", [&] {
      const auto* from = x.const_data_ptr<scalar_t>();
      const auto* s = raw.const_data_ptr<scalar_t>();
      auto* to = y.mutable_data_ptr<scalar_t>();
      const auto factor = static_cast<scalar_t>(gain), tiny = static_cast<scalar_t>(kTiny);
      each_row<scalar_t>(shape, [=](std::int64_t member, std::int64_t row) {
        const scalar_t *z = from + row * shape.width, *by = s + member * shape.width;
        scalar_t* out = to + row * shape.width;
        if (relu)
          for (std::int64_t i = 0; i < shape.width; ++i)
            out[i] = std::max(by[i] * factor * z[i], scalar_t{0}) + tiny;
        else
          for (std::int64_t i = 0; i < shape.width; ++i) out[i] = by[i] * factor * z[i];
      });
    });
    context->save_for_backward({input, weight, x, raw});
    context->saved_data["gain"] = gain;
    context->saved_data["relu"] = relu;
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& slopes) {
    const BelowAutograd below;
    const variable_list saved = context->get_saved_variables();
    const Tensor &input = saved[0], &weight = saved[1], &x = saved[2], &raw = saved[3];
    const Tensor slope = slopes[0].contiguous();
    const double gain = context->saved_data["gain"].toDouble();
    const bool relu = context->saved_data["relu"].toBool();
    const bool learn = context->needs_input_grad(2);
    const RowShape shape = row_shape(x);
    Tensor dx = at::empty_like(x), draw;
    if (learn) draw = at::empty_like(raw);
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "scaled", [&] {
      const auto* from = x.const_data_ptr<scalar_t>();
      const auto* s = raw.const_data_ptr<scalar_t>();
      const auto* slope_of = slope.const_data_ptr<scalar_t>();
      auto* to = dx.mutable_data_ptr<scalar_t>();
      auto* totals = learn ? draw.mutable_data_ptr<scalar_t>() : nullptr;
      const auto factor = static_cast<scalar_t>(gain);
      each_row<scalar_t>(shape, learn ? shape.width : 0, totals,
                         [=](std::int64_t member, std::int64_t row, scalar_t* sums) {
                           const scalar_t *z = from + row * shape.width,
                                          *by = s + member * shape.width;
                           const scalar_t* g = slope_of + row * shape.width;
                           scalar_t* __restrict out = to + row * shape.width;
                           // Where nothing came through, nothing goes back. Chosen, not branched
                           // on: signs are as good as random.
                           const auto back = [=](std::int64_t i) {
                             return !relu || by[i] * z[i] > 0 ? g[i] * factor : scalar_t{0};
                           };
                           for (std::int64_t i = 0; i < shape.width; ++i) out[i] = back(i) * by[i];
                           if (learn)
                             for (std::int64_t i = 0; i < shape.width; ++i)
                               sums[i] += back(i) * z[i];
                         });
    });
    return {input_slope(context, dx, input, weight), weight_slope(context, dx, input), draw,
            Tensor(), Tensor()};
  }
};

struct ScaledUnit : torch::autograd::Function<ScaledUnit> {
  static Tensor forward(AutogradContext* context, const Tensor& input, const Tensor& weight,
                        const Tensor& raw, double gain, Sphere kind) {
    const BelowAutograd below;
    const Tensor x = product(input, weight);
    const RowShape shape = row_shape(x);
    Tensor y = at::empty_like(x), lengths = at::empty({shape.members * shape.rows}, x.options());
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "scaled_unit", [&] {
      const auto* from = x.const_data_ptr<scalar_t>();
      const auto* s = raw.const_data_ptr<scalar_t>();
      auto* to = y.mutable_data_ptr<scalar_t>();
      auto* length = lengths.mutable_data_ptr<scalar_t>();
      const auto factor = static_cast<scalar_t>(gain);
      each_row<scalar_t>(shape, [=](std::int64_t member, std::int64_t row) {
        const scalar_t *z = from + row * shape.width, *by = s + member * shape.width;
        scalar_t* out = to + row * shape.width;
        for (std::int64_t i = 0; i < shape.width; ++i) out[i] = by[i] * factor * z[i];
        length[row] = std::sqrt(
            lane_sum<scalar_t>(shape.width, [=](std::int64_t i) { return out[i] * out[i]; }));
        const scalar_t inverse = Unit<scalar_t>(length[row], kind).inverse;
        for (std::int64_t i = 0; i < shape.width; ++i) out[i] *= inverse;
      });
    });
    context->save_for_backward({input, weight, x, raw, y, lengths});
    context->saved_data["gain"] = gain;
    context->saved_data["kind"] = static_cast<std::int64_t>(kind);
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& slopes) {
    const BelowAutograd below;
    const variable_list saved = context->get_saved_variables();
    const Tensor &input = saved[0], &weight = saved[1], &x = saved[2], &raw = saved[3];
    const Tensor &y = saved[4], &lengths = saved[5];
    const Tensor slope = slopes[0].contiguous();
    const double gain = context->saved_data["gain"].toDouble();
    const auto kind = static_cast<Sphere>(context->saved_data["kind"].toInt());
    const bool learn = context->needs_input_grad(2);
    const RowShape shape = row_shape(x);
    Tensor dx = at::empty_like(x), draw;
    if (learn) draw = at::empty_like(raw);
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "scaled_unit", [&] {
      const auto* from = x.const_data_ptr<scalar_t>();
      const auto* s = raw.const_data_ptr<scalar_t>();
      const auto* unit = y.const_data_ptr<scalar_t>();
      const auto* length = lengths.const_data_ptr<scalar_t>();
      const auto* slope_of = slope.const_data_ptr<scalar_t>();
      auto* to = dx.mutable_data_ptr<scalar_t>();
      auto* totals = learn ? draw.mutable_data_ptr<scalar_t>() : nullptr;
      const auto factor = static_cast<scalar_t>(gain);
      each_row<scalar_t>(shape, learn ? shape.width : 0, totals,
                         [=](std::int64_t member, std::int64_t row, scalar_t* sums) {
                           const scalar_t *z = from + row * shape.width,
                                          *by = s + member * shape.width;
                           scalar_t* out = to + row * shape.width;
                           const auto back = back_through<scalar_t>(
                               Unit<scalar_t>(length[row], kind), unit + row * shape.width,
                               slope_of + row * shape.width, shape.width);
                           if (learn)
                             for (std::int64_t i = 0; i < shape.width; ++i)
                               sums[i] += back(i) * z[i] * factor;
                           for (std::int64_t i = 0; i < shape.width; ++i)
                             out[i] = back(i) * (by[i] * factor);
                         });
    });
    return {input_slope(context, dx, input, weight), weight_slope(context, dx, input), draw,
            Tensor(), Tensor()};
  }
};

// Of a row: target = W inner, u = l2(target), z = x + a (u - x), y = l2(z).
struct Lerped : torch::autograd::Function<Lerped> {
  static Tensor forward(AutogradContext* context, const Tensor& inner, const Tensor& weight,
                        const Tensor& raw, const Tensor& given, double gain, Sphere kind) {
    const BelowAutograd below;
    const Tensor x = given.contiguous(), target = product(inner, weight);
    const RowShape shape = row_shape(x);
    Tensor y = at::empty_like(x);
    Tensor lengths = at::empty({2, shape.members * shape.rows}, x.options());  // of target and z
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "lerped", [&] {
      const auto* from = x.const_data_ptr<scalar_t>();
      const auto* aim = target.const_data_ptr<scalar_t>();
      const auto* s = raw.const_data_ptr<scalar_t>();
      auto* to = y.mutable_data_ptr<scalar_t>();
      auto* of_target = lengths.mutable_data_ptr<scalar_t>();
      auto* of_z = of_target + shape.members * shape.rows;
      const auto factor = static_cast<scalar_t>(gain);
      each_row<scalar_t>(shape, [=](std::int64_t member, std::int64_t row) {
        const std::int64_t n = shape.width;
        const scalar_t *here = from + row * n, *there = aim + row * n, *by = s + member * n;
        scalar_t* out = to + row * n;
        of_target[row] =
            std::sqrt(lane_sum<scalar_t>(n, [=](std::int64_t i) { return there[i] * there[i]; }));
        const scalar_t inverse = Unit<scalar_t>(of_target[row], kind).inverse;
        for (std::int64_t i = 0; i < n; ++i)
          out[i] = here[i] + by[i] * factor * (there[i] * inverse - here[i]);
        of_z[row] =
            std::sqrt(lane_sum<scalar_t>(n, [=](std::int64_t i) { return out[i] * out[i]; }));
        const scalar_t last = Unit<scalar_t>(of_z[row], kind).inverse;
        for (std::int64_t i = 0; i < n; ++i) out[i] *= last;
      });
    });
    context->save_for_backward({inner, weight, raw, x, target, y, lengths});
    context->saved_data["gain"] = gain;
    context->saved_data["kind"] = static_cast<std::int64_t>(kind);
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& slopes) {
    const BelowAutograd below;
    const variable_list saved = context->get_saved_variables();
    const Tensor &inner = saved[0], &weight = saved[1], &raw = saved[2], &x = saved[3];
    const Tensor &target = saved[4], &y = saved[5], &lengths = saved[6];
    const Tensor slope = slopes[0].contiguous();
    const double gain = context->saved_data["gain"].toDouble();
    const auto kind = static_cast<Sphere>(context->saved_data["kind"].toInt());
    const bool learn = context->needs_input_grad(2);
    const RowShape shape = row_shape(x);
    Tensor dx = at::empty_like(x), dtarget = at::empty_like(x), draw;
    if (learn) draw = at::empty_like(raw);
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "lerped", [&] {
      const auto* from = x.const_data_ptr<scalar_t>();
      const auto* aim = target.const_data_ptr<scalar_t>();
      const auto* s = raw.const_data_ptr<scalar_t>();
      const auto* unit = y.const_data_ptr<scalar_t>();
      const auto* of_target = lengths.const_data_ptr<scalar_t>();
      const auto* of_z = of_target + shape.members * shape.rows;
      const auto* slope_of = slope.const_data_ptr<scalar_t>();
      auto* to = dx.mutable_data_ptr<scalar_t>();
      auto* to_target = dtarget.mutable_data_ptr<scalar_t>();
      auto* totals = learn ? draw.mutable_data_ptr<scalar_t>() : nullptr;
      const auto factor = static_cast<scalar_t>(gain);
      each_row<scalar_t>(
          shape, learn ? shape.width : 0, totals,
          [=](std::int64_t member, std::int64_t row, scalar_t* sums) {
            const std::int64_t n = shape.width;
            const scalar_t *here = from + row * n, *there = aim + row * n, *by = s + member * n;
            scalar_t *out = to + row * n, *out_target = to_target + row * n;
            const Unit<scalar_t> aimed(of_target[row], kind);
            const auto back = back_through<scalar_t>(Unit<scalar_t>(of_z[row], kind),
                                                     unit + row * n, slope_of + row * n, n);
            if (learn)
              for (std::int64_t i = 0; i < n; ++i)
                sums[i] += back(i) * (there[i] * aimed.inverse - here[i]) * factor;
            // du first, where dtarget will be: what length 1 takes out of it needs all of it.
            for (std::int64_t i = 0; i < n; ++i) {
              const scalar_t dz = back(i), du = by[i] * factor * dz;
              out_target[i] = du;
              out[i] = dz - du;
            }
            const scalar_t inward =
                lane_sum<scalar_t>(n, [=](std::int64_t i) { return out_target[i] * there[i]; }) *
                aimed.inverse * aimed.bend;
            for (std::int64_t i = 0; i < n; ++i)
              out_target[i] = (out_target[i] - there[i] * inward) * aimed.inverse;
          });
    });
    return {input_slope(context, dtarget, inner, weight),
            weight_slope(context, dtarget, inner),
            draw,
            dx,
            Tensor(),
            Tensor()};
  }
};

}  // namespace

Tensor plain::l2(const Tensor& x, Sphere kind) {
  const Tensor length = x.norm(2, -1, true);
  return x / (kind == Sphere::simbav2 ? length.clamp_min(kTiny) : length + kTiny);
}

Tensor plain::unit_with_shift(const Tensor& x, double shift, Sphere kind) {
  return l2(at::cat({x, at::full({x.size(0), 1}, shift, x.options())}, -1), kind);
}

Tensor plain::scaled(const Tensor& x, const Tensor& weight, const Multiplier& by) {
  return product(x, weight) * (by.raw * by.gain);
}

Tensor plain::scaled_unit(const Tensor& x, const Tensor& weight, const Multiplier& by,
                          Sphere kind) {
  return l2(plain::scaled(x, weight, by), kind);
}

Tensor plain::scaled_relu(const Tensor& x, const Tensor& weight, const Multiplier& by) {
  return plain::scaled(x, weight, by).relu() + kTiny;
}

Tensor plain::lerped(const Tensor& x, const Tensor& inner, const Tensor& weight,
                     const Multiplier& by, Sphere kind) {
  return l2(x + by.raw * by.gain * (l2(product(inner, weight), kind) - x), kind);
}

Tensor unit_with_shift(const Tensor& x, double shift, Sphere kind) {
  return fused(x) ? apply<UnitWithShift>(x, shift, kind) : plain::unit_with_shift(x, shift, kind);
}

Tensor scaled(const Tensor& x, const Tensor& weight, const Multiplier& by) {
  return fused(x) ? apply<Scaled>(x, weight, by.raw, by.gain, false) : plain::scaled(x, weight, by);
}

Tensor scaled_unit(const Tensor& x, const Tensor& weight, const Multiplier& by, Sphere kind) {
  return fused(x) ? apply<ScaledUnit>(x, weight, by.raw, by.gain, kind)
                  : plain::scaled_unit(x, weight, by, kind);
}

Tensor scaled_relu(const Tensor& x, const Tensor& weight, const Multiplier& by) {
  return fused(x) ? apply<Scaled>(x, weight, by.raw, by.gain, true)
                  : plain::scaled_relu(x, weight, by);
}

Tensor lerped(const Tensor& x, const Tensor& inner, const Tensor& weight, const Multiplier& by,
              Sphere kind) {
  return fused(x) ? apply<Lerped>(inner, weight, by.raw, x, by.gain, kind)
                  : plain::lerped(x, inner, weight, by, kind);
}

}  // namespace mneme::nn
