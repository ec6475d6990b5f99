"""tests/run/export_in_python.py TOOL - what `mneme export` writes gives the same actions in Python.

Trains every agent for a few steps, exports its policy, loads it with torch.jit.load and compares. A policy must
also not be tied to the CPU: none of its operations makes a tensor on a default device.
"""

import json
import re
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


def made_on_default_device(graph):
    """Operations of a TorchScript graph that make a tensor where no input says on which device."""
    makers = "arange|empty|eye|full|linspace|ones|rand|randn|scalar_tensor|tensor|zeros"
    return sorted(set(re.findall(rf"aten::(?:{makers})\(", str(graph))))


@torch.jit.script
def tied_to_the_cpu(x):
    return torch.cat([x, torch.full([x.size(0), 1], 3.0)], -1)


def actions_of(policy, row, tasks):
    observation = torch.tensor([row["observation"]], dtype=torch.float32)
    if tasks == 1:
        return policy(observation)[0]
    return policy(observation, torch.tensor([row["task"]]))[0]


def difference(tool, agent, tasks, more, folder):
    folder.mkdir()
    directory, file = folder / agent, folder / f"{agent}.pt"
    settings = [word for text in SMALL + more for word in ("--set", text)]
    run(tool, "train", agent, *tasks, *settings, "--out", str(directory))
    rows = json.loads(run(tool, "export", str(directory), str(file), "--check", "20"))["rows"]
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # TorchScript is called old-fashioned; it is what C++ can write
        policy = torch.jit.load(str(file))
    fixed = made_on_default_device(policy.inlined_graph)
    assert not fixed, f"{agent}: {fixed} would be on the CPU on every device"
    return max(
        (actions_of(policy, row, len(tasks)) - torch.tensor(row["action"])).abs().max().item()
        for row in rows
    )


def main():
    tool = sys.argv[1]
    agents = {agent: ["dummy/count"] for agent in ("simbav2", "fasttd3", "sac", "td3")}
    agents["brc"] = ["dummy/count"] * 2
    # fasttd3 has hyperspherical layers too.
    runs = [(agent, tasks, []) for agent, tasks in agents.items()]
    runs.append(("fasttd3", ["dummy/count"], ["network=simbav2"]))
    assert made_on_default_device(tied_to_the_cpu.graph) == ["aten::full("], "the control"
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for number, (agent, tasks, more) in enumerate(runs):
            found = difference(tool, agent, tasks, more, Path(folder) / str(number))
            print(f"{agent}: actions differ by at most {found:.2g}")
            worst = max(worst, found)
    sys.exit(0 if worst <= 1e-6 else 1)


if __name__ == "__main__":
    main()
