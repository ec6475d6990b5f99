// bench/samplers/bench_samplers.cpp - nanoseconds per drawn index for every registered sampler, in
// one interleaved run.
//
//   bench_samplers [--list] [--json FILE] [--rounds N] [--capacity N]
//
// In every round each sampler draws once at each batch size, in rotating order, so that a busy
// neighbor slows all alike. Reported are medians with their 10-90 % spread and the median of the
// paired ratios to uniform. The limit is the generator alone: as many random words as there are
// draws. Answers are checked first: the vector path must draw what the portable path draws. A
// sampler is a contestant by being registered.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "base/cpu.h"
#include "base/json.h"
#include "base/text.h"
#include "mneme/sampler.h"

namespace {

using namespace mneme;

struct Contestant {
  std::string name;
  std::unique_ptr<Sampler> sampler;  // none: the limit
  std::vector<double> times[3];  // per draw at kBatches; the first is the cost of a batch of one
};

constexpr std::size_t kBatches[3]{1, 256, 32768};

double bar_of(const std::string& name) {
  if (name == "uniform") return 2.5;
  if (name == "truncated_geometric") return 5;
  return 10;
}

std::string machine() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

double time_batches(Contestant& c, const BufferView& view, Rng& rng, std::size_t size,
                    std::vector<Index>& out) {
  const std::size_t repeats = size == 1 ? 200 : std::max<std::size_t>(1, 16384 / size);
  const std::span<Index> batch = std::span(out).first(size);
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t k = 0; k < repeats; ++k) {
    if (c.sampler) {
      c.sampler->sample(view, rng, batch);
    } else {
      rng.fill_words({reinterpret_cast<std::uint64_t*>(batch.data()), size});
    }
  }
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
  return time.count() / static_cast<double>(repeats * size);
}

bool answers_agree(Sampler& sampler, const BufferView& view) {
  std::vector<Index> fast(5000), plain(5000);
  Rng one(1), other(1);
  const std::uint64_t batches = sampler.batches();
  sampler.sample(view, one, fast);
  sampler.set_batches(batches);
  detail::force_portable(true);
  sampler.sample(view, other, plain);
  detail::force_portable(false);
  return fast == plain;
}

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1) + 0.5)];
}

double median_ratio(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> ratios;
  for (std::size_t k = 0; k < a.size(); ++k) ratios.push_back(a[k] / b[k]);
  return quantile(ratios, 0.5);
}

}  // namespace

int main(int argc, char** argv) {
  std::string json_path;
  int rounds = 61;
  Index capacity = 1'000'000;
  for (int k = 1; k < argc; ++k) {
    const bool last = k + 1 == argc;
    if (std::strcmp(argv[k], "--list") == 0) {
      for (const SamplerInfo* info : age_samplers()) std::cout << info->name << '\n';
      return 0;
    } else if (std::strcmp(argv[k], "--json") == 0 && !last) {
      json_path = argv[++k];
    } else if (std::strcmp(argv[k], "--rounds") == 0 && !last) {
      rounds = std::max(3, std::atoi(argv[++k]));
    } else if (std::strcmp(argv[k], "--capacity") == 0 && !last) {
      capacity = std::max(2LL, std::atoll(argv[++k]));
    } else {
      std::cerr << "usage: bench_samplers [--list] [--json FILE] [--rounds N] [--capacity N]\n";
      return 2;
    }
  }

  std::vector<Contestant> contestants;
  contestants.push_back({"(generator alone)", nullptr, {}});
  for (const SamplerInfo* info : age_samplers())
    contestants.push_back({std::string(info->name), make_sampler(info->examples[0]), {}});
  const BufferView view{.size = capacity, .capacity = capacity};
  for (Contestant& c : contestants) {
    if (c.sampler && !answers_agree(*c.sampler, view)) {
      std::cerr << c.name << ": the vector path does not draw what the portable path draws\n";
      return 1;
    }
  }

  Rng rng(1);
  std::vector<Index> out(kBatches[2]);
  for (int round = -2; round < rounds; ++round) {  // two to warm up
    for (std::size_t k = 0; k < contestants.size(); ++k) {
      Contestant& c = contestants[(k + static_cast<std::size_t>(round + 2)) % contestants.size()];
      for (std::size_t b = 0; b < 3; ++b) {
        const double time = time_batches(c, view, rng, kBatches[b], out);
        if (round >= 0) c.times[b].push_back(time);
      }
    }
  }

  const char* flags = detail::use_avx2() ? "AVX2 path, -O3 -ffp-contract=off"
                                         : "portable path, -O3 -ffp-contract=off";
  std::printf("%s; GCC-compatible %s; %s; capacity %lld; %d rounds\n\n", machine().c_str(),
              __VERSION__, flags, static_cast<long long>(capacity), rounds);
  std::printf("%-30s %8s %18s %10s %12s %12s %8s\n", "sampler", "batch", "ns per draw", "(10-90 %)",
              "x uniform", "batch of 1", "bar");
  Json json;
  json.begin_object()
      .field("machine", machine())
      .field("compiler", __VERSION__)
      .field("flags", flags);
  json.field("capacity", capacity).field("rounds", rounds).key("rows").begin_array();
  const Contestant& uniform = contestants[1];
  for (const Contestant& c : contestants) {
    for (std::size_t b = 1; b < 3; ++b) {
      const double median = quantile(c.times[b], 0.5), low = quantile(c.times[b], 0.1),
                   high = quantile(c.times[b], 0.9);
      const double ratio = median_ratio(c.times[b], uniform.times[b]),
                   constant = quantile(c.times[0], 0.5);
      std::printf("%-30s %8zu %18.2f %4.2f-%5.2f %12.2f %9.0f ns %8.1f\n", c.name.c_str(),
                  kBatches[b], median, low, high, ratio, constant, bar_of(c.name));
      json.begin_object()
          .field("sampler", c.name)
          .field("batch", kBatches[b])
          .field("ns_per_draw", median);
      json.field("p10", low)
          .field("p90", high)
          .field("ratio_to_uniform", ratio)
          .field("batch_constant_ns", constant);
      json.field("bar_ns", bar_of(c.name)).end_object();
    }
  }
  json.end_array().end_object();
  if (!json_path.empty()) {
    std::ofstream file(json_path);
    file << std::move(json).text() << '\n';
    if (!file) {
      std::cerr << "cannot write " << json_path << '\n';
      return 1;
    }
  }
  return 0;
}
