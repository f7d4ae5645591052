"""Texts that no person would write: reading them ends soon, with a rule or with a line and a column."""

import random
import re
import time

import pytest
from random_rules import draw_sample

from assay.envs.rules.language.errors import RuleError
from assay.envs.rules.language.parse import parse, read
from assay.envs.rules.language.write import write

PLACE = re.compile(r"the rule, line [1-9]\d*, column [1-9]\d*: .")
SIGNS = '()[],:.+-*/%!=<>"#\n $_09azAZ'
WORDS = (
    "..",
    "==",
    "!=",
    "Order",
    "count",
    "bucket",
    "pos",
    "postpos",
    "last.color",
    "q",
    "(p + 1)",
    "[1..3]",
)
SLOWEST = 2.0  # seconds for one text


def draw_bytes(chance: random.Random) -> str:
    size = chance.randint(0, 120)
    if chance.random() < 0.5:
        return bytes(chance.randrange(256) for _ in range(size)).decode("latin-1")
    return "".join(chance.choice((*SIGNS, *WORDS, "é", "\u0391", "\r", "\x00")) for _ in range(size))


def mutate(text: str, chance: random.Random) -> str:
    for _ in range(chance.randint(1, 4)):
        at = chance.randint(0, len(text))
        end = min(len(text), at + chance.randint(0, 8))
        kind = chance.randrange(4)
        if kind == 0:
            text = text[:at] + text[end:]
        elif kind == 1:
            text = text[:at] + chance.choice((*SIGNS, *WORDS)) + text[at:]
        elif kind == 2:
            text = text[:at] + text[at:end] * chance.randint(2, 40) + text[end:]
        else:
            text = text[:at] + chance.choice(SIGNS) + text[at + 1 :]
    return text


def try_text(text: str) -> bool:
    """Whether the text is a rule; anything but a rule or a `RuleError` fails the test."""
    begun = time.process_time()
    try:
        rule, _ = read(text)
    except RuleError as error:
        assert PLACE.match(str(error)), (text, str(error))
        assert 1 <= error.line <= text.count("\n") + 1, text
        return False
    finally:
        assert time.process_time() - begun < SLOWEST, text
    assert parse(write(rule), strict=False) == rule, text
    return True


def fuzz(count: int, seed: int) -> int:
    """How many of `count` texts are rules; half of the texts are random, half are changed rules."""
    chance, rules = random.Random(seed), 0
    base = [write(draw_sample(chance).rule) for _ in range(200)]
    for i in range(count):
        rules += try_text(draw_bytes(chance) if i % 2 else mutate(chance.choice(base), chance))
    return rules


def test_two_thousand_texts():
    rules = fuzz(2_000, seed=7)
    assert 100 < rules < 1_500  # both outcomes are common, so neither was tested in vain


@pytest.mark.slow
def test_a_million_texts():
    assert fuzz(1_000_000, seed=8) > 0


@pytest.mark.parametrize(
    "text",
    ["(" * 50_000, "[" * 50_000, "!" * 50_000, "(bucket:" + "[" * 50_000, "(bucket:" + "1+" * 50_000 + "1)",
     "(bucket:" + "1*" * 40_000 + "1)", "(a:1" + ",a:1" * 20_000 + ")", "()" * 40_000,
     "(pos:[" + "1," * 40_000 + "1])",
     "Order X=[" + "1," * 40_000 + "1]\n()", "#" * 90_000, '"' * 99_999, "9" * 99_999, "\n" * 500_000],
)  # fmt: skip
def test_large_texts_end_soon(text):
    begun = time.process_time()
    try:
        rule = parse(text, strict=False)
        assert parse(write(rule), strict=False) == rule
    except RuleError as error:
        assert PLACE.match(str(error))
    assert time.process_time() - begun < 20
