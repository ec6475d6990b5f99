"""bench/envs/compare_dm_control.py - control steps per second of processor time: mneme against dm_control.

Both take uniform random actions on one thread, in turns; the ratio is the median over rounds.

    PYTHON_WITH_DM_CONTROL bench/envs/compare_dm_control.py --tool build/release/bin/mneme [TASK...]
"""

import argparse
import json
import os
import statistics
import subprocess
import time

os.environ.setdefault("MUJOCO_GL", "disable")
import numpy as np
from dm_control import suite

TASKS = ["dmc/pendulum-swingup", "dmc/cheetah-run", "dmc/walker-run", "dmc/humanoid-run"]


class Theirs:
    """dm_control's own loop, observations included, as a learner would run it."""

    def __init__(self, task):
        domain, name = task.removeprefix("dmc/").split("-")
        self.env = suite.load(domain, name, task_kwargs={"random": 1})
        self.env.reset()
        spec = self.env.action_spec()
        random = np.random.RandomState(2)
        self.actions = random.uniform(spec.minimum, spec.maximum, (1000, *spec.shape))

    def steps_per_second(self, seconds):
        steps, begin = 0, time.process_time()
        while time.process_time() - begin < seconds:
            for action in self.actions[:100]:
                if self.env.step(action).last():
                    self.env.reset()
            steps += 100
        return steps / (time.process_time() - begin)


def ours(tool, task, seconds):
    command = [tool, "envs", "bench", task, "--threads", "1", "--pairs", "1", "--json"]
    command += ["--seconds", str(seconds)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["tasks"][0]["steps_per_second"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("tasks", nargs="*", default=TASKS)
    arguments = parser.parse_args()
    print(f"{'task':26} {'mneme':>10} {'dm_control':>11} {'ratio':>7}  lowest and highest round")
    for task in arguments.tasks:
        peer = Theirs(task)
        pairs = []
        for turn in range(arguments.rounds):
            measured = {}
            for who in ("ours", "theirs") if turn % 2 else ("theirs", "ours"):
                if who == "ours":
                    measured[who] = ours(arguments.tool, task, arguments.seconds)
                else:
                    measured[who] = peer.steps_per_second(arguments.seconds)
            pairs.append((measured["ours"], measured["theirs"]))
        ratios = sorted(a / b for a, b in pairs)
        print(
            f"{task:26} {statistics.median(a for a, _ in pairs):10,.0f} "
            f"{statistics.median(b for _, b in pairs):11,.0f} {statistics.median(ratios):7.1f}  "
            f"{ratios[0]:.1f} {ratios[-1]:.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
