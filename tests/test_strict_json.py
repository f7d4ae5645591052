"""Frozen records as JSON and back; what is not as declared is refused, and the sentence names the place."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from assay.errors import AssayError
from assay.strict_json import WrongDocument, from_json, to_json


@dataclass(frozen=True)
class Leaf:
    name: str
    weight: float
    count: int = 1


@dataclass(frozen=True, kw_only=True)
class Tree:
    leaves: tuple[Leaf, ...]
    best: Leaf | None = None
    by_name: Mapping[str, Leaf] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    ends: tuple[float, float] | None = None
    alive: bool = True


LEAF = {"name": "a", "weight": 0.5, "count": 2}
TREE = {"leaves": [LEAF], "best": LEAF, "by_name": {"a": LEAF}, "settings": {"sizes": [1, 2]},
        "ends": [0.0, 1.0], "alive": False}  # fmt: skip


def read(**changes):
    return from_json(Tree, TREE | changes, "the tree")


def refused(**changes):
    with pytest.raises(WrongDocument) as why:
        read(**changes)
    assert "\n" not in str(why.value) and str(why.value).endswith(".")
    return str(why.value)


def test_nested_records_come_back_as_they_were():
    leaf = Leaf("a", 0.5, 2)
    tree = Tree(leaves=(leaf, Leaf("b", -1.0)), best=leaf, by_name={"a": leaf}, settings={"sizes": [1, None]},
                ends=(0.0, 1.0))  # fmt: skip
    document = to_json(tree)
    assert json.loads(json.dumps(document)) == document  # tuples are lists, records are objects
    assert document["leaves"][1] == {"name": "b", "weight": -1.0, "count": 1}
    assert from_json(Tree, document, "the tree") == tree


def test_what_is_empty_or_none_comes_back_too():
    tree = Tree(leaves=())
    assert from_json(Tree, to_json(tree), "the tree") == tree


def test_a_record_by_hand():
    assert read() == Tree(
        leaves=(Leaf("a", 0.5, 2),), best=Leaf("a", 0.5, 2), by_name={"a": Leaf("a", 0.5, 2)},
        settings={"sizes": [1, 2]}, ends=(0.0, 1.0), alive=False,
    )  # fmt: skip


def test_a_field_with_a_default_may_be_missing():
    assert from_json(Tree, {"leaves": []}, "the tree") == Tree(leaves=())
    assert from_json(Leaf, {"name": "a", "weight": 1.0}, "a leaf").count == 1


def test_a_whole_number_will_do_where_a_number_is_declared():
    found = read(ends=[0, 1]).ends
    assert found == (0.0, 1.0) and [type(end) for end in found] == [float, float]


@pytest.mark.parametrize("changes, says", [
    ({"leaves": [LEAF, {"name": "b"}]}, "item 1 of leaves of the tree has no weight."),
    ({"by_name": {"a": {"weight": 1.0}}}, "a of by_name of the tree has no name."),
    ({"colour": "green"}, "the tree has 'colour', which is no field of Tree."),
    ({"best": LEAF | {"colour": "green"}}, "best of the tree has 'colour', which is no field of Leaf."),
    ({"best": LEAF | {"name": 3}}, "name of best of the tree is 3, not a text."),
    ({"best": LEAF | {"weight": "3"}}, "weight of best of the tree is '3', not a number."),
    ({"best": LEAF | {"count": 3.0}}, "count of best of the tree is 3.0, not a whole number."),
    ({"best": LEAF | {"count": True}}, "count of best of the tree is True, not a whole number."),
    ({"best": LEAF | {"weight": True}}, "weight of best of the tree is True, not a number."),
    ({"alive": 1}, "alive of the tree is 1, not true or false."),
    ({"alive": None}, "alive of the tree is None, not true or false."),
    ({"best": "a"}, "best of the tree is 'a', not an object with the fields of Leaf."),
    ({"leaves": LEAF}, f"leaves of the tree is {LEAF}, not a list."),
    ({"leaves": "ab"}, "leaves of the tree is 'ab', not a list."),
    ({"leaves": [None]}, "item 0 of leaves of the tree is None, not an object with the fields of Leaf."),
    ({"by_name": [LEAF]}, f"by_name of the tree is {[LEAF]}, not an object."),
    ({"ends": [0.0]}, "ends of the tree has 1 items, not 2."),
    ({"ends": [0.0, "high"]}, "item 1 of ends of the tree is 'high', not a number."),
])  # fmt: skip
def test_what_is_not_as_declared_is_one_sentence_that_names_the_place(changes, says):
    assert refused(**changes) == says


def test_a_missing_field_of_the_document_itself():
    with pytest.raises(WrongDocument, match=r"^the tree has no leaves\.$"):
        from_json(Tree, {}, "the tree")


@pytest.mark.parametrize("document", [None, [], "text", 3])
def test_a_document_that_is_no_object(document):
    with pytest.raises(WrongDocument, match=r"^the tree is .*, not an object with the fields of Tree\.$"):
        from_json(Tree, document, "the tree")


def test_a_long_value_is_shown_in_part():
    assert len(refused(alive="x" * 1000)) < 120


def test_it_is_an_error_of_ours():
    assert issubclass(WrongDocument, AssayError)  # so that commands say it in one sentence
