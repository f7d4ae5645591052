"""A rule-file variation compiled for one value, and the same variation active in an episode."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.envs.atari.draws import Draws
from assay.envs.atari.rule_compiler import (
    ARGUMENTS,
    Scope,
    compile_expression,
    compile_hook,
    write_expression,
)
from assay.envs.atari.rule_functions import HELPERS
from assay.envs.atari.rule_language import Call
from assay.envs.atari.rule_records import Mask, Patch, Rule, Variation
from assay.positions import Unreadable

LISTS = ("shuffle", "draws", "permutation")  # the functions that return a list


@dataclass(frozen=True)
class CompiledPatch:
    when: Callable | None
    box: tuple[Callable, ...]
    only: tuple[int, ...]  # the palette colours to paint over; empty: all
    like: tuple[int, int]


@dataclass(frozen=True)
class CompiledVariation:
    """A variation at one of its values, as functions."""

    name: str
    remember: Callable  # returns the memory that an episode begins with
    hooks: dict[str, Callable]
    patches: tuple[CompiledPatch, ...]
    brighter_of_two: bool
    masks: tuple[Mask, ...]
    has_chance: bool  # its level is a probability
    cells: frozenset[int]  # the cells that it may write; not those that it writes for a picture alone
    detects: bool
    settles: int
    keeps_lives: bool
    button_up: bool
    unlists: tuple[str, ...]  # classes of objects
    situation: Callable | None
    after: int
    constants: dict[int, int]  # cell -> number, of the cells to which it writes only one number


def compile_variation(
    variation: Variation, value: Any, cells: Mapping[str, Any], original: bool = False
) -> CompiledVariation:
    """Compiles a variation for one of its values; `original` picks the rules that reproduce STORI."""
    indices = {name: i for i, (name, _) in enumerate(variation.memory)}
    lists = frozenset(name for name, node in variation.memory if is_list(node))
    constants = {"value": value} if variation.values else {}

    def scope_of(hook: str) -> Scope:
        return Scope(cells, indices, lists, constants, hook=hook, has_chance=bool(variation.chances))

    hooks: dict[str, Callable] = {}
    numbers: dict[int, set] = {}  # cell -> those that it writes there
    for hook, rules in variation.hooks_of(original).items():
        refuse_misplaced(rules, hook)
        hooks[hook], numbers_of_hook = compile_hook(rules, scope_of(hook), variation.name)
        if hook == "hide":
            continue
        for cell, more in numbers_of_hook.items():
            numbers.setdefault(cell, set()).update(more)
    situation = (
        compile_hook(variation.situation, scope_of("frame"), variation.name)[0]
        if variation.situation
        else None
    )
    return CompiledVariation(
        variation.name,
        compile_memory(variation.memory, scope_of("start")),
        hooks,
        tuple(compile_patch(patch, scope_of("screen"), variation.name) for patch in variation.patches),
        variation.brighter_of_two,
        variation.masks,
        bool(variation.chances),
        frozenset(numbers),
        variation.detects,
        variation.settles,
        variation.keeps_lives,
        variation.button_up,
        variation.unlists,
        situation,
        variation.after,
        {cell: next(iter(n)) for cell, n in numbers.items() if len(n) == 1 and None not in n},
    )


def refuse_misplaced(rules: Sequence[Rule], hook: str) -> None:
    """Refuses keys of a rule that its hook cannot honour."""
    for rule in rules:
        places = {
            "pay": (rule.pays, ("reward", "event")), "become": (rule.becomes, ("action",)),
            "owe": (rule.owes, ("event",)),
        }  # fmt: skip
        for key, (node, hooks) in places.items():
            if node is not None and hook not in hooks:
                raise Unreadable(f"{key} can stand only in {' and '.join(hooks)} rules", node.at)
        if hook in ("action", "reward") and rule.sets:
            raise Unreadable(
                f"set cannot stand in the rules of {hook}, which write no cells", rule.sets[0][0].at
            )
        if hook == "hide" and rule.keeps:
            raise Unreadable(
                "keep cannot stand in the rules of hide, which change nothing", rule.keeps[0][0].at
            )


def is_list(node: Any) -> bool:
    return isinstance(node, tuple) or (isinstance(node, Call) and node.name in LISTS)


def compile_memory(memory: tuple, scope: Scope) -> Callable:
    parts = []
    for _, node in memory:
        if isinstance(node, tuple):
            parts.append("[" + ", ".join(write_expression(each, scope) for each in node) + "]")
        else:
            parts.append(write_expression(node, scope))
    space: dict[str, Any] = {"__builtins__": {}, **HELPERS}
    exec(f"def hook({ARGUMENTS}):\n    return [{', '.join(parts)}]\n", space)  # written from parsed nodes
    return space["hook"]


def compile_patch(patch: Patch, scope: Scope, name: str) -> CompiledPatch:
    return CompiledPatch(
        compile_expression(patch.when, scope, name) if patch.when is not None else None,
        tuple(compile_expression(edge, scope, name) for edge in patch.box),
        patch.only,
        patch.like,
    )


class ActiveVariation:
    """One variation with its memory and its random stream in the current episode."""

    def __init__(self, compiled: CompiledVariation, axis: str, draws: Draws | None = None):
        self.compiled, self.axis = compiled, axis
        self.draws = draws or Draws(axis)
        self.memory: list[Any] = []
        self.start = b""  # the cells at the episode's start
        self.episode: object = None  # the episode for which its stream was renewed

    def renew(self, seed: int, episode: int = 0) -> None:
        self.draws.renew(seed, episode)

    def begin(self, ram: memoryview, start: bytes = b"") -> None:
        """Sets the memory that an episode begins with; its draws are the first ones of the stream."""
        self.memory, self.start = self.compiled.remember(ram, None, None, self.draws, 0, 0, 0), start

    def save(self) -> tuple:
        return [list(m) if isinstance(m, list) else m for m in self.memory], self.draws.save(), self.start

    def restore(self, saved: tuple) -> None:
        memory, draws, self.start = saved
        self.memory = [list(m) if isinstance(m, list) else m for m in memory]
        self.draws.restore(draws)
