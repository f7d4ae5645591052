"""From a run's records to what its exam found: effects in pairs, one verdict per axis, whose loss it is."""

from __future__ import annotations

import math
import shlex
from typing import Any

import numpy as np

from assay.names import parse_value
from assay.report.basis import uncovered_in
from assay.report.exam import (
    BREAKS,
    CANNOT_TELL,
    AxisFinding,
    Exam,
    Headline,
    LearningCurve,
    LevelFinding,
    NotAsked,
    Whose,
)
from assay.report.scores import Scores, questions_of, read_scores, whole_units
from assay.results import Run
from assay.results.asked import CARRY, PLAIN_PLACE, RETRAIN, Question, Where
from assay.results.record import canonical, digest_of
from assay.stats.aggregate import iqm
from assay.stats.bootstrap import bootstrap
from assay.stats.compare import Scale, paired_effects, scale
from assay.stats.loss import loss
from assay.stats.power import units_to_narrow
from assay.stats.verdict import AxisVerdict, Tried, judge

COVERAGE = 0.95
AIM = 0.05  # the difference that the sentence on power speaks of


def find(run: Run, retrained: bool = True) -> Exam:
    """What a finished or half-finished exam says; the same records always give the same.

    Without `retrained` it is what the run found before agents were trained anew where it broke.
    """
    plan = run.plan["plan"]
    scores = read_scores(run)
    if not retrained:
        for place in [place for place in scores.score if place[0] == RETRAIN]:
            del scores.score[place]
    units, questions = whole_units(scores, questions_of(plan))
    random = np.array(list(scores.random[PLAIN_PLACE].values()) or [np.nan])
    rng = np.random.default_rng(int(digest_of([canonical(plan).encode()]), 16))
    findings = judged(scores, questions, units, random, plan, rng)
    jobs = run.jobs()
    return Exam(
        agent=plan["agent"],
        task=plan["task"],
        unit=scores.unit,
        units=tuple(str(unit) for unit in units),
        budget=plan["budget"],
        episodes=plan["episodes"],
        margin=plan["margin"],
        coverage=COVERAGE,
        headline=headline(scores, units, random, rng),
        findings=tuple(findings),
        not_asked=tuple(NotAsked(tuple(axes), why) for axes, why in plan["not_asked"]),
        curves=learning_curves(run),
        failed=tuple(run.failures() + scores.dropped),
        config=plan["config"],
        command=shlex.join(run.plan["command"]),
        folder=str(run.folder),
        created=run.plan["created"],
        versions=run.plan["versions"],
        source_digest=run.plan["source_digest"],
        fingerprint=run.fingerprint(),
        uncovered=uncovered_in(jobs),
        jobs=len(jobs),
        wall_s=sum(job.wall_s or 0.0 for job in jobs),
        cpu_s=sum(job.cpu_s or 0.0 for job in jobs),
        power=power(findings, len(units), scores.unit, len([p for q in questions for p in q.places])),
    )


def effects_of(scores: Scores, questions: list[Question], units: list[int], random: np.ndarray) -> np.ndarray:
    """(units, levels of all questions): (varied - plain) / |plain - random|, per unit."""
    plain = scores.column(PLAIN_PLACE, units)
    by = distance(plain, random)
    best = scores.optima(PLAIN_PLACE, units)
    # Where something else is asked, scores are comparable only as shares of each task's own optimum.
    # (scores.shares is NaN throughout where an optimum is unknown or nothing to share.)
    share = scores.shares(PLAIN_PLACE, units)
    share_by = distance(share, random / best.mean()) if np.isfinite(share).all() else None
    columns = []
    for question in questions:
        for place in question.places:
            varied, base, unit_of = scores.column(place, units), plain, by
            if question.shares:
                varied, base, unit_of = scores.shares(place, units), share, share_by
            if unit_of is None:
                varied = np.full(len(units), np.nan)
            known = np.isfinite(varied).all()
            columns.append(
                paired_effects(varied[:, None], base, unit_of)[:, 0] if known else np.full(len(units), np.nan)
            )
    return np.stack(columns, axis=1) if columns else np.zeros((len(units), 0))


def distance(plain: np.ndarray, random: np.ndarray) -> Scale:
    if not np.isfinite(random).all():
        return Scale(0.0, False, "there is no random play to measure by")
    return scale(plain, random)


def judged(
    scores: Scores,
    questions: list[Question],
    units: list[int],
    random: np.ndarray,
    plan: dict[str, Any],
    rng: np.random.Generator,
) -> list[AxisFinding]:
    if not questions:
        return []
    effects = effects_of(scores, questions, units, random)
    tried = [Tried(q.axis, as_levels(q), parse_value(q.neutral) if q.ordered else None) for q in questions]
    verdicts = judge(
        tried, effects, margin=plan["margin"], step=1 / plan["episodes"], rng=rng, coverage=COVERAGE
    )
    asked = {question.axis: question for question in questions}
    return [of_axis(scores, asked[v.axis], v, units, random, plan["episodes"]) for v in verdicts]


def as_levels(question: Question) -> tuple:
    return tuple(parse_value(level) if question.ordered else level for level in question.levels)


def of_axis(
    scores: Scores,
    question: Question,
    verdict: AxisVerdict,
    units: list[int],
    random: np.ndarray,
    episodes: int,
) -> AxisFinding:
    written = dict(zip(as_levels(question), question.levels))
    levels = []
    for level in verdict.curve:
        text = written[level.level]
        place: Where = (question.arm, question.axis, text)
        column = scores.column(place, units)
        levels.append(
            LevelFinding(
                text,
                scores.task[place][units[0]],
                level.effect,
                float(column.mean()),
                tuple(map(float, column)),
                scores.mean_random(place),
                scores.mean_optimum(place, units),
            )
        )
    level = "" if verdict.level is None else written[verdict.level]
    broken = verdict.word == BREAKS and question.arm == CARRY
    return AxisFinding(
        arm=question.arm,
        axis=question.axis,
        side=verdict.side,
        components=question.components,
        means=question.means,
        neutral=question.neutral,
        ordered=question.ordered,
        word=verdict.word,
        level=level,
        effect=verdict.effect,
        because=verdict.because.replace(" unit", f" {scores.unit}"),
        smallest_visible=float(verdict.smallest_visible),
        levels=tuple(levels),
        whose=whose(scores, question, level, units, random, episodes) if broken else None,
        shares=question.shares,
        holds_to="" if verdict.holds_to is None else written[verdict.holds_to],
        proof=question.proof,
    )


def whose(
    scores: Scores, question: Question, level: str, units: list[int], random: np.ndarray, episodes: int
) -> Whose | None:
    """Splits the loss at the level from which an axis breaks; None where nothing is known to split it by."""
    place: Where = (question.arm, question.axis, level)
    plain, varied = scores.column(PLAIN_PLACE, units), scores.column(place, units)
    best, best_there = scores.optima(PLAIN_PLACE, units), scores.optima(place, units)
    step = abs(plain.mean() - random.mean()) / episodes  # what one episode of one unit is worth
    again = scores.score.get((RETRAIN, question.axis, level), {})
    if question.shares:
        shares = scores.shares(PLAIN_PLACE, units)
        found = loss(
            shares - scores.shares(place, units), np.zeros(len(units)), step=shares.mean() / episodes
        )
        return Whose(found.word, found.sure, found.share, "against each task's own optimum")
    # The optimum is that of a policy that sees the state: it says nothing of a loss in what can be seen.
    if best is not None and best_there is not None and "observation" not in question.components:
        found = loss(plain - varied, best - best_there, step=step)
        fall = (best - best_there).mean() / abs(best.mean() - random.mean())
        says = f"the optimum falls by {fall:.0%}" if fall > 0.005 else "the optimum does not fall"
        return Whose(found.word, found.sure, found.share, says)
    if again.keys() >= set(units):
        retrained = np.array([again[unit] for unit in units])
        found = loss(plain - varied, plain - retrained, step=step)
        keeps = (retrained.mean() - random.mean()) / (plain.mean() - random.mean())
        # Where retrained agents do worse than frozen ones, they do not show what could be had there.
        worse = retrained.mean() < varied.mean()
        says = (
            f"even a retrained one keeps {keeps:.0%} only" if worse else f"a retrained one keeps {keeps:.0%}"
        )
        return Whose(found.word, found.sure and not worse, found.share, says)
    return None


def to_retrain(exam: Exam) -> list[tuple[str, str]]:
    """(axis, level) of what broke the frozen agents and has no optimum that would say whose loss it is."""
    return [
        (finding.axis, finding.level)
        for finding in exam.findings
        if finding.arm == CARRY and finding.word == BREAKS and finding.whose is None
    ]


def headline(scores: Scores, units: list[int], random: np.ndarray, rng: np.random.Generator) -> Headline:
    plain = scores.column(PLAIN_PLACE, units)
    best = scores.optima(PLAIN_PLACE, units)
    by = distance(plain, random)
    share = None
    if best is not None and (best > 0).all():
        share = bootstrap((plain / best)[:, None], iqm, rng=rng, coverage=COVERAGE)
    return Headline(
        bootstrap(plain[:, None], iqm, rng=rng, coverage=COVERAGE),
        share,
        float(random.mean()),
        None if best is None else float(best.mean()),
        float(plain.mean()),
        by.value if by.usable else math.nan,
    )


def learning_curves(run: Run) -> tuple[LearningCurve, ...]:
    """Scores over training, one curve per trained agent."""
    table = run.curves(name="score")
    points: dict[str, list[tuple[int, float]]] = {}
    for job, step, value in zip(*(table[name].to_pylist() for name in ("job", "step", "value"))):
        points.setdefault(job, []).append((step, value))
    curves = []
    for job in run.jobs(id=list(points)) if points else []:
        arm, axis, level, _ = job.config["tries"][0]
        steps, values = zip(*sorted(points[job.id]))
        label = {"learn": f"{axis}={level}", "retrain": f"{axis}={level}, retrained"}.get(arm, "plain")
        curves.append(LearningCurve(job.seed, label, steps, values))
    return tuple(sorted(curves, key=lambda curve: (curve.label != "plain", curve.label, curve.seed)))


def power(findings: list[AxisFinding], units: int, unit: str, columns: int) -> str:
    """How many units the widest doubt would need."""
    widths = [
        f.smallest_visible for f in findings if f.word == CANNOT_TELL and np.isfinite(f.smallest_visible)
    ]
    if not widths or units < 2:
        return ""
    needed = units_to_narrow(max(widths), units, AIM, comparisons=max(columns, 1), coverage=COVERAGE)
    return f"{needed} {unit}s would see {AIM:.0%}"
