"""Rules compiled to tables, one or many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp

from assay.envs.rules.engine.draft import Draft
from assay.envs.rules.engine.pad import pad
from assay.envs.rules.engine.read_rule import RuleReader
from assay.envs.rules.engine.sizes import Sizes, check_limits, common_sizes
from assay.envs.rules.engine.tables import Tables, stack_tables
from assay.envs.rules.engine.variables import Vocabulary
from assay.envs.rules.geometry import STANDARD, Geometry
from assay.envs.rules.language.syntax import Rule


def compile_rule(
    rule: Rule,
    geometry: Geometry = STANDARD,
    vocabulary: Vocabulary = Vocabulary(),
    pieces: int = 9,
    sizes: Sizes | None = None,
) -> Tables:
    """The tables of one rule, for boards of up to `pieces` pieces, padded to `sizes` where they are given."""
    draft = RuleReader(rule, geometry, vocabulary).draft
    own = sizes_of(draft, geometry, vocabulary, pieces)
    return jax.tree.map(jnp.asarray, pad(draft, sizes or own, own))


def compile_rules(
    rules: Sequence[Rule],
    geometry: Geometry = STANDARD,
    vocabulary: Vocabulary = Vocabulary(),
    pieces: int = 9,
) -> Tables:
    """Many rules as one stack of tables, padded to the sizes that they have in common."""
    drafts = [RuleReader(rule, geometry, vocabulary).draft for rule in rules]
    own = [sizes_of(draft, geometry, vocabulary, pieces) for draft in drafts]
    sizes = common_sizes(own)
    return stack_tables([pad(draft, sizes, each) for draft, each in zip(drafts, own)])


class Group(NamedTuple):
    """Rules of much the same shape, as one stack of tables."""

    rules: tuple[int, ...]  # their places among all rules
    tables: Tables


def compile_groups(
    rules: Sequence[Rule],
    geometry: Geometry = STANDARD,
    vocabulary: Vocabulary = Vocabulary(),
    pieces: int = 9,
) -> list[Group]:
    """Many rules as a few stacks of tables, so that no rule is padded with much that it does not use.

    A program may play all stacks side by side. Within a stack every rule pays for the most lines and atoms of
    any; finer groups would play faster still, but every stack is compiled for itself.
    """
    places: dict[tuple[bool, ...], list[int]] = {}
    for place, rule in enumerate(rules):
        draft = RuleReader(rule, geometry, vocabulary).draft
        places.setdefault(_shape_of(sizes_of(draft, geometry, vocabulary, pieces)), []).append(place)
    return [
        Group(tuple(some), compile_rules([rules[place] for place in some], geometry, vocabulary, pieces))
        for some in places.values()
    ]


def _shape_of(sizes: Sizes) -> tuple[bool, ...]:
    """What costs the most in padding: further lines and atoms, and `postpos`."""
    return (sizes.lines > 1, sizes.atoms > 1, sizes.trims > 0)


def sizes_of(draft: Draft, geometry: Geometry, vocabulary: Vocabulary, pieces: int) -> Sizes:
    """The sizes of a rule without padding, or the reason why it is too large."""
    names = len(vocabulary.shapes), len(vocabulary.colors)
    sizes = draft.sizes((geometry.cells, geometry.buckets, vocabulary.rows, *names), pieces)
    check_limits(sizes)
    return sizes
