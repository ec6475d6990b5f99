#!/usr/bin/env python3
"""bench/agents/learning.py - what the laptop presets learn: runs them, keeps the curves, draws them.

    learning.py run --tool build/release/bin/mneme [--only TEXT] [--jobs 2]
    learning.py draw                       docs/agents/*.svg from bench/results/learning.json

A run is one line of RUNS for each seed. Curves of runs that were made again replace the old ones;
the others stay. Drawing needs matplotlib, running nothing.
"""

import argparse
import concurrent.futures
import csv
import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "bench/results/learning.json"

# What the public code does, but for the width of the critic, which is 512 there. Schedules go by the
# whole run, of which the beginning is looked at.
NARROW = ["--preset", "upstream", "--set", "critic_width=128"]
NARROW += ["--set", "eval_every=5000", "--set", "eval_episodes=5"]

# Suites in Python, see docs/suites: scores are shares of episodes with success.
METAWORLD = [
    f"metaworld/{task}" for task in ("reach", "button-press", "drawer-close", "window-open")
]

# Four of BRC's twenty tasks with hands; all of them pay for standing.
HANDS = ["stand", "walk", "run", "pole"]
PER = ["--sampler", "per"]

# Name of the curve, what follows `mneme train`, seeds, the step to stop at before the end.
RUNS = [
    ("simbav2 walker-walk", ["simbav2", "dmc/walker-walk"], 3, None),
    ("simbav2 cartpole-balance", ["simbav2", "dmc/cartpole-balance"], 3, None),
    ("simbav2 cartpole-balance narrow", ["simbav2", "dmc/cartpole-balance", *NARROW], 1, 30_000),
    ("fasttd3 walker-walk", ["fasttd3", "dmc/walker-walk"], 3, None),
    ("brc walkers", ["brc", "dmc/walker-stand", "dmc/walker-walk", "dmc/walker-run"], 3, None),
    ("brc metaworld", ["brc", *METAWORLD], 1, 20_000),
    ("simbav2 myo", ["simbav2", "myo/reach"], 1, None),
    ("fasttd3 h1hand-stand", ["fasttd3", "hb/h1hand-stand", *PER], 1, None),
    ("fasttd3 h1hand-stand uniform", ["fasttd3", "hb/h1hand-stand"], 1, 17_000),
    ("brc hands", ["brc", *(f"hb/h1hand-{task}" for task in HANDS), *PER], 1, None),
]


def evaluations(path):
    """Rows of an eval.csv; none while there is no file."""
    if not path.exists():
        return []
    with path.open() as file:
        return list(csv.DictReader(file))


def run(tool, arguments, seed, stop):
    """One training run in a directory that is thrown away; its evaluations, task by task."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        command = [tool, "train", *arguments, "--seed", str(seed), "--replay", "memory"]
        log = (Path(folder) / "log").open("w+")
        job = subprocess.Popen([*command, "--out", str(out)], stdout=log, stderr=log)
        while job.poll() is None:
            time.sleep(1)
            rows = evaluations(out / "eval.csv") if stop else []
            if rows and int(rows[-1]["step"]) >= stop:
                job.send_signal(signal.SIGINT)
                job.wait()
                break
        else:
            if job.returncode != 0:
                log.seek(0)
                sys.exit(f"{' '.join(command)}\n{log.read()}")
        curves = {}
        for row in evaluations(out / "eval.csv"):
            if not stop or int(row["step"]) <= stop:
                kinds = {"step": [], "seconds": [], "score": [], "return": []}
                curve = curves.setdefault(row["task"], kinds)
                curve["step"].append(int(row["step"]))
                curve["seconds"].append(round(float(row["seconds"]), 1))
                curve["score"].append(round(float(row["score"]), 4))
                curve["return"].append(round(float(row["return"]), 3))
        return curves


def run_all(options):
    """Runs what was asked for, two at a time, and writes the file after each."""
    known = json.loads(RESULTS.read_text()) if RESULTS.exists() else {"runs": []}
    machine = subprocess.run(["lscpu"], capture_output=True, text=True).stdout
    processor = next(
        line.split(":")[1].strip() for line in machine.splitlines() if "Model name" in line
    )
    todo = [
        (name, arguments, seed, stop)
        for name, arguments, seeds, stop in RUNS
        for seed in range(seeds)
        if options.only in name
    ]
    if not todo:
        sys.exit(f"no curve has '{options.only}' in its name: {', '.join(r[0] for r in RUNS)}")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        jobs = {pool.submit(run, options.tool, a, s, t): (n, a, s) for n, a, s, t in todo}
        for count, job in enumerate(concurrent.futures.as_completed(jobs), 1):
            name, arguments, seed = jobs[job]
            if RESULTS.exists():  # another one may have written meanwhile
                known["runs"] = json.loads(RESULTS.read_text())["runs"]
            known["runs"] = [r for r in known["runs"] if (r["name"], r["seed"]) != (name, seed)] + [
                {
                    "name": name,
                    "command": f"mneme train {' '.join(arguments)} --seed {seed}",
                    "seed": seed,
                    "machine": processor,
                    "curves": job.result(),
                }
            ]
            known["runs"].sort(key=lambda r: (r["name"], r["seed"]))
            RESULTS.write_text(json.dumps(known, indent=1) + "\n")
            print(f"{count} of {len(todo)}: {name}, seed {seed}", flush=True)


def draw():
    """One drawing per curve: every seed thin, their mean thick."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "mneme"  # the same file for the same numbers
    import matplotlib.pyplot as plt

    data = json.loads(RESULTS.read_text())
    folder = ROOT / "docs/agents"
    folder.mkdir(exist_ok=True)
    for name in sorted({r["name"] for r in data["runs"]}):
        runs = [r for r in data["runs"] if r["name"] == name]
        tasks = list(runs[0]["curves"])
        # Where the score is success, 0 or 1 in a single environment, the return says more.
        kinds = ["score", "return"] if tasks[0].startswith(("metaworld/", "myo/")) else ["score"]
        # The agent, and its sampler where one is named.
        _, _, sampler = runs[0]["command"].partition("--sampler ")
        who = " with ".join([name.split()[0], *sampler.split()[:1]])
        top = max(1.0, *(max(c["score"]) for r in runs for c in r["curves"].values()))
        figure, axes = plt.subplots(
            len(kinds),
            len(tasks),
            figsize=(4.2 * len(tasks), 2.8 * len(kinds)),
            sharey="row",
            squeeze=False,
        )
        for kind, line in zip(kinds, axes, strict=True):
            for axis, task in zip(line, tasks, strict=True):
                curves = [r["curves"][task] for r in runs]
                for curve in curves:
                    axis.plot(curve["step"], curve[kind], color="#7a9ec8", linewidth=0.9)
                mean = [
                    sum(points) / len(points)
                    for points in zip(*(c[kind] for c in curves), strict=True)
                ]
                axis.plot(curves[0]["step"], mean, color="#1f4e8c", linewidth=2.2)
                axis.set_title(f"{who}, {task}", fontsize=10)
                axis.set_xlabel("decisions per environment")
                if kind == "score":
                    axis.set_ylim(-0.02 if len(kinds) > 1 else 0, top + 0.02)
                axis.grid(alpha=0.25)
            line[0].set_ylabel(f"{kind}, no exploration")
        figure.tight_layout()
        target = folder / f"{name.replace(' ', '_')}.svg"
        figure.savefig(target, metadata={"Date": None})
        plt.close(figure)
        print(target.relative_to(ROOT))


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    runs = commands.add_parser("run", help="train, and write bench/results/learning.json")
    runs.add_argument("--tool", default="build/release/bin/mneme")
    runs.add_argument("--only", default="", help="curves whose name contains this")
    runs.add_argument("--jobs", type=int, default=2)
    commands.add_parser("draw", help="docs/agents/*.svg")
    options = parser.parse_args()
    if options.command == "run":
        run_all(options)
    else:
        draw()


if __name__ == "__main__":
    main()
