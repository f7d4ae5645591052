"""The kinds of variation as records, and the little that they share: paths and rings, by hand."""

from dataclasses import dataclass, replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from assay.core import env  # noqa: F401 - registers the records as pytrees
from assay.core.host import HostedTask, Powers
from assay.core.space import Box, Discrete
from assay.core.variation import Channel, Field, HostRule, Inner, get, push, put, read, write
from assay.errors import NotApplicable
from assay.tasks import clock_of, resolve


@dataclass(frozen=True)
class Inside:
    hue: int = 1


@dataclass(frozen=True)
class Outside:
    inside: Inside = Inside()
    size: int = 2


def test_a_field_is_set_by_its_path_and_what_came_in_stays():
    plain = Outside()
    assert put(plain, "inside.hue", 9) == Outside(Inside(9)) and put(plain, "size", 3).size == 3
    assert plain == Outside() and get(plain, "inside.hue") == 1


RINGS = {"plain": list, "numpy": np.array, "jax": jnp.array}


@pytest.mark.parametrize("made", RINGS.values(), ids=list(RINGS))
def test_a_ring_gives_what_was_pushed_so_many_steps_before(made):
    ring, paid = made([0.0, 0.0, 0.0]), []
    for count, value in enumerate([10.0, 20.0, 30.0, 40.0, 50.0]):
        ring, due = push(ring, count, value, 2)
        paid.append(float(due))
    assert paid == [0, 0, 10, 20, 30]
    assert float(push(ring, 5, 60.0, 0)[1]) == 60  # no delay: what goes in comes out


def test_what_is_read_of_a_numpy_ring_is_the_readers_to_keep():
    ring = np.zeros((2, 3))
    kept = read(ring, 0)
    assert write(ring, 0, 7.0) is ring and kept.tolist() == [0, 0, 0]
    other = jnp.zeros((2, 3))
    assert write(other, 0, 7.0)[0, 0] == 7 and other[0, 0] == 0  # jax gives a new one


def same(*arguments):
    return arguments[-1]


def records():
    leaf = jnp.float32(0)
    return [
        Field(leaf, "a", ("reward",), neutral=leaf),
        Inner(leaf, "a", ("reward",), same, neutral=leaf),
        Channel(leaf, "a", ("reward",), same, neutral=leaf),
        HostRule(leaf, "a", ("reward",), neutral=leaf),
    ]


def test_levels_are_leaves_and_the_rest_is_structure():
    for record in records():
        assert len(jax.tree.leaves(record)) == 2  # the level and the neutral one
        moved = jax.tree.map(lambda leaf: leaf + 1, record)
        assert moved.level == 1 and moved.name == "a" and type(moved) is type(record)
        assert jax.tree.structure(moved) == jax.tree.structure(record)
        assert jax.tree.structure(replace(record, name="b")) != jax.tree.structure(record)


def test_kinds_that_hold_the_same_are_told_apart():
    """A Field and a HostRule have the same fields: only their type is another."""
    structures = [jax.tree.structure(record) for record in records()]
    assert all(a != b for i, a in enumerate(structures) for b in structures[i + 1 :])


class Fixed:
    """A host that keeps the levels it was built with."""

    limit, powers = np.inf, Powers()

    def __init__(self):
        box = Box(0, 1, (), "float64")
        self.spaces = {"action": Discrete(2), "reward": box, "observation": box}

    def step(self, action): ...


def test_a_rule_on_a_clock_needs_a_host_that_can_be_told():
    (schedule,) = (setting.schedule for setting in resolve("toy/discrete+delay=4@sudden:3").text.settings)
    rule = HostRule(True, "lazy", ("transition",))
    HostedTask(Fixed(), (), (rule,))
    with pytest.raises(NotApplicable, match="lazy cannot change over time"):
        HostedTask(Fixed(), (), (replace(rule, clock=clock_of(schedule)),))
    with pytest.raises(NotApplicable, match="cannot be saved"):
        HostedTask(Fixed(), ()).save()
