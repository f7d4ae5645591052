"""Digests of axes by definition: their own functions and all that these use, and nothing beside them."""

from dataclasses import replace
from functools import partial

import pytest

from assay.catalogue import axis_of
from assay.digests import definitions
from assay.digests.definitions import digest_of_definition

FIRST = """
from assay.code_sample_tools import half
from assay.core.space import Space
from assay.variations.other import shared

SCALE = 3
UNUSED = 4


def helper(x):
    return x * SCALE


def apply(x):
    return helper(half(x)) + shared(x)


def stranger(x):
    return UNUSED
"""
OTHER = (
    "def shared(x):\n    return deep(x)\n\n\ndef deep(x):\n    return x\n\n\ndef unused(x):\n    return 1\n"
)


@pytest.fixture
def digest(tmp_path, monkeypatch):
    """The digest of `apply` in two modules of variations, whose texts are given."""

    def found(first=FIRST, other=OTHER):
        texts = {"assay.variations.first": first, "assay.variations.other": other}
        for module, text in texts.items():
            (tmp_path / f"{module}.py").write_text(text)

        def files_of(name):
            return [(name, tmp_path / f"{name}.py")] if name in texts else []

        monkeypatch.setattr(definitions, "files_of", files_of)
        definitions.read_definitions.cache_clear()
        function = lambda: None  # noqa: E731 - stands for the one in the file
        function.__module__, function.__qualname__ = "assay.variations.first", "apply"
        return digest_of_definition(function)

    return found


def test_what_a_definition_uses_counts_wherever_it_is(digest):
    plain = digest()
    for old, new in [("SCALE = 3", "SCALE = 5"), ("x * SCALE", "x + SCALE"), ("half(x))", "half(x) + 1)")]:
        assert digest(FIRST.replace(old, new)).digest != plain.digest, new
    assert digest(other=OTHER.replace("return x", "return -x")).digest != plain.digest
    assert plain.modules == {"assay.code_sample_tools"}  # a whole file; of core nothing but a type is used


def test_what_stands_beside_it_does_not_count(digest):
    plain = digest()
    assert digest(FIRST.replace("UNUSED = 4", "UNUSED = 5")) == plain
    assert digest(FIRST + "\n\ndef later(x):\n    return x\n") == plain
    assert digest(FIRST.replace("def helper(x):", 'def helper(x):\n    """Scales."""')) == plain
    assert digest(other=OTHER.replace("return 1", "return 2")) == plain


def test_a_statement_that_defines_nothing_counts_always(digest):
    assert digest(FIRST + "\nprint(UNUSED)\n").digest != digest().digest


def test_an_axis_counts_by_its_values_and_not_by_its_words():
    axis = axis_of("gym/CartPole-v1", "reward.noise")
    plain = digest_of_definition(axis)
    assert digest_of_definition(replace(axis, means="otherwise", origin="elsewhere")) == plain
    for changed in ({"levels": (0.5,)}, {"neutral": 0.5}, {"low": None}, {"components": ("action",)}):
        assert digest_of_definition(replace(axis, **changed)).digest != plain.digest, changed
    other = axis_of("gym/CartPole-v1", "reward.shift")
    swapped = replace(axis, acts=replace(axis.acts, apply=other.acts.apply))
    assert digest_of_definition(swapped).digest != plain.digest
    assert "assay.core.variation" in digest_of_definition(axis_of("gym/CartPole-v1", "reward.delay")).modules


def test_what_a_function_was_given_counts():
    def made(limit):
        return lambda x: x < limit

    assert digest_of_definition(made(1)) == digest_of_definition(made(1))
    assert digest_of_definition(made(1)).digest != digest_of_definition(made(2)).digest
    assert digest_of_definition(partial(max, 1)).digest != digest_of_definition(partial(max, 2)).digest


def test_helpers_imported_inside_a_function_or_by_their_module_count(digest):
    inside = FIRST.replace(
        "    return helper", "    from assay.variations.other import shared\n    return helper"
    )
    inside = inside.replace("from assay.variations.other import shared\n\n", "\n", 1)
    assert digest(inside).digest != digest(inside, OTHER.replace("return x", "return -x")).digest
    by_alias = FIRST.replace(
        "from assay.variations.other import shared", "from assay.variations import other"
    )
    by_alias = by_alias.replace("shared(x)", "other.shared(x)")
    assert digest(by_alias).digest != digest(by_alias, OTHER.replace("return x", "return -x")).digest


def test_a_lambda_counts_with_all_of_its_module(digest):
    text = FIRST.replace(
        "def apply(x):\n    return helper(half(x)) + shared(x)\n", "CHANNELS = [lambda x: x + 1]\n"
    )
    assert digest(text).digest != digest(text.replace("x + 1", "x + 2")).digest
