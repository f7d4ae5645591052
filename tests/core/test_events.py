"""What variations report of a step: by hand first, then alike in every form in which a task is played."""

from collections import Counter

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import assay
from assay.catalogue import variations
from assay.core import scalars
from assay.core import step as loop
from assay.core.env import Task
from assay.core.events import EVENTS, EventReport
from assay.core.keys import root_of, step_key
from assay.core.passage import ReportingPassage
from assay.core.reports import reports
from assay.core.space import Box, Discrete
from assay.core.variation import Channel, Inner

STICKY = next(axis.acts for axis in variations("gym/CartPole-v1") if axis.name == "action.sticky")


def actions_of(text, actions, **more):
    """Per step the report of the only axis and what was executed."""
    env = assay.make(text, events=True, **more)
    env.reset(seed=0)
    infos = [env.step(action)[-1] for action in actions]
    (axis,) = (name for name in infos[0][EVENTS] if not name.startswith("concept"))
    return [info[EVENTS][axis] for info in infos], [int(info["executed"]) for info in infos]


@pytest.mark.parametrize("env", ["toy/discrete+terminal_state_density=0.0", "gym/CartPole-v1"])
def test_sticky_by_hand(env):
    """There is nothing to repeat at the first step; then, with chance 1, the first action for good."""
    told, executed = actions_of(f"{env}+action.sticky=1.0", [1, 0, 0, 1])
    assert executed == [1, 1, 1, 1]
    assert told == [(False, False, 1), (True, True, 1), (True, True, 1), (True, True, 1)]
    never, executed = actions_of(f"{env}+action.sticky=0.0", [1, 0, 0, 1])
    assert executed == [1, 0, 0, 1]
    assert [(each.opportunity, each.event) for each in never] == 4 * [(False, False)]


@pytest.mark.parametrize("text", [
    "toy/discrete+terminal_state_density=0.0+action.random=1.0@sudden:2",
    "toy/discrete+terminal_state_density=0.0+state_jump=1.0@sudden:2",
    "gym/CartPole-v1+action.random=1.0@sudden:2",
    "gym/CartPole-v1+observation.hide.1=1.0@sudden:2",
])  # fmt: skip
def test_what_is_off_has_no_opportunity(text):
    """Otherwise its events would be few among many opportunities before it comes on."""
    told, _ = actions_of(text, [0, 1, 0, 1])
    hides = "observation" in text  # the observation after the second step is the first that drifts
    assert [bool(each.opportunity) for each in told] == [False, hides, True, True]
    assert all(each.event <= each.opportunity for each in told)


def test_delay_by_hand():
    """Two steps late, and zeros before that: 1, 1, 0 become 0, 0, 1."""
    told, executed = actions_of("gym/CartPole-v1+action.delay=2", [1, 1, 0])
    assert executed == [0, 0, 1]
    assert told == [(True, True, 0), (True, True, 0), (True, True, 1)]
    (same,), _ = actions_of("gym/CartPole-v1+action.delay=2", [0])
    assert same == (True, False, 0)


def test_what_is_thrown_by_transition_noise_arrives_elsewhere():
    """States 0 to 3 in a row: the first step goes from 0 to 1 unless the noise throws it elsewhere."""
    row = {"transition_function": [[1, 0], [2, 1], [3, 2], [3, 3]], "terminal_states": [3],
           "init_state_dist": [1, 0, 0, 0], "rewardable_sequences": [[[2], 1.0]]}  # fmt: skip
    counts = Counter()
    env = assay.make("toy/discrete+transition_noise=0.5", row, events=True)
    for seed in range(20):
        env.reset(seed=seed)
        reached, *_, info = env.step(0)
        told = info[EVENTS]["transition_noise"]
        assert told == (True, bool(reached != 1), reached)
        counts[told.event] += 1
    assert min(counts[True], counts[False]) > 3


def test_a_lost_observation_is_told():
    env = assay.make("gym/CartPole-v1+observation.dropout=0.5", events=True)
    env.reset(seed=1)
    steps = [env.step(0) for _ in range(6)]
    assert [not seen.any() for seen, *_ in steps] == [
        s[-1][EVENTS]["observation.dropout"].event for s in steps
    ]
    assert len({s[-1][EVENTS]["observation.dropout"].event for s in steps}) == 2


NUMBER = Box(-9.0, 9.0)
# Those that act on pictures or on vectors alone are compared in tests/variations/test_concealment.py.
REPORTING = [
    axis.acts
    for axis in variations("gym/CartPole-v1")
    if getattr(axis.acts, "report", None)
    and (axis.components != ("observation",) or not axis.acts.fits(NUMBER))
]


@pytest.mark.parametrize("channel", REPORTING, ids=lambda channel: channel.name)
def test_a_channel_tells_the_same_in_jax_numpy_and_plain_numbers(channel):
    """One level, memory, draw and value after another, through every namespace that it meets."""
    component = channel.components[0]
    space = Discrete(4) if component == "action" else NUMBER
    level = 1 if channel.sized else 0.5
    channel = Channel(**{**vars(channel), "level": level, "bound": 1 if channel.sized else 0})
    rng, told = np.random.default_rng(0), []
    wanted = channel.draw(space, channel.bound)
    steps = [
        (rng.random(wanted[1] if wanted else (), "float32"), rng.integers(4), rng.random()) for _ in range(20)
    ]
    for xp in (jnp, np, scalars):
        memory, reports = channel.memory(xp, space, channel.bound), []
        for draw, whole, share in steps:
            value = xp.asarray(int(whole) if component == "action" else float(np.float32(share)), space.dtype)
            drawn = draw.tolist() if xp is scalars else xp.asarray(draw, "float32")
            before = jax.tree.map(lambda leaf: leaf.copy() if hasattr(leaf, "copy") else leaf, memory)
            memory, after = channel.apply(
                xp, level, memory, drawn if wanted else (), value, (False, False), space
            )
            report = channel.report(
                xp, level, before, drawn if wanted else (), value, after, (False, False), space
            )
            reports.append((bool(report[0]), bool(report[1])))
        told.append(reports)
    assert told[0] == told[1] == told[2]
    assert any(event for _, event in told[0])
    assert all(could for could, event in told[0] if event)


def outcome(step):
    return [np.asarray(part).tobytes() for part in step[:4]]


NOISY = "+action.sticky=0.3+reward.noise=0.5"


@pytest.mark.parametrize(
    "text", [f"toy/continuous{NOISY}", f"gym/CartPole-v1{NOISY}+action.random=0.2+observation.noise=0.1"]
)
def test_asking_changes_no_bit(text):
    plain, asked = assay.make(text), assay.make(text, events=True)
    first = plain.reset(seed=3)[0]
    np.testing.assert_array_equal(first, asked.reset(seed=3)[0])
    plain.action_space.seed(0)
    for _ in range(25):
        action = plain.action_space.sample()
        one, other = plain.step(action), asked.step(action)
        assert outcome(one) == outcome(other)
        assert set(other[-1]) == {*one[-1], EVENTS}
        assert {"action.sticky", "reward.noise"} <= set(other[-1][EVENTS])
        if one[2] or one[3]:
            np.testing.assert_array_equal(plain.reset()[0], asked.reset()[0])


def test_pure_functions_tell_of_the_step_they_are_given():
    task = assay.make_jax("toy/discrete+action.sticky=1.0")
    key = root_of(0)
    _, world = task.reset(step_key(key, 0))
    told = [task.events(step_key(key, 1), world, jnp.int32(1))["action.sticky"]]
    world = task.step(step_key(key, 1), world, jnp.int32(1)).state
    told.append(task.events(step_key(key, 2), world, jnp.int32(0))["action.sticky"])
    assert [tuple(map(int, each)) for each in told] == [(0, 0, 1), (1, 1, 1)]


def as_it_is(function, level, *arguments):
    return function(*arguments)


def tell_result(level, *told):
    return True, level > 0, told[-1]


def test_an_inner_variation_is_told_what_its_component_gave():
    """One that changes nothing, of every component that acts in a step, beside the step itself."""
    plain = assay.make_jax("toy/discrete").task
    inner = [
        Inner(jnp.float32(0.5), name, (name,), as_it_is, report=tell_result)
        for name in ("initial", "action", "transition", "reward", "terminal", "observation")
    ]
    task, key = Task(plain.env, tuple(inner)), root_of(0)
    _, world = loop.reset(task, step_key(key, 0))
    out = loop.step(task, step_key(key, 1), world, jnp.int32(1))
    told = reports(task, step_key(key, 1), world, jnp.int32(1))
    assert list(told) == [each.name for each in inner[1:]]  # a reset is no step
    assert all(bool(each.opportunity) and bool(each.event) for each in told.values())
    assert int(told["action"].detail) == int(out.executed)
    assert int(told["transition"].detail.current) == int(out.state.state.current)
    assert float(told["reward"].detail) == float(out.reward)
    assert bool(told["terminal"].detail) == bool(out.terminated)
    assert int(told["observation"].detail) == int(out.observation)


NATIVE = "toy/discrete+horizon=3+action.sticky=0.5+action.delay=1"
HOSTED = "gym/CartPole-v1+action.sticky=0.5+observation.dropout=0.5"


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        (NATIVE, "next-step"),
        (NATIVE, "same-step"),
        (HOSTED, "next-step"),
        (HOSTED, "same-step"),
        (HOSTED, "disabled"),
    ],
)
def test_lanes_tell_what_one_env_tells(text, mode):
    """Lane i seeded s tells what `make` seeded s + i tells of the same steps."""
    lanes = assay.make_vec(text, 2, autoreset=mode, events=True)
    lanes.reset(seed=5)
    singles = [assay.make(text, events=True) for _ in range(2)]
    for lane, env in enumerate(singles):
        env.reset(seed=5 + lane)
    over = np.zeros(2, bool)
    for action in [1, 0, 1, 1, 0, 0, 1, 0, 1, 0] * 2:
        *_, terminated, truncated, info = lanes.step(np.array([action, action]))
        for lane, env in enumerate(singles):
            if over[lane] and mode == "next-step":
                assert not info[f"_{EVENTS}"][lane]
                env.reset()
                continue
            told = env.step(action)[-1][EVENTS]
            ended = (terminated | truncated)[lane] and mode == "same-step"
            where = info["final_info"] if ended else info
            assert where[f"_{EVENTS}"][lane] and set(where[EVENTS]) == set(told)
            for axis, report in told.items():
                many = where[EVENTS][axis]
                assert isinstance(many, EventReport)
                assert (many.opportunity[lane], many.event[lane]) == report[:2]
                assert report.detail is None or np.array_equal(many.detail[lane], report.detail)
            if ended:
                env.reset()
        over = terminated | truncated
        if over.any() and mode == "disabled":
            break


def test_a_report_keeps_its_type_from_the_beginning():
    """Shared memory is laid out by what is reported before the first step."""
    passage = ReportingPassage(STICKY, Discrete(3), scalars)
    assert passage.report == (False, False, 0)
