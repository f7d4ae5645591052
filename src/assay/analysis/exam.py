"""The findings of an exam as plain records, from which alone every form of its report is made."""

from __future__ import annotations

import math
from dataclasses import dataclass

from assay.analysis.origin import Origin
from assay.analysis.plain_measures import PlainMeasure
from assay.analysis.shift import Shift
from assay.analysis.tails import TaskTails
from assay.plans.plan import NotAsked
from assay.stats.aggregate import Interval


@dataclass(frozen=True)
class LevelFinding:
    """One level of one axis, on the same seeds and episodes as the plain task."""

    level: str  # as in a task's text
    task: str
    effect: Interval  # -1 is a fall from plain to random play; the intervals of an exam are simultaneous
    score: float  # mean over units
    units: tuple[float, ...]  # the score of each unit, in the order of `Exam.units`
    random: float | None = None  # the mean score of random play there
    optimum: float | None = None  # the score of the best possible agent there, where it is known


@dataclass(frozen=True)
class LossCause:
    """The cause of the loss at the level from which the axis breaks: the agent, the task, or both."""

    word: str  # "the task", "the agent", "both"
    sure: bool  # the whole interval of the share agrees with the word
    share: Interval  # the task's share of the loss
    how: str  # "a retrained one keeps 92%", "the optimum falls by 33%"


@dataclass(frozen=True)
class AxisFinding:
    """The verdict on one side of one axis, with all of its levels."""

    arm: str  # CARRY: the agent frozen; LEARN: trained under the variation, scored by the plain reward
    axis: str
    side: str  # "below" or "above" neutral where there are both, the level itself where levels have no order
    components: tuple[str, ...]
    means: str  # the axis in words
    neutral: str  # its neutral level, as text
    ordered: bool  # whether the levels are a dose: numbers from weak to strong
    word: str  # BREAKS, HOLDS or CANNOT_TELL
    level: str  # from which it breaks, or up to which it holds; "" where the exam cannot tell
    effect: Interval  # at that level; at the strongest where the exam cannot tell
    because: str
    smallest_visible: float  # half the widest interval on this side
    levels: tuple[LevelFinding, ...]  # from weak to strong
    whose: LossCause | None = None
    shares: bool = False  # effects compare shares of each task's own optimum: the levels ask for other things
    holds_to: str = ""  # an axis that breaks may hold up to a weaker level
    cut: float = 0.0  # share of its episodes that ended at the plan's limit of steps
    proof: str = ""  # how far it is proved that the axis changes what it declares and nothing else
    more_units_help: bool = True  # whether more units could settle a doubt


@dataclass(frozen=True)
class LearningCurve:
    """Mean episode score over training, one agent; NaN where no episode ended between two reports."""

    seed: int
    label: str  # "plain", or "delay=8"
    steps: tuple[int, ...]
    scores: tuple[float, ...]


@dataclass(frozen=True)
class Headline:
    """How the agent does on the plain task."""

    score: Interval  # mean over units, as are all numbers here
    share: Interval | None  # of the optimum, where that is known
    random: float
    optimum: float | None
    plain: float = math.nan  # mean over units, without an interval
    unit: float = (
        math.nan
    )  # the score that an effect of 1 stands for; NaN where plain play is like random play


@dataclass(frozen=True)
class Exam(Origin):
    """All findings of one exam."""

    agent: str
    task: str
    unit: str  # "seed" where agents were trained, "episode" where one given agent was examined
    units: tuple[str, ...]  # the seeds, or the numbers of the episodes
    budget: int  # env steps of training; 0 for an agent that is not trained
    episodes: int  # evaluation episodes per level and seed
    margin: float
    coverage: float
    headline: Headline
    findings: tuple[AxisFinding, ...]
    not_asked: tuple[NotAsked, ...] = ()
    curves: tuple[LearningCurve, ...] = ()
    failed: tuple[str, ...] = ()  # a sentence per job that failed
    proofs: tuple[tuple[str, str], ...] = ()  # (name, proof) of the user's own variations in the task itself
    power: str = ""  # how many units would settle the widest doubt
    not_above: str = ""  # why no axis can break or hold: plain play is not known to be above random play
    below_random: bool = False  # plain play is surely below random play, so there is nothing to lose
    lowest: float = math.nan  # the lowest score of any unit, random play's included
    distinct: int = (
        0  # different episodes on the plain task, where episodes are the units; 0 where not counted
    )
    cut_after: int = 0  # steps after which episodes without an end of their own are cut; 0 where none are
    plain_cut: float = 0.0  # share of the plain task's episodes that were cut
    not_yet: tuple[str, ...] = ()  # axes without a finished job, while jobs are left
    score_range: tuple[float, float] | None = None  # the range of scores that the task declares
    units_to_hold: int = 0  # the fewest units that can show that an axis holds; 0 where that does not apply
    units_to_plan: int = 0  # the same, with room for episodes that lose more than any that was seen
    most_lost: float = 0.0  # by one episode, as an effect; 0 where `units_to_hold` is
    shift: Shift | None = None  # how far the agent's choices move in the same states, if it was measured
    measures: tuple[PlainMeasure, ...] = ()  # success and the like, on the plain task
    blind: float | None = None  # the score of the best blind policy there, where the run has it
    training: str = ""  # for how long agents were trained, in words; "" for the budget
    tails: tuple[TaskTails, ...] = ()  # CVaR of scores, where there are enough episodes
    no_shift: str = ""  # why a shift that was measured does not hold any more
