"""tests/adapters/test_her.py - HER in SB3's place: its arguments, its goals, its learning."""

import math
import pickle

import numpy as np
import pytest

pytestmark = pytest.mark.slow
pytest.importorskip("stable_baselines3")

from stable_baselines3 import DQN  # noqa: E402
from stable_baselines3.common.envs import BitFlippingEnv  # noqa: E402
from stable_baselines3.common.vec_env import DummyVecEnv  # noqa: E402
from stable_baselines3.her import HerReplayBuffer as Theirs  # noqa: E402

from mneme.adapters.stable_baselines3 import HerReplayBuffer  # noqa: E402

FALSE_ALARM = 1e-6
BITS, LENGTH = 20, 15


def env():
    return DummyVecEnv([lambda: BitFlippingEnv(n_bits=BITS, max_steps=LENGTH)])


def filled(kind, strategy, episodes=60, **options):
    """Whole episodes in which step t flips bit t, so that a goal tells when it was reached."""
    world = env()
    buffer = kind(
        2000,
        world.observation_space,
        world.action_space,
        world,
        "cpu",
        n_sampled_goal=4,
        goal_selection_strategy=strategy,
        **options,
    )
    for _ in range(episodes):
        state = np.zeros((1, BITS), np.int8)
        for t in range(LENGTH):
            after = state.copy()
            after[0, t] = 1
            shown = [
                {"observation": s, "achieved_goal": s, "desired_goal": np.ones_like(s)}
                for s in (state, after)
            ]
            over = np.array([t == LENGTH - 1])
            infos = [{"TimeLimit.truncated": bool(over[0])}]
            buffer.add(shown[0], shown[1], np.zeros((1, 1)), -np.ones(1), over, infos)
            state = after
    return buffer


def goal_offsets(buffer, batches=150, size=100):
    """Relabelled rows per batch, and a count of goal offsets: -LENGTH .. LENGTH."""
    counts, shares = np.zeros(2 * LENGTH), []
    for _ in range(batches):
        samples = buffer.sample(size)
        goals = samples.observations["desired_goal"].numpy().sum(1)
        steps = samples.observations["observation"].numpy().sum(1)
        changed = goals < BITS
        shares.append(int(changed.sum()))
        np.add.at(counts, (goals - 1 - steps)[changed].astype(int) + LENGTH, 1)
        reached = samples.next_observations["achieved_goal"] == samples.observations["desired_goal"]
        rewards = samples.rewards.numpy().ravel()
        assert ((rewards == 0) == reached.all(1).numpy()).all()
        assert (samples.dones == 0).all()
    return shares, counts


def same_distribution_p(a, b):
    """Two-sample chi-square, its tail by Wilson and Hilferty."""
    kept = a + b > 0
    a, b = a[kept], b[kept]
    x = ((a * math.sqrt(b.sum() / a.sum()) - b * math.sqrt(a.sum() / b.sum())) ** 2 / (a + b)).sum()
    k = max(1, len(a) - 1)
    z = ((x / k) ** (1 / 3) - (1 - 2 / (9 * k))) / math.sqrt(2 / (9 * k))
    return 0.5 * math.erfc(z / math.sqrt(2))


@pytest.mark.parametrize("strategy", ["future", "final", "episode"])
def test_share_and_goals_are_those_of_sb3(strategy):
    np.random.seed(1)
    shares, ours = goal_offsets(filled(HerReplayBuffer, strategy))
    their_shares, theirs = goal_offsets(filled(Theirs, strategy))
    # SB3's rows are a prefix of the batch: int(0.8 * 100) of them.
    assert set(shares) == set(their_shares) == {80}
    assert same_distribution_p(ours, theirs) > FALSE_ALARM
    # Negative control: every goal one step off.
    assert same_distribution_p(np.roll(ours, 1), theirs) < FALSE_ALARM


def test_arguments_are_honoured_or_refused():
    buffer = filled(HerReplayBuffer, "final", 2, sampler="uniform_fifo:window=10")
    assert buffer.core.sampler == "her:k=4,strategy=final,of=(uniform_fifo:window=10)"
    assert buffer.her_ratio == 0.8 and buffer.goal_selection_strategy.name == "FINAL"
    assert (buffer.sample(200).observations["observation"].sum(1) >= LENGTH - 10).all()
    with pytest.raises(ValueError, match="copy_info_dict=True"):
        filled(HerReplayBuffer, "final", 1, copy_info_dict=True)
    with pytest.raises(ValueError, match="strategy must be future, final, episode"):
        filled(HerReplayBuffer, "past", 1)
    with pytest.raises(TypeError, match="samplr"):
        filled(HerReplayBuffer, "final", 1, samplr="uniform")


def test_a_pickled_buffer_needs_its_environment():
    buffer = filled(HerReplayBuffer, "future", 5)
    again = pickle.loads(pickle.dumps(buffer))
    with pytest.raises(ValueError, match="set_env"):
        again.sample(8)
    again.set_env(env())
    assert again.core.added == buffer.core.added
    again.truncate_last_trajectory()
    assert again.sample(8).rewards.shape == (8, 1)


def test_a_saved_model_continues(tmp_path):
    def model():
        return DQN(
            "MultiInputPolicy",
            BitFlippingEnv(n_bits=4),
            replay_buffer_class=HerReplayBuffer,
            replay_buffer_kwargs={"n_sampled_goal": 4},
            learning_starts=50,
            seed=0,
        )

    first = model()
    first.learn(100)
    first.save_replay_buffer(tmp_path / "buffer")
    second = model()
    second.load_replay_buffer(tmp_path / "buffer", truncate_last_traj=True)
    assert second.replay_buffer.core.added == first.replay_buffer.core.added
    second.learn(60)


def test_learning_on_bit_flips_succeeds_with_her_alone():
    """Eight bits: without relabelling the reward is hardly ever seen."""

    def success(**options):
        model = DQN(
            "MultiInputPolicy",
            BitFlippingEnv(n_bits=8, max_steps=8),
            learning_rate=1e-3,
            learning_starts=200,
            train_freq=2,
            exploration_fraction=0.5,
            target_update_interval=200,
            gamma=0.95,
            policy_kwargs={"net_arch": [64]},
            seed=0,
            **options,
        )
        model.learn(6000)
        world, reached = BitFlippingEnv(n_bits=8, max_steps=8), 0
        for _ in range(60):
            seen, _ = world.reset()
            for _ in range(8):
                action, _ = model.predict(seen, deterministic=True)
                seen, reward, over, late, _ = world.step(int(action))
                if over or late:
                    break
            reached += reward == 0
        return reached / 60

    with_her = success(
        replay_buffer_class=HerReplayBuffer, replay_buffer_kwargs={"n_sampled_goal": 4}
    )
    without = success()
    assert with_her > 0.5 and with_her > without + 0.3
