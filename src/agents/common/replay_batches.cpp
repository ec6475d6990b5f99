// agents/common/replay_batches.cpp - batches from the replay buffer as tensors.
#include "agents/common/replay_batches.h"

#include <chrono>

namespace mneme {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::span<float> numbers_of(const at::Tensor& tensor) {
  return {tensor.mutable_data_ptr<float>(), static_cast<std::size_t>(tensor.numel())};
}

}  // namespace

ReplayBatches::ReplayBatches(const AgentReaders& readers, const AgentShape& shape, Index batch,
                             at::Device device)
    : readers_(readers), shape_(shape), batch_(static_cast<std::size_t>(batch)), device_(device) {}

void ReplayBatches::prepare(Memory& memory) const {
  const auto rows = static_cast<std::int64_t>(batch_);
  const auto options = at::TensorOptions(at::kFloat).pinned_memory(!device_.is_cpu());
  TrainingBatch& host = memory.host;
  host.observation = at::empty({rows, shape_.observation()}, options);
  host.next_observation = at::empty_like(host.observation, options);
  host.action = at::empty({rows, shape_.action()}, options);
  for (at::Tensor* column : {&host.reward, &host.discount, &host.weight})
    *column = at::empty({rows}, options);
  host.task = at::zeros({rows}, options.dtype(at::kLong));
  memory.id.resize(batch_);
  memory.stream.resize(batch_);
  memory.view.size = batch_;
  memory.view.observation = numbers_of(host.observation);
  memory.view.next_observation = numbers_of(host.next_observation);
  memory.view.action = numbers_of(host.action);
  memory.view.reward = numbers_of(host.reward);
  memory.view.discount = numbers_of(host.discount);
  memory.view.weight = numbers_of(host.weight);
  memory.view.id = memory.id;
  memory.view.stream = memory.stream;
  memory.device = host;
}

void ReplayBatches::fill(Memory& memory, ReplayReader& reader) const {
  if (memory.id.empty()) prepare(memory);
  reader.sample(memory.view);
  if (shape_.tasks.size() > 1) {
    auto* task = memory.host.task.mutable_data_ptr<std::int64_t>();
    for (std::size_t k = 0; k < batch_; ++k) task[k] = memory.stream[k] / shape_.environments;
  }
  if (device_.is_cpu()) return;
  const auto move = [&](const at::Tensor& from, at::Tensor& to) {
    to = from.to(device_, /*non_blocking=*/true);
  };
  const TrainingBatch& host = memory.host;
  TrainingBatch& device = memory.device;
  move(host.observation, device.observation);
  move(host.next_observation, device.next_observation);
  move(host.action, device.action);
  move(host.reward, device.reward);
  move(host.discount, device.discount);
  move(host.weight, device.weight);
  move(host.task, device.task);
}

void ReplayBatches::draw(std::size_t count) {
  const Clock::time_point begin = Clock::now();
  if (slots_.size() < count) slots_.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    fill(slots_[k].critic, readers_.critic);
    if (!readers_.actor) continue;
    if (!slots_[k].actor) slots_[k].actor.emplace();
    fill(*slots_[k].actor, *readers_.actor);
  }
  seconds_.sampling += seconds_since(begin);
}

void ReplayBatches::feed_back(std::size_t k, const at::Tensor& td_errors) {
  // Before the clock starts: this waits for the device, whose work belongs to the update.
  const at::Tensor errors = td_errors.detach().to(at::kCPU, at::kFloat).contiguous();
  const Clock::time_point begin = Clock::now();
  readers_.critic.update_priorities(slots_[k].critic.id, numbers_of(errors));
  seconds_.feedback += seconds_since(begin);
}

void ReplayBatches::set_progress(double progress) {
  readers_.critic.set_progress(progress);
  if (readers_.actor) readers_.actor->set_progress(progress);
}

}  // namespace mneme
