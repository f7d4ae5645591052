"""Readers of texts and files answer mutated input in one sentence; benchmarks/mutations.py tries more."""

import importlib.util
import random
from pathlib import Path

import pytest

from assay.envs.atari.rulefile import read_rules
from assay.errors import AssayError
from assay.interop.kage import from_kage
from assay.interop.playground import from_playground
from assay.suites.find import read as read_suite
from assay.tasks import resolve

SCRIPT = Path(__file__).parents[1] / "benchmarks" / "mutations.py"
RULES = (
    "game: Pong\ncells: {ball_x: CELL}\n"
    "variations:\n  a: {means: b, touches: [transition], frame: [{set: SET}]}\n"
)


@pytest.fixture(scope="module")
def mutations():
    spec = importlib.util.spec_from_file_location("mutations", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_example_is_read(mutations, tmp_path):
    for example, reader in mutations.readers(tmp_path).values():
        reader(example)


def test_nothing_but_sentences(mutations):
    rng = random.Random(5)
    assert not [line for line in mutations.told("texts", mutations.texts(3000, rng)) if line.startswith("  ")]
    assert not [line for line in mutations.told("files", mutations.files(600, rng)) if line.startswith("  ")]


@pytest.mark.parametrize("given", [
    "toy/discrete+:name", "toy/discrete+.name:x", "toy/discrete+no..such:x=1", "toy/discrete+mine:",
])  # fmt: skip
def test_what_names_no_variation(given):
    with pytest.raises(AssayError):
        resolve(given)


@pytest.mark.parametrize("text", [
    RULES.replace("CELL", "07").replace("SET", "{ball_x: 1}"),
    RULES.replace("CELL", ".inf").replace("SET", "{ball_x: 1}"),
    RULES.replace("CELL", "49").replace("SET", "{ball_x: 07}"),
    RULES.replace("CELL", "49").replace("SET", "{[1]: 2}"),
    "{[a]: b}",
])  # fmt: skip
def test_what_is_no_rule_file(text):
    with pytest.raises(AssayError):
        read_rules(text, "mine.yaml")


@pytest.mark.parametrize("value", [3, True, {"a": 1}])
def test_configs_of_others_with_odd_values(value):
    with pytest.raises(AssayError):
        from_kage({"background": {"mode": "image", "image_paths": value}})
    with pytest.raises(AssayError):
        from_playground({"state_space_type": "discrete", "action_space_size": float("inf")})


def test_a_suite_of_more_seeds_than_memory(tmp_path):
    (tmp_path / "own.yaml").write_text("pairs: [toy/discrete]\nseeds: 2147483648\n")
    with pytest.raises(AssayError, match=r"seeds in .* is a whole number from 1 to 100000"):
        read_suite(tmp_path / "own.yaml")


def test_a_module_of_ones_own_that_raises_is_one_sentence(tmp_path, monkeypatch):
    (tmp_path / "raises_at_once.py").write_text("1 / 0")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(AssayError, match="raises_at_once raised ZeroDivisionError: division by zero; mend"):
        resolve("toy/discrete+raises_at_once:blink")
