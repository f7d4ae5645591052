"""The games by name, with what their rule files say; each file is read when it is asked for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

from assay.envs.atari.rulefile import GameFile, Variation, read, text_of
from assay.envs.atari.variation import Ready, Running, compile_variation
from assay.errors import NotApplicable, UnknownName
from assay.names import unknown

RULES = files("assay.envs.atari") / "variations"
TABLE = "_games.yaml"  # every game of the emulator: `python -m tools.atari_games` writes it
NO_RULES = GameFile("", {}, {})
UNSUPPORTED = ("Combat", "Joust", "MazeCraze", "Warlords")  # their ROMs end the process when they are loaded


@dataclass(frozen=True)
class Game:
    """One game: what the emulator offers of it, and its rule file."""

    name: str  # as Gymnasium writes it: MsPacman
    rom: str  # as the emulator does: ms_pacman
    modes: tuple[int, ...]
    difficulties: tuple[int, ...]
    mode: int  # the one it starts in
    difficulty: int
    actions: int  # how many matter in it
    fire: bool  # whether the button alone is one of them
    lives: int  # the most it counts early on; 0 where it counts none
    rows: int  # of its picture

    @cached_property
    def file(self) -> GameFile:
        source = RULES / f"{self.rom}.yaml"
        return read(source.read_text(), f"variations/{self.rom}.yaml") if source.is_file() else NO_RULES

    @property
    def variations(self) -> dict[str, Variation]:
        return self.file.variations

    @cached_property
    def spellings(self) -> dict[str, tuple[str, Any]]:
        """Every other name -> variation and value: `color_player_red`, and the paper's spellings."""
        found: dict[str, tuple[str, Any]] = {}
        for variation in self.variations.values():
            for name, value in {**variation.names, **variation.aliases}.items():
                found[name] = (variation.name, value)
        return found

    def label_cells(self, observation: str) -> list[int]:
        """The named cells in the order of their names' file, for labelled observations."""
        if observation != "labels":
            return []
        found = list(self.labels.values())
        if not found:
            raise NotApplicable(
                f"atari/{self.name} has no named cells to observe; use observation=ram, which has all 128."
            )
        return found

    @cached_property
    def labels(self) -> dict[str, int]:
        """Label -> cell; those of a range are numbered."""
        found: dict[str, int] = {}
        for name, cells in self.file.cells.items():
            if isinstance(cells, int):
                found[name] = cells
            else:
                found |= {f"{name}[{i}]": cell for i, cell in enumerate(cells)}
        return found

    def variation_of(self, name: str) -> tuple[Variation, Any]:
        """The variation that a name stands for, and the value that it implies (None: written beside)."""
        if ":" in name:
            return self.own(name)[1], None
        if name in self.variations:
            return self.variations[name], None
        own, value = self.spellings[name]
        return self.variations[own], value

    def own(self, name: str) -> tuple[GameFile, Variation]:
        """`mine.yaml:blink`: a variation of a rule file of the user's."""
        path, _, wanted = name.rpartition(":")
        if not Path(path).is_file():
            raise UnknownName(f"there is no rule file {path!r} here; {name!r} names file.yaml:variation.")
        file = own_file(path, Path(path).stat().st_mtime_ns)
        if file.game != self.name:
            raise NotApplicable(f"{path} is about {file.game}, not {self.name}.")
        if wanted not in file.variations:
            raise unknown(
                "variation", wanted, list(file.variations), where=path, see=f"assay atari lint {path}"
            )
        return file, file.variations[wanted]

    def ready(self, name: str, level: Any) -> Ready:
        variation, implied = self.variation_of(name)
        value = level if implied is None else implied
        means = variation.values.get(value, True) if variation.values else True
        if ":" in name:
            return compile_variation(variation, means, self.own(name)[0].cells)
        return compile_rules(self.rom, variation.name, means)

    def running(self, name: str, level: Any) -> Running:
        """A variation at a level, ready to run."""
        variation, _ = self.variation_of(name)
        if variation.refuses:
            raise NotApplicable(f"{name} of atari/{self.name} cannot be had: {variation.refuses}")
        return Running(self.ready(name, level), name if ":" in name else variation.name)

    def conflicts(self, chosen: Iterable[tuple[str, Any]], refuse: bool) -> int:
        """How many pairs write one cell, and not only the same number there; or refuses them."""
        earlier: list[tuple[str, Ready]] = []
        count = 0
        for name, level in chosen:
            ready = self.ready(name, level)
            for other, theirs in earlier:
                shared = sorted(ready.cells & theirs.cells)
                apart = [cell for cell in shared if cell not in ready.constants
                         or ready.constants[cell] != theirs.constants.get(cell)]  # fmt: skip
                if apart and refuse:
                    raise NotApplicable(
                        f"{other} and {name} both write cell {apart[0]}{self.called(apart[0])} of "
                        f"atari/{self.name}; drop one of them, or write overlap=last and the later one wins."
                    )
                count += bool(apart)
            earlier.append((name, ready))
        return count

    def called(self, cell: int) -> str:
        names = [label for label, each in self.labels.items() if each == cell]
        return f" ({names[0]})" if names else ""


@cache
def own_file(path: str, changed: int) -> GameFile:
    """A user's rule file; `changed`, when it was written, keeps an old reading from staying."""
    return read(text_of(path), path)


@cache
def compile_rules(rom: str, variation: str, value: Any) -> Ready:
    game = next(game for game in games().values() if game.rom == rom)
    return compile_variation(game.variations[variation], value, game.file.cells)


@cache
def games() -> dict[str, Game]:
    """Every game that the emulator supports, by name."""
    table = yaml.load((RULES / TABLE).read_text(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return {
        name: Game(name, row["rom"], tuple(row["modes"]), tuple(row["difficulties"]), row["mode"],
                   row["difficulty"], row["actions"], row["fire"], row["lives"], row["rows"])
        for name, row in table.items()
    }  # fmt: skip


def with_rules() -> list[str]:
    """The games that have a rule file."""
    return [name for name, game in games().items() if (RULES / f"{game.rom}.yaml").is_file()]


def game_of(name: str) -> Game:
    """The game of `atari/<Game>`, or UnknownName with a suggestion."""
    wanted = name.removeprefix("atari/")
    if wanted in UNSUPPORTED:
        raise NotApplicable(
            f"the emulator does not support the ROM of {name}; `assay list atari` names the games it does."
        )
    if wanted not in games():
        raise unknown("game", wanted, list(games()), where="atari", see="assay list atari")
    return games()[wanted]


def data_of(name: str) -> list[str]:
    """The table of games and the rule file of `atari/<Game>`, where it has one, as paths in the package."""
    names = (TABLE, f"{game_of(name).rom}.yaml")
    return [f"envs/atari/variations/{each}" for each in names if (RULES / each).is_file()]
