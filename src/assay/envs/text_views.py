"""Text views: tasks that people and language models can play in words. No jax here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

Info = Mapping[str, Any]


class TextView(Protocol):
    """One task in words. It knows of an episode what an observation tells.

    Where people see or keep more than that, such as the numbers of pieces, `info` tells it; agents that
    play in words are never given it.
    """

    @property
    def help(self) -> str:
        """How moves are written and what the game is about, in a few lines for people."""

    @property
    def explanation(self) -> str:
        """What the game is about, for a player that names actions as `action_names` does."""

    @property
    def legend(self) -> str:
        """What the signs of a drawing mean, in a line."""

    def legend_of(self, observation: Any) -> str:
        """What the signs of this drawing mean, in a line."""

    @property
    def action_names(self) -> tuple[str, ...]:
        """The name of each numbered action."""

    def draw(
        self,
        observation: Any,
        tried: int | None = None,
        colors: bool = False,
        compact: bool = False,
        info: Info | None = None,
        before: Info | None = None,
    ) -> str:
        """The observation as lines of text, with the last action marked, perhaps in a terminal's colours.

        A compact drawing is for narrow terminals. `before` is the info before the last action.
        """

    def tell(self, observation: Any, brief: bool = False) -> str:
        """What came of the last action, in a sentence; nothing before the first one.

        `brief` leaves out what `name_move` tells of the action.
        """

    def name_move(self, observation: Any, action: int, info: Info | None = None) -> str:
        """An action with what it is about to move, where that is told before it."""

    def is_error(self, observation: Any) -> bool:
        """Whether the last action was refused."""

    def is_accepted(self, observation: Any) -> bool:
        """Whether the last action did what it meant; where nothing came of it, neither of the two holds."""

    def sum_up(self, observation: Any, terminated: bool) -> str:
        """How an episode with this last observation ended, in a few words."""

    def why_over(self, info: Info) -> str:
        """Why an episode that begins with this info is over before its first action; "" where it is not."""

    def read(self, words: str) -> int:
        """The action that somebody wrote, or an AssayError that says how it is written."""

    def record_start(self, observation: Any, info: Info) -> dict[str, Any]:
        """What a record tells of the start of an episode, as JSON has it."""

    def record_move(self, before: Any, after: Any, action: int, info: Info) -> dict[str, Any]:
        """What a record tells of an action between two observations; `info` is that before it."""


# By family, "module:function" of a task's settings and of all that its text sets, by name: its view.
TEXT_VIEWS = {"rules": "assay.envs.rules.text_view:make_view"}
# By family, "module:function" of a task's settings: what its card tells besides, as pairs of names and texts.
CARDS = {"rules": "assay.envs.rules.text_view:describe_rule"}


def move_nothing(view: Any, observation: Any) -> int:
    """A move from an empty cell, which is always an error; the first action where no cell is empty."""
    if view.by_piece:
        return 0
    empty = (cell for cell, look in enumerate(observation[view.layout.board]) if not look)
    return int(next(empty, 0)) * int(view.layout.buckets)


# By family, "module:function" of a view and an observation: the action of a player that chose none.
NULL_ACTIONS = {"rules": "assay.envs.text_views:move_nothing"}
