// cli/run/train.cpp - `mneme train`, `mneme eval`, `mneme export`: one run from its first step
// to a file Python loads.
#include "cli/commands.h"
#include "mneme/error.h"

#include <unistd.h>
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iostream>

#include "base/json.h"
#include "base/quantity.h"
#include "base/text.h"
#include "cli/options.h"
#include "mneme/rng.h"
#include "os/write_file.h"
#include "run/trainer.h"
#include "study/estimate.h"
#include "term/progress.h"
#include "term/table.h"

namespace mneme::lab {
namespace {

// Set by Ctrl-C: the step under way is finished, a checkpoint written, and only then the end.
volatile std::sig_atomic_t interrupted = 0;

class CatchInterrupt {
 public:
  CatchInterrupt() {
    interrupted = 0;
    before_ = std::signal(SIGINT, [](int) { interrupted = 1; });
    before_term_ = std::signal(SIGTERM, [](int) { interrupted = 1; });
  }
  ~CatchInterrupt() {
    std::signal(SIGINT, before_);
    std::signal(SIGTERM, before_term_);
  }
  CatchInterrupt(const CatchInterrupt&) = delete;
  CatchInterrupt& operator=(const CatchInterrupt&) = delete;

 private:
  void (*before_)(int);
  void (*before_term_)(int);
};

struct TrainOptions {
  std::vector<std::string> words;  // agent, then tasks
  std::string preset = "laptop", out, resume, device = "cpu", replay = "disk";
  std::vector<std::string> settings, more;  // by flags of their own, by --set
  Index seed = 0, threads = 1;
  double checkpoint_minutes = 5;
  bool list = false, json = false, tensorboard = false;
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

// True when it reached its end, false when somebody stopped it.
bool train(Trainer& run, double checkpoint_minutes) {
  using Clock = std::chrono::steady_clock;
  const CatchInterrupt guard;
  const bool terminal = isatty(STDERR_FILENO) != 0;
  Clock::time_point shown = Clock::now(), saved = shown, since = shown;
  Index since_step = run.steps_done();
  while (!run.done() && interrupted == 0) {
    const Index before = run.evaluations_done();
    run.step();
    const Clock::time_point now = Clock::now();
    const std::chrono::duration<double> last_shown = now - shown, last_saved = now - saved,
                                        rate_over = now - since;
    const bool evaluated = run.evaluations_done() != before;
    if (terminal ? last_shown.count() > 0.2 : evaluated) {
      const double rate =
          static_cast<double>(run.steps_done() - since_step) / std::max(1e-9, rate_over.count());
      std::cerr << (terminal ? "\r" : "") << status(run, rate) << (terminal ? "\033[K" : "\n")
                << std::flush;
      shown = now;
      if (rate_over.count() > 10) {  // the rate of the last seconds, not of the warm-up
        since = now;
        since_step = run.steps_done();
      }
    }
    if (last_saved.count() > 60 * checkpoint_minutes) {
      run.save();
      saved = Clock::now();
    }
  }
  if (terminal) std::cerr << "\r\033[K" << std::flush;
  run.save();
  return run.done();
}

void run_train(const TrainOptions& o, std::ostream& out) {
  std::unique_ptr<Trainer> run;
  std::string directory = o.resume;
  if (!o.resume.empty()) {
    if (!o.words.empty())
      throw InvalidArgument("--resume takes no agent and no tasks: the run has its own");
    if (!o.settings.empty() || !o.more.empty())
      throw InvalidArgument("--resume takes no settings: the run goes on with its own");
    run = Trainer::resume(o.resume, o.tensorboard);
  } else {
    if (o.words.empty())
      throw InvalidArgument(
          "which agent? mneme train AGENT TASK..., for example mneme train "
          "simbav2 dmc/cartpole-balance");
    std::vector<std::string> settings = o.settings;
    settings.insert(settings.end(), o.more.begin(), o.more.end());
    RunConfig config =
        resolve_run(o.words.front(), o.preset, {o.words.begin() + 1, o.words.end()}, settings);
    config.seed = static_cast<std::uint64_t>(o.seed);
    config.device = o.device;
    config.threads = o.threads;
    config.replay = o.replay;
    if (o.list) return list_settings(o, config, out);
    directory = o.out.empty() ? default_directory(config) : o.out;
    check_needs(config, directory);
    run = Trainer::create(std::move(config), directory, o.tensorboard);
  }
  for (const std::string& note : env_notes()) std::cerr << "mneme: note: " << note << '\n';
  if (!run->resume_note().empty()) std::cerr << "mneme: note: " << run->resume_note() << '\n';
  std::cerr << run->config().agent << " (" << run->config().preset << "), "
            << run->agent().parameters() << " parameters, in " << directory << '\n';
  const bool done = train(*run, o.checkpoint_minutes);
  if (!done)
    throw IoError(concat("stopped at step ", run->steps_done(),
                         run->config().replay == "disk"
                             ? "; everything so far is kept. Go on with: mneme train --resume "
                             : "; its replay buffer was in memory and is gone. What it learned can "
                               "be looked at: mneme eval ",
                         directory));
  if (o.json) {
    Json json;
    json.begin_object().field("directory", directory).field("steps", run->steps_done());
    json.field("updates", run->updates_done()).field("seconds", run->seconds());
    json.key("timing").begin_object();
    for (std::size_t k = 0; k < kPhases.size(); ++k) json.field(kPhases[k], run->timing().all()[k]);
    json.end_object();
    evaluation_json(json, run->last_evaluation());
    out << std::move(json.end_object()).text() << '\n';
    return;
  }
  out << directory << ": " << count(static_cast<double>(run->steps_done())) << " steps, "
      << count(static_cast<double>(run->updates_done())) << " updates, "
      << duration_text(run->seconds()) << '\n'
      << wrapped("time: " + shares(*run), 2) << "\n\n";
  print_evaluation(run->last_evaluation(), out);
}

struct EvalOptions {
  std::string directory, file;
  Index episodes = 10, seed = 0, check = 0;
  bool json = false;
};

void run_eval(const EvalOptions& o, std::ostream& out) {
  prepare_compute(1);
  TrainedAgent trained = load_agent(o.directory);
  trained.config.seed = static_cast<std::uint64_t>(o.seed);
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

// Observations with the actions this program has for them, to hold against the file's.
void print_check(const EvalOptions& o, const TrainedAgent& trained, std::ostream& out) {
  const AgentShape& shape = trained.config.shape;
  const auto width = static_cast<std::size_t>(shape.observation());
  std::vector<float> observation(width), action(static_cast<std::size_t>(shape.action()));
  Rng rng(static_cast<std::uint64_t>(o.seed));
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
  write_file_with(o.file, [&](const std::filesystem::path& file) {
    trained.agent->export_policy(file.string());
  });
  if (o.check > 0) return print_check(o, trained, out);
  out << "wrote " << o.file << ": in Python, policy = torch.jit.load(\"" << o.file
      << "\"); action = policy(observation" << (trained.config.tasks.size() > 1 ? ", task" : "")
      << ")\n";
}

}  // namespace

void add_train_command(CLI::App& app, std::ostream& out) {
  auto o = std::make_shared<TrainOptions>();
  CLI::App* command =
      app.add_subcommand("train", "train an agent on tasks; stop with Ctrl-C, go on with --resume");
  command->footer(
      "  mneme train simbav2 dmc/cartpole-balance                     minutes on one core\n"
      "  mneme train simbav2 dmc/walker-run --sampler truncated_geometric:alpha=10 --out runs/tg\n"
      "  mneme train brc dmc-humanoids --preset laptop --steps 100k\n"
      "  mneme train fasttd3 hb/h1-walk --settings                    everything that can be "
      "--set\n"
      "  mneme train --resume runs/tg");
  command->add_option("agent_and_tasks", o->words, "an agent, then tasks or sets of tasks");
  command->add_option("--preset", o->preset, "laptop, paper or upstream")->capture_default_str();
  // Settings people change most, by flags of their own.
  const auto setting = [&](const std::string& flag, const std::string& name,
                           const std::string& help) {
    command->add_option_function<std::string>(
        flag, [o, name](const std::string& text) { o->settings.push_back(name + "=" + text); },
        help);
  };
  setting("--sampler,--critic-sampler", "sampler",
          "spec of the replay sampler; see mneme samplers");
  setting("--actor-sampler", "actor_sampler", "spec of a sampler of the actor's own");
  setting("--batch", "batch", "transitions per update");
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
  command->add_option("--seed", o->seed, "of environments, weights, noise and batches")
      ->capture_default_str();
  command->add_option("--out", o->out, "the run's directory; runs/... by default");
  command->add_option("--resume", o->resume, "go on with the run in this directory");
  command->add_option("--device", o->device, "cpu or cuda")->capture_default_str();
  command->add_option("--threads", o->threads, "of environments and tensors; 1 repeats exactly")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("--replay", o->replay, "disk, or memory: no resume then")
      ->capture_default_str()
      ->check(CLI::IsMember({"disk", "memory"}));
  command->add_option("--checkpoint-minutes", o->checkpoint_minutes, "between checkpoints")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_flag("--tensorboard", o->tensorboard,
                    "also write event files, in the run's directory under tensorboard/");
  command->add_flag("--settings", o->list, "list the settings of this run and stop");
  command->add_flag("--json", o->json, "for machines");
  command->callback([o, &out] { run_train(*o, out); });
}

void add_eval_command(CLI::App& app, std::ostream& out) {
  auto o = std::make_shared<EvalOptions>();
  CLI::App* command =
      app.add_subcommand("eval", "returns of a trained policy, without exploration");
  command->footer("  mneme eval runs/tg --episodes 20");
  command->add_option("run", o->directory, "the run's directory")->required();
  command->add_option("--episodes", o->episodes, "of each task")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--seed", o->seed,
                   "of the initial states; also of goals that an environment keeps for good")
      ->capture_default_str();
  command->add_flag("--json", o->json, "for machines");
  command->callback([o, &out] { run_eval(*o, out); });
}

void add_export_command(CLI::App& app, std::ostream& out) {
  auto o = std::make_shared<EvalOptions>();
  CLI::App* command =
      app.add_subcommand("export", "a trained policy as a file that Python's torch.jit.load reads");
  command->footer("  mneme export runs/tg policy.pt");
  command->add_option("run", o->directory, "the run's directory")->required();
  command->add_option("file", o->file, "to write")->required();
  command->add_option("--check", o->check,
                      "print so many observations with the actions the file must give, as JSON");
  command->callback([o, &out] { run_export(*o, out); });
}

}  // namespace mneme::lab
