"""A hosted family that varies its own inside: a lamp that is pushed along a row, two frames to a step.

Its rules are proved by assay's own laws, which know it by `core.inspection.Inspection` alone.
"""

import math

import numpy as np
from gymnasium import Env, spaces

from assay.core.axis import Axis
from assay.core.family import EnvEntry, Family
from assay.core.host import Powers
from assay.core.inspection import Frame, Frames, Work
from assay.core.space import Box, Discrete
from assay.core.streams import Renewable, digest_number
from assay.core.variation import HostRule

PLACES, FRAMES, LAST = 16, 2, 120
PLACE, LIGHT, TIME = 0, 1, 2  # the cells; the fourth stays empty


class Row(Env):
    """The world beneath: four cells, moved by a frame at a time."""

    metadata = {"render_modes": []}  # noqa: RUF012 - as Gymnasium has it
    action_space = spaces.Discrete(2)
    observation_space = spaces.Box(0, 255, (4,), np.uint8)

    def __init__(self):
        self.cells = np.zeros(4, "uint8")

    def frame(self, action):
        self.cells[PLACE] = (self.cells[PLACE] + action) % PLACES
        self.cells[LIGHT] = 10 * self.cells[PLACE]
        self.cells[TIME] += 1
        return float(self.cells[PLACE] == 0)

    @property
    def over(self):
        return bool(self.cells[TIME] >= LAST)


class Rule:
    """A rule in the episode under way."""

    def __init__(self, name, writes=(), shows=False, pushes=None):
        self.name, self.writes, self.shows, self.pushes = name, frozenset(writes), shows, pushes
        self.stream = Renewable()

    def begin(self, seed):
        self.rng = self.stream.renew(digest_number(seed, self.name))


def drifts(rule, put, cells):
    if rule.rng.random() < 0.2:
        put(PLACE, (int(cells[PLACE]) + 1) % PLACES)


def draws_alone(rule, put, cells):
    rule.rng.random()


RULES = {
    "drift": (("transition",), {"writes": (PLACE,), "pushes": drifts}),
    "dim": (("observation",), {"shows": True}),
    "sly": (("observation",), {"pushes": drifts}),  # says that it is only seen, and moves the lamp
}


class LampHost:
    """The row with its rules."""

    limit, fresh, ends_itself = math.inf, True, True

    def __init__(self, inside=()):
        self.env = Row()
        self.action_space, self.observation_space = Row.action_space, Row.observation_space
        self.spaces = {
            "action": Discrete(2), "reward": Box(-np.inf, np.inf, (), "float64"),
            "observation": Box(0, 255, (4,), "uint8"),
        }  # fmt: skip
        self.levels = {rule.name: rule.level for rule in inside}
        self.rules = {rule.name: Rule(rule.name, **RULES[rule.name][1]) for rule in inside}
        self.put, self.written, self.changed = self.put_plainly, set(), set()
        self.executed, self.points = [], 0.0
        self.powers = Powers(set_level=self.set_level, inside=lambda: LampInspection(self))

    def set_level(self, name, level):
        self.levels[name] = level

    @property
    def on(self):
        return [rule for name, rule in self.rules.items() if self.levels[name]]

    def put_plainly(self, cell, value):
        self.env.cells[cell] = value

    def put_watched(self, cell, value):
        self.written.add(cell)
        if self.env.cells[cell] != value:
            self.changed.add(cell)
        self.put_plainly(cell, value)

    def reset(self, seed):
        place = int(np.random.default_rng(seed).integers(PLACES))
        self.env.cells[:] = place, 10 * place, 0, 0
        for rule in self.rules.values():
            rule.begin(seed)
        return self.seen(), {}

    def step(self, action):
        self.executed, self.points = [int(action)] * FRAMES, 0.0
        for each in self.executed:
            self.points += self.env.frame(each)
            self.apply()
        return self.seen(), self.points, self.env.over, False, {}

    def apply(self):
        for rule in self.on:
            if rule.pushes:
                rule.pushes(rule, self.put, self.env.cells)

    def seen(self):
        dim = any(rule.shows for rule in self.on)
        return self.env.cells // 2 if dim else self.env.cells.copy()

    def latent(self):
        return self.env.cells.copy()

    def sample(self, rng):
        return int(rng.integers(2))

    def close(self):
        """Nothing is open."""


class LampInspection:
    """What the laws may see of it."""

    actions, situation = (0, 1), None

    def __init__(self, host):
        self.host = host

    acts = property(lambda self: bool(self.host.on))
    writes = property(lambda self: frozenset().union(*(rule.writes for rule in self.host.on)))
    shows = property(lambda self: any(rule.shows for rule in self.host.on))
    cells = property(lambda self: self.host.env.cells)
    executed = property(lambda self: self.host.executed)
    intended = executed
    points = property(lambda self: self.host.points)
    over = property(lambda self: self.host.env.over)
    written_cells = property(lambda self: self.host.written)
    changed_cells = property(lambda self: self.host.changed)

    def watch(self):
        self.host.written, self.host.changed, self.host.put = set(), set(), self.host.put_watched

    def bring_about(self, situation):
        raise AssertionError("no rule of this family needs a situation")

    def save(self):
        return self.host.env.cells.copy()

    def restore(self, state):
        self.host.env.cells[:] = state

    def pack(self, state):
        return state.tobytes()

    def run(self, actions):
        return Frames(sum(self.host.env.frame(each) for each in actions), self.host.env.over)

    def run_from(self, state, cells, actions):
        self.restore(state)
        for cell, value in cells.items():
            self.host.put_plainly(cell, value)
        env = self.host.env
        return [Frame(env.frame(each), env.cells.tobytes(), env.over) for each in actions]

    def add_idle_rule(self):
        self.host.rules["idle"], self.host.levels["idle"] = Rule("idle", pushes=draws_alone), True

    def work(self):
        looking = Work(1, self.host.seen)
        return [Work(FRAMES, self.host.apply), looking] if self.acts else [looking]


def build(name, settings, render_mode=None, inside=()):
    return LampHost(inside)


def rule_axis(name, touches, direction, **more):
    return Axis(
        name, touches, "switch", bool, False, (True,), means=f"the lamp's rule {name}", origin="test",
        acts=HostRule(False, name, touches), direction=direction, **more,
    )  # fmt: skip


FAMILY = Family(
    "lamps",
    envs=(
        EnvEntry(
            "lamps/row", native=False, means="push a lamp along a row", origin="test",
            build="assay_outside.lamps:build", varied_inside=True,
            axes=(
                rule_axis("drift", ("transition",), "harder", tags=("stochastic",)),
                rule_axis("dim", ("observation",), "neutral"),
                rule_axis("sly", ("observation",), "unknown"),
            ),
        ),
    ),
    checker="assay.proof.hosted:CHECKER",
    cost="light",
)  # fmt: skip
