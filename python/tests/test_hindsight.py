"""tests/test_hindsight.py - HER: which rows get another goal, which goal, which reward."""

import math

import numpy as np
import pytest

import mneme

SPACE = {"observation": (2,), "achieved_goal": (1,), "desired_goal": (1,)}
FALSE_ALARM = 1e-6


def reward_of(achieved, desired, info):
    return np.where(achieved[:, 0] == desired[:, 0], 0.0, -1.0)


def made(sampler="her", **options):
    options.setdefault("reward_function", reward_of)
    return mneme.ReplayBuffer(SPACE, (1,), 1000, sampler=sampler, **options)


def observation(episode, step, goal=-1.0):
    """The achieved goal names episode and step; the desired one is never reached."""
    return {
        "observation": np.float32([episode, step]),
        "achieved_goal": np.float32([100 * episode + step]),
        "desired_goal": np.float32([goal]),
    }


def fill(buffer, episodes=40, length=20, stream=None):
    for episode in range(episodes):
        for step in range(length):
            buffer.add(
                observation(episode, step),
                [0.0],
                -1.0,
                observation(episode, step + 1),
                False,
                step == length - 1,
                stream=stream,
            )


def offsets(batch):
    """For relabelled rows: steps from the row to the transition that reached the goal."""
    goals = batch.observation["desired_goal"][:, 0].astype(int)
    changed = goals >= 0
    step = batch.observation["observation"][:, 1].astype(int)
    episode = batch.observation["observation"][:, 0].astype(int)
    assert (goals[changed] // 100 == episode[changed]).all()  # a goal of the row's own episode
    return changed, goals % 100 - 1 - step, step


def chi_square_p(counts, expected):
    """Upper tail by Wilson and Hilferty's cube root."""
    kept = expected > 0
    assert counts[~kept].sum() == 0
    counts, expected = counts[kept], expected[kept]
    x, k = ((counts - expected) ** 2 / expected).sum(), len(counts) - 1
    z = ((x / k) ** (1 / 3) - (1 - 2 / (9 * k))) / math.sqrt(2 / (9 * k))
    return 0.5 * math.erfc(z / math.sqrt(2))


def expected_offsets(strategy, length=20):
    """The distribution of goal offsets over uniformly drawn steps of whole episodes."""
    p = np.zeros(2 * length)
    for step in range(length):
        goals = {"future": range(step, length), "final": [length - 1], "episode": range(length)}
        for goal in goals[strategy]:
            p[goal - step + length] += 1 / length / len(goals[strategy])
    return p


@pytest.mark.parametrize("strategy", ["future", "final", "episode"])
@pytest.mark.parametrize("k", [1, 4])
def test_share_and_goals_follow_the_strategy(strategy, k):
    buffer = made(f"her:k={k},strategy={strategy}", seed=3)
    fill(buffer)
    counts, share = np.zeros(40), []
    for _ in range(200):
        changed, offset, _ = offsets(buffer.sample(100))
        share.append(changed.sum())
        np.add.at(counts, offset[changed] + 20, 1)
    assert set(share) == {int(100 * k / (k + 1))}
    assert chi_square_p(counts, expected_offsets(strategy) * counts.sum()) > FALSE_ALARM
    # Negative control: goals one step later are seen.
    shifted = np.roll(counts, 1)
    wrong = expected_offsets(strategy) * counts.sum()
    assert shifted[wrong == 0].sum() > 0 or chi_square_p(shifted, wrong) < FALSE_ALARM


def test_rewards_belong_to_the_new_goals():
    buffer = made("her:k=4")
    fill(buffer)
    batch = buffer.sample(256)
    reached = batch.next_observation["achieved_goal"] == batch.observation["desired_goal"]
    assert (batch.reward == np.where(reached[:, 0], 0, -1)).all() and reached.any()
    assert (batch.observation["desired_goal"] == batch.next_observation["desired_goal"]).all()
    changed, _, _ = offsets(batch)
    assert (batch.reward[~changed] == -1).all()


def test_rows_in_the_buffer_keep_their_goals():
    buffer = made("her:k=4")
    fill(buffer)
    for _ in range(20):
        buffer.sample(64)
    assert (buffer[:].observation["desired_goal"] == -1).all()


def test_episodes_that_run_or_lost_their_beginning_are_relabelled_within():
    buffer = mneme.ReplayBuffer(
        SPACE, (1,), 25, sampler="her:strategy=episode", reward_function=reward_of
    )
    for step in range(70):  # 20 steps each: one half is overwritten, the last runs
        row, episode = step % 20, step // 20
        buffer.add(
            observation(episode, row), [0], -1.0, observation(episode, row + 1), False, row == 19
        )
        if step > 3:
            offsets(buffer.sample(32))
    stored = {float(x) for x in buffer[:].next_observation["achieved_goal"][:, 0]}
    for _ in range(50):
        goals = buffer.sample(64).observation["desired_goal"][:, 0]
        assert {float(x) for x in goals} <= stored | {-1.0}


def test_cuts_end_episodes():
    buffer = made("her:strategy=final")
    for episode in range(30):  # reset without notice after 7 steps
        for step in range(7):
            buffer.add(observation(episode, step), [0], -1.0, observation(episode, step + 1))
    for _ in range(20):
        changed, offset, step = offsets(buffer.sample(64))
        assert (offset[changed] == 6 - step[changed]).all()


def test_streams_are_kept_apart():
    buffer = mneme.ReplayBuffer(SPACE, (1,), 500, 2, sampler="her:k=9", reward_function=reward_of)
    for episode in range(20):
        for step in range(10):
            for stream in range(2):
                name = 2 * episode + stream
                buffer.add(
                    observation(name, step),
                    [0],
                    -1.0,
                    observation(name, step + 1),
                    False,
                    step == 9,
                    stream,
                )
    for _ in range(20):
        batch = buffer.sample(64)
        offsets(batch)
        assert (batch.observation["observation"][:, 0] % 2 == batch.stream).all()


def test_rows_are_drawn_by_the_inner_sampler():
    buffer = made("her:k=1,of=(uniform_fifo:window=20)")
    fill(buffer)
    assert buffer.sampler == "her:k=1,strategy=future,of=(uniform_fifo:window=20)"
    assert buffer.sample(500).age.max() < 20


def test_priorities_and_her_go_together():
    buffer = made("her:k=4,of=(per)")
    fill(buffer)
    batch = buffer.sample(64)
    assert buffer.update_priorities(batch.id, batch.reward).applied > 0


def test_fields_reach_the_reward_function():
    seen = []

    def reward(achieved, desired, info):
        seen.append(info["cost"].copy())
        return -info["cost"]

    buffer = made("her", reward_function=reward, fields={"cost": ()})
    for step in range(50):
        buffer.add(observation(0, step), [0], -1.0, observation(0, step + 1), cost=float(step))
    batch = buffer.sample(100)
    changed, _, step = offsets(batch)
    assert (batch.reward[changed] == -step[changed]).all() and len(seen[0]) == 80


def test_termination_function_sets_the_discount():
    def reached(achieved, desired, info):
        return achieved[:, 0] == desired[:, 0]

    buffer = made("her", termination_function=reached, discount=0.9)
    fill(buffer)
    batch = buffer.sample(256)
    changed, offset, _ = offsets(batch)
    assert (batch.discount[changed & (offset == 0)] == 0).all()
    assert (batch.discount[~(changed & (offset == 0))] == np.float32(0.9)).all()


@pytest.mark.parametrize("diagnostics", [True, False])
def test_a_resumed_buffer_relabels_alike(tmp_path, diagnostics):
    options = {"seed": 11, "diagnostics": diagnostics}
    buffer = made("her:k=4", path=tmp_path / "b", **options)
    fill(buffer)
    for _ in range(5):
        buffer.sample(64)
    buffer.commit()
    wanted = [buffer.sample(64) for _ in range(3)]
    buffer._abandon()
    with pytest.raises(TypeError, match="reward_function="):
        mneme.open(tmp_path / "b")
    if not diagnostics:
        return
    for restored in (
        lambda: mneme.load(tmp_path / "b", reward_function=reward_of),
        lambda: mneme.open(tmp_path / "b", reward_function=reward_of),
        lambda: made("her:k=4", path=tmp_path / "b", **options),
    ):
        again = restored()
        for batch in wanted:
            other = again.sample(64)
            assert (other.id == batch.id).all() and (other.reward == batch.reward).all()
            assert (other.observation["desired_goal"] == batch.observation["desired_goal"]).all()
        again._abandon()


def test_batches_of_the_same_seed_are_equal():
    drawn = []
    for seed in (1, 1, 2):
        buffer = made("her", seed=seed)
        fill(buffer)
        drawn.append([buffer.sample(32).observation["desired_goal"].tolist() for _ in range(3)])
    assert drawn[0] == drawn[1] != drawn[2] and drawn[0][0] != drawn[0][1]


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"sampler": "her:k=-1"}, ValueError, "k must be finite and at least 0"),
        ({"sampler": "her:k=x"}, ValueError, "k must be a number"),
        ({"sampler": "her:strategy=past"}, ValueError, "future, final, episode"),
        ({"sampler": "her:kk=3"}, KeyError, "unknown parameter 'kk'"),
        ({"sampler": "her:k=1,k=2"}, ValueError, "given twice"),
        ({"sampler": "her:of=(her)"}, ValueError, "must name another sampler"),
        ({"sampler": "her:of=(nothing)"}, KeyError, "nothing"),
        ({"reward_function": None}, TypeError, "needs reward_function="),
        ({"n_step": 3}, ValueError, "n_step and stack must be 1"),
        ({"sampler": "uniform"}, TypeError, "reward_function is for sampler='her'"),
    ],
)
def test_refused_arguments(options, error, words):
    with pytest.raises(error, match=words):
        made(**{"sampler": "her", **options})


def test_refused_calls(tmp_path):
    with pytest.raises(ValueError, match="achieved_goal, desired_goal is missing"):
        mneme.ReplayBuffer({"observation": (2,)}, (1,), sampler="her", reward_function=reward_of)
    buffer = made("her")
    fill(buffer, 2)
    with pytest.raises(ValueError, match="does not draw ahead"):
        buffer.batches(4)
    with pytest.raises(ValueError, match="another sampler"):
        buffer.sample_sequences(4, 2)
    buffer = made("her", reward_function=lambda a, d, i: np.zeros((len(a), 1)))
    fill(buffer, 2)
    with pytest.raises(ValueError, match="one number for each of"):
        buffer.sample(8)
    assert mneme.samplers.HER(k=2).spec == "her:k=2"
    assert made(mneme.samplers.HER(k=2)).sampler == "her:k=2,strategy=future,of=(uniform)"
