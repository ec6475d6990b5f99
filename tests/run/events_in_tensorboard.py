"""tests/run/events_in_tensorboard.py TOOL - event files of a run, in the real TensorBoard.

A run with --tensorboard is killed some steps after its checkpoint, and resumed. What
TensorBoard then shows must be the run's own tables: every value, and no step twice. Read by its
Python loader and by the server that a browser talks to. Needs requirements/tensorboard.txt.
"""

import csv
import json
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

RUN = """simbav2 dummy/count:limit=9 --tensorboard --steps 400 --utd 1/4 --batch-size 8 --capacity 500 --seed 3
    --set random_steps=10 --set learning_starts=20 --set critic_width=4 --set actor_width=4
    --set eval_every=20 --set eval_episodes=1""".split()


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def tables(run):
    """What the run's own tables say: {tag: [(step, value)]}."""
    wanted = {}

    def put(tag, step, value):
        wanted.setdefault(tag, []).append((int(step), float(value)))

    for row in rows(run / "eval.csv"):
        put(f"score/{row['task']}", row["step"], row["score"])
        put(f"return/{row['task']}", row["step"], row["return"])
        if row["success"]:
            put(f"success/{row['task']}", row["step"], row["success"])
    for row in rows(run / "metrics.csv"):
        kind, _, task = row["name"].partition(":")
        put(f"{kind}/{task}" if task else f"train/{kind}", row["step"], row["value"])
    for row in rows(run / "diagnostics.csv"):
        put(f"replay_{row['reader']}/{row['name']}", row["step"], row["value"])
    return wanted


def close(a, b):
    return abs(a - b) <= 1e-6 * max(1, abs(a), abs(b))  # tables have ten digits, events a float


def compare(wanted, shown, who):
    complaints = []
    if sorted(wanted) != sorted(shown):
        complaints.append(f"{who}: tags {sorted(shown)}, tables have {sorted(wanted)}")
    for tag in set(wanted) & set(shown):
        if [step for step, _ in wanted[tag]] != [step for step, _ in shown[tag]]:
            complaints.append(f"{who}: {tag}: steps {[step for step, _ in shown[tag]]}")
        elif not all(close(a, b) for (_, a), (_, b) in zip(wanted[tag], shown[tag], strict=True)):
            complaints.append(f"{who}: {tag}: {shown[tag]} where the table has {wanted[tag]}")
    return complaints


def loaded(folder):
    """As TensorBoard's own loader has them."""
    events = EventAccumulator(str(folder), size_guidance={"scalars": 0})
    events.Reload()
    return {
        tag: [(event.step, event.value) for event in events.Scalars(tag)]
        for tag in events.Tags()["scalars"]
    }


def served(folder, tags):
    """As the server answers a browser."""
    server = subprocess.Popen(
        [Path(sys.executable).with_name("tensorboard"), "--logdir", folder, "--port", "0"],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    try:
        address = None
        for line in server.stderr:
            if found := re.search(r"http://\S+:\d+/", line):
                address = found.group(0)
                break
        assert address, "tensorboard did not start"
        answers = {}
        for tag in tags:
            query = urllib.parse.urlencode({"run": ".", "tag": tag})
            for _ in range(60):  # it loads in the background
                try:
                    with urllib.request.urlopen(
                        f"{address}data/plugin/scalars/scalars?{query}", timeout=30
                    ) as answer:
                        answers[tag] = [(step, value) for _, step, value in json.load(answer)]
                    break
                except urllib.error.HTTPError:
                    time.sleep(0.5)
        return answers
    finally:
        server.terminate()
        server.wait()


def without_sessions(folder, copy):
    """The same files without the mark that a session began again: the control."""
    shutil.copytree(folder, copy)
    for path in copy.iterdir():
        data, kept, at = path.read_bytes(), b"", 0
        while at < len(data):
            (size,) = struct.unpack_from("<Q", data, at)
            record = data[at : at + size + 16]
            if b"\x3a\x02\x08\x01" not in record:  # field 7, two bytes: status START
                kept += record
            at += size + 16
        path.write_bytes(kept)
    return copy


def main():
    tool = sys.argv[1]
    complaints = []
    with tempfile.TemporaryDirectory() as place:
        run = Path(place) / "run"
        first = subprocess.Popen(
            [tool, "train", *RUN, "--out", run],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        begun = time.monotonic()
        while not (run / "eval.csv").exists() or len(rows(run / "eval.csv")) < 4:
            assert first.poll() is None and time.monotonic() - begun < 300, "the run did not go"
            time.sleep(0.01)
        first.send_signal(signal.SIGKILL)
        first.wait()
        subprocess.run([tool, "train", "--resume", run], check=True, capture_output=True)

        folder = run / "tensorboard"
        wanted = tables(run)
        if len(wanted["score/dummy/count"]) != 21 or len(list(folder.iterdir())) != 2:
            complaints.append(f"not the run that was meant: {wanted['score/dummy/count']}")
        complaints += compare(wanted, loaded(folder), "loader")
        complaints += compare(wanted, served(folder, sorted(wanted)), "server")
        control = without_sessions(folder, Path(place) / "control")
        if not compare(wanted, loaded(control), "loader"):
            complaints.append("the check has no power: steps taken twice were not seen")
    print("\n".join(complaints) if complaints else "TensorBoard shows the tables, every step once")
    sys.exit(1 if complaints else 0)


main()
