// bench/agents/agents_bench.cpp - `mneme bench agents`: milliseconds per update against the bare matrix
// products of that update and against the original's own update, and what the sampler adds to it.
//
// Contestants take turns in spells of a twentieth of a second or one update, the order rotating,
// and are compared by paired ratios: what else the machine does hits all of them alike. On one
// thread the processor's time counts, with several the wall clock. After every spell one batch is
// drawn and fed back, by another sampler each time, so that no sampler finds its rows in a cache.
#include "bench/agents/agents_bench.h"

#include <unistd.h>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>

#include "base/json.h"
#include "base/text.h"
#include "bench/agents/cases.h"
#include "bench/harness/peer.h"
#include "mneme/error.h"
#include "mneme/replay_buffer.h"
#include "mneme/rng.h"
#include "os/file.h"
#include "term/table.h"

namespace mneme::lab {
namespace {

constexpr double kSpell = 0.05;  // seconds
constexpr Index kRows = 200'000;
constexpr std::array<const char*, 4> kSamplers{"uniform", "truncated_geometric", "ere", "per"};

using Options = AgentsBench;

// ---------------------------------------------------------------- clocks

double wall_clock() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
double read_clock(clockid_t which) {
  timespec now{};
  clock_gettime(which, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Since this process was started: its libraries are loaded by now.
double process_seconds() {
  std::ifstream in("/proc/self/stat");
  std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::size_t end = text.rfind(')');
  if (end == std::string::npos) return std::nan("");
  std::istringstream words(text.substr(end + 1));
  std::string word;
  for (int k = 0; k < 20; ++k) words >> word;  // the 22nd number: ticks after the machine's start
  return read_clock(CLOCK_BOOTTIME) - std::stod(word) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

struct Spread {
  double median = std::nan(""), low = std::nan(""), high = std::nan("");  // quartiles
};

Spread spread(std::vector<double> numbers) {
  if (numbers.empty()) return {};
  std::sort(numbers.begin(), numbers.end());
  const auto at = [&](double q) {
    return numbers[static_cast<std::size_t>(q * static_cast<double>(numbers.size() - 1) + 0.5)];
  };
  return {at(0.5), at(0.25), at(0.75)};
}

Spread ratio(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> ratios;
  for (std::size_t k = 0; k < a.size() && k < b.size(); ++k) ratios.push_back(a[k] / b[k]);
  return spread(std::move(ratios));
}

// ---------------------------------------------------------------- contestants

struct Contestant {
  std::function<double(Index)> run;  // seconds of so many updates
  Index updates = 1;                 // that fill a spell
  std::vector<double> ms;            // of one update, one entry per round
};

// A buffer of uniform noise with episodes of a hundred steps: what is in the rows costs nothing.
ReplayBuffer filled_buffer(const AgentConfig& config, const AgentShape& shape) {
  const Index streams = shape.streams();
  const Index capacity = std::min(config.run.capacity, std::max<Index>(1, kRows / streams));
  ReplayBuffer buffer({.observation = {shape.observation()},
                       .action = {shape.action()},
                       .capacity = capacity,
                       .streams = streams,
                       .stream_policy = config.run.stream_policy,
                       .n_step = config.run.n_step,
                       .discount = config.run.discount,
                       .horizon = config.run.horizon == "clip" ? Horizon::clip : Horizon::full,
                       .seed = 1});
  for (const char* sampler : kSamplers)
    buffer.add_reader(sampler, {.sampler = sampler,
                                .stream_policy = config.run.stream_policy,
                                .n_step = config.run.n_step,
                                .discount = config.run.discount,
                                .horizon = buffer.config().horizon,
                                .seed = 1});
  Rng rng(5);
  const auto fill = [&](std::vector<float>& numbers) {
    for (float& one : numbers) one = static_cast<float>(2 * rng.uniform() - 1);
  };
  const auto rows = static_cast<std::size_t>(streams);
  std::vector<float> now(rows * static_cast<std::size_t>(shape.observation())), next = now;
  std::vector<float> action(rows * static_cast<std::size_t>(shape.action())), reward(rows);
  std::vector<std::uint8_t> terminated(rows), truncated(rows);
  fill(now);
  for (Index t = 0; t < capacity; ++t) {
    fill(next);
    fill(action);
    fill(reward);
    std::fill(truncated.begin(), truncated.end(), static_cast<std::uint8_t>(t % 100 == 99));
    buffer.add_all({.observation = now,
                    .action = action,
                    .reward = reward,
                    .next_observation = next,
                    .terminated = terminated,
                    .truncated = truncated});
    std::swap(now, next);
  }
  return buffer;
}

// What a sampler takes for one batch, as Batches has it in a run.
class Sampling {
 public:
  Sampling(const ReplayBuffer& buffer, const char* sampler, Index batch)
      : reader_(buffer.reader(sampler)),
        batch_(reader_.make_batch(static_cast<std::size_t>(batch))),
        errors_(static_cast<std::size_t>(batch)) {
    reader_.set_progress(0.5);
    Rng rng(9);
    for (float& error : errors_) error = static_cast<float>(rng.uniform());
    view_ = {.size = batch_.size,
             .observation = batch_.observation,
             .action = batch_.action,
             .next_observation = batch_.next_observation,
             .reward = batch_.reward,
             .discount = batch_.discount,
             .weight = batch_.weight,
             .id = batch_.id,
             .stream = batch_.stream};
  }

  void measure(clockid_t clock) {
    const double begin = read_clock(clock);
    reader_.sample(view_);
    const double middle = read_clock(clock);
    reader_.update_priorities(batch_.id, errors_);
    const double end = read_clock(clock);
    sampling.push_back(1e3 * (middle - begin));
    feedback.push_back(1e3 * (end - middle));
  }

  std::vector<double> sampling, feedback;  // ms

 private:
  ReplayReader reader_;
  Batch batch_;
  BatchView view_;
  std::vector<float> errors_;
};

class Learning {
 public:
  Learning(const AgentCase& one, const UpdatePart& part, const AgentShape& shape,
           const ReplayBuffer& buffer, clockid_t clock)
      : clock_(clock) {
    const std::unique_ptr<AgentConfig> config = one.config();
    for (const std::string& text : part.settings)
      config->set(text.substr(0, text.find('=')), text.substr(text.find('=') + 1));
    const double begin = wall_clock();
    agent_ = config->make(shape, {buffer.reader(), {}}, {.device = "cpu", .seed = 1});
    // One step of every environment, so that the agent has seen something before it learns.
    const auto rows = static_cast<std::size_t>(shape.streams());
    std::vector<float> numbers(rows * static_cast<std::size_t>(shape.observation()));
    Rng rng(7);
    for (float& one_number : numbers) one_number = static_cast<float>(2 * rng.uniform() - 1);
    agent_->begin_step(numbers);
    const std::vector<float> rewards(rows, 0.5F);
    const std::vector<std::uint8_t> none(rows);
    agent_->end_step({rewards, none, none});
    agent_->learn(1, 0.5);
    start_ = wall_clock() - begin;
  }

  // Without what batches took: that is counted by itself.
  double run(Index updates) {
    const BatchSeconds before = agent_->batch_seconds();
    const double begin = read_clock(clock_);
    agent_->learn(updates, 0.5);
    const double seconds = read_clock(clock_) - begin;
    const BatchSeconds after = agent_->batch_seconds();
    return seconds - (after.sampling - before.sampling) - (after.feedback - before.feedback);
  }

  double start() const { return start_; }  // seconds from nothing to the end of the first update
  Index parameters() const { return agent_->parameters(); }

 private:
  clockid_t clock_;
  std::unique_ptr<Agent> agent_;
  double start_ = 0;
};

// ---------------------------------------------------------------- one case

struct OriginalRow {
  std::string name, version;
  Spread ms, times;             // times: theirs over ours
  double start = std::nan("");  // seconds from the import to the end of the first update
};

struct PartRow {
  std::string name;
  Spread ms, floor, times_floor;
  double operations = 0;
  std::vector<OriginalRow> originals;
};

struct SamplerRow {
  std::string sampler;
  Spread sampling, feedback;
  double share = 0;  // of learning with it
};

struct CaseRow {
  AgentCase one;
  Index batch = 0, rows = 0, parameters = 0;
  double start = 0, update = 0;  // update: ms, all parts as often as they happen
  std::vector<PartRow> parts;
  std::vector<SamplerRow> samplers;
};

using Peers = std::vector<std::pair<std::string, std::string>>;  // name and command

// What an original needs to know, as its `keys`.
std::string sizes_of(const AgentCase& one, const AgentConfig& config) {
  std::string text =
      concat("observation=", one.observation, ",action=", one.action, ",tasks=", one.tasks);
  for (const Field& field : config.list())
    for (const char* name : {"actor_width", "actor_blocks", "critic_width", "critic_blocks",
                             "num_atoms", "two_critics", "task_embedding_dim"})
      if (field.name == name) text += concat(',', field.name, '=', field.value);
  return text;
}

void contest(std::vector<Contestant*> contestants, std::vector<Sampling>& samplers,
             const Options& o, clockid_t clock) {
  for (Contestant* one : contestants)
    while (one->run(one->updates) < kSpell && one->updates < 1024) one->updates *= 2;
  for (Sampling& one : samplers) {
    one.measure(clock);
    one.sampling.clear();
    one.feedback.clear();
  }
  for (Index round = 0; round < o.rounds; ++round) {
    std::rotate(contestants.begin(), contestants.begin() + 1, contestants.end());
    const std::size_t turns = std::max(contestants.size(), samplers.size());
    for (std::size_t k = 0; k < turns; ++k) {
      Contestant& one = *contestants[k % contestants.size()];
      // A second turn in one round is there for the cache's sake.
      const double seconds = one.run(k < contestants.size() ? one.updates : 1);
      if (k < contestants.size())
        one.ms.push_back(1e3 * seconds / static_cast<double>(one.updates));
      samplers[(k + static_cast<std::size_t>(round)) % samplers.size()].measure(clock);
    }
  }
}

CaseRow measure(const AgentCase& one, const Options& o, const Peers& peers) {
  const clockid_t clock = o.threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  const std::unique_ptr<AgentConfig> config = one.config();
  const AgentShape shape = one.shape(*config);
  const ReplayBuffer buffer = filled_buffer(*config, shape);
  CaseRow row{.one = one,
              .batch = config->run.batch_size,
              .rows = buffer.size(),
              .parts = {},
              .samplers = {}};

  struct PartAtWork {
    UpdatePart part;
    std::unique_ptr<Learning> learning;
    std::unique_ptr<Products> products;
    Contestant ours, floor;
    std::vector<std::unique_ptr<Contestant>> originals;
    std::vector<std::unique_ptr<Peer>> processes;
  };
  // Everything at its place before anything refers to it.
  std::vector<PartAtWork> parts;
  for (UpdatePart& part : update_parts(one, *config)) {
    PartAtWork work;
    work.learning = std::make_unique<Learning>(one, part, shape, buffer, clock);
    work.products = std::make_unique<Products>(part.products);
    work.part = std::move(part);
    parts.push_back(std::move(work));
  }
  row.start = parts.front().learning->start();
  row.parameters = parts.front().learning->parameters();

  std::vector<Contestant*> contestants;
  for (PartAtWork& work : parts) {
    Learning* learning = work.learning.get();
    Products* products = work.products.get();
    work.ours.run = [learning](Index n) { return learning->run(n); };
    work.floor.run = [products, clock](Index n) {
      const double begin = read_clock(clock);
      for (Index k = 0; k < n; ++k) products->run();
      return read_clock(clock) - begin;
    };
    contestants.push_back(&work.ours);
    contestants.push_back(&work.floor);
    PartRow part{.name = work.part.name,
                 .ms = {},
                 .floor = {},
                 .times_floor = {},
                 .operations = products->operations(),
                 .originals = {}};
    for (const auto& [name, command] : peers) {
      // A process for every part: it starts from nothing, as ours did.
      const double begin = wall_clock();
      auto peer = std::make_unique<Peer>(name, command);
      if (!peer->take(one.agent + "/" + part.name, config->run.batch_size, o.threads,
                      sizes_of(one, *config)))
        continue;
      peer->run(1);
      part.originals.push_back({.name = name,
                                .version = peer->version(),
                                .ms = {},
                                .times = {},
                                .start = wall_clock() - begin});
      peer->run(2);  // JAX compiles once more when it gets back what it has made itself
      auto theirs = std::make_unique<Contestant>();
      theirs->run = [which = peer.get(), alone = o.threads == 1](Index n) {
        const Peer::Seconds seconds = which->run(n);
        return alone ? seconds.processor : seconds.wall;
      };
      contestants.push_back(theirs.get());
      work.originals.push_back(std::move(theirs));
      work.processes.push_back(std::move(peer));
    }
    row.parts.push_back(std::move(part));
  }

  std::vector<Sampling> samplers;
  for (const char* sampler : kSamplers)
    samplers.emplace_back(buffer, sampler, config->run.batch_size);
  contest(std::move(contestants), samplers, o, clock);

  // A later part was measured together with those before it.
  std::vector<double> before(static_cast<std::size_t>(o.rounds), 0);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    PartAtWork& work = parts[p];
    std::vector<double> alone = work.ours.ms;
    for (std::size_t k = 0; k < alone.size(); ++k) alone[k] -= before[k];
    before = work.ours.ms;
    PartRow& part = row.parts[p];
    part.ms = spread(alone);
    part.floor = spread(work.floor.ms);
    part.times_floor = ratio(alone, work.floor.ms);
    row.update += work.part.per_update * part.ms.median;
    for (std::size_t k = 0; k < work.originals.size(); ++k) {
      part.originals[k].ms = spread(work.originals[k]->ms);
      part.originals[k].times = ratio(work.originals[k]->ms, alone);
    }
  }
  for (std::size_t s = 0; s < samplers.size(); ++s) {
    SamplerRow sampler{.sampler = kSamplers[s],
                       .sampling = spread(samplers[s].sampling),
                       .feedback = spread(samplers[s].feedback)};
    const double batch = sampler.sampling.median + sampler.feedback.median;
    sampler.share = batch / (batch + row.update);
    row.samplers.push_back(std::move(sampler));
  }
  return row;
}

// ---------------------------------------------------------------- report

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

void put(Json& json, std::string_view name, const Spread& spread) {
  json.key(name)
      .begin_object()
      .field("median", spread.median)
      .field("lower_quartile", spread.low)
      .field("upper_quartile", spread.high)
      .end_object();
}

std::string to_json(const Options& o, const std::vector<CaseRow>& rows, double loading,
                    double load_before) {
  Json json;
  json.begin_object()
      .field("machine", processor())
      .field("cores", std::thread::hardware_concurrency())
      .field("threads", o.threads)
      .field("clock", o.threads == 1 ? "processor" : "wall")
      .field("rounds", o.rounds)
      .field("loading_seconds", loading)
      .field("load_before", load_before)
      .field("load_after", load())
      .key("cases")
      .begin_array();
  for (const CaseRow& row : rows) {
    json.begin_object()
        .field("agent", row.one.agent)
        .field("size", row.one.size)
        .field("batch", row.batch)
        .field("observation", row.one.observation)
        .field("action", row.one.action)
        .field("tasks", row.one.tasks)
        .field("buffer_rows", row.rows)
        .field("parameters", row.parameters)
        .field("first_update_seconds", row.start)
        .field("update_ms", row.update)
        .key("parts")
        .begin_array();
    for (const PartRow& part : row.parts) {
      json.begin_object().field("part", part.name).field("gflop", part.operations * 1e-9);
      put(json, "ms", part.ms);
      put(json, "floor_ms", part.floor);
      put(json, "times_floor", part.times_floor);
      json.key("originals").begin_array();
      for (const OriginalRow& one : part.originals) {
        json.begin_object()
            .field("name", one.name)
            .field("version", one.version)
            .field("first_update_seconds", one.start);
        put(json, "ms", one.ms);
        put(json, "times_ours", one.times);
        json.end_object();
      }
      json.end_array().end_object();
    }
    json.end_array().key("samplers").begin_array();
    for (const SamplerRow& one : row.samplers) {
      json.begin_object().field("sampler", one.sampler);
      put(json, "sampling_ms", one.sampling);
      put(json, "feedback_ms", one.feedback);
      json.field("share", one.share).end_object();
    }
    json.end_array().end_object();
  }
  return std::move(json.end_array().end_object()).text() + '\n';
}

std::string with_quartiles(const Spread& one) {
  return concat(number(one.median, 3), " (", number(one.low, 3), " to ", number(one.high, 3), ")");
}

void report_text(std::ostream& out, const Options& o, const std::vector<CaseRow>& rows) {
  Table updates({"agent", "size", "batch", "part", "ms", "products, ms", "times products",
                 "times original's speed", "start, s"});
  Table samplers({"agent", "size", "batch", "sampler", "sampling, ms", "feedback, ms", "share, %"});
  for (const CaseRow& row : rows) {
    const std::string batch = concat(row.batch);
    for (const PartRow& part : row.parts) {
      std::string originals;
      for (const OriginalRow& one : part.originals)
        originals += (originals.empty() ? "" : ", ") + number(one.times.median, 3);
      updates.add({row.one.agent, row.one.size, batch, part.name, with_quartiles(part.ms),
                   number(part.floor.median, 3), number(part.times_floor.median, 3),
                   originals.empty() ? "-" : originals, number(row.start, 2)});
    }
    for (const SamplerRow& one : row.samplers)
      samplers.add({row.one.agent, row.one.size, batch, one.sampler, number(one.sampling.median, 3),
                    number(one.feedback.median, 3), number(100 * one.share, 2)});
  }
  out << updates << '\n' << samplers << '\n';
  out << wrapped(
             concat("Medians (and quartiles) of ", o.rounds, " interleaved rounds, ",
                    o.threads == 1 ? "one thread, processor time"
                                   : concat(o.threads, " threads, wall time"),
                    ". products: the matrix products of forward and backward passes alone. share: "
                    "sampling and feedback of what learning takes. start: from nothing to the end "
                    "of the first update, warm-up data being there. Load ",
                    number(load(), 3), "."),
             0)
      << '\n';
}

}  // namespace

void bench_agents(std::ostream& out, const AgentsBench& o) {
  const double loading = process_seconds(), load_before = load();
  if (o.rounds < 1 || o.threads < 1)
    throw InvalidArgument("--rounds and --threads must be positive");
  const std::vector<AgentCase> cases = agent_cases(o.agent, o.size);
  prepare_compute(o.threads);
  Peers peers;
  for (const std::string& peer : o.peers) {
    const std::size_t equals = peer.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == peer.size())
      throw InvalidArgument(concat("--peer ", peer, "; give NAME=COMMAND, as scripts/bench does"));
    peers.emplace_back(peer.substr(0, equals), peer.substr(equals + 1));
  }
  std::vector<CaseRow> rows;
  for (const AgentCase& one : cases) rows.push_back(measure(one, o, peers));
  const std::string json = to_json(o, rows, loading, load_before);
  if (!o.file.empty()) write_file(o.file, json);
  if (o.json)
    out << json;
  else
    report_text(out, o, rows);
}

}  // namespace mneme::lab
