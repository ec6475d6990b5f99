// tests/agents/devices_test.cpp - the code paths of devices other than a CPU, run on a CPU.
//
// Devices compute by tensor operations what a CPU computes in loops of its own; the two are compared.
#include <cmath>
#include <limits>

#include "agents/common/replay_batches.h"
#include "agents/common/runtime.h"
#include "agents/common/tensor_io.h"
#include "agents/nn/heads/categorical.h"
#include "agents/nn/io/tensors.h"
#include "agents/nn/layers/initial.h"
#include "agents/nn/optim/adam.h"
#include "agents/support.h"

namespace mneme {
namespace {

TEST(Devices, ProjectionByTensorOperationsIsTheSame) {
  at::Generator generator = nn::make_generator(1, 0, at::kCPU);
  for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
    const nn::Support support(-3, 3, 101, type);
    const at::Tensor p = at::randn({2, 50, 101}, generator, at::kDouble).softmax(-1).to(type);
    const at::Tensor shift = at::randn({50}, generator, at::kDouble).mul(2).to(type);
    const at::Tensor scale = at::rand({50}, generator, at::kDouble).to(type);
    shift[3] = 0;
    scale[3] = 0;  // all mass on one atom
    scale[4] = 1;
    shift[4] = 0;  // every atom on itself
    const at::Tensor here = nn::project(support, p, shift, scale);
    const at::Tensor there = nn::detail::project_anywhere(support, p, shift, scale);
    const double within = type == at::kDouble ? 1e-12 : 1e-6;
    EXPECT_LT((here - there).abs().max().item<double>(), within);
    EXPECT_LT((here.sum(-1) - 1).abs().max().item<double>(), within * 10);
    EXPECT_TRUE(at::allclose(here[0][4], p[0][4], 1e-5, within));
  }
}

TEST(Devices, ProjectionOfNonFiniteReturnsIsNaN) {
  const nn::Support support(-3, 3, 11, at::kFloat);
  const at::Tensor p = at::ones({4, 11}) / 11;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const at::Tensor shift = at::tensor({std::nanf(""), 0.5F, kInfinity, -kInfinity});
  const at::Tensor scale = at::ones({4});
  for (const at::Tensor& out : {nn::project(support, p, shift, scale),
                                nn::detail::project_anywhere(support, p, shift, scale)}) {
    for (const int row : {0, 2, 3}) EXPECT_TRUE(out[row].isnan().any().item<bool>()) << row;
    EXPECT_FALSE(out[1].isnan().any().item<bool>());
  }
}

// A CUDA generator's state has 16 bytes, a CPU's 5,056: a checkpoint of one is read by the other.
TEST(Devices, GeneratorStateOfAnotherDeviceSeedsNewSequence) {
  const auto draw_after = [](const at::Tensor& state) {
    ByteWriter out;
    nn::put_tensor(out, state);
    at::Generator generator = nn::make_generator(1, 2, at::kCPU);
    ByteReader in(out.bytes());
    nn::load_generator(in, generator);
    EXPECT_EQ(in.left(), 0U);
    return at::randn({4}, generator);
  };
  const at::Tensor state = at::arange(16, at::kByte), other = state + 1;
  EXPECT_TRUE(at::equal(draw_after(state), draw_after(state)));
  EXPECT_FALSE(at::equal(draw_after(state), draw_after(other)));
  // Of the same device: continued exactly.
  at::Generator generator = nn::make_generator(7, 2, at::kCPU);
  const at::Tensor saved = generator.get_state();
  EXPECT_TRUE(at::equal(draw_after(saved), at::randn({4}, generator)));
  EXPECT_THROW(draw_after(at::ones({16})), CorruptData) << "not bytes";
}

TEST(Devices, UnknownOrMissingDeviceIsRefused) {
  check_device("cpu");
  for (const char* name :
       {"", "gpu", "cuda:", "cuda:x", "cuda:1x", "cuda:-1", "cuda:4096", "vulkan"})
    EXPECT_THROW(check_device(name), NotFound) << name;
}

TEST(Devices, AdamByTensorOperationsIsTheSame) {
  for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
    at::Generator generator = nn::make_generator(2, 0, at::kCPU);
    nn::Parameters fused(type), plain(type), fused_target(type), plain_target(type);
    for (nn::Parameters* list : {&fused, &plain, &fused_target, &plain_target}) {
      at::Generator same = nn::make_generator(3, 0, at::kCPU);
      list->add("rows", nn::normal({2, 37, 53}, 1, &same), true);
      list->add("free", nn::normal({9001}, 1, &same));
    }
    nn::Adam one(fused, {.decay = 0.1});
    nn::Adam other(plain, {.decay = 0.1, .one_pass = false});
    for (int k = 0; k < 5; ++k) {
      const std::vector<at::Tensor> gradients{
          at::randn({2, 37, 53}, generator, at::kDouble).to(type),
          at::randn({9001}, generator, at::kDouble).to(type)};
      one.step(gradients, 1e-2, &fused_target, 0.1);
      other.step(gradients, 1e-2, &plain_target, 0.1);
    }
    for (std::size_t k = 0; k < 2; ++k) {
      const double within = type == at::kDouble ? 1e-12 : 2e-6;
      EXPECT_LT((fused.all()[k].value - plain.all()[k].value).abs().max().item<double>(), within);
      EXPECT_LT(
          (fused_target.all()[k].value - plain_target.all()[k].value).abs().max().item<double>(),
          within);
    }
    EXPECT_TRUE(at::allclose(fused.all()[0].value.norm(2, -1), at::ones({}, type), 1e-5, 1e-6));
  }
}

// The same batch with and without threads: each row's numbers are its own.
TEST(Devices, ThreadCountDoesNotChangeResults) {
  at::Generator generator = nn::make_generator(4, 0, at::kCPU);
  const nn::Support support(-3, 3, 101, at::kFloat);
  const at::Tensor p = at::randn({1000, 101}, generator).softmax(-1);
  const at::Tensor shift = at::randn({1000}, generator), scale = at::rand({1000}, generator);
  const at::Tensor one = nn::project(support, p, shift, scale);
  at::set_num_threads(4);
  const at::Tensor four = nn::project(support, p, shift, scale);
  at::set_num_threads(1);
  EXPECT_TRUE(at::equal(one, four));
}

// What comes in from outside is checked before a tensor is made of it.
TEST(Devices, RejectsRowsOfWrongSize) {
  const AgentShape shape{.tasks = {{"a", 4, 2, 10}, {"b", 5, 3, 10}}, .environments = 1};
  const std::vector<float> two(10), ragged(11);
  const std::vector<std::int32_t> fits{0, 1}, three{0, 1, 0}, unknown{0, 2}, negative{-1, 0};
  EXPECT_EQ(observations_of({two, fits}, shape, at::kCPU).size(0), 2);
  EXPECT_EQ(tasks_of({two, fits}, shape, at::kCPU)[1].item<std::int64_t>(), 1);
  EXPECT_EQ(tasks_of({two}, shape, at::kCPU).sum().item<std::int64_t>(), 0);
  EXPECT_THROW(observations_of({ragged}, shape, at::kCPU), InvalidArgument);
  EXPECT_THROW(observations_of({std::span<const float>()}, shape, at::kCPU), InvalidArgument);
  EXPECT_THROW(observations_of({two, three}, shape, at::kCPU), InvalidArgument);
  EXPECT_THROW(tasks_of({two, unknown}, shape, at::kCPU), InvalidArgument);
  EXPECT_THROW(tasks_of({two, negative}, shape, at::kCPU), InvalidArgument);
  std::vector<float> room(6), small(5);
  give_actions(room, at::ones({2, 3}));
  EXPECT_EQ(room, std::vector<float>(6, 1.0F));
  EXPECT_THROW(give_actions(small, at::ones({2, 3})), InvalidArgument);
  EXPECT_THROW(give_actions(room, at::full({2, 3}, std::nan(""))), Diverged);
}

// A batch goes from the buffer into the memory of its tensors: what the tensors hold is what the
// buffer drew.
TEST(Devices, BatchesHoldWhatTheBufferSampled) {
  const AgentShape shape{.tasks = {{"a", 4, 2, 10}, {"b", 5, 3, 10}}, .environments = 2};
  ReplayBuffer buffer = testing::small_world(shape, "per", 60);
  ReplayBuffer twin = testing::small_world(shape, "per", 60);
  ReplayBatches batches({buffer.reader(), {}}, shape, 32, at::kCPU);
  batches.draw(2);
  Batch batch = twin.make_batch(32);
  for (std::size_t k = 0; k < 2; ++k) {
    twin.sample(batch);
    const TrainingBatch& tensors = batches.critic(k);
    const auto same = [](const at::Tensor& tensor, const std::vector<float>& numbers) {
      return std::equal(numbers.begin(), numbers.end(), tensor.const_data_ptr<float>()) &&
             tensor.numel() == static_cast<std::int64_t>(numbers.size());
    };
    EXPECT_TRUE(same(tensors.observation, batch.observation));
    EXPECT_TRUE(same(tensors.next_observation, batch.next_observation));
    EXPECT_TRUE(same(tensors.action, batch.action));
    EXPECT_TRUE(same(tensors.reward, batch.reward));
    EXPECT_TRUE(same(tensors.discount, batch.discount));
    EXPECT_TRUE(same(tensors.weight, batch.weight));
    for (std::int64_t row = 0; row < 32; ++row)
      EXPECT_EQ(tensors.task[row].item<std::int64_t>(),
                batch.stream[static_cast<std::size_t>(row)] / 2);
    EXPECT_EQ(&batches.actor(k), &batches.critic(k));
  }
}

}  // namespace
}  // namespace mneme
