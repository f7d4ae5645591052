"""A workbench for a game's memory: play some frames, find the cell that matters, hold it, write a rule.

What is written, frozen or ruled here acts as the same lines of a rule file do, so what was tried can be saved
and played as a variation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from assay.core.axis import show_value
from assay.envs.atari.games import game_of
from assay.envs.atari.rule_compiler import CELLS
from assay.envs.atari.rule_yaml import BadRules
from assay.envs.atari.rulefile import read_rules
from assay.errors import AssayError, NotApplicable
from assay.interop.gymnasium import make
from assay.interop.workbench_rules import (
    SOURCE,
    components_of,
    quote_expressions,
    require_hook,
    tell_mistake,
)
from assay.task_text import parse, unknown_name_error

OF_FRAMES = "+frameskip=1+sticky=0.0"  # what the workbench sets itself
DRAFT = "draft"  # the name of the variation that is being tried
LARGEST = 255
Cells = dict[str, int | tuple[int, ...]]  # by name, the cell or the cells that it means
RELATIONS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "up": lambda before, now: now > before,
    "down": lambda before, now: now < before,
    "equal": lambda before, now: now == before,
    "changed": lambda before, now: now != before,
}


class Workbench:
    """One game, frame by frame, with the cells that are held and the rules that are tried."""

    def __init__(self, task: str, seed: int = 0):
        refuse_task(task)
        env: Any = make(f"{task}{OF_FRAMES}")
        self.env, self.host = env, env.unwrapped.inner.host
        self.task, self.seed = task, seed
        self.game = game_of(self.host.name)
        self.names: Cells = dict(self.game.file.cells)
        self.frozen: dict[int, int] = {}
        self.rules: list[tuple[str, str]] = []  # hook, and the rule's text in YAML
        self.touches: list[str] = []  # the components that what is tried touches
        self.changed: set[int] = set()  # cells that changed in what was played last
        self.score, self.kept = 0.0, cast(Any, None)
        self.reset(seed)

    # Play

    def reset(self, seed: int | None = None) -> None:
        """Begins a new episode; what is frozen and ruled stays."""
        self.seed = self.seed if seed is None else seed
        self.env.reset(seed=self.seed)
        self.score, self.changed, self.over = 0.0, set(), False
        self.look_anew()

    def play(self, frames: int, action: str = "NOOP") -> int:
        """Plays frames with one action, up to the episode's end; returns how many were played."""
        meanings = self.host.get_action_meanings()
        if action.upper() not in meanings:
            raise AssayError(f"{action} is no action of {self.host.name}; it has {', '.join(meanings)}.")
        number, before = meanings.index(action.upper()), self.cells.copy()
        played = 0
        while played < frames and not self.over:
            _, reward, terminated, truncated, _ = self.env.step(number)
            self.score += float(reward)
            self.over = bool(terminated or truncated)
            played += 1
        self._note_changes(before)
        return played

    def keep(self) -> None:
        """Keeps this moment, to which `go_back` returns."""
        self.kept = self.env.save(), self.score, self.over

    def go_back(self) -> None:
        if self.kept is None:
            raise AssayError("no moment was kept; `keep` keeps one.")
        before = self.cells.copy()
        state, self.score, self.over = self.kept
        self.env.restore(state)
        self._note_changes(before)

    @property
    def cells(self) -> np.ndarray:
        """(128,) uint8: the cells as they are now."""
        emulator = self.host.emulator
        emulator.read()
        return np.asarray(emulator.buffer)

    def _note_changes(self, before: np.ndarray) -> None:
        self.changed = set(np.flatnonzero(self.cells != before).tolist())

    # Cells

    def cell_of(self, name: str) -> int:
        """The number of a cell, by its number or its name, such as ball_x or row[2]."""
        if name.isascii() and name.isdigit():
            if int(name) < CELLS:
                return int(name)
            raise AssayError(f"cell {name} does not exist; a game has the cells 0 to {CELLS - 1}.")
        labels = self.labels()
        if name not in labels:
            raise unknown_name_error("cell", name, list(labels), where=self.host.name, see="names")
        return labels[name]

    def labels(self) -> dict[str, int]:
        """Name -> cell; the cells of a range are numbered."""
        labels: dict[str, int] = {}
        for name, cells in self.names.items():
            if isinstance(cells, int):
                labels[name] = cells
            else:
                labels |= {f"{name}[{i}]": cell for i, cell in enumerate(cells)}
        return labels

    def label_of(self, cell: int) -> str:
        """The first name of a cell, "" where it has none."""
        return next((name for name, each in self.labels().items() if each == cell), "")

    def name_cell(self, cell: int, name: str) -> None:
        """Gives a cell a name, which rules may use from now on."""
        if name in self.names:
            raise AssayError(f"{name} already names a cell; use another name.")
        self._try({**self.names, name: cell}, self.rules, self.frozen)
        self.names[name] = cell

    def poke(self, cell: int, value: int) -> None:
        """Writes a cell once."""
        before = self.cells.copy()
        self.host.emulator.put(cell, check_value(value))
        self._note_changes(before)

    def freeze(self, cell: int, value: int | None = None) -> None:
        """Writes a cell after every frame from now on; without a value, the one that it has."""
        held = int(self.cells[cell]) if value is None else check_value(value)
        frozen = {**self.frozen, cell: held}
        self._try(self.names, self.rules, frozen)
        self.frozen = frozen
        self.poke(cell, held)

    def free(self, cell: int | None = None) -> None:
        """Lets a cell go, or all of them."""
        if cell is not None and cell not in self.frozen:
            raise AssayError(f"cell {cell} is not frozen.")
        frozen = {} if cell is None else {at: value for at, value in self.frozen.items() if at != cell}
        self._try(self.names, self.rules, frozen)
        self.frozen = frozen

    # Search

    def look_anew(self) -> None:
        """Begins a search: every cell may be the one, and later values are compared with those of now."""
        self.candidates = np.ones(CELLS, bool)
        self._compared = self.cells.copy()

    def find(self, relation: str) -> list[int]:
        """Keeps the cells that stand in a relation to their values at the last search; returns them.

        A relation is up, down, equal or changed, a value as =57, or a difference as +4 or -4.
        """
        now, before = self.cells.copy(), self._compared
        if relation in RELATIONS:
            fits = RELATIONS[relation](before, now)
        elif relation[:1] in ("=", "+", "-") and relation[1:].isascii() and relation[1:].isdigit():
            number = int(relation[1:])
            difference = now.astype(int) - before
            fits = now == number if relation[0] == "=" else difference == int(relation)
        else:
            known = ", ".join(RELATIONS)
            raise AssayError(
                f"a search takes {known}, a value as =57 or a difference as +4, not {relation!r}."
            )
        self.candidates &= fits
        self._compared = now
        return self.found()

    def found(self) -> list[int]:
        """The cells that the searches have left."""
        return np.flatnonzero(self.candidates).tolist()

    # Rules

    def add_rule(self, hook: str, text: str) -> None:
        """Adds a rule in YAML, such as {when: ball_x > 80, set: {ram[54]: 100}}; it acts from now on."""
        require_hook(hook)
        rules = [*self.rules, (hook, quote_expressions(text))]
        self._try(self.names, rules, self.frozen, typed=text)
        self.rules = rules

    def drop_rules(self) -> None:
        self._try(self.names, [], self.frozen)
        self.rules = []

    def draft(self, means: str = "what is tried", **keys: str) -> list[str]:
        """The lines of a variation that does what is frozen and ruled now; `keys` are those of its entry."""
        entry = {"means": means, "touches": ", ".join(self.touches), **keys}
        return draft_lines(self.names, self.rules, self.frozen, entry)

    def _try(
        self, names: dict[str, Any], rules: list[tuple[str, str]], frozen: dict[int, int], typed: str = ""
    ) -> None:
        """Puts these rules into force, or raises and leaves those that are; `typed` is the newest one."""
        tried = {DRAFT: draft_lines(names, rules, frozen, TRIED)} if rules or frozen else {}
        text = file_text(self.game.name, names, tried)
        try:
            variations = read_rules(text, SOURCE).variations
        except BadRules as error:
            raise AssayError(tell_mistake(error, text, typed)) from None
        self.host.add_rules(text, SOURCE, instead=True)
        self.touches = components_of(variations[DRAFT]) if tried else []


TRIED = {"means": "what is tried", "touches": "transition"}  # nobody reads what a draft declares


def refuse_task(task: str) -> None:
    """Refuses other envs, and what the workbench sets itself, in the words of the user's task."""
    asked = parse(task)
    if not asked.env.startswith("atari/"):
        raise NotApplicable(f"the workbench takes an Atari game, such as atari/Pong, not {asked.env}.")
    for setting in asked.settings:
        if f"+{setting.name}=" in OF_FRAMES:
            raise AssayError(
                f"the workbench plays single frames without stickiness ({OF_FRAMES[1:]}), so {task} cannot "
                f"set {setting.name}; leave it out."
            )


def check_value(value: int) -> int:
    if not 0 <= value <= LARGEST:
        raise AssayError(f"a cell holds a number from 0 to {LARGEST}, not {show_value(value)}.")
    return value


def draft_lines(
    names: dict[str, Any], rules: list[tuple[str, str]], frozen: dict[int, int], keys: dict[str, str]
) -> list[str]:
    """The entry of a variation, line by line, without its name."""
    entry = {"direction": "unknown", **keys}
    lines = [f"means: {quote(entry['means'])}", f"direction: {entry['direction']}"]
    lines.append(f"touches: [{entry['touches']}]")
    by_hook: dict[str, list[str]] = {}
    for hook, text in rules:
        by_hook.setdefault(hook, []).append(text)
    labels = {cell: name for name, cell in reversed(names.items()) if isinstance(cell, int)}
    if frozen:
        held = ", ".join(f'"{labels.get(cell, f"ram[{cell}]")}": {value}' for cell, value in frozen.items())
        by_hook.setdefault("frame", []).append(f"{{set: {{{held}}}}}")
    for hook, texts in by_hook.items():
        lines += [f"{hook}:", *(f"  - {text}" for text in texts)]
    return lines


def file_text(game: str, names: Cells, variations: dict[str, list[str]]) -> str:
    """A rule file with these cells and variations."""
    lines = [f"game: {game}"]
    lines += ["cells:"] if names else []
    for name, cells in names.items():
        each = cells if isinstance(cells, int) else '"' + ", ".join(map(str, cells)) + '"'
        lines.append(f"  {name}: {each}")
    lines.append("variations:" if variations else "variations: {}")
    for name, entry in variations.items():
        lines += [f"  {name}:", *(f"    {line}" for line in entry)]
    return "\n".join(lines) + "\n"


def quote(text: str) -> str:
    """A text as YAML takes it on one line."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
