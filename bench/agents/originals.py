"""bench/agents/originals.py - updates of the published agents, for `mneme bench agents --peer`.

    PYTHON_WITH_JAX bench/agents/originals.py --simbav2 DIR --brc DIR
    PYTHON_WITH_TORCH bench/agents/originals.py --fasttd3 DIR

DIR is the user's copy of DAVIAN-Robotics/SimbaV2, naumix/BiggerRegularizedCategorical or younggyoseo/FastTD3. It reads
questions from standard input and answers on standard output; bench/harness/peer.h has the questions. A task is
AGENT/PART, its count the batch, its keys the sizes. What runs is the original's own update function on one batch that
is there already: no sampling, no transfer. FastTD3's are inner functions of its main(), found as
tests/agents/fixtures/record_fasttd3.py finds them.
"""

import argparse
import functools
import math
import os
import pathlib
import sys
import time
import types

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "tests/agents/fixtures"


def package(name, folder):
    """A package without its __init__, which may ask for every environment there is."""
    module = types.ModuleType(name)
    module.__path__ = [str(folder)]
    sys.modules[name] = module


def numbers(random, *sizes):
    return random.uniform(-1, 1, sizes).astype("float32")


class SimbaV2:
    """_update_simbav2_networks, compiled as it is there."""

    def __init__(self, copy, part, batch, threads, sizes):
        import jax
        import numpy as np

        sys.path.insert(0, copy)
        jax.tree_map = jax.tree.map  # gone from later versions of jax
        package("scale_rl", f"{copy}/scale_rl")
        from scale_rl.agents.simbaV2 import simbaV2_agent as agent

        self.version = f"SimbaV2 on jax {jax.__version__}"
        observation, action = sizes["observation"], sizes["action"]
        widths = {"actor": sizes["actor_width"], "critic": sizes["critic_width"]}
        blocks = {"actor": sizes["actor_blocks"], "critic": sizes["critic_blocks"]}
        given = {}
        for who in ("actor", "critic"):
            gain = math.sqrt(2 / widths[who])
            given |= {
                f"{who}_num_blocks": blocks[who],
                f"{who}_hidden_dim": widths[who],
                f"{who}_c_shift": 3.0,
                f"{who}_scaler_init": gain,
                f"{who}_scaler_scale": gain,
                f"{who}_alpha_init": 1 / (blocks[who] + 1),
                f"{who}_alpha_scale": 1 / math.sqrt(widths[who]),
            }
        config = agent.SimbaV2Config(
            seed=0,
            normalize_observation=False,
            normalize_reward=False,
            normalized_g_max=5.0,
            load_only_param=False,
            load_param_key=False,
            load_observation_normalizer=False,
            load_reward_normalizer=False,
            learning_rate_init=1e-4,
            learning_rate_end=5e-5,
            learning_rate_decay_rate=1.0,
            learning_rate_decay_step=1_000_000,
            actor_bc_alpha=0.0,
            critic_use_cdq=bool(sizes["two_critics"]),
            critic_num_bins=sizes["num_atoms"],
            critic_min_v=-5.0,
            critic_max_v=5.0,
            target_tau=0.005,
            temp_initial_value=0.01,
            temp_target_entropy=-0.5 * action,
            temp_target_entropy_coef=-0.5,
            gamma=0.99,
            n_step=1,
            **given,
        )
        self.state = agent._init_simbav2_networks(observation, action, config)
        random = np.random.RandomState(0)
        rows = {
            "observation": numbers(random, batch, observation),
            "action": numbers(random, batch, action),
            "next_observation": numbers(random, batch, observation),
            "reward": numbers(random, batch),
            "terminated": np.zeros(batch, "float32"),
            "truncated": np.zeros(batch, "float32"),
        }
        rows = {name: jax.numpy.asarray(value) for name, value in rows.items()}
        self.update = functools.partial(
            agent._update_simbav2_networks,
            batch=rows,
            gamma=0.99,
            n_step=1,
            critic_use_cdq=config.critic_use_cdq,
            critic_min_v=-5.0,
            critic_max_v=5.0,
            critic_num_bins=config.critic_num_bins,
            target_tau=0.005,
            temp_target_entropy=config.temp_target_entropy,
            actor_bc_alpha=0.0,
        )

    def run(self, count):
        names = ("rng", "actor", "critic", "target_critic", "temperature")
        for _ in range(count):
            *self.state, info = self.update(**dict(zip(names, self.state, strict=True)))
        if not math.isfinite(float(info["critic/loss"])):  # waits for all of it
            raise ArithmeticError("the critic's loss is not a number")


class Brc:
    """BRC.update, one update a call, as its loop does for each of its updates."""

    def __init__(self, copy, part, batch, threads, sizes):
        import jax
        import numpy as np

        sys.path.insert(0, copy)
        for name in ("jaxrl", "jaxrl.agent"):
            package(name, f"{copy}/{name.replace('.', '/')}")
        from jaxrl.agent import brc_learner
        from jaxrl.utils import Batch

        if (sizes["actor_blocks"], sizes["critic_blocks"]) != (1, 2):
            raise LookupError("its networks have one block and two")
        self.version = f"BRC on jax {jax.__version__}"
        observation, action, tasks = sizes["observation"], sizes["action"], sizes["tasks"]
        self.agent = brc_learner.BRC(
            0,
            np.zeros((1, observation), "float32"),
            np.zeros((1, action), "float32"),
            tasks,
            embedding_size=sizes["task_embedding_dim"],
            width_critic=sizes["critic_width"],
            width_actor=sizes["actor_width"],
            num_bins=sizes["num_atoms"],
        )
        random = np.random.RandomState(0)
        rows = Batch(
            observations=numbers(random, 1, batch, observation),
            actions=numbers(random, 1, batch, action),
            next_observations=numbers(random, 1, batch, observation),
            rewards=numbers(random, 1, batch),
            masks=np.ones((1, batch), "float32"),
            task_ids=(np.arange(batch) % tasks).reshape(1, batch),
        )
        self.batch = jax.tree.map(jax.numpy.asarray, rows)

    def run(self, count):
        for step in range(count):
            info = self.agent.update(self.batch, 1, step)
        if not math.isfinite(float(info["critic_loss"])):
            raise ArithmeticError("the critic's loss is not a number")


class FastTD3:
    """update_main with soft_update, or update_pol; with --compile compiled by its own lines, which takes a minute or
    more. Its autocast to bf16 does not run on a CPU."""

    compiled = False

    def __init__(self, copy, part, batch, threads, sizes):
        import torch

        torch.set_num_threads(threads)
        sys.path.insert(0, str(FIXTURES))
        import record_fasttd3 as record

        how = ", compiled" if self.compiled else ""
        self.version = f"FastTD3 on torch {torch.__version__}{how}"
        self.part = part
        observation, action = sizes["observation"], sizes["action"]
        names, _ = record.built(
            pathlib.Path(copy),
            {
                "cuda": False,
                "amp": False,
                "compile": self.compiled,
                "buffer_size": 4,
                "num_atoms": sizes["num_atoms"],
                "critic_hidden_dim": sizes["critic_width"],
                "actor_hidden_dim": sizes["actor_width"],
            },
            (observation, action, 1),
        )
        self.names = names
        self.data = {
            "observations": torch.randn(batch, observation),
            "actions": torch.rand(batch, action) * 2 - 1,
            "next": {
                "observations": torch.randn(batch, observation),
                "rewards": torch.rand(batch),
                "dones": torch.zeros(batch, dtype=torch.long),
                "truncations": torch.zeros(batch, dtype=torch.long),
                "effective_n_steps": torch.ones(batch, dtype=torch.long),
            },
        }

    def run(self, count):
        names, logs = self.names, {}
        for _ in range(count):
            if self.part == "critic":
                names["update_main"](self.data, logs)
                names["soft_update"](names["qnet"], names["qnet_target"], names["args"].tau)
            else:
                names["update_pol"](self.data, logs)
        if not math.isfinite(float(logs["qf_loss" if self.part == "critic" else "actor_loss"])):
            raise ArithmeticError("a loss is not a number")


KINDS = {"simbav2": SimbaV2, "brc": Brc, "fasttd3": FastTD3}


def number(text):
    return {"true": 1, "false": 0}[text] if text in ("true", "false") else int(text)


def answer(words, copies, state):
    match words:
        case ["task", task, count, threads, keys]:
            agent, part = task.split("/")
            if not copies.get(agent):
                return f"no copy of {agent} was given"
            # XLA has as many threads as it sees cores, whatever its flags say.
            cores = sorted(os.sched_getaffinity(0))[: int(threads)]
            if agent != "fasttd3":
                os.sched_setaffinity(0, cores)
            sizes = {k: number(v) for k, v in (pair.split("=") for pair in keys.split(","))}
            try:
                state["peer"] = KINDS[agent](copies[agent], part, int(count), int(threads), sizes)
            except LookupError as reason:
                return f"no {reason}"
            return f"ok {state['peer'].version}"
        case ["run", updates]:
            wall, processor = time.perf_counter(), time.process_time()
            state["peer"].run(int(updates))
            return f"ran {time.perf_counter() - wall:.9f} {time.process_time() - processor:.9f}"
    return "no such question"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in KINDS:
        parser.add_argument(f"--{name}", metavar="DIR")
    parser.add_argument("--compile", action="store_true", help="FastTD3 by torch.compile")
    copies = vars(parser.parse_args())
    FastTD3.compiled = copies.pop("compile")
    # Answers go where standard output was; what libraries print goes to standard error.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    state = {}
    for line in sys.stdin:
        print(answer(line.split(), copies, state), file=answers, flush=True)


if __name__ == "__main__":
    main()
