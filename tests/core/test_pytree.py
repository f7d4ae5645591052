"""Records as pytrees: structures tell their types apart, and nobody else sees how."""

import pickle
from dataclasses import asdict, dataclass, fields, make_dataclass, replace
from importlib import import_module
from itertools import combinations
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest

import assay
from assay.core import pytree
from assay.core.clock import Random, Uniform
from assay.core.env import Env, Task, record
from assay.core.variation import static
from assay.native import build_native
from assay.proof.native import builds_alike
from assay.runs.evaluate import Policy
from assay.runs.program import signature

ROOT = Path(assay.__file__).parent


@record
class Pair:
    left: jax.Array
    right: jax.Array
    word: str = static("plain")


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Mine:
    size: float


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Yours:
    size: float


def number_of(each):
    return jnp.int32(type(each).number) + 0 * each.x.astype(jnp.int32)


def test_sixty_four_types_of_one_shape_are_sixty_four_programs():
    """With jax's own registration 5 to 15 of these run the program of another type, in every process."""
    types = [make_dataclass(f"C{i}", [("x", float)], frozen=True) for i in range(64)]
    for i, each in enumerate(types):
        each.number = i
        pytree.register(each)
    numbered = jax.jit(number_of)
    assert [int(numbered(each(jnp.float32(1)))) for each in types] == list(range(64))
    structures = [jax.tree.structure(each(1.0)) for each in types]
    assert not any(a == b for a, b in combinations(structures, 2))


def every_record():
    """All classes of assay's that are registered, each once."""
    for folder in ("core", "envs", "agents", "interop", "runs", "proof"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if "jax" in path.read_text():
                import_module("assay." + ".".join(path.relative_to(ROOT).with_suffix("").parts))
    return [each for each in pytree.TOLD_APART if each.__module__.startswith("assay.")]


def blank(cls):
    """An instance with a number in each leaf and nothing in each static field."""
    made = object.__new__(cls)
    vars(made).update({f.name: None if f.metadata.get("static") else 0.0 for f in fields(cls)})
    return made


def test_no_two_registered_classes_compare_equal():
    records = every_record()
    assert {"Uniform", "Random", "Task", "Env", "World", "Play", "Policy"} <= {c.__name__ for c in records}
    assert len(records) > 30
    structures = {cls: jax.tree.structure(blank(cls)) for cls in records}
    assert [pair for pair in combinations(records, 2) if structures[pair[0]] == structures[pair[1]]] == []


def test_nothing_is_registered_elsewhere():
    """`register_dataclass` of jax's own does not tell types apart, so that no file of ours may use it."""
    users = [p for p in ROOT.rglob("*.py") if "tree_util.register" in p.read_text()]
    assert users == [ROOT / "core" / "pytree.py"]


def test_a_random_clock_traced_first_is_not_the_program_of_a_uniform_one():
    drifting = build_native("toy/discrete+transition_noise=0.5@random:0.1").task
    drawn = build_native("toy/discrete+transition_noise=0.5@uniform:0.1").task
    assert [type(task.variations[0].clock) for task in (drifting, drawn)] == [Random, Uniform]
    assert jax.tree.structure(drifting) != jax.tree.structure(drawn)
    assert signature(drifting) != signature(drawn)

    def is_drawn(task):
        return jnp.bool_(isinstance(task.variations[0].clock, Uniform))

    for _ in range(20):
        fresh = jax.jit(lambda task: is_drawn(task))
        assert (bool(fresh(drifting)), bool(fresh(drawn))) == (False, True)


def holding(params):
    return Task(Env(params, *[None] * 7))


@pytest.mark.parametrize("held", [Policy, holding, lambda inner: holding({"group": (inner,)})])
def test_classes_that_others_register_are_told_apart(held):
    assert jax.tree.structure(Mine(1.0)) == jax.tree.structure(Yours(1.0))  # else jax tells them apart itself
    assert jax.tree.structure(held(Mine(1.0))) == jax.tree.structure(held(Mine(2.0)))
    assert jax.tree.structure(held(Mine(1.0))) != jax.tree.structure(held(Yours(1.0)))


def test_an_env_built_of_another_class_at_neutral_is_not_the_plain_one(monkeypatch):
    plain = build_native("toy/discrete")
    other = replace(plain, task=replace(plain.task, env=replace(plain.task.env, params=Mine(1.0))))
    same_leaves = replace(plain, task=replace(plain.task, env=replace(plain.task.env, params=Yours(1.0))))
    axis = assay.catalogue.axis_of("toy/discrete", "diameter")
    monkeypatch.setattr("assay.proof.native.with_level", lambda *_: same_leaves)
    assert builds_alike(other, axis).says == "another structure"


def test_fields_text_weights_names_and_copies_are_those_of_a_dataclass():
    pair = Pair(jnp.float32(1), jnp.float32(2))
    assert [f.name for f in fields(pair)] == ["left", "right", "word"]
    assert asdict(replace(pair, left=1, right=2)) == {"left": 1, "right": 2, "word": "plain"}
    assert repr(replace(pair, left=1, right=2)) == "Pair(left=1, right=2, word='plain')"
    paths = [path for path, _ in jax.tree_util.tree_flatten_with_path({"net": pair})[0]]
    names = [jax.tree_util.keystr(path, simple=True, separator=".") for path in paths]
    assert names == ["net.left", "net.right"]
    back = pickle.loads(pickle.dumps(jax.tree.map(float, pair)))
    assert back == Pair(1.0, 2.0) and vars(back) == {"left": 1.0, "right": 2.0, "word": "plain"}


def test_static_fields_are_structure_and_leaves_are_not():
    structure = jax.tree.structure(Pair(1.0, 2.0))
    assert structure == jax.tree.structure(Pair(3.0, 4.0)) != jax.tree.structure(Pair(1.0, 2.0, "other"))
    assert hash(structure) == hash(jax.tree.structure(Pair(3.0, 4.0)))
    assert jax.tree.unflatten(structure, [5.0, 6.0]) == Pair(5.0, 6.0)
    assert jax.jit(lambda pair: replace(pair, left=pair.right))(Pair(1.0, 2.0)).left == 2.0
