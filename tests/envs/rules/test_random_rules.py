"""The generator of random rules: every construct is common, samples can be read, and games get somewhere."""

import random
from collections import Counter

from random_constructs import CONSTRUCTS, constructs_of
from random_rules import draw_sample

from assay.envs.rules.codes import Response
from assay.envs.rules.interpreter import attempt, begin, prepare
from assay.envs.rules.language.parse import parse
from assay.envs.rules.language.write import write


def test_every_construct_is_common():
    """At least 200 of 10,000 rules use each; here 2,000 rules and 2 of 100."""
    chance = random.Random(1)
    counts = Counter(name for _ in range(2_000) for name in constructs_of(draw_sample(chance)))
    assert {name: counts[name] for name in CONSTRUCTS if counts[name] < 40} == {}
    assert set(counts) == set(CONSTRUCTS)


def test_samples_are_read_as_they_are_written():
    chance = random.Random(2)
    for _ in range(500):
        sample = draw_sample(chance)
        assert parse(write(sample.rule), geometry=sample.geometry) == sample.rule


def test_moves_meet_every_answer():
    chance, codes = random.Random(3), Counter()
    for _ in range(300):
        sample = draw_sample(chance)
        game = prepare(sample.rule, sample.geometry)
        state = begin(game, sample.board)
        for piece, bucket in sample.moves:
            code, state = attempt(game, state, piece, bucket)
            codes[code] += 1
    answers = (Response.ACCEPT, Response.DENY, Response.IMMOVABLE, Response.INVALID_OBJECT_ID)
    assert all(codes[code] > 500 for code in answers), codes
