// bench/replay/sampling.cpp - every sampler against the limit loop and against uniform, on the same
// rows.
#include <memory>

#include "base/text.h"
#include "replay/limit_loop.h"

namespace mneme::bench {
namespace {

struct Way {
  std::string name;
  ReplayReader reader;
};

}  // namespace

void measure_sampling(const Settings& settings, Report& report) {
  report.section("sampling");
  ReplayBuffer buffer(config("uniform", settings.capacity));
  const Index end = fill_wrapped(buffer);
  LimitLoop limit(settings.capacity);
  Rng rng(3);

  for (const std::size_t size : {std::size_t{256}, std::size_t{32768}}) {
    // One reader per sampler: they have the rows in common, and so the memory they compete for.
    // And one batch, which is in the caches or not for all of them alike.
    Batch batch = buffer.make_batch(size);
    std::vector<Way> ways;
    const auto add_way = [&](std::string_view name, std::string_view spec) {
      ReplayReader reader =
          buffer.add_reader(concat(name, " ", size), {.sampler = std::string(spec)});
      ways.push_back({std::string(name), reader});
      reader.sample(batch);
      check_rows(batch, ways.back().name.c_str());
    };
    for (const SamplerInfo* info : age_samplers()) add_way(info->name, info->examples[0]);
    add_way("per", "per:alpha=0.6");
    Way& per = ways.back();
    feed(per.reader, 0, end - settings.capacity, end, rng);

    const int repeats = static_cast<int>(32768 / size);
    const auto items = static_cast<double>(size);
    std::vector<Contestant> all;
    all.push_back({"limit loop", [&] { limit.run(batch); }, items, repeats});
    for (Way& way : ways)
      all.push_back({way.name, [&way, &batch] { way.reader.sample(batch); }, items, repeats});
    std::vector<float> errors(size);
    all.push_back({"per, sample and update",
                   [&] {
                     per.reader.sample(batch);
                     for (float& x : errors) x = static_cast<float>(rng.uniform());
                     per.reader.update_priorities(batch.id, errors);
                   },
                   items, repeats});
    take_turns(all, settings.rounds);

    const Contestant &bare = all[0], &uniform = all[1];
    const std::string b = concat(", B = ", size == 256 ? "256" : "32,768");
    report.add({concat("`uniform`", b, ", against the limit loop"), "x", ratio(uniform, bare), 1.25,
                concat(per_item(uniform, "row"), ", limit ", per_item(bare, "row"))});
    for (std::size_t k = 2; k < all.size(); ++k) {
      const bool is_per = all[k].name == "per", updates = k + 1 == all.size();
      const double bar = updates ? 2 : is_per ? 1.6 : 1.05;
      report.add(
          {concat(updates ? std::string("`per`, sample and update") : concat("`", all[k].name, "`"),
                  b, ", against `uniform`"),
           "x", ratio(all[k], uniform), bar, per_item(all[k], "row")});
    }
  }
}

}  // namespace mneme::bench
