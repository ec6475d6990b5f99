// tests/agents/fused_layers_test.cpp - fused layers against tensor operations.
//
// Layers that a CPU runs as products and loops: values and slopes are those of the definitions by
// tensor operations, which autograd differentiates by itself.
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <functional>

#include "agents/nn/heads/categorical.h"
#include "agents/nn/heads/tanh_gaussian.h"
#include "agents/nn/kernels/normed.h"
#include "agents/nn/kernels/row_loops.h"
#include "agents/nn/kernels/sphere_steps.h"
#include "agents/nn/layers/initial.h"
#include "support.h"

namespace mneme::testing {
namespace {

using nn::Sphere;
using Tensors = std::vector<at::Tensor>;
using Layer = std::function<Tensors(const Tensors&)>;

class FusedLayers : public ::testing::TestWithParam<at::ScalarType> {
 protected:
  at::Tensor random(at::IntArrayRef sizes) {
    return at::randn(sizes, generator_, at::TensorOptions(at::kDouble)).to(GetParam());
  }

  double slack() const { return GetParam() == at::kDouble ? 1e-11 : 2e-5; }

  // What both give, and the slopes of a random combination of it by each of the first `learned`
  // tensors; alone too, as in a network that only passes gradients on.
  void expect_same(const Layer& fused, const Layer& plain, Tensors given, std::size_t learned) {
    for (unsigned learning = 1; learning < 1U << learned; ++learning) {
      Tensors wanted;
      for (std::size_t k = 0; k < given.size(); ++k) {
        given[k] = given[k].detach();
        if ((learning >> k & 1U) != 0 && k < learned)
          wanted.push_back(given[k].requires_grad_(true));
      }
      const Tensors actual = fused(given), expected = plain(given);
      ASSERT_EQ(actual.size(), expected.size());
      at::Tensor of_actual = at::zeros({}, GetParam()), of_expected = of_actual;
      for (std::size_t k = 0; k < actual.size(); ++k) {
        ASSERT_EQ(actual[k].sizes(), expected[k].sizes());
        EXPECT_TRUE(at::allclose(actual[k], expected[k], slack(), slack())) << "output " << k;
        const at::Tensor weight = random(actual[k].sizes());
        of_actual = of_actual + (actual[k] * weight).sum();
        of_expected = of_expected + (expected[k] * weight).sum();
      }
      const Tensors slopes = torch::autograd::grad({of_actual}, wanted);
      const Tensors truth = torch::autograd::grad({of_expected}, wanted);
      for (std::size_t k = 0; k < slopes.size(); ++k) {
        ASSERT_EQ(slopes[k].sizes(), truth[k].sizes());
        EXPECT_TRUE(at::allclose(slopes[k], truth[k], slack(), 10 * slack()))
            << "slope " << k << " of learning " << learning << ", off by "
            << (slopes[k] - truth[k]).abs().max().item<double>();
      }
      const at::NoGradGuard no_grad;
      const Tensors unrecorded = fused(given);
      for (std::size_t k = 0; k < actual.size(); ++k)
        EXPECT_TRUE(at::equal(unrecorded[k], actual[k]));
    }
  }

 private:
  at::Generator generator_ = nn::make_generator(11, 1, at::kCPU);
};

TEST_P(FusedLayers, StepsOnTheSphere) {
  for (const Sphere kind : {Sphere::simbav2, Sphere::fasttd3})
    for (const std::int64_t members : {1, 2})
      for (const std::int64_t batch : {1, 3, 70}) {  // more than one piece of rows
        const auto shaped = [&](std::int64_t rows, std::int64_t width) {
          return members == 1 ? random({rows, width}) : random({members, rows, width});
        };
        const auto vector = [&](std::int64_t width) {
          return members == 1 ? random({width}) : random({members, 1, width});
        };
        const double gain = 0.7;
        const at::Tensor x = shaped(batch, 19), weight = shaped(37, 19);
        expect_same(
            [=](const Tensors& t) { return Tensors{nn::scaled(t[0], t[1], {t[2], gain})}; },
            [=](const Tensors& t) { return Tensors{nn::plain::scaled(t[0], t[1], {t[2], gain})}; },
            {x, weight, vector(37)}, 3);
        expect_same(
            [=](const Tensors& t) { return Tensors{nn::scaled_relu(t[0], t[1], {t[2], gain})}; },
            [=](const Tensors& t) {
              return Tensors{nn::plain::scaled_relu(t[0], t[1], {t[2], gain})};
            },
            {x, weight, vector(37)}, 3);
        expect_same(
            [=](const Tensors& t) {
              return Tensors{nn::scaled_unit(t[0], t[1], {t[2], gain}, kind)};
            },
            [=](const Tensors& t) {
              return Tensors{nn::plain::scaled_unit(t[0], t[1], {t[2], gain}, kind)};
            },
            {x, weight, vector(37)}, 3);
        expect_same(
            [=](const Tensors& t) {
              return Tensors{nn::lerped(t[0], t[1], t[2], {t[3], gain}, kind)};
            },
            [=](const Tensors& t) {
              return Tensors{nn::plain::lerped(t[0], t[1], t[2], {t[3], gain}, kind)};
            },
            {shaped(batch, 19), shaped(batch, 37), shaped(19, 37), vector(19)}, 4);
      }
}

// One input for all members: its slopes are added up.
TEST_P(FusedLayers, MembersShareAnInput) {
  for (const Sphere kind : {Sphere::simbav2, Sphere::fasttd3}) {
    expect_same(
        [=](const Tensors& t) { return Tensors{nn::unit_with_shift(t[0], 3, kind)}; },
        [=](const Tensors& t) { return Tensors{nn::plain::unit_with_shift(t[0], 3, kind)}; },
        {random({70, 5})}, 1);
    expect_same(
        [=](const Tensors& t) { return Tensors{nn::scaled_unit(t[0], t[1], {t[2], 2}, kind)}; },
        [=](const Tensors& t) {
          return Tensors{nn::plain::scaled_unit(t[0], t[1], {t[2], 2}, kind)};
        },
        {random({70, 5}), random({2, 8, 5}), random({2, 1, 8})}, 3);
  }
}

// A row of zeros has no direction; it stays what it is and lets slopes of finite size through.
TEST_P(FusedLayers, RowsOfLengthZero) {
  for (const Sphere kind : {Sphere::simbav2, Sphere::fasttd3}) {
    at::Tensor x = random({3, 5});
    x[1].zero_();
    expect_same(
        [=](const Tensors& t) { return Tensors{nn::scaled_unit(t[0], t[1], {t[2], 1}, kind)}; },
        [=](const Tensors& t) {
          return Tensors{nn::plain::scaled_unit(t[0], t[1], {t[2], 1}, kind)};
        },
        {x, random({4, 5}), random({4})}, 1);
  }
}

TEST_P(FusedLayers, Normed) {
  for (const std::int64_t batch : {1, 3, 70}) {
    const Tensors given{random({batch, 9}), random({21, 9}), random({21}),
                        random({21}),       random({21}),    random({batch, 21})};
    expect_same(
        [](const Tensors& t) { return Tensors{nn::normed_relu(t[0], {t[1], t[2], t[3], t[4]})}; },
        [](const Tensors& t) {
          return Tensors{nn::plain::normed_relu(t[0], {t[1], t[2], t[3], t[4]})};
        },
        given, 5);
    expect_same(
        [](const Tensors& t) {
          return Tensors{nn::normed_sum(t[0], {t[1], t[2], t[3], t[4]}, t[5])};
        },
        [](const Tensors& t) {
          return Tensors{nn::plain::normed_sum(t[0], {t[1], t[2], t[3], t[4]}, t[5])};
        },
        given, 6);
  }
}

TEST_P(FusedLayers, Categorical) {
  const nn::Support support(-2, 2, 21, GetParam());
  for (const std::int64_t targets : {1, 2}) {
    const at::Tensor wanted = random({targets, 70, 21}).softmax(-1);
    expect_same(
        [=](const Tensors& t) { return Tensors{nn::cross_entropy(t[0], wanted).rows}; },
        [=](const Tensors& t) { return Tensors{nn::plain::cross_entropy(t[0], wanted).rows}; },
        {random({2, 70, 21})}, 1);
  }
  const at::Tensor logits = random({2, 70, 21});
  EXPECT_TRUE(at::allclose(nn::cross_entropy(logits, logits.softmax(-1)).probabilities,
                           logits.softmax(-1), slack(), slack()));
  expect_same([&](const Tensors& t) { return Tensors{nn::expectation(support, t[0])}; },
              [&](const Tensors& t) { return Tensors{nn::plain::expectation(support, t[0])}; },
              {logits}, 1);
}

TEST_P(FusedLayers, BoundedTanhGaussian) {
  const at::Tensor noise = random({70, 3});
  const auto both = [](const nn::PolicySample& sample) {
    return Tensors{sample.action, sample.log_prob};
  };
  // Small enough that tanh is not flat to the last digit, where a slope of 0 shows nothing.
  expect_same(
      [&](const Tensors& t) { return both(nn::bounded_tanh_gaussian(t[0], t[1], -4, 1, noise)); },
      [&](const Tensors& t) {
        return both(nn::tanh_gaussian(t[0], nn::bounded(t[1], -4, 1), noise));
      },
      {random({70, 3}) * 0.5, random({70, 3}) * 0.5}, 2);
}

// Bounds so tight that a third of the deviations stands at one of them.
TEST_P(FusedLayers, ClampedTanhGaussian) {
  const at::Tensor noise = random({70, 3}), raw = random({70, 3});
  ASSERT_GT(((raw < -1) | (raw > 0.5)).sum().item<int>(), 40);
  const auto both = [](const nn::PolicySample& sample) {
    return Tensors{sample.action, sample.log_prob};
  };
  expect_same(
      [&](const Tensors& t) { return both(nn::clamped_tanh_gaussian(t[0], t[1], -1, 0.5, noise)); },
      [&](const Tensors& t) { return both(nn::tanh_gaussian(t[0], t[1].clamp(-1, 0.5), noise)); },
      {random({70, 3}) * 0.5, raw}, 2);
}

// Far out the density is still a number, and the right one.
TEST_P(FusedLayers, BoundedTanhGaussianFarOut) {
  for (const double mean : {-40.0, 40.0}) {
    const at::Tensor m = at::full({1, 1}, mean, GetParam());
    const at::Tensor zero = at::zeros({1, 1}, GetParam());
    const nn::PolicySample fused = nn::bounded_tanh_gaussian(m, zero, -10, 2, zero);
    const nn::PolicySample plain = nn::tanh_gaussian(m, nn::bounded(zero, -10, 2), zero);
    EXPECT_TRUE(fused.log_prob.isfinite().all().item<bool>());
    EXPECT_NEAR(fused.log_prob.item<double>(), plain.log_prob.item<double>(), 1e-3);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, FusedLayers, ::testing::Values(at::kFloat, at::kDouble),
                         [](const auto& test) { return test.param == at::kFloat ? "f32" : "f64"; });

// Sums over rows are cut into the same pieces however many threads there are; and each row is
// counted once.
TEST(RowLoops, TotalsDoNotDependOnThreads) {
  at::Generator generator = nn::make_generator(5, 1, at::kCPU);
  constexpr std::int64_t kMembers = 2, kRows = 1000, kWidth = 96;
  const at::Tensor x = at::randn({kMembers, kRows, kWidth}, generator);
  const auto totals = [&](int threads) {
    at::set_num_threads(threads);
    std::vector<float> sums(kMembers * kWidth);
    const float* from = x.const_data_ptr<float>();
    nn::each_row<float>({kMembers, kRows, kWidth}, kWidth, sums.data(),
                        [=](std::int64_t, std::int64_t row, float* to) {
                          for (std::int64_t i = 0; i < kWidth; ++i) to[i] += from[row * kWidth + i];
                        });
    at::set_num_threads(1);
    return sums;
  };
  const std::vector<float> one = totals(1);
  EXPECT_EQ(one, totals(2));
  EXPECT_EQ(one, totals(4));
  const at::Tensor truth = x.to(at::kDouble).sum(1).flatten();
  for (std::size_t k = 0; k < one.size(); ++k)
    EXPECT_NEAR(one[k], truth[static_cast<std::int64_t>(k)].item<double>(), 1e-3);
}

}  // namespace
}  // namespace mneme::testing
