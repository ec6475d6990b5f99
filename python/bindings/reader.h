// bindings/reader.h - one way of drawing from a buffer, as Python may use it: from any thread,
// after close, after a fork. A buffer is the first of its own readers.
#pragma once

#include <nanobind/nanobind.h>

#include <map>
#include <memory>
#include <string>

#include "bindings/batch.h"
#include "bindings/shared_core.h"

namespace mneme::python {

namespace nb = nanobind;

class Batches;

class Reader {
 public:
  /// `present`: column name -> function that turns its array into what the user sees.
  Reader(std::shared_ptr<SharedCore> shared, std::string name, nb::dict present);

  nb::object sample(Index rows, nb::handle out);
  nb::object sample_sequences(Index rows, Index length, Index burn_in, nb::handle out);
  std::unique_ptr<Batches> batches(Index rows, Index ahead);
  FeedbackReport update_priorities(nb::handle ids, nb::handle td_errors);
  void set_progress(double progress);
  LiveDiagnostics diagnostics() const;
  void reset_diagnostics();

  const std::string& name() const { return name_; }
  const SamplingConfig& sampling() const { return sampling_; }

 protected:
  const std::shared_ptr<ReplayBuffer>& core() const { return shared_->core(); }
  const std::shared_ptr<SharedCore>& shared() const { return shared_; }
  const ReplayConfig& config() const { return *config_; }
  const nb::dict& present() const { return present_; }

 private:
  /// The core's. Looked up with every call, so that nothing here keeps the rows after close.
  ReplayReader reader() const { return core()->reader(name_); }
  /// Once, after many batches of a prioritized sampler that no TD errors came back for.
  void warn_without_feedback();
  const std::shared_ptr<BatchPool>& sequences(Index length, Index burn_in);

  std::shared_ptr<SharedCore> shared_;
  std::string name_;
  nb::dict present_;
  std::shared_ptr<const ReplayConfig> config_;
  SamplingConfig sampling_;
  std::shared_ptr<BatchPool> pool_;
  int batches_left_ = 0;  // until the warning; 0: none to come
  std::map<std::pair<Index, Index>, std::shared_ptr<BatchPool>> sequences_;  // by length, burn-in
};

/// The iterator that `batches` returns.
class Batches {
 public:
  /// Draws up to `ahead` batches of so many rows in advance.
  Batches(std::shared_ptr<SharedCore> shared, const ReplayReader& reader,
          std::shared_ptr<BatchPool> pool, std::size_t rows, std::size_t ahead);
  ~Batches();
  Batches(const Batches&) = delete;
  Batches& operator=(const Batches&) = delete;
  nb::object next();

 private:
  std::shared_ptr<SharedCore> shared_;
  std::shared_ptr<BatchPool> pool_;
  std::size_t rows_;
  std::vector<std::shared_ptr<BatchMemory>> memory_;  // what the prefetcher has; by its mutex
  std::shared_ptr<Ahead> ahead_;
};

}  // namespace mneme::python
