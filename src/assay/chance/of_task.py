"""From a task's text to a record of its chance: exact where it can be, else with the reason why not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from assay.chance import information
from assay.chance.belief import seeing_optimum
from assay.chance.bounds import FULL, MEET, BestReturn, Effort, best_blind, best_over_beliefs
from assay.chance.channel import other, side_by_side
from assay.chance.concepts import Stretch, overlooked, steady_in, stretches_of
from assay.chance.information import Drift
from assay.chance.logged import (
    Estimate,
    hidden_entropy_of,
    next_state_entropy_of,
    predictive_information_of,
    share_seen_of,
)
from assay.chance.model import MOST_ENTRIES, Model, require_room
from assay.chance.task_channel import (
    ActionBits,
    behind_actions,
    find_channel,
    measure_channel,
    sample_channel,
    space_of_actions,
)
from assay.chance.toy_models import ToyModel, build_toy_model
from assay.chance.varied import forget, seen_through
from assay.core.axis import Axis
from assay.core.space import Discrete
from assay.errors import AssayError, NotApplicable, WrongLevel
from assay.task_spaces import native_spaces
from assay.task_text import DRAWN, Setting, TaskText
from assay.tasks import Resolved, resolve

MISREADING, REWARD_NOISE = "observation.noise", "reward.noise"
MODEL = "model: "  # begins the note on why there is none
KNOWN = 1e-9  # bits: below this nothing is left to chance


class WorldBits(NamedTuple):
    """What is left to chance and what is hidden in uniformly random play, in bits per step, exactly.

    S is the state of the env, with its hidden mode; what a channel of the action remembers is not part of it.
    """

    next_state: float  # H(S'|S,A): not known of the next state, even to one who knows state and action
    predictive: float  # I((S,A);S'): what state and action tell of it
    state: float  # H(S)
    hidden: float  # H(S|O): not known of the state to one who sees its observation
    share_seen: float  # I(S;O)/H(S)
    aliased: float  # share of the steps at which another state could look the same
    states: int
    observations: int


class WorldEstimate(NamedTuple):
    """The same, from steps of random play."""

    next_state: Estimate
    predictive: Estimate
    hidden: Estimate
    share_seen: Estimate


class Optima(NamedTuple):
    """The best expected return of three agents. Each is exact, or says between which bounds it lies."""

    blind: BestReturn  # sees nothing
    beliefs: BestReturn  # remembers all it has seen and done: what memory can recover
    seeing: BestReturn  # knows the state


@dataclass(frozen=True)
class Spending:
    """How much work an answer may take."""

    entries: int = MOST_ENTRIES  # of the transitions
    optima: Effort = FULL


# About a second.
QUICK = Spending(2**19, Effort(exact=10**6, bounds=10**9, episodes=300))


class Concept(NamedTuple):
    """One of several concepts that follow one another, measured as if it stayed."""

    begins: int  # the step, or the episode, in which it first comes
    on: tuple[str, ...]  # the names of the scheduled variations that are on
    action: ActionBits | None
    world: WorldBits | None
    drift: Drift | None  # from the concept before it


@dataclass(frozen=True)
class Chance:
    """How strong the chance of a task is: what is None could not be had, and the `notes` say why."""

    task: str
    action: ActionBits | None
    world: WorldBits | None
    drift: Drift | None  # between the concepts of a schedule: all its variations off, and on
    best: Optima | None
    sampled_action: Estimate | None = None
    sampled_world: WorldEstimate | None = None
    notes: tuple[str, ...] = ()
    concepts: tuple[Concept, ...] = ()  # where several follow one another, in place of what stands above

    @property
    def is_certain(self) -> bool:
        """Whether nothing is left to chance and nothing hidden, as far as is known."""
        passes = self.action is None or (
            self.action.bits > self.action.most - KNOWN and not self.action.late and self.action.held == 1
        )
        shows = self.world is None or max(self.world.next_state, self.world.hidden) < KNOWN
        others = self.drift or self.sampled_action or self.sampled_world or self.concepts
        return passes and shows and not others

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers and words, as JSON takes them; an infinite divergence is the word "infinite"."""
        plain: dict[str, Any] = to_plain(asdict(self))
        return plain


def to_plain(value: Any) -> Any:
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {name: to_plain(entry) for name, entry in value.items()}
    if isinstance(value, tuple):
        return [to_plain(entry) for entry in value]
    return "infinite" if isinstance(value, float) and np.isinf(value) else value


def chance(task: str | TaskText, *, samples: int = 0, seed: int = 0, spend: Spending = Spending()) -> Chance:
    """What `assay.chance` says of a task; `spend` bounds the work that it may take."""
    resolved = resolve(task)
    for name, number in (("samples", samples), ("seed", seed)):
        if isinstance(number, bool) or not isinstance(number, int) or number < 0:
            raise WrongLevel(f"{name} of a task's chance is a whole number from 0 up, not {number!r}.")
    scheduled = [setting.name for setting in resolved.text.settings if setting.schedule]
    stretches, missed = stretches_of(resolved.text), overlooked(resolved.text)
    if len(stretches) > 1:
        found = chance_of_concepts(resolved, stretches, spend)
        return replace(found, notes=(*found.notes, missed)) if missed else found
    notes = [missed] if missed else []
    notes += [f"{name} has a schedule: action and world are those of when it is on." for name in scheduled]
    action, sampled_action = of_actions(resolved, samples, seed, notes)
    model = of_world(resolved, spend, notes)
    world = None if model is None else measure_world(model.world)
    sampled_world = None
    if world is None and samples:
        sampled_world = of_log(steady(resolved, on=True), samples, seed, notes)
    drift = of_schedule(resolved, model, notes)
    best = None if model is None else of_game(resolved, model, spend, seed, notes)
    sampled = sampled_action, sampled_world
    return Chance(str(resolved.text), action, world, drift, best, *sampled, notes=tuple(notes))


def chance_of_concepts(resolved: Resolved, stretches: Sequence[Stretch], spend: Spending) -> Chance:
    """The measures of every concept by itself: what is never on together is not measured together."""
    notes: list[str] = ["the schedules have several concepts: each has measures of its own, as if it stayed."]
    concepts = []
    for stretch in stretches:
        now = steady_in(resolved, stretch.on)
        action, _ = of_actions(now, 0, 0, notes)
        model = of_world(now, spend, notes)
        before = of_world(steady_in(resolved, stretch.before), spend, notes)
        drift = measure_drift(before.world, model.world) if before and model else None
        on = tuple(each.name for each in resolved.text.settings if each.name in stretch.on)
        world = None if model is None else measure_world(model.world)
        concepts.append(Concept(stretch.begins, on, action, world, drift))
    told = tuple(dict.fromkeys(notes))
    return Chance(str(resolved.text), None, None, None, None, notes=told, concepts=tuple(concepts))


def of_actions(
    resolved: Resolved, samples: int, seed: int, notes: list[str]
) -> tuple[ActionBits | None, Estimate | None]:
    space = space_of_actions(resolved)
    try:
        return measure_channel(find_channel(resolved, space)), None
    except NotApplicable as refused:
        notes.append(f"action channel: {refused}")
    try:
        return None, sample_channel(resolved, space, samples, seed) if samples else None
    except AssayError as refused:
        notes.append(f"estimate of the action channel: {refused}")
        return None, None


def of_world(resolved: Resolved, spend: Spending, notes: list[str]) -> ToyModel | None:
    try:
        return find_model(resolved, spend.entries)
    except NotApplicable as refused:
        notes.append(f"{MODEL}{refused}")
        return None


def find_model(task: str | TaskText | Resolved, most_entries: int = MOST_ENTRIES) -> ToyModel:
    """The exact models of a task with its channels, schedules on; refused where they are not known."""
    resolved = steady(task if isinstance(task, Resolved) else resolve(task), on=True)
    own = {axis.name for axis in resolved.entry.axes}
    toy = build_toy_model(resolved, most_entries)
    for axis, setting in zip(resolved.axes, resolved.text.settings):
        if axis.name not in own:
            toy = add_variation(toy, axis, setting, resolved)
    world = behind_actions(toy.world, resolved)
    require_room(world.actions, world.states, most_entries)
    if toy.game is None:
        return ToyModel(world, None, toy.why_no_game)
    try:
        game = behind_actions(toy.game, resolved)
        require_room(game.actions, game.states, most_entries)
    except NotApplicable as refused:
        return ToyModel(world, None, str(refused))
    return ToyModel(world, game, "")


def add_variation(toy: ToyModel, axis: Axis, setting: Setting, resolved: Resolved) -> ToyModel:
    """The model with a variation of any task; those of the action come later, all together."""
    if setting.value == axis.neutral or axis.components == ("action",) or axis.name == REWARD_NOISE:
        return toy
    if axis.components == ("reward",):
        return ToyModel(toy.world, None, f"{axis.name} is not part of the computation.")
    if axis.name != MISREADING:
        raise NotApplicable(f"{axis.name} is not part of the model.")
    level: Any = setting.value
    world = misread(toy.world, level, resolved)
    return ToyModel(world, None if toy.game is None else misread(toy.game, level, resolved), toy.why_no_game)


def misread(model: Model, level: float, resolved: Resolved) -> Model:
    """The model whose observations are each another one with chance `level`, entry by entry."""
    space = native_spaces(resolved)["observation"]
    assert isinstance(space, Discrete), "a toy's states are whole numbers"
    sizes = space.n if isinstance(space.n, tuple) else (space.n,)
    channel = side_by_side(*(other(size, level) for size in sizes))
    if model.observations == len(channel) + 1:  # the end of a game looks like nothing else
        whole = np.eye(model.observations)
        whole[:-1, :-1] = channel
        channel = whole
    if model.observations != len(channel):
        raise NotApplicable(f"{MISREADING} acts on parts of the observation that pay nothing.")
    return seen_through(model, channel)


def steady(resolved: Resolved, on: bool) -> Resolved:
    """The task without its schedules: what they turn on is on, or at its neutral level."""
    settings = []
    for axis, setting in zip(resolved.axes, resolved.text.settings):
        if setting.schedule:
            setting = replace(setting, schedule=None, value=setting.value if on else axis.neutral)
        settings.append(setting)
    return resolve(TaskText(resolved.text.env, tuple(settings)))


def measure_world(model: Model) -> WorldBits:
    model, visits = visit_at_random(model)
    return WorldBits(
        information.next_state_entropy(model, visits),
        information.predictive_information(model, visits),
        information.state_entropy(visits),
        information.hidden_entropy(visits),
        information.share_seen(visits),
        information.aliased_share(visits),
        model.states,
        int((visits.sights.sum(axis=0) > 0).sum()),
    )


def of_schedule(resolved: Resolved, model: ToyModel | None, notes: list[str]) -> Drift | None:
    """The drift between a schedule's concepts; None where there is no schedule or no model."""
    scheduled = [setting for setting in resolved.text.settings if setting.schedule]
    if not scheduled or model is None:
        return None
    drawn = [setting for setting in scheduled if setting.schedule and setting.schedule.kind in DRAWN]
    if drawn:
        notes.append(f"drift: {drawn[0].name} is drawn anew for each episode, so concepts are many.")
        return None
    return measure_drift(find_model(steady(resolved, on=False)).world, model.world)


def measure_drift(before: Model, after: Model) -> Drift:
    """How far apart two concepts are, in random play of the first."""
    (one, visits), (other, _) = visit_at_random(before), visit_at_random(after)
    return information.drift(one.transitions, other.transitions, visits.choices)


def visit_at_random(model: Model) -> tuple[Model, information.Visits]:
    """The env's own states in uniformly random play."""
    return forget(model, information.visit_by_observation(model, information.choose_uniformly(model)))


def of_game(
    resolved: Resolved, model: ToyModel, spend: Spending, seed: int, notes: list[str]
) -> Optima | None:
    scheduled = [setting.name for setting in resolved.text.settings if setting.schedule]
    why = f"{scheduled[0]} does not stay the same." if scheduled else model.why_no_game
    if why or model.game is None:
        notes.append(f"optima: {why}")
        return None
    game = model.game
    beliefs = best_over_beliefs(game, rng=np.random.default_rng(seed), effort=spend.optima)
    blind = best_blind(game, effort=spend.optima)
    seeing = BestReturn(seeing_optimum(game), None, None, "exact, by backward induction")
    return Optima(blind, at_least(beliefs, blind, seeing), seeing)


def at_least(beliefs: BestReturn, blind: BestReturn, seeing: BestReturn) -> BestReturn:
    """The optimum over beliefs, at least a blind agent's and at most a seeing one's."""
    earns = blind.low if blind.value is None else blind.value
    if beliefs.value is not None or earns is None:
        return beliefs
    high = seeing.value if beliefs.high is None else beliefs.high
    above = "what a seeing one earns" if beliefs.high is None else "the fast informed bound"
    if high is not None and high - earns <= MEET:
        return BestReturn(earns, None, None, "exact: a blind agent reaches the upper bound")
    if beliefs.low is None or earns > beliefs.low:
        return BestReturn(None, earns, high, f"between what a blind agent earns and {above}")
    return beliefs


def of_log(resolved: Resolved, samples: int, seed: int, notes: list[str]) -> WorldEstimate | None:
    """Estimates from steps of random play, where the task's states can be counted."""
    from assay.chance.play import log_steps

    try:
        log, rng = log_steps(resolved, samples, seed), np.random.default_rng(seed)
        steps = log.states, log.actions, log.after
        if log.cut:
            notes.append("estimates of the world: episodes were cut, so that their ends count for less.")
        return WorldEstimate(
            next_state_entropy_of(*steps, rng=rng, groups=log.episode),
            predictive_information_of(*steps, rng=rng, groups=log.episode),
            hidden_entropy_of(log.states, log.seen, rng=rng, groups=log.episode),
            share_seen_of(log.states, log.seen, rng=rng, groups=log.episode),
        )
    except AssayError as refused:
        notes.append(f"estimates of the world: {refused}")
        return None
