"""Evaluation of an agent from outside: whole episodes of a task, in plain Python.

Episodes depend on the seed and their number alone, so those of a plain and a varied task are pairs. An agent
that acts on batches plays LANES episodes side by side: lane i plays episodes i, i + LANES and so on, and
every batch has LANES rows, so what becomes of an episode does not depend on the others.
"""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from assay.core.axis import show_value
from assay.core.events import EVENTS, StepTaken
from assay.core.streams import digest_number
from assay.errors import AssayError
from assay.interop.agents import FAILURES, blame
from assay.interop.checks import WrongAction
from assay.interop.gymnasium import TaskEnv
from assay.interop.policy import Act, Policy, as_policy

LANES = 16  # rows of a batch
EVERY = 10  # batches: all of the first EVERY, and one in EVERY later, have a row checked by itself
MOST_APART = 0.01  # share of these rows on which act and act_batch may differ: rounding turns a close choice


class Played(NamedTuple):
    """The outcome of one episode."""

    steps: int
    paid: float  # the return the agent was paid
    score: float  # the return of the unmodified reward
    terminated: bool
    truncated: bool
    drawn: dict[str, Any] | None = None  # by axis: the levels drawn for this episode
    measures: Mapping[str, Any] = MappingProxyType({})  # of how the episode ended, by name
    digest: str = ""  # of the first and last observation, the executed actions and the rewards
    transcript: tuple[StepTaken, ...] = ()  # every step, if the lane keeps them
    events: Mapping[str, int] = MappingProxyType({})  # by axis: how often it acted, if the lane counts that


def play(
    agent: Policy | Act,
    env: TaskEnv,
    name: str,
    seed: int,
    episodes: int,
    measures: Sequence[str] = (),
    transcribes: bool = False,
    counts: bool = False,
) -> list[Played]:
    """The first episodes of `seed` in an env made by `assay.make`, one after another.

    `name` is the agent's, for errors; `measures` are names of entries of an episode's last `info`. An env
    whose steps are transcribed, or whose events are counted, must report events.
    """
    policy, lane = as_policy(agent), lane_kind(transcribes, counts)(env, name, seed, measures)
    played = []
    for episode in range(episodes):
        begin_agent(policy, name, seed, episode)
        lane.begin(episode, *(env.reset(seed=seed) if episode == 0 else env.reset()))
        while lane.live:
            lane.step(action_of(policy, lane))
        played.append(lane.played)
        finish_episode(policy, lane)
    return played


def action_of(policy: Policy, lane: Lane) -> Any:
    try:
        return policy.act(lane.observation, lane.info) if policy.uses_info else policy.act(lane.observation)
    except FAILURES as error:
        raise AssayError(f"{lane.name} raised {blame(error)}, {lane.now} of {lane.env.task}.") from error


class Difference(NamedTuple):
    """The difference of an episode that comes out differently when it is played again."""

    says: str
    by_task: bool  # the task itself differs under the same actions, so the agent is not to blame


def play_again(
    policy: Policy,
    make: Callable[[], TaskEnv],
    name: str,
    seed: int,
    number: int,
    digest: str | None,
    batched: bool,
) -> Difference | None:
    """Plays one episode by its number, without those before it; None if it has the same digest again.

    If an agent keeps something from episode to episode, or draws without a seed, that would be taken for an
    effect of an axis.
    """
    actions: list[Any] = []

    def act(lane: Lane) -> Any:
        batch = [lane.observation] * LANES, [lane.info] * LANES
        actions.append(actions_of(policy, name, *batch, [lane])[0] if batched else action_of(policy, lane))
        return actions[-1]

    begin_agent(policy, name, seed, number)
    again, task = one_episode(make, name, seed, number, act)
    if again.digest == digest:
        return None
    where = f"episode {number} of {task}"
    given = iter(actions)
    if one_episode(make, name, seed, number, lambda lane: next(given, actions[-1]))[0].digest != again.digest:
        says = f"{where} comes out differently when the same actions are played again: the task draws"
        return Difference(f"{says} without its seed, or keeps something from earlier episodes.", True)
    return Difference(not_repeatable(name, where, batched), False)


def one_episode(
    make: Callable[[], TaskEnv], name: str, seed: int, number: int, act: Callable[[Lane], Any]
) -> tuple[Played, str]:
    """An episode in an env of its own, and the text of its task."""
    env = make()
    try:
        lane = Lane(env, name, seed)
        lane.begin(number, *env.begin(seed, number))
        while lane.live:
            lane.step(act(lane))
        return lane.played, env.task
    finally:
        env.close()


def not_repeatable(name: str, where: str, batched: bool) -> str:
    why = "its act_batch mixes rows, " if batched else "it keeps something from earlier episodes, "
    cure = "let a row depend on itself alone" if batched else "forget and seed in its reset(seed=...)"
    return (
        f"{name} plays {where} differently the second time: {why}or draws at random without a seed; {cure}."
    )


class BatchCheck:
    """Checks some rows of batches: they are acted on again, alone in a batch and by `act`."""

    def __init__(self, policy: Policy, name: str):
        self.policy, self.name = policy, name
        self.batches, self.rows, self.apart = 0, 0, 0

    def look(self, lanes: list[Lane], actions: Any) -> None:
        """Checks the row of one lane, each time another; in all first batches, as episodes may be short."""
        self.batches += 1
        live = [number for number, lane in enumerate(lanes) if lane.live]
        if (self.batches > EVERY and self.batches % EVERY) or not live:
            return
        number = live[self.rows % len(live)]
        lane, among_others = lanes[number], actions[number]
        alone = actions_of(self.policy, self.name, [lane.observation] * LANES, [lane.info] * LANES, [lane])[
            number
        ]
        if not np.array_equal(alone, among_others):
            where = f"{lane.now} of {lane.env.task}"
            raise AssayError(
                f"the act_batch of {self.name} chose {show_action(among_others)} {where}, and "
                f"{show_action(alone)} for the same observation beside others: it mixes rows, or draws at "
                "random without a seed; let a row depend on itself alone."
            )
        self.rows += 1
        self.apart += not np.allclose(among_others, action_of(self.policy, lane), rtol=1e-2, atol=1e-3)

    def require_same(self, task: str) -> None:
        """Refuses an act_batch that differs from `act`; rounding may turn one close choice."""
        if self.apart > max(1, MOST_APART * self.rows):
            raise AssayError(
                f"act and act_batch of {self.name} chose different actions for {self.apart} of {self.rows} "
                f"observations of {task}; make them one policy."
            )


def show_action(action: Any) -> str:
    """An action without the name of its type."""
    return show_value(np.asarray(action).tolist())


def begin_agent(policy: Policy, name: str, seed: int, episode: int) -> None:
    """Resets the agent, with a seed that plain and varied episodes with the same number share."""
    try:
        policy.begin(digest_number(seed, episode, "agent") % 2**32)
    except FAILURES as error:
        raise AssayError(f"the reset of {name} raised {blame(error)}, before episode {episode}.") from error


def finish_episode(policy: Policy, lane: Lane) -> None:
    """Tells an agent that asks for it how an episode ended."""
    if policy.finish is None:
        return
    try:
        policy.finish(lane.observation, lane.played.terminated)
    except FAILURES as error:
        after = f"after episode {lane.episode} of {lane.env.task}"
        raise AssayError(f"the finish of {lane.name} raised {blame(error)}, {after}.") from error


def play_side_by_side(
    policy: Policy,
    make: Callable[[], TaskEnv],
    name: str,
    seed: int,
    episodes: int,
    measures: Sequence[str] = (),
    transcribes: bool = False,
    counts: bool = False,
) -> list[Played]:
    """The same episodes, LANES at a time, by an agent that acts on batches; `make` gives a lane its env."""
    lanes: list[Lane] = []
    try:
        kind = lane_kind(transcribes, counts)
        lanes += [kind(make(), name, seed, measures) for _ in range(min(LANES, episodes))]
        played: dict[int, Played] = {}
        for number, lane in enumerate(lanes):
            lane.begin(number, *lane.env.begin(seed, number))
        rows = [lanes[i % len(lanes)].observation for i in range(LANES)]
        infos = [lanes[i % len(lanes)].info for i in range(LANES)]
        check = BatchCheck(policy, name)
        while any(lane.live for lane in lanes):
            actions = actions_of(policy, name, rows, infos, lanes)
            check.look(lanes, actions)
            for number, lane in enumerate(lanes):
                if not lane.live:
                    continue
                lane.step(actions[number])
                if not lane.live:
                    played[lane.episode] = lane.played
                    if lane.episode + LANES < episodes:
                        lane.begin(lane.episode + LANES, *lane.env.begin(seed, lane.episode + LANES))
                rows[number], infos[number] = lane.observation, lane.info
        check.require_same(lanes[0].env.task)
        return [played[number] for number in range(episodes)]
    finally:
        for lane in lanes:
            lane.env.close()


def actions_of(policy: Policy, name: str, rows: list, infos: list[dict], lanes: list[Lane]) -> Any:
    """One action per row; a lane that is done keeps its last observation, and its action is not used."""
    first = next(lane for lane in lanes if lane.live)
    assert policy.act_batch is not None, "an agent without it is not asked for a batch"
    batch = np.stack([np.asarray(row) for row in rows])
    try:
        actions = policy.act_batch(batch, list(infos)) if policy.uses_info else policy.act_batch(batch)
    except FAILURES as error:
        when = f"on a batch, {first.now} of {first.env.task}"
        raise AssayError(f"{name} raised {blame(error)}, {when}.") from error
    if not hasattr(actions, "__len__") or len(actions) != len(rows):
        returned = " ".join(show_value(actions).split())
        raise AssayError(
            f"the act_batch of {name} returned {returned} for {len(rows)} observations; "
            "it returns one action for each."
        )
    return actions


class Lane:
    """One env in which episodes are played, and the tally of the current one."""

    def __init__(self, env: TaskEnv, name: str, seed: int, measures: Sequence[str] = ()):
        self.env, self.name, self.seed, self.measures = env, name, seed, measures
        self.live, self.episode = False, 0

    def begin(self, episode: int, observation: Any, info: dict) -> None:
        self.episode, self.observation, self.info, self.live = episode, observation, info, True
        self.steps, self.paid, self.score = 0, 0.0, 0.0
        self.executed: list[Any] = []
        self.rewards: list[float] = []
        self.drawn = info.get("drawn") or None
        # Now, because an env may write its next observation into the same array.
        self.digest = hashlib.blake2b(content_of(observation), digest_size=16)

    @property
    def now(self) -> str:
        return f"at step {self.steps} of episode {self.episode}"

    def step(self, action: Any) -> None:
        reward: Any
        try:
            observation, reward, terminated, truncated, info = self.env.step(action)
        except WrongAction:
            raise self.refusal(action) from None
        earned = info["score"]
        if not (isfinite(reward) and isfinite(earned)):
            raise AssayError(
                f"{self.env.task} paid {reward} for a score of {earned} {self.now}, seed {self.seed}; "
                "a mean needs finite numbers, so mend the env."
            )
        self.observation, self.info = observation, info
        self.steps += 1
        self.paid += reward
        self.score += earned
        self.executed.append(info["executed"])
        self.rewards.append(reward)
        if terminated or truncated:
            self.end(bool(terminated), bool(truncated))

    def end(self, terminated: bool, truncated: bool) -> None:
        digest = self.digest
        digest.update(array("d", self.rewards))
        digest.update(content_of(self.executed))
        digest.update(content_of(self.observation))
        measures = {measure: self.info[measure] for measure in self.measures}
        self.live = False
        self.played = Played(
            self.steps, self.paid, self.score, terminated, truncated, self.drawn, measures, digest.hexdigest()
        )

    def refusal(self, action: Any) -> AssayError:
        """The error for an action that the env refused: it names the agent and the step."""
        returned = "None, which is no action," if action is None else " ".join(show_value(action).split())
        takes = f"{self.env.task} takes {self.env.action_space}"
        single = isinstance(action, np.ndarray) and action.size == 1 and self.env.action_space.shape == ()
        hint = "; return int(action)" if single and action.dtype.kind in "iu" else ""
        return AssayError(f"{self.name} returned {returned} {self.now}, and {takes}{hint}.")


class TranscribingLane(Lane):
    """A lane that keeps every step. The events that the env reports go there and not to the agent."""

    def begin(self, episode: int, observation: Any, info: dict) -> None:
        super().begin(episode, observation, info)
        self.taken: list[StepTaken] = []

    def step(self, action: Any) -> None:
        chosen = action.copy() if isinstance(action, np.ndarray) else action  # an agent may write into it
        super().step(action)
        info, ended = self.info, not self.live
        ends = (self.played.terminated, self.played.truncated) if ended else (False, False)
        reported = info.pop(EVENTS)
        self.taken.append(
            StepTaken(chosen, info["executed"], self.rewards[-1], info["score"], *ends, reported)
        )
        if ended:
            self.played = self.played._replace(transcript=tuple(self.taken))


class CountingLane(Lane):
    """A lane that counts what variations do. The events that the env reports do not go to the agent."""

    def begin(self, episode: int, observation: Any, info: dict) -> None:
        super().begin(episode, observation, info)
        self.times: Counter[str] = Counter()

    def step(self, action: Any) -> None:
        super().step(action)
        for name, report in self.info.pop(EVENTS).items():
            self.times[name] += bool(report.event)
        if not self.live:
            self.played = self.played._replace(events=dict(self.times))


def lane_kind(transcribes: bool, counts: bool = False) -> type[Lane]:
    if transcribes:  # a transcript holds every event
        return TranscribingLane
    return CountingLane if counts else Lane


def content_of(value: Any) -> bytes:
    """The bytes of an observation or of a list of actions; their shapes are those of the task."""
    if isinstance(value, np.ndarray) and value.dtype != object:
        return value.tobytes()
    if isinstance(value, Mapping):
        return b"{" + b"".join(repr(key).encode() + content_of(value[key]) for key in sorted(value)) + b"}"
    if isinstance(value, (list, tuple)):
        try:
            return array("q", value).tobytes()  # whole numbers, as actions nearly always are
        except (TypeError, OverflowError):
            return b"[" + b",".join(map(content_of, value)) + b"]"
    return repr(value).encode()
