"""From the pattern of failures to the part that is likely broken.

A fault explains a failure where three quarters of the answers that it would turn are wrong; by chance half of
them are. Suspicions stand in order: a fault of rewards or of ends disturbs the other tests too, while those
hardly disturb it, so the part whose failure explains the most comes first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from assay.battery.battery_tests import BASE
from assay.battery.judge import FAIL, NOT_JUDGED, Outcome

SYSTEMATIC = 0.75  # share of wrong answers by which a fault explains a failure
BY_CHANCE = 0.2  # share of answers of every kind that are wrong where nothing is learned


class Suspicion(NamedTuple):
    test: str
    fault: str  # of its questions; "" for any
    part: str
    look: str  # where to look


class Diagnosis(NamedTuple):
    """The likely part, and what to do next; both are empty where nothing failed."""

    part: str = ""
    says: str = ""
    look: str = ""


SUSPICIONS = (
    Suspicion("target", "", "target network",
              "values that follow a step must come from the copy, not from the network that learns"),
    Suspicion("sizes", "counts rewards by their signs", "size of rewards",
              "a reward must be cut to its bounds, not replaced by its sign"),
    Suspicion("termination", "values what is seen at an end", "bootstrapping at termination",
              "the value after a step must be multiplied by 0 where the step terminated"),
    Suspicion("termination", "counts the next episode", "bootstrapping at termination",
              "values and traces must not pass from one episode into the next"),
    Suspicion("truncation", "takes a time limit for an end", "bootstrapping at truncation",
              "where a time limit cut an episode, the value of its last observation must count"),
    Suspicion("evaluation", "", "statistics of observations",
              "means and variances must be counted while it learns alone, and held when it is judged"),
    Suspicion("n-step", "", "n-step returns",
              "count the rewards, the power of the discount and the observation whose value follows"),
    Suspicion("entropy", "", "entropy bonus",
              "the entropy must be added to what is maximised, so subtracted from the loss"),
    Suspicion("change", "", "replay", "the oldest transition must make way where the replay is full"),
    Suspicion("discount", "discounts too little", "discount",
              "follow the discount from the settings to every target"),
    Suspicion("discount", "discounts too much", "discount",
              "follow the discount from the settings to every target, and count how often it is applied"),
    Suspicion("exploration", "", "exploration",
              "does chance reach the actions while it trains (epsilon, noise, entropy)?"),
    Suspicion("values", "", "value propagation", "does the value after a step reach the step before?"),
    Suspicion("credit", "", "credit over delay", "does the value travel along ways of ten steps?"),
    Suspicion("noise", "", "averaging of noise", "is the learning rate too large, or a batch too small?"),
    Suspicion("truncation", "", "bootstrapping at truncation", "look at steps that a time limit cut"),
    Suspicion("termination", "", "bootstrapping at termination", "look at steps that terminated"),
    Suspicion("sizes", "", "size of rewards", "look at what is done to rewards before they are learned from"),
    Suspicion("discount", "", "discount", "follow the discount from the settings to every target"),
    Suspicion("approximation", "", "function approximation",
              "does the network see the numbers of an observation, at a scale that it can use?"),
    Suspicion("continuous", "", "continuous control",
              "look at the bounds of actions, and at how the policy follows the value"),
    Suspicion("memory", "", "memory", "is the memory kept within an episode, and renewed between two?"),
)  # fmt: skip
LEARNS_NOTHING = Diagnosis(
    "learning itself",
    "it is wrong about as often as chance even where rewards come at once, so nothing else can be judged",
    "do gradients reach the weights, and are the weights that learn those that act?",
)


def learns_nothing(outcomes: Sequence[Outcome]) -> bool:
    """Whether the base test fails as by chance: on every kind of question."""
    base = next((each for each in outcomes if each.name == BASE and each.verdict == FAIL), None)
    return base is not None and all(share >= BY_CHANCE for _, share in base.shares)


def without_blame(outcomes: Sequence[Outcome]) -> tuple[Outcome, ...]:
    """The outcomes, in which failures are not judged where nothing was learned."""
    if not learns_nothing(outcomes):
        return tuple(outcomes)
    return tuple(
        each._replace(verdict=NOT_JUDGED) if each.verdict == FAIL and each.name != BASE else each
        for each in outcomes
    )


def diagnose(outcomes: Sequence[Outcome]) -> Diagnosis:
    """The likely part; the first suspicion that a failure confirms."""
    failed = {each.name: each for each in outcomes if each.verdict == FAIL}
    if learns_nothing(outcomes):
        return LEARNS_NOTHING
    for suspicion in SUSPICIONS:
        outcome = failed.get(suspicion.test)
        if outcome is None:
            continue
        if not suspicion.fault:
            return Diagnosis(suspicion.part, f"it fails {outcome.name}: {outcome.evidence}", suspicion.look)
        if dict(outcome.shares).get(suspicion.fault, 0.0) >= SYSTEMATIC:
            return Diagnosis(suspicion.part, f"it {suspicion.fault}", suspicion.look)
    return Diagnosis()
