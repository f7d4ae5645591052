"""A variation made ready to run: its hooks compiled for one value, its memory and its stream."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.envs.atari.compile import ARGUMENTS, HELPERS, Scope, compile_hook, condition, expression
from assay.envs.atari.draws import Draws
from assay.envs.atari.language import Call, Node
from assay.envs.atari.rulefile import Patch, Variation
from assay.positions import Unreadable

LISTS = ("shuffle", "draws", "permutation")  # what gives a list


@dataclass(frozen=True)
class ReadyPatch:
    when: Callable | None
    box: tuple[Callable, ...]
    only: np.ndarray | None  # (256,) bool: the palette colours that it paints over; None: all
    like: tuple[int, int]


@dataclass(frozen=True)
class Ready:
    """A variation at one value, as functions."""

    name: str
    remember: Callable  # the memory that an episode begins with
    hooks: dict[str, Callable]
    patches: tuple[ReadyPatch, ...]
    brighter_of_two: bool
    cells: frozenset[int]  # that it may write
    detects: bool
    situation: Callable | None
    after: int
    constants: dict[int, int]  # of its cells, those that it only ever sets to one number


def compile_variation(variation: Variation, value: Any, cells: Mapping[str, Any]) -> Ready:
    places = {name: i for i, (name, _) in enumerate(variation.memory)}
    lists = frozenset(name for name, node in variation.memory if is_list(node))
    constants = {"value": value} if variation.values else {}

    def scope(hook: str) -> Scope:
        return Scope(cells, places, lists, constants, hook=hook)

    hooks: dict[str, Callable] = {}
    written: dict[int, set] = {}
    for hook, rules in variation.hooks.items():
        if hook not in ("reward",) and any(rule.pays is not None for rule in rules):
            raise wrong(
                next(rule.pays for rule in rules if rule.pays is not None), "pay stands in reward rules"
            )
        if hook not in ("action",) and any(rule.becomes is not None for rule in rules):
            node = next(rule.becomes for rule in rules if rule.becomes is not None)
            raise wrong(node, "become stands in action rules")
        hooks[hook], cells_of = compile_hook(rules, scope(hook), variation.name)
        for cell, numbers in cells_of.items():
            written.setdefault(cell, set()).update(numbers)
    situation = (
        compile_hook(variation.situation, scope("frame"), variation.name)[0] if variation.situation else None
    )
    return Ready(
        variation.name,
        remembering(variation.memory, scope("start")),
        hooks,
        tuple(ready_patch(patch, scope("screen"), variation.name) for patch in variation.patches),
        variation.brighter_of_two,
        frozenset(written),
        variation.detects,
        situation,
        variation.after,
        {cell: next(iter(n)) for cell, n in written.items() if len(n) == 1 and None not in n},
    )


def wrong(node: Node, says: str) -> Exception:
    return Unreadable(says, node.at)


def is_list(node: Any) -> bool:
    return isinstance(node, tuple) or (isinstance(node, Call) and node.name in LISTS)


def remembering(memory: tuple, scope: Scope) -> Callable:
    parts = []
    for _, node in memory:
        if isinstance(node, tuple):
            parts.append("[" + ", ".join(expression(each, scope) for each in node) + "]")
        else:
            parts.append(expression(node, scope))
    space: dict[str, Any] = {"__builtins__": {}, **HELPERS}
    exec(f"def hook({ARGUMENTS}):\n    return [{', '.join(parts)}]\n", space)  # made of parsed nodes alone
    return space["hook"]


def ready_patch(patch: Patch, scope: Scope, name: str) -> ReadyPatch:
    return ReadyPatch(
        condition(patch.when, scope, name) if patch.when is not None else None,
        tuple(condition(edge, scope, name) for edge in patch.box),
        np.isin(np.arange(256), patch.only) if patch.only else None,
        patch.like,
    )


class Running:
    """One variation in the episode under way."""

    def __init__(self, ready: Ready, axis: str):
        self.ready, self.axis = ready, axis
        self.draws = Draws(axis)
        self.memory: list[Any] = []
        self.episode: object = None  # the one that its stream was renewed for

    def renew(self, seed: int) -> None:
        self.draws.renew(seed)

    def begin(self, ram: memoryview) -> None:
        """Memory as an episode begins with it; what it draws comes first from its stream."""
        self.memory = self.ready.remember(ram, None, None, self.draws, 0, 0, 0)

    def save(self) -> tuple:
        return [list(m) if isinstance(m, list) else m for m in self.memory], self.draws.save()

    def restore(self, saved: tuple) -> None:
        memory, draws = saved
        self.memory = [list(m) if isinstance(m, list) else m for m in memory]
        self.draws.restore(draws)
