"""tests/test_functions.py - samplers, diagnostics, statistics: the core's numbers, under its names."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import mneme

ROWS = mneme._core.registry()
# On the path, or where the release suite of this checkout has built it.
BUILT = Path(__file__).resolve().parents[2] / "build/release/bin/mneme"
TOOL = shutil.which("mneme") or (str(BUILT) if BUILT.exists() else None)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_every_sampler_of_the_registry_is_a_class(row):
    made = getattr(mneme.samplers, mneme.samplers.class_name(row["name"]))
    assert made().spec == row["name"]
    assert made.parameters == tuple(parameter["name"] for parameter in row["parameters"])
    assert row["summary"][1:] in made.__doc__
    # Its defaults, written out, are accepted by a buffer.
    given = {
        p["name"]: p["default"]
        for p in row["parameters"]
        if p["kind"] in ("number", "whole", "choice")
    }
    mneme.ReplayBuffer(observation=(1,), action=(1,), capacity=10, sampler=made(**given))


def test_a_sampler_draws_what_it_says():
    sampler = mneme.samplers.TruncatedGeometric(alpha=3)
    p = sampler.probabilities(size=40, capacity=64)
    assert p.sum() == pytest.approx(1) and (np.diff(p) > 0).all()
    count = np.bincount(sampler.sample(40, 64, 200_000, seed=5), minlength=40)
    # Chi-square of 39 degrees of freedom: 93 is exceeded once in a million seeds.
    assert ((count - 2e5 * p) ** 2 / (2e5 * p)).sum() < 93
    assert ((count - 2e5 * p[::-1]) ** 2 / (2e5 * p[::-1])).sum() > 93


def test_a_nested_sampler():
    mix = mneme.samplers.Mix(eps=0.1, a=mneme.samplers.Uniform(), b=mneme.samplers.Linear())
    assert mix.spec == "mix:eps=0.1,a=(uniform),b=(linear)"
    assert mix == mneme.samplers.Mix(eps=0.1, a="(uniform)", b="(linear)")


def test_errors_have_the_text_of_the_library():
    with pytest.raises(KeyError, match="unknown sampler 'unifrom'; did you mean 'uniform'"):
        mneme.make_sampler("unifrom")
    with pytest.raises(ValueError, match="alpha"):
        mneme.samplers.TruncatedGeometric(alpha=-1)
    with pytest.raises(TypeError, match="no parameter 'beta'"):
        mneme.samplers.Uniform(beta=1)


def test_inspect():
    d = mneme.inspect("truncated_geometric:alpha=10", capacity=1_000_000)
    weight = 2.0 ** (10 * np.arange(1_000_000) / 999_999)
    recency = (weight * np.arange(1_000_000)).sum() / weight.sum() / 999_999
    assert d.expected_recency == pytest.approx(recency, rel=1e-9)
    assert d.sampling_entropy == pytest.approx(
        mneme.inspect(d_sampler(), 1_000_000).sampling_entropy
    )
    assert [m.share for m in d.newest_mass] == [0.01, 0.1, 0.25, 0.5]
    assert mneme.inspect("uniform", 100, 40).perplexity == pytest.approx(40)


def d_sampler():
    return mneme.samplers.TruncatedGeometric(alpha=10)


def test_match_and_frontier():
    for match in mneme.match(0.857, capacity=100_000):
        if match.reachable:
            found = mneme.inspect(match.spec, 100_000).expected_recency
            assert found == pytest.approx(match.expected_recency, abs=1e-9)
    row = mneme.frontier(100_000, [0.8])[0]
    assert row.truncated_geometric_entropy > row.uniform_fifo_entropy
    with pytest.raises(ValueError):
        mneme.match(1.5, capacity=100)


def test_advise():
    advice = mneme.advise(envs=128, updates_per_step=2, batch=32768, capacity=51200, steps=100_000)
    assert advice.replay_volume == pytest.approx(2 * 32768 / 128)
    mneme.make_sampler(advice.sampler)
    assert {reason.evidence for reason in advice.reasons} <= {"paper", "derived", "measured here"}


@pytest.mark.skipif(TOOL is None, reason="the tool is neither on the path nor built here")
def test_the_tool_says_the_same():
    said = json.loads(
        subprocess.check_output(
            [TOOL, "inspect", "--sampler", "ere", "--capacity", "5000", "--json"]
        )
    )
    found = mneme.inspect("ere", 5000)
    for key in ("expected_recency", "sampling_entropy", "first_replay_mean", "perplexity"):
        assert getattr(found, key) == said[key]


def test_stats():
    rng = np.random.default_rng(0)
    x, y = rng.random((5, 3)), rng.random((5, 3))
    assert mneme.stats.mean(x) == pytest.approx(x.mean())
    assert mneme.stats.iqm([list(column) for column in x.T]) == mneme.stats.iqm(x)
    answer = mneme.stats.bootstrap_aggregates(x, repetitions=500, seed=1)
    assert answer.mean.low < answer.mean.estimate < answer.mean.high
    again = mneme.stats.bootstrap_aggregates(x, repetitions=500, seed=1)
    assert (again.iqm.low, again.iqm.high) == (answer.iqm.low, answer.iqm.high)
    assert 0 <= mneme.stats.probability_of_improvement(x, y) <= 1
    with pytest.raises(ValueError, match="finite"):
        mneme.stats.mean(np.full((2, 2), np.nan))
    with pytest.raises(ValueError, match="runs x tasks"):
        mneme.stats.mean(3)
