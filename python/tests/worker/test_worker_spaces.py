"""tests/worker/test_worker_spaces.py - observations as rows, actions from [-1, 1]."""

import numpy as np
import pytest
from mneme_worker.spaces import Actions, Batch, Observations

spaces = pytest.importorskip("gymnasium").spaces


def row_of(space, observation, order="sorted"):
    observations = Observations(space, order)
    row = np.full(observations.size + 2, -9.0)
    observations.target(row[: observations.size])[...] = observation
    assert (row[-2:] == -9).all()
    return row[:-2].tolist(), observations.keys


def test_boxes_of_any_rank():
    assert row_of(spaces.Box(-1, 1, (3,)), [1, 2, 3]) == ([1, 2, 3], [("observation", 3)])
    assert row_of(spaces.Box(-1, 1, (2, 2)), [[1, 2], [3, 4]])[0] == [1, 2, 3, 4]
    assert row_of(spaces.Box(-1, 1, ()), 0.5)[0] == [0.5]
    assert row_of(spaces.Box(0, 255, (2,), np.uint8), np.array([7, 255], np.uint8))[0] == [7, 255]


def test_discrete_is_one_hot_and_multibinary_plain():
    assert row_of(spaces.Discrete(4, start=2), 3)[0] == [0, 1, 0, 0]
    assert row_of(spaces.MultiBinary(3), np.array([1, 0, 1], np.int8))[0] == [1, 0, 1]


NESTED = spaces.Dict(
    [
        ("b", spaces.Box(-9, 9, (2,))),
        ("a", spaces.Tuple([spaces.Discrete(2), spaces.Box(-9, 9, ())])),
        ("c:,", spaces.Dict({"z": spaces.Box(-9, 9, (1, 1))})),
    ]
)


def test_order_of_the_parts():
    observation = {"b": np.array([1, 2]), "a": (1, 3.5), "c:,": {"z": [[4]]}}
    row, keys = row_of(NESTED, observation)
    assert row == [0, 1, 3.5, 1, 2, 4]
    assert keys == [("a/0", 2), ("a/1", 1), ("b", 2), ("c__/z", 1)]
    names = list(NESTED.spaces)
    native = row_of(NESTED, observation, "native")[1]
    assert [name[0] for name, _ in native if name != "a/1"] == [name[0] for name in names]


def test_batches_of_structured_observations():
    observations = Observations(NESTED, "sorted")
    rows = np.zeros((3, observations.size))
    batch = Batch(observations, rows)
    values = {"b": np.arange(6).reshape(3, 2), "a": (np.array([0, 1, 1]), np.array([5.0, 6, 7])),
              "c:,": {"z": np.arange(3).reshape(3, 1, 1)}}  # fmt: skip
    batch.put(values)
    assert rows.tolist() == [[1, 0, 5, 0, 1, 0], [0, 1, 6, 2, 3, 1], [0, 1, 7, 4, 5, 2]]
    rows[:] = 0
    batch.put_some(np.array([2]), values)
    assert rows.tolist() == [[0] * 6, [0] * 6, [0, 1, 7, 4, 5, 2]]
    some = {"b": values["b"][:2], "a": (values["a"][0][:2], values["a"][1][:2]),
            "c:,": {"z": values["c:,"]["z"][:2]}}  # fmt: skip
    batch.put_compact(np.array([2, 0]), some)
    assert rows[2].tolist() == [1, 0, 5, 0, 1, 0] and rows[0].tolist() == [0, 1, 6, 2, 3, 1]
    batch.put_row(1, {"b": [8, 9], "a": (0, 1), "c:,": {"z": [[3]]}})
    assert rows[1].tolist() == [1, 0, 1, 8, 9, 3]


def test_first_observation_of_wrong_shape_is_rejected():
    observations = Observations(spaces.Box(-1, 1, (3,)), "sorted")
    observations.check(np.zeros(3))
    with pytest.raises(ValueError, match=r"has the shape \(1,\); its space says \(3,\)"):
        observations.check(np.zeros(1))  # would fill the row by itself


@pytest.mark.parametrize(
    "space", [spaces.Text(5), spaces.Dict({"a": spaces.Sequence(spaces.Discrete(2))})]
)
def test_unsupported_observation_spaces_are_rejected(space):
    with pytest.raises(ValueError, match="allowed: Box, Discrete, MultiBinary"):
        Observations(space, "sorted")


@pytest.mark.parametrize("kind", ["f4", "f8"])
def test_actions_are_clipped_mapped_and_typed(kind):
    actions = Actions(spaces.Box(np.array([-2, 0], np.float32), np.array([2, 10], np.float32)))
    rows = np.array([[-1, -1], [0, 0], [1, 1], [5, -5]], kind)
    given = actions.source(rows)()
    assert given.dtype == np.float32
    assert given.tolist() == [[-2, 0], [0, 5], [2, 10], [2, 0]]
    assert actions.source(rows)() is not given
    plain = Actions(spaces.Box(-1, 1, (2,), np.float32))
    assert plain.identity and not actions.identity
    assert plain.source(rows)().tolist() == [[-1, -1], [0, 0], [1, 1], [1, -1]]
    one = next(iter(plain.each(rows[:1])()))
    assert one.shape == (2,) and one.dtype == np.float32


def test_actions_stay_within_bounds():
    space = spaces.Box(np.float32(-0.4), np.float32(0.3), (1,), np.float32)
    rows = np.linspace(-1, 1, 10001)[:, None]
    given = Actions(space).source(rows)()
    assert given.min() >= space.low[0] and given.max() <= space.high[0]


@pytest.mark.parametrize(
    ("space", "message"),
    [
        (spaces.Discrete(3), "allowed: Box"),
        (spaces.Box(-np.inf, np.inf, (2,)), "without bounds"),
        (spaces.Box(0, 5, (2,), np.int64), "floating-point"),
        (spaces.Dict({"a": spaces.Box(-1, 1, (2,))}), "allowed: Box"),
    ],
)
def test_unsupported_action_spaces_are_rejected(space, message):
    with pytest.raises(ValueError, match=message):
        Actions(space)
