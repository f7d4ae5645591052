"""Records as pytrees whose structure tells their types apart.

`jax.tree_util.register_dataclass` is not enough: in jaxlib 0.10 two structures of such nodes compare equal
whatever their types are, and `jit` now and then runs the program of one type on another. `Uniform` and
`Random` differ in nothing else. A node of ours therefore holds its type as static data.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable
from dataclasses import fields
from operator import attrgetter
from typing import Any, TypeVar

import jax
from jax.tree_util import GetAttrKey, PyTreeDef

# These tell their types apart by themselves: jax's own, and what is registered here.
TOLD_APART: set[type] = {tuple, list, dict, OrderedDict, defaultdict, type(None)}


C = TypeVar("C", bound=type)


def register(cls: C, tag: Callable[[Any], Any] = type) -> C:
    """Makes a frozen dataclass a pytree; its static fields are structure, so changing one compiles anew.

    `tag` says of a record what else is structure without being a field: its type, or more.
    """
    fixed = [f.name for f in fields(cls) if f.metadata.get("static")]
    traced = [f.name for f in fields(cls) if f.name not in fixed]
    keys = tuple(map(GetAttrKey, traced))
    leaves_of, statics_of = tuple_of(traced), tuple_of(fixed)

    def flatten(record: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        return leaves_of(record), (tag(record), statics_of(record))

    def flatten_with_keys(record: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        return tuple(zip(keys, leaves_of(record))), (tag(record), statics_of(record))

    def unflatten(structure: tuple[Any, ...], leaves: Any) -> Any:
        # `__init__` of a frozen record sets its fields one by one, which takes twice as long.
        record: Any = object.__new__(cls)
        vars(record).update(zip(traced, leaves))
        if fixed:
            vars(record).update(zip(fixed, structure[1]))
        return record

    jax.tree_util.register_pytree_with_keys(cls, flatten_with_keys, unflatten, flatten)
    TOLD_APART.add(cls)
    return cls


def tuple_of(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """Reads these attributes as a tuple, which `attrgetter` gives for two names and more."""
    if len(names) > 1:
        return attrgetter(*names)
    if not names:
        return lambda record: ()
    (name,) = names
    return lambda record: (getattr(record, name),)


def type_and_kinds(record: Any) -> tuple[type, tuple[type, ...]]:
    """A tag for records that hold other people's classes: jax does not tell those from one another."""
    kinds: tuple[type, tuple[type, ...]] | None = vars(record).get("_kinds")
    if kinds is None:
        inside = [getattr(record, f.name) for f in fields(record) if not f.metadata.get("static")]
        kinds = type(record), tuple(foreign_kinds(jax.tree.structure(inside)))
        vars(record)["_kinds"] = kinds  # a record never changes, and a step has no time to look again
    return kinds


def foreign_kinds(structure: PyTreeDef) -> list[type]:
    """The types of all nodes that others registered, in order."""
    data = structure.node_data()
    if data is None:
        return []
    own = [] if data[0] in TOLD_APART else [data[0]]
    return own + [kind for child in structure.children() for kind in foreign_kinds(child)]
