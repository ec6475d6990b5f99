// bench/replay/tree.cpp - the priority tree alone: time per item at the full size. Beside a plain
// binary tree and other sizes: bench_priorities.
#include "priorities/priority_tree.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "base/text.h"
#include "priorities/binary_tree.h"
#include "priorities/line_gather.h"
#include "replay/workload.h"

namespace mneme::bench {
namespace {

std::vector<float> exponential_values(std::size_t count, Rng& rng) {
  std::vector<float> values(count);
  for (float& v : values)
    v = static_cast<float>(std::pow(-std::log(1 - rng.uniform()) + 1e-6, 0.6));
  return values;
}

void check_answers(const PriorityTree& tree, const std::vector<float>& values, Rng& rng) {
  BinaryTree other(tree.capacity());
  other.fill(values);
  std::vector<double> masses(100'000);
  for (double& m : masses) m = rng.uniform() * tree.total();
  std::vector<Index> found(masses.size()), expected(masses.size());
  tree.find(masses, found);
  other.find(masses, expected);
  std::size_t differ = 0;  // a mass on an edge may round to either side
  for (std::size_t k = 0; k < found.size(); ++k) differ += found[k] != expected[k] ? 1 : 0;
  if (differ <= 1) return;
  std::fprintf(stderr, "the tree finds %zu other slots than a binary tree\n", differ);
  std::exit(1);
}

}  // namespace

void measure_tree(const Settings& settings, Report& report) {
  report.section("tree");
  Rng rng(20260);
  PriorityTree tree(settings.capacity);
  LineGather gather(settings.capacity);
  const auto leaves = exponential_values(static_cast<std::size_t>(settings.capacity), rng);
  tree.set_range(0, leaves);
  check_answers(tree, leaves, rng);

  constexpr std::size_t kItems = 1 << 16;
  std::vector<double> masses(kItems);
  std::vector<Index> slots(kItems), found(kItems);
  const std::vector<float> values = exponential_values(kItems, rng);
  const auto renew = [&] {
    for (double& m : masses) m = rng.uniform() * tree.total();
    for (Index& s : slots)
      s = static_cast<Index>(rng.below(static_cast<std::uint64_t>(settings.capacity)));
  };
  volatile double sink = 0;
  for (const std::size_t batch : {std::size_t{256}, std::size_t{1024}}) {
    const auto batches = [&](const auto& use) {
      for (std::size_t at = 0; at < kItems; at += batch)
        use(std::span(masses).subspan(at, batch), std::span(slots).subspan(at, batch),
            std::span(found).subspan(at, batch), std::span(values).subspan(at, batch));
    };
    const auto items = static_cast<double>(kItems);
    std::vector<Contestant> all;
    all.push_back({"find", [&] { batches([&](auto m, auto, auto f, auto) { tree.find(m, f); }); },
                   items, 1, renew});
    all.push_back({"set", [&] { batches([&](auto, auto s, auto, auto v) { tree.set(s, v); }); },
                   items, 1, renew});
    all.push_back({"read the lines of the paths",
                   [&] { batches([&](auto, auto s, auto, auto) { sink = gather.read(s); }); },
                   items, 1, renew});
    all.push_back({"write the lines of the paths",
                   [&] { batches([&](auto, auto s, auto, auto) { gather.write(s, 1.0); }); }, items,
                   1, renew});
    take_turns(all, settings.rounds);
    const auto times = [](const Contestant& a, const Contestant& b) {
      char text[64];
      std::snprintf(text, sizeof text, "%.2g", ratio(a, b).median);
      return concat(text, " times the bare memory accesses");
    };
    report.add({concat("query, B = ", batch, ", per item"), "ns", spread_of(all[0].ns), 50,
                times(all[0], all[2])});
    report.add({concat("update, B = ", batch, ", per item"), "ns", spread_of(all[1].ns), 17,
                times(all[1], all[3])});
  }
}

}  // namespace mneme::bench
