# %% [markdown]
# # Prioritized replay on a chain
# A walk over ten states with a reward at the far end only. With uniform replay most updates do
# nothing at first; with priorities the few that matter are drawn.

# %%
import numpy as np

import mneme

STATES, DISCOUNT = 10, 0.9


def experience(buffer, steps=400, seed=0):
    """Random walks from the left end; the right end pays 1 and terminates."""
    rng = np.random.default_rng(seed)
    state = 0
    for _ in range(steps):
        following = min(max(state + rng.choice([-1, 1]), 0), STATES - 1)
        over = following == STATES - 1
        one_hot = np.eye(STATES, dtype=np.float32)
        buffer.add(one_hot[state], 0.0, float(over), one_hot[following], over)
        state = 0 if over else following


def learn(sampler, updates=300):
    """Tabular TD(0) out of the buffer: error of the values after that many small batches."""
    buffer = mneme.ReplayBuffer(
        observation=(STATES,), action=(), capacity=1_000, sampler=sampler, discount=DISCOUNT, seed=0
    )
    experience(buffer)
    values = np.zeros(STATES, np.float32)
    for update in range(updates):
        batch = buffer.sample(8)
        error = (
            batch.reward
            + batch.discount * (batch.next_observation @ values)
            - batch.observation @ values
        )
        np.add.at(values, batch.observation.argmax(1), 0.2 * batch.weight * error)
        buffer.update_priorities(batch.id, error)
        buffer.set_progress(update / updates)
    return values


# %% [markdown]
# The true values, from the equations the walk obeys.

# %%
walk = np.zeros((STATES, STATES))
for state in range(STATES - 1):
    walk[state, max(state - 1, 0)] += 0.5
    walk[state, state + 1] += 0.5
reward = walk[:, -1].copy()
walk[:, -1] = 0
truth = np.linalg.solve(np.eye(STATES) - DISCOUNT * walk, reward)
for sampler in ("uniform", "per:alpha=0.6"):
    error = np.abs(learn(sampler) - truth)[:-1].mean()
    print(f"{sampler:16} mean error of the values {error:.4f}")
