"""Text views: tasks that people and language models can play in words. No jax here."""

from __future__ import annotations

from typing import Any, Protocol


class TextView(Protocol):
    """One task in words. It knows of an episode what an observation tells, and no more."""

    @property
    def help(self) -> str:
        """How moves are written, in a few lines."""

    @property
    def legend(self) -> str:
        """What the signs of a drawing mean, in a line."""

    @property
    def action_names(self) -> tuple[str, ...]:
        """The name of each numbered action."""

    def draw(
        self, observation: Any, tried: int | None = None, colors: bool = False, compact: bool = False
    ) -> str:
        """The observation as lines of text, with the last action marked, perhaps in a terminal's colours.

        A compact drawing is for narrow terminals.
        """

    def tell(self, observation: Any, brief: bool = False) -> str:
        """What came of the last action, in a sentence; nothing before the first one.

        `brief` leaves out what `name_move` tells of the action.
        """

    def name_move(self, observation: Any, action: int) -> str:
        """An action with what it is about to move, where the observation before it tells."""

    def is_error(self, observation: Any) -> bool:
        """Whether the last action was refused."""

    def sum_up(self, observation: Any, terminated: bool) -> str:
        """How an episode with this last observation ended, in a few words."""

    def read(self, words: str) -> int:
        """The action that somebody wrote, or an AssayError that says how it is written."""


# By family, "module:function" of a task's settings and of all that its text sets, by name: its view.
TEXT_VIEWS = {"rules": "assay.envs.rules.text_view:make_view"}


def move_nothing(view: Any, observation: Any) -> int:
    """A move from an empty cell, which is always an error; the first action where no cell is empty."""
    if view.by_piece:
        return 0
    empty = (cell for cell, look in enumerate(observation[view.layout.board]) if not look)
    return int(next(empty, 0)) * int(view.layout.buckets)


# By family, "module:function" of a view and an observation: the action of a player that chose none.
NULL_ACTIONS = {"rules": "assay.envs.text_views:move_nothing"}
