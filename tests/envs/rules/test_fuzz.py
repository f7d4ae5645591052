"""Texts that no person would write: reading them ends soon, with a rule or with a line and a column.

Half of the texts are random, half are changed rules that get past the tokenizer; `benchmarks/rules_fuzz.py`
tries many more, and watches the memory.
"""

import random
import re
import time
from collections import Counter
from collections.abc import Callable

import pytest
from random_rules import draw_sample

from assay.envs.rules.benchmark import RULES
from assay.envs.rules.board import Board, Piece
from assay.envs.rules.interpreter import attempt, begin, legal_buckets, prepare
from assay.envs.rules.language.errors import RuleError
from assay.envs.rules.language.parse import parse, read
from assay.envs.rules.language.tokens import split_text
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
SPLIT = re.compile(r'"[^"]*"|\w+|\.\.|[=!<>]=|\s+|.', re.DOTALL)  # into tokens, roughly
BITS = (*SIGNS, *WORDS, "é", "\u0391", "\r", "\x00")
SLOWEST = 2.0  # seconds for one text
BOARD = Board((Piece(0, "star", "red", 1), Piece(1, "circle", "blue", 8), Piece(2, "square", "red", 36)))


def draw_bytes(chance: random.Random) -> str:
    size = chance.randint(0, 120)
    if chance.random() < 0.5:
        return chance.randbytes(size).decode("latin-1")
    return "".join(chance.choices(BITS, k=size))


def mutate(text: str, chance: random.Random) -> str:
    """The text with up to four small changes: of letters, or of tokens that come from anywhere in it."""
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        text = (mutate_tokens if chance.random() < 0.6 else mutate_letters)(text, chance)
    return text


def mutate_letters(text: str, chance: random.Random) -> str:
    at = chance.randint(0, len(text))
    end = min(len(text), at + chance.randint(0, 8))
    kind = chance.randrange(4)
    if kind == 0:
        return text[:at] + text[end:]
    if kind == 1:
        return text[:at] + chance.choice((*SIGNS, *WORDS)) + text[at:]
    if kind == 2:
        return text[:at] + text[at:end] * chance.randint(2, 40) + text[end:]
    return text[:at] + chance.choice(SIGNS) + text[at + 1 :]


def mutate_tokens(text: str, chance: random.Random) -> str:
    tokens = SPLIT.findall(text) or [" "]
    at, other = chance.randrange(len(tokens)), chance.randrange(len(tokens))
    kind = chance.randrange(4)
    if kind == 0:
        del tokens[at]
    elif kind == 1:
        tokens[at], tokens[other] = tokens[other], tokens[at]
    elif kind == 2:
        tokens.insert(at, tokens[other])
    else:
        tokens[at] = chance.choice((*WORDS, str(chance.randrange(50))))
    return "".join(tokens)


def is_split(text: str) -> bool:
    """Whether the tokenizer takes the text, and finds something in it."""
    try:
        return bool(split_text(text, "").lines)
    except RuleError:
        return False


def try_text(text: str) -> bool:
    """Whether the text is a rule, which is then played; anything but a rule or a `RuleError` is a failure."""
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
    game = prepare(rule)
    state = begin(game, BOARD)
    for piece, buckets in legal_buckets(game, state).items():
        state = attempt(game, state, piece, min(buckets, default=0))[1]
    assert time.process_time() - begun < 2 * SLOWEST, text
    return True


def draw_rules(chance: random.Random, count: int) -> list[str]:
    """Texts of random rules, not too long: one error anywhere ends the reading of all that follows."""
    texts: list[str] = []
    while len(texts) < count:
        text = write(draw_sample(chance).rule)
        texts += [text] if len(text) < 250 else []
    return texts


def fuzz(count: int, seed: int, watch: Callable[[int], None] = lambda done: None) -> Counter[str]:
    """How many of `count` texts are random, are changed rules past the tokenizer, and are rules after all."""
    chance, seen = random.Random(seed), Counter[str]()
    base = [rule.text for rule in RULES] + draw_rules(chance, 200)
    for i in range(count):
        if i % 2:
            kind, text = "random", draw_bytes(chance)
        else:
            kind, text = "changed", mutate(chance.choice(base), chance)
            while not is_split(text):
                seen["changed and drawn anew"] += 1
                text = mutate(chance.choice(base), chance)
            seen["changed, past the tokenizer"] += 1
        seen[kind] += 1
        seen[f"{kind}, a rule"] += try_text(text)
        watch(i + 1)
    return seen


def test_ten_thousand_texts():
    """With as many inputs of the captive server they are the 20,000 of every run of the tests."""
    seen = fuzz(10_000, seed=7)
    assert seen["random"] == seen["changed, past the tokenizer"] == 5_000
    assert 500 < seen["changed, a rule"] < 4_500  # both outcomes are common, so neither was tested in vain


@pytest.mark.slow
def test_half_a_million_texts():
    assert fuzz(500_000, seed=8)["changed, past the tokenizer"] == 250_000


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
