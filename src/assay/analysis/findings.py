"""Computes the findings of an exam from its records: paired effects, a verdict per axis, causes of losses."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from assay.analysis.caveats import describe_progress
from assay.analysis.exam import AxisFinding, Exam, Headline, LearningCurve, LevelFinding, LossCause
from assay.analysis.most_lost import (
    COVERAGE,
    NO_RANDOM,
    distance,
    episodes_to_hold,
    known_range,
    lowest,
    step_of,
)
from assay.analysis.origin import origin_of
from assay.analysis.plain_measures import find_blind_score, find_plain_measures
from assay.analysis.planned_units import played_scores, power
from assay.analysis.scores import Scores, read_scores, whole_units
from assay.analysis.stored_shift import read_shift
from assay.analysis.tails import tails_of_exam
from assay.analysis.training_length import describe_training
from assay.plans.job_plan import job_plan
from assay.plans.plan import ExamPlan, exam_plan_of
from assay.plans.question import CARRY, LEARN, PLAIN_PLACE, RETRAIN, Place, Question
from assay.results import Run
from assay.results.record import canonical, digest_of
from assay.stats.compare import Scale
from assay.stats.limits import ANYWHERE, SHARE, Limits, cut
from assay.stats.losses import loss
from assay.stats.resampling import bootstrap_t
from assay.stats.verdict import BREAKS, AxisVerdict, Tried, judge
from assay.task_text import parse_value

NO_OPTIMA = "shares of the optimum are compared here, but the optimum of one task is not known"


def find(run: Run, retrained: bool = True) -> Exam:
    """The findings of an exam, finished or not; the same records always give the same findings.

    Without `retrained` they are those before any agent was trained anew, which decide where to train anew.
    """
    plan = exam_plan_of(run)
    scores = read_scores(run)
    if not retrained:
        for place in [place for place in scores.score if place[0] == RETRAIN]:
            del scores.score[place]
    units, questions = whole_units(scores, plan.questions)
    rng = generator(plan, units)
    findings = judge_axes(scores, questions, units, plan, rng)
    columns = len([place for question in questions for place in question.places])
    to_hold = episodes_to_hold(plan, scores, units, columns)
    by = distance(scores, units)
    left = describe_progress(run)
    stored = read_shift(run)
    return Exam(
        agent=plan.agent,
        task=plan.task,
        unit=scores.unit,
        units=tuple(str(unit) for unit in units),
        budget=plan.budget,
        episodes=plan.episodes,
        margin=plan.margin,
        coverage=COVERAGE,
        headline=headline(scores, units, plan, rng),
        findings=tuple(findings),
        not_asked=plan.not_asked,
        curves=learning_curves(run),
        failed=tuple(run.failures() + ([] if left else [no_job_sentence(axis) for axis in scores.dropped])),
        proofs=tuple(plan.proofs.items()),
        power=power(findings, scores, questions, units, plan),
        not_above="" if by.usable or by.because == NO_RANDOM else by.because,
        below_random=by.below,
        lowest=lowest(scores),
        not_yet=tuple(scores.dropped) if left else (),
        score_range=(known.low, known.high) if (known := plan.score_range) else None,
        distinct=distinct_episodes(scores, units),
        units_to_hold=to_hold.least,
        units_to_plan=to_hold.enough,
        most_lost=to_hold.most_lost,
        cut_after=plan.max_steps or 0,
        plain_cut=scores.cut.get(PLAIN_PLACE, 0.0),
        shift=stored.document.shift if stored.document else None,
        no_shift=stored.why_not,
        measures=find_plain_measures(run, plan, scores.unit, units, generator(plan, units, "measures")),
        blind=find_blind_score(run, plan),
        tails=tails_of_exam(run, plan) if retrained else (),
        training=describe_training(run),
        **vars(origin_of(run)),
    )


def no_job_sentence(axis: str) -> str:
    return f"{axis} has no finished job"


def generator(plan: ExamPlan, units: list[int], what: str = "") -> np.random.Generator:
    """A generator seeded only by what was measured, so that a margin does not move the ends of intervals."""
    axes = [[each.arm, each.axis, list(each.levels)] for each in plan.questions]
    about = [plan.agent, plan.task, axes, list(units), what]
    return np.random.default_rng(int(digest_of([canonical(about).encode()]), 16))


def distinct_episodes(scores: Scores, units: list[int]) -> int:
    """How many different episodes the plain task has; 0 where they were not counted."""
    if scores.unit != "episode" or not scores.digest:
        return 0
    return len({scores.digest[PLAIN_PLACE].get(unit) for unit in units})


def judge_axes(
    scores: Scores,
    questions: list[Question],
    units: list[int],
    plan: ExamPlan,
    rng: np.random.Generator,
) -> list[AxisFinding]:
    if not questions:
        return []
    tried = [Tried(q.axis, as_levels(q), parse_value(q.neutral) if q.ordered else None) for q in questions]
    places = [place for question in questions for place in question.places]
    verdicts = judge(
        tried, played_scores(scores, questions, units), margin=plan.margin, rng=rng,
        step=step_of(plan, scores, units),
        coverage=COVERAGE, known=known_range(plan), new=scores.new_pairs(places, units),
    )  # fmt: skip
    by_axis = {question.axis: question for question in questions}
    by = distance(scores, units)
    return [
        axis_finding(scores, by_axis[v.axis], explain_verdict(v, by_axis[v.axis], by), units, plan)
        for v in verdicts
    ]


def explain_verdict(verdict: AxisVerdict, question: Question, by: Scale) -> AxisVerdict:
    """The verdict; with the reason from the records, where no effect could be computed."""
    if not math.isnan(verdict.effect.value):
        return verdict
    if by.because == NO_RANDOM:
        return verdict._replace(because=NO_RANDOM)
    if by.because:
        consequence = "there is nothing to lose" if by.below else "a loss cannot be measured"
        return verdict._replace(because=f"{by.because}, so {consequence}")
    return verdict._replace(because=NO_OPTIMA) if question.shares else verdict


def as_levels(question: Question) -> tuple[Any, ...]:
    return tuple(parse_value(level) if question.ordered else level for level in question.levels)


def axis_finding(
    scores: Scores,
    question: Question,
    verdict: AxisVerdict,
    units: list[int],
    plan: ExamPlan,
) -> AxisFinding:
    written = dict(zip(as_levels(question), question.levels))
    levels = []
    for level in verdict.curve:
        text = written[level.level]
        place: Place = (question.arm, question.axis, text)
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
    at = "" if verdict.level is None else written[verdict.level]
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
        level=at,
        effect=verdict.effect,
        because=verdict.because.replace(" unit", f" {scores.unit}"),
        smallest_visible=float(verdict.smallest_visible),
        levels=tuple(levels),
        whose=split_loss(scores, question, at, units, plan) if broken else None,
        shares=question.shares,
        holds_to="" if verdict.holds_to is None else written[verdict.holds_to],
        cut=float(np.mean([scores.cut.get(place, 0.0) for place in question.places])),
        proof=question.proof,
        more_units_help=verdict.more_units_help,
    )


def split_loss(
    scores: Scores, question: Question, level: str, units: list[int], plan: ExamPlan
) -> LossCause | None:
    """The cause of the loss at a level; None where neither an optimum nor retrained agents are known."""
    place: Place = (question.arm, question.axis, level)
    plain, varied = scores.column(PLAIN_PLACE, units), scores.column(place, units)
    best, best_there = scores.optima(PLAIN_PLACE, units), scores.optima(place, units)
    random = scores.random_of(PLAIN_PLACE, units)
    most_lost = step_of(plan, scores, units)
    step = abs(plain.mean() - random.mean()) * most_lost  # the most that one unit can lose, as a score
    retrained_scores = scores.score.get((RETRAIN, question.axis, level), {})
    if question.shares:
        shares = scores.shares(PLAIN_PLACE, units)
        cause = loss(
            shares - scores.shares(place, units), np.zeros(len(units)), step=shares.mean() * most_lost
        )
        return LossCause(cause.word, cause.sure, cause.share, "against each task's own optimum")
    # The optimum is that of a policy that sees the state, so it does not fall when observations get worse.
    if best is not None and best_there is not None and "observation" not in question.components:
        cause = loss(plain - varied, best - best_there, step=step)
        fall = (best - best_there).mean() / abs(best.mean() - random.mean())
        how = f"the optimum falls by {fall:.0%}" if fall > 0.005 else "the optimum does not fall"
        return LossCause(cause.word, cause.sure, cause.share, how)
    if retrained_scores.keys() >= set(units):
        retrained = np.array([retrained_scores[unit] for unit in units])
        cause = loss(plain - varied, plain - retrained, step=step)
        keeps = (retrained.mean() - random.mean()) / (plain.mean() - random.mean())
        # Retrained agents that do worse than frozen ones do not show what is possible at this level.
        worse = retrained.mean() < varied.mean()
        return LossCause(cause.word, cause.sure and not worse, cause.share, say_kept(keeps, worse))
    return None


def say_kept(keeps: float, worse: bool) -> str:
    """What retrained agents keep of the distance to random play; `worse`: less than the frozen ones do."""
    if keeps < 0:
        return f"{'even ' * worse}a retrained one plays below random play"
    return f"even a retrained one keeps {keeps:.0%} only" if worse else f"a retrained one keeps {keeps:.0%}"


def breaks_to_retrain(exam: Exam) -> list[tuple[str, str]]:
    """(axis, level) of each break of frozen agents whose cause no optimum can tell."""
    return [
        (finding.axis, finding.level)
        for finding in exam.findings
        if finding.arm == CARRY and finding.word == BREAKS and finding.whose is None
    ]


def headline(scores: Scores, units: list[int], plan: ExamPlan, rng: np.random.Generator) -> Headline:
    """The scores on the plain task, all as means, because those of random play and the optimum are means."""
    new = scores.new_pairs([PLAIN_PLACE], units)[:, 0]
    plain, random = scores.column(PLAIN_PLACE, units)[new], scores.random_of(PLAIN_PLACE, units)
    best = scores.optima(PLAIN_PLACE, units)
    by = distance(scores, units)
    step = by.value * step_of(plan, scores, units)
    share = None
    if best is not None and (best > 0).all():
        best = best[new]
        interval = bootstrap_t(plain / best, rng=rng, coverage=COVERAGE, step=step / best.mean())
        share = cut(interval, SHARE)
    score = bootstrap_t(plain, rng=rng, coverage=COVERAGE, step=step, known=known_range(plan))
    return Headline(
        cut(score, limits_of_scores(plan, None if best is None else float(best.mean()))),
        share,
        float(random.mean()),
        None if best is None else float(best.mean()),
        float(plain.mean()),
        by.value if by.usable else math.nan,
    )


def limits_of_scores(plan: ExamPlan, optimum: float | None) -> Limits:
    """Where the mean score on the plain task can lie: in the declared range, and not above the optimum."""
    declared = plan.score_range
    limits = ANYWHERE if declared is None else Limits(declared.low, declared.high)
    return limits if optimum is None else limits.both(Limits(high=optimum))


def learning_curves(run: Run) -> tuple[LearningCurve, ...]:
    """Scores over training, one curve per trained agent."""
    table = run.curves(name="score")
    points: dict[str, list[tuple[int, float]]] = {}
    for job, step, value in zip(*(table[name].to_pylist() for name in ("job", "step", "value"))):
        points.setdefault(job, []).append((step, value))
    curves = []
    for job in run.jobs(id=list(points)) if points else []:
        first = job_plan(job).tries[0]
        steps, values = zip(*sorted(points[job.id]))
        level = f"{first.axis}={first.level}"
        label = {LEARN: level, RETRAIN: f"{level}, retrained"}.get(first.arm, "plain")
        curves.append(LearningCurve(job.seed, label, steps, values))
    return tuple(sorted(curves, key=lambda curve: (curve.label != "plain", curve.label, curve.seed)))
