"""Reward functions of the user: the reward of a step is the sum of their values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from assay.core.axis import takes
from assay.envs.atari.games import Game
from assay.envs.own_function import import_function
from assay.errors import UnknownName, WrongLevel

GAME = "game"  # the game's own reward among the parts


class Moment(NamedTuple):
    """What a reward function gets of one moment: all 128 cells, the named cells by name, lives, frames."""

    ram: bytes
    lives: int
    frame: int
    labels: Mapping[str, int]  # name -> cell

    def __getitem__(self, name: Any) -> Any:  # moment["ball_x"]
        return self.ram[self.labels[name]] if isinstance(name, str) else tuple.__getitem__(self, name)


class Rewards:
    """`rewards=["mine:speed", game]`: each function is called once per step; exceptions pass through."""

    def __init__(self, names: tuple[str, ...], game: Game):
        self.functions: dict[str, Callable | None] = {
            name: None if name == GAME else import_function(name, f"the reward {name!r}", UnknownName)
            for name in names
        }
        self.labels, self.parts = game.labels, dict.fromkeys(names, 0.0)

    def moment_before(self, host: Any) -> Moment:
        """The moment before a step."""
        return Moment(host.emulator.buffer.tobytes(), host.lives, host.frame, self.labels)

    def pay(self, host: Any, before: Moment, action: Any, points: float) -> float:
        """The reward of a step for which the game, as varied, paid `points`; `parts` keeps its terms."""
        after = Moment(host.emulator.buffer.tobytes(), host.emulator.lives(), host.frame, self.labels)
        for name, function in self.functions.items():
            self.parts[name] = float(points if function is None else function(before, action, after))
        return sum(self.parts.values())


def alive(before: Moment, action: Any, after: Moment) -> float:
    """An example: pays 0.01 for every step in which no life is lost."""
    return 0.01 if after.lives >= before.lives else 0.0


@takes('a list such as [game,"mine:speed"]')
def reward_names(value: Any) -> tuple[str, ...]:
    """The setting `rewards`: a list of module:function, and the word game."""
    names = (value,) if isinstance(value, str) else tuple(value)
    if not all(isinstance(each, str) and (each == GAME or ":" in each) for each in names):
        raise WrongLevel("write each function as module:function, and the game's own reward as game.")
    return names
