// cli/envs/play.cpp - `mneme envs play`: returns of a policy, or a video.
#include "cli/envs/play.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/json.h"
#include "base/text.h"
#include "cli/options.h"
#include "envs/mujoco/renderer.h"
#include "mneme/error.h"
#include "mneme/vec_env.h"
#include "os/video.h"
#include "run/policy.h"
#include "term/table.h"

namespace mneme::lab {
namespace {

struct Options {
  std::vector<std::string> tasks;
  std::string policy = "random", video, assets;
  int width = 640, height = 480;
  Index episodes = 10, threads = 1;
  std::uint64_t seed = 0;
  bool json = false;
};

struct Result {
  std::string spec;
  TaskInfo task;
  std::vector<double> returns, lengths, successes;  // successes: 0 or 1, at any step
  EnvCounts counts;

  double score() const;
};

double mean(const std::vector<double>& numbers) {
  double sum = 0;
  for (const double number : numbers) sum += number;
  return sum / static_cast<double>(numbers.size());
}

double deviation(const std::vector<double>& numbers) {
  if (numbers.size() < 2) return std::nan("");
  const double middle = mean(numbers);
  double sum = 0;
  for (const double number : numbers) sum += (number - middle) * (number - middle);
  return std::sqrt(sum / static_cast<double>(numbers.size() - 1));
}

double Result::score() const {
  if (task.score_is_success) return mean(successes);
  return (mean(returns) - task.score_low) / (task.score_high - task.score_low);
}

// Environment steps per decision.
double repeat_of(const std::string& spec) {
  const std::size_t at = spec.find("repeat=");
  return at == std::string::npos ? 1 : std::stod(spec.substr(at + 7));
}

std::unique_ptr<Policy> make_policy(const std::string& name, std::uint64_t seed) {
  if (auto scripted = scripted_policy(name, seed)) return scripted;
  std::error_code error;
  if (!std::filesystem::is_directory(name, error))
    throw NotFound(concat("--policy ", name, " is not known; give random, zero, scalar or the ",
                          "directory of a run of mneme train"));
  return trained_policy(name);
}

// One episode, one frame per decision.
void record_video(const Options& o) {
  const auto policy = make_policy(o.policy, o.seed);
  const auto envs = make_vec_env(policy->spec(o.tasks.front()), {.seed = o.seed});
  if (envs->count() != 1 || envs->dtype() != DType::f32)
    throw InvalidArgument("--video takes one task with dtype=f32");
  policy->begin(*envs);
  const auto picture = envs::make_renderer(envs->spec(0), o.width, o.height);
  EnvMemory memory(*envs);
  const auto rows = memory.rows();
  envs->reset(rows);
  Video video(o.video, o.width, o.height, 1 / (picture->step_seconds() * repeat_of(envs->spec(0))));
  std::vector<std::uint8_t> frame(static_cast<std::size_t>(o.width) *
                                  static_cast<std::size_t>(o.height) * 3);
  std::vector<float> actions(static_cast<std::size_t>(envs->action_size()));
  for (;;) {
    picture->draw(envs->physics(0), frame);
    video.add(frame);
    policy->act(rows.observation, actions);
    envs->step(actions, rows);
    if (rows.terminated[0] != 0 || rows.truncated[0] != 0) break;
  }
  video.finish();
}

// One environment per episode: in a shared one, short episodes would count more often.
Result play(const std::string& spec, const Options& o) {
  const auto policy = make_policy(o.policy, o.seed);
  const auto envs =
      make_vec_env(policy->spec(spec), {.count = o.episodes, .threads = o.threads, .seed = o.seed});
  if (envs->dtype() != DType::f32) throw InvalidArgument("envs play needs dtype=f32");
  policy->begin(*envs);
  EnvMemory memory(*envs);
  const auto rows = memory.rows();
  envs->reset(rows);
  const auto episodes = static_cast<std::size_t>(envs->count());
  const auto width = static_cast<std::size_t>(envs->action_size());
  Result result{.spec = envs->spec(0),
                .task = envs->task(0),
                .returns = std::vector<double>(episodes),
                .lengths = std::vector<double>(episodes),
                .successes = std::vector<double>(episodes),
                .counts = {}};
  std::vector<std::uint8_t> done(episodes);
  std::vector<float> actions(episodes * width);
  for (std::size_t left = episodes; left > 0;) {
    policy->act(rows.observation, actions);
    envs->step(actions, rows);
    for (std::size_t env = 0; env < episodes; ++env) {
      if (done[env] != 0) continue;
      result.returns[env] += rows.reward[env];
      result.lengths[env] += 1;
      if (rows.success[env] != 0) result.successes[env] = 1;
      if (rows.terminated[env] != 0 || rows.truncated[env] != 0) {
        done[env] = 1;
        --left;
      }
    }
  }
  result.counts = envs->counts();
  return result;
}

void run(std::ostream& out, const Options& o) {
  if (!o.video.empty()) {
    if (o.tasks.size() != 1) throw InvalidArgument("--video takes one task");
    record_video(o);
    out << "wrote " << o.video << ": one episode of " << o.tasks.front() << '\n';
    return;
  }
  // A set stands for its tasks, one row each.
  std::vector<Result> results;
  const std::vector<std::string> sets = task_set_names();
  for (const std::string& task : o.tasks) {
    const std::size_t colon = std::min(task.find(':'), task.size());
    if (std::find(sets.begin(), sets.end(), task.substr(0, colon)) == sets.end()) {
      results.push_back(play(task, o));
      continue;
    }
    for (const std::string& name : task_set(task.substr(0, colon)))
      results.push_back(play(name + task.substr(colon), o));
  }
  if (o.json) {
    Json json;
    json.begin_object()
        .field("policy", o.policy)
        .field("seed", static_cast<std::int64_t>(o.seed))
        .key("tasks")
        .begin_array();
    for (const Result& r : results) {
      json.begin_object().field("task", r.spec).field("mean", mean(r.returns));
      json.field("deviation", deviation(r.returns))
          .field("score", r.score())
          .field("success", r.task.success.empty() ? std::nan("") : mean(r.successes))
          .field("cuts", static_cast<std::int64_t>(r.counts.cuts));
      json.key("returns").values(r.returns).key("lengths").values(r.lengths).end_object();
    }
    out << std::move(json.end_array().end_object()).text() << '\n';
    return;
  }
  for (const std::string& note : env_notes()) out << wrapped("note: " + note, 2) << '\n';
  Table table({"task", "episodes", "return", "standard error", "deviation", "steps", "score",
               "success", "cut"});
  for (const Result& r : results) {
    const double n = static_cast<double>(r.returns.size()), middle = mean(r.returns);
    table.add({r.spec, number(n), number(middle), number(deviation(r.returns) / std::sqrt(n), 3),
               number(deviation(r.returns), 3), number(mean(r.lengths)), number(r.score(), 3),
               r.task.success.empty() ? "" : number(mean(r.successes), 3),
               number(static_cast<double>(r.counts.cuts))});
  }
  out << table;
  for (const Result& r : results)
    if (r.counts.cuts > 0) out << "cut: " << r.counts.last_cut << '\n';
}

}  // namespace

void add_envs_play(CLI::App* envs, std::ostream& out) {
  CLI::App* command =
      envs->add_subcommand("play", "play episodes of a random, scripted or trained policy");
  auto o = std::make_shared<Options>();
  command->add_option("tasks", o->tasks, "task specs")->required()->type_name("TASK");
  command
      ->add_option(
          "--policy", o->policy,
          "policy: random (uniform actions), scalar (one random number for all actuators), zero, "
          "or the directory of a training run (random)")
      ->type_name("NAME");
  command->add_option("--episodes", o->episodes, "episodes per task (10)")
      ->type_name("N")
      ->check(whole_number(1, 100'000));
  command
      ->add_option("--video", o->video,
                   "write a video of one episode (.y4m; .mp4 and others by ffmpeg)")
      ->type_name("FILE");
  command->add_option("--width", o->width, "width of the video in pixels (640)")
      ->type_name("N")
      ->check(whole_number(1, 16'384));
  command->add_option("--height", o->height, "height of the video in pixels (480)")
      ->type_name("N")
      ->check(whole_number(1, 16'384));
  command->add_option("--threads", o->threads, "threads (1)")
      ->type_name("N")
      ->check(whole_number(1, 4096));
  command->add_option("--seed", o->seed, "seed of environments and actions (0)")
      ->type_name("N")
      ->check(seed_number());
  command->add_flag("--json", o->json, "print JSON with every return");
  command->footer("Example: mneme envs play dmc/walker-run --episodes 20");
  add_assets(command, o->assets);
  command->callback([o, &out] {
    use_assets(o->assets, o->tasks);
    run(out, *o);
  });
}

}  // namespace mneme::lab
