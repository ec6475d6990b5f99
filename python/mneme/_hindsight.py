"""mneme/_hindsight.py - hindsight experience replay: goals of drawn rows replaced by reached ones.

Rows are drawn as always; then a share k / (k + 1) of the batch gets another goal, one that was
reached in the same episode (Andrychowicz et al. 2017), and the reward that belongs to it. Which rows
and which goals is a function of the seed and of the draw, so that a resumed run relabels alike.
"""

import hashlib
import math
from typing import Any

import numpy as np

STRATEGIES = ("future", "final", "episode")
_PARTS = ("observation", "achieved_goal", "desired_goal")
_STREAM = np.uint64(44)  # ids: stream in the bits from here on, sequence number below


class Her:
    """The parameters of a spec such as "her:k=4,strategy=future,of=(truncated_geometric:alpha=10)"."""

    def __init__(self, k: float = 4.0, strategy: str = "future", of: str = "uniform") -> None:
        if not (math.isfinite(k) and k >= 0):
            raise ValueError(f"her: k must be finite and at least 0, got {k}")
        if strategy not in STRATEGIES:
            raise ValueError(f"her: strategy must be {', '.join(STRATEGIES)}, got '{strategy}'")
        self.k, self.strategy, self.of = float(k), strategy, of

    @property
    def share(self) -> float:
        """Of a batch that is relabelled."""
        return self.k / (self.k + 1)

    @property
    def spec(self) -> str:
        return f"her:k={self.k:g},strategy={self.strategy},of=({self.of})"

    @classmethod
    def parse(cls, spec: Any) -> "Her | None":
        """None if the spec names another sampler."""
        text = str(getattr(spec, "spec", spec))
        name, _, rest = text.partition(":")
        if name != "her":
            return None
        given: dict[str, Any] = {}
        for part in _split(rest):
            key, equals, value = part.partition("=")
            if not equals or key not in ("k", "strategy", "of"):
                raise KeyError(f"her: unknown parameter '{key}'; known: k, strategy, of")
            if key in given:
                raise ValueError(f"her: {key} is given twice")
            given[key] = value
        if "k" in given:
            try:
                given["k"] = float(given["k"])
            except ValueError:
                raise ValueError(f"her: k must be a number, got '{given['k']}'") from None
        if "of" in given:
            given["of"] = given["of"].removeprefix("(").removesuffix(")")
        return cls(**given)


def _split(text: str) -> list[str]:
    """The parameters of a spec: commas inside parentheses do not count."""
    parts, depth, start = [], 0, 0
    for k, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append(text[start:k])
            start = k + 1
    return [*parts, text[start:]] if text else []


def check_goals(parts: list[tuple[str, ...]]) -> None:
    """Raises ValueError unless these are the parts of a goal environment's observation."""
    top = {path[0] for path in parts}
    missing = [name for name in _PARTS if name not in top]
    if missing:
        raise ValueError(
            f"her needs observations with the parts {', '.join(_PARTS)}; {', '.join(missing)} "
            "is missing"
        )


class Episodes:
    """Where the episodes of every stream end, by sequence number; follows the buffer by itself."""

    def __init__(self, streams: int) -> None:
        self._ends: list[np.ndarray] = [np.empty(0, np.int64) for _ in range(streams)]
        self._seen = [0] * streams  # rows below are known; the newest may still become a cut

    def follow(self, core: Any, stream: int) -> None:
        """Takes in the rows added since."""
        while True:
            added = core.added_to(stream)
            oldest = added - core.size(stream)
            first = max(self._seen[stream], oldest)
            if first >= added:
                return
            flags = np.empty(added - first, np.uint8)
            ids = np.empty(added - first, np.uint64)
            core._read(stream, first - oldest, added - first, {"id": ids}, flags)
            numbers = (ids & np.uint64(2**44 - 1)).astype(np.int64)
            if numbers[0] > first:
                continue  # a writer moved the oldest row meanwhile
            known = self._ends[stream]
            known = known[np.searchsorted(known, oldest) : np.searchsorted(known, numbers[0])]
            self._ends[stream] = np.concatenate([known, numbers[flags != 0]])
            self._seen[stream] = int(numbers[-1])
            return

    def bounds(self, core: Any, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """First and last sequence number of each row's episode, as far as it is stored."""
        streams = (ids >> _STREAM).astype(np.int64)
        sequences = (ids & np.uint64(2**44 - 1)).astype(np.int64)
        first, last = np.empty_like(sequences), np.empty_like(sequences)
        for stream in np.unique(streams):
            self.follow(core, int(stream))
            mine = streams == stream
            ends, rows = self._ends[stream], sequences[mine]
            added = core.added_to(int(stream))
            oldest = added - core.size(int(stream))
            place = np.searchsorted(ends, rows)  # the first end at or after the row
            padded = np.append(ends, added - 1)
            last[mine] = np.maximum(padded[place], rows)
            before = np.where(place > 0, padded[place - 1] + 1, oldest)
            first[mine] = np.minimum(np.maximum(before, oldest), rows)
        return first, last


class Relabeler:
    """Replaces goals and rewards in the batches of one buffer."""

    def __init__(
        self, her: Her, reward_function: Any, termination_function: Any, seed: int, streams: int
    ) -> None:
        if not callable(reward_function):
            raise TypeError(
                "her needs reward_function=: a function of (achieved_goal, desired_goal, info) that "
                "takes arrays of many rows, such as env.unwrapped.compute_reward"
            )
        self.her, self.reward_function = her, reward_function
        self.termination_function = termination_function
        self._seed, self._batches, self._episodes = seed, 0, Episodes(streams)

    def _generator(self, core: Any, ids: np.ndarray) -> np.random.Generator:
        # The counter of the diagnostics is saved with the buffer, one of our own would not be.
        try:
            drawn = core.diagnostics().batches
        except ValueError:
            drawn = self._batches
            self._batches += 1
        digest = hashlib.blake2b(digest_size=16)
        digest.update(f"{self._seed}/{drawn}/".encode())
        digest.update(ids.tobytes())
        return np.random.Generator(np.random.Philox(key=int.from_bytes(digest.digest(), "little")))

    def relabel(self, core: Any, batch: Any, fields: list[str]) -> np.ndarray:
        """Relabels rows of the batch in place and returns which."""
        ids = np.asarray(batch["id"])
        random = self._generator(core, ids)
        count = int(self.her.share * len(ids))
        chosen = np.zeros(len(ids), bool)
        chosen[random.permutation(len(ids))[:count]] = True
        if count == 0:
            return chosen
        rows = ids[chosen]
        first, last = self._episodes.bounds(core, rows)
        sequences = (rows & np.uint64(2**44 - 1)).astype(np.int64)
        if self.her.strategy == "final":
            goal = last
        else:
            begin = sequences if self.her.strategy == "future" else first
            goal = begin + np.floor(random.random(count) * (last - begin + 1)).astype(np.int64)
        goal_ids = (rows >> _STREAM << _STREAM) | goal.astype(np.uint64)
        shape, dtype = core._config()["observation"]
        packed = np.empty((count, *shape), "float32" if dtype in ("float16", "bfloat16") else dtype)
        found = np.zeros(count, np.uint8)
        core._gather(goal_ids, {"next_observation": packed}, found)
        # A goal that a writer has overwritten meanwhile: that row keeps its own.
        kept = found != 0
        chosen[np.flatnonzero(chosen)[~kept]] = False
        goals = core._packing.unpack(packed)["achieved_goal"][kept]
        before, after = batch["observation"], batch["next_observation"]
        before["desired_goal"][chosen] = goals
        after["desired_goal"][chosen] = goals
        info = {name: batch[name][chosen] for name in fields}
        achieved = after["achieved_goal"][chosen]
        reward = np.asarray(self.reward_function(achieved, goals, info), np.float32)
        if reward.shape != (len(goals),):
            raise ValueError(
                f"reward_function must return one number for each of {len(goals)} rows, got shape "
                f"{reward.shape}"
            )
        if not np.isfinite(reward).all():
            raise ValueError("reward_function returned a reward that is not finite")
        batch["reward"][chosen] = reward
        if self.termination_function is not None:
            over = np.asarray(self.termination_function(achieved, goals, info), bool)
            batch["discount"][chosen] = np.where(over, 0, np.float32(core.discount))
        return chosen


def base_of(her: Her) -> str:
    """The sampler that draws the rows, checked by the core when the buffer is made."""
    if her.of.partition(":")[0] == "her":
        raise ValueError("her: of= must name another sampler")
    return her.of


__all__ = ["STRATEGIES", "Her", "Relabeler", "base_of", "check_goals"]
