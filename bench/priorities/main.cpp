// bench/priorities/main.cpp - find and set of the priority tree against a binary tree and against
// the memory itself.
//
//   bench_priorities [--json FILE] [--rounds N] [--leaves N]...
//
// Contestants take turns in rotated order on the same work; the table shows the median time per
// item of each and the median of the paired ratios with their 10-90 % range. Answers are compared
// before the clock starts.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <string>

#include "base/json.h"
#include "base/text.h"
#include "priorities/binary_tree.h"
#include "priorities/line_gather.h"
#include "priorities/priority_tree.h"

namespace mneme::bench {
namespace {

constexpr std::size_t kContestants = 3;  // ours, binary, limit
constexpr std::size_t kBatches = 64;     // per turn

// Processor time of this process: what other processes take in between is not counted.
double now() {
  std::timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1) + 0.5)];
}

struct Row {
  std::string work;
  Index leaves;
  std::size_t batch;
  std::array<std::vector<double>, kContestants> ns;  // one per round
  std::vector<double> ratios(std::size_t other) const {
    std::vector<double> r;
    for (std::size_t i = 0; i < ns[0].size(); ++i) r.push_back(ns[0][i] / ns[other][i]);
    return r;
  }
};

struct Work {
  std::vector<double> masses;
  std::vector<Index> slots, found;
  std::vector<float> values;
};

// Priorities as in practice: exponential TD errors to the power 0.6.
std::vector<float> exponential_values(Index count, Rng& rng) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& v : values) {
    v = static_cast<float>(std::pow(-std::log(1 - rng.uniform()) + 1e-6, 0.6));
  }
  return values;
}

// Wrong answers end the program: a fast wrong tree is not a contestant.
void check_answers(const PriorityTree& ours, const BinaryTree& peer, Rng& rng) {
  std::vector<double> masses(100'000);
  for (double& m : masses) m = rng.uniform() * ours.total();
  std::vector<Index> a(masses.size()), b(masses.size());
  ours.find(masses, a);
  peer.find(masses, b);
  std::size_t differ = 0;  // masses on an edge may round to either side
  for (std::size_t i = 0; i < a.size(); ++i) differ += a[i] != b[i] ? 1 : 0;
  const double gap = std::abs(ours.total() - peer.total()) / peer.total();
  if (differ > 1 || gap > 1e-12 || static_cast<double>(ours.minimum()) != peer.minimum()) {
    std::cerr << "wrong answer: " << differ << " slots differ, totals by " << gap << '\n';
    std::exit(1);
  }
}

class Bench {
 public:
  explicit Bench(Index leaves) : leaves_(leaves), tree_(leaves), peer_(leaves), limit_(leaves) {
    const std::vector<float> values = exponential_values(leaves, rng_);
    tree_.set_range(0, values);
    peer_.fill(values);
    check_answers(tree_, peer_, rng_);
  }

  Row measure(const std::string& work, std::size_t batch, std::size_t rounds) {
    Row row{work, leaves_, batch, {}};
    for (std::size_t round = 0; round < rounds + 2; ++round) {
      const Work w = new_work(batch * kBatches);
      for (std::size_t turn = 0; turn < kContestants; ++turn) {
        const std::size_t who = (round + turn) % kContestants;
        const double ns = run(work == "find", who, w, batch) / static_cast<double>(w.slots.size());
        if (round >= 2) row.ns[who].push_back(ns * 1e9);  // two rounds to warm up
      }
    }
    check_answers(tree_, peer_, rng_);
    return row;
  }

 private:
  Work new_work(std::size_t items) {
    Work w;
    w.values = exponential_values(static_cast<Index>(items), rng_);
    for (std::size_t i = 0; i < items; ++i) {
      w.masses.push_back(rng_.uniform() * tree_.total());
      w.slots.push_back(static_cast<Index>(rng_.below(static_cast<std::uint64_t>(leaves_))));
    }
    w.found.resize(items);
    return w;
  }

  double run(bool find, std::size_t who, const Work& w, std::size_t batch) {
    std::vector<Index> found(batch);
    const double start = now();
    for (std::size_t done = 0; done < w.slots.size(); done += batch) {
      const auto slots = std::span(w.slots).subspan(done, batch);
      const auto masses = std::span(w.masses).subspan(done, batch);
      const auto values = std::span(w.values).subspan(done, batch);
      if (find) {
        if (who == 0) tree_.find(masses, found);
        if (who == 1) peer_.find(masses, found);
        if (who == 2) sink_ = limit_.read(slots);
      } else {
        if (who == 0) tree_.set(slots, values);
        if (who == 1) peer_.set(slots, values);
        if (who == 2) limit_.write(slots, static_cast<double>(values[0]));
      }
    }
    return now() - start;
  }

  Index leaves_;
  Rng rng_{20260};
  PriorityTree tree_;
  BinaryTree peer_;
  LineGather limit_;
  volatile double sink_ = 0;
};

std::string machine() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  }
  return "unknown processor";
}

void print(const Row& r) {
  const auto spread = [&](std::size_t other) {
    const std::vector<double> q = r.ratios(other);
    char text[64];
    std::snprintf(text, sizeof text, "%5.2f (%.2f-%.2f)", quantile(q, 0.5), quantile(q, 0.1),
                  quantile(q, 0.9));
    return std::string(text);
  };
  std::printf("%-5s %9lld %6zu  %8.1f %8.1f %8.1f %8.1f   %-20s %s\n", r.work.c_str(),
              static_cast<long long>(r.leaves), r.batch, quantile(r.ns[0], 0.1),
              quantile(r.ns[0], 0.5), quantile(r.ns[1], 0.5), quantile(r.ns[2], 0.5),
              spread(1).c_str(), spread(2).c_str());
  std::fflush(stdout);
}

void write_json(const std::string& path, const std::vector<Row>& rows) {
  static constexpr std::array<const char*, kContestants> kNames{"mneme", "binary_f64", "limit"};
  Json json;
  json.begin_object().field("machine", machine()).field("compiler", __VERSION__);
  json.field("flags", MNEME_BENCH_FLAGS).key("rows").begin_array();
  for (const Row& r : rows) {
    json.begin_object().field("work", r.work).field("leaves", r.leaves).field("batch", r.batch);
    for (std::size_t who = 0; who < kContestants; ++who) {
      json.field(concat(kNames[who], "_ns"), quantile(r.ns[who], 0.5));
      json.field(concat(kNames[who], "_ns_p10"), quantile(r.ns[who], 0.1));
      if (who == 0) continue;
      const std::vector<double> q = r.ratios(who);
      json.key(concat("ratio_to_", kNames[who])).begin_object();
      json.field("median", quantile(q, 0.5)).field("p10", quantile(q, 0.1));
      json.field("p90", quantile(q, 0.9)).end_object();
    }
    json.field("pairs", r.ns[0].size()).end_object();
  }
  json.end_array().end_object();
  std::ofstream(path) << std::move(json).text() << '\n';
}

int run(int argc, char** argv) {
  std::string json;
  std::size_t rounds = 40;
  std::vector<Index> sizes;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view flag = argv[i];
    if (flag == "--json") json = argv[i + 1];
    if (flag == "--rounds") rounds = static_cast<std::size_t>(std::atoll(argv[i + 1]));
    if (flag == "--leaves") sizes.push_back(std::atoll(argv[i + 1]));
  }
  if (sizes.empty()) sizes = {1'000'000, 10'000'000};
  std::printf("%s, compiler %s, %s\n", machine().c_str(), __VERSION__, MNEME_BENCH_FLAGS);
  std::printf("ns per item, medians of %zu rounds; ratios with 10-90 %% range\n", rounds);
  std::printf("%-5s %9s %6s  %8s %8s %8s %8s   %-20s %s\n", "work", "leaves", "batch", "best 10%",
              "mneme", "binary", "limit", "/ binary", "/ limit");
  std::vector<Row> rows;
  for (const Index leaves : sizes) {
    Bench bench(leaves);
    for (const char* work : {"find", "set"}) {
      for (const std::size_t batch : {std::size_t{256}, std::size_t{1024}}) {
        rows.push_back(bench.measure(work, batch, rounds));
        print(rows.back());
      }
    }
  }
  if (!json.empty()) write_json(json, rows);
  return 0;
}

}  // namespace
}  // namespace mneme::bench

int main(int argc, char** argv) { return mneme::bench::run(argc, argv); }
