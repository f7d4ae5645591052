"""Concepts that follow one another are measured one by one, never together."""

import pytest

import assay
from assay.chance.concepts import overlooked, stretches_of
from assay.task_text import parse

SINGLE = {
    name: assay.chance(f"toy/discrete+{name}") for name in ("action.random=0.3", "transition_noise=0.1")
}


@pytest.mark.parametrize("schedule, begins", [("sudden:50:70", (50, 70)), ("cyclic:50", (0, 50))])
def test_each_concept_is_measured_as_the_task_that_it_is(schedule, begins):
    found = assay.chance(f"toy/discrete+[action.random=0.3,transition_noise=0.1]@{schedule}")
    assert (found.action, found.world, found.drift) == (None, None, None)
    assert tuple(each.begins for each in found.concepts) == begins
    for concept, alone in zip(found.concepts, SINGLE.values()):
        assert concept.world == alone.world and concept.action == alone.action
    assert found.concepts[0].on == ("action.random",) and found.concepts[1].on == ("transition_noise",)
    assert "concepts" in found.as_dict() and "several concepts" in found.notes[0]


def test_the_drift_is_from_what_was_before():
    found = assay.chance("toy/discrete+[transition_noise=0.25,aliased=2]@sudden:5:9").concepts
    assert found[0].drift.total_variation == pytest.approx(0.25)
    assert found[1].drift.total_variation == pytest.approx(0.25)  # back to a world without noise


def test_what_is_on_together_is_one_concept():
    together = assay.chance("toy/discrete+[action.random=0.3+transition_noise=0.1]@sudden:300")
    assert not together.concepts and together.world.next_state > SINGLE["action.random=0.3"].world.next_state


def test_overlapping_schedules_have_a_concept_for_every_combination():
    text = parse("toy/discrete+action.random=0.3@sudden:5+transition_noise=0.1@window:3:8")
    assert [(each.begins, sorted(each.on)) for each in stretches_of(text)] == [
        (3, ["transition_noise"]), (5, ["action.random", "transition_noise"]), (8, ["action.random"]),
    ]  # fmt: skip


def test_cycles_of_unlike_length_are_watched_until_both_end_together():
    """Of periods of 10 and 11, the last of one and the first of the other first meet in step 99."""
    together = "toy/discrete+action.random=0.3@turn:1:9:10+transition_noise=0.1@turn:1:0:11"
    assert [each.begins for each in stretches_of(parse(together))] == [0, 9, 99]
    assert overlooked(parse(together)) == ""


def test_cycles_that_are_too_long_say_how_far_was_looked():
    task = "toy/discrete+action.random=0.3@turn:997:9:10+transition_noise=0.1@turn:991:0:11"
    assert "first 200000 ticks of the schedules, which repeat after" in assay.chance(task).notes[-1]


@pytest.mark.parametrize(
    "text", ["toy/discrete", "toy/discrete+action.random=0.3@random:0.1",
             "toy/discrete+action.random=0.3@sudden:5:life+transition_noise=0.1@sudden:5"],
)  # fmt: skip
def test_other_schedules_tell_no_concepts(text):
    assert stretches_of(parse(text)) == ()
