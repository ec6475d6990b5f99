// bench/replay/tasks.cpp - many tasks against one: `per`, 20 streams of a tenth of the usual size.
//
// Two kinds of "one task": as many rows in one stream (the same memory, so what differs is the work
// of 20 trees), and one of the 20 alone (a twentieth of the memory, which caches hold in part).
#include "base/text.h"
#include "replay/workload.h"

namespace mneme::bench {
namespace {

struct Tasks {
  ReplayBuffer buffer;
  ReplayReader reader;
  Batch batch;
  std::vector<float> errors;
  Tasks(Index streams, Index capacity, std::size_t size, Rng& rng)
      : buffer(config("per:alpha=0.6", capacity, streams)),
        reader(buffer.reader()),
        batch(reader.make_batch(size)),
        errors(size) {
    const Index end = fill_wrapped(buffer);
    for (Index s = 0; s < streams; ++s) feed(reader, s, end - capacity, end, rng);
    reader.sample(batch);
    check_rows(batch, "per");
  }
  void sample() { reader.sample(batch); }
  void update(Rng& rng) {
    for (float& x : errors) x = static_cast<float>(rng.uniform());
    reader.update_priorities(batch.id, errors);
  }
};

}  // namespace

void measure_tasks(const Settings& settings, Report& report) {
  report.section("tasks");
  constexpr std::size_t kBatch = 1024;
  const Index each = settings.capacity / 10;
  Rng rng(5);
  Tasks many(20, each, kBatch, rng), same(1, 20 * each, kBatch, rng), alone(1, each, kBatch, rng);
  std::vector<Contestant> all;
  for (Tasks* tasks : {&many, &same, &alone}) {
    all.push_back({"sample", [tasks] { tasks->sample(); }, kBatch, 16});
    all.push_back(
        {"sample and update", [tasks, &rng] { tasks->sample(), tasks->update(rng); }, kBatch, 16});
  }
  take_turns(all, settings.rounds);
  for (const std::size_t work : {std::size_t{0}, std::size_t{1}}) {
    const std::string name = work == 0 ? "sample" : "sample and update";
    report.add({concat("20 x ", each, " rows, B = 1024, ", name, ", against 1 x ", 20 * each), "x",
                ratio(all[work], all[2 + work]), 1.1,
                concat(per_item(all[work], "row"), ", one ", per_item(all[2 + work], "row"))});
    report.add({concat("20 x ", each, " rows, B = 1024, ", name, ", against 1 x ", each), "x",
                ratio(all[work], all[4 + work]), 1.1,
                concat(per_item(all[work], "row"), ", one ", per_item(all[4 + work], "row"))});
  }
}

}  // namespace mneme::bench
