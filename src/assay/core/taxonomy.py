"""STORI's taxonomy of chance: the types by which axes are sorted. No jax here."""

from __future__ import annotations

from collections.abc import Mapping

# Type -> what chance does there.
TYPES: Mapping[str, str] = {
    "0": "deterministic: nothing is left to chance, and the observation is the labelled state",
    "1": "action-dependent: another action is executed than the chosen one",
    "2.1": "action-independent: events from outside change the state at random",
    "2.2": "concept drift: the rules of the world change over time",
    "3.1": "representation: the state is shown in another form, and all of it can be recovered",
    "3.2": "missing state: the observation does not tell all of the state",
}
