// tests/support/model_run.h - random operations on a replay buffer and on naive ones beside it;
// everything that comes out must be what the naive ones say.
//
// A run draws a configuration and then operations from a table. Beside the buffer goes a twin that
// gets the same calls but none of the bad ones: a refused call that changed anything, a random
// number included, makes the two differ. Each reader has a naive buffer of its own with the same
// rows. The buffer object comes and goes: it is moved, closed and opened again from its files, or
// saved and loaded, while the twin, the naive buffers and the environments live on.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mneme/replay_buffer.h"
#include "support/failing_disk.h"
#include "support/naive_buffer.h"

namespace mneme::test {

/// What a run does to itself, to see whether it would be noticed.
struct Faults {
  std::function<void(Batch&, const NaiveBuffer&)> batch = [](Batch&, const NaiveBuffer&) {};
  std::function<void(SequenceBatch&)> sequences = [](SequenceBatch&) {};
  std::function<void(FeedbackReport&)> report = [](FeedbackReport&) {};
  bool forget_cuts = false;     // a declared cut does not reach the buffer
  bool shift_feedback = false;  // TD errors reach the neighbors of the rows they belong to
  bool bad_calls_draw = false;  // a refused call that moves the generator
  bool skip_commits = false;    // what is opened again is what an earlier commit left
};

struct Outcome {
  Index operations = 0, rows = 0, windows = 0, refused_calls = 0, stale = 0, unannounced = 0;
  Index late_readers = 0;  // made while rows were stored already
  Index reopened = 0;      // from files, or loaded
  std::string wrong;       // the first thing that was, or nothing
};

class ModelRun {
 public:
  ModelRun(const std::string& sampler, std::uint64_t seed, const Faults& faults);

  /// Stops at the first thing that is wrong.
  Outcome run(Index operations);

 private:
  // One reader, of the buffer and of the twin, and what it must see.
  struct View {
    SamplingConfig config;
    NaiveBuffer naive;
    std::optional<ReplayReader> reader;  // none while the buffer is closed
    ReplayReader twin;
    std::vector<std::uint64_t> last_ids = {};
    bool prioritized() const;
  };

  // operations
  void add_one();
  void add_all();
  void cut();
  void sample();
  void sample_sequences();
  void feedback();
  void bad_call();
  void move_to_new_object();
  void open_again();
  void add_reader();

  void compare(const View& view, const Batch& batch, std::size_t k);
  void compare(const View& view, const SequenceBatch& batch, std::size_t k);
  void compare_counts();
  void cover(View& view);
  template <class Call>
  void expect_refused(const Call& call);
  void wrong(const std::string& what);

  Index below(Index bound);
  bool chance(double p) { return rng_.uniform() < p; }
  SamplingConfig random_sampling(const std::string& sampler, Index capacity, Index streams);
  ReplayConfig random_config(const std::string& sampler, std::uint64_t seed);
  std::vector<float> fresh();
  NaiveTransition next_row(Index stream);
  View& any_view();
  std::array<ReplayBuffer*, 2> both() const { return {buffer_.get(), twin_.get()}; }

  const Faults& faults_;
  Rng rng_;
  Index states_ = 0;
  testing::TemporaryDirectory directory_;
  ReplayConfig config_;  // with a path in some of the runs
  std::unique_ptr<ReplayBuffer> buffer_, twin_;
  std::vector<View> views_;              // of the buffer's own reader, then of another
  std::vector<std::vector<float>> now_;  // where each environment is
  Outcome out_;
};

}  // namespace mneme::test
