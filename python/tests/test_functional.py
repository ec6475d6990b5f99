"""tests/test_functional.py - the inverse distribution functions as array functions."""

import numpy as np
import pytest

import mneme
from mneme import functional

SPECS = sorted(
    {
        example.replace(",draws=stratified", "").replace(":draws=stratified", "")
        for row in mneme._core.registry()
        if not row["prioritized"]
        for example in row["examples"]
    }
    | {"ere:order=random,cycle=5,minimum=2", "ere:eta=0.99,eta_end=0.999,cycle=3"}
)
VIEWS = [
    (1, 1),
    (1, 9),
    (2, 9),
    (3, 3),
    (40, 64),
    (48, 48),
    (255, 300),
    (256, 256),
    (5000, 100_000),
]


def core_indices(spec, u, size, capacity, batch=0, progress=0.0):
    sampler = mneme.make_sampler(spec)
    sampler.batches = batch
    return sampler.invert(u, size, capacity, progress=progress)


def uniforms(count=4000, seed=7):
    return np.random.default_rng(seed).random(count)


@pytest.mark.parametrize("spec", SPECS)
def test_numpy_equals_the_core(spec):
    u = uniforms()
    for size, capacity in VIEWS:
        for batch, progress in ((0, 0.0), (3, 0.5)):
            try:
                wanted = core_indices(spec, u, size, capacity, batch, progress)
            except ValueError:
                with pytest.raises((ValueError, ZeroDivisionError, OverflowError)):
                    functional.indices(spec, u, size, capacity)
                continue
            found = functional.indices(spec, u, size, capacity, batch=batch, progress=progress)
            assert found.dtype == np.int64
            np.testing.assert_array_equal(found, wanted, err_msg=f"{size} of {capacity}")


@pytest.mark.parametrize("spec", SPECS)
def test_ends_of_the_unit_interval_stay_inside(spec):
    u = np.array([0.0, 2.0**-53, 0.5, 1 - 2.0**-53])
    for size, capacity in VIEWS:
        if "paper_float32" in spec and size > 1000:
            continue
        found = functional.indices(spec, u, size, capacity)
        assert ((found >= 0) & (found < size)).all()
        wanted = core_indices(spec, u, size, capacity)
        assert (np.abs(found - wanted)[:3] <= 1).all()
        # The last uniform may lead to any of the indices whose mass is lost in rounding.
        p = mneme.make_sampler(spec).probabilities(size, capacity)
        low, high = sorted((found[3], wanted[3]))
        assert p[low + 1 : high].sum() < 1e-12


def test_a_wrong_formula_is_noticed():
    u = uniforms()
    wrong = functional.indices("truncated_geometric:alpha=9.99", u, 5000, 5000)
    assert (wrong != core_indices("truncated_geometric:alpha=10", u, 5000, 5000)).any()


def test_draws_of_the_core_come_from_its_uniforms():
    # uniform over 2^53 - 1 indices shows the uniforms themselves, to their last bit but one.
    many = 2**40
    shown = mneme.make_sampler("uniform").sample(many, many, 1000, seed=5)
    u = (shown + 0.5) / many
    for spec in ("truncated_geometric:alpha=10", "linear:ratio=8", "gaussian"):
        drawn = mneme.make_sampler(spec).sample(500, 1000, 1000, seed=5)
        assert (functional.indices(spec, u, 500, 1000) == drawn).mean() > 0.999


def test_ages_count_from_the_newest():
    u = uniforms(100)
    assert (functional.ages("ere", u, 50) == 49 - functional.indices("ere", u, 50)).all()


def test_refusals():
    u = uniforms(4)
    with pytest.raises(ValueError, match="per draws by more than age"):
        functional.indices("per", u, 5)
    with pytest.raises(ValueError, match="stratify the uniforms"):
        functional.indices("uniform:draws=stratified", u, 5)
    with pytest.raises(ValueError, match="size must be at least 1, got 0"):
        functional.indices("uniform", u, 0)
    with pytest.raises(ValueError, match="at most the capacity 5, got 9"):
        functional.indices("uniform", u, 9, 5)
    with pytest.raises(KeyError, match="unknown"):
        functional.indices("no_such", u, 5)


def test_sampler_objects_and_float32():
    u = uniforms(1000).astype(np.float32)
    found = functional.indices(mneme.samplers.TruncatedGeometric(alpha=3), u, 300)
    wanted = core_indices("truncated_geometric:alpha=3", u.astype(np.float64), 300, 300)
    assert (np.abs(found - wanted) <= 1).all() and (found == wanted).mean() > 0.99


@pytest.mark.slow
@pytest.mark.parametrize("spec", SPECS)
def test_torch_equals_the_core(spec):
    torch = pytest.importorskip("torch")
    u = uniforms()
    for size, capacity in ((1, 9), (40, 64), (300, 300), (5000, 100_000)):
        if "paper_float32" in spec and size > 1000:
            continue
        wanted = core_indices(spec, u, size, capacity)
        found = functional.indices(spec, torch.from_numpy(u), size, capacity)
        assert found.dtype == torch.int64
        np.testing.assert_array_equal(found.numpy(), wanted)
        if "order=random" in spec or "paper_float32" in spec:
            continue
        as_tensor = functional.indices(spec, torch.from_numpy(u), torch.tensor(size), capacity)
        assert (as_tensor.numpy() == wanted).mean() > 0.999


@pytest.mark.slow
@pytest.mark.parametrize("spec", SPECS)
def test_jax_under_jit_equals_the_core(spec):
    jax = pytest.importorskip("jax")
    u = uniforms()
    if "order=random" in spec or "paper_float32" in spec:
        pytest.skip("needs the size as a Python number")
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    try:
        draw = jax.jit(lambda u, size, batch: functional.indices(spec, u, size, 5000, batch=batch))
        for size in (1, 2, 3, 40, 255, 256, 300, 5000):
            wanted = core_indices(spec, u, size, 5000, batch=2)
            found = np.asarray(draw(jax.numpy.asarray(u), size, 2))
            assert ((found >= 0) & (found < size)).all()
            assert (found == wanted).mean() > 0.999, size
    finally:
        jax.config.update("jax_enable_x64", before)


@pytest.mark.slow
def test_jax_in_single_precision_is_close():
    jax = pytest.importorskip("jax")
    u = uniforms().astype(np.float32)
    draw = jax.jit(
        lambda u, size: functional.indices("truncated_geometric:alpha=10", u, size, 5000)
    )
    found = np.asarray(draw(jax.numpy.asarray(u), 4000))
    wanted = core_indices("truncated_geometric:alpha=10", u.astype(np.float64), 4000, 5000)
    assert (np.abs(found - wanted) <= 1).all()
