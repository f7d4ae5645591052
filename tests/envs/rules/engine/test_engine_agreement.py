"""The compiled engine says what the plain interpreter says, after every move of games of random rules."""

import random
from dataclasses import replace

import jax.numpy as jnp
import numpy as np
import pytest
from engine_agreement import compare_engines, differences, hear_compiled, hear_plain, hear_tables
from random_rules import COLOR_NAMES, GEOMETRIES, SHAPE_NAMES, VALUES, draw_sample

from assay.envs.rules.benchmark import RULES
from assay.envs.rules.engine.compile import compile_rules
from assay.envs.rules.engine.variables import Vocabulary
from assay.envs.rules.geometry import STANDARD

VOCABULARY = Vocabulary(SHAPE_NAMES, COLOR_NAMES, VALUES)
PIECES = 12


def draw_samples(count, seed, geometry=None):
    chance = random.Random(seed)
    return [draw_sample(chance, geometry=geometry) for _ in range(count)]


def disagreements(samples):
    """Where the engines differ; at most one in a hundred rules is too large for tables."""
    refused = []
    compared = list(compare_engines(samples, VOCABULARY, PIECES, refused))
    assert len(refused) <= len(samples) // 100 and all("cases" in says for _, says in refused)
    assert len(compared) + len(refused) == len(samples)
    return [(each.sample, each.differing) for each in compared if each.differing]


@pytest.mark.parametrize(
    "geometry, count", [(STANDARD, 200), (GEOMETRIES[2], 60)], ids=["6x6", "4x6, 3 buckets"]
)
def test_both_engines_agree_on_random_rules(geometry, count):
    assert disagreements(draw_samples(count, 1, geometry)) == []


def test_both_engines_agree_on_the_benchmark_rules():
    chance = random.Random(2)
    boards = [draw_sample(chance, geometry=STANDARD, pieces=(9, 9), moves=120) for _ in RULES]
    boards = [each for each in boards if not each.board.property_names]
    samples = [replace(boards[i % len(boards)], rule=rule.parse()) for i, rule in enumerate(RULES)]
    heard = hear_compiled(samples, VOCABULARY, PIECES)
    found = [differences(hear_plain(a, b.atoms_left.shape[1], PIECES), b) for a, b in zip(samples, heard)]
    assert found == [[]] * len(RULES)
    assert sum(int((each.code == 0).sum()) for each in heard) > 3 * len(RULES)


def test_an_error_in_a_table_is_found():
    """Each planted error makes some sample disagree, so agreement is no accident of what is compared."""
    samples = draw_samples(60, 3, GEOMETRIES[4])
    tables = compile_rules([each.rule for each in samples], samples[0].geometry, VOCABULARY, PIECES)
    plain = [hear_plain(each, tables.sizes.atoms, PIECES) for each in samples]
    for wrong in (
        tables,
        replace(tables, entries=tables.entries ^ 1),
        replace(tables, ranks=-tables.ranks),
        replace(tables, atom_count=jnp.where(tables.atom_count == 1, 2, tables.atom_count)),
        replace(tables, kin_key=1 - jnp.minimum(tables.kin_key, 1)),
        replace(tables, line_count=jnp.where(tables.line_count > 0, -1, tables.line_count)),
    ):
        heard = hear_tables(wrong, samples, VOCABULARY, PIECES)
        differing = sum(bool(differences(a, b)) for a, b in zip(plain, heard))
        assert differing == 0 if wrong is tables else differing > 0


def test_both_engines_agree_on_rules_that_only_lenient_reading_takes():
    chance = random.Random(5)
    samples = [draw_sample(chance, geometry=STANDARD, guided=True, lenient=True) for _ in range(60)]
    assert disagreements(samples) == []


def test_samples_are_worth_comparing():
    """Many attempts are accepted, and games end in all ways."""
    samples = draw_samples(200, 1, STANDARD)
    plain = [hear_plain(each, 4, PIECES) for each in samples]
    assert np.mean([(each.code[1:] == 0).mean() for each in plain]) > 0.05
    assert {int(each.finish[-1]) for each in plain} == {0, 1, 2}
