"""The tests of the battery: what each asks, of whom, and which part of an algorithm it is about."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from assay.battery import learning_tasks, tasks
from assay.battery.spaces import BETWEEN, TWO
from assay.battery.subject import Traits, Way
from assay.battery.table import Exam

Make = Callable[..., Exam]  # generator, Asked -> Exam
# The least spread of answers of a policy that is paid for its entropy. Of two actions a fair coin has 0.50.
# Of a range an even draw has 0.29, and a policy that is steered to an entropy of -1, as SAC is, 0.05.
SPREAD = {TWO: 0.15, BETWEEN: 0.02}
MOVED = 0.25  # by how much an answer may differ after an evaluation, since some are drawn


def anybody(traits: Traits) -> str:
    return ""


@dataclass(frozen=True)
class Test:
    """One question about one part."""

    name: str
    asks: str
    part: str
    make: Make
    wrong: int = 0  # answers of a run that may be wrong
    why_not: Callable[[Traits], str] = anybody  # "" where it applies
    settings: Callable[[Traits], Mapping[str, Any] | None] | None = None  # under which it is run
    acts: str = ""  # what can be done; "" for what the agent does elsewhere
    judges: str = "answers"  # answers, spread, or detour
    discount: float | None = None  # under which it is run, where not under the agent's own

    def way(self, traits: Traits) -> Way:
        special = (self.settings(traits) if self.settings else None) or {}
        return Way(tuple(special.items()), self.acts or traits.actions[0], self.judges == "detour")


def signs_kept(traits: Traits) -> str:
    return f"{traits.keeps_signs} asks it to learn from the signs of rewards" if traits.keeps_signs else ""


def cuts_wanted(traits: Traits) -> str:
    return f"{traits.cuts_end} asks it to take a time limit for an end" if traits.cuts_end else ""


def no_network(traits: Traits) -> str:
    return "" if traits.generalises else "its table tells cells apart by their names"


def no_range(traits: Traits) -> str:
    return "" if BETWEEN in traits.actions else "its actions are numbered"


def no_memory(traits: Traits) -> str:
    return "" if traits.remembers else "it acts by the observation alone"


def no_target(traits: Traits) -> str:
    return "" if traits.frozen_target is not None else "no setting of it holds a target network still"


def no_returns(traits: Traits) -> str:
    if traits.n_step < 2:
        return "it bootstraps after every step"
    if traits.shorter_discount is None:
        return "no setting of it changes its discount"
    return traits.settles


def no_replay(traits: Traits) -> str:
    return traits.replays or traits.settles


def no_statistics(traits: Traits) -> str:
    if traits.remembers:
        return "what it saw before may change its answers, since it remembers"
    return "" if traits.normalising is not None else "it keeps nothing while it acts"


TESTS = (
    Test("values", "little now or much later, over 1 to 4 steps", "value propagation", tasks.values),
    Test("discount", "1 after a long way, or something now: on both sides of its worth", "discount",
         tasks.discounting, wrong=1),
    Test("termination", "nothing follows an end, whatever is seen there", "bootstrapping at termination",
         tasks.termination, wrong=1),
    Test("truncation", "a time limit is no end", "bootstrapping at truncation", tasks.truncation,
         wrong=1, why_not=cuts_wanted),
    Test("sizes", "one large reward, or three small ones", "size of rewards", tasks.sizes,
         why_not=signs_kept, wrong=1),
    Test("credit", "a choice that is paid 11 steps later, with noise between", "credit over delay",
         tasks.delay),
    Test("exploration", "rewards behind 1 to 4 right actions, and a bait", "exploration",
         learning_tasks.exploration, wrong=2),
    Test("noise", "the better mean, sure or noisy", "averaging of noise", learning_tasks.noise, wrong=1),
    Test("change", "what paid costs from halfway on", "replay", learning_tasks.change, wrong=1,
         why_not=no_replay),
    Test("entropy", "two equal actions are both taken", "entropy bonus", learning_tasks.indifference,
         judges="spread", why_not=lambda traits: traits.draws),
    Test("approximation", "places never met, between places met", "function approximation",
         learning_tasks.approximation, wrong=2, why_not=no_network),
    Test("target", "what a target that is never copied cannot tell", "target network", tasks.target,
         wrong=1, why_not=no_target, settings=lambda traits: traits.frozen_target),
    Test("n-step", "1 after three returns, or something now: on both sides of its worth", "n-step returns",
         tasks.n_step, wrong=1, why_not=no_returns, settings=lambda traits: traits.shorter_discount,
         discount=tasks.SHORTER),
    Test("evaluation", "the same answers after a long evaluation elsewhere", "statistics of observations",
         learning_tasks.approximation, judges="detour", why_not=no_statistics,
         settings=lambda traits: traits.normalising),
    Test("continuous", "the best action between the bounds", "continuous control",
         learning_tasks.continuous, wrong=1, acts=BETWEEN, why_not=no_range),
    Test("memory", "a cue three steps before the choice", "memory", learning_tasks.memory,
         why_not=no_memory),
)  # fmt: skip
BY_NAME = {test.name: test for test in TESTS}
BASE = "values"  # where this one fails by chance, nothing is learned and the others say nothing
