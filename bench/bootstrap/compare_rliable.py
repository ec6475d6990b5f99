#!/usr/bin/env python3
"""bench/bootstrap/compare_rliable.py - mneme's bootstrap against the rliable package, interleaved in one run.

    pip install rliable==1.2.0 'pandas<3'      # arch, which rliable uses, does not load with pandas 3
    bench/bootstrap/compare_rliable.py --program build/release/bin/bench_bootstrap

Both get the same 10 x 20 scores and compute mean, median, IQM and optimality gap of every resample. First the answers:
with the same NumPy seed the intervals must agree, or nothing is timed. Then pairs, order rotated; the result is the
median of the paired ratios with its quartiles, written to bench/results/bootstrap.json.

RLiable's time is linear in the repetitions, so a pair gives it fewer (--rliable-reps) and both are compared per
repetition; --rliable-reps 50000 measures it in full.
"""

import argparse
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time

import numpy as np
from rliable import library, metrics

ROOT = pathlib.Path(__file__).resolve().parents[2]
SEED = 42


def aggregates(x):
    return np.array(
        [
            metrics.aggregate_median(x),
            metrics.aggregate_iqm(x),
            metrics.aggregate_mean(x),
            metrics.aggregate_optimality_gap(x),
        ]
    )


def rliable(scores, reps):
    np.random.seed(SEED)
    start = time.perf_counter()
    _, intervals = library.get_interval_estimates({"scores": scores}, aggregates, reps=reps)
    return time.perf_counter() - start, intervals["scores"]


def mneme(program, runs, tasks, reps, generator):
    """One timed call in a fresh process, after a warm-up inside it."""
    command = [program, str(runs), str(tasks), str(reps), generator, str(SEED), "1"]
    answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return answer["seconds"][0], np.array([answer["low"], answer["high"]]), answer["compiler"]


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def spread(values):
    low, middle, high = statistics.quantiles(values, n=4)
    return {"median": middle, "lower_quartile": low, "upper_quartile": high}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=str(ROOT / "build/release/bin/bench_bootstrap"))
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--tasks", type=int, default=20)
    parser.add_argument("--reps", type=int, default=50_000)
    parser.add_argument("--rliable-reps", type=int, default=1_000)
    parser.add_argument("--pairs", type=int, default=30)
    parser.add_argument("--output", default=str(ROOT / "bench/results/bootstrap.json"))
    args = parser.parse_args()
    scores = np.random.RandomState(7).randint(0, 1200, (args.runs, args.tasks)) / 1000

    # The answers before the clock.
    _, expected = rliable(scores, 1_000)
    _, answer, compiler = mneme(args.program, args.runs, args.tasks, 1_000, "rliable")
    difference = float(np.max(np.abs(answer - expected)))
    if not difference < 1e-12:
        sys.exit(f"the intervals differ by {difference}: nothing is timed")
    print(f"seeded intervals agree within {difference:.1e}")

    seconds, ratios, same_draws = [], [], []
    for pair in range(args.pairs):
        contestants = [
            ("rliable", lambda: rliable(scores, args.rliable_reps)[0] / args.rliable_reps),
            (
                "mneme",
                lambda: (
                    mneme(args.program, args.runs, args.tasks, args.reps, "mneme")[0] / args.reps
                ),
            ),
            (
                "mneme_rliable_draws",
                lambda: (
                    mneme(args.program, args.runs, args.tasks, args.reps, "rliable")[0] / args.reps
                ),
            ),
        ]
        turn = pair % len(contestants)
        per_repetition = {name: call() for name, call in contestants[turn:] + contestants[:turn]}
        seconds.append(per_repetition["mneme"] * args.reps)
        ratios.append(per_repetition["rliable"] / per_repetition["mneme"])
        same_draws.append(per_repetition["rliable"] / per_repetition["mneme_rliable_draws"])

    result = {
        "workload": f"{args.reps} bootstrap repetitions of {args.runs} x {args.tasks} scores; mean, median, IQM, gap",
        "machine": {
            "processor": processor(),
            "cores": os.cpu_count(),
            "system": platform.system(),
            "load_average": os.getloadavg()[
                0
            ],  # above the cores: the seconds are inflated, the ratios less so
        },
        "compiler": compiler,
        "versions": {
            "rliable": "1.2.0",
            "numpy": np.__version__,
            "python": platform.python_version(),
        },
        "pairs": args.pairs,
        "rliable_reps": args.rliable_reps,
        "largest_difference": difference,
        "seconds": spread(seconds),
        "times_rliable": spread(ratios),
        "times_rliable_same_draws": spread(same_draws),
    }
    pathlib.Path(args.output).write_text(json.dumps(result, indent=2) + "\n")
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
