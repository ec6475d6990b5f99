"""bench/python/speed.py - the package against the installed peers, in one interleaved run.

    .venv-python/bin/python bench/python/speed.py --json bench/results/python.json

Answers first: a contestant whose rows are not rows that were stored is reported as wrong. Then
rounds: in each, every contestant works for a few milliseconds of its own processor time, in rotated
order; the figure is the median over rounds of the ratio within a round, with quartiles.
"""

import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import contestants as c
import numpy as np

BATCH = 256
FILE_ROUNDS = 5
PEERS = ("numpy", "cpprb", "stable-baselines3", "torchrl", "tianshou", "torch")
# (operation, peer, times as fast as it that was asked for)
BARS = {
    ("uniform sample", "NumPy take ring"): 2,
    ("uniform sample", "cpprb"): 5,
    ("uniform sample", "Stable-Baselines3"): 10,
    ("uniform sample", "TorchRL"): 12,
    ("PER sample + update", "cpprb"): 8,
    ("PER sample + update", "Tianshou"): 6,
    ("add of one row", "cpprb"): 20,
    ("add of one row", "Stable-Baselines3"): 3,
    ("add of 64 rows", "cpprb"): 8,
    ("save of 10^6 rows", "cpprb"): 10,
    ("load of 10^6 rows", "cpprb"): 10,
}


def check(contestant, capacity, count, prioritized=False):
    """Every sampled row is one of the last `capacity` that were stored."""
    for _ in range(20):
        got = (
            contestant.sample_and_update(BATCH, np.ones(BATCH, np.float32))
            if prioritized
            else contestant.sample(BATCH)
        )
        obs, act, rew, nxt = (np.asarray(each).reshape(BATCH, -1) for each in got[:4])
        t = rew[:, 0]
        fine = (obs == rew).all() and (act == rew).all() and (nxt == rew + 1).all()
        if not (fine and (t >= count - capacity).all() and (t < count).all()):
            return False
        if prioritized:
            continue
        done = np.asarray(got[4]).reshape(-1)
        if isinstance(contestant, c.Mneme):
            done = done == 0
        if (done != (t % 100 == 99)).any():
            return False
    return True


def interleaved(works, rounds, slot):
    """Seconds per call of each: {name: [one per round]}. Processor time of this thread."""
    calls = {}
    for name, work in works.items():
        work()
        begin, count = time.thread_time(), 0
        while time.thread_time() - begin < slot:
            work()
            count += 1
        calls[name] = max(1, count)
    order, seconds = list(works), {name: [] for name in works}
    for k in range(rounds):
        for name in order[k % len(order) :] + order[: k % len(order)]:
            work = works[name]
            begin = time.thread_time()
            for _ in range(calls[name]):
                work()
            seconds[name].append((time.thread_time() - begin) / calls[name])
    return seconds


def report(operation, seconds):
    ours = seconds["mneme"]
    for name, theirs in seconds.items():
        ratios = sorted(t / o for t, o in zip(theirs, ours, strict=True))
        yield {
            "operation": operation,
            "contestant": name,
            "microseconds": round(statistics.median(theirs) * 1e6, 3),
            "times_mneme": round(statistics.median(ratios), 3),
            "lower_quartile": round(ratios[len(ratios) // 4], 3),
            "upper_quartile": round(ratios[3 * len(ratios) // 4], 3),
            "asked": BARS.get((operation, name)),
        }


def timed(operation, contestants, work_of, args, checked):
    """Rows of the report for the contestants that answer rightly."""
    right = {}
    for each in contestants:
        if checked(each):
            right[each.name] = work_of(each)
        else:
            print(f"{operation}: {each.name} serves rows that were not stored: WRONG, not timed")
    return list(report(operation, interleaved(right, args.rounds, args.slot)))


def sampling(args):
    capacity, count = args.capacity, args.capacity + args.capacity // 3
    kinds = [c.Mneme, c.NumpyRing, c.Cpprb, c.StableBaselines3, c.TorchRL, c.Tianshou]
    all_of_them = [kind(capacity) for kind in kinds]
    for each in all_of_them:
        each.fill(count)
    rows = timed(
        "uniform sample",
        all_of_them,
        lambda each: lambda: each.sample(BATCH),
        args,
        lambda each: check(each, capacity, count),
    )
    # The call alone: a batch of one row, C++ included, bounds what the binding adds.
    small = all_of_them[0].buffer
    single = interleaved({"mneme": lambda: small.sample(1)}, args.rounds, args.slot)
    rows += report("sample of one row", single)
    row = {name: column[0] for name, column in c.rows(count, 1).items()}

    # The same step over and over would be a broken episode each time: the next one is made outside.
    def adding(each):
        pool = c.rows(count, 4096)
        prepared = [{name: column[k] for name, column in pool.items()} for k in range(4096)]
        at = [0]

        def work():
            each.add_one(prepared[at[0] % 4096])
            at[0] += 1

        return work

    rows += timed("add of one row", all_of_them, adding, args, lambda each: True)
    return rows, row


def prioritized(args):
    capacity, count = args.capacity, args.capacity + args.capacity // 3
    all_of_them = [c.Mneme(capacity, "per"), c.Cpprb(capacity, True), c.Tianshou(capacity, True)]
    for each in all_of_them:
        each.fill(count)
    errors = np.abs(np.random.default_rng(0).standard_normal((512, BATCH))).astype(np.float32)

    def work_of(each):
        at = [0]

        def work():
            at[0] += 1
            each.sample_and_update(BATCH, errors[at[0] % 512])

        return work

    return timed(
        "PER sample + update",
        all_of_them,
        work_of,
        args,
        lambda each: check(each, capacity, count, True),
    )


def adding_many(args):
    """64 rows at once: one step of 64 environments for us and SB3, a stretch of rows elsewhere."""
    capacity = args.capacity
    all_of_them = [
        c.Mneme(capacity, streams=64),
        c.NumpyRing(capacity),
        c.Cpprb(capacity),
        c.StableBaselines3(capacity, 64),
        c.TorchRL(capacity),
    ]
    prepared = [c.rows(64 * k, 64) for k in range(256)]
    for k in range(256):  # each environment continues where it was
        for name in ("obs", "next_obs"):
            prepared[k][name] = np.full((64, c.OBSERVATION), float(k + (name == "next_obs")), "f")

    def work_of(each):
        at = [0]

        def work():
            each.add_many(prepared[at[0] % 256])
            at[0] += 1

        for _ in range(capacity // 64 + 64):  # around the ring once: memory that has been touched
            work()
        return work

    return timed("add of 64 rows", all_of_them, work_of, args, lambda each: True)


def memory(args):
    """Resident bytes per transition, each contestant in a process of its own."""
    rows = []
    for kind in ("Mneme", "NumpyRing", "Cpprb", "StableBaselines3", "TorchRL", "Tianshou"):
        code = (
            "import contestants as c, resource, sys\n"
            f"x = c.{kind}(1000); x.fill(2000); x.sample(256)\n"
            "def now(): return int(open('/proc/self/statm').read().split()[1]) * 4096\n"
            f"before = now(); y = c.{kind}({args.capacity}); y.fill({args.capacity}); y.sample(256)\n"
            f"print((now() - before) / {args.capacity})"
        )
        folder = Path(__file__).parent
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", code], cwd=folder, capture_output=True, text=True
        )
        rows.append({"contestant": getattr(c, kind).name, "bytes": float(done.stdout.split()[-1])})
    for row in rows:
        row["times_mneme"] = round(row["bytes"] / rows[0]["bytes"], 3)
        row["bytes"] = round(row["bytes"], 1)
    return rows


def files(args):
    """Wall time of saving and loading: medians over rounds, in turns. What was loaded is dropped
    before the next round, so that no contestant pays for memory that the machine has never given out."""
    import mneme

    ours, theirs = c.Mneme(args.capacity), c.Cpprb(args.capacity)
    for each in (ours, theirs):
        each.fill(args.capacity)
    seconds = {}

    def clock(operation, name, work):
        begin = time.perf_counter()
        answer = work()
        seconds.setdefault((operation, name), []).append(time.perf_counter() - begin)
        return answer

    def save(folder):
        clock("save of 10^6 rows", "mneme", lambda: ours.buffer.save(f"{folder}/mneme"))
        file = f"{folder}/cpprb.npz"
        clock("save of 10^6 rows", "cpprb", lambda: theirs.buffer.save_transitions(file))

    def load(folder):
        mine = clock("load of 10^6 rows", "mneme", lambda: mneme.load(f"{folder}/mneme"))
        if len(mine) != args.capacity:
            raise SystemExit("rows were lost on the way to the disk and back")
        mine.close()
        other = c.Cpprb(args.capacity)
        file = f"{folder}/cpprb.npz"
        clock("load of 10^6 rows", "cpprb", lambda: other.buffer.load_transitions(file))
        if other.buffer.get_stored_size() != args.capacity:
            raise SystemExit("rows were lost on the way to the disk and back")

    for _ in range(FILE_ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            save(folder)
            load(folder)
    return [
        {
            "operation": operation,
            "contestant": name,
            "microseconds": round(statistics.median(times) * 1e6),
            "times_mneme": round(
                statistics.median(
                    t / o for t, o in zip(times, seconds[operation, "mneme"], strict=True)
                ),
                3,
            ),
            "asked": BARS.get((operation, name)),
        }
        for (operation, name), times in sorted(seconds.items(), reverse=True)
    ]


def processor():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--capacity", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--slot", type=float, default=0.01, help="seconds per contestant and round")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    import torch

    import mneme

    torch.set_num_threads(1)
    os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[-1]})
    rows, _ = sampling(args)
    rows += prioritized(args)
    rows += adding_many(args)
    rows += files(args)
    result = {
        "workload": "552-byte rows, batch 256, wrapped ring",
        "capacity": args.capacity,
        "rounds": args.rounds,
        "rows": rows,
        "memory": memory(args),
        "machine": processor(),
        "load": round(os.getloadavg()[0], 1),
        "file_rounds": FILE_ROUNDS,
        "versions": {
            "mneme": mneme.__version__,
            **{name: version(name) for name in PEERS},
        },
        "peak_memory_gb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, 2),
    }
    for row in rows:
        asked = f"  asked {row['asked']}" if row.get("asked") else ""
        print(
            f"{row['operation']:22} {row['contestant']:18} {row['microseconds']:12.2f} us {row['times_mneme']:9.2f}x{asked}"
        )
    for row in result["memory"]:
        print(
            f"resident bytes         {row['contestant']:18} {row['bytes']:12.1f}    {row['times_mneme']:9.2f}x"
        )
    if args.json:
        args.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
