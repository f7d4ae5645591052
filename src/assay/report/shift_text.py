"""Induced-policy shift in words and in the rows of a table, for the screen, Markdown and the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from assay.analysis.shift import FEWEST_AXES, Estimate, Moment, Shift
from assay.report.text import count, number, shorten
from assay.stats.policy_shift import LEAST, largest_divergence
from assay.stats.rank import warn_of_few

TITLE = "Induced-policy shift"
HEADINGS = ("axis", "level", "total variation", "KL, nats", "choice changed", "gap in score")
STATE_HEADINGS = (
    "axis", "level", "state", "distance", "plain: sees", "plain: does", "varied: sees", "varied: does",
)  # fmt: skip
SEEN = (4, 6)  # the columns of what is seen, which for pictures are left to the picture
INTRO = (
    "What the agent would do in the same states if they looked otherwise. Total variation is the share of "
    "its choices that an axis moves, from 0 to 1; beside it stands what the axis costs in whole episodes."
)
STATES_SHOWN = (
    "The states shown are those with the largest total variation: of each episode and level the one state "
    "where it is largest, no level more often than its equal share, and a state for a second time, under "
    "another level, only where there are too few others. States without any change are not shown."
)
NEVER_LOOKS = (
    "the agent never looks at observations, so no axis of the observation can change what it does: its shift "
    "and its gap are 0 by construction"
)
MOST_SHOWN = 8  # actions of one state


class TableRow(NamedTuple):
    """A level: its axis, its level and the four estimates."""

    axis: str
    level: str
    estimates: tuple[str, str, str, str]

    @property
    def cells(self) -> tuple[str, ...]:
        return (self.axis, self.level, *self.estimates)


def table_rows(shift: Shift) -> list[TableRow]:
    return [
        TableRow(
            each.axis,
            each.level,
            (small(each.distance), small(each.divergence), share(each.changed), score(each.gap)),
        )
        for each in shift.findings
    ]


def small(estimate: Estimate) -> str:
    """A number from 0 up, with three digits behind the point."""
    return with_ends(estimate, "{:.3f}".format)


def share(estimate: Estimate) -> str:
    return with_ends(estimate, "{:.1%}".format)


def score(estimate: Estimate) -> str:
    return with_ends(estimate, number)


def with_ends(estimate: Estimate, form: Callable[[float], str]) -> str:
    low, high = ("no bound" if end is None else form(end + 0.0) for end in (estimate.low, estimate.high))
    return f"{form(estimate.value + 0.0)} [{low}, {high}]"  # the sum makes a 0 of -0


def say_sizes(shift: Shift) -> str:
    """How many states of how many episodes, and what each was put to."""
    seeds, episodes = len(shift.seeds), shift.episodes
    policies = "one policy" if seeds == 1 else f"{seeds} trained policies"
    each = "" if seeds == 1 else " each"
    return (
        f"{shift.states:,} states of {count(episodes, 'plain episode')}{each} of {policies} "
        f"(seed {', '.join(map(str, shift.seeds))}), every state rendered plain and varied; the gap is the "
        f"plain minus the varied score of the same {count(episodes, 'episode')}{each}"
    )


def say_fewer(shift: Shift) -> str:
    """Why there are fewer states than were asked for; "" where there are not."""
    if shift.states >= shift.states_asked:
        return ""
    each = shift.states_asked // len(shift.seeds) // shift.episodes
    return (
        f"{shift.states_asked:,} states were asked for, at most {each:,} of every episode, and an episode "
        "has no more states than steps"
    )


def say_intervals(shift: Shift) -> str:
    units = shift.episodes if shift.unit == "episode" else len(shift.seeds)
    why = (
        "states of one episode depend on each other"
        if shift.unit == "episode"
        else "episodes of one trained agent depend on each other"
    )
    if not shift.looks:
        return NEVER_LOOKS
    return f"95% intervals over {units} {shift.unit}s, which count alike: {why}"


def say_divergence(shift: Shift) -> str:
    return (
        f"KL is that of plain || varied, both mixed with {LEAST:.6f} of uniform play, since an action of "
        "probability 0 would make it infinite; so the changed choice of a greedy policy counts "
        f"{largest_divergence(len(shift.actions)):.1f} nats"
    )


def say_rank(shift: Shift) -> str:
    """Whether axes that shift the policy more cost it more."""
    if shift.rank is None and len(shift.findings) >= FEWEST_AXES and is_without_order(shift):
        return "axes are not ranked by shift and gap, since all of them are alike in one of the two"
    if shift.rank is None:
        return f"a rank correlation between shift and gap needs {FEWEST_AXES} axes or more"
    rho = shift.rank.rho
    ends = "" if rho.low is None or rho.high is None else f" [{rho.low:.2f}, {rho.high:.2f}]"
    units = shift.episodes if shift.unit == "episode" else len(shift.seeds)
    few = warn_of_few(units, shift.unit)
    return (
        f"Spearman's correlation of total variation and gap over {shift.rank.axes} axes and sides: "
        f"{rho.value:.2f}{ends}, resampling {shift.unit}s; one as far from 0 comes up by chance in "
        f"{shift.rank.chance:.1%} of all orders" + (f"; {few}" if few else "")
    )


def is_without_order(shift: Shift) -> bool:
    """Whether all axes are alike in their shift, or in their gap."""
    pairs = [(each.distance.value, each.gap.value) for each in shift.findings]
    return any(len(set(column)) == 1 for column in zip(*pairs))


def say_facts(shift: Shift) -> list[str]:
    """All that a reader of the table has to know, a sentence each, without its full stop."""
    facts = (
        say_sizes(shift), say_fewer(shift), say_intervals(shift), say_divergence(shift), say_rank(shift)
    )  # fmt: skip
    return [fact[0].upper() + fact[1:] for fact in facts if fact]


def say_stale(why: str) -> str:
    return f"{why}; `assay shift run:FOLDER TASK` measures it anew"


def say_moment(moment: Moment) -> str:
    return f"seed {moment.seed}, episode {moment.episode}, step {moment.step}"


def name_moment(moment: Moment) -> str:
    return f"{moment.axis}={shorten(moment.level, 32)}"


class ActionBar(NamedTuple):
    """An action with its two probabilities."""

    name: str
    plain: float
    varied: float


def action_bars(shift: Shift, moment: Moment) -> list[ActionBar]:
    """The actions in their order; of many, those that are likely in one of the renderings."""
    bars = [ActionBar(*each) for each in zip(shift.actions, moment.plain, moment.varied)]
    if len(bars) <= MOST_SHOWN:
        return bars
    likely = sorted(bars, key=lambda bar: -max(bar.plain, bar.varied))[:MOST_SHOWN]
    return [bar for bar in bars if bar in likely]


def state_rows(shift: Shift) -> list[tuple[str, ...]]:
    """The states where the choice changes most; pictures are left out, with their columns' cells empty."""
    return [
        (
            each.axis, each.level, say_moment(each), f"{each.distance:.3f}",
            "" if shift.pictures else each.plain_seen, describe_choice(shift.actions, each.plain),
            "" if shift.pictures else each.varied_seen, describe_choice(shift.actions, each.varied),
        )
        for each in shift.moments
    ]  # fmt: skip


def describe_choice(actions: tuple[str, ...], chances: tuple[float, ...]) -> str:
    """The likely actions with their probabilities: `3 90%, 1 10%`."""
    ranked = sorted(zip(actions, chances), key=lambda each: -each[1])
    shown = [f"{name} {chance:.0%}" for name, chance in ranked[:3] if chance >= 0.005]
    rest = 1 - sum(chance for _, chance in ranked[: len(shown)])
    return ", ".join(shown) + (f", others {rest:.0%}" if rest >= 0.005 else "")
