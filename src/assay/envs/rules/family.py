"""The rules family: games of hidden rules, after the Game of Hidden Rules. No jax here."""

from __future__ import annotations

from typing import Any

from assay.core.family import Bench, EnvEntry, Family
from assay.envs.commands import RULES as COMMAND
from assay.envs.rules.benchmark import BY_NAME
from assay.envs.rules.params import CUSTOM, GOHR, OPEN, RuleGame, axes_of
from assay.task_text import TaskText

# Axes are proved on the first, for its rule takes nearly every edit; what it does not take, on the others.
EXAMPLES = ("rules/b3_then_b1",)
SMALL_BOARD = "columns=2+rows=2+pieces=2+shapes=1+colors=1"  # which random play clears
WIDEST = 90  # characters of a rule in a table
BESIDES = ("rules/shape_match",)


def proved_besides() -> tuple[str, ...]:
    """The envs on which edits are proved that do not apply to the first example."""
    return BESIDES


def members() -> list[dict[str, Any]]:
    """The rows of `assay list rules`: every benchmark rule, and the custom one."""
    rows = [describe(name) for name in BY_NAME]
    custom = 'a rule of your own: rules/custom+rule="(bucket:0)" or file=rule.txt'
    return [*rows, row_of(CUSTOM, custom, "assay")]


def describe(name: str) -> dict[str, Any]:
    rule = BY_NAME[name]
    if name != rule.name:
        return row_of(f"rules/{name}", f"another name of rules/{rule.name}", rule.origin)
    text = " / ".join(rule.text.splitlines())
    return row_of(f"rules/{name}", text if len(text) <= WIDEST else f"{text[:WIDEST]} ...", rule.origin)


def row_of(name: str, means: str, origin: str) -> dict[str, Any]:
    return {"name": name, "axes": f"{len(axes_of(name))} axes of its own", "means": means, "origin": origin}


def score_range(text: TaskText) -> tuple[float, float, bool] | None:
    """Scores lie between an error at every step and none; unknown where the horizon changes."""
    written = [setting for setting in text.settings if setting.name == "horizon"]
    if any(setting.schedule for setting in written):
        return None
    horizon = written[-1].value if written else RuleGame.horizon
    return (-float(horizon), 0.0, False) if isinstance(horizon, int) else None


FAMILY = Family(
    "rules",
    envs=(
        EnvEntry(
            OPEN,
            native=True,
            means="pieces to be moved into buckets by a rule that is not told",
            origin=GOHR,
            build="assay.envs.rules.game:build",
            params=RuleGame,
            axes_of="assay.envs.rules.params:axes_of",
            spelled="assay.envs.rules.params:find_custom_setting",
            elsewhere="assay.envs.rules.params:explain_edit",
            optimum="assay.envs.rules.references:find_optimum",
            truth="assay.envs.rules.truth:Truth",
            measures="assay.envs.rules.measures:MEASURES",
            score_range="assay.envs.rules.family:score_range",
            render="assay.envs.rules.render:render",
            contexts=(("reward.terminal", SMALL_BOARD),),
            examples=EXAMPLES,
        ),
    ),
    checker="assay.proof.native:CHECKER",
    cost="compiled",
    picture_axes="xy",
    members="assay.envs.rules.family:members",
    own_members="assay.envs.rules.family:proved_besides",
    command=COMMAND,
    benches=(Bench("rules", EXAMPLES[0], "assay.bench.rules:figures"),),
)
