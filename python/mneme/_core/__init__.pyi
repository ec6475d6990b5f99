"""The C++ core of mneme. Import mneme instead."""

from collections.abc import Iterator, Sequence
import enum
from typing import Annotated, Any, overload

import numpy
import numpy.typing
from numpy.typing import NDArray

from mneme._core import stats as stats

class Sampler:
    """Draws indices in age order: 0 is the oldest stored."""

    @property
    def spec(self) -> str:
        """The spec string that makes this sampler again."""

    @property
    def name(self) -> str:
        """Its name in the registry."""

    @property
    def batches(self) -> int:
        """Batches drawn so far: the only state there is."""

    @batches.setter
    def batches(self, arg: int, /) -> None: ...
    def sample(
        self, size: int, capacity: int, count: int, *, seed: int = 0, progress: float = 0.0
    ) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """
        That many indices, drawn with replacement from a buffer that holds `size` of `capacity` transitions.
        """

    def invert(
        self,
        uniforms: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", writable=False)],
        size: int,
        capacity: int,
        *,
        progress: float = 0.0,
    ) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """
        The indices that these uniforms in [0, 1), float64, lead to in the next batch: the inverse of the distribution function.
        """

    def probabilities(
        self, size: int, capacity: int, *, progress: float = 0.0
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The exact probability of every index, oldest first."""

    def __repr__(self: Any) -> str: ...

def make_sampler(sampler: object) -> Sampler:
    """
    The sampler that a spec string names. KeyError for an unknown name, ValueError for a value out of range.
    """

def registry() -> list:
    """
    Every sampler with its parameters, defaults and ranges: what `mneme samplers --json` prints.
    """

class NewestMass:
    """The newest share of the buffer and its share of the draws."""

    @property
    def share(self) -> float: ...
    @property
    def mass(self) -> float: ...

    __match_args__: tuple = ("share", "mass")

    def asdict(self: Any) -> dict[str, Any]:
        """All fields by name, those of nested results too: for loggers."""

    def __repr__(self: Any) -> str: ...

class IndexReplays:
    """Expected draws of one transition per vector step."""

    @property
    def recency(self) -> float: ...
    @property
    def index(self) -> int: ...
    @property
    def replays_per_step(self) -> float: ...

    __match_args__: tuple = ("recency", "index", "replays_per_step")

    def asdict(self: Any) -> dict[str, Any]:
        """All fields by name, those of nested results too: for loggers."""

    def __repr__(self: Any) -> str: ...

class Diagnosis:
    """What a sampler does to the data, exactly."""

    @property
    def expected_recency(self) -> float:
        """0 oldest, 1/2 uniform, 1 newest."""

    @property
    def reference_recency(self) -> float:
        """The same against the reference capacity."""

    @property
    def sampling_entropy(self) -> float:
        """Nats, over the sampler's cycle."""

    @property
    def conditional_entropy(self) -> float:
        """Nats, within one batch."""

    @property
    def perplexity(self) -> float:
        """Like drawing uniformly from this many."""

    @property
    def collision_entropy(self) -> float:
        """-ln(sum of squares)."""

    @property
    def newest_probability(self) -> float: ...
    @property
    def oldest_probability(self) -> float: ...
    @property
    def newest_mass(self) -> list[NewestMass]:
        """For the newest 1, 10, 25 and 50 %."""

    @property
    def expected_replays(self) -> list[IndexReplays]:
        """At recency 0, 1/4, 1/2, 3/4, 0.9 and 1."""

    @property
    def replay_volume(self) -> float:
        """Draws per stored transition."""

    @property
    def updates_per_transition(self) -> float: ...
    @property
    def first_replay_median(self) -> float:
        """Steps until first drawn."""

    @property
    def first_replay_mean(self) -> float: ...
    @property
    def never_replayed_probability(self) -> float: ...
    @property
    def exact(self) -> bool:
        """False: too many ages to sum one by one."""

    __match_args__: tuple = ...

    def asdict(self: Any) -> dict[str, Any]:
        """All fields by name, those of nested results too: for loggers."""

    def __repr__(self: Any) -> str: ...

class Match:
    """One family of samplers at a given expected recency."""

    @property
    def family(self) -> str: ...
    @property
    def parameter(self) -> str: ...
    @property
    def reachable(self) -> bool:
        """False: `reason` says why."""

    @property
    def reason(self) -> str: ...
    @property
    def value(self) -> float: ...
    @property
    def spec(self) -> str:
        """A spec string to use."""

    @property
    def expected_recency(self) -> float: ...
    @property
    def sampling_entropy(self) -> float: ...
    @property
    def conditional_entropy(self) -> float: ...
    @property
    def collision_entropy(self) -> float: ...

    __match_args__: tuple = ...

    def asdict(self: Any) -> dict[str, Any]:
        """All fields by name, those of nested results too: for loggers."""

    def __repr__(self: Any) -> str: ...

class FrontierRow:
    """The three recency samplers at one expected recency."""

    @property
    def expected_recency(self) -> float: ...
    @property
    def alpha(self) -> float: ...
    @property
    def truncated_geometric_entropy(self) -> float: ...
    @property
    def window(self) -> float: ...
    @property
    def uniform_fifo_entropy(self) -> float: ...
    @property
    def eta(self) -> float:
        """NaN where ERE cannot reach the recency."""

    @property
    def ere_sampling_entropy(self) -> float: ...
    @property
    def ere_conditional_entropy(self) -> float: ...
    @property
    def ere_smallest_window(self) -> int: ...

    __match_args__: tuple = ...

    def asdict(self: Any) -> dict[str, Any]:
        """All fields by name, those of nested results too: for loggers."""

    def __repr__(self: Any) -> str: ...

class Reason:
    """A reason and its evidence: paper, derived or measured here."""

    @property
    def text(self) -> str: ...
    @property
    def evidence(self) -> str: ...

    __match_args__: tuple = ("text", "evidence")

    def asdict(self: Any) -> dict[str, Any]:
        """All fields by name, those of nested results too: for loggers."""

    def __repr__(self: Any) -> str: ...

class RunPoint:
    """The state of replay at one point of a run."""

    @property
    def progress(self) -> float: ...
    @property
    def size(self) -> int: ...
    @property
    def effective_alpha(self) -> float: ...
    @property
    def expected_recency(self) -> float: ...
    @property
    def first_use_updates(self) -> float: ...

    __match_args__: tuple = ...

    def asdict(self: Any) -> dict[str, Any]:
        """All fields by name, those of nested results too: for loggers."""

    def __repr__(self: Any) -> str: ...

class Advice:
    """Which sampler for a training run, and why."""

    @property
    def updates_per_transition(self) -> float: ...
    @property
    def replay_volume(self) -> float: ...
    @property
    def fill(self) -> float:
        """Steps / capacity: below 1 the buffer never gets full."""

    @property
    def total_updates(self) -> float: ...
    @property
    def regime(self) -> str: ...
    @property
    def per_transition(self) -> str: ...
    @property
    def nearest_setting(self) -> str: ...
    @property
    def uniform_first_use_updates(self) -> float: ...
    @property
    def uniform_first_use_steps(self) -> float: ...
    @property
    def sampler(self) -> str:
        """Recommended, as a spec string."""

    @property
    def first_use_updates(self) -> float: ...
    @property
    def over_training(self) -> list[RunPoint]: ...
    @property
    def reasons(self) -> list[Reason]: ...
    @property
    def cautions(self) -> list[Reason]: ...

    __match_args__: tuple = ...

    def asdict(self: Any) -> dict[str, Any]:
        """All fields by name, those of nested results too: for loggers."""

    def __repr__(self: Any) -> str: ...

def inspect(
    sampler: object,
    capacity: int,
    size: object | None = None,
    *,
    streams: int = 1,
    updates_per_step: float = 1.0,
    batch: float = 256.0,
    reference: int = 0,
    progress: float = 0.0,
) -> Diagnosis:
    """
    Recency, entropy, exposure and delays of one sampler, exactly; `mneme inspect`.
    """

def match(
    expected_recency: float,
    capacity: int,
    *,
    cycle: int = 1000,
    span: float = 1000.0,
    minimum: float = 0.005,
) -> list[Match]:
    """
    The parameter of every family that gives a wanted expected recency; `mneme match`.
    """

def frontier(
    capacity: int = 1000000,
    expected_recencies: Sequence[float] = ...,
    *,
    cycle: int = 1000,
    span: float = 1000.0,
    minimum: float = 0.005,
) -> list[FrontierRow]:
    """
    Largest entropy at given expected recencies in (1/2, 1); `mneme frontier`.
    """

def advise(
    *,
    envs: int = 1,
    updates_per_step: float = 1.0,
    batch: float = 256.0,
    capacity: int = 1000000,
    steps: int = 1000000,
) -> Advice:
    """
    Which sampler for a training run, with reasons and their evidence; `mneme advise`.
    """

class Batch:
    """
    One batch of transitions: a column per field, as NumPy arrays that belong to the batch.
    """

    @property
    def observation(self, /) -> Any:
        """What the agent saw; with a stack, its frames oldest first."""

    @property
    def action(self, /) -> Any:
        """What it did."""

    @property
    def reward(self, /) -> numpy.typing.NDArray[numpy.float32]:
        """The sum of up to n_step discounted rewards."""

    @property
    def next_observation(self, /) -> Any:
        """What it saw after the last of those steps: the true one."""

    @property
    def discount(self, /) -> numpy.typing.NDArray[numpy.float32]:
        """
        What multiplies the bootstrap value: discount^horizon, 0 after termination.
        """

    @property
    def weight(self, /) -> numpy.typing.NDArray[numpy.float32]:
        """Importance weight; 1 for samplers without priorities."""

    @property
    def id(self, /) -> numpy.typing.NDArray[numpy.uint64]:
        """Names the row for update_priorities: stream and sequence number."""

    @property
    def stream(self, /) -> numpy.typing.NDArray[numpy.int32]:
        """The environment or task."""

    @property
    def age(self, /) -> numpy.typing.NDArray[numpy.int64]:
        """0 is the newest row of its stream."""

    @property
    def horizon(self, /) -> numpy.typing.NDArray[numpy.int32]:
        """Rewards summed, at most n_step."""

    def __getattr__(self, name: str, /) -> Any: ...
    def __getitem__(self, name: str, /) -> Any: ...
    def __len__(self) -> int: ...
    def __contains__(self, arg: str, /) -> bool: ...
    def keys(self) -> list[str]:
        """The names of the columns."""

    def items(self) -> list[tuple[str, Any]]:
        """Names and columns."""

    def values(self) -> list[Any]:
        """The columns."""

    def __iter__(self) -> Iterator[str]: ...
    def torch(self, device: Any = None, non_blocking: bool = False) -> Any:
        """
        The columns as torch tensors: views of this batch, or copies on `device`.
        """

    def to(self, device: Any, non_blocking: bool = False) -> Any:
        """The same as torch(device)."""

    def jax(self) -> Any:
        """
        The columns as JAX arrays: views of this batch, which must then not be refilled.
        """

    def __reduce__(self) -> tuple[Any, ...]: ...
    def __repr__(self) -> str: ...

class SequenceBatch:
    """
    One batch of windows: burn_in + length consecutive steps of one episode each. What lies before the episode's start or after its end is 0 and not `valid`.
    """

    @property
    def observation(self, /) -> Any:
        """Batch x steps x shape; burn-in first."""

    @property
    def action(self, /) -> Any:
        """Batch x steps x shape."""

    @property
    def reward(self, /) -> numpy.typing.NDArray[numpy.float32]:
        """Batch x steps, of single steps."""

    @property
    def discount(self, /) -> numpy.typing.NDArray[numpy.float32]:
        """
        Batch x steps: what multiplies the value after the step; 0 after termination.
        """

    @property
    def last_observation(self, /) -> Any:
        """The one after the last valid step: batch x shape."""

    @property
    def valid(self, /) -> numpy.typing.NDArray[numpy.bool_]:
        """Batch x steps: whether the step is part of the episode."""

    @property
    def terminated(self, /) -> numpy.typing.NDArray[numpy.bool_]:
        """Per window: whether its last valid step ended the episode."""

    @property
    def weight(self, /) -> numpy.typing.NDArray[numpy.float32]:
        """Importance weight per window; 1 for samplers without priorities."""

    @property
    def id(self, /) -> numpy.typing.NDArray[numpy.uint64]:
        """Of the first step after burn-in, for update_priorities."""

    @property
    def stream(self, /) -> numpy.typing.NDArray[numpy.int32]:
        """The environment or task."""

    @property
    def age(self, /) -> numpy.typing.NDArray[numpy.int64]:
        """Of the first step after burn-in; 0 is the newest row of its stream."""

    def __getattr__(self, name: str, /) -> Any: ...
    def __getitem__(self, name: str, /) -> Any: ...
    def __len__(self) -> int: ...
    def __contains__(self, arg: str, /) -> bool: ...
    def keys(self) -> list[str]:
        """The names of the columns."""

    def items(self) -> list[tuple[str, Any]]:
        """Names and columns."""

    def values(self) -> list[Any]:
        """The columns."""

    def __iter__(self) -> Iterator[str]: ...
    def torch(self, device: Any = None, non_blocking: bool = False) -> Any:
        """
        The columns as torch tensors: views of this batch, or copies on `device`.
        """

    def to(self, device: Any, non_blocking: bool = False) -> Any:
        """The same as torch(device)."""

    def jax(self) -> Any:
        """
        The columns as JAX arrays: views of this batch, which must then not be refilled.
        """

    def __reduce__(self) -> tuple[Any, ...]: ...
    def __repr__(self) -> str: ...

class FeedbackReport:
    """What became of a batch of TD errors."""

    @property
    def applied(self) -> int: ...
    @property
    def refused(self) -> int:
        """NaN or infinite."""

    @property
    def stale(self) -> int:
        """The row has been overwritten meanwhile."""

    @property
    def ignored(self) -> int:
        """The sampler takes no feedback."""

    def asdict(self: Any) -> dict[str, Any]:
        """All fields by name, those of nested results too: for loggers."""

    def __repr__(self: Any) -> str: ...

class LiveDiagnostics:
    """
    What sampling really did to the data, counted over the batches drawn; NaN while there is nothing to count.
    """

    @property
    def batches(self) -> int: ...
    @property
    def draws(self) -> int: ...
    @property
    def rows_added(self) -> int: ...
    @property
    def replay_volume(self) -> float:
        """Draws per row added."""

    @property
    def draws_by_age(self) -> int: ...
    @property
    def mean_age(self) -> float:
        """0 is the newest of its stream."""

    @property
    def expected_recency(self) -> float: ...
    @property
    def reference_recency(self) -> float: ...
    @property
    def age_histogram(self) -> list[int]:
        """See first_of_bin."""

    @property
    def sampling_entropy(self) -> float:
        """Nats."""

    @property
    def tracked_share(self) -> float: ...
    @property
    def rows_evicted(self) -> int: ...
    @property
    def replays_per_row(self) -> float:
        """Of rows evicted since."""

    @property
    def never_replayed(self) -> float:
        """Share of them never drawn."""

    @property
    def replay_histogram(self) -> list[int]:
        """See first_of_bin."""

    @property
    def batches_searched(self) -> int: ...
    @property
    def unique_share(self) -> float:
        """Distinct rows / draws in a batch."""

    @property
    def feedback_applied(self) -> int: ...
    @property
    def feedback_stale(self) -> int: ...
    @property
    def feedback_refused(self) -> int: ...
    @property
    def cuts(self) -> int: ...
    def asdict(self: Any) -> dict[str, Any]:
        """All fields by name, those of nested results too: for loggers."""

    def __repr__(self: Any) -> str: ...

def first_of_bin(bin: int) -> int:
    """The first age, or number of replays, in a bin of the histograms."""

class Batches:
    """Batches without end, drawn ahead by a thread of their own."""

    def __iter__(self) -> Batches: ...
    def __next__(self) -> Batch: ...

class Reader:
    """
    One way of drawing from a buffer, with a sampler, priorities, generators and diagnostics of its own; see ReplayBuffer.add_reader.
    """

    @overload
    def sample(self, batch_size: int, out: Any = None) -> Batch:
        """
        A batch of that many transitions, in memory of its own; or into `out`: an earlier batch, or a dict of arrays and tensors by column name.
        """

    @overload
    def sample(self, batch: int, out: Any = None) -> Batch: ...
    @overload
    def sample_sequences(
        self, batch_size: int, length: int, burn_in: int = 0, out: Any = None
    ) -> SequenceBatch:
        """
        A SequenceBatch of that many windows: `length` consecutive steps of one episode after up to `burn_in` earlier ones. The sampler picks the first step after burn-in. `out` as for sample.
        """

    @overload
    def sample_sequences(
        self, batch: int, length: int, burn_in: int = 0, out: Any = None
    ) -> SequenceBatch: ...
    @overload
    def batches(self, batch_size: int, ahead: int = 2) -> Batches:
        """
        Batches without end, up to `ahead` of them drawn in advance by a thread of their own: those that sample would return, in the same order, but a batch may be that many batches older than it could be. commit() and save() take back what was drawn ahead. Do not call sample meanwhile; update_priorities is fine. The thread ends with the loop.
        """

    @overload
    def batches(self, batch: int, ahead: int = 2) -> Batches: ...
    def update_priorities(self, ids: Any, td_errors: Any) -> FeedbackReport:
        """
        Tells a prioritized sampler what the learner found for the rows of a batch.
        """

    def set_progress(self, progress: float) -> None:
        """Share of the run that is done, in [0, 1]: for beta and eta schedules."""

    def diagnostics(self) -> LiveDiagnostics:
        """
        What has been drawn since the reader was made or the last reset_diagnostics().
        """

    def reset_diagnostics(self) -> None: ...
    @property
    def name(self) -> str:
        """ "" for the buffer's own."""

    @property
    def sampler(self) -> str: ...
    @property
    def stream_policy(self) -> str: ...
    @property
    def n_step(self) -> int: ...
    @property
    def discount(self) -> float: ...
    def __repr__(self) -> str: ...
    def __reduce__(self) -> tuple: ...

class ReplayBuffer(Reader):
    """The core's buffer; use mneme.ReplayBuffer."""

    @overload
    def __init__(
        self,
        observation: tuple[Sequence[int], str],
        action: tuple[Sequence[int], str],
        capacity: int,
        streams: int,
        sampler: object,
        stream_policy: str,
        n_step: int,
        discount: float,
        horizon: str,
        stack: int,
        seed: int,
        fields: Sequence[tuple[str, tuple[Sequence[int], str]]],
        path: str,
        commit_every: int,
        diagnostics: bool,
        present: dict,
    ) -> None: ...
    @overload
    def __init__(self, path: str, how: str, present: dict) -> None: ...
    @overload
    def add(
        self,
        observation: Any,
        action: Any,
        reward: Any,
        next_observation: Any,
        terminated: Any = False,
        truncated: Any = False,
        stream: int | None = None,
        *,
        fields: dict[str, Any] | None = None,
    ) -> None:
        """
        Stores one step, or one step of every stream: the observation's shape says which. `next_observation` is the true one, also at an episode's end.
        """

    @overload
    def add(
        self,
        observation: Any,
        action: Any,
        reward: Any,
        next_observation: Any,
        terminated: Any = False,
        truncated: Any = False,
        stream: int | None = None,
        **fields: Any,
    ) -> None: ...
    def extend(
        self,
        observation: Any,
        action: Any,
        reward: Any,
        next_observation: Any,
        terminated: Any = False,
        truncated: Any = False,
        stream: int | None = None,
        **fields: Any,
    ) -> None:
        """
        Stores consecutive steps at once: arrays of time x row, or of time x streams x row. All of them are checked before the first is stored.
        """

    @property
    def added(self) -> int:
        """
        Transitions ever stored, in all streams; those overwritten since included.
        """

    def added_to(self, stream: int) -> int:
        """Transitions ever stored in one stream."""

    def cut(self, stream: int = 0) -> None:
        """
        Says that a stream was reset: what comes next does not follow from its newest row.
        """

    def add_reader(
        self,
        name: str,
        sampler: Any = "uniform",
        *,
        stream_policy: str = "uniform",
        n_step: int = 1,
        discount: float = 0.99,
        horizon: str = "full",
        stack: int = 1,
        seed: int = 0,
        diagnostics: bool = True,
    ) -> Reader:
        """
        Another Reader of the same rows, for instance "actor" beside the critic's: with a sampler, priorities, windows and generators of its own. Its name is part of its seed. Saved and opened with the buffer.
        """

    def reader(self, name: str = "") -> Reader:
        """
        A reader by its name, also after open and load; the buffer's own without one.
        """

    def size(self, stream: int) -> int:
        """Transitions stored in one stream."""

    def __len__(self) -> int: ...
    @property
    def cuts(self) -> int:
        """Times a stream was found to be reset without notice, or declared cut."""

    def commit(self) -> None:
        """
        Buffers with a path: what is stored now survives the end of the process and of the machine.
        """

    def save(self, path: str) -> None:
        """
        A copy in a directory, for mneme.open or mneme.load; only what is new is written again.
        """

    def close(self) -> None:
        """
        Commits, if it has a path, and gives the memory back; every later call raises ValueError.
        """

    @property
    def closed(self) -> bool: ...
    @property
    def capacity(self) -> int:
        """Transitions per stream."""

    @property
    def streams(self) -> int:
        """Environments or tasks."""

    @property
    def path(self, /) -> str | None:
        """The directory it lives in; None in memory."""

class Admission(enum.Enum):
    """What became of a request to a RateLimiter."""

    go = 0
    """Counted; do it."""

    not_yet = 1
    """Not counted; nothing has changed."""

    stopped = 2
    """stop() was called."""

class RateStatus:
    """Where the two sides of a RateLimiter stand."""

    @property
    def rows_stored(self) -> int:
        """Those of construction included."""

    @property
    def rows_sampled(self) -> int:
        """Since construction."""

    @property
    def ahead(self) -> float:
        """Sampled rows by which the learner is ahead of the ratio, or behind."""

    @property
    def waiting_inserts(self) -> int:
        """Threads."""

    @property
    def waiting_samples(self) -> int:
        """Threads."""

    @property
    def text(self) -> str:
        """Who waits for what, and what would release it."""

    def __repr__(self) -> str: ...

class RateLimiter:
    """
    Keeps writers and learners in step: `samples_per_insert` sampled rows per stored row, either side ahead by at most `tolerance` sampled rows, no sample before `minimum_rows`. A part beside the buffer: a thread that does not ask it does not wait. Any thread; the two sides never wait for each other.
    """

    def __init__(
        self,
        samples_per_insert: float = 1.0,
        tolerance: float = 1024.0,
        minimum_rows: int = 1,
        *,
        rows_stored: int = 0,
        long_wait: float = 10.0,
        on_long_wait: object | None = None,
        give_up: float | None = None,
    ) -> None:
        """
        `rows_stored`: len(buffer) of a buffer that has rows already. `on_long_wait` is called with a text after each `long_wait` seconds of one wait, by the thread that waits. After `give_up` seconds a wait raises RuntimeError.
        """

    def before_insert(self, rows: int = 1, at_most: float | None = None) -> Admission:
        """
        Waits until that many rows may be stored, and counts them; no longer than `at_most` seconds, if given.
        """

    def before_sample(self, rows: int, at_most: float | None = None) -> Admission:
        """Waits until that many rows may be sampled, and counts them."""

    def try_insert(self, rows: int = 1) -> Admission:
        """The same as before_insert without waiting."""

    def try_sample(self, rows: int) -> Admission:
        """The same as before_sample without waiting."""

    def set_limit(self, samples_per_insert: float, tolerance: float, minimum_rows: int) -> None:
        """Another limit from now on; what either side is ahead stays."""

    @property
    def samples_per_insert(self) -> float: ...
    @property
    def tolerance(self) -> float: ...
    @property
    def minimum_rows(self) -> int: ...
    def stop(self) -> None:
        """
        Wakes all waiting threads; from now on every call returns Admission.stopped.
        """

    def status(self) -> RateStatus:
        """Where both sides stand, and who waits for what."""
