// tests/run/trainer_test.cpp - runs in directories: what they write, resuming, and what is refused.
#include "run/trainer.h"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "base/text.h"
#include "mneme/buffer_files.h"
#include "mneme/error.h"
#include "run/checkpoint_file.h"
#include "run/run_directory.h"
#include "support/failing_disk.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;
using mneme::testing::TemporaryDirectory;

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Everything but the seconds an evaluation took place at.
std::string without_seconds(const std::string& csv) {
  std::istringstream lines(csv);
  std::string out, line;
  while (std::getline(lines, line)) {
    const std::size_t first = line.find(',', line.find(',') + 1),
                      second = line.find(',', first + 1);
    out += line.substr(0, first) + line.substr(second) + '\n';
  }
  return out;
}

RunConfig small_run(const std::string& agent, const std::vector<std::string>& tasks,
                    std::vector<std::string> more = {}) {
  std::vector<std::string> settings{"steps=60",       "random_steps=10", "learning_starts=20",
                                    "batch_size=16",  "capacity=200",    "eval_every=25",
                                    "eval_episodes=2"};
  for (std::string& one : more) settings.push_back(std::move(one));
  RunConfig run = resolve_run(agent, "laptop", tasks, settings);
  run.seed = 7;
  return run;
}

void finish(Trainer& run) {
  while (!run.done()) run.step();
  run.save();
}

struct Case {
  std::string agent;
  std::vector<std::string> tasks, settings;
};

std::vector<Case> cases() {
  return {
      {"fasttd3",
       {"dummy/count:limit=9"},
       {"critic_width=16", "actor_width=16", "num_envs=4", "sampler=truncated_geometric"}},
      {"fasttd3", {"dummy/count:limit=9"}, {"critic_width=16", "actor_width=16", "sampler=per"}},
      {"brc",
       {"dummy/count:limit=9", "dummy/count:limit=7"},
       {"critic_width=8", "actor_width=8", "sampler=per", "utd=2"}},
      {"sac",
       {"dummy/count:limit=9"},
       {"critic_layers=8-8", "actor_layers=8", "sampler=per", "actor_sampler=uniform", "n_step=3"}},
      {"td3",
       {"dummy/count:limit=9"},
       {"critic_layers=8", "actor_layers=8-8", "num_envs=3", "utd=3"}},
      {"simbav2", {"dummy/count:limit=9"}, {"critic_width=8", "actor_width=8"}},
      {"simbav2",
       {"dummy/count:limit=9"},
       {"critic_width=8", "actor_width=8", "sampler=per", "actor_sampler=uniform", "n_step=3",
        "utd=1/2"}}};
}

TEST(Trainer, StoppedRunContinuesBitForBit) {
  for (const Case& one : cases()) {
    const TemporaryDirectory directory;
    const fs::path whole = directory / "whole", parts = directory / "parts";
    finish(*Trainer::create(small_run(one.agent, one.tasks, one.settings), whole));

    {
      const auto run = Trainer::create(small_run(one.agent, one.tasks, one.settings), parts);
      while (run->steps_done() < 33) run->step();
      run->save();
      while (run->steps_done() < 41) run->step();  // lost: stopped without a checkpoint
    }
    {
      const auto run = Trainer::resume(parts);
      EXPECT_EQ(run->steps_done(), 33);
      while (run->steps_done() < 50) run->step();
      run->save();
    }
    finish(*Trainer::resume(parts));

    for (const char* file : {"metrics.csv", "diagnostics.csv", "config.toml"})
      EXPECT_EQ(content(whole / file), content(parts / file)) << one.agent << ' ' << file;
    EXPECT_EQ(without_seconds(content(whole / "eval.csv")),
              without_seconds(content(parts / "eval.csv")));
    EXPECT_NE(content(whole / "metrics.csv").find("critic_loss"), std::string::npos);
    // The policies too, to the last bit.
    std::vector<std::vector<float>> actions;
    for (const fs::path& path : {whole, parts}) {
      const TrainedAgent trained = load_agent(path);
      EXPECT_EQ(trained.step, 60);
      const AgentShape& shape = trained.config.shape;
      std::vector<float> observation(static_cast<std::size_t>(shape.observation()), 0.5F);
      actions.emplace_back(static_cast<std::size_t>(shape.action()));
      trained.agent->act({observation}, actions.back(), Acting::evaluate);
    }
    EXPECT_EQ(actions[0], actions[1]);
  }
}

// Metrics are means since their last line; a checkpoint in between keeps what they are means of.
TEST(Trainer, CheckpointKeepsMetricsInProgress) {
  for (const Case& one : cases()) {
    const TemporaryDirectory directory;
    const fs::path whole = directory / "whole", parts = directory / "parts";
    std::vector<std::string> settings = one.settings;
    settings.insert(settings.end(), {"steps=1000", "eval_every=1000"});  // a line every five steps
    const RunConfig config = small_run(one.agent, one.tasks, settings);
    const auto run = Trainer::create(config, whole);
    while (run->steps_done() < 30) run->step();
    {
      const auto first = Trainer::create(config, parts);
      while (first->steps_done() < 28) first->step();
      first->save();
    }
    const auto second = Trainer::resume(parts);
    while (second->steps_done() < 30) second->step();
    EXPECT_EQ(content(whole / "metrics.csv"), content(parts / "metrics.csv")) << one.agent;
    EXPECT_NE(content(whole / "metrics.csv").find("30,"), std::string::npos);
  }
}

// The state file is there before the buffer's commit makes it the checkpoint: a run that is killed in
// between continues from the one before.
TEST(Trainer, StateWithoutCommitIsIgnored) {
  const TemporaryDirectory directory;
  const fs::path path = directory / "run";
  const Case one = cases().front();
  {
    const auto run = Trainer::create(small_run(one.agent, one.tasks, one.settings), path);
    while (run->steps_done() < 30) run->step();
    run->save();
  }
  // As if the next state had been written and the machine stopped then.
  fs::path state;
  for (const auto& entry : fs::directory_iterator(path / "checkpoint")) state = entry.path();
  const std::string name = state.filename().string();
  const int number = std::stoi(name.substr(name.find('-') + 1));
  std::ofstream(path / "checkpoint" / ("state-" + std::to_string(number + 1))) << "half";
  EXPECT_EQ(Trainer::resume(path)->steps_done(), 30);

  // Damage is found.
  std::string bytes = content(state);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  std::ofstream(state, std::ios::binary) << bytes;
  EXPECT_THROW(Trainer::resume(path), CorruptData);
  std::ofstream(state, std::ios::binary) << bytes.substr(0, bytes.size() / 3);
  EXPECT_THROW(Trainer::resume(path), CorruptData);
}

// A run made on a CUDA device is evaluated and exported on a machine without one.
TEST(Trainer, AgentLoadsWithoutTheDeviceOfItsRun) {
  const TemporaryDirectory directory;
  const fs::path path = directory / "run";
  finish(*Trainer::create(small_run("sac", {"dummy/count"}, {"critic_layers=8", "actor_layers=8"}),
                          path));
  std::string text = content(path / "config.toml");
  const std::string device = "device = \"cpu\"";
  ASSERT_NE(text.find(device), std::string::npos);
  text.replace(text.find(device), device.size(), "device = \"cuda:3\"");
  std::ofstream(path / "config.toml") << text;
  const TrainedAgent trained = load_agent(path);
  EXPECT_EQ(trained.config.device, "cpu");
  EXPECT_EQ(trained.step, 60);
  trained.agent->export_policy((directory / "policy.pt").string());
  EXPECT_TRUE(fs::exists(directory / "policy.pt"));
  EXPECT_THROW(load_agent(path, "vulkan"), NotFound);
  EXPECT_THROW(Trainer::resume(path), NotFound) << "training continues on the run's own device";
}

// Version 1 of config.toml had other names, and one agent for SAC and TD3.
TEST(Trainer, RunOfConfigVersion1Resumes) {
  const auto version_1 = [](std::string text, const std::string& agent) {
    const auto replace = [&](const std::string& now, const std::string& before) {
      const std::size_t at = text.find(now);
      ASSERT_NE(at, std::string::npos) << now;
      text.replace(at, now.size(), before);
    };
    replace("version = 2", "version = 1");
    replace("\nnum_envs = ", "\nenvironments = ");
    replace("\naction_repeat = ", "\nrepeat = ");
    replace("\nbatch_size = ", "\nbatch = ");
    replace("\nlearning_starts = ", "\nfirst_update = ");
    replace("\nlearning_rate = ", "\nrate = ");
    replace("agent = \"" + agent + '"', "agent = \"baseline\"");
    if (agent == "td3") {
      replace("\npolicy_delay = ", "\ndelay = ");
      replace("\npolicy_noise = ", "\ntarget_noise = ");
      replace("\nnoise_clip = ", "\ntarget_noise_bound = ");
      replace("\nexploration_noise = ", "\nexploration = ");
      return text + "algorithm = \"td3\"\ntemperature = 1\n";
    }
    return text + "algorithm = \"sac\"\ndelay = 2\n";
  };
  for (const char* agent : {"sac", "td3"}) {
    const TemporaryDirectory directory;
    const fs::path whole = directory / "whole", parts = directory / "parts";
    const RunConfig config = small_run(agent, {"dummy/count:limit=9"},
                                       {"critic_layers=8", "actor_layers=8", "num_envs=2"});
    finish(*Trainer::create(config, whole));
    {
      const auto run = Trainer::create(config, parts);
      while (run->steps_done() < 33) run->step();
      run->save();
    }
    const std::string text = version_1(content(parts / "config.toml"), agent);
    std::ofstream(parts / "config.toml") << text;
    finish(*Trainer::resume(parts));
    EXPECT_EQ(content(whole / "metrics.csv"), content(parts / "metrics.csv")) << agent;

    // The former names belong to version 1 alone.
    std::string mixed = text;
    mixed.replace(mixed.find("version = 1"), 11, "version = 2");
    EXPECT_THROW(from_toml(mixed, "here"), CorruptData);
  }
}

TEST(Trainer, ConfigurationRoundTripsThroughItsFile) {
  RunConfig run = small_run("simbav2", {"dummy/count"}, {"sampler=ere:eta=0.99", "utd=1/16"});
  run.threads = 2;
  const std::string text = to_toml(run);
  EXPECT_EQ(to_toml(from_toml(text, "here")), text);
  EXPECT_THROW(from_toml("version = 7", "here"), CorruptData);
  EXPECT_THROW(from_toml("version = [", "here"), CorruptData);
  EXPECT_THROW(from_toml(text + "widht = 3\n", "here"), CorruptData);
}

TEST(Trainer, InvalidRunIsRefusedBeforeFilesAreMade) {
  const TemporaryDirectory directory;
  EXPECT_THROW(resolve_run("simba", "laptop", {"dummy/count"}, {}), NotFound);
  EXPECT_THROW(resolve_run("simbav2", "desktop", {"dummy/count"}, {}), NotFound);
  EXPECT_THROW(resolve_run("simbav2", "laptop", {"dummy/coutn"}, {}), NotFound);
  EXPECT_THROW(resolve_run("simbav2", "laptop", {}, {}), InvalidArgument);
  EXPECT_THROW(resolve_run("simbav2", "laptop", {"dummy/count:repeat=2"}, {}), InvalidArgument);
  EXPECT_THROW(resolve_run("simbav2", "laptop", {"dummy/count"}, {"critic_widht=3"}), NotFound);
  EXPECT_THROW(resolve_run("simbav2", "laptop", {"dummy/count", "dummy/count"}, {}),
               InvalidArgument);
  // More than the disk or the memory has.
  RunConfig huge = small_run("simbav2", {"dummy/count"}, {"capacity=1e13"});
  EXPECT_THROW(Trainer::create(huge, directory / "huge"), InvalidArgument);
  EXPECT_FALSE(fs::exists(directory / "huge"));
  RunConfig elsewhere = small_run("simbav2", {"dummy/count"});
  for (const char* device : {"gpu", "cuda:99x", "vulkan"}) {
    elsewhere.device = device;
    EXPECT_THROW(Trainer::create(elsewhere, directory / "elsewhere"), Error) << device;
    EXPECT_FALSE(fs::exists(directory / "elsewhere"));
  }
  EXPECT_THROW(Trainer::resume(directory / "nothing"), IoError);

  const fs::path path = directory / "run";
  Trainer::create(small_run("simbav2", {"dummy/count"}), path);
  EXPECT_THROW(Trainer::create(small_run("simbav2", {"dummy/count"}), path), InvalidArgument);
  EXPECT_EQ(Trainer::resume(path)->steps_done(), 0);  // there is a checkpoint at once

  RunConfig fleeting = small_run("simbav2", {"dummy/count"});
  fleeting.replay = "memory";
  const auto run = Trainer::create(fleeting, directory / "fleeting");
  finish(*run);
  EXPECT_THROW(Trainer::resume(directory / "fleeting"), InvalidArgument);
  EXPECT_EQ(load_agent(directory / "fleeting").step, 60);
}

// NaN ends the run; the checkpoint before it can be resumed.
TEST(Trainer, DivergedRunKeepsItsLastCheckpoint) {
  const TemporaryDirectory directory;
  const fs::path path = directory / "run";
  {
    const auto run = Trainer::create(
        small_run("simbav2", {"dummy/count"},
                  {"critic_width=4", "actor_width=4", "learning_rate=1e30", "eval_every=100"}),
        path);
    while (run->steps_done() < 15) run->step();
    run->save();
    EXPECT_THROW(finish(*run), Diverged);
  }
  EXPECT_EQ(Trainer::resume(path)->steps_done(), 15);
}

// A simulation that fails: its row is not stored, the other environments' are.
TEST(Trainer, RowsOfFailedSimulationAreNotStored) {
  const TemporaryDirectory directory;
  const fs::path path = directory / "run";
  {
    // Exploration so wide that dummy/count gives up on some actions ("beyond one million").
    const auto run = Trainer::create(
        small_run("fasttd3", {"dummy/count:limit=9"},
                  {"critic_width=16", "actor_width=16", "num_envs=3", "random_steps=0",
                   "std_min=2e6", "std_max=2e6", "steps=15", "learning_starts=100"}),
        path);
    finish(*run);
  }
  const BufferInfo info = buffer_info((path / "replay").string());
  EXPECT_LT(info.added, 45U);
  EXPECT_GT(info.added, 0U);
  EXPECT_NE(content(path / "metrics.csv").find("episodes_cut,"), std::string::npos);
}

// A sampler whose window is larger than what an agent that only acts is given.
TEST(Trainer, LoadedAgentActsWithAnySampler) {
  const TemporaryDirectory directory;
  const fs::path path = directory / "run";
  finish(*Trainer::create(
      small_run("simbav2", {"dummy/count"},
                {"critic_width=4", "actor_width=4", "sampler=uniform_fifo:window=150", "n_step=5",
                 "actor_sampler=ere:minimum=100"}),
      path));
  EXPECT_EQ(load_agent(path).step, 60);
}

std::vector<std::vector<double>> numbers_in(const fs::path& csv) {
  std::ifstream file(csv);
  std::vector<std::vector<double>> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    rows.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(std::stod(cell));
  }
  return rows;
}

// Seconds by phase: never fewer than before, together no more than the run took, accumulated over
// resumes.
TEST(Trainer, PhaseTimesAddUpOverResumes) {
  const TemporaryDirectory directory;
  const fs::path path = directory / "run";
  const std::vector<std::string> settings{"critic_width=8", "actor_width=8", "sampler=per"};
  std::vector<double> before;
  {
    const auto run = Trainer::create(small_run("simbav2", {"dummy/count:limit=9"}, settings), path);
    while (run->steps_done() < 40) run->step();
    before.assign(run->timing().all().begin(), run->timing().all().end());
    run->save();
  }
  {
    const auto run = Trainer::resume(path);
    EXPECT_EQ(std::vector<double>(run->timing().all().begin(), run->timing().all().end()), before);
    finish(*run);
    for (const Phase phase : {Phase::environment, Phase::acting, Phase::storing, Phase::sampling,
                              Phase::update, Phase::feedback, Phase::evaluation})
      EXPECT_GT(run->timing().of(phase), before[static_cast<std::size_t>(phase)]);
    EXPECT_GT(run->timing().of(Phase::checkpoint), 0);
  }

  const auto rows = numbers_in(path / "timing.csv");
  ASSERT_EQ(rows.size(), 60U);  // of so short a run every step is written
  constexpr std::size_t kFirst = 3;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    ASSERT_EQ(rows[r].size(), kFirst + kPhases.size());
    EXPECT_EQ(rows[r][0], static_cast<double>(r + 1));
    double sum = 0;
    for (std::size_t c = kFirst; c < rows[r].size(); ++c) {
      EXPECT_GE(rows[r][c], r == 0 ? 0 : rows[r - 1][c]) << "row " << r << ", column " << c;
      sum += rows[r][c];
    }
    EXPECT_LE(sum, rows[r][2] * (1 + 1e-9)) << "row " << r;
  }
  // Nothing was sampled or fed back before the first update.
  const auto sampling = kFirst + static_cast<std::size_t>(Phase::sampling);
  EXPECT_EQ(rows[18][sampling], 0);
  EXPECT_GT(rows[19][sampling], 0);
}

// Section 5 of the specification: when updates happen.
TEST(Trainer, UpdatesStartAsInThePublicCode) {
  for (const auto& [utd, first] :
       std::vector<std::pair<std::string, Index>>{{"2", 20}, {"1", 20}, {"1/2", 21}, {"1/4", 23}}) {
    const TemporaryDirectory directory;
    const auto run = Trainer::create(
        small_run("simbav2", {"dummy/count"}, {"critic_width=4", "actor_width=4", "utd=" + utd}),
        directory / "run");
    while (run->updates_done() == 0) run->step();
    EXPECT_EQ(run->steps_done(), first) << utd;
    EXPECT_EQ(run->updates_done(), utd == "2" ? 2 : 1);
  }
}

RunConfig tiny_run(std::vector<std::string> more = {}) {
  more.insert(more.end(), {"critic_width=4", "actor_width=4"});
  return small_run("simbav2", {"dummy/count:limit=9"}, std::move(more));
}

void replace_in(const fs::path& file, const std::string& from, const std::string& to) {
  std::string text = content(file);
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  std::ofstream(file, std::ios::binary) << text.replace(at, from.size(), to);
}

// The replay buffer keeps these from its making on: an edit would be ignored, so it is refused.
TEST(Trainer, EditedConfigurationOfTheBufferIsRefusedOnResume) {
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"sampler = \"uniform\"", "sampler = \"linear\""},
           {"capacity = 200", "capacity = 300"},
           {"n_step = 1", "n_step = 2"},
           {"seed = 7", "seed = 8"},
           {"storage = \"f32\"", "storage = \"f16\""},
           {"actor_sampler = \"\"", "actor_sampler = \"uniform\""}}) {
    const TemporaryDirectory directory;
    const fs::path path = directory / "run";
    Trainer::create(tiny_run(), path);
    replace_in(path / "config.toml", from, to);
    try {
      Trainer::resume(path);
      ADD_FAILURE() << to;
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find("but the run was started with"), std::string::npos)
          << error.what();
    }
    replace_in(path / "config.toml", to, from);
    EXPECT_EQ(Trainer::resume(path)->steps_done(), 0);
  }
}

// Killed before the first checkpoint, at any point of the start: started again, nothing else lost.
TEST(Trainer, UnstartedRunIsStartedAgain) {
  const TemporaryDirectory directory;
  const fs::path whole = directory / "whole";
  Trainer::create(tiny_run(), whole);
  const auto start_again = [&](const std::string& name, const auto& damage) {
    const fs::path path = directory / name;
    fs::copy(whole, path, fs::copy_options::recursive);
    damage(path);
    EXPECT_EQ(inspect_run(path).progress, RunProgress::unstarted) << name;
    std::ofstream(path / "log.txt") << "kept";
    EXPECT_EQ(Trainer::create(tiny_run(), path)->steps_done(), 0) << name;
    EXPECT_EQ(content(path / "log.txt"), "kept");
    EXPECT_EQ(inspect_run(path).progress, RunProgress::resumable) << name;
  };
  start_again("config alone", [](const fs::path& path) {
    for (const char* name :
         {"replay", "checkpoint", "eval.csv", "metrics.csv", "diagnostics.csv", "timing.csv"})
      fs::remove_all(path / name);
  });
  start_again("no state", [](const fs::path& path) { fs::remove_all(path / "checkpoint"); });
  start_again("no manifest", [](const fs::path& path) {
    fs::remove_all(path / "checkpoint");
    fs::remove(path / "replay" / "manifest");
  });
}

// Whatever is wrong with a run, it is unreadable with a reason, and create() touches nothing.
TEST(Trainer, DamagedRunIsUnreadableAndKept) {
  const TemporaryDirectory directory;
  const fs::path whole = directory / "whole";
  {
    const auto run = Trainer::create(tiny_run(), whole);
    while (run->steps_done() < 30) run->step();
    run->save();
  }
  ASSERT_EQ(inspect_run(whole).progress, RunProgress::resumable);
  int number = 0;
  for (const auto& damage : std::vector<std::function<void(const fs::path&)>>{
           [](const fs::path& p) { std::ofstream(p / "replay" / "manifest") << "xxxxxxxxxx"; },
           [](const fs::path& p) { fs::remove(p / "replay" / "manifest"); },
           [](const fs::path& p) { fs::remove_all(p / "replay"); },
           [](const fs::path& p) { fs::remove_all(p / "checkpoint"); },
           [](const fs::path& p) { std::ofstream(p / "config.toml") << "version = ["; },
           [](const fs::path& p) {
             fs::remove_all(p / "replay");
             std::ofstream(p / "eval.csv") << "step,frame\nmany,1\n";
           }}) {
    const fs::path path = directory / concat("damaged", ++number);
    fs::copy(whole, path, fs::copy_options::recursive);
    damage(path);
    const auto files = [&] {
      std::size_t count = 0;
      for (const auto& entry : fs::recursive_directory_iterator(path))
        count += entry.is_regular_file() ? 1 : 0;
      return count;
    };
    const std::size_t before = files();
    EXPECT_EQ(inspect_run(path).progress, RunProgress::unreadable) << number;
    EXPECT_FALSE(inspect_run(path).reason.empty());
    EXPECT_THROW(Trainer::create(tiny_run(), path), InvalidArgument) << number;
    EXPECT_EQ(files(), before) << number;
  }
}

// The loser of a race removes nothing, and a run has one trainer at a time.
TEST(Trainer, DirectoryInUseIsRefusedAndKept) {
  const TemporaryDirectory directory;
  const fs::path path = directory / "run";
  const auto run = Trainer::create(tiny_run(), path);
  EXPECT_THROW(Trainer::create(tiny_run(), path), IoError);
  EXPECT_THROW(Trainer::resume(path), IoError);
  finish(*run);
  EXPECT_EQ(inspect_run(path).progress, RunProgress::resumable);
  EXPECT_EQ(load_agent(path).step, 60);
}

// A directory from elsewhere: no write follows a link out of it, and nothing behind one is removed.
TEST(Trainer, LinksInARunDirectoryAreNotFollowed) {
  const TemporaryDirectory directory;
  const fs::path victim = directory / "victim";
  for (const char* name : {"metrics.csv", "eval.csv", "diagnostics.csv", "timing.csv"}) {
    const fs::path path = directory / concat("run-", name);
    Trainer::create(tiny_run(), path);
    std::ofstream(victim) << std::string(5000, 'v');
    fs::remove(path / name);
    fs::create_symlink(victim, path / name);
    EXPECT_THROW(Trainer::resume(path), IoError) << name;
    EXPECT_EQ(content(victim), std::string(5000, 'v')) << name;
  }
  const fs::path path = directory / "run", elsewhere = directory / "elsewhere";
  Trainer::create(tiny_run(), path);
  fs::rename(path / "checkpoint", elsewhere);
  std::ofstream(elsewhere / "state-77") << "theirs";
  fs::create_directory_symlink(elsewhere, path / "checkpoint");
  EXPECT_EQ(inspect_run(path).progress, RunProgress::unreadable);
  EXPECT_THROW(Trainer::resume(path), IoError);
  remove_old_checkpoints(path, "none");
  clear_finished(path);
  EXPECT_TRUE(fs::exists(elsewhere / "state-77"));
  EXPECT_EQ(std::distance(fs::directory_iterator(elsewhere), {}), 2);
}

TEST(Trainer, SeedBeyondConfigurationIsRefused) {
  const TemporaryDirectory directory;
  RunConfig run = tiny_run();
  run.seed = kLargestSeed + 1;
  EXPECT_THROW(Trainer::create(run, directory / "run"), InvalidArgument);
  EXPECT_FALSE(fs::exists(directory / "run"));
  run.seed = kLargestSeed;
  Trainer::create(run, directory / "run");
  EXPECT_EQ(Trainer::resume(directory / "run")->config().seed, kLargestSeed);
}

TEST(Trainer, ConfigurationOfWrongTypesIsCorrupt) {
  const std::string text = to_toml(tiny_run());
  std::string deep = "a";
  for (int part = 0; part < 100'000; ++part) deep += ".a";
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"seed = 7", "seed = -1"},
                                                        {"seed = 7", "seed = \"7\""},
                                                        {"threads = 1", "threads = 0"},
                                                        {"replay = \"disk\"", "replay = \"dsik\""},
                                                        {"seed = 7", deep + " = 1\nseed = 7"}}) {
    std::string bad = text;
    bad.replace(bad.find(from), from.size(), to);
    EXPECT_THROW(from_toml(bad, "here"), CorruptData) << to.substr(0, 40);
  }
}

}  // namespace
}  // namespace mneme::lab
