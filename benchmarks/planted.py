"""Exams of agents whose weaknesses are planted: how often the words of a report are wrong.

    python benchmarks/planted.py [exams, default 100] [--units 5,10,30] [--src SRC]

Scores are drawn unit by unit from agents whose every effect is known, and judged by the functions that make
a report (`analysis.findings.judge_axes`, `analysis.compare`). Of each exam of eight levels it is asked
whether any axis is said to break that does not lose the margin, whether any is said to hold that loses more,
and whether any interval misses its effect; and how often planted losses of twice the margin are found.
`--src` names
the source tree of another commit.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np

MARGIN = 0.1
# Axis by axis the true effect of its only level: nothing, little, twice the margin, five times, all.
EFFECTS = {"a": 0.0, "b": 0.0, "c": -0.03, "d": -0.05, "e": -0.2, "f": -0.2, "g": -0.5, "h": -1.0}
FOUND = [axis for axis, effect in EFFECTS.items() if effect == -2 * MARGIN]
PLAIN, RANDOM = 100.0, 20.0  # mean scores: an effect of 1 is 80 points
DISTANCE = PLAIN - RANDOM


class Kind:
    """How units spread around their means; `trained` units are seeds of 20 episodes, others are episodes."""

    trained = True
    spread = 4.0  # points, of everything
    random_spread = 4.0

    def noise(self, rng, units):
        return self.spread * rng.normal(size=units)

    def plain(self, rng, units):
        return PLAIN + 8 * rng.normal(size=units)

    def random(self, rng, units):
        return RANDOM + self.random_spread * rng.normal(size=units)

    def varied(self, rng, plain, effect):
        return plain + effect * DISTANCE + self.noise(rng, len(plain))


class Normal(Kind):
    pass


class NoisyRandom(Kind):
    """Random play spreads so much that its mean is the least certain of all."""

    random_spread = 40.0


class LongTailBelow(Kind):
    """Most seeds lose little, a few lose much: exponential losses."""

    def varied(self, rng, plain, effect):
        return plain + effect * DISTANCE * rng.exponential(size=len(plain)) + self.noise(rng, len(plain))


class LongTailAbove(Kind):
    """Most seeds lose much, a few nearly nothing."""

    def varied(self, rng, plain, effect):
        lost = 2 - rng.exponential(size=len(plain))
        return plain + effect * DISTANCE * lost + self.noise(rng, len(plain))


class RareFailures(Kind):
    """One given agent: an episode is as good as plain play or a failure, at random play's score."""

    trained = False

    def plain(self, rng, units):
        return np.full(units, PLAIN)

    def random(self, rng, units):
        return np.full(units, RANDOM)

    def varied(self, rng, plain, effect):
        return np.where(rng.random(len(plain)) < -effect, RANDOM, plain)


class WonOrLost(RareFailures):
    """One given agent whose episodes are won or lost: 95% on the plain task, 15% at random."""

    best, chance = 0.95, 0.15

    def plain(self, rng, units):
        return (rng.random(units) < self.best) * 1.0

    def random(self, rng, units):
        return (rng.random(units) < self.chance) * 1.0

    def varied(self, rng, plain, effect):
        return (rng.random(len(plain)) < self.best + effect * (self.best - self.chance)) * 1.0


class KnownRange(WonOrLost):
    """The same, and the task declares that scores lie between 0 and 1."""

    known = (0.0, 1.0)


class Returns(Kind):
    """One given agent with returns of a long tail above, as in games."""

    trained = False

    def plain(self, rng, units):
        return PLAIN * rng.gamma(4, 0.25, units)

    def varied(self, rng, plain, effect):
        return (PLAIN + effect * DISTANCE) * rng.gamma(4, 0.25, len(plain))


class RareSeeds(Kind):
    """Not counted: 15% of the seeds fail, which is more than five or ten seeds can exclude."""

    def varied(self, rng, plain, effect):
        return np.where(rng.random(len(plain)) < -effect, RANDOM, plain) + self.noise(rng, len(plain))


KINDS = {
    "seeds, normal": Normal, "seeds, noisy random play": NoisyRandom, "seeds, long tail below": LongTailBelow,
    "seeds, long tail above": LongTailAbove, "episodes, rare failures": RareFailures,
    "episodes, won or lost": WonOrLost, "episodes, won or lost, range known": KnownRange,
    "episodes, long tail": Returns, "(seeds, rare failures)": RareSeeds,
}  # fmt: skip


def exam(kind, rng, units, first=0):
    """The plan and the scores of one exam."""
    from assay.analysis.scores import Scores
    from assay.plans.question import PLAIN_PLACE

    scores = Scores("seed" if kind.trained else "episode")
    plain, random = kind.plain(rng, units), kind.random(rng, units)
    columns = {PLAIN_PLACE: plain, **{("carry", axis, "1"): kind.varied(rng, plain, effect)
                                      for axis, effect in EFFECTS.items()}}  # fmt: skip
    for place, column in columns.items():
        scores.score[place] = {first + i: float(score) for i, score in enumerate(column)}
        scores.task[place] = dict.fromkeys(scores.score[place], "toy/discrete")
    scores.random[PLAIN_PLACE] = {first + i: float(score) for i, score in enumerate(random)}
    return plan_of(kind, units, first), scores


def plan_of(kind, units, first):
    """Every axis at its only level; what no verdict depends on is as little as can be."""
    from assay.plans.plan import EXAMINE, ExamPlan, ScoreRange
    from assay.plans.question import Question

    questions = tuple(
        Question("carry", axis, ("1",), "0", ordered=True, shares=False, components=("action",), means="")
        for axis in EFFECTS
    )
    return ExamPlan(
        kind=EXAMINE, agent="planted", settings={}, budget=0, trains=kind.trained,
        seeds=tuple(range(first, first + units)), episodes=20 if kind.trained else units, own_worlds=False,
        task="toy/discrete", questions=questions, not_asked=(), margin=MARGIN,
        score_range=ScoreRange(*kind.known, two_valued=False) if hasattr(kind, "known") else None,
    )  # fmt: skip


def words(plan, scores, rng):
    """By axis: the word and the interval, by the functions of the report."""
    from assay.analysis import findings
    from assay.plans.question import PLAIN_PLACE

    numbers = sorted(scores.score[PLAIN_PLACE])
    found = findings.judge_axes(scores, list(plan.questions), numbers, plan, rng)
    return {each.axis: (each.word, each.effect) for each in found}


def judged(kind, rng, units, exams):
    """Shares of exams with a false break, a false hold, a missed interval; of planted losses found; of
    intervals without ends."""
    wrong, found, endless = np.zeros(3), 0, 0
    for _ in range(exams):
        said = words(*exam(kind, rng, units), rng)
        broken = [word == "breaks" and EFFECTS[axis] >= -MARGIN for axis, (word, _) in said.items()]
        held = [word == "holds" and EFFECTS[axis] < -MARGIN for axis, (word, _) in said.items()]
        missed = [
            np.isfinite(interval.value) and not interval.low - 1e-9 <= EFFECTS[axis] <= interval.high + 1e-9
            for axis, (_, interval) in said.items()
        ]
        wrong += [any(broken), any(held), any(missed)]
        found += sum(said[axis][0] == "breaks" for axis in FOUND)
        endless += sum(not np.isfinite(interval.high - interval.low) for _, interval in said.values())
    return *(wrong / exams), found / exams / len(FOUND), endless / exams / len(EFFECTS)


def equals(kind, rng, units, pairs):
    """The share of pairs of exams of one agent, under other seeds, in which any level is said to differ."""
    from assay.analysis import compare

    different = 0
    for _ in range(pairs):
        sides = []
        for first in (0, 1000):
            plan, scores = exam(kind, rng, units, first)
            sides.append(compare.effects_of(scores, plan))
        different += any(each.real for each in compare.differences_of(*sides))
    return different / pairs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("exams", nargs="?", type=int, default=100)
    parser.add_argument("--units", default="5,10,30")
    parser.add_argument("--src", default=str(Path(__file__).parent.parent / "src"))
    asked = parser.parse_args()
    sys.path.insert(0, asked.src)
    begun = time.perf_counter()
    print("| agent | units | false breaks | false holds | intervals missed | planted found | no ends "
          "| equals differ |")  # fmt: skip
    print("|---|---|---|---|---|---|---|---|")
    for name, kind in KINDS.items():
        for units in map(int, asked.units.split(",")):
            rng = np.random.default_rng([units, *name.encode()])
            shares = (*judged(kind(), rng, units, asked.exams), equals(kind(), rng, units, asked.exams))
            print(f"| {name} | {units} | {' | '.join(f'{each:.0%}' for each in shares)} |", flush=True)
    print(f"\n{asked.exams} exams each, {time.perf_counter() - begun:.0f} s")


if __name__ == "__main__":
    main()
