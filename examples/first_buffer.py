# needs: gymnasium
# %% [markdown]
# # A buffer, looked at
# Two samplers on the same stream of data: what they draw, by formula and by count.

# %%
import gymnasium
import numpy as np

import mneme

env = gymnasium.make("CartPole-v1")
samplers = {
    "uniform": mneme.samplers.Uniform(),
    "recent": mneme.samplers.TruncatedGeometric(alpha=8),
}
buffers = {
    name: mneme.ReplayBuffer.from_env(env, capacity=2_000, sampler=sampler, seed=1)
    for name, sampler in samplers.items()
}

# %% [markdown]
# Random play fills both.

# %%
observation, _ = env.reset(seed=0)
env.action_space.seed(0)
for step in range(3_000):
    action = env.action_space.sample()
    following, reward, terminated, truncated, _ = env.step(action)
    for buffer in buffers.values():
        buffer.add(observation, action, reward, following, terminated, truncated)
        if step > 100:
            buffer.sample(32)
    observation = env.reset()[0] if terminated or truncated else following

# %% [markdown]
# What was counted, and what the formula says of a full buffer.

# %%
for name, buffer in buffers.items():
    live, exact = buffer.diagnostics(), mneme.inspect(samplers[name], capacity=2_000)
    print(
        f"{name:8} recency {live.expected_recency:.3f} (formula {exact.expected_recency:.3f}), "
        f"never replayed {live.never_replayed:.1%}, ages {np.mean(buffer.sample(1000).age):.0f} on average"
    )
