"""tests/run/export_in_python.py TOOL - what `mneme export` writes gives the same actions in Python.

Trains every agent for a few steps, exports its policy, loads it with torch.jit.load and compares.
"""

import json
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import torch

SMALL = ["steps=60", "random_steps=10", "learning_starts=30", "batch_size=16", "capacity=500"]
SMALL += ["eval_every=60", "eval_episodes=1"]


def run(tool, *words):
    return subprocess.run([tool, *words], capture_output=True, text=True, check=True).stdout


def actions_of(policy, row, tasks):
    observation = torch.tensor([row["observation"]], dtype=torch.float32)
    if tasks == 1:
        return policy(observation)[0]
    return policy(observation, torch.tensor([row["task"]]))[0]


def difference(tool, agent, tasks, folder):
    directory, file = folder / agent, folder / f"{agent}.pt"
    settings = [word for text in SMALL for word in ("--set", text)]
    run(tool, "train", agent, *tasks, *settings, "--out", str(directory))
    rows = json.loads(run(tool, "export", str(directory), str(file), "--check", "20"))["rows"]
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # TorchScript is called old-fashioned; it is what C++ can write
        policy = torch.jit.load(str(file))
    return max(
        (actions_of(policy, row, len(tasks)) - torch.tensor(row["action"])).abs().max().item()
        for row in rows
    )


def main():
    tool = sys.argv[1]
    agents = {agent: ["dummy/count"] for agent in ("simbav2", "fasttd3", "sac", "td3")}
    agents["brc"] = ["dummy/count"] * 2
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for agent, tasks in agents.items():
            found = difference(tool, agent, tasks, Path(folder))
            print(f"{agent}: actions differ by at most {found:.2g}")
            worst = max(worst, found)
    sys.exit(0 if worst <= 1e-6 else 1)


if __name__ == "__main__":
    main()
