"""The settings with which agents of assay take the battery: small networks, and short trainings.

The battery asks whether an algorithm is built right, not whether its published settings suit tasks of a few
cells: a default of 25 million steps would answer nothing in two minutes. What a user sets counts first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.errors import AssayError
from assay.plans.agents import settings_of
from assay.task_text import Value

TABLES = {"steps": 60_000, "learning_rate": 0.1, "explore": 1.0}
DQN = {
    "steps": 8000, "hidden": (32, 32), "learning_rate": 2e-3, "target_every": 80, "steps_per_update": 2,
    "learning_starts": 400, "explore_until": 0.5, "explore_last": 0.1, "replay": 2000,
}  # fmt: skip
OFF_POLICY = {
    "steps": 8000, "hidden": (32, 32), "learning_starts": 400, "random_steps": 2000, "replay": 2500,
    "critic_rate": 2e-3, "tau": 0.05,
    # An actor that goes to a bound early hardly comes back, so what is worth something must be worth it soon.
    "discount": 0.95,
}  # fmt: skip
ON_POLICY = {
    "steps": 40_960, "envs": 16, "width": 32, "layers": 2, "learning_rate": 2e-3, "discount": 0.99,
    "entropy_weight": 0.02, "most_gradient": 0.5, "trace": 0.95,
}  # fmt: skip
BY_AGENT: Mapping[str, Mapping[str, Any]] = {
    "tabular_q": TABLES,
    "double_q": {**TABLES, "steps": 120_000},  # each step teaches one of two tables
    "sarsa": TABLES,
    "dqn": DQN,
    # Noise alone explores, for that is what is asked of it.
    "rainbow": {
        **DQN, "explore_until": 1e-9, "explore_last": 0.0, "atoms": 21, "lowest": -2.0, "highest": 2.0,
    },
    "ddpg": {**OFF_POLICY, "noise_scale": 1.0},
    "td3": {**OFF_POLICY, "noise_scale": 1.0},
    "sac": {**OFF_POLICY, "actor_rate": 2e-3, "alpha": 0.01, "entropy_rate": 1e-3, "draw": True},
    "ppo": {**ON_POLICY, "rollout": 64, "epochs": 4, "minibatches": 4, "entropy_weight": 0.1},
    "a2c": {**ON_POLICY, "rollout": 16, "steps": 81_920, "learning_rate": 3e-3},
}  # fmt: skip
PROBED = ", ".join(BY_AGENT)


def battery_settings(name: str, given: Mapping[str, Value]) -> dict[str, Value]:
    """All settings of an agent of ours in the battery: the user's, then those above, then its own."""
    if name not in BY_AGENT:
        raise AssayError(
            f"{name} is not trained by the battery, whose tasks are of a few cells; it takes {PROBED}, your "
            "own (mine:train), or a class of Stable-Baselines3 (sb3:PPO)."
        )
    return settings_of(name, {**BY_AGENT[name], **given} | no_reports(name, given))


def no_reports(name: str, given: Mapping[str, Value]) -> dict[str, Any]:
    """One report, at the end, so that a training of any length is one loop."""
    if "report_every" in given:
        return {}
    merged = {**BY_AGENT[name], **given}
    steps = merged["steps"]
    if "rollout" in merged:
        steps = steps // (merged["envs"] * merged["rollout"]) * merged["envs"] * merged["rollout"]
    return {"report_every": steps}
