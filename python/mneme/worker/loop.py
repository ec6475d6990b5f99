"""mneme/worker/loop.py - single environments, one after the other: the hot path.

Every environment has reset and step as in Gymnasium. A step writes its row, and an environment
whose episode has ended is reset in place, so that terminal observations are exact in every version
of Gymnasium. Per row, the loop costs one assignment of the observation: rewards are written
together, flags only where one is set, and limits are deadlines on a common clock, checked only when
the earliest is due.
"""

import struct
import sys
import traceback

from .block import BEGUN, DROPPED, SUCCESS, TERMINATED, TRUNCATED
from .messages import SEEDS
from .spaces import Actions, Observations

NEVER = 1 << 62
NOTHING = {}


class Fault(Exception):
    """An environment threw: its row; the exception is the cause."""

    def __init__(self, row):
        super().__init__(f"environment {row}")
        self.row = row


def seed_with_nonce(seed, nonce):
    return (seed + 1000003 * nonce) % SEEDS


class Singles:
    """Environments of one group. `success`: the entry of info that is the success measure; `limit`:
    steps before this loop truncates (0: the environment does); `horizon`: the limit to report;
    `at_reset`: the first reset takes the seed; `reseed(environment, seed)`: seeds again one that takes
    its seed in the constructor."""

    final = True

    def __init__(
        self, group, environments, success=None, limit=0, horizon=None, reseed=None, at_reset=True
    ):
        self.group, self.environments, self.success = group, environments, success
        self.limit, self.horizon = limit, limit if horizon is None else horizon
        self.reseed, self.at_reset = reseed, at_reset
        self.observations = Observations(environments[0].observation_space, group.keys)
        self.actions = Actions(environments[0].action_space)


class _Nowhere:
    """Discards the observations of a dropped environment."""

    def __setitem__(self, rows, observation):
        pass


class Loop:
    """The rows of consecutive groups. `drop`: an environment that throws is dropped from then
    on."""

    def __init__(self, groups, drop=False):
        self.groups, self.drop = groups, drop
        self.count = sum(len(each.environments) for each in groups)
        self._rows = [(each, index) for each in groups for index in range(len(each.environments))]
        self._environments = [each.environments[index] for each, index in self._rows]
        self._steps = [environment.step for environment in self._environments]
        self._resets = [environment.reset for environment in self._environments]
        self._keys = [each.success for each, _ in self._rows]
        self._repeats = [each.group.repeat for each, _ in self._rows]
        self._limits = [each.limit or NEVER for each, _ in self._rows]
        self._clock, self._nonce = 0, None
        self._deadlines, self._earliest = [NEVER] * self.count, NEVER
        self._left = list(self._limits)
        if any(repeat > 1 for repeat in self._repeats):
            self.step = self._step_repeated

    def attach(self, block, first):
        rows = slice(first, first + self.count)
        self._first, self._indices = first, range(first, first + self.count)
        self._flags = memoryview(block.flags)
        self._final = [
            each.observations.target(row[: each.observations.size])
            for (each, _), row in zip(self._rows, block.final_observation[rows])
        ]
        self._begun = [
            each.observations.target(row[: each.observations.size])
            for (each, _), row in zip(self._rows, block.observation[rows])
        ]
        # All rewards in one call, converted as float() does.
        self._rewards = struct.Struct(f"<{self.count}d").pack_into
        self._memory, self._reward_offset = block.memory, block.reward_offset + 8 * first
        # Neighbors with the same actions are mapped together.
        sources, at = [], first
        for each in self.groups:
            if sources and sources[-1][0].same(each.actions):
                sources[-1][2] += len(each.environments)
            else:
                sources.append([each.actions, at, len(each.environments)])
            at += len(each.environments)
        self._sources = [
            actions.each(block.action[at : at + count, : actions.size])
            for actions, at, count in sources
        ]

    def _actions(self):
        if len(self._sources) == 1:
            return self._sources[0]()
        return [action for source in self._sources for action in source()]

    def reset(self, nonce=0):
        """Begins an episode in every row. The first reset passes seeds, and so does one with another
        nonce."""
        seeding = self._nonce is None or (nonce and nonce != self._nonce)
        first, self._nonce = self._nonce is None, nonce
        for index, (each, place) in enumerate(self._rows):
            if self._resets[index] is None:
                self._flags[self._first + index] = DROPPED
                continue
            seed = seed_with_nonce(each.group.seeds[place], nonce)
            try:
                if seeding and each.reseed and nonce:
                    each.reseed(self._environments[index], seed)
                if seeding and each.at_reset:
                    observation = self._resets[index](seed=seed)[0]
                else:
                    observation = self._resets[index]()[0]
                if first:
                    each.observations.check(observation)
                self._final[index][...] = observation
            except Exception as error:
                self._fault(index, error)
        self._clock = 0
        self._left = list(self._limits)
        self._deadlines = list(self._limits)
        self._earliest = min(self._deadlines)

    def step(self):
        self._clock += 1
        flags, rewards, ended = self._flags, [], []
        add = rewards.append
        rows = zip(self._indices, self._steps, self._final, self._keys, self._actions())
        while True:
            try:
                for row, step, final, key, action in rows:
                    observation, reward, terminated, truncated, info = step(action)
                    final[...] = observation
                    if terminated or truncated:
                        flags[row] = (TERMINATED if terminated else 0) | (
                            TRUNCATED if truncated else 0
                        )
                        ended.append(row)
                    if key is not None and info.get(key):
                        flags[row] |= SUCCESS
                    add(reward)
                break
            except Exception as error:
                self._fault(row - self._first, error)
                add(0.0)
        self._rewards(self._memory, self._reward_offset, *rewards)
        if self._clock >= self._earliest:
            for index, deadline in enumerate(self._deadlines):
                if deadline <= self._clock:
                    row = self._first + index
                    if not flags[row] & (TERMINATED | TRUNCATED):
                        ended.append(row)
                    flags[row] |= TRUNCATED
        if ended:
            self._begin(ended)

    def _step_repeated(self):
        """The same with repeated actions: an episode may end within a decision, and limits count
        single steps."""
        flags, rewards, ended, left = self._flags, [], [], self._left
        rows = zip(
            range(self.count), self._steps, self._final, self._keys, self._repeats, self._actions()
        )
        while True:
            try:
                for index, step, final, key, repeat, action in rows:
                    total, solved, remaining = 0.0, False, left[index]
                    for _ in range(min(repeat, remaining)):
                        observation, reward, terminated, truncated, info = step(action)
                        total += float(reward)
                        remaining -= 1
                        if key is not None and info.get(key):
                            solved = True
                        if terminated or truncated:
                            break
                    final[...] = observation
                    left[index] = remaining
                    if terminated or truncated or not remaining or solved:
                        over = not remaining or truncated
                        flags[self._first + index] = (
                            (TERMINATED if terminated else 0)
                            | (TRUNCATED if over else 0)
                            | (SUCCESS if solved else 0)
                        )
                        if terminated or over:
                            ended.append(self._first + index)
                    rewards.append(total)
                break
            except Exception as error:
                self._fault(index, error)
                rewards.append(0.0)
        self._rewards(self._memory, self._reward_offset, *rewards)
        if ended:
            self._begin(ended)

    def _begin(self, ended):
        """The first observations of the next episodes."""
        for row in ended:
            index = row - self._first
            if self._resets[index] is None:
                continue
            try:
                self._begun[index][...] = self._resets[index]()[0]
                self._flags[row] |= BEGUN
            except Exception as error:
                self._fault(index, error)
            self._left[index] = self._limits[index]
            if self._deadlines[index] != NEVER:
                self._deadlines[index] = self._clock + self._limits[index]
        self._earliest = min(self._deadlines)

    def _fault(self, index, error):
        """Throws Fault, or drops this environment from now on."""
        row = self._first + index
        if not self.drop:
            raise Fault(row) from error
        print(f"environment {row} is dropped:", file=sys.stderr)
        traceback.print_exception(type(error), error, error.__traceback__)
        flags, nowhere = self._flags, _Nowhere()

        def dropped(action):
            flags[row] = DROPPED
            return None, 0.0, False, False, NOTHING

        self._steps[index], self._resets[index], self._keys[index] = dropped, None, None
        self._final[index] = self._begun[index] = nowhere
        self._limits[index] = self._deadlines[index] = self._left[index] = NEVER
        flags[row] = DROPPED

    def close(self):
        for environment in self._environments:
            close = getattr(environment, "close", None)
            if close:
                close()
