"""The agent under test, from its name: one of ours, a class of Stable-Baselines3, or the user's own."""

from __future__ import annotations

import inspect
from collections.abc import Mapping

from assay.battery.native import NativeSubject
from assay.battery.outside import OutsideSubject
from assay.battery.sb3 import Sb3Subject, class_named
from assay.battery.subject import Subject
from assay.errors import NotApplicable
from assay.interop.agents import SB3, is_outside, load_named
from assay.plans.agents import outside_agent, require_known
from assay.task_text import Value

CHECKPOINTS = ("run:", "torch:", "flax:", "llm:")


def choose_subject(name: str, given: Mapping[str, Value], continuous: bool = False) -> Subject:
    """The agent of a name: "dqn", "sb3:PPO", "mine:train", or "mine:MyDQN", a subclass of SB3's."""
    if name.startswith(CHECKPOINTS) or (name.startswith(SB3) and name.endswith(".zip")):
        raise NotApplicable(
            f"{name} is trained already, and the battery tests how an agent learns; give what trains it, "
            "such as dqn, sb3:PPO or mine:train."
        )
    if name.startswith(SB3):
        return Sb3Subject(name, class_named(name.removeprefix(SB3)), given, continuous)
    if not is_outside(name):
        require_known(name)
        return NativeSubject(name, given, continuous)
    value = load_named(name)[1]
    if inspect.isclass(value) and is_of_sb3(value):
        return Sb3Subject(name, value, given, continuous)
    return OutsideSubject(outside_agent(name), given, continuous)


def is_of_sb3(value: type) -> bool:
    """Whether a class is derived from one of the library, which need not be installed to tell."""
    return any(
        base.__module__ == "stable_baselines3.common.base_class" and base.__name__ == "BaseAlgorithm"
        for base in value.__mro__
    )
