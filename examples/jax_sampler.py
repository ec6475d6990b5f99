"""examples/jax_sampler.py - a sampler of mneme in a ring of JAX arrays, all of it under jit."""
# needs: jax

import jax
import jax.numpy as jnp

import mneme

CAPACITY, SAMPLER = 10_000, "truncated_geometric:alpha=10"


@jax.jit
def insert(ring, position, rows):
    places = (position + jnp.arange(len(rows))) % CAPACITY
    return ring.at[places].set(rows), position + len(rows)


@jax.jit
def sample(key, ring, position):
    size = jnp.minimum(position, CAPACITY)
    u = jax.random.uniform(key, (4096,))
    age = mneme.functional.ages(SAMPLER, u, size, CAPACITY)
    return ring[(position - 1 - age) % CAPACITY]


ring, position = jnp.zeros(CAPACITY), 0
for start in range(0, 25_000, 500):
    ring, position = insert(ring, position, jnp.arange(start, start + 500, dtype=jnp.float32))

rows = sample(jax.random.key(0), ring, position)
recency = float((rows - 15_000).mean() / (CAPACITY - 1))
print(f"mean recency of {len(rows)} draws: {recency:.3f}, by formula", end=" ")
print(f"{mneme.inspect(SAMPLER, CAPACITY).expected_recency:.3f}")
assert (
    rows.min() >= 15_000 and abs(recency - mneme.inspect(SAMPLER, CAPACITY).expected_recency) < 0.02
)
