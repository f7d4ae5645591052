"""A finite task as plain arrays: where steps lead, what they pay, what is seen. Checked when it is made."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.chance.chances import require_chances
from assay.errors import NotApplicable, WrongLevel

MOST_ENTRIES = 2**25  # of the transitions: 256 MiB


@dataclass(frozen=True, eq=False)
class Model:
    """A partially observed Markov decision process with A actions, S states and O observations.

    A step from state s under action a leads to s' with chance `transitions[a, s, s']`, pays
    `rewards[a, s, s']` and shows o with chance `seen[s', o]`. An episode ends in a `terminal` state, or after
    `horizon` steps where there is a horizon. `sees_start` says whether the agent sees the first state before
    it acts, as every task of assay shows it. Behind a channel that remembers, states are those of the env,
    each with every one of the channel's `memories`, which count fastest and are not seen.
    """

    transitions: np.ndarray  # (A, S, S)
    rewards: np.ndarray  # (A, S, S); may be given as (A, S), paid wherever the step leads
    seen: np.ndarray  # (S, O)
    start: np.ndarray  # (S,)
    terminal: np.ndarray  # (S,) bool
    horizon: int | None = None
    discount: float = 1.0
    sees_start: bool = True
    memories: int = 1

    def __post_init__(self) -> None:
        transitions = require_chances(self.transitions, "the transitions")
        if transitions.ndim != 3 or transitions.shape[1] != transitions.shape[2]:
            raise WrongLevel(
                f"transitions have the shape (actions, states, states), not {transitions.shape}."
            )
        require_room(len(transitions), transitions.shape[1])
        actions, states = transitions.shape[:2]
        seen = require_chances(self.seen, "the observations")
        start = require_chances(self.start, "the start")
        require_shape("seen", seen, (states, seen.shape[-1]))
        require_shape("start", start, (states,))
        terminal = np.asarray(self.terminal, bool)
        require_shape("terminal", terminal, (states,))
        if start[terminal].any():
            raise WrongLevel(
                "an episode cannot begin in a terminal state; give terminal states the chance 0."
            )
        rewards = np.asarray(self.rewards, float)
        if rewards.shape == (actions, states):
            rewards = np.repeat(rewards[:, :, None], states, axis=2)
        require_shape("rewards", rewards, transitions.shape)
        if not np.isfinite(rewards).all():
            raise WrongLevel("rewards must be finite numbers; leave out what has no value.")
        require_span(self.horizon, self.discount)
        if self.memories < 1 or states % self.memories:
            raise WrongLevel(f"{states} states are no multiple of {self.memories} memories of a channel.")
        for name, value in (("transitions", transitions), ("seen", seen), ("start", start),
                            ("terminal", terminal), ("rewards", rewards)):  # fmt: skip
            object.__setattr__(self, name, value)

    @property
    def actions(self) -> int:
        return len(self.transitions)

    @property
    def states(self) -> int:
        return int(self.transitions.shape[1])

    @property
    def observations(self) -> int:
        return int(self.seen.shape[1])

    @property
    def expected_rewards(self) -> np.ndarray:
        """(A, S) what a step pays in the mean; nothing is paid after the end."""
        paid: np.ndarray = (self.transitions * self.rewards).sum(axis=2)
        return np.where(self.terminal, 0.0, paid)

    @property
    def continuing(self) -> np.ndarray:
        """(A, S, S) the chances of steps from a running episode to one that goes on."""
        runs: np.ndarray = self.transitions * ~self.terminal[None, :, None] * ~self.terminal
        return runs


def require_room(actions: int, states: int, most_entries: int = MOST_ENTRIES) -> None:
    """Refuses a model that would be too large, before it is made."""
    if actions * states**2 > most_entries:
        raise NotApplicable(
            f"a model of {states} states and {actions} actions has more than {most_entries} transitions; "
            "take a smaller task."
        )


def require_span(horizon: int | None, discount: float) -> None:
    if horizon is not None and (isinstance(horizon, bool) or horizon != int(horizon) or horizon < 1):
        raise WrongLevel(f"a horizon is a whole number of steps from 1 up, not {horizon}.")
    if not 0 <= discount <= 1:
        raise WrongLevel(f"a discount is a number from 0 to 1, not {discount}.")


def require_shape(name: str, array: np.ndarray, shape: tuple[int, ...]) -> None:
    if array.shape != shape:
        raise WrongLevel(f"{name} must have the shape {shape} to fit the transitions, not {array.shape}.")


def require_horizon(model: Model) -> int:
    """The horizon of a model, for what is defined by one."""
    if model.horizon is None:
        raise NotApplicable("an optimum over beliefs needs a horizon; give the model one.")
    return int(model.horizon)
