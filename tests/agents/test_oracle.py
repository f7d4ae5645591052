"""The player that knows the rule makes no error, and is refused where it cannot see what it knows."""

from functools import partial

import jax
import jax.numpy as jnp
import pytest

from assay.agents import oracle
from assay.core import step as loop
from assay.core.keys import root_of
from assay.native import build_native


@pytest.mark.parametrize("name", ["clockwise", "colOrd_nearby"])
def test_it_clears_boards_without_an_error(name):
    task = build_native(f"rules/{name}+show_buckets").task

    def play(key):
        def step(carry, t):
            observation, world = carry
            now = jax.random.fold_in(key, t)
            action, _ = oracle.act(task, (), (), now, observation)
            out = loop.step(task, now, world, action)
            return (out.observation, out.state), (out.reward, out.terminated)

        return jax.lax.scan(step, loop.reset(task, key), jnp.arange(9))[1]

    paid, terminated = jax.jit(jax.vmap(play))(jax.random.split(root_of(0), 16))
    assert not paid.any()
    assert terminated[:, -1].all() and not terminated[:, :-1].any()


def test_it_chooses_among_legal_moves_alone():
    task = build_native("rules/clockwise+show_buckets").task
    observation, _ = jax.jit(partial(loop.reset, task))(root_of(0))
    shares = oracle.chances(task, (), (), observation)
    assert int((shares > 0).sum()) == 9 * 4  # any piece into any bucket at first
    assert float(shares.sum()) == pytest.approx(1)


def test_it_must_see_the_legal_buckets():
    spaces = loop.spaces(build_native("rules/clockwise").task)
    assert oracle.fits(spaces) == "it must see the legal buckets; add +show_buckets to the task"
    assert oracle.fits(loop.spaces(build_native("toy/discrete").task)).startswith("it knows boards")
