"""The games by name, each with its rule file, which is read when it is first needed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from assay.envs.atari.compiled_variation import ActiveVariation, CompiledVariation, compile_variation
from assay.envs.atari.decoding import Decoder, decoded_names
from assay.envs.atari.draws import Draws
from assay.envs.atari.game_table import PALETTE, RULES, TABLE, game_rows
from assay.envs.atari.objects.finding import ObjectFinder
from assay.envs.atari.objects.views import MODES as OBJECT_MODES
from assay.envs.atari.objects.views import vector_names
from assay.envs.atari.rule_records import GameFile, Variation
from assay.envs.atari.rulefile import read_rules, read_utf8
from assay.errors import NotApplicable, UnknownName
from assay.task_text import unknown_name_error

NO_RULES = GameFile("", {}, {})
UNSUPPORTED = ("Combat", "Joust", "MazeCraze", "Warlords")  # loading their ROMs ends the process


@dataclass(frozen=True)
class Game:
    """One game: its properties in the emulator, and its rule file."""

    name: str  # in Gymnasium's spelling: MsPacman
    rom: str  # in the emulator's spelling: ms_pacman
    modes: tuple[int, ...]
    difficulties: tuple[int, ...]
    mode: int  # the mode in which it starts
    difficulty: int
    actions: int  # the number of actions that have an effect in it
    fire: bool  # whether pressing the button alone is one of them
    lives: int  # the largest number early in a game; 0 where the game has no lives
    rows: int  # the height of its picture

    @cached_property
    def file(self) -> GameFile:
        source = RULES / f"{self.rom}.yaml"
        return read_rules(source.read_text(), f"variations/{self.rom}.yaml") if source.is_file() else NO_RULES

    @property
    def variations(self) -> dict[str, Variation]:
        return self.file.variations

    @cached_property
    def spellings(self) -> dict[str, tuple[str, Any]]:
        """Every other name -> variation and value: `color_player_red`, and the paper's spellings."""
        spellings: dict[str, tuple[str, Any]] = {}
        for variation in self.variations.values():
            for name, value in {**variation.names, **variation.aliases}.items():
                spellings[name] = (variation.name, None if variation.chances else value)
        return spellings

    def observed_names(self, observation: str) -> list[str]:
        """The names of the numbers in observations of labels or decoded quantities; else none."""
        if observation == "labels":
            self.label_cells()
            return list(self.labels)
        if observation == "objects":
            return vector_names(self.finder)
        if observation in OBJECT_MODES:
            return self.finder.classes
        if observation != "decoded":
            return []
        if not self.file.decoded:
            raise NotApplicable(
                f"the rule file of atari/{self.name} decodes nothing; use observation=labels or ram."
            )
        return decoded_names(self.file.decoded)

    def label_cells(self) -> list[int]:
        """The named cells in the order of the rule file, or NotApplicable where there are none."""
        cells = list(self.labels.values())
        if not cells:
            raise NotApplicable(
                f"atari/{self.name} has no named cells to observe; use observation=ram, which has all 128."
            )
        return cells

    @cached_property
    def decoder(self) -> Decoder:
        return Decoder(self.file.decoded, self.file.cells)

    @cached_property
    def finder(self) -> ObjectFinder:
        """Finds the game's objects; NotApplicable where the rule file describes none."""
        if not self.file.objects:
            known = ", ".join(name for name in games_with_rules() if games()[name].file.objects)
            raise NotApplicable(
                f"the rule file of atari/{self.name} describes no objects; games with objects are {known}."
            )
        return ObjectFinder(self.file.objects, self.file.cells, self.rows)

    @cached_property
    def labels(self) -> dict[str, int]:
        """Label -> cell; the cells of a range are numbered."""
        labels: dict[str, int] = {}
        for name, cells in self.file.cells.items():
            if isinstance(cells, int):
                labels[name] = cells
            else:
                labels |= {f"{name}[{i}]": cell for i, cell in enumerate(cells)}
        return labels

    def variation_of(self, name: str) -> tuple[Variation, Any]:
        """The variation that a name stands for, and the value that the name implies, or None."""
        if ":" in name:
            return self.find_in_user_file(name)[1], None
        if name in self.variations:
            return self.variations[name], None
        own, value = self.spellings[name]
        return self.variations[own], value

    def axis_name(self, name: str) -> str:
        """The name under which a variation draws and reports, whichever of its names a task writes."""
        return name if ":" in name else self.variation_of(name)[0].name

    def find_in_user_file(self, name: str) -> tuple[GameFile, Variation]:
        """`mine.yaml:blink`: a user's rule file, and the variation of that name in it."""
        path, _, wanted = name.rpartition(":")
        if not Path(path).is_file():
            raise UnknownName(
                f"there is no rule file {path!r}; give its path from here, as in mine.yaml:blink."
            )
        file = read_user_file(path, Path(path).stat().st_mtime_ns)
        if file.game != self.name:
            raise NotApplicable(f"{path} is about {file.game}, not {self.name}.")
        if wanted not in file.variations:
            raise unknown_name_error(
                "variation", wanted, list(file.variations), where=path, see=f"assay atari lint {path}"
            )
        return file, file.variations[wanted]

    def compile(self, name: str, level: Any, original: bool = False) -> CompiledVariation:
        """A variation, by any of its names, compiled for a level; `original`: as STORI has it."""
        variation, implied = self.variation_of(name)
        value = level if implied is None else implied
        meaning = variation.values.get(value, True) if variation.values else True
        if ":" in name:
            return compile_variation(variation, meaning, self.find_in_user_file(name)[0].cells, original)
        return compile_rules(self.rom, variation.name, meaning, original)

    def activate(self, name: str, level: Any, original: bool = False, **drawn: Any) -> ActiveVariation:
        """A variation at a level, ready for an episode; refused where it cannot be done.

        `drawn` says how it draws, as `Draws` takes it.
        """
        variation, _ = self.variation_of(name)
        if variation.refuses:
            raise NotApplicable(f"{name} of atari/{self.name} cannot be done: {variation.refuses}")
        axis = self.axis_name(name)
        return ActiveVariation(self.compile(name, level, original), axis, Draws(axis, **drawn))

    def conflicts(self, chosen: Iterable[tuple[str, Any]], refuse: bool) -> int:
        """The number of pairs that write different values to one cell, or an error that names the first."""
        earlier: list[tuple[str, CompiledVariation]] = []
        count = 0
        for name, level in chosen:
            mine = self.compile(name, level)
            for other, theirs in earlier:
                shared = sorted(mine.cells & theirs.cells)
                disputed = [cell for cell in shared if cell not in mine.constants
                            or mine.constants[cell] != theirs.constants.get(cell)]  # fmt: skip
                if disputed and refuse:
                    raise NotApplicable(
                        f"{other} and {name} both write cell {disputed[0]}{self.label_note(disputed[0])} of "
                        f"atari/{self.name}; drop one of them, or write overlap=last to let the last one win."
                    )
                count += bool(disputed)
            earlier.append((name, mine))
        return count

    def label_note(self, cell: int) -> str:
        """The label of a cell in brackets, for a sentence; "" where it has none."""
        names = [label for label, each in self.labels.items() if each == cell]
        return f" ({names[0]})" if names else ""


@cache
def read_user_file(path: str, modified: int) -> GameFile:
    """A user's rule file; `modified`, the time of the file, lets a changed file be read again."""
    return read_rules(read_utf8(path), path)


@cache
def compile_rules(rom: str, variation: str, value: Any, original: bool) -> CompiledVariation:
    game = next(game for game in games().values() if game.rom == rom)
    return compile_variation(game.variations[variation], value, game.file.cells, original)


@cache
def games() -> dict[str, Game]:
    """Every game that the emulator supports, by name."""
    return {
        name: Game(name, row["rom"], tuple(row["modes"]), tuple(row["difficulties"]), row["mode"],
                   row["difficulty"], row["actions"], row["fire"], row["lives"], row["rows"])
        for name, row in game_rows().items()
    }  # fmt: skip


def games_with_rules() -> list[str]:
    """The games that have a rule file."""
    return [name for name, game in games().items() if (RULES / f"{game.rom}.yaml").is_file()]


def game_of(name: str) -> Game:
    """The game of `atari/<Game>`, or UnknownName with a suggestion."""
    game = name.removeprefix("atari/")
    if game in UNSUPPORTED:
        raise NotApplicable(
            f"the emulator does not support the ROM of {name}; `assay list atari` names the supported games."
        )
    if game not in games():
        raise unknown_name_error("game", game, list(games()), where="atari", see="assay list atari")
    return games()[game]


def data_files(name: str) -> list[str]:
    """Paths in the package: the tables of games and colours, and the rule file of `atari/<Game>`, if any."""
    names = (TABLE, PALETTE, f"{game_of(name).rom}.yaml")
    return [f"envs/atari/variations/{each}" for each in names if (RULES / each).is_file()]
