// study/spec.h - a study as its TOML file describes it: scale and overrides applied, every key
// known, nothing looked up yet.
//
//   title = "gain against volume"
//   agent = "simbav2"
//   tasks = ["dmc/walker-run", "dmc/cheetah-run"]        # names or sets
//   samplers = ["uniform", "truncated_geometric:alpha=10"]
//   seeds = 5                                            # 0 to 4, the same for every sampler
//   steps = "250k"
//   settings = {batch = 128, capacity = "250k"}          # as mneme train --set
//   [sweep]
//   utd = ["1/16", "1/4", 1]
//   [laptop]                                             # laid over the above with --scale laptop
//   seeds = 3
//
// docs/studies.md lists every key.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "mneme/index.h"

namespace mneme::lab {

using Settings = std::vector<std::pair<std::string, std::string>>;

/// What is compared: a sampler, or samplers and settings under a name.
struct Arm {
  std::string name;
  Settings settings;  ///< sampler, actor_sampler, anything
};

/// Runs with one agent: all of tasks x points x arms x seeds.
struct Part {
  std::string name;  ///< empty if the study has only one
  std::string agent, preset = "laptop";
  std::vector<std::string> tasks;  ///< names and sets
  bool together = false;           ///< one run learns all of them
  std::vector<Arm> arms;
  std::vector<Index> seeds;
  Settings settings;             ///< of every run, in the order they are laid on
  std::vector<Settings> points;  ///< combinations of swept settings; a single empty one if none
};

struct StudyFile {
  std::string name;  ///< of its directory; with the scale, if the file has one
  std::string title, about;
  std::string needs;                  ///< not empty: why it cannot run at all
  std::vector<std::string> commands;  ///< of mneme; see study/allowed_commands.h
  std::vector<std::string> runs_of;   ///< other studies whose runs these are
  std::vector<Part> parts;
  std::string device = "cpu";
  Index threads = 1;
  double checkpoint_minutes = 5;
  bool keep = false;  ///< replay buffers and checkpoints of finished runs
  std::string text;   ///< canonical, resolved: what the ledger remembers
};

/// A study with more runs is refused before they are listed.
inline constexpr std::size_t kMostRuns = 20'000;

/// What the command line replaces; empty or 0: nothing.
struct StudyOverrides {
  std::string scale = {}, name = {}, agent = {}, preset = {}, steps = {}, device = {};
  std::vector<std::string> tasks = {}, samplers = {}, settings = {};  ///< settings: key=value
  Index seeds = 0, threads = 0;
};

/// `text` is the file's content, `name` its name without folder and ending. Throws InvalidArgument
/// for unknown keys (with the nearest known one), values of a wrong type or out of range, names that
/// cannot be directories, and commands that are not allowed.
StudyFile read_study(const std::string& text, const std::string& name,
                     const StudyOverrides& overrides);

}  // namespace mneme::lab
