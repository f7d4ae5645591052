"""Agents from outside in the battery: `mine:train` is trained on one table after another, in plain Python."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.battery.gym_table import TableEnv
from assay.battery.spaces import BETWEEN, ROW, TWO, WIDEST, spaces_of
from assay.battery.subject import DETOUR, SCALE, SHIFT, Run, Traits, Way
from assay.battery.table import CELLS, Exam, Question
from assay.core.axis import as_plain_number, show_value
from assay.core.space import require_numbers
from assay.core.streams import generator
from assay.errors import AssayError, NotApplicable
from assay.interop.agents import FAILURES, Outside, blame
from assay.interop.checks import WrongAction, action_of
from assay.interop.policy import Policy, as_policy
from assay.task_text import Value

STEPS = 10_000  # of one training, where the function takes them
DRAWS = 16  # answers to each question
DISCOUNT = 0.99  # that nobody told us otherwise

Answer = Callable[[Any], Any]  # one observation -> an action


class OutsideSubject:
    """A function of the user's that trains; only its choices are known of it."""

    def __init__(self, agent: Outside, given: Mapping[str, Value], continuous: bool = False):
        if agent.train is None:
            raise NotApplicable(
                f"{agent.name} acts and does not train, and the battery tests how an agent learns; give a "
                "function train(env, seed, steps)."
            )
        if unknown := set(given) - {"steps", "discount"}:
            raise AssayError(
                f"{agent.name} is not an agent of assay, so it takes no settings such as {min(unknown)}; "
                "--set discount=0.95 tells the battery what it learns with."
            )
        self.name, self._train, self.at_once = agent.name, agent.train, 1
        self.traits = Traits(
            discount=number_given(agent.name, given, "discount", DISCOUNT),
            steps=int(number_given(agent.name, given, "steps", STEPS)),
            actions=(BETWEEN,) if continuous else (TWO,),
            replays="how much it replays is not known",
            draws="whether it is paid for the entropy of its policy is not known",
            normalising={},
        )

    def run(self, way: Way, exams: Sequence[Exam], seeds: Sequence[int]) -> list[Run]:
        with redirect_stdout(sys.stderr):  # what an agent prints is no result
            return [self._run_one(way, exam, seed) for exam, seed in zip(exams, seeds)]

    def _run_one(self, way: Way, exam: Exam, seed: int) -> Run:
        env = TableEnv(exam.table, way.acts)
        policy = as_policy(self._train(env, seed, self.traits.steps))

        def act(observation: Any) -> Any:
            try:
                return policy(observation, *({},) * policy.uses_info)
            except FAILURES as error:
                raise AssayError(f"{self.name} raised {blame(error)}, when it was asked.") from error

        def answers(question: Question) -> npt.NDArray[np.float32]:
            return np.array([self._answer(policy, act, way, exam, question, i) for i in range(DRAWS)])

        shares = np.stack([answers(question) for question in exam.questions])
        if not way.detour:
            return Run(shares)
        for observation in strange_rows(seed):
            act(observation)
        return Run(shares, np.stack([answers(question) for question in exam.questions]))

    def _answer(
        self, policy: Policy, act: Answer, way: Way, exam: Exam, question: Question, number: int
    ) -> float:
        """The share of the second action after the observations that lead to a question."""
        try:
            policy.begin(number)
        except FAILURES as error:
            raise AssayError(f"the reset of {self.name} raised {blame(error)}, when it was asked.") from error
        action = None
        for cell in question.path:
            action = act(exam.table.rows[exam.table.look[cell]].copy())
        try:
            return share_of(way.acts, action)
        except WrongAction as error:
            raise AssayError(f"{self.name} was asked what it would do: {error}") from None


def number_given(name: str, given: Mapping[str, Value], setting: str, default: float) -> float:
    number = as_plain_number(given.get(setting, default))
    if number is None:
        raise AssayError(f"{setting} of {name} is a number, not {show_value(given[setting])}.")
    return float(number)


def share_of(acts: str, action: Any) -> float:
    """The share of the second action in an answer; refuses what is no action."""
    taken = action_of(require_numbers(spaces_of(ROW, acts)["action"]), action)
    number = float(np.asarray(taken).reshape(-1)[0])
    return (number + 1) / 2 if acts == BETWEEN else number


def strange_rows(seed: int) -> npt.NDArray[np.float32]:
    """Observations within the bounds that no training has met, (DETOUR, CELLS)."""
    rows = generator(seed, "detour").normal(SHIFT, SCALE, (DETOUR, CELLS))
    return np.clip(rows, -WIDEST, WIDEST).astype(np.float32)
