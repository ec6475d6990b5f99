// agents/common/learner_base.cpp - the part of an agent that is the same for every learner.
#include "agents/common/learner_base.h"

#include "agents/common/tensor_io.h"
#include "agents/nn/layers/initial.h"

namespace mneme {
namespace {

// Purposes of an agent's generators.
constexpr std::uint32_t kInitialWeights = 1, kNoise = 2;

}  // namespace

LearnerBase::LearnerBase(const RunSettings& run, const AgentShape& shape,
                         const AgentReaders& readers, const ComputeOptions& compute)
    : shape_(shape),
      device_(compute.device),
      generator_(nn::make_generator(compute.seed, kNoise, device_)),
      batches_(readers, shape, run.batch_size, device_) {}

at::Generator LearnerBase::initial_weights(const ComputeOptions& compute) {
  return nn::make_generator(compute.seed, kInitialWeights, at::kCPU);
}

at::Tensor LearnerBase::noise(std::int64_t rows) {
  return at::randn({rows, shape_.action()}, generator_, options());
}

void LearnerBase::act(const ActRows& rows, std::span<float> actions, Acting how) {
  const at::NoGradGuard no_grad;
  give_actions(actions, choose_actions(observations_of(rows, shape_, device_), rows, how));
}

void LearnerBase::learn(Index updates, double progress) {
  batches_.set_progress(progress);
  run_updates(updates);
}

void LearnerBase::save(StateWriter& out) const {
  save_networks(out);
  nn::save_generator(out, generator_);
  save_statistics(out);
  metrics_.save(out);
}

void LearnerBase::load(StateReader& in) {
  load_networks(in);
  nn::load_generator(in, generator_);
  load_statistics(in);
  metrics_.load(in);
}

nn::NamedTensors LearnerBase::named(const nn::Parameters& parameters) {
  nn::NamedTensors tensors;
  for (const nn::Parameter& one : parameters.all()) tensors.emplace_back(one.name, one.value);
  return tensors;
}

void LearnerBase::export_policy(const std::string& path) const {
  const Policy exported = policy();
  nn::export_module(path, exported.tensors, exported.source);
}

Index LearnerBase::parameters() const {
  Index count = 0;
  for (const nn::Parameters* one : learned()) count += one->count();
  return count;
}

}  // namespace mneme
