// agents/common/learner_base.h - the part of an agent that is the same for every learner: random
// numbers, batches, metrics, acting, checkpoints, export.
//
// A learner adds its networks and the hooks below. A checkpoint is, in this order: networks,
// generator, statistics, metrics.
#pragma once

#include "agents/common/metrics.h"
#include "agents/common/replay_batches.h"
#include "agents/common/runtime.h"
#include "agents/nn/io/export.h"
#include "agents/nn/layers/parameters.h"

namespace mneme {

class LearnerBase : public Agent {
 public:
  void begin_step(std::span<const float>) override {}
  void act(const ActRows& rows, std::span<float> actions, Acting how) final;
  void end_step(const StepOutcome&) override {}
  void learn(Index updates, double progress) final;
  Metrics take_metrics() final { return metrics_.take(); }
  BatchSeconds batch_seconds() const final { return batches_.seconds(); }
  void save(StateWriter& out) const final;
  void load(StateReader& in) final;
  void export_policy(const std::string& path) const final;
  Index parameters() const final;

 protected:
  LearnerBase(const RunSettings& run, const AgentShape& shape, const AgentReaders& readers,
              const ComputeOptions& compute);

  /// A policy as TorchScript: `source` defines forward(self, observation), or (self, observation,
  /// task) with several tasks, over these tensors.
  struct Policy {
    nn::NamedTensors tensors;
    std::string source;
  };

  const AgentShape& shape() const { return shape_; }
  at::Device device() const { return device_; }
  /// Single precision on the device.
  at::TensorOptions options() const { return at::TensorOptions(device_).dtype(at::kFloat); }
  /// The generator of initial weights, always on the CPU.
  static at::Generator initial_weights(const ComputeOptions& compute);
  at::Generator& generator() { return generator_; }
  /// Standard normal, (rows, action).
  at::Tensor noise(std::int64_t rows);
  ReplayBatches& batches() { return batches_; }
  MetricSums& metrics() { return metrics_; }
  /// Tensors of a network under their names, for export.
  static nn::NamedTensors named(const nn::Parameters& parameters);

 private:
  /// Actions (rows, action) for observations (rows, observation) on the device; `rows` has the
  /// tasks. Called without gradients.
  virtual at::Tensor choose_actions(const at::Tensor& observations, const ActRows& rows,
                                    Acting how) = 0;
  virtual void run_updates(Index updates) = 0;
  virtual Policy policy() const = 0;
  /// Everything that is learned, without target networks.
  virtual std::vector<const nn::Parameters*> learned() const = 0;

  virtual void save_networks(StateWriter& out) const = 0;
  virtual void load_networks(StateReader& in) = 0;
  /// Running statistics and counters, if there are any.
  virtual void save_statistics(StateWriter&) const {}
  virtual void load_statistics(StateReader&) {}

  AgentShape shape_;
  at::Device device_;
  at::Generator generator_;
  ReplayBatches batches_;
  MetricSums metrics_;
};

}  // namespace mneme
