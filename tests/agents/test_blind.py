"""The best policy that does not look: what it does by hand, and that the search finds what is best."""

import jax
import pytest

from assay.agents import blind
from assay.agents.blind import Config, Policy, act, policies, start_memory
from assay.core.keys import root_of, seed_words
from assay.errors import AssayError, NotApplicable
from assay.native import build_native
from assay.runs.evaluate import EvaluationSetup, evaluate
from assay.runs.program import stack_tasks

RUN = "platformer/run+episode_length=60+dist_to_success=50.0"
SMALL = Config(steps=1, levels=2, longest=4, held=(1, 2))


def pressed(period, held, steps=10):
    task, policy = build_native(RUN).task, Policy(period, held, 2, 6)
    memory, chosen = start_memory(task, policy), []
    for _ in range(steps):
        action, memory = act(task, policy, memory, None, None)
        chosen.append(int(action))
    return chosen


def test_a_press_ends_every_period():
    assert pressed(4, 1) == [2, 2, 2, 6, 2, 2, 2, 6, 2, 2]
    assert pressed(3, 2) == [2, 6, 6, 2, 6, 6, 2, 6, 6, 2]
    assert pressed(1, 0) == [2] * 10 and pressed(1, 1) == [6] * 10


def test_the_family_is_each_once():
    family = policies(SMALL)
    assert list(zip(family.period.tolist(), family.held.tolist())) == [
        (1, 0), (1, 1), (2, 1), (3, 1), (4, 1), (3, 2), (4, 2),
    ]  # fmt: skip


@pytest.fixture(scope="module")
def searched():
    """On flat ground nothing has to be jumped over; where the ground rises everywhere, all must be."""
    tasks = [build_native(f"{RUN}+layout.heights={heights}").task for heights in ("[10]", "[10,10,10,15,20]")]
    keys = jax.numpy.stack([root_of(0), root_of(0)])
    found = jax.jit(jax.vmap(lambda key, task: blind.train(key, task, SMALL)))(keys, stack_tasks(tasks))
    return tasks, jax.device_get(found)


def test_where_nothing_is_in_the_way_it_only_runs(searched):
    _, found = searched
    assert (found.params.period[0], found.params.held[0]) == (1, 0)
    # 60 pixels at 0.2 less 60 steps at 0.1, but for the first ones on the way down to the ground.
    assert found.reports.score[0, 0] == pytest.approx(6, abs=1.5)


def test_where_steps_must_be_climbed_it_jumps(searched):
    _, found = searched
    assert found.params.held[1] > 0
    assert found.reports.episodes[:, 0].tolist() == [2, 2] and found.reports.length[:, 0].tolist() == [60, 60]
    assert found.reports.step[:, 0].tolist() == [7 * 2 * 60] * 2  # one round, though the steps were fewer


def test_what_was_found_is_what_an_evaluation_without_pictures_gives(searched):
    tasks, found = searched  # levels are given, so every episode is the one of the search
    policy = jax.tree.map(lambda leaf: leaf[1], found.params)
    played = evaluate(
        stack_tasks(tasks), policy, seed_words(0), EvaluationSetup(act, (), False, start_memory), 1
    )
    assert float(played.score[1, 0]) == pytest.approx(float(found.reports.score[1, 0]), abs=1e-3)
    assert played.score[0, 0] < found.reports.score[0, 0]  # where nothing is in the way, jumps only cost


@pytest.mark.parametrize(
    ("settings", "says"),
    [({"held": (0,)}, "held[0] of blind must be a whole number from 1 up, not 0."),
     ({"levels": 0}, "levels of blind must be a whole number from 1 up"),
     ({"hold": -1}, "are actions from 0 up, not -1, 6.")],
)  # fmt: skip
def test_settings_that_cannot_be_are_one_sentence(settings, says):
    with pytest.raises(AssayError) as refused:
        Config(**settings)
    assert says in str(refused.value)


@pytest.mark.parametrize(
    ("text", "config", "says"),
    [("toy/grid", Config(), "hold and press of blind are actions from 0 to 4 here, not 2 and 6; set both."),
     (RUN, Config(choose="luck"), "or a number that the env's state holds, not 'luck'."),
     (RUN, Config(choose="tops"), "or a number that the env's state holds, not 'tops'."),
     ("toy/continuous", Config(), "blind does not fit this task: it chooses among numbered actions")],
)  # fmt: skip
def test_tasks_that_do_not_fit_are_one_sentence(text, config, says):
    with pytest.raises(NotApplicable) as refused:
        blind.train(root_of(0), build_native(text).task, config)
    assert says in str(refused.value)


def test_it_can_be_chosen_by_a_number_that_the_state_computes():
    task = build_native("platformer/run+observation=state+episode_length=40").task
    settings = {"steps": 1, "levels": 2, "longest": 4, "held": (1,)}
    by = {
        name: blind.train(jax.random.key(0), task, blind.Config(choose=name, **settings)).params
        for name in ("x", "progress")
    }
    assert by["x"] == by["progress"]  # one is the other, shifted and scaled
