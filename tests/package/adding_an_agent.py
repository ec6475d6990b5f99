"""tests/package/adding_an_agent.py - four new files and one new line make an agent, everywhere.

adding_an_agent.py BUILD FOLDER    a build of the tool, a folder to work in

FOLDER/source gets a copy of src/agents with the agent and its line in registry.def. Its files are compiled with
the commands of BUILD and linked with everything else of it; the program that comes out trains, resumes, exports
and lists the agent. Nothing but those five files is edited.
"""

import argparse
import json
import shlex
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAME = "tiny"

CONFIG_H = r"""// agents/tiny/config.h - settings and presets of `tiny`.
#pragma once

#include "agents/registry.h"

namespace mneme {

struct TinySettings {
  Index critic_width = 16;
  double learning_rate = 1e-3;
  double exploration_noise = 0.1;

  template <class Self, class Visit>
  static void fields(Self& self, const Visit& visit) {
    visit("critic_width", self.critic_width, "units of the critic's hidden layer");
    visit("learning_rate", self.learning_rate, "learning rate of actor and critic");
    visit("exploration_noise", self.exploration_noise, "standard deviation of noise on actions");
  }
};

class TinyConfig final : public AgentConfigOf<TinySettings> {
 public:
  void check(const AgentShape& shape) const override;
  NetworkShapes network_shapes(const AgentShape& shape) const override;
  std::unique_ptr<Agent> make(const AgentShape& shape, const AgentReaders& readers,
                              const ComputeOptions& compute) const override;
};

}  // namespace mneme
"""

CONFIG_CPP = r"""// agents/tiny/config.cpp - presets and checks of `tiny`.
#include "agents/tiny/config.h"

#include "agents/settings/checks.h"
#include "agents/tiny/learner.h"

namespace mneme {
namespace {

std::unique_ptr<AgentConfig> preset(std::string_view name, const AgentShape&) {
  if (name != "laptop") throw NotFound(unknown_name("preset of tiny", name, {"laptop"}));
  auto config = std::make_unique<TinyConfig>();
  config->run.batch_size = 32;
  config->run.random_steps = config->run.learning_starts = 32;
  return config;
}

}  // namespace

AgentInfo tiny_info() {
  return {.name = "tiny",
          .summary = "deterministic policy gradient with a linear actor",
          .presets = {"laptop"},
          .config = &preset};
}

void TinyConfig::check(const AgentShape& shape) const {
  mneme::check(run);
  check_warm_up(run, shape.streams());
  at_least("critic_width", own.critic_width, 1);
  at_least("learning_rate", own.learning_rate, 0);
}

NetworkShapes TinyConfig::network_shapes(const AgentShape& shape) const {
  const Index observation = shape.observation(), action = shape.action();
  NetworkShapes all;
  all.actor = {.layers = {{observation, action}}, .vectors = action};
  all.critic = {.layers = {{observation + action, own.critic_width}, {own.critic_width, 1}},
                .action = action,
                .vectors = own.critic_width + 1};
  return all;
}

std::unique_ptr<Agent> TinyConfig::make(const AgentShape& shape, const AgentReaders& readers,
                                        const ComputeOptions& compute) const {
  check(shape);
  return std::make_unique<tiny::Learner>(*this, shape, readers, compute);
}

}  // namespace mneme
"""

LEARNER_H = r"""// agents/tiny/learner.h - deterministic policy gradient without target networks.
#pragma once

#include "agents/common/learner_base.h"
#include "agents/nn/layers/mlp.h"
#include "agents/nn/optim/adam.h"
#include "agents/tiny/config.h"

namespace mneme::tiny {

class Learner final : public LearnerBase {
 public:
  Learner(const TinyConfig& config, const AgentShape& shape, const AgentReaders& readers,
          const ComputeOptions& compute);

 private:
  at::Tensor choose_actions(const at::Tensor& observations, const ActRows& rows,
                            Acting how) override;
  void run_updates(Index updates) override;
  Policy policy() const override;
  std::vector<const nn::Parameters*> learned() const override;
  void save_networks(StateWriter& out) const override;
  void load_networks(StateReader& in) override;

  at::Tensor best(const at::Tensor& observations) const { return actor_(observations)[0].tanh(); }

  TinyConfig config_;
  at::Generator initial_;
  nn::Parameters actor_parameters_, critic_parameters_;
  nn::Mlp actor_, critic_;
  nn::Adam actor_adam_, critic_adam_;
  Index updates_ = 0;
};

}  // namespace mneme::tiny
"""

LEARNER_CPP = r"""// agents/tiny/learner.cpp - updates of `tiny`.
#include "agents/tiny/learner.h"

#include <torch/csrc/autograd/autograd.h>

namespace mneme::tiny {

using torch::autograd::grad;

Learner::Learner(const TinyConfig& config, const AgentShape& shape, const AgentReaders& readers,
                 const ComputeOptions& compute)
    : LearnerBase(config.run, shape, readers, compute),
      config_(config),
      initial_(initial_weights(compute)),
      actor_parameters_(options()),
      critic_parameters_(options()),
      actor_(actor_parameters_, "layer", 1, {shape.observation(), shape.action()}, &initial_),
      critic_(critic_parameters_, "layer", 1,
              {shape.observation() + shape.action(), config.own.critic_width, 1}, &initial_),
      actor_adam_(actor_parameters_),
      critic_adam_(critic_parameters_) {}

at::Tensor Learner::choose_actions(const at::Tensor& observations, const ActRows&, Acting how) {
  if (how == Acting::evaluate) return best(observations);
  const at::Tensor shake = config_.own.exploration_noise * noise(observations.size(0));
  return (best(observations) + shake).clamp(-1, 1);
}

void Learner::run_updates(Index updates) {
  for (Index k = 0; k < updates; ++k) {
    batches().draw(1);
    const TrainingBatch& batch = batches().critic(0);
    at::Tensor target;
    {
      const at::NoGradGuard no_grad;
      const at::Tensor& next = batch.next_observation;
      target = batch.reward + batch.discount * critic_(next, best(next))[0].squeeze(-1);
    }
    const at::Tensor error = target - critic_(batch.observation, batch.action)[0].squeeze(-1);
    const at::Tensor critic_loss = (error.square() * batch.weight).mean();
    critic_adam_.step(grad({critic_loss}, critic_parameters_.values()), config_.own.learning_rate);

    const nn::Frozen frozen(critic_parameters_);
    const at::Tensor& seen = batches().actor(0).observation;
    const at::Tensor actor_loss = -critic_(seen, best(seen)).mean();
    actor_adam_.step(grad({actor_loss}, actor_parameters_.values()), config_.own.learning_rate);

    ++updates_;
    metrics().add("critic_loss", critic_loss.item<double>(), updates_);
    metrics().add("actor_loss", actor_loss.item<double>(), updates_);
    batches().feed_back(0, error);
  }
}

LearnerBase::Policy Learner::policy() const {
  return {named(actor_parameters_),
          "def forward(self, observation):\n"
          "    x = torch.linear(observation, self.layer0_weight[0], self.layer0_bias[0])\n"
          "    return torch.tanh(x)\n"};
}

std::vector<const nn::Parameters*> Learner::learned() const {
  return {&actor_parameters_, &critic_parameters_};
}

void Learner::save_networks(StateWriter& out) const {
  for (const nn::Parameters* list : learned()) list->save(out);
  for (const nn::Adam* adam : {&actor_adam_, &critic_adam_}) adam->save(out);
  out.put(updates_);
}

void Learner::load_networks(StateReader& in) {
  for (nn::Parameters* list : {&actor_parameters_, &critic_parameters_}) list->load(in);
  for (nn::Adam* adam : {&actor_adam_, &critic_adam_}) adam->load(in);
  updates_ = in.get<Index>();
}

}  // namespace mneme::tiny
"""

FILES = {
    "config.h": CONFIG_H,
    "config.cpp": CONFIG_CPP,
    "learner.h": LEARNER_H,
    "learner.cpp": LEARNER_CPP,
}


def run(*command, cwd=None, fails=False):
    """Standard output of a command that succeeds, or standard error of one that fails."""
    command = [str(word) for word in command]
    print("$", shlex.join(command)[:300], flush=True)
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)
    assert (done.returncode != 0) == fails, done.stdout + done.stderr
    return done.stderr if fails else done.stdout


def add_agent(source):
    """A copy of src/agents with the agent: five files are new or edited."""
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(ROOT / "src/agents", source / "agents")
    folder = source / "agents" / NAME
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    registry = source / "agents/registry.def"
    registry.write_text(registry.read_text() + f"MNEME_AGENT({NAME})\n")


def compile_as(build, model, source, out, include):
    """Compiles a file as BUILD compiles `model`, with `include` searched first."""
    commands = json.loads((build / "compile_commands.json").read_text())
    entry = next(one for one in commands if one["file"] == str(ROOT / model))
    words = shlex.split(entry["command"])
    words[words.index("-o") + 1] = str(out)
    words[words.index("-c") + 1] = str(source)
    first = next(k for k, word in enumerate(words) if word.startswith(("-I", "-isystem")))
    run(*words[:first], f"-I{include}", *words[first:], cwd=entry["directory"])


def link(build, ninja, objects, out):
    """Links the tool of BUILD with these objects in front of its libraries."""
    command = run(ninja, "-C", build, "-t", "commands", "bin/mneme").strip().splitlines()[-1]
    words = [word for word in shlex.split(command) if word not in (":", "&&")]
    at = words.index("-o")
    words[at + 1] = str(out)
    run(*words[:at], *objects, *words[at:], cwd=build)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--ninja", default="ninja")
    o = parser.parse_args()
    build, folder = o.build.resolve(), o.folder.resolve()
    source = folder / "source"
    add_agent(source)

    objects = []
    model = "src/agents/sac_td3/learner.cpp"
    for name in ("registry.cpp", f"{NAME}/config.cpp", f"{NAME}/learner.cpp"):
        objects.append(folder / (name.replace("/", "_") + ".o"))
        compile_as(build, model, source / "agents" / name, objects[-1], source)
    tool = folder / "mneme"
    link(build, o.ninja, objects, tool)

    # It is listed, trains, resumes and exports; its settings have the checks of all others.
    unknown = run(tool, "train", "tinny", "dummy/count", fails=True)
    assert f"'{NAME}'" in unknown, unknown
    without = run(build / "bin/mneme", "train", NAME, "dummy/count", fails=True)  # the control
    assert "simbav2" in without, without
    settings = run(tool, "train", NAME, "dummy/count", "--settings")
    assert "exploration_noise" in settings and "learning_starts" in settings, settings
    refused = run(tool, "train", NAME, "dummy/count", "--set", "batch=3", fails=True)
    assert "setting batch is now batch_size" in refused, refused
    out = folder / "run"
    shutil.rmtree(out, ignore_errors=True)
    small = ("--steps", "100", "--set", "eval_every=50", "--set", "eval_episodes=1")
    result = json.loads(
        run(tool, "train", NAME, "dummy/count", *small, "--sampler", "per", "--out", out, "--json")
    )
    assert result["steps"] == 100 and result["updates"] > 50, result
    assert "critic_loss" in (out / "metrics.csv").read_text()
    run(tool, "train", "--resume", out)
    run(tool, "eval", out, "--episodes", "1")
    policy = folder / "policy.pt"
    run(tool, "export", out, policy)
    assert policy.stat().st_size > 0
    print(f"{NAME}: trained, resumed, evaluated and exported; {len(FILES)} new files and one line")


if __name__ == "__main__":
    main()
