"""bench/envs/peer.py - DeepMind Control in other hands, for `mneme envs bench --peer`.

    PYTHON_WITH_DM_CONTROL bench/envs/peer.py dm_control
    PYTHON_WITH_ENVPOOL bench/envs/peer.py envpool
    mneme envs --suite dmc --json | PYTHON_WITH_DM_CONTROL bench/envs/peer.py shared

The third prints the tasks that mneme and dm_control both have. The others take part in a contest.
They read questions from standard input and answer on standard output; bench/harness/peer.h has the
questions. Actions are drawn beforehand, so that drawing them costs the peer nothing.
"""

import json
import os
import re
import sys
import time

os.environ.setdefault("MUJOCO_GL", "disable")
import numpy as np

KEPT = 1000  # batches of actions drawn beforehand


def flat(observation, keys):
    return np.concatenate([np.ravel(observation[key]) for key in keys])


class DmControl:
    """dm_control's own loop, observations included, as a learner would run it. One environment:
    what it costs does not go down with more."""

    def __init__(self, task, count, threads, keys):
        if threads > 1:
            raise LookupError("it has one thread")
        from importlib import metadata

        from dm_control import suite

        domain, name = task.removeprefix("dmc/").split("-", 1)
        if (domain, name) not in suite.ALL_TASKS:
            raise LookupError(f"it has no {task}")
        self.version = f"{metadata.version('dm_control')}, MuJoCo {metadata.version('mujoco')}"
        self.env = suite.load(domain, name, task_kwargs={"random": 1})
        self.episodes, self.keys = count, keys
        spec = self.env.action_spec()
        self.actions = np.random.RandomState(2).uniform(
            spec.minimum, spec.maximum, (KEPT, *spec.shape)
        )
        self.env.reset()
        self.at = 0

    def size(self):
        return 1

    def play(self):
        result, length = [], 0
        spec, random = self.env.action_spec(), np.random.RandomState(3)
        for _ in range(self.episodes):
            step = self.env.reset()
            before, total, motion, length = flat(step.observation, self.keys), 0.0, 0.0, 0
            while not step.last():
                step = self.env.step(random.uniform(spec.minimum, spec.maximum))
                now = flat(step.observation, self.keys)
                motion += np.abs(now - before).sum()
                before, total, length = now, total + step.reward, length + 1
            result.append((total, motion / length))
        self.env.reset()
        # The same number by which env.step advances the physics.
        substeps = round(self.env.control_timestep() / self.env.physics.timestep())
        return (len(before), spec.shape[0], length, substeps), result

    def run(self, steps):
        for _ in range(steps):
            if self.env.step(self.actions[self.at % KEPT]).last():
                self.env.reset()
            self.at += 1


class EnvPool:
    """EnvPool's synchronous vector environment, auto-reset by itself. Tasks of one body have all keys
    that any of them has; only those of the task are compared."""

    def __init__(self, task, count, threads, keys):
        from importlib import metadata

        import envpool

        name = re.sub(r"(^|[-_])(\w)", lambda found: found.group(2).upper(), task[len("dmc/") :])
        if not task.startswith("dmc/") or f"{name}-v1" not in envpool.list_all_envs():
            raise LookupError(f"it has no {task}")
        self.version = f"{metadata.version('envpool')}, {mujoco_inside(envpool)}"
        self.env = envpool.make_gymnasium(f"{name}-v1", num_envs=count, num_threads=threads, seed=1)
        observation, _ = self.env.reset()
        missing = set(keys) - set(observation)
        if missing:
            raise LookupError(f"its observation lacks {', '.join(sorted(missing))}")
        self.keys = keys
        space = self.env.action_space
        self.low, self.high = np.broadcast_arrays(space.low, space.high)
        self.shape = (count, *space.shape[-1:])
        random = np.random.RandomState(2)
        self.actions = random.uniform(self.low, self.high, (KEPT, *self.shape))
        self.at = 0

    def size(self):
        return self.shape[0]

    def play(self):
        def flat_rows(observation):
            rows = [np.reshape(observation[key], (self.shape[0], -1)) for key in self.keys]
            return np.concatenate(rows, axis=1)

        random = np.random.RandomState(3)
        before = flat_rows(self.env.reset()[0])
        total, motion, length = np.zeros(self.shape[0]), np.zeros(self.shape[0]), 0
        while True:
            action = random.uniform(self.low, self.high, self.shape)
            observation, reward, terminated, truncated, _ = self.env.step(action)
            now = flat_rows(observation)
            total, motion = total + reward, motion + np.abs(now - before).sum(axis=1)
            before, length = now, length + 1
            ended = terminated | truncated
            if ended.any():
                if not ended.all():
                    raise RuntimeError("episodes of different length")
                break
        self.env.reset()
        rows = list(zip(total, motion / length, strict=True))
        return (before.shape[1], self.shape[1], length, self.env.config["frame_skip"]), rows

    def run(self, steps):
        for _ in range(steps):
            self.env.step(self.actions[self.at % KEPT])
            self.at += 1


def mujoco_inside(envpool):
    """EnvPool carries MuJoCo inside its library and says its version nowhere else."""
    library = os.path.join(os.path.dirname(envpool.__file__), "mujoco", "mujoco_dmc_envpool.so")
    with open(library, "rb") as file:
        found = re.findall(rb"\0(3\.\d+\.\d+)\0", file.read())
    return f"MuJoCo {found[0].decode()}" if len(set(found)) == 1 else "MuJoCo of unknown version"


def answer(words, peers, state):
    match words:
        case ["task", task, count, threads, keys]:
            state.clear()  # the old one's threads end before the new one's begin
            try:
                state["peer"] = peers(task, int(count), int(threads), keys.split(","))
            except LookupError as reason:
                return f"no {reason}"
            return f"ok {state['peer'].version}"
        case ["size"]:
            return f"size {state['peer'].size()}"
        case ["play"]:
            sizes, rows = state["peer"].play()
            numbers = " ".join(f"{total:.17g} {motion:.17g}" for total, motion in rows)
            return f"played {' '.join(map(str, sizes))} {numbers}"
        case ["run", steps]:
            wall, processor = time.perf_counter(), time.process_time()
            state["peer"].run(int(steps))
            return f"ran {time.perf_counter() - wall:.9f} {time.process_time() - processor:.9f}"
    return "no such question"


def shared():
    from dm_control import suite

    theirs = {f"dmc/{domain}-{task}" for domain, task in suite.ALL_TASKS}
    for task in json.load(sys.stdin)["tasks"]:
        if task["available"] and task["name"] in theirs:
            print(task["name"])


def serve(peers):
    """Answers questions until there are no more; `peers` makes one."""
    # Answers go where standard output was; what libraries print goes to standard error.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    state = {}
    for line in sys.stdin:
        print(answer(line.split(), peers, state), file=answers, flush=True)


def main():
    if sys.argv[1:] == ["shared"]:
        return shared()
    serve({"dm_control": DmControl, "envpool": EnvPool}[sys.argv[1]])


if __name__ == "__main__":
    main()
