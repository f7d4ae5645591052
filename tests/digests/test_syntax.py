"""Digests by syntax: what Python does counts, and what is said about it does not."""

import ast

import pytest

from assay.digests.syntax import digest_of_file, digest_of_tree, tokens

CODE = '''
"""A module."""

LIMIT = 3  # of something


class Ring:
    """A ring."""

    size: int = 4

    def push(self, value, *, last=None):
        """Adds a value."""
        return [*self.held, value] if value is not None else {**self.more, "a": f"{value!r:>{LIMIT}}"}
'''
REWORDED = '''
"""Another sentence about
the same module."""
LIMIT = 3
class Ring:
    size: int = 4
    "what it holds at most"
    def push(self, value, *, last=None):
        # Adds.
        return (
            [*self.held, value]
            if value is not None
            else {**self.more, 'a': f"{value!r:>{LIMIT}}"}
        )
'''


def digest(text):
    return digest_of_tree(ast.parse(text))


def test_words_of_a_tree_by_hand():
    assert list(tokens(ast.parse("x = -1"))) == [
        "(Module", ".body", "[", "(Assign", ".targets", "[", "(Name", ".id", "x", ")", "]", ".value",
        "(UnaryOp", ".op", "(USub", ")", ".operand", "int 1", ")", ")", "]", ")",
    ]  # fmt: skip


def test_comments_docstrings_and_layout_do_not_count():
    assert digest(CODE) == digest(REWORDED)


@pytest.mark.parametrize(
    "old, new",
    [
        ("LIMIT = 3", "LIMIT = 3.0"),
        ("LIMIT = 3", "LIMIT = '3'"),
        ("LIMIT = 3", "LIMIT: int = 3"),
        ("last=None", "last=0"),
        ("*, last", "last"),
        ("is not None", "is None"),
        ("!r", "!s"),
        ("**self.more, ", ""),
        ('"a"', '"b"'),
        ("self.held, value", "value, self.held"),
    ],
)
def test_everything_else_counts(old, new):
    assert CODE.count(old) == 1
    assert digest(CODE.replace(old, new)) != digest(CODE)


def test_a_docstring_that_is_used_as_a_value_counts():
    assert digest("x = 'a'") != digest("x = 'b'")


def test_other_files_and_what_python_cannot_read_count_by_bytes(tmp_path):
    for name, texts in {"page.css": ("a {}", "a { }"), "torn.py": ("def (", "def  (")}.items():
        path, found = tmp_path / name, set()
        for text in texts:
            path.write_text(text)
            found.add(digest_of_file(path))
        assert len(found) == 2, name


@pytest.mark.parametrize(
    "described, plain",
    [
        ('class Axis:\n    name: str\n    stochasticity: str = ""', "class Axis:\n    name: str"),
        ('noise = axis("transition", 0.0, stochasticity="2.1")', 'noise = axis("transition", 0.0)'),
        ('noise = axis(stochasticity="2.1")', "noise = axis()"),
    ],
)
def test_a_type_of_stochasticity_is_a_description_and_changes_no_digest(described, plain):
    assert digest_of_tree(ast.parse(described)) == digest_of_tree(ast.parse(plain))


def test_other_fields_and_arguments_still_count():
    declared = ast.parse("class Axis:\n    name: str\n    low: float = 0.0")
    assert digest_of_tree(declared) != digest_of_tree(ast.parse("class Axis:\n    name: str"))
    assert digest_of_tree(ast.parse("axis(low=1)")) != digest_of_tree(ast.parse("axis()"))
