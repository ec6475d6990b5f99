// bench/replay/bench_replay.cpp - the replay buffer against the memory it stands on, in one
// interleaved run.
//
//   bench_replay [--capacity N] [--rounds N] [--json FILE]
//
// Rows as in the usual comparison: observation 64 f32, action 8 f32, one reward; the ring has
// wrapped. The limit for sampling is a loop that copies the same bytes (row, successor, side
// record) of random rows from huge pages into the same number of arrays, with prefetch and nothing
// else. The limit for adding is a memcpy of the bytes of the rows. Contestants take turns in
// rotating order; reported are medians and the median of the paired ratios to the limit. Rows are
// checked before the clock.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>

#include "base/json.h"
#include "base/pages.h"
#include "base/text.h"
#include "mneme/replay_buffer.h"

namespace {

using namespace mneme;

constexpr std::size_t kObservation = 64, kAction = 8, kVector = 64;

struct Contestant {
  std::string name, unit;
  std::function<void()> run;
  double items;                 // per call
  int limit;                    // index of the contestant it is compared with, -1: none
  std::vector<double> times{};  // nanoseconds per item
};

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1) + 0.5)];
}

ReplayConfig config(const std::string& sampler, Index capacity) {
  return {.observation = {static_cast<Index>(kObservation)},
          .action = {static_cast<Index>(kAction)},
          .capacity = capacity,
          .sampler = sampler};
}

// Step t: every number of observation t is t modulo 2^20.
void fill(ReplayBuffer& buffer, Index from, Index to) {
  std::vector<float> now(kObservation), next(kObservation), action(kAction, 0.5f);
  const auto value = [](Index t) { return static_cast<float>(t & 0xfffff); };
  std::fill(now.begin(), now.end(), value(from));
  for (Index t = from; t < to; ++t) {
    std::fill(next.begin(), next.end(), value(t + 1));
    buffer.add({.observation = now,
                .action = action,
                .reward = 1,
                .next_observation = next,
                .truncated = t % 1000 == 999});
    std::swap(now, next);
  }
}

bool rows_are_right(const Batch& batch) {
  for (std::size_t k = 0; k < batch.size; ++k) {
    const float* row = &batch.observation[k * kObservation];
    const float* next = &batch.next_observation[k * kObservation];
    for (std::size_t i = 0; i < kObservation; ++i) {
      if (row[i] != row[0] ||
          next[i] != static_cast<float>((static_cast<int>(row[0]) + 1) & 0xfffff))
        return false;
    }
  }
  return true;
}

// The bytes of a row, its successor and its side record, from random places.
class LimitLoop {
 public:
  explicit LimitLoop(Index capacity)
      : rows_(static_cast<std::size_t>(capacity)),
        observations_((rows_ + 1) * 256),
        sides_(rows_ * 64) {
    std::memset(observations_.data(), 1, observations_.bytes());
    std::memset(sides_.data(), 1, sides_.bytes());
  }
  void run(std::size_t batch) {
    indices_.resize(batch);
    observation_.resize(batch * kObservation);
    next_.resize(batch * kObservation);
    action_.resize(batch * kAction);
    reward_.resize(batch);
    for (std::size_t& index : indices_) index = rng_.below(rows_);
    constexpr std::size_t kAhead = 12;
    for (std::size_t k = 0; k < batch; ++k) {
      if (k + kAhead < batch) {
        const std::byte* row = observations_.data() + indices_[k + kAhead] * 256;
        for (std::size_t line = 0; line < 512; line += 64) __builtin_prefetch(row + line);
        __builtin_prefetch(sides_.data() + indices_[k + kAhead] * 64);
      }
      const std::byte* row = observations_.data() + indices_[k] * 256;
      const std::byte* side = sides_.data() + indices_[k] * 64;
      std::memcpy(&observation_[k * kObservation], row, 256);
      std::memcpy(&next_[k * kObservation], row + 256, 256);
      std::memcpy(&action_[k * kAction], side + 4, 32);
      std::memcpy(&reward_[k], side + 36, 4);
    }
  }

 private:
  std::size_t rows_;
  Pages observations_, sides_;
  Rng rng_{1};
  std::vector<std::size_t> indices_;
  std::vector<float> observation_, next_, action_, reward_;
};

double resident_bytes() {
  std::ifstream in("/proc/self/statm");
  double total = 0, resident = 0;
  in >> total >> resident;
  return resident * 4096;
}

}  // namespace

int main(int argc, char** argv) {
  Index capacity = 1'000'000;
  int rounds = 31;
  std::string json_path;
  for (int k = 1; k < argc; ++k) {
    if (std::strcmp(argv[k], "--capacity") == 0 && k + 1 < argc) {
      capacity = std::max(1000LL, std::atoll(argv[++k]));
    } else if (std::strcmp(argv[k], "--rounds") == 0 && k + 1 < argc) {
      rounds = std::max(3, std::atoi(argv[++k]));
    } else if (std::strcmp(argv[k], "--json") == 0 && k + 1 < argc) {
      json_path = argv[++k];
    } else {
      std::fprintf(stderr, "usage: bench_replay [--capacity N] [--rounds N] [--json FILE]\n");
      return 2;
    }
  }

  const double before = resident_bytes();
  ReplayBuffer uniform(config("uniform", capacity));
  fill(uniform, 0, capacity + capacity / 3);
  const double per_row = (resident_bytes() - before) / static_cast<double>(capacity);
  ReplayBuffer geometric(config("truncated_geometric:alpha=10", capacity));
  ReplayBuffer per(config("per:alpha=0.6", capacity));
  fill(geometric, 0, capacity + capacity / 3);
  fill(per, 0, capacity + capacity / 3);
  LimitLoop limit(capacity);

  Batch small[3]{uniform.make_batch(256), geometric.make_batch(256), per.make_batch(256)};
  Batch large[2]{uniform.make_batch(32768), geometric.make_batch(32768)};
  std::vector<float> td(256);
  Rng rng(3);
  for (ReplayBuffer* buffer : {&uniform, &geometric, &per}) {
    Batch batch = buffer->make_batch(5000);
    buffer->sample(batch);
    if (!rows_are_right(batch)) {
      std::fprintf(stderr, "a wrong row came out; see mneme check seams\n");
      return 1;
    }
  }

  // a vector step of 64 environments, and the bytes it has to move; both make the step first
  ReplayBuffer vector({.observation = {static_cast<Index>(kObservation)},
                       .action = {static_cast<Index>(kAction)},
                       .capacity = capacity / 64,
                       .streams = static_cast<Index>(kVector)});
  std::vector<float> now(kVector * kObservation), next(now.size()), action(kVector * kAction),
      reward(kVector);
  Pages copied(static_cast<std::size_t>(capacity) * 296);
  std::size_t at = 0;
  const auto step = [&] {
    for (float& x : next) x += 1;
    vector.add_all(
        {.observation = now, .action = action, .reward = reward, .next_observation = next});
    now = next;
  };
  const auto copy = [&] {
    for (float& x : next) x += 1;
    std::memcpy(copied.data() + at, next.data(), kVector * 256);
    std::memcpy(copied.data() + at + kVector * 256, action.data(), kVector * 32);
    std::memcpy(copied.data() + at + kVector * 288, reward.data(), kVector * 4);
    at = (at + kVector * 296) % (copied.bytes() - kVector * 296);
    now = next;
  };

  std::vector<Contestant> all;
  all.push_back({"limit loop, B 256", "row", [&] { limit.run(256); }, 256, -1});
  all.push_back({"uniform, B 256", "row", [&] { uniform.sample(small[0]); }, 256, 0});
  all.push_back({"truncated geometric, B 256", "row", [&] { geometric.sample(small[1]); }, 256, 0});
  all.push_back({"per, B 256", "row", [&] { per.sample(small[2]); }, 256, 0});
  all.push_back({"per with feedback, B 256", "row",
                 [&] {
                   per.sample(small[2]);
                   for (float& x : td) x = static_cast<float>(rng.uniform());
                   per.update_priorities(small[2].id, td);
                 },
                 256, 0});
  all.push_back({"limit loop, B 32768", "row", [&] { limit.run(32768); }, 32768, -1});
  all.push_back({"uniform, B 32768", "row", [&] { uniform.sample(large[0]); }, 32768, 5});
  all.push_back(
      {"truncated geometric, B 32768", "row", [&] { geometric.sample(large[1]); }, 32768, 5});
  all.push_back({"memcpy of 64 rows", "row", copy, kVector, -1});
  all.push_back({"add_all of 64 streams", "row", step, kVector, static_cast<int>(all.size()) - 1});

  for (int round = -2; round < rounds; ++round) {
    for (std::size_t k = 0; k < all.size(); ++k) {
      Contestant& c = all[(k + static_cast<std::size_t>(round + 2)) % all.size()];
      const int repeats = std::max(1, static_cast<int>(32768 / c.items));
      const auto begin = std::chrono::steady_clock::now();
      for (int r = 0; r < repeats; ++r) c.run();
      const std::chrono::duration<double, std::nano> time =
          std::chrono::steady_clock::now() - begin;
      if (round >= 0) c.times.push_back(time.count() / (repeats * c.items));
    }
  }

  std::printf(
      "observation 64 f32, action 8 f32, capacity %lld, wrapped, %d rounds; %.1f bytes per "
      "transition\n\n",
      static_cast<long long>(capacity), rounds, per_row);
  std::printf("%-32s %12s %16s %12s\n", "", "ns per row", "(10-90 %)", "x limit");
  Json json;
  json.begin_object()
      .field("capacity", capacity)
      .field("bytes_per_transition", per_row)
      .key("rows")
      .begin_array();
  for (const Contestant& c : all) {
    std::vector<double> ratios;
    for (std::size_t r = 0; r < c.times.size() && c.limit >= 0; ++r)
      ratios.push_back(c.times[r] / all[static_cast<std::size_t>(c.limit)].times[r]);
    const double ratio = ratios.empty() ? 1 : quantile(ratios, 0.5);
    std::printf("%-32s %12.1f %8.1f-%7.1f %12.2f\n", c.name.c_str(), quantile(c.times, 0.5),
                quantile(c.times, 0.1), quantile(c.times, 0.9), ratio);
    json.begin_object().field("name", c.name).field("ns_per_row", quantile(c.times, 0.5));
    json.field("p10", quantile(c.times, 0.1))
        .field("p90", quantile(c.times, 0.9))
        .field("ratio_to_limit", ratio)
        .end_object();
  }
  // Live diagnostics, on over off: single batches of the same rows in turns. Their lower quartiles
  // are compared, because the difference is smaller than what other work on the machine adds.
  struct Pair {
    const char* name;
    ReplayBuffer* buffer;
    Batch* batch;
    int count;
  };
  json.end_array().key("diagnostics_on_to_off").begin_array();
  std::printf("\nlive diagnostics, on / off\n");
  for (const Pair& pair : {Pair{"uniform, B 256", &uniform, &small[0], 200 * rounds},
                           Pair{"truncated geometric, B 256", &geometric, &small[1], 200 * rounds},
                           Pair{"uniform, B 32768", &uniform, &large[0], 2 * rounds}}) {
    SamplingConfig silent{.sampler = pair.buffer->config().sampler, .diagnostics = false};
    const std::string name = concat("silent ", pair.batch->size);
    ReplayReader readers[2]{pair.buffer->reader(), pair.buffer->add_reader(name, silent)};
    std::vector<double> times[2];
    for (int k = -20; k < 2 * pair.count; ++k) {
      // on off off on: neither always comes first
      const std::size_t which = ((static_cast<unsigned>(k) + 1) >> 1) & 1;
      const auto begin = std::chrono::steady_clock::now();
      readers[which].sample(*pair.batch);
      const std::chrono::duration<double, std::nano> time =
          std::chrono::steady_clock::now() - begin;
      if (k >= 0) times[which].push_back(time.count() / static_cast<double>(pair.batch->size));
    }
    const double on = quantile(times[0], 0.25), off = quantile(times[1], 0.25);
    std::printf("%-32s %12.1f %16.1f %12.3f\n", pair.name, on, off, on / off);
    json.begin_object()
        .field("name", pair.name)
        .field("ns_per_row_on", on)
        .field("ns_per_row_off", off)
        .field("ratio", on / off)
        .end_object();
  }
  json.end_array().end_object();
  if (!json_path.empty()) std::ofstream(json_path) << std::move(json).text() << '\n';
  return 0;
}
