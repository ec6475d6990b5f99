// cli/run/train.cpp - `mneme train`, `mneme eval`, `mneme export`: options and answers.
#include "cli/commands.h"
#include "mneme/error.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <iostream>

#include "base/json.h"
#include "base/quantity.h"
#include "base/text.h"
#include "cli/options.h"
#include "mneme/rng.h"
#include "os/command_line.h"
#include "os/file.h"
#include "os/interrupt.h"
#include "run/requirements.h"
#include "run/training_loop.h"
#include "term/plot.h"
#include "term/progress.h"
#include "term/table.h"

namespace mneme::lab {
namespace {

struct TrainOptions {
  std::vector<std::string> words;  // agent, then tasks
  std::string preset = "laptop", out, resume, device = "cpu", replay = "disk";
  std::vector<std::string> settings, more;  // by flags of their own, by --set
  std::uint64_t seed = 0;
  Index threads = 1;
  double checkpoint_minutes = 5;
  bool list = false, json = false, tensorboard = false;
  std::vector<std::string> of_new_runs;  // options given that --resume has no use for
};

double mean_score(const std::vector<Evaluation>& results) {
  double sum = 0;
  for (const Evaluation& one : results) sum += one.score;
  return sum / static_cast<double>(results.size());
}

// "12,000 of 50,000  24 %  812 steps/s  47 s left  score 0.31"
std::string status(const Trainer& run, double rate) {
  const Index steps = run.config().settings->run.steps;
  const double left = static_cast<double>(steps - run.steps_done()) / rate;
  std::string text =
      concat(count(static_cast<double>(run.steps_done())), " of ",
             count(static_cast<double>(steps)), " steps  ", 100 * run.steps_done() / steps, " %  ",
             count(std::round(rate)), " steps/s  ", duration_text(left), " left");
  if (!run.last_evaluation().empty())
    text += concat("  score ", rounded(mean_score(run.last_evaluation()), 3));
  return text;
}

void print_evaluation(const std::vector<Evaluation>& results, std::ostream& out) {
  Table table({"task", "return", "+-", "score", "success", "decisions"});
  for (const Evaluation& one : results)
    table.add({one.task, rounded(one.mean_return, 1), rounded(one.deviation, 1),
               rounded(one.score, 3), std::isnan(one.success) ? "-" : rounded(one.success, 2),
               rounded(one.length, 0)});
  out << table;
}

void evaluation_json(Json& json, const std::vector<Evaluation>& results) {
  json.key("evaluation").begin_array();
  for (const Evaluation& one : results)
    json.begin_object()
        .field("task", one.task)
        .field("episodes", one.episodes)
        .field("return", one.mean_return)
        .field("deviation", one.deviation)
        .field("score", one.score)
        .field("success", one.success)
        .field("length", one.length)
        .end_object();
  json.end_array();
}

std::string default_directory(const RunConfig& run) {
  const auto plain = [](std::string text) {
    for (char& c : text)
      if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.') c = '-';
    return text;
  };
  const std::string tasks =
      run.tasks.size() == 1 ? run.tasks.front() : concat(run.tasks.size(), "-tasks");
  return concat("runs/", run.agent, "-", plain(tasks), "-", plain(run.settings->run.sampler), "-s",
                run.seed);
}

// "update 71.2 %, sampling 0.8 %, ..."; largest first, what is in no phase last.
std::string shares(const Trainer& run) {
  std::vector<std::pair<double, std::string_view>> phases;
  double other = run.seconds();
  for (std::size_t k = 0; k < kPhases.size(); ++k) {
    phases.emplace_back(run.timing().all()[k], kPhases[k]);
    other -= run.timing().all()[k];
  }
  std::stable_sort(phases.begin(), phases.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  phases.emplace_back(std::max(0.0, other), "other");
  std::string text;
  for (const auto& [seconds, name] : phases)
    text += concat(text.empty() ? "" : ", ", name, ' ',
                   rounded(100 * seconds / std::max(1e-9, run.seconds()), 1), " %");
  return text;
}

void list_settings(const TrainOptions& o, const RunConfig& run, std::ostream& out) {
  if (o.json) {
    Json json;
    json.begin_object().field("agent", run.agent).field("preset", run.preset);
    json.key("settings").begin_object();
    for (const Field& field : run.settings->list()) json.field(field.name, field.value);
    out << std::move(json.end_object().end_object()).text() << '\n';
    return;
  }
  Table table({"setting", concat(run.agent, ", ", run.preset), ""});
  for (const Field& field : run.settings->list())
    table.add({field.name, field.value.empty() ? "-" : field.value, field.help});
  out << table;
}

// "simbav2 (laptop) on dmc/cartpole-balance, uniform, seed 0".
std::string run_title(const Trainer& run) {
  const RunConfig& config = run.config();
  const std::string tasks =
      config.tasks.size() == 1 ? config.tasks.front() : concat(config.tasks.size(), " tasks");
  return concat(config.agent, " (", config.preset, ") on ", tasks, ", ",
                config.settings->run.sampler, ", seed ", config.seed);
}

// A bar and the scores so far on a terminal, a line per evaluation elsewhere.
class TrainingLine {
 public:
  explicit TrainingLine(const Trainer& run) : since_step_(run.steps_done()) {}

  void show(const Trainer& run, bool evaluated) {
    if (evaluated) {
      scores_.push_back(mean_score(run.last_evaluation()));
      scored_at_ = run.steps_done();
    }
    const bool live = lines_.screen().live;
    if (live ? !lines_.due() : !evaluated) return;
    const Clock::time_point now = Clock::now();
    const std::chrono::duration<double> rate_over = now - since_;
    const double rate =
        static_cast<double>(run.steps_done() - since_step_) / std::max(1e-9, rate_over.count());
    if (live)
      lines_.show(live_lines(run, rate));
    else
      lines_.say(status(run, rate));
    if (rate_over.count() > 10) {  // the rate of the last seconds, not of the warm-up
      since_ = now;
      since_step_ = run.steps_done();
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  std::vector<std::string> live_lines(const Trainer& run, double rate) const {
    const auto steps = static_cast<double>(run.config().settings->run.steps);
    const auto done = static_cast<double>(run.steps_done());
    std::vector<std::string> lines{concat(bar_text(done / steps, 24), "  ", count(done), "/",
                                          count(steps), "  ", count(std::round(rate)), " steps/s  ",
                                          duration_text((steps - done) / rate), " left")};
    if (scores_.empty()) return lines;
    const std::size_t shown = std::min<std::size_t>(scores_.size(), 20);
    lines.push_back(concat(
        "score  ", sparkline({scores_.end() - static_cast<std::ptrdiff_t>(shown), scores_.end()}),
        " ", rounded(scores_.back(), 3), " at ", count(static_cast<double>(scored_at_)), ", best ",
        rounded(*std::max_element(scores_.begin(), scores_.end()), 3)));
    return lines;
  }

  StatusLines lines_;
  std::vector<double> scores_;  // of this process's evaluations
  Index scored_at_ = 0;
  Clock::time_point since_ = Clock::now();
  Index since_step_;
};

std::unique_ptr<Trainer> resumed_run(const TrainOptions& o) {
  if (!o.words.empty())
    throw InvalidArgument("--resume takes no agent and no tasks: the run has its own");
  if (!o.settings.empty() || !o.more.empty())
    throw InvalidArgument("--resume takes no settings: the run continues with its own");
  if (!o.of_new_runs.empty())
    throw InvalidArgument(
        concat("--resume takes no ", o.of_new_runs.front(), ": the run continues with its own"));
  return Trainer::resume(o.resume, o.tensorboard);
}

RunConfig new_run(const TrainOptions& o) {
  if (o.words.empty())
    throw InvalidArgument(
        "which agent? mneme train AGENT TASK..., for example mneme train "
        "simbav2 dmc/cartpole-balance");
  std::vector<std::string> settings = o.settings;
  settings.insert(settings.end(), o.more.begin(), o.more.end());
  RunConfig config =
      resolve_run(o.words.front(), o.preset, {o.words.begin() + 1, o.words.end()}, settings);
  config.seed = o.seed;
  config.device = o.device;
  config.threads = o.threads;
  config.replay = o.replay;
  return config;
}

// A run on disk continues with --resume (kStopped); one in memory cannot.
[[noreturn]] void throw_stopped(const Trainer& run) {
  const std::string at = concat("stopped at step ", run.steps_done());
  const std::string directory = shell_word(run.directory().string());
  if (run.config().replay == "disk")
    throw Interrupted(
        concat(at, "; everything so far is kept. Continue with: mneme train --resume ", directory),
        kStopped);
  throw InterruptGuard::interrupted(concat(at, "; its replay buffer was in memory and is gone. To ",
                                           "evaluate what it learned: mneme eval ", directory));
}

void print_run(const TrainOptions& o, const Trainer& run, std::ostream& out) {
  const std::string directory = run.directory().string();
  if (o.json) {
    Json json;
    json.begin_object().field("directory", directory).field("steps", run.steps_done());
    json.field("updates", run.updates_done()).field("seconds", run.seconds());
    json.key("timing").begin_object();
    for (std::size_t k = 0; k < kPhases.size(); ++k) json.field(kPhases[k], run.timing().all()[k]);
    json.end_object();
    evaluation_json(json, run.last_evaluation());
    out << std::move(json.end_object()).text() << '\n';
    return;
  }
  out << directory << ": " << count(static_cast<double>(run.steps_done())) << " steps, "
      << count(static_cast<double>(run.updates_done())) << " updates, "
      << duration_text(run.seconds()) << '\n'
      << wrapped("time: " + shares(run), 2) << "\n\n";
  print_evaluation(run.last_evaluation(), out);
}

void run_train(const TrainOptions& o, std::ostream& out) {
  // From here on, so that a stop during the start leaves a checkpoint too.
  const InterruptGuard guard(InterruptGuard::Second::exit);
  std::unique_ptr<Trainer> run;
  if (!o.resume.empty()) {
    run = resumed_run(o);
  } else {
    RunConfig config = new_run(o);
    if (o.list) return list_settings(o, config, out);
    const std::string directory = o.out.empty() ? default_directory(config) : o.out;
    check_requirements(config, directory);
    run = Trainer::create(std::move(config), directory, o.tensorboard);
  }
  for (const std::string& note : env_notes()) std::cerr << "mneme: note: " << note << '\n';
  if (!run->resume_note().empty()) std::cerr << "mneme: note: " << run->resume_note() << '\n';
  std::cerr << run_title(*run) << ", " << count(static_cast<double>(run->agent().parameters()))
            << " parameters, in " << run->directory().string() << '\n';
  {
    TrainingLine line(*run);
    train(*run, {.checkpoint_minutes = o.checkpoint_minutes,
                 .stop_requested = InterruptGuard::requested,
                 .on_step = [&](const Trainer& trainer, bool evaluated) {
                   line.show(trainer, evaluated);
                 }});
  }
  if (!run->done()) throw_stopped(*run);
  print_run(o, *run, out);
}

struct EvalOptions {
  std::string directory, file, device = "cpu";
  Index episodes = 10, check = 0;
  std::uint64_t seed = 0;
  bool json = false;
};

void run_eval(const EvalOptions& o, std::ostream& out) {
  prepare_compute(1);
  TrainedAgent trained = load_agent(o.directory, o.device);
  trained.config.seed = o.seed;
  // Initial states that no evaluation of the run itself has seen.
  Evaluator evaluate(trained.config);
  const auto results = evaluate(*trained.agent, o.episodes, std::uint64_t{1} << 40);
  if (o.json) {
    Json json;
    json.begin_object().field("directory", o.directory).field("step", trained.step);
    evaluation_json(json, results);
    out << std::move(json.end_object()).text() << '\n';
    return;
  }
  out << o.directory << " at step " << count(static_cast<double>(trained.step)) << "\n\n";
  print_evaluation(results, out);
}

// Observations with the actions of this program, to be compared with those of the file.
void print_check(const EvalOptions& o, const TrainedAgent& trained, std::ostream& out) {
  const AgentShape& shape = trained.config.shape;
  const auto width = static_cast<std::size_t>(shape.observation());
  std::vector<float> observation(width), action(static_cast<std::size_t>(shape.action()));
  Rng rng(o.seed);
  Json json;
  json.begin_object().field("file", o.file).key("rows").begin_array();
  for (Index row = 0; row < o.check; ++row) {
    for (float& number : observation) number = static_cast<float>(4 * rng.uniform() - 2);
    const std::int32_t task[] = {
        static_cast<std::int32_t>(row % static_cast<Index>(shape.tasks.size()))};
    trained.agent->act({observation, task}, action, Acting::evaluate);
    json.begin_object().field("task", task[0]).key("observation");
    json.values(std::vector<double>(observation.begin(), observation.end())).key("action");
    json.values(std::vector<double>(action.begin(), action.end())).end_object();
  }
  out << std::move(json.end_array().end_object()).text() << '\n';
}

void run_export(const EvalOptions& o, std::ostream& out) {
  prepare_compute(1);
  const TrainedAgent trained = load_agent(o.directory);
  NewFile file(o.file);  // an earlier policy stays whole until this one is
  trained.agent->export_policy(file.temporary().string());
  file.commit();
  if (o.check > 0) return print_check(o, trained, out);
  out << "wrote " << o.file << ": in Python, policy = torch.jit.load(\"" << o.file
      << "\"); action = policy(observation" << (trained.config.tasks.size() > 1 ? ", task" : "")
      << ")\n";
}

}  // namespace

void add_train_command(CLI::App& app, std::ostream& out) {
  auto o = std::make_shared<TrainOptions>();
  CLI::App* command = app.add_subcommand(
      "train", "train an agent on tasks; stop with Ctrl-C, continue with --resume");
  command->footer(
      "  mneme train simbav2 dmc/cartpole-balance                     minutes on one core\n"
      "  mneme train simbav2 dmc/walker-run --sampler truncated_geometric:alpha=10 --out runs/tg\n"
      "  mneme train brc dmc-humanoids --preset laptop --steps 100k\n"
      "  mneme train fasttd3 hb/h1-walk --settings                    everything that can be "
      "--set\n"
      "  mneme train --resume runs/tg\n"
      "Exit code 75: stopped, and --resume continues. A second Ctrl-C ends it without a "
      "checkpoint.");
  command->add_option("agent_and_tasks", o->words, "agent, then tasks or sets of tasks");
  command->add_option("--preset", o->preset, "laptop, paper or upstream")->capture_default_str();
  // Settings with an option of their own.
  const auto setting = [&](const std::string& flag, const std::string& name,
                           const std::string& help) {
    command->add_option_function<std::string>(
        flag, [o, name](const std::string& text) { o->settings.push_back(name + "=" + text); },
        help);
  };
  setting("--sampler,--critic-sampler", "sampler",
          "spec of the replay sampler; see mneme samplers");
  setting("--actor-sampler", "actor_sampler", "spec of a sampler of the actor's own");
  setting("--batch-size", "batch_size", "transitions per update");
  setting("--utd", "utd", "updates per vector step, for example 2 or 1/16");
  setting("--n-step", "n_step", "rewards summed per transition");
  command->add_option_function<std::string>(
      "--steps",
      [o](const std::string& text) {
        o->settings.push_back(concat("steps=", parse_count("--steps", text)));
      },
      "decisions in every environment: 50000, 100k, 1M");
  command->add_option_function<std::string>(
      "--capacity",
      [o](const std::string& text) {
        o->settings.push_back(concat("capacity=", parse_count("--capacity", text)));
      },
      "transitions kept per stream");
  command->add_option("--set", o->more, "any other setting, name=value; see --settings")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_seed(command, "--seed", o->seed, "seed of environments, weights, noise and batches (0)");
  command->add_option("--out", o->out, "directory of the run; runs/... by default");
  command->add_option("--resume", o->resume, "directory of a run to continue");
  command->add_option("--device", o->device, "cpu or cuda")->capture_default_str();
  command
      ->add_option("--threads", o->threads,
                   "threads of environments and tensors; 1 repeats exactly")
      ->capture_default_str()
      ->check(CLI::Range(1, 4096));
  command
      ->add_option("--replay", o->replay, "where the buffer lives: disk, or memory (cannot resume)")
      ->capture_default_str()
      ->check(CLI::IsMember({"disk", "memory"}));
  add_positive(command, "--checkpoint-minutes", o->checkpoint_minutes,
               "minutes between checkpoints (5)");
  command->add_flag("--tensorboard", o->tensorboard,
                    "also write event files, in the run's directory under tensorboard/");
  command->add_flag("--settings", o->list, "list the settings of this run and exit");
  command->add_flag("--json", o->json, "print JSON");
  command->callback([o, command, &out] {
    for (const char* name :
         {"--preset", "--seed", "--out", "--device", "--threads", "--replay", "--settings"})
      if (command->count(name) > 0) o->of_new_runs.emplace_back(name);
    run_train(*o, out);
  });
}

void add_eval_command(CLI::App& app, std::ostream& out) {
  auto o = std::make_shared<EvalOptions>();
  CLI::App* command =
      app.add_subcommand("eval", "returns of a trained policy, without exploration");
  command->footer("  mneme eval runs/tg --episodes 20");
  command->add_option("run", o->directory, "directory of the run")->required();
  command->add_option("--episodes", o->episodes, "episodes per task")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  add_seed(command, "--seed", o->seed,
           "seed of the initial states and of goals that an environment keeps for good (0)");
  command->add_option("--device", o->device, "device of the policy: cpu or cuda")
      ->capture_default_str();
  command->add_flag("--json", o->json, "print JSON");
  command->callback([o, &out] { run_eval(*o, out); });
}

void add_export_command(CLI::App& app, std::ostream& out) {
  auto o = std::make_shared<EvalOptions>();
  CLI::App* command =
      app.add_subcommand("export", "a trained policy as a file that Python's torch.jit.load reads");
  command->footer("  mneme export runs/tg policy.pt");
  command->add_option("run", o->directory, "directory of the run")->required();
  command->add_option("file", o->file, "file to write")->required();
  command->add_option("--check", o->check,
                      "observations to print with the actions the file must give, as JSON");
  command->callback([o, &out] { run_export(*o, out); });
}

}  // namespace mneme::lab
