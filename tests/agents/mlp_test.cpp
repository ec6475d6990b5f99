// tests/agents/mlp_test.cpp - the perceptron as one function against the same by tensor operations
// and plain autograd.
#include "agents/nn/layers/mlp.h"

#include <torch/csrc/autograd/autograd.h>

#include <cmath>

#include "agents/nn/layers/initial.h"
#include "agents/support.h"

namespace mneme {
namespace {

using torch::autograd::grad;

struct Case {
  std::int64_t members;
  std::vector<std::int64_t> sizes;
};

const std::vector<Case> kCases{{1, {3, 2}}, {2, {4, 7, 1}}, {3, {5, 6, 9, 2}}, {2, {3, 33, 17, 1}}};

TEST(Mlp, ValuesAndGradientsEqualPlainAutograd) {
  at::Generator generator = nn::make_generator(1, 0, at::kCPU);
  for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
    const double within = type == at::kDouble ? 1e-13 : 1e-5;
    for (const Case& one : kCases) {
      nn::Parameters parameters(type);
      const nn::Mlp network(parameters, "layer", one.members, one.sizes, &generator);
      const at::Tensor x = at::randn({11, one.sizes.front()}, generator, at::kDouble).to(type);
      x.set_requires_grad(true);
      const at::Tensor here = network(x), there = nn::plain::perceptron(x, {}, network.layers);
      ASSERT_EQ(here.sizes(), there.sizes());
      EXPECT_TRUE(at::allclose(here, there, within, within));

      std::vector<at::Tensor> inputs = network.layers;
      inputs.push_back(x);
      const at::Tensor pull = at::randn(here.sizes(), generator, at::kDouble).to(type);
      const auto ours = grad({here}, inputs, {pull}), plain = grad({there}, inputs, {pull});
      for (std::size_t k = 0; k < inputs.size(); ++k) {
        EXPECT_GT(plain[k].abs().max().item<double>(), 1e-3) << "the comparison is trivial";
        EXPECT_TRUE(at::allclose(ours[k], plain[k], within, within)) << k;
      }
      const at::Tensor alone = network.first(x);
      EXPECT_TRUE(at::equal(alone[0], here[0]));
    }
  }
}

// One network as FastTD3 keeps it: weights without a place for members, and an action beside x.
TEST(Mlp, ActionIsPartOfTheInput) {
  at::Generator generator = nn::make_generator(5, 0, at::kCPU);
  const auto numbers = [&](at::IntArrayRef shape) {
    return at::randn(shape, generator, at::kDouble).set_requires_grad(true);
  };
  const at::Tensor x = numbers({9, 4}), action = numbers({9, 3});
  for (const bool members : {false, true}) {
    std::vector<at::Tensor> layers;
    if (members)
      layers = {numbers({2, 5, 7}), numbers({2, 5}), numbers({2, 2, 5}), numbers({2, 2})};
    else
      layers = {numbers({5, 7}), numbers({5}), numbers({2, 5}), numbers({2})};
    const at::Tensor here = nn::perceptron(x, action, layers);
    const at::Tensor there = nn::plain::perceptron(x, action, layers);
    ASSERT_EQ(here.sizes(), there.sizes());
    EXPECT_TRUE(at::allclose(here, there, 1e-13, 1e-13));
    std::vector<at::Tensor> inputs = layers;
    inputs.insert(inputs.end(), {x, action});
    const at::Tensor pull = at::randn(here.sizes(), generator, at::kDouble);
    const auto ours = grad({here}, inputs, {pull}), plain = grad({there}, inputs, {pull});
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      EXPECT_GT(plain[k].abs().max().item<double>(), 1e-3) << "the comparison is trivial";
      EXPECT_TRUE(at::allclose(ours[k], plain[k], 1e-13, 1e-13)) << k;
    }
    // The action alone: the same gradient as among the others.
    const at::Tensor still = nn::perceptron(x.detach(), action, layers);
    EXPECT_TRUE(at::equal(grad({still}, {action}, {pull})[0], ours.back()));
  }
}

// The gradient against the definition of one: differences of the function itself.
TEST(Mlp, GradientsEqualFiniteDifferences) {
  at::Generator generator = nn::make_generator(2, 0, at::kCPU);
  nn::Parameters parameters(at::kDouble);
  const nn::Mlp network(parameters, "layer", 2, {3, 5, 4, 2}, &generator);
  const at::Tensor x = at::randn({6, 3}, generator, at::kDouble).set_requires_grad(true);
  const at::Tensor pull = at::randn({2, 6, 2}, generator, at::kDouble);
  std::vector<at::Tensor> inputs = network.layers;
  inputs.push_back(x);
  const auto gradients = grad({(network(x) * pull).sum()}, inputs);
  const at::NoGradGuard no_grad;
  constexpr double kStep = 1e-6;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    auto* number = inputs[k].mutable_data_ptr<double>();
    for (std::int64_t i = 0; i < inputs[k].numel(); ++i) {
      const double was = number[i];
      number[i] = was + kStep;
      const double above = (network(x) * pull).sum().item<double>();
      number[i] = was - kStep;
      const double below = (network(x) * pull).sum().item<double>();
      number[i] = was;
      EXPECT_NEAR(gradients[k].contiguous().const_data_ptr<double>()[i],
                  (above - below) / (2 * kStep), 1e-7)
          << k << ' ' << i;
    }
  }
}

// A frozen network passes gradients on and has none of its own; without a gradient to the input
// there is still one to the weights.
TEST(Mlp, UnneededGradientsAreUndefined) {
  at::Generator generator = nn::make_generator(3, 0, at::kCPU);
  nn::Parameters parameters(at::kDouble);
  const nn::Mlp network(parameters, "layer", 2, {3, 5, 1}, &generator);
  const at::Tensor x = at::randn({6, 3}, generator, at::kDouble);
  const auto of_weights = grad({network(x).sum()}, network.layers);
  const at::Tensor learned = x.clone().set_requires_grad(true);
  const auto whole = grad({network(learned).sum()}, {learned, network.layers[0]});
  EXPECT_TRUE(at::equal(of_weights[0], whole[1]));
  const nn::Frozen frozen(parameters);
  const at::Tensor y = network(learned).sum();
  EXPECT_TRUE(at::equal(grad({y}, {learned})[0], whole[0]));
  EXPECT_FALSE(network(x).requires_grad());
}

TEST(Mlp, NaNStaysNaN) {
  at::Generator generator = nn::make_generator(4, 0, at::kCPU);
  nn::Parameters parameters(at::kFloat);
  const nn::Mlp network(parameters, "layer", 2, {3, 8, 8, 1}, &generator);
  const at::Tensor x = at::zeros({2, 3});
  x[1][0] = std::nanf("");
  const at::Tensor y = network(x);
  EXPECT_FALSE(y.select(1, 0).isnan().any().item<bool>());
  EXPECT_TRUE(y.select(1, 1).isnan().all().item<bool>());
  const at::Tensor weight = grad({y.sum()}, network.layers)[0];
  EXPECT_TRUE(weight.isnan().any().item<bool>());
}

}  // namespace
}  // namespace mneme
