"""bench/agents/sac_peers.py - SAC as a whole training loop: mneme, Stable-Baselines3 and SBX, on one core.

    PYTHON_WITH_PEERS bench/agents/sac_peers.py --tool build/release/bin/mneme --json bench/results/sac.json

A task of Pendulum's size (observation 3, action 1), networks 256-256, batches of 256, one update per step;
Gymnasium's Pendulum-v1 for the others, dmc/pendulum-swingup for mneme. Every turn is a process of its own,
pinned to one core with one thread; contestants take turns in rotating order. The first updates are not
counted (SBX compiles), nor is anything before them. Reported are steps per second of processor time, which
other programs disturb only through caches, and on the clock; ratios are paired within a round.

Another program joins with --peer NAME=COMMAND: the command gets the numbers of steps without and with
the counted ones (`COMMAND 600 2600`) and prints {"processor": seconds, "clock": seconds, "updates": n}.
"""

import argparse
import json
import os
import resource
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

START, WARM = 500, 100  # the step before the first update; updates that are not counted
BARS = {"stable_baselines3": 2.0, "sbx": 1.2, "rl_tools": 1.2}


def python_peer(name, before, until):
    """Runs inside the child: trains and prints the seconds of the counted steps."""
    if name == "stable_baselines3":
        import torch
        from stable_baselines3 import SAC

        torch.set_num_threads(1)
        options = {"device": "cpu"}
    else:
        from sbx import SAC

        options = {}
    from stable_baselines3.common.callbacks import BaseCallback

    class Clock(BaseCallback):
        begin = None

        def _on_step(self):
            if self.num_timesteps == before:
                self.begin = time.process_time(), time.perf_counter()
            return True

    clock = Clock()
    model = SAC("MlpPolicy", "Pendulum-v1", learning_starts=START, seed=0, **options)
    model.learn(until, callback=clock)
    processor, wall = time.process_time() - clock.begin[0], time.perf_counter() - clock.begin[1]
    print(json.dumps({"processor": processor, "clock": wall, "updates": int(model._n_updates)}))


def on_one_core(core):
    def pin():
        os.sched_setaffinity(0, {core})

    return pin


def environment():
    one = {name: "1" for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
    return {**os.environ, **one, "JAX_PLATFORMS": "cpu", "CUDA_VISIBLE_DEVICES": ""}


def child(command, core):
    """Standard output of a pinned process, its processor time and its time on the clock."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment(), preexec_fn=on_one_core(core)
    )
    wall = time.perf_counter() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(command)} failed:\n{done.stderr[-2000:]}")
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.stdout, used, wall


def mneme(tool, before, until, core):
    """Two runs that differ by the counted steps: what both do (start, warm-up, evaluation) cancels."""

    def run(steps):
        folder = tempfile.mkdtemp()
        settings = {"random_steps": START, "learning_starts": START, "eval_every": 10**9}
        settings |= {"eval_episodes": 1, "steps": steps}
        command = [tool, "train", "sac", "dmc/pendulum-swingup", "--preset", "upstream"]
        command += ["--replay", "memory", "--out", str(Path(folder) / "run"), "--json"]
        for name, value in settings.items():
            command += ["--set", f"{name}={value}"]
        try:
            out, used, wall = child(command, core)
        finally:
            shutil.rmtree(folder)
        return json.loads(out)["updates"], used, wall

    short, long = run(before), run(until)
    return {"processor": long[1] - short[1], "clock": long[2] - short[2], "updates": long[0]}


def peer(command, before, until, core):
    out, _, _ = child([*command, str(before), str(until)], core)
    return json.loads(out.strip().splitlines()[-1])


def spread(values):
    quartiles = statistics.quantiles(values, n=4) if len(values) > 1 else [values[0]] * 3
    return {
        "median": statistics.median(values),
        "lower_quartile": quartiles[0],
        "upper_quartile": quartiles[2],
    }


def processor_name():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown"


def version_of(package):
    from importlib.metadata import version

    return version(package)


def result_of(turns, steps, load_before):
    """What stands in the file: rates, paired ratios, and what they were measured on."""
    rows = []
    for name, own in turns.items():
        row = {"name": name}
        for clock in ("processor", "clock"):
            row[clock] = spread([steps / turn[clock] for turn in own])
            if name != "mneme":
                pairs = zip(own, turns["mneme"], strict=True)
                row[f"times_{clock}"] = spread(
                    [theirs[clock] / ours[clock] for theirs, ours in pairs]
                )
        if name in BARS:
            row["bar"] = BARS[name]
        rows.append(row)
    return {
        "machine": processor_name(),
        "cores": os.cpu_count(),
        "load_before": load_before,
        "load_after": os.getloadavg()[0],
        "steps": steps,
        "rounds": len(turns["mneme"]),
        "batch": 256,
        "layers": "256-256",
        "versions": {
            name: version_of(name) for name in ("stable_baselines3", "sbx-rl", "torch", "jax")
        },
        "rows": rows,
    }


def main():
    if len(sys.argv) == 5 and sys.argv[1] == "--turn":
        return python_peer(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", default="build/release/bin/mneme")
    parser.add_argument("--steps", type=int, default=2000, help="counted in each turn")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument("--json", help="write the result here")
    args = parser.parse_args()

    before, until = START + WARM, START + WARM + args.steps
    contestants = {"mneme": lambda: mneme(args.tool, before, until, args.core)}
    for name in ("stable_baselines3", "sbx"):
        command = [sys.executable, __file__, "--turn", name]
        contestants[name] = lambda command=command: peer(command, before, until, args.core)
    for text in args.peer:
        name, _, command = text.partition("=")
        words = shlex.split(command)
        contestants[name] = lambda words=words: peer(words, before, until, args.core)

    load_before = os.getloadavg()[0]
    turns = {name: [] for name in contestants}
    names = list(contestants)
    for k in range(args.rounds):
        for name in names[k % len(names) :] + names[: k % len(names)]:
            turn = contestants[name]()
            # The same work: one update per step since the first.
            if not until - START - 2 <= turn["updates"] <= until - START + 2:
                sys.exit(f"{name} made {turn['updates']} updates, {until - START} are expected")
            turns[name].append(turn)
            rate = args.steps / turn["processor"], args.steps / turn["clock"]
            print(
                f"round {k + 1} {name:18} {rate[0]:7.1f} steps/s of processor time, {rate[1]:7.1f} on the clock",
                file=sys.stderr,
                flush=True,
            )
        # After every round: a long measurement that is stopped keeps what it has.
        text = json.dumps(result_of(turns, args.steps, load_before), indent=1) + "\n"
        if args.json:
            Path(args.json).write_text(text)
    print(text, end="")


if __name__ == "__main__":
    main()
