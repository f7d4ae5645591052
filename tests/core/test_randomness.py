"""Streams read off a program: nothing is missed inside calls, branches and loops."""

import jax
import jax.numpy as jnp

from assay.core.keys import stream
from assay.core.randomness import draws
from assay.core.streams import number_of

KEY = jax.random.key(0)
A, B = number_of("a"), number_of("b")


def test_each_draw_has_the_path_of_its_key():
    def program(key):
        return jax.random.uniform(stream(key, "a")) + jax.random.normal(stream(stream(key, "a"), "b"))

    assert draws(program, KEY) == {("key 0", A): 1, ("key 0", A, B): 1}


def test_the_same_stream_twice_counts_twice():
    def program(key):
        return jax.random.uniform(stream(key, "a")) + jax.random.uniform(stream(key, "a"), (3,)).sum()

    assert draws(program, KEY) == {("key 0", A): 2}


def test_draws_inside_calls_branches_and_loops_are_found():
    @jax.jit
    def inner(key):
        return jax.random.uniform(stream(key, "b"))

    def program(key, flag):
        branched = jax.lax.cond(flag, lambda: inner(key), lambda: jax.random.uniform(stream(key, "a")))
        looped, _ = jax.lax.scan(lambda c, _: (c + inner(key), None), jnp.float32(0), None, length=3)
        return branched + looped

    assert draws(program, KEY, True) == {("key 0", B): 2, ("key 0", A): 1}


def test_two_keys_are_two_roots():
    def program(one, other):
        return jax.random.uniform(one) + jax.random.uniform(other)

    assert draws(program, KEY, KEY) == {("key 0",): 1, ("key 1",): 1}


def test_a_key_made_from_nowhere_is_unknown():
    assert draws(lambda key: jax.random.uniform(jax.random.key(7)), KEY) == {("?",): 1}
