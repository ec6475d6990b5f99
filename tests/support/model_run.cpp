// tests/support/model_run.cpp - the operations, and the comparison after each.
#include "support/model_run.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme::test {
namespace {

// Defaults of `per`.
constexpr double kAlpha = 0.6, kBeta = 0.4, kEps = 1e-6;

bool is_prioritized(const std::string& sampler) { return sampler_info(sampler).needs_feedback; }

// Each a naive buffer for a reader of this kind.
NaiveBuffer naive_for(ReplayConfig config, const SamplingConfig& sampling) {
  config.n_step = sampling.n_step;
  config.discount = sampling.discount;
  config.horizon = sampling.horizon;
  config.stack = sampling.stack;
  return NaiveBuffer(config, is_prioritized(sampling.sampler), kEps);
}

ReplayConfig in_memory(ReplayConfig config) {
  config.path.clear();
  return config;
}

// Whether row k of a column is this.
template <class T>
bool row_is(const std::vector<T>& column, std::size_t k, const std::vector<T>& expected) {
  return std::equal(expected.begin(), expected.end(),
                    column.begin() + static_cast<std::ptrdiff_t>(k * expected.size()));
}

}  // namespace

bool ModelRun::View::prioritized() const { return is_prioritized(config.sampler); }

ModelRun::ModelRun(const std::string& sampler, std::uint64_t seed, const Faults& faults)
    : faults_(faults),
      rng_(seed, 40),
      config_(random_config(sampler, seed)),
      buffer_(std::make_unique<ReplayBuffer>(config_)),
      twin_(std::make_unique<ReplayBuffer>(in_memory(config_))),
      now_(static_cast<std::size_t>(config_.streams)) {
  for (auto& observation : now_) observation = fresh();
  const SamplingConfig own{config_.sampler,  config_.stream_policy, config_.n_step,
                           config_.discount, config_.horizon,       config_.stack};
  views_.push_back({own, naive_for(config_, own), buffer_->reader(), twin_->reader()});
}

Outcome ModelRun::run(Index operations) {
  struct Operation {
    int weight;
    void (ModelRun::*act)();
  };
  static constexpr Operation kTable[] = {
      {40, &ModelRun::add_one},  {10, &ModelRun::add_all},           {3, &ModelRun::cut},
      {12, &ModelRun::sample},   {6, &ModelRun::sample_sequences},   {8, &ModelRun::feedback},
      {4, &ModelRun::bad_call},  {1, &ModelRun::move_to_new_object}, {1, &ModelRun::add_reader},
      {1, &ModelRun::open_again}};
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
  for (View& view : views_)
    if (out_.wrong.empty()) cover(view);
  return out_;
}

Index ModelRun::below(Index bound) {
  return static_cast<Index>(rng_.below(static_cast<std::uint64_t>(bound)));
}

SamplingConfig ModelRun::random_sampling(const std::string& sampler, Index capacity,
                                         Index streams) {
  SamplingConfig c;
  c.sampler = sampler;
  c.n_step = 1 + below(std::min<Index>(5, capacity));
  c.stack = chance(0.5) ? 1 : 1 + below(std::min<Index>(4, capacity));
  c.horizon = chance(0.5) ? Horizon::full : Horizon::clip;
  static constexpr double kDiscounts[] = {0, 0.5, 0.9, 0.99, 1};
  c.discount = kDiscounts[below(5)];
  const Index policy = below(3);
  c.stream_policy = policy == 0 ? "uniform" : policy == 1 ? "equal_share" : "weighted:1";
  for (Index s = 1; policy == 2 && s < streams; ++s) c.stream_policy += ",0.5";
  return c;
}

ReplayConfig ModelRun::random_config(const std::string& sampler, std::uint64_t seed) {
  ReplayConfig c{.observation = {2}, .action = {2}};
  c.seed = seed;
  c.streams = 1 + below(4);
  c.capacity = 1 + below(chance(0.3) ? 5 : 50);
  const SamplingConfig own = random_sampling(sampler, c.capacity, c.streams);
  c.sampler = own.sampler;
  c.stream_policy = own.stream_policy;
  c.n_step = own.n_step;
  c.discount = own.discount;
  c.horizon = own.horizon;
  c.stack = own.stack;
  c.fields = {{"log_prob", {}}, {"label", {{2}, DType::i32}}};
  if (chance(0.3)) c.path = (directory_ / "buffer").string();
  return c;
}

// An observation that never was before.
std::vector<float> ModelRun::fresh() {
  return {static_cast<float>(++states_), static_cast<float>(below(100))};
}

ModelRun::View& ModelRun::any_view() {
  return views_[static_cast<std::size_t>(below(static_cast<Index>(views_.size())))];
}

NaiveTransition ModelRun::next_row(Index stream) {
  std::vector<float>& now = now_[static_cast<std::size_t>(stream)];
  if (chance(0.05)) {  // the environment was reset without notice
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

void ModelRun::add_one() {
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
  for (View& view : views_) view.naive.add(stream, row);
}

void ModelRun::add_all() {
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
    for (View& view : views_) view.naive.add(s, row);
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

void ModelRun::cut() {
  const Index stream = below(config_.streams);
  if (!faults_.forget_cuts)
    for (ReplayBuffer* buffer : both()) buffer->cut(stream);
  for (View& view : views_) view.naive.cut(stream);
  if (chance(0.5)) now_[static_cast<std::size_t>(stream)] = fresh();
}

// A second reader that draws in another way; the rows that are stored count as new ones.
void ModelRun::add_reader() {
  if (views_.size() > 1) return;
  static constexpr const char* kSamplers[] = {"uniform", "per", "truncated_geometric", "rank_per"};
  SamplingConfig sampling = random_sampling(kSamplers[below(4)], config_.capacity, config_.streams);
  NaiveBuffer naive = naive_for(config_, sampling);
  naive.take_rows(views_[0].naive);
  for (Index s = 0; s < config_.streams; ++s) out_.late_readers += naive.size(s) > 0 ? 1 : 0;
  views_.push_back({sampling, std::move(naive), buffer_->add_reader("second", sampling),
                    twin_->add_reader("second", sampling)});
}

void ModelRun::sample() {
  View& view = any_view();
  const auto size = static_cast<std::size_t>(1 + below(40));
  Batch batch = view.reader->make_batch(size), other = view.twin.make_batch(size);
  if (!view.naive.can_sample()) return expect_refused([&] { view.reader->sample(batch); });
  view.reader->sample(batch);
  view.twin.sample(other);
  if (batch.id != other.id || batch.weight != other.weight || batch.reward != other.reward)
    return wrong("a refused call changed what is drawn");
  faults_.batch(batch, view.naive);
  for (std::size_t k = 0; k < size && out_.wrong.empty(); ++k) compare(view, batch, k);
  view.last_ids = batch.id;
}

void ModelRun::compare(const View& view, const Batch& batch, std::size_t k) {
  const Index stream = ReplayBuffer::stream_of(batch.id[k]);
  const std::uint64_t sequence = ReplayBuffer::sequence_of(batch.id[k]);
  if (stream >= config_.streams || stream != batch.stream[k]) return wrong("stream");
  if (!view.naive.drawable(stream, sequence)) return wrong(concat("id ", sequence));
  ++out_.rows;
  const NaiveWindow w = view.naive.window(stream, sequence);
  if (!row_is(batch.observation, k, w.observation)) return wrong("observation");
  if (!row_is(batch.action, k, w.action)) return wrong("action");
  if (!row_is(batch.next_observation, k, w.next_observation)) return wrong("next observation");
  for (std::size_t f = 0; f < 2; ++f)
    if (!row_is(batch.fields[f], k, w.fields[f])) return wrong("fields");
  if (batch.horizon[k] != w.horizon) return wrong("horizon");
  if (batch.age[k] != w.age) return wrong("age");
  // Both sum in double; what differs is one rounding to float.
  const auto near = [](float got, double expected) {
    return std::abs(static_cast<double>(got) - expected) <= 1e-7 * (1 + std::abs(expected));
  };
  if (!near(batch.reward[k], w.reward)) return wrong("reward");
  if (!near(batch.discount[k], w.discount)) return wrong("discount");
  if (!view.prioritized() && batch.weight[k] != 1) return wrong("weight");
  if (!(batch.weight[k] > 0 && batch.weight[k] <= 1.0001F)) return wrong("weight");
  // Leaves are floats: a weight is right to a few units of their last place.
  if (view.config.sampler == "per" &&
      std::abs(static_cast<double>(batch.weight[k]) -
               view.naive.weight(stream, sequence, kAlpha, kBeta)) > 1e-5)
    return wrong("weight");
}

void ModelRun::sample_sequences() {
  View& view = any_view();
  const Index burn_in = below(std::min<Index>(4, config_.capacity));
  const Index length = 1 + below(std::min<Index>(6, config_.capacity - burn_in));
  const auto size = static_cast<std::size_t>(1 + below(10));
  SequenceBatch batch = view.reader->make_sequences(size, length, burn_in),
                other = view.twin.make_sequences(size, length, burn_in);
  if (!view.naive.can_sample()) return expect_refused([&] { view.reader->sample(batch); });
  view.reader->sample(batch);
  view.twin.sample(other);
  if (batch.id != other.id || batch.reward != other.reward)
    return wrong("a refused call changed what is drawn");
  faults_.sequences(batch);
  for (std::size_t k = 0; k < size && out_.wrong.empty(); ++k) compare(view, batch, k);
}

void ModelRun::compare(const View& view, const SequenceBatch& batch, std::size_t k) {
  const Index stream = ReplayBuffer::stream_of(batch.id[k]);
  const std::uint64_t sequence = ReplayBuffer::sequence_of(batch.id[k]);
  if (stream != batch.stream[k] || !view.naive.drawable(stream, sequence))
    return wrong("sequence: id");
  ++out_.windows;
  const NaiveSequence s = view.naive.sequence(stream, sequence, batch.length, batch.burn_in);
  if (!row_is(batch.valid, k, s.valid)) return wrong("sequence: valid");
  if (!row_is(batch.observation, k, s.observation)) return wrong("sequence: observation");
  if (!row_is(batch.action, k, s.action)) return wrong("sequence: action");
  if (!row_is(batch.reward, k, s.reward)) return wrong("sequence: reward");
  if (!row_is(batch.last_observation, k, s.last_observation))
    return wrong("sequence: last observation");
  if ((batch.terminated[k] != 0) != s.terminated) return wrong("sequence: terminated");
}

// Ids of the last batch, which may be stale by now, and others that were given out some time; some
// twice, some with values that are not numbers.
void ModelRun::feedback() {
  View& view = any_view();
  std::vector<std::uint64_t> ids = view.last_ids;
  for (Index k = below(8); k > 0; --k) {
    const Index stream = below(config_.streams);
    if (view.naive.head(stream) > 0)
      ids.push_back(static_cast<std::uint64_t>(stream) << 44 | rng_.below(view.naive.head(stream)));
  }
  if (!ids.empty() && chance(0.5)) ids.push_back(ids.front());
  std::vector<float> errors;
  for (std::size_t k = 0; k < ids.size(); ++k) {
    // Never 0 for distributions that would not draw such a row again.
    float error = static_cast<float>(1 + below(400)) / 16 * (chance(0.5) ? 1.0F : -1.0F);
    if (chance(0.05)) error = std::nanf("");
    if (chance(0.05)) error = chance(0.5) ? INFINITY : -INFINITY;
    if (chance(0.05) && view.config.sampler.starts_with("per")) error = 0;
    errors.push_back(error);
  }
  std::vector<std::uint64_t> sent = ids;
  if (faults_.shift_feedback && !sent.empty())
    std::rotate(sent.begin(), sent.begin() + 1, sent.end());
  FeedbackReport got = view.reader->update_priorities(sent, errors);
  view.twin.update_priorities(sent, errors);
  faults_.report(got);
  const FeedbackReport expected = view.naive.update_priorities(ids, errors);
  out_.stale += expected.stale;
  if (got.applied != expected.applied || got.refused != expected.refused ||
      got.stale != expected.stale || got.ignored != expected.ignored)
    wrong(concat("feedback: applied ", got.applied, "/", expected.applied, " refused ", got.refused,
                 "/", expected.refused, " stale ", got.stale, "/", expected.stale, " ignored ",
                 got.ignored, "/", expected.ignored));
}

// Calls that must throw, on the buffer alone: the twin shows whether they left a trace.
void ModelRun::bad_call() {
  View& view = any_view();
  const std::vector<float> one{1}, two{1, 2}, four{1, 2, 3, 4};
  const std::vector<std::int32_t> label{1, 2};
  const Index stream = below(config_.streams);
  Transition step{.stream = stream,
                  .observation = two,
                  .action = two,
                  .next_observation = two,
                  .fields = {one, label}};
  if (faults_.bad_calls_draw && view.naive.can_sample()) {
    Batch batch = view.reader->make_batch(1);
    view.reader->sample(batch);
  }
  const Index kind = below(9);
  if (kind == 0) step.stream = config_.streams;
  if (kind == 1) step.observation = one;
  if (kind == 2) step.reward = INFINITY;
  if (kind == 3) step.fields.pop_back();
  expect_refused([&] {
    std::vector<std::uint64_t> ids = view.last_ids;
    Batch batch = view.reader->make_batch(3);
    const std::vector<float> rewards(static_cast<std::size_t>(config_.streams) + 1);
    switch (kind) {
      case 4:
        return buffer_->cut(-1);
      case 5:
        return buffer_->add_all(
            {.observation = four, .action = four, .reward = rewards, .next_observation = two});
      case 6:  // good ids first: none of the call may be applied
        ids.push_back(static_cast<std::uint64_t>(stream) << 44 | view.naive.head(stream));
        view.reader->update_priorities(ids, std::vector<float>(ids.size(), 1e6F));
        return;
      case 7:
        batch.age.pop_back();
        return view.reader->sample(batch);
      case 8:
        view.reader->update_priorities(std::vector<std::uint64_t>{}, one);
        return;
      default:
        return buffer_->add(step);
    }
  });
}

// The buffer's state belongs to no particular object.
void ModelRun::move_to_new_object() {
  auto moved = std::make_unique<ReplayBuffer>(std::move(*buffer_));
  buffer_ = std::move(moved);
}

// What comes back must continue as the twin does, which never left memory.
void ModelRun::open_again() {
  ++out_.reopened;
  if (config_.path.empty()) {
    const std::string path = (directory_ / "saved").string();
    buffer_->save(path);
    *buffer_ = ReplayBuffer::load(path);
  } else {
    // Closing commits; being destroyed does not. A reader would keep the directory's lock.
    for (View& view : views_) view.reader.reset();
    const bool closes = chance(0.5);
    if (!faults_.skip_commits) closes ? buffer_->close() : buffer_->commit();
    buffer_.reset();
    buffer_ = std::make_unique<ReplayBuffer>(ReplayBuffer::open(config_.path));
  }
  for (View& view : views_) view.reader = buffer_->reader(view.twin.name());
}

template <class Call>
void ModelRun::expect_refused(const Call& call) {
  ++out_.refused_calls;
  try {
    call();
  } catch (const InvalidArgument&) {
    return;
  }
  wrong("a call that had to be refused was not");
}

void ModelRun::compare_counts() {
  const NaiveBuffer& naive = views_[0].naive;
  for (const ReplayBuffer* buffer : both()) {
    if (buffer->cuts() != naive.cuts()) wrong("number of cuts");
    for (Index s = 0; s < config_.streams; ++s)
      if (buffer->size(s) != naive.size(s)) wrong("size");
  }
}

// With uniform draws every row that may be drawn is. A stream gets at least a fifth of the draws:
// 48 for each of its rows, which miss one of 200 with a probability of 3e-19.
void ModelRun::cover(View& view) {
  if (view.config.sampler != "uniform" || !view.naive.can_sample()) return;
  Index rows = 0, most = 0;
  for (Index s = 0; s < config_.streams; ++s) {
    rows += view.naive.drawable_rows(s);
    most = std::max(most, view.naive.drawable_rows(s));
  }
  Batch batch = view.reader->make_batch(static_cast<std::size_t>(240 * most));
  view.reader->sample(batch);
  faults_.batch(batch, view.naive);
  std::vector<std::uint64_t> ids = batch.id;
  std::sort(ids.begin(), ids.end());
  const auto distinct = std::unique(ids.begin(), ids.end()) - ids.begin();
  if (distinct != rows) wrong(concat("only ", distinct, " of ", rows, " rows are ever drawn"));
}

void ModelRun::wrong(const std::string& what) {
  if (!out_.wrong.empty()) return;
  out_.wrong = concat(what, " (operation ", out_.operations, "; ", config_.sampler, " seed ",
                      config_.seed, " streams ", config_.streams, " capacity ", config_.capacity,
                      " n_step ", config_.n_step, " stack ", config_.stack,
                      config_.horizon == Horizon::full ? " full " : " clip ", config_.stream_policy,
                      config_.path.empty() ? " in memory)" : " in files)");
}

}  // namespace mneme::test
