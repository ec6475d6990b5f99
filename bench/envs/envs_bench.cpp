// bench/envs/envs_bench.cpp - `mneme envs bench`: steps per second against bare mj_step of the same model
// and against other implementations of the same tasks, all in one run.
//
// Short measurements are interleaved in rotating order and compared by paired ratios, so that load of
// the machine affects all contestants alike. One thread is measured in processor time; several
// threads in wall time, which needs as many free cores. Bare loops of mj_step on several threads show
// what the machine can give.
#include "bench/envs/envs_bench.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>
#include <functional>
#include <map>
#include <thread>

#include "base/json.h"
#include "base/text.h"
#include "bench/harness/peer.h"
#include "envs/measure.h"
#include "envs/mujoco/version.h"
#include "mneme/error.h"
#include "mneme/rng.h"
#include "mneme/vec_env.h"
#include "term/table.h"

namespace mneme::lab {
namespace {

using Options = EnvsBench;

// ---------------------------------------------------------------- contestants

double wall_clock() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
double thread_clock() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

using Seconds = Peer::Seconds;
template <class F>
Seconds seconds_of(F&& work) {
  const double wall = wall_clock(), thread = thread_clock();
  work();
  return {wall_clock() - wall, thread_clock() - thread};
}

struct Contestant {
  Index size = 0;                       // environments
  std::function<Seconds(Index)> run;    // so many steps of each
  Index steps = 1;                      // that fill the time of a spell
  std::vector<double> wall, processor;  // steps per second, one entry per round
};

class Native {
 public:
  Native(const std::string& spec, Index count, Index threads)
      : envs_(make_vec_env(spec, {.count = count, .threads = threads, .seed = 1})),
        memory_(*envs_),
        actions_(static_cast<std::size_t>(envs_->count() * envs_->action_size())) {
    envs_->reset(memory_.rows());
  }
  Index size() const { return envs_->count(); }
  std::string keys() const {
    std::string names;
    for (const ObservationKey& key : envs_->keys(0)) names += (names.empty() ? "" : ",") + key.name;
    return names;
  }

  void run(Index steps) {
    for (Index step = 0; step < steps; ++step) {
      draw();
      envs_->step(actions_, memory_.rows());
    }
  }

  // One episode of every environment, for difference().
  Episodes play(Index substeps) {
    const auto rows = memory_.rows();
    const auto count = static_cast<std::size_t>(envs_->count());
    const auto width = static_cast<std::size_t>(envs_->observation_size());
    Episodes result{.observation = envs_->observation_size(),
                    .action = envs_->action_size(),
                    .steps = 0,
                    .substeps = substeps,
                    .returns = std::vector<double>(count),
                    .motion = std::vector<double>(count)};
    envs_->reset(rows);
    std::vector<float> before(rows.observation.begin(), rows.observation.end());
    std::vector<std::uint8_t> done(count);
    Index ended = 0;   // the step in which the last one did
    bool same = true;  // all in the same step
    for (std::size_t left = count; left > 0; ++result.steps) {
      draw();
      envs_->step(actions_, rows);
      for (std::size_t env = 0; env < count; ++env) {
        if (done[env] != 0) continue;
        result.returns[env] += rows.reward[env];
        for (std::size_t i = env * width; i < (env + 1) * width; ++i)
          result.motion[env] += std::abs(rows.final_observation[i] - before[i]);
        if (rows.terminated[env] == 0 && rows.truncated[env] == 0) continue;
        result.motion[env] /= static_cast<double>(result.steps + 1);
        same = same && (left == count || ended == result.steps);
        ended = result.steps;
        done[env] = 1;
        --left;
      }
      std::copy(rows.observation.begin(), rows.observation.end(), before.begin());
    }
    if (!same) result.steps = 0;
    return result;
  }

 private:
  void draw() {
    for (float& action : actions_) action = static_cast<float>(2 * rng_.uniform() - 1);
  }
  std::unique_ptr<VecEnv> envs_;
  EnvMemory memory_;
  std::vector<float> actions_;
  Rng rng_{3};
};

// ---------------------------------------------------------------- one task

struct Ratio {
  double median = std::nan(""), low = std::nan(""), high = std::nan("");  // quartiles
};

double quantile(std::vector<double> numbers, double q) {
  if (numbers.empty()) return std::nan("");
  std::sort(numbers.begin(), numbers.end());
  return numbers[static_cast<std::size_t>(q * static_cast<double>(numbers.size() - 1) + 0.5)];
}

Ratio ratio(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) ratios.push_back(a[i] / b[i]);
  return {quantile(ratios, 0.5), quantile(ratios, 0.25), quantile(ratios, 0.75)};
}

// The best round of each, which other programs disturbed least.
double best(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.empty() || b.empty()) return std::nan("");
  return *std::max_element(a.begin(), a.end()) / *std::max_element(b.begin(), b.end());
}

struct PeerRow {
  std::string name, version;
  std::string absent, wrong;  // why it is not timed: it has no such task; it has another task
  double one = std::nan(""), many = std::nan("");  // steps per second; many: of wall time
  Ratio to_one, to_many;                           // ours over theirs
};

struct Row {
  std::string task;
  double one = 0, many = 0, raw = std::nan("");
  Ratio to_raw, speedup, raw_speedup;
  double speedup_best = 0, raw_speedup_best = std::nan("");
  std::vector<PeerRow> peers;
};

using Peers = std::vector<std::pair<std::unique_ptr<Peer>, std::unique_ptr<Peer>>>;  // one, many

void contest(std::vector<Contestant*> contestants, const Options& o) {
  // Steps that fill the given time.
  for (Contestant* c : contestants)
    while (c->run(c->steps).wall < o.seconds) c->steps *= 2;
  for (Index round = 0; round < o.pairs; ++round) {
    std::rotate(contestants.begin(), contestants.begin() + 1, contestants.end());
    for (Contestant* c : contestants) {
      const Seconds seconds = c->run(c->steps);
      const auto total = static_cast<double>(c->steps * c->size);
      c->wall.push_back(total / seconds.wall);
      c->processor.push_back(total / seconds.processor);
    }
  }
  // Rounds began with another contestant each; entries of a vector are still one per round.
}

Row measure(const std::string& task, const Options& o, const Peers& peers) {
  Row row{.task = task, .to_raw = {}, .speedup = {}, .raw_speedup = {}, .peers = {}};
  Native one(task, o.count, 1), many(task, o.count, o.threads);
  const auto native = [](Native& envs) {
    return Contestant{.size = envs.size(),
                      .run = [&](Index n) { return seconds_of([&] { envs.run(n); }); },
                      .wall = {},
                      .processor = {}};
  };
  std::map<std::string, Contestant> all;
  all["one"] = native(one);
  all["many"] = native(many);

  // Bare physics: on this thread, and as many loops of it as there are threads.
  std::vector<std::unique_ptr<envs::RawPhysics>> bare;
  for (Index i = 0; i <= o.threads; ++i) bare.push_back(envs::make_raw_physics(task, o.count));
  Index substeps = 1;
  if (bare.front() != nullptr) {
    substeps = bare.front()->substeps();
    all["raw"] = {.size = o.count,
                  .run = [&](Index n) { return seconds_of([&] { bare.front()->run(n); }); },
                  .wall = {},
                  .processor = {}};
    all["raw many"] = {.size = o.count * o.threads,
                       .run =
                           [&](Index n) {
                             return seconds_of([&] {
                               std::vector<std::jthread> threads;
                               for (std::size_t i = 1; i < bare.size(); ++i)
                                 threads.emplace_back([&bare, i, n] { bare[i]->run(n); });
                             });
                           },
                       .wall = {},
                       .processor = {}};
  }

  // Checked before it is timed: a peer that runs another task is wrong, not fast.
  Episodes ours;
  for (const auto& [single, several] : peers) {
    PeerRow peer{.name = single->name(),
                 .version = {},
                 .absent = {},
                 .wrong = {},
                 .to_one = {},
                 .to_many = {}};
    if (!single->take(task, o.count, 1, one.keys())) {
      peer.absent = single->why();
    } else {
      peer.version = single->version();
      if (ours.returns.empty()) ours = many.play(substeps);
      peer.wrong = difference(ours, single->play());
      const auto enter = [&](const std::string& name, Peer* contestant) {
        all[name] = {.size = contestant->size(),
                     .run = [contestant](Index n) { return contestant->run(n); },
                     .wall = {},
                     .processor = {}};
      };
      if (peer.wrong.empty()) {
        enter("one " + peer.name, single.get());
        if (several->take(task, o.count, o.threads, one.keys()))
          enter("many " + peer.name, several.get());
      }
    }
    row.peers.push_back(std::move(peer));
  }

  std::vector<Contestant*> contestants;
  for (auto& [name, contestant] : all) contestants.push_back(&contestant);
  contest(std::move(contestants), o);

  row.one = quantile(all["one"].processor, 0.5);
  row.many = quantile(all["many"].wall, 0.5);
  row.raw = quantile(all["raw"].processor, 0.5);
  row.to_raw = ratio(all["one"].processor, all["raw"].processor);
  row.speedup = ratio(all["many"].wall, all["one"].wall);
  row.speedup_best = best(all["many"].wall, all["one"].wall);
  row.raw_speedup = ratio(all["raw many"].wall, all["raw"].wall);
  row.raw_speedup_best = best(all["raw many"].wall, all["raw"].wall);
  for (PeerRow& peer : row.peers) {
    const Contestant &single = all["one " + peer.name], &several = all["many " + peer.name];
    peer.one = quantile(single.processor, 0.5);
    peer.many = quantile(several.wall, 0.5);
    peer.to_one = ratio(all["one"].processor, single.processor);
    peer.to_many = ratio(all["many"].wall, several.wall);
  }
  return row;
}

// ---------------------------------------------------------------- report

// Load average of the last minute, this program included; nothing without Linux.
double load() {
  double minute = std::nan("");
  std::ifstream("/proc/loadavg") >> minute;
  return minute;
}

std::string processor() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.rfind("model name", 0) == 0 && line.find(':') + 2 < line.size())
      return line.substr(line.find(':') + 2);
  return "unknown processor";
}

void put(Json& json, std::string_view name, const Ratio& ratio) {
  json.key(name)
      .begin_object()
      .field("median", ratio.median)
      .field("lower_quartile", ratio.low)
      .field("upper_quartile", ratio.high)
      .end_object();
}

void report_json(std::ostream& out, const Options& o, const std::vector<Row>& rows,
                 double load_before) {
  Json json;
  json.begin_object()
      .field("machine", processor())
      .field("mujoco", envs::mujoco_version())
      .field("threads", o.threads)
      .field("count", o.count)
      .field("rounds", o.pairs)
      .field("seconds", o.seconds)
      .field("cores", std::thread::hardware_concurrency())
      .field("load_before", load_before)
      .field("load_after", load())
      .key("tasks")
      .begin_array();
  for (const Row& row : rows) {
    json.begin_object()
        .field("task", row.task)
        .field("steps_per_second", row.one)
        .field("steps_per_second_threads", row.many)
        .field("raw_steps_per_second", row.raw);
    put(json, "to_raw", row.to_raw);
    put(json, "speedup", row.speedup);
    json.field("speedup_best", row.speedup_best);
    put(json, "raw_speedup", row.raw_speedup);
    json.field("raw_speedup_best", row.raw_speedup_best).key("peers").begin_array();
    for (const PeerRow& peer : row.peers) {
      json.begin_object()
          .field("name", peer.name)
          .field("version", peer.version)
          .field("absent", peer.absent)
          .field("wrong", peer.wrong)
          .field("steps_per_second", peer.one)
          .field("steps_per_second_threads", peer.many);
      put(json, "times", peer.to_one);
      put(json, "times_threads", peer.to_many);
      json.end_object();
    }
    json.end_array().end_object();
  }
  out << std::move(json.end_array().end_object()).text() << '\n';
}

void report_text(std::ostream& out, const Options& o, const std::vector<Row>& rows) {
  std::vector<std::string> header = {
      "task", "steps/s", "of raw", concat(o.threads, " threads"), "times one", "best", "raw's"};
  const bool peers = !rows.empty() && !rows.front().peers.empty();
  if (peers)
    for (const PeerRow& peer : rows.front().peers) {
      header.push_back("x " + peer.name);
      header.push_back(concat(o.threads, " threads"));
    }
  Table table(header);
  std::vector<std::string> remarks;
  for (const Row& row : rows) {
    std::vector<std::string> cells = {row.task,
                                      count(std::round(row.one)),
                                      number(row.to_raw.median, 3),
                                      count(std::round(row.many)),
                                      number(row.speedup.median, 3),
                                      number(row.speedup_best, 3),
                                      number(row.raw_speedup_best, 3)};
    for (const PeerRow& peer : row.peers) {
      cells.push_back(number(peer.to_one.median, 3));
      cells.push_back(number(peer.to_many.median, 3));
      if (!peer.wrong.empty())
        remarks.push_back(concat(row.task, ": ", peer.name, " runs something else: ", peer.wrong));
      if (!peer.absent.empty())
        remarks.push_back(concat(row.task, ": no ", peer.name, ": ", peer.absent));
    }
    table.add(std::move(cells));
  }
  for (const std::string& note : env_notes()) out << wrapped("note: " + note, 2) << '\n';
  out << table << '\n';
  for (const std::string& remark : remarks) out << wrapped(remark, 2) << '\n';
  out << wrapped(
             concat("Control steps per second of processor time, with threads of wall time; ",
                    o.count, " environments, medians of ", o.pairs,
                    " interleaved rounds. best: the best round of each; raw's: the same of bare "
                    "mj_step, which is all this machine can give. Load ",
                    number(load(), 3), "."),
             0)
      << '\n';
  if (!peers) out << "dm_control and EnvPool beside it: scripts/bench envs, which installs them.\n";
}

}  // namespace

void bench_envs(std::ostream& out, const EnvsBench& o) {
  if (o.threads < 1 || o.count < 1 || o.pairs < 1 || !(o.seconds > 0))
    throw InvalidArgument("--threads, --count, --pairs and --seconds must be positive");
  Peers peers;
  for (const std::string& peer : o.peers) {
    const std::size_t equals = peer.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == peer.size())
      throw InvalidArgument(concat("--peer ", peer, "; give NAME=COMMAND, as scripts/bench does"));
    const std::string name = peer.substr(0, equals), command = peer.substr(equals + 1);
    peers.emplace_back(std::make_unique<Peer>(name, command),
                       std::make_unique<Peer>(name, command));
  }
  const double load_before = load();
  std::vector<Row> rows;
  for (const std::string& task : o.tasks) rows.push_back(measure(task, o, peers));
  o.json ? report_json(out, o, rows, load_before) : report_text(out, o, rows);
}

}  // namespace mneme::lab
