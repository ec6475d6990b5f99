"""tests/test_datasets.py - rows into files and back, in every format."""

import types

import numpy as np
import pytest

import mneme
from mneme import datasets

DICT = {"state": (2,), "camera": ((2, 2), "uint8")}


def plain(streams=1, n=120):
    buffer = mneme.ReplayBuffer((3,), ((), "int32"), 100, streams, fields={"cost": (2,)})
    rng = np.random.default_rng(0)
    now = rng.random((streams, 3), np.float32)
    for t in range(n):
        then = rng.random((streams, 3), np.float32)
        over, late = rng.random(streams) < 0.05, rng.random(streams) < 0.05
        action = rng.integers(0, 4, streams).astype(np.int32)
        cost = rng.random((streams, 2), np.float32)
        buffer.add(now, action, rng.random(streams, np.float32), then, over, late, cost=cost)
        now = np.where((over | late)[:, None], rng.random((streams, 3), np.float32), then)
        if t % 31 == 30:
            now = rng.random((streams, 3), np.float32)  # a reset without notice
    return buffer


def with_dicts():
    buffer = mneme.ReplayBuffer(DICT, (1,), 50)
    for t in range(60):
        shown = [
            {"state": np.full(2, t + k, np.float32), "camera": np.full((2, 2), t + k, np.uint8)}
            for k in range(2)
        ]
        buffer.add(shown[0], [0.5], float(t), shown[1], False, t % 9 == 8)
    return buffer


def through_npz(buffer, folder, **options):
    datasets.to_npz(buffer, folder / "rows.npz")
    return datasets.from_npz(folder / "rows.npz", **options)


def through_hdf5(buffer, folder, **options):
    pytest.importorskip("h5py")
    datasets.to_hdf5(buffer, folder / "rows.hdf5")
    return datasets.from_hdf5(folder / "rows.hdf5", **options)


def through_parquet(buffer, folder, **options):
    pytest.importorskip("pyarrow")
    datasets.to_parquet(buffer, folder / "rows.parquet")
    return datasets.from_parquet(folder / "rows.parquet", **options)


def through_columns(buffer, folder, **options):
    return datasets.from_columns(datasets.to_columns(buffer), **options)


FORMATS = [through_columns, through_npz, through_hdf5, through_parquet]


@pytest.mark.parametrize("through", FORMATS)
@pytest.mark.parametrize("make", [plain, lambda: plain(3), with_dicts])
def test_rows_come_back_bit_for_bit(through, make, tmp_path):
    buffer = make()
    again = through(buffer, tmp_path)
    mine, theirs = datasets._flat(buffer[:]), datasets._flat(again[:])
    assert set(mine) == set(theirs) and len(again) == len(buffer)
    if through is through_hdf5:  # which has no word for a cut
        for rows in (mine, theirs):
            rows["truncated"] = rows["truncated"] | rows.pop("cut")
    for name in mine:
        if name != "id":
            np.testing.assert_array_equal(mine[name], theirs[name], err_msg=name)
            assert mine[name].dtype == theirs[name].dtype


def test_options_go_to_the_buffer(tmp_path):
    again = through_npz(plain(), tmp_path, sampler="per", n_step=3, capacity=500)
    assert again.sampler == "per" and again.n_step == 3 and again.capacity == 500
    on_disk = through_npz(plain(), tmp_path, path=tmp_path / "buffer")
    on_disk.commit()
    assert on_disk.path == str(tmp_path / "buffer") and len(on_disk) == 100


def test_d4rl_files_without_successors(tmp_path):
    h5py = pytest.importorskip("h5py")
    observations = np.arange(12, dtype=np.float32)[:, None]
    terminals, timeouts = np.zeros(12, bool), np.zeros(12, bool)
    terminals[3], timeouts[7] = True, True
    with h5py.File(tmp_path / "d4rl.hdf5", "w") as file:
        file["observations"], file["actions"] = observations, np.zeros((12, 1), np.float32)
        file["rewards"] = np.arange(12, dtype=np.float32)
        file["terminals"], file["timeouts"] = terminals, timeouts
        file["metadata/algorithm"] = "SAC"
    buffer = datasets.from_hdf5(tmp_path / "d4rl.hdf5", n_step=3, discount=1.0)
    rows = buffer[:]
    assert rows["reward"].tolist() == [0, 1, 2, 3, 4, 5, 6, 8, 9, 10]  # 7 and 11 have no successor
    alive = ~rows["terminated"]
    assert (rows["next_observation"][alive] == rows["observation"][alive] + 1).all()
    batch = buffer.sample(500)  # no window from 6 to 8
    assert (batch.next_observation - batch.observation)[batch.discount > 0].max() == 3
    sums = batch.observation[:, 0] * batch.horizon + batch.horizon * (batch.horizon - 1) / 2
    assert (batch.reward == sums).all()


def test_wrong_columns_are_named():
    columns = dict(datasets.to_columns(plain()))
    with pytest.raises(ValueError, match="the column next_observation is missing"):
        datasets.from_columns({k: v for k, v in columns.items() if k != "next_observation"})
    with pytest.raises(ValueError, match="action has 99 rows, reward has 100"):
        datasets.from_columns({**columns, "action": columns["action"][1:]})
    with pytest.raises(ValueError, match="there are no rows"):
        datasets.from_columns({k: v[:0] for k, v in columns.items()})
    with pytest.raises(ValueError, match="stream must be at least 0, got -1"):
        datasets.from_columns({**columns, "stream": columns["stream"] - 1})


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "h5py", None)
    with pytest.raises(ImportError, match="to_hdf5 needs h5py: pip install h5py"):
        datasets.to_hdf5(plain(), "x")


class Episodes:
    """What from_minari reads of a dataset: episodes with one observation more than steps."""

    def __init__(self, ends):
        self.ends = ends

    def iterate_episodes(self):
        for k, (steps, end) in enumerate(self.ends):
            last = np.arange(steps) == steps - 1
            yield types.SimpleNamespace(
                observations={"x": np.arange(steps + 1, dtype=np.float64)[:, None] + 100 * k},
                actions=np.zeros((steps, 1), np.float32),
                rewards=np.full(steps, float(k)),
                terminations=last & (end == "terminated"),
                truncations=last & (end == "truncated"),
            )


def test_episodes_of_minari_keep_their_ends():
    ends = [(5, "terminated"), (7, "truncated"), (4, None), (3, "terminated")]
    buffer = datasets.from_minari(Episodes(ends), n_step=3)
    found = list(buffer.episodes())
    assert [len(each["reward"]) for each in found] == [5, 7, 4, 3]
    assert [bool(each["terminated"][-1]) for each in found] == [True, False, False, True]
    for k, (steps, _) in enumerate(ends):
        assert found[k]["next_observation"]["x"][-1, 0] == 100 * k + steps


@pytest.mark.slow
def test_minari_and_back(tmp_path, monkeypatch):
    minari = pytest.importorskip("minari")
    spaces = pytest.importorskip("gymnasium").spaces
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    buffer = mneme.ReplayBuffer((2,), (1,), 100)
    for t in range(40):
        row = np.full(2, t, np.float32)
        buffer.add(row, np.zeros(1, np.float32), float(t), row + 1, t % 10 == 9)
    dataset = datasets.to_minari(
        buffer,
        "mneme/test-v0",
        observation_space=spaces.Box(-1, 1000, (2,), np.float32),
        action_space=spaces.Box(-1, 1, (1,), np.float32),
    )
    assert dataset.total_episodes == 4 and dataset.total_steps == 40
    again = datasets.from_minari("mneme/test-v0")
    mine, theirs = buffer[:], again[:]
    for name in ("observation", "reward", "next_observation", "terminated"):
        assert (mine[name] == theirs[name]).all()
    assert minari is not None
