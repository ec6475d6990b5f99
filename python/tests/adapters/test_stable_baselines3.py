"""tests/adapters/test_stable_baselines3.py - real algorithms with our buffer in them."""

import gymnasium
import numpy as np
import pytest

sb3 = pytest.importorskip("stable_baselines3")
torch = pytest.importorskip("torch")
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize  # noqa: E402

from mneme.adapters.stable_baselines3 import ReplayBuffer, prioritized  # noqa: E402


def quick():
    """Small and soon; a new dict each time, since SB3 writes into it."""
    return {
        "learning_starts": 64,
        "batch_size": 32,
        "policy_kwargs": {"net_arch": [16]},
        "buffer_size": 400,
    }


def test_the_rows_are_those_of_sb3():
    """The same calls to SB3's own buffer: the same transitions can be drawn."""
    box, act = gymnasium.spaces.Box(-9, 9, (2,), np.float64), gymnasium.spaces.Discrete(4)
    ours = ReplayBuffer(40, box, act, "cpu", n_envs=2)
    theirs = sb3.common.buffers.ReplayBuffer(40, box, act, "cpu", n_envs=2)
    for t in range(30):
        now = np.array([[s, t] for s in range(2)], float)
        done = np.full(2, t % 5 == 4)
        infos = [{"TimeLimit.truncated": bool(done[0]) and t % 2 == 0}] * 2
        for buffer in (ours, theirs):
            buffer.add(
                now,
                now + np.array([0, 1]),
                np.array([[t % 4], [1]]),
                np.array([t, -t], float),
                done,
                infos,
            )
    assert ours.size() == theirs.size() == 20

    def all_rows(buffer):
        data = buffer.sample(4000)
        columns = [
            data.observations,
            data.actions,
            data.next_observations,
            data.dones,
            data.rewards,
        ]
        assert [tuple(c.shape) for c in columns] == [
            (4000, 2),
            (4000, 1),
            (4000, 2),
            (4000, 1),
            (4000, 1),
        ]
        return {tuple(row) for row in torch.cat([c.float() for c in columns], 1).tolist()}

    assert all_rows(ours) == all_rows(theirs)


def test_n_step_is_that_of_sb3():
    box = gymnasium.spaces.Box(-9, 9, (1,), np.float32)
    ours = ReplayBuffer(50, box, box, "cpu", n_steps=3, gamma=0.9, horizon="clip")
    theirs = sb3.common.buffers.NStepReplayBuffer(50, box, box, "cpu", n_steps=3, gamma=0.9)
    for t in range(49):
        now = np.array([[t]], np.float32)
        for buffer in (ours, theirs):
            buffer.add(now, now + 1, now, now[0], np.array([t % 7 == 6]), [{}])

    def all_rows(buffer):
        data = buffer.sample(4000)
        columns = [data.observations, data.next_observations, data.dones, data.rewards]
        alive = (1 - data.dones) * data.discounts
        return {tuple(row) for row in torch.cat([*columns, alive], 1).numpy().round(4).tolist()}

    assert all_rows(ours) == all_rows(theirs)


@pytest.mark.parametrize("algorithm", ["SAC", "TD3", "DQN"])
def test_algorithms_learn_with_it(algorithm):
    task = "CartPole-v1" if algorithm == "DQN" else "Pendulum-v1"
    model = getattr(sb3, algorithm)(
        "MlpPolicy", task, replay_buffer_class=ReplayBuffer,
        replay_buffer_kwargs={"sampler": "truncated_geometric:alpha=4", "n_steps": 2, "gamma": 0.99}, **quick(),
    )  # fmt: skip
    model.learn(200)
    assert len(model.replay_buffer.core) == 200 and model.replay_buffer.core.cuts == 0


def test_vec_normalize(tmp_path):
    env = VecNormalize(DummyVecEnv([lambda: gymnasium.make("Pendulum-v1")] * 2))
    model = sb3.SAC("MlpPolicy", env, replay_buffer_class=ReplayBuffer, **quick())
    model.learn(450)
    buffer = model.replay_buffer
    assert buffer.core.cuts == 0  # raw observations, and the true last one of each episode
    data = buffer.sample(64, env)
    assert abs(data.observations.mean()) < 3 and data.rewards.abs().max() <= 10
    model.save_replay_buffer(tmp_path / "rows")
    expected = buffer.sample(16).observations
    model.load_replay_buffer(tmp_path / "rows")
    assert model.replay_buffer.size() == buffer.size()
    assert torch.equal(model.replay_buffer.sample(16).observations, expected)
    model.replay_buffer.reset()
    assert model.replay_buffer.size() == 0


def test_dict_observations():
    from stable_baselines3.common.envs import SimpleMultiObsEnv

    model = sb3.DQN("MultiInputPolicy", SimpleMultiObsEnv(random_start=False), replay_buffer_class=ReplayBuffer,
                    learning_starts=32, batch_size=16, buffer_size=200)  # fmt: skip
    model.learn(100)
    data = model.replay_buffer.sample(8)
    assert (
        set(data.observations) == {"img", "vec"} and data.observations["img"].dtype == torch.uint8
    )
    assert model.replay_buffer.core.cuts == 0


@pytest.mark.parametrize("algorithm", ["SAC", "TD3", "DQN"])
def test_prioritized(algorithm):
    task = "CartPole-v1" if algorithm == "DQN" else "Pendulum-v1"
    plain = getattr(sb3, algorithm)
    model = prioritized(plain)(
        "MlpPolicy",
        task,
        replay_buffer_class=ReplayBuffer,
        replay_buffer_kwargs={"sampler": "per"},
        **quick(),
    )
    model.learn(200)
    buffer = model.replay_buffer
    weights = buffer.core.sample(64).weight
    assert weights.std() > 0  # the errors came back
    import stable_baselines3.sac.sac as module

    assert module.F is torch.nn.functional


def test_the_weights_reach_the_loss():
    """With weights of zero nothing is learned by the critic."""
    model = prioritized(sb3.SAC)("MlpPolicy", "Pendulum-v1", replay_buffer_class=ReplayBuffer,
                                 replay_buffer_kwargs={"sampler": "per"}, seed=0, **quick())  # fmt: skip
    model.learn(80)
    model.critic.optimizer.param_groups[0]["lr"] = 0.01

    def moved(scale):
        before = torch.cat([p.detach().flatten().clone() for p in model.critic.parameters()])
        kind = type(model.replay_buffer)
        weights = kind.weights
        kind.weights = property(lambda self: weights.fget(self) * scale)
        model.critic.optimizer.state.clear()
        try:
            model.train(1, 32)
        finally:
            kind.weights = weights
        after = torch.cat([p.detach().flatten() for p in model.critic.parameters()])
        return (after - before).abs().max().item()

    assert moved(0.0) == 0 and moved(1.0) > 0


def test_seed_of_the_algorithm_reaches_the_buffer():
    seen = []
    for seed in (1, 2, 1):
        model = sb3.SAC(
            "MlpPolicy", "Pendulum-v1", seed=seed, replay_buffer_class=ReplayBuffer, **quick()
        )
        core = model.replay_buffer.core
        for t in range(60):
            row = np.full(3, t, np.float32)
            core.add(row, [0.0], float(t), row + 1)
        seen.append(core.sample(32).reward.tolist())
    assert seen[0] == seen[2] and seen[0] != seen[1]


def test_beta_follows_the_progress_of_learn():
    model = prioritized(sb3.SAC)(
        "MlpPolicy",
        "Pendulum-v1",
        replay_buffer_class=ReplayBuffer,
        replay_buffer_kwargs={"sampler": "per:alpha=1,beta=0,beta_end=1"},
        seed=0,
        **quick(),
    )
    core, seen = type(model.replay_buffer.core), []
    plain = core.set_progress
    try:
        core.set_progress = lambda self, progress: (seen.append(progress), plain(self, progress))[1]
        model.learn(200)
    finally:
        core.set_progress = plain
    assert seen == sorted(seen) and seen[0] < 0.4 and seen[-1] > 0.99


def test_second_learn_with_optimized_memory_cuts_the_last_episode():
    model = sb3.DQN(
        "MlpPolicy",
        "CartPole-v1",
        replay_buffer_class=ReplayBuffer,
        optimize_memory_usage=True,
        replay_buffer_kwargs={"handle_timeout_termination": False},
        seed=0,
        **quick(),
    )
    model.learn(70)
    cuts = model.replay_buffer.core.cuts
    with pytest.warns(UserWarning, match="last trajectory"):
        model.learn(70)
    assert model.replay_buffer.core.cuts in (cuts, cuts + 1)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.uint16, np.int32, np.uint8])
def test_whole_numbers_come_back_as_they_went_in(dtype):
    box = gymnasium.spaces.Box(0, 100, (2,), dtype)
    buffer = ReplayBuffer(20, box, gymnasium.spaces.MultiBinary(3), "cpu")
    now = np.array([[7, 100]], dtype)
    buffer.add(now, now, np.array([[1, 0, 1]], np.int8), np.ones(1), np.zeros(1), [{}])
    data = buffer.sample(4)
    assert data.observations.numpy().dtype == dtype and data.actions.numpy().dtype == np.int8
    assert data.observations[0].tolist() == [7, 100] and data.actions[0].tolist() == [1, 0, 1]


def test_path_resumes(tmp_path):
    def model():
        return sb3.SAC(
            "MlpPolicy",
            "Pendulum-v1",
            replay_buffer_class=ReplayBuffer,
            replay_buffer_kwargs={"path": tmp_path / "rows", "sampler": "per"},
            **quick(),
        )

    first = model()
    first.learn(100)
    first.replay_buffer.core.close()
    again = model()
    assert again.replay_buffer.core.added == 100
    with pytest.raises(ValueError, match="is not emptied"):
        again.replay_buffer.reset()
