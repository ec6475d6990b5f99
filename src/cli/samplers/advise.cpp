// cli/samplers/advise.cpp - `mneme advise`: which sampler for a training run, and why.
#include <algorithm>
#include <chrono>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "mneme/advise.h"
#include "term/table.h"

namespace mneme::lab {
namespace {

// Nanoseconds per draw of a sampler in batches as the run would take them, median of 31 batches.
double draw_cost(const std::string& spec, const TrainingRun& run) {
  const auto sampler = make_sampler(spec);
  const Index size = std::min(run.capacity, run.steps);
  Rng rng(1);
  std::vector<Index> batch(static_cast<std::size_t>(
      std::clamp(run.batch / static_cast<double>(run.envs), 16.0, 32768.0)));
  std::vector<double> times(31);
  for (double& time : times) {
    const auto begin = std::chrono::steady_clock::now();
    sampler->sample({.size = size, .capacity = run.capacity}, rng, batch);
    time =
        std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
  }
  std::nth_element(times.begin(), times.begin() + 15, times.end());
  return times[15] / static_cast<double>(batch.size());
}

void write_reasons(Json& json, const char* key, const std::vector<Reason>& reasons) {
  json.key(key).begin_array();
  for (const Reason& reason : reasons)
    json.begin_object().field("text", reason.text).field("evidence", reason.evidence).end_object();
  json.end_array();
}

void print_json(std::ostream& out, const TrainingRun& run, const Advice& a) {
  Json json;
  json.begin_object()
      .field("envs", run.envs)
      .field("updates_per_step", run.updates_per_step)
      .field("batch", run.batch);
  json.field("capacity", run.capacity).field("steps", run.steps);
  json.field("updates_per_transition", a.updates_per_transition)
      .field("replay_volume", a.replay_volume)
      .field("fill", a.fill);
  json.field("total_updates", a.total_updates)
      .field("regime", a.regime)
      .field("per_transition", a.per_transition);
  json.field("nearest_setting", a.nearest_setting)
      .field("uniform_first_use_updates", a.uniform_first_use_updates);
  json.field("uniform_first_use_steps", a.uniform_first_use_steps).field("sampler", a.sampler);
  json.field("first_use_updates", a.first_use_updates).key("over_training").begin_array();
  for (const RunPoint& p : a.over_training) {
    json.begin_object()
        .field("progress", p.progress)
        .field("size", p.size)
        .field("effective_alpha", p.effective_alpha);
    json.field("expected_recency", p.expected_recency)
        .field("first_use_updates", p.first_use_updates)
        .end_object();
  }
  json.end_array();
  write_reasons(json, "reasons", a.reasons);
  write_reasons(json, "cautions", a.cautions);
  out << std::move(json.end_object()).text() << '\n';
}

void print_reasons(std::ostream& out, const std::vector<Reason>& reasons) {
  for (const Reason& reason : reasons)
    out << "  - " << wrapped(concat(reason.text, " [", reason.evidence, "]"), 4) << '\n';
}

void print_text(std::ostream& out, const TrainingRun& run, const Advice& a) {
  out << "recommended sampler: " << a.sampler << '\n';
  print_reasons(out, a.reasons);
  out << "\nregime\n";
  Table table({"", ""});
  table.add({"  in the paper's terms", a.regime});
  table.add({"  per transition", a.per_transition});
  table.add({"  most like", a.nearest_setting});
  table.add(
      {"  buffer", concat(number(100 * a.fill, 4), " % of its capacity collected over the run, ",
                          count(a.total_updates), " updates in all")});
  table.add({"  first use of a new transition",
             concat("uniform: ", count(a.uniform_first_use_updates), " updates (",
                    number(a.uniform_first_use_steps, 4),
                    " steps); recommended: ", count(a.first_use_updates), " updates (",
                    number(a.first_use_updates / run.updates_per_step, 4), " steps)")});
  out << table << "\nover training, with the recommended sampler\n";
  Table points(
      {"  progress", "stored", "effective alpha", "expected_recency", "updates to first use"});
  for (const RunPoint& p : a.over_training)
    points.add({concat(100 * p.progress, " %"), count(static_cast<double>(p.size)),
                number(p.effective_alpha, 4), number(p.expected_recency, 4),
                number(p.first_use_updates, 4)});
  out << points << "\nwhat to keep in mind\n";
  print_reasons(out, a.cautions);
}

}  // namespace

void add_advise_command(CLI::App& app, std::ostream& out) {
  CLI::App* command = app.add_subcommand(
      "advise", "which sampler for your training run, with reasons and their evidence");
  auto run = std::make_shared<TrainingRun>();
  auto json = std::make_shared<bool>(false);
  add_count(command, "--envs", run->envs, "parallel environments or tasks (1)");
  add_ratio(command, "--updates-per-step", run->updates_per_step,
            "gradient updates per step of all environments (1)");
  add_ratio(command, "--batch", run->batch, "transitions per update (256)");
  add_count(command, "--capacity", run->capacity,
            "places in the buffer, per environment or task (1000000)");
  add_count(command, "--steps", run->steps, "steps of the run, per environment (1000000)");
  add_json(command, *json);
  command->footer(
      "Example: mneme advise --envs 128 --updates-per-step 2 --batch 32768 --capacity 51200 "
      "--steps 100k");
  command->callback([run, json, &out] {
    Advice advice = advise(*run);
    const double uniform = draw_cost("uniform", *run), chosen = draw_cost(advice.sampler, *run);
    advice.reasons.push_back(
        {concat("drawing an index costs ", number(chosen, 2), " ns with this sampler and ",
                number(uniform, 2), " ns with uniform on this machine"),
         "measured here"});
    (*json ? print_json : print_text)(out, *run, advice);
  });
}

}  // namespace mneme::lab
