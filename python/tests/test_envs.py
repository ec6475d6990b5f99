"""tests/test_envs.py - native tasks as environments of Gymnasium."""

import numpy as np
import pytest

import mneme

gymnasium = pytest.importorskip("gymnasium")
envs = pytest.importorskip("mneme.envs")

TASKS = [
    task
    for task in ("dummy/count", "dmc/cartpole-swingup", "dmc/walker-run")
    if task in envs.tasks()
]
SHORT = TASKS[0]


def actions(space, steps, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.uniform(-1, 1, space.shape).astype(np.float32) for _ in range(steps)]


def test_there_is_a_task_everywhere():
    assert TASKS and all(
        f"mneme/{task.replace('/', '-')}-v0" in gymnasium.registry for task in TASKS
    )


@pytest.mark.parametrize("task", TASKS)
def test_check_env_of_gymnasium_passes(task):
    from gymnasium.utils.env_checker import check_env

    env = gymnasium.make(f"mneme/{task.replace('/', '-')}-v0")
    check_env(env.unwrapped, skip_render_check=True)


@pytest.mark.slow
def test_check_env_of_sb3_passes():
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(envs.Env(SHORT), warn=False)


@pytest.mark.parametrize("task", TASKS)
def test_vectors_are_what_make_vec_makes(task):
    made = gymnasium.make_vec(f"mneme/{task.replace('/', '-')}-v0", num_envs=3)
    assert isinstance(made.unwrapped, envs.VectorEnv) and made.num_envs == 3
    observation, _ = made.reset(seed=1)
    assert made.observation_space.contains(observation)
    observation, reward, over, late, _ = made.step(made.action_space.sample())
    assert made.observation_space.contains(observation)
    assert reward.dtype == np.float32 and over.dtype == late.dtype == bool
    made.close()


@pytest.mark.parametrize("task", TASKS)
def test_threads_and_seeds(task):
    shown = []
    for threads, seed in ((1, 5), (2, 5), (1, 6)):
        made = mneme.make_vec(task, num_envs=4, threads=threads)
        rows = [made.reset(seed=seed)[0]]
        rows += [made.step(each)[0] for each in actions(made.action_space, 20)]
        shown.append(np.stack(rows))
    assert (shown[0] == shown[1]).all()
    assert (shown[0] != shown[2]).any()


def test_a_single_environment_is_the_first_of_the_vector():
    task = f"{SHORT}:limit=7"
    one, many = envs.Env(task), envs.VectorEnv(task, 1)
    now, first = one.reset(seed=3)[0], many.reset(seed=3)[0]
    assert (now == first[0]).all()
    ends = 0
    for action in actions(one.action_space, 40):
        after, reward, over, late, _ = one.step(action)
        row, rewards, terminated, truncated, info = many.step(action[None])
        assert (reward, over, late) == (rewards[0], terminated[0], truncated[0])
        if over or late:
            ends += 1
            assert (after == info["final_obs"][0]).all() and info["_final_obs"][0]
            with pytest.raises(gymnasium.error.ResetNeeded):
                one.step(action)
            after = one.reset()[0]
        assert (after == row[0]).all()
    assert ends >= 5


def test_the_recorder_stores_true_transitions():
    from mneme.adapters.gymnasium import Recorder

    made = mneme.make_vec(f"{SHORT}:limit=9", num_envs=3)
    recorder = Recorder(made, mneme.ReplayBuffer.from_env(made, capacity=500, n_step=3))
    recorder.reset(seed=0)
    for action in actions(made.action_space, 100):
        recorder.step(action)
    lengths = [len(each["reward"]) for each in recorder.buffer.episodes(complete=True)]
    assert recorder.buffer.added == 300 and recorder.buffer.cuts == 0
    assert lengths and set(lengths) <= set(range(1, 10))


def test_states_continue_exactly():
    made, other = (mneme.make_vec(SHORT, num_envs=2, seed=s) for s in (1, 2))
    made.reset(seed=4)
    plan = actions(made.action_space, 20)
    for action in plan[:10]:
        made.step(action)
    other.set_state(made.state())
    for action in plan[10:]:
        assert (made.step(action)[0] == other.step(action)[0]).all()


def test_steps_own_their_arrays():
    made = mneme.make_vec(SHORT, num_envs=2)
    first = made.reset(seed=0)[0]
    kept = first.copy()
    for action in actions(made.action_space, 5):
        made.step(action)
    assert (first == kept).all()


def test_refused_arguments():
    with pytest.raises(KeyError, match="no-such"):
        mneme.make_vec("dmc/no-such")
    with pytest.raises(ValueError, match="num_envs must be at least 1, got 0"):
        mneme.make_vec(SHORT, 0)
    with pytest.raises(ValueError, match="render_mode must be None"):
        envs.Env(SHORT, render_mode="human")
    with pytest.raises(TypeError, match="unknown arguments vektor"):
        envs.VectorEnv(SHORT, vektor=1)
    made = mneme.make_vec(SHORT, num_envs=2)
    with pytest.raises(gymnasium.error.ResetNeeded):
        made.step(np.zeros(made.action_space.shape))
    made.reset()
    with pytest.raises(ValueError, match="actions must have shape"):
        made.step(np.zeros((1, 1)))
    with pytest.raises(ValueError, match="finite"):
        made.step(np.full(made.action_space.shape, np.nan))
    with pytest.raises(ValueError, match="seed must be one whole number"):
        made.reset(seed=[1, 2])
