// tests/replay/model_test.cpp - thousands of random operations on the buffer and on a naive one;
// everything that comes out must be what the naive one says.
//
// A run draws a configuration and then operations from a table. Beside the buffer goes a twin that
// gets the same calls but none of the bad ones: a refused call that changed anything, a random
// number included, makes the two differ. Operations that replace the buffer object (a snapshot that
// is opened again) are one more line in the table: the naive buffer and the streams of observations
// do not belong to it. The last tests plant faults and demand that the run finds each.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>

#include "base/text.h"
#include "mneme/error.h"
#include "mneme/replay_buffer.h"
#include "support/naive_buffer.h"

namespace mneme {
namespace {

using test::NaiveBuffer;
using test::NaiveEnd;
using test::NaiveTransition;
using test::NaiveWindow;

// Defaults of `per`.
constexpr double kAlpha = 0.6, kBeta = 0.4, kEps = 1e-6;

/// What a run does to itself, to see whether it would be noticed.
struct Faults {
  std::function<void(Batch&, const NaiveBuffer&)> batch = [](Batch&, const NaiveBuffer&) {};
  std::function<void(SequenceBatch&)> sequences = [](SequenceBatch&) {};
  std::function<void(FeedbackReport&)> report = [](FeedbackReport&) {};
  bool forget_cuts = false;     // a declared cut does not reach the buffer
  bool shift_feedback = false;  // TD errors reach the neighbours of the rows they belong to
  bool bad_calls_draw = false;  // a refused call that moves the generator
};

struct Outcome {
  Index operations = 0, rows = 0, windows = 0, refused_calls = 0, stale = 0, unannounced = 0;
  std::string wrong;  // the first thing that was, or nothing
};

std::vector<std::string> every_sampler() {
  std::vector<std::string> specs{"per", "rank_per", "reaper", "per:draws=independent,alpha=1"};
  for (const SamplerInfo* info : registered_samplers()) specs.emplace_back(info->examples[0]);
  return specs;
}
bool is_prioritized(const std::string& sampler) {
  return sampler.starts_with("per") || sampler.starts_with("rank") || sampler.starts_with("reaper");
}

class ModelRun {
 public:
  ModelRun(const std::string& sampler, std::uint64_t seed, const Faults& faults)
      : faults_(faults),
        rng_(seed, 40),
        config_(random_config(sampler, seed)),
        prioritized_(is_prioritized(sampler)),
        naive_(config_, prioritized_, sampler.starts_with("reaper") ? 0 : kEps),
        buffer_(std::make_unique<ReplayBuffer>(config_)),
        twin_(std::make_unique<ReplayBuffer>(config_)),
        now_(static_cast<std::size_t>(config_.streams)) {
    for (auto& observation : now_) observation = fresh();
  }

  Outcome run(Index operations) {
    struct Operation {
      int weight;
      void (ModelRun::*act)();
    };
    static constexpr Operation kTable[] = {
        {40, &ModelRun::add_one}, {10, &ModelRun::add_all},          {3, &ModelRun::cut},
        {12, &ModelRun::sample},  {6, &ModelRun::sample_sequences},  {8, &ModelRun::feedback},
        {4, &ModelRun::bad_call}, {1, &ModelRun::move_to_new_object}};
    int total = 0;
    for (const Operation& o : kTable) total += o.weight;
    while (out_.operations < operations && out_.wrong.empty()) {
      int pick = static_cast<int>(below(total));
      const Operation* o = kTable;
      while (pick >= o->weight) pick -= (o++)->weight;
      (this->*o->act)();
      ++out_.operations;
      compare_counts();
    }
    if (out_.wrong.empty()) cover();
    return out_;
  }

  std::string describe() const {
    return concat(config_.sampler, " seed ", config_.seed, " streams ", config_.streams,
                  " capacity ", config_.capacity, " n_step ", config_.n_step, " stack ",
                  config_.stack, config_.horizon == Horizon::full ? " full " : " clip ",
                  config_.stream_policy);
  }

 private:
  Index below(Index bound) {
    return static_cast<Index>(rng_.below(static_cast<std::uint64_t>(bound)));
  }
  bool chance(double p) { return rng_.uniform() < p; }

  ReplayConfig random_config(const std::string& sampler, std::uint64_t seed) {
    ReplayConfig c{.observation = {2}, .action = {2}};
    c.sampler = sampler;
    c.seed = seed;
    c.streams = 1 + below(4);
    c.capacity = 1 + below(chance(0.3) ? 5 : 50);
    c.n_step = 1 + below(std::min<Index>(5, c.capacity));
    c.stack = chance(0.5) ? 1 : 1 + below(std::min<Index>(4, c.capacity));
    c.horizon = chance(0.5) ? Horizon::full : Horizon::clip;
    static constexpr double kDiscounts[] = {0, 0.5, 0.9, 0.99, 1};
    c.discount = kDiscounts[below(5)];
    const Index policy = below(3);
    c.stream_policy = policy == 0 ? "uniform" : policy == 1 ? "equal_share" : "weighted:1";
    for (Index s = 1; policy == 2 && s < c.streams; ++s) c.stream_policy += ",0.5";
    c.fields = {{"log_prob", {}}, {"label", {{2}, DType::i32}}};
    return c;
  }

  // An observation that never was before.
  std::vector<float> fresh() {
    return {static_cast<float>(++states_), static_cast<float>(below(100))};
  }

  NaiveTransition next_row(Index stream) {
    std::vector<float>& now = now_[static_cast<std::size_t>(stream)];
    if (chance(0.05)) {  // the environment was reset and nobody said so
      now = fresh();
      ++out_.unannounced;
    }
    NaiveTransition row;
    row.observation = now;
    row.next_observation = fresh();
    row.action = {static_cast<float>(below(1000)), static_cast<float>(-below(9))};
    row.reward = static_cast<float>(below(161) - 80) / 8;
    row.fields = {{static_cast<float>(below(64)) / 4},
                  {static_cast<float>(below(1 << 20)), static_cast<float>(-below(1 << 20))}};
    if (chance(0.12)) row.end = chance(0.5) ? NaiveEnd::terminated : NaiveEnd::truncated;
    now = row.end == NaiveEnd::none ? row.next_observation : fresh();
    return row;
  }

  void add_one() {
    const Index stream = below(config_.streams);
    const NaiveTransition row = next_row(stream);
    const std::vector<std::int32_t> label{static_cast<std::int32_t>(row.fields[1][0]),
                                          static_cast<std::int32_t>(row.fields[1][1])};
    for (ReplayBuffer* buffer : both()) {
      buffer->add({.stream = stream,
                   .observation = row.observation,
                   .action = row.action,
                   .reward = row.reward,
                   .next_observation = row.next_observation,
                   .terminated = row.end == NaiveEnd::terminated,
                   .truncated = row.end == NaiveEnd::truncated,
                   .fields = {row.fields[0], label}});
    }
    naive_.add(stream, row);
  }

  void add_all() {
    std::vector<float> observation, action, reward, next, log_prob;
    std::vector<std::int32_t> label;
    std::vector<std::uint8_t> terminated, truncated;
    const auto append = [](auto& to, const auto& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    for (Index s = 0; s < config_.streams; ++s) {
      const NaiveTransition row = next_row(s);
      append(observation, row.observation);
      append(action, row.action);
      append(next, row.next_observation);
      append(log_prob, row.fields[0]);
      for (const float value : row.fields[1]) label.push_back(static_cast<std::int32_t>(value));
      reward.push_back(row.reward);
      terminated.push_back(row.end == NaiveEnd::terminated);
      truncated.push_back(row.end == NaiveEnd::truncated);
      naive_.add(s, row);
    }
    for (ReplayBuffer* buffer : both())
      buffer->add_all({.observation = observation,
                       .action = action,
                       .reward = reward,
                       .next_observation = next,
                       .terminated = terminated,
                       .truncated = truncated,
                       .fields = {log_prob, label}});
  }

  void cut() {
    const Index stream = below(config_.streams);
    if (!faults_.forget_cuts)
      for (ReplayBuffer* buffer : both()) buffer->cut(stream);
    naive_.cut(stream);
    if (chance(0.5)) now_[static_cast<std::size_t>(stream)] = fresh();
  }

  void sample() {
    const auto size = static_cast<std::size_t>(1 + below(40));
    Batch batch = buffer_->make_batch(size), other = twin_->make_batch(size);
    if (!naive_.can_sample()) return expect_refused([&] { buffer_->sample(batch); });
    buffer_->sample(batch);
    twin_->sample(other);
    if (batch.id != other.id || batch.weight != other.weight || batch.reward != other.reward)
      return wrong("a refused call changed what is drawn");
    faults_.batch(batch, naive_);
    for (std::size_t k = 0; k < size && out_.wrong.empty(); ++k) compare(batch, k);
    last_ids_ = batch.id;
  }

  void compare(const Batch& batch, std::size_t k) {
    const Index stream = ReplayBuffer::stream_of(batch.id[k]);
    const std::uint64_t sequence = ReplayBuffer::sequence_of(batch.id[k]);
    if (stream >= config_.streams || stream != batch.stream[k]) return wrong("stream");
    if (!naive_.drawable(stream, sequence)) return wrong(concat("id ", sequence));
    ++out_.rows;
    const NaiveWindow w = naive_.window(stream, sequence);
    const auto part = [k](const std::vector<float>& all, std::size_t width) {
      return std::vector<float>(all.begin() + static_cast<std::ptrdiff_t>(k * width),
                                all.begin() + static_cast<std::ptrdiff_t>((k + 1) * width));
    };
    if (part(batch.observation, w.observation.size()) != w.observation) return wrong("observation");
    if (part(batch.action, 2) != w.action) return wrong("action");
    if (part(batch.next_observation, w.next_observation.size()) != w.next_observation)
      return wrong("next observation");
    if (part(batch.fields[0], 1) != w.fields[0] || part(batch.fields[1], 2) != w.fields[1])
      return wrong("fields");
    if (batch.horizon[k] != w.horizon) return wrong("horizon");
    if (batch.age[k] != w.age) return wrong("age");
    // Both sum in double; what differs is one rounding to float.
    const auto near = [](float got, double expected) {
      return std::abs(static_cast<double>(got) - expected) <= 1e-7 * (1 + std::abs(expected));
    };
    if (!near(batch.reward[k], w.reward)) return wrong("reward");
    if (!near(batch.discount[k], w.discount)) return wrong("discount");
    if (!prioritized_ && batch.weight[k] != 1) return wrong("weight");
    if (!(batch.weight[k] > 0 && batch.weight[k] <= 1.0001F)) return wrong("weight");
    // Leaves are floats: a weight is right to a few units of their last place.
    if (config_.sampler == "per" && std::abs(static_cast<double>(batch.weight[k]) -
                                             naive_.weight(stream, sequence, kAlpha, kBeta)) > 1e-5)
      return wrong("weight");
  }

  void sample_sequences() {
    const Index burn_in = below(std::min<Index>(4, config_.capacity));
    const Index length = 1 + below(std::min<Index>(6, config_.capacity - burn_in));
    const auto size = static_cast<std::size_t>(1 + below(10));
    SequenceBatch batch = buffer_->make_sequences(size, length, burn_in),
                  other = twin_->make_sequences(size, length, burn_in);
    if (!naive_.can_sample()) return expect_refused([&] { buffer_->sample(batch); });
    buffer_->sample(batch);
    twin_->sample(other);
    if (batch.id != other.id || batch.reward != other.reward)
      return wrong("a refused call changed what is drawn");
    faults_.sequences(batch);
    for (std::size_t k = 0; k < size && out_.wrong.empty(); ++k) compare(batch, k);
  }

  void compare(const SequenceBatch& batch, std::size_t k) {
    const Index stream = ReplayBuffer::stream_of(batch.id[k]);
    const std::uint64_t sequence = ReplayBuffer::sequence_of(batch.id[k]);
    if (stream != batch.stream[k] || !naive_.drawable(stream, sequence))
      return wrong("sequence: id");
    ++out_.windows;
    const test::NaiveSequence s = naive_.sequence(stream, sequence, batch.length, batch.burn_in);
    const auto equal = [k](const auto& all, const auto& expected) {
      return std::equal(expected.begin(), expected.end(),
                        all.begin() + static_cast<std::ptrdiff_t>(k * expected.size()));
    };
    if (!equal(batch.valid, s.valid)) return wrong("sequence: valid");
    if (!equal(batch.observation, s.observation)) return wrong("sequence: observation");
    if (!equal(batch.action, s.action)) return wrong("sequence: action");
    if (!equal(batch.reward, s.reward)) return wrong("sequence: reward");
    if (!equal(batch.last_observation, s.last_observation))
      return wrong("sequence: last observation");
    if ((batch.terminated[k] != 0) != s.terminated) return wrong("sequence: terminated");
  }

  // Ids of the last batch, which may be stale by now, and others that were given out some time;
  // some twice, some with values that are not numbers.
  void feedback() {
    std::vector<std::uint64_t> ids = last_ids_;
    for (Index k = below(8); k > 0; --k) {
      const Index stream = below(config_.streams);
      if (naive_.head(stream) > 0)
        ids.push_back(static_cast<std::uint64_t>(stream) << 44 | rng_.below(naive_.head(stream)));
    }
    if (!ids.empty() && chance(0.5)) ids.insert(ids.end(), ids.begin(), ids.begin() + 1);
    std::vector<float> errors;
    for (std::size_t k = 0; k < ids.size(); ++k) {
      // Never 0 for laws that would not draw such a row again.
      float error = static_cast<float>(1 + below(400)) / 16 * (chance(0.5) ? 1.0F : -1.0F);
      if (chance(0.05)) error = std::nanf("");
      if (chance(0.05)) error = chance(0.5) ? INFINITY : -INFINITY;
      if (chance(0.05) && config_.sampler.starts_with("per")) error = 0;
      errors.push_back(error);
    }
    std::vector<std::uint64_t> sent = ids;
    if (faults_.shift_feedback && !sent.empty())
      std::rotate(sent.begin(), sent.begin() + 1, sent.end());
    FeedbackReport got = buffer_->update_priorities(sent, errors);
    twin_->update_priorities(sent, errors);
    faults_.report(got);
    const FeedbackReport expected = naive_.update_priorities(ids, errors);
    out_.stale += expected.stale;
    if (got.applied != expected.applied || got.refused != expected.refused ||
        got.stale != expected.stale || got.ignored != expected.ignored)
      wrong(concat("feedback: applied ", got.applied, "/", expected.applied, " refused ",
                   got.refused, "/", expected.refused, " stale ", got.stale, "/", expected.stale,
                   " ignored ", got.ignored, "/", expected.ignored));
  }

  // Calls that must throw, on the buffer alone: the twin shows whether they left a trace.
  void bad_call() {
    const std::vector<float> one{1}, two{1, 2}, four{1, 2, 3, 4};
    const std::vector<double> wide{1, 2};
    const std::vector<std::int32_t> label{1, 2};
    const auto add = [&](const Transition& t) { expect_refused([&] { buffer_->add(t); }); };
    const std::vector<Values> fields{one, label};
    const Index stream = below(config_.streams);
    if (faults_.bad_calls_draw && naive_.can_sample()) {
      Batch batch = buffer_->make_batch(1);
      buffer_->sample(batch);
    }
    switch (below(9)) {
      case 0:
        return add({.stream = config_.streams,
                    .observation = two,
                    .action = two,
                    .next_observation = two,
                    .fields = fields});
      case 1:
        return add({.stream = stream,
                    .observation = one,
                    .action = two,
                    .next_observation = two,
                    .fields = fields});
      case 2:
        return add({.stream = stream,
                    .observation = two,
                    .action = two,
                    .reward = INFINITY,
                    .next_observation = two,
                    .fields = fields});
      case 3:
        return add({.stream = stream,
                    .observation = two,
                    .action = two,
                    .next_observation = two,
                    .fields = {one}});
      case 4:
        return expect_refused([&] { buffer_->cut(-1); });
      case 5:
        return expect_refused([&] {
          const std::vector<float> rewards(static_cast<std::size_t>(config_.streams) + 1);
          buffer_->add_all(
              {.observation = four, .action = four, .reward = rewards, .next_observation = two});
        });
      case 6:
        return expect_refused([&] {
          // a good id first: none of the call may be applied
          std::vector<std::uint64_t> ids = last_ids_;
          ids.push_back(static_cast<std::uint64_t>(stream) << 44 | naive_.head(stream));
          buffer_->update_priorities(ids, std::vector<float>(ids.size(), 1e6F));
        });
      case 7:
        return expect_refused([&] {
          Batch batch = buffer_->make_batch(3);
          batch.age.pop_back();
          buffer_->sample(batch);
        });
      default:
        return expect_refused(
            [&] { buffer_->update_priorities(std::vector<std::uint64_t>{}, one); });
    }
  }

  // The buffer's state belongs to no particular object.
  void move_to_new_object() {
    auto moved = std::make_unique<ReplayBuffer>(std::move(*buffer_));
    buffer_ = std::move(moved);
  }

  template <class Call>
  void expect_refused(const Call& call) {
    ++out_.refused_calls;
    try {
      call();
    } catch (const InvalidArgument&) {
      return;
    }
    wrong("a call that had to be refused was not");
  }

  void compare_counts() {
    for (const ReplayBuffer* buffer : both()) {
      if (buffer->cuts() != naive_.cuts()) wrong("number of cuts");
      for (Index s = 0; s < config_.streams; ++s)
        if (buffer->size(s) != naive_.size(s)) wrong("size");
    }
  }

  // With uniform draws every row that may be drawn is: 60 draws for each miss one of 200 rows with
  // a probability of 2e-24.
  void cover() {
    if (config_.sampler != "uniform" || !naive_.can_sample()) return;
    Index rows = 0, most = 0;
    for (Index s = 0; s < config_.streams; ++s) {
      rows += naive_.drawable_rows(s);
      most = std::max(most, naive_.drawable_rows(s));
    }
    Batch batch = buffer_->make_batch(static_cast<std::size_t>(60 * 4 * most * config_.streams));
    buffer_->sample(batch);
    faults_.batch(batch, naive_);
    std::vector<std::uint64_t> ids = batch.id;
    std::sort(ids.begin(), ids.end());
    const auto distinct = std::unique(ids.begin(), ids.end()) - ids.begin();
    if (distinct != rows) wrong(concat("only ", distinct, " of ", rows, " rows are ever drawn"));
  }

  void wrong(const std::string& what) {
    if (out_.wrong.empty())
      out_.wrong = concat(what, " (operation ", out_.operations, "; ", describe(), ")");
  }
  std::array<ReplayBuffer*, 2> both() const { return {buffer_.get(), twin_.get()}; }

  const Faults& faults_;
  Rng rng_;
  ReplayConfig config_;
  bool prioritized_;
  NaiveBuffer naive_;
  std::unique_ptr<ReplayBuffer> buffer_, twin_;
  std::vector<std::vector<float>> now_;  // where each environment is
  Index states_ = 0;
  std::vector<std::uint64_t> last_ids_;
  Outcome out_;
};

Outcome run(const std::string& sampler, std::uint64_t seed, Index operations,
            const Faults& faults = {}) {
  return ModelRun(sampler, seed, faults).run(operations);
}

void expect_all_right(std::uint64_t seeds, Index operations) {
  Outcome sum;
  for (const std::string& sampler : every_sampler()) {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      const Outcome out = run(sampler, seed, operations);
      ASSERT_EQ(out.wrong, "");
      sum.rows += out.rows;
      sum.windows += out.windows;
      sum.refused_calls += out.refused_calls;
      sum.stale += out.stale;
      sum.unannounced += out.unannounced;
    }
  }
  // It has met what it is for.
  EXPECT_GT(sum.rows, operations);
  EXPECT_GT(sum.windows, operations / 10);
  EXPECT_GT(sum.refused_calls, operations / 10);
  EXPECT_GT(sum.stale, operations / 10);
  EXPECT_GT(sum.unannounced, operations / 10);
}

TEST(Model, TheBufferIsWhatTheNaiveOneSays) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  expect_all_right(12, 400);
#else
  expect_all_right(40, 600);
#endif
}

TEST(ModelSlow, TheBufferIsWhatTheNaiveOneSays) { expect_all_right(1000, 3000); }

// Each planted fault is found, for the reason it is wrong. `sampler` is one that would show it.
struct Planted {
  const char* name;
  const char* sampler;
  const char* found_as;
  Faults faults;
};
void PrintTo(const Planted& p, std::ostream* out) { *out << p.name; }

std::vector<Planted> planted_faults() {
  using Change = std::function<void(Batch&, std::size_t, const NaiveBuffer&)>;
  const auto each_row = [](Change change) {
    return [change](Batch& batch, const NaiveBuffer& naive) {
      for (std::size_t k = 0; k < batch.size; ++k) change(batch, k, naive);
    };
  };
  const auto window = [](const Batch& batch, std::size_t k, const NaiveBuffer& naive) {
    return naive.window(batch.stream[k], ReplayBuffer::sequence_of(batch.id[k]));
  };
  std::vector<Planted> all;
  const auto in_batches = [&](const char* name, const char* sampler, const char* found_as,
                              Change change) {
    Faults faults;
    faults.batch = each_row(std::move(change));
    all.push_back({name, sampler, found_as, std::move(faults)});
  };
  in_batches("RowShifted", "uniform", "observation",
             [](Batch& b, std::size_t k, const NaiveBuffer&) {
               if (k > 0) b.observation[k * (b.observation.size() / b.size)] = b.observation[0];
             });
  in_batches("TruncationTakenForTermination", "uniform", "discount",
             [window](Batch& b, std::size_t k, const NaiveBuffer& naive) {
               if (window(b, k, naive).last->end == NaiveEnd::truncated) b.discount[k] = 0;
             });
  in_batches("CutNotBootstrapped", "uniform", "discount",
             [window](Batch& b, std::size_t k, const NaiveBuffer& naive) {
               if (window(b, k, naive).last->end == NaiveEnd::cut) b.discount[k] = 0;
             });
  in_batches(
      "SuccessorAcrossAnUnannouncedReset", "uniform", "next observation",
      [window](Batch& b, std::size_t k, const NaiveBuffer& naive) {
        const std::uint64_t next =
            ReplayBuffer::sequence_of(b.id[k]) + static_cast<std::uint64_t>(b.horizon[k]);
        if (window(b, k, naive).last->end != NaiveEnd::cut || next >= naive.head(b.stream[k]))
          return;
        const std::size_t width = b.next_observation.size() / b.size;
        b.next_observation[(k + 1) * width - 2] = naive.row(b.stream[k], next).observation[0];
      });
  in_batches(
      "RewardOfTheNextEpisode", "truncated_geometric", "reward",
      [window](Batch& b, std::size_t k, const NaiveBuffer& naive) {
        const std::uint64_t next =
            ReplayBuffer::sequence_of(b.id[k]) + static_cast<std::uint64_t>(b.horizon[k]);
        if (window(b, k, naive).last->end != NaiveEnd::none && next < naive.head(b.stream[k]))
          b.reward[k] += naive.row(b.stream[k], next).reward;
      });
  in_batches("NewestNeverDrawn", "uniform", "are ever drawn",
             [](Batch& b, std::size_t k, const NaiveBuffer&) {
               if (b.age[k] > 0 || b.size < 200) return;
               b.id[k] = b.id[0];
             });
  in_batches("AgeOffByOne", "linear", "age",
             [](Batch& b, std::size_t k, const NaiveBuffer&) { ++b.age[k]; });
  in_batches("EvictedRow", "ere", "id", [](Batch& b, std::size_t k, const NaiveBuffer& naive) {
    if (naive.oldest(b.stream[k]) > 0)
      b.id[k] = static_cast<std::uint64_t>(b.stream[k]) << 44 | (naive.oldest(b.stream[k]) - 1);
  });
  in_batches("FieldsOfAnotherRow", "uniform", "fields",
             [](Batch& b, std::size_t k, const NaiveBuffer&) { b.fields[1][2 * k] += 1; });
  in_batches("WeightOfAnotherRow", "per", "weight",
             [](Batch& b, std::size_t k, const NaiveBuffer&) { b.weight[k] = b.weight[0]; });
  Faults faults;
  faults.sequences = [](SequenceBatch& b) { b.valid[0] = b.valid[0] == 0 ? 1 : 0; };
  all.push_back({"SequenceMask", "uniform", "sequence: valid", faults});
  faults = {};
  faults.sequences = [](SequenceBatch& b) { b.last_observation[0] += 1; };
  all.push_back({"SequenceSuccessor", "uniform", "sequence: last observation", faults});
  faults = {};
  faults.report = [](FeedbackReport& r) {
    r.applied += r.stale;
    r.stale = 0;
  };
  all.push_back({"StaleFeedbackCountedAsApplied", "rank_per", "feedback", faults});
  faults = {};
  faults.shift_feedback = true;
  all.push_back({"FeedbackMisdirected", "per", "", faults});
  faults = {};
  faults.forget_cuts = true;
  all.push_back({"CutIgnored", "uniform", "cuts", faults});
  faults = {};
  faults.bad_calls_draw = true;
  all.push_back({"RefusedCallMovesTheGenerator", "uniform", "refused call changed", faults});
  return all;
}

class ModelPower : public testing::TestWithParam<Planted> {};

TEST_P(ModelPower, FindsThePlantedFault) {
  std::string wrong;
  for (std::uint64_t seed = 0; seed < 40 && wrong.empty(); ++seed)
    wrong = run(GetParam().sampler, seed, 600, GetParam().faults).wrong;
  ASSERT_NE(wrong, "") << "nothing was noticed";
  EXPECT_NE(wrong.find(GetParam().found_as), std::string::npos) << wrong;
}

INSTANTIATE_TEST_SUITE_P(Faults, ModelPower, testing::ValuesIn(planted_faults()),
                         [](const auto& fault) { return fault.param.name; });

}  // namespace
}  // namespace mneme
