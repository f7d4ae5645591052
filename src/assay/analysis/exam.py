"""What an exam found, as plain records: every form of the report is made from these and nothing else."""

from __future__ import annotations

import math
from dataclasses import dataclass

from assay.analysis.origin import Made
from assay.plans.plan import NotAsked
from assay.stats.aggregate import Interval


@dataclass(frozen=True)
class LevelFinding:
    """One level of one axis, on the same seeds and episodes as the plain task."""

    level: str  # as in a task's text
    task: str
    effect: Interval  # -1 is a fall from plain to random play; all intervals of an exam hold together
    score: float  # mean over units
    units: tuple[float, ...]  # the score of each unit, in the order of `Exam.units`
    random: float | None = None  # what random play scores there
    optimum: float | None = None  # what the best possible agent scores there, where it is known


@dataclass(frozen=True)
class Whose:
    """Whose loss it is, at the level from which the axis breaks."""

    word: str  # "the task", "the agent", "both"
    sure: bool  # the whole interval of the share agrees with the word
    share: Interval  # the task's share of the loss
    how: str  # "a retrained one keeps 92%", "the optimum falls by 33%"


@dataclass(frozen=True)
class AxisFinding:
    """What the exam says of one side of one axis."""

    arm: str  # CARRY: the agent frozen; LEARN: trained under the variation, scored by the plain reward
    axis: str
    side: str  # "below" or "above" neutral where there are both, the level itself where levels have no order
    components: tuple[str, ...]
    means: str  # the axis in words
    neutral: str  # its neutral level, as text
    ordered: bool  # whether the levels are a dose: numbers from weak to strong
    word: str  # BREAKS, HOLDS or CANNOT_TELL
    level: str  # from which it breaks, or up to which it holds; "" if that cannot be told
    effect: Interval  # at that level; at the strongest where it cannot be told
    because: str
    smallest_visible: float  # half the widest interval on this side
    levels: tuple[LevelFinding, ...]  # from weak to strong
    whose: Whose | None = None
    shares: bool = False  # effects are of shares of each task's own optimum, for what is asked differs
    holds_to: str = ""  # an axis that breaks may hold up to a weaker level
    cut: float = 0.0  # share of its episodes that ended at the plan's limit of steps
    proof: str = ""  # how far it is proved that the axis changes what it declares and nothing else
    more_units_help: bool = True  # whether a doubt is one that more units could settle


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
    unit: float = math.nan  # the score that an effect of 1 is; NaN where plain is like random play


@dataclass(frozen=True)
class Exam(Made):
    """One examination, whole."""

    agent: str
    task: str
    unit: str  # "seed" where agents were trained, "episode" where one given agent was examined
    units: tuple[str, ...]  # the seeds, or the numbers of the episodes
    budget: int  # env steps of training, 0 for a given agent
    episodes: int  # of evaluation, per level and seed
    margin: float
    coverage: float
    headline: Headline
    findings: tuple[AxisFinding, ...]
    not_asked: tuple[NotAsked, ...] = ()
    curves: tuple[LearningCurve, ...] = ()
    failed: tuple[str, ...] = ()  # a sentence per job that failed
    proofs: tuple[tuple[str, str], ...] = ()  # of the user's own variations that the task itself contains
    power: str = ""  # how many units would settle the widest doubt
    not_above: str = ""  # why no axis can break or hold: plain play is not known to be above random play
    below_random: bool = False  # it is surely below, so that there is nothing to lose
    lowest: float = math.nan  # the lowest score of any unit, random play's included
    distinct: int = 0  # different episodes on the plain task, of a given agent; 0 where nobody counted
    cut_after: int = 0  # steps after which episodes without an end of their own are cut; 0 where none are
    plain_cut: float = 0.0  # share of the plain task's episodes that ended so
    not_yet: tuple[str, ...] = ()  # axes of which no job is done, where some are left
    score_range: tuple[float, float] | None = None  # in which the task declares its scores to lie
    units_to_hold: int = 0  # fewer cannot show that an axis holds; 0 where that is no question
