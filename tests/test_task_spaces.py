"""Spaces read off records are those of the built envs, and refuse what building refuses."""

import pytest

from assay.catalogue import variations
from assay.errors import AssayError
from assay.hosted import build_hosted
from assay.native import build_native
from assay.plans.choose_questions import with_level
from assay.task_spaces import SpaceTable
from assay.task_text import parse
from assay.tasks import resolve

BEHIND = ("atari/Pong", "atari/Breakout", "platformer/run", "gym/CartPole-v1", "toy/grid")


def built(text):
    """The spaces of the task itself."""
    if resolve(text).entry.native:
        found = build_native(text).spaces
    else:
        task = build_hosted(text)
        found = task.spaces
        task.host.close()
    return {name: found[name] for name in ("action", "observation")}


def outcome(function, text):
    try:
        return function(text)
    except AssayError as error:
        return str(error)


@pytest.mark.parametrize("env", BEHIND)
def test_spaces_on_paper_are_those_of_built_envs(env):
    """Every third axis at its strongest level: each emulator takes a tenth of a second to start."""
    table, checked = SpaceTable(), 0
    for axis in variations(env)[::3]:
        text = at_or_none(env, axis)
        if text is not None:
            assert outcome(table, text) == outcome(built, text), text
            checked += 1
    assert checked > 5


def at_or_none(env, axis):
    try:
        return with_level(parse(env), axis.name, axis.levels[-1])
    except AssayError:
        return None


@pytest.mark.parametrize("text", [
    "atari/Pong+observation=gray84+stack=2+channels=first", "atari/Pong+preset=machado2018",
    "atari/Qbert+observation=labels", "atari/Pong+observation=rgb64+stack=4", "atari/Asterix+actions=full",
    "platformer/run+H=64+W=96", "platformer/run+observation=state", "gym/CartPole-v1+observation.stack=3",
])  # fmt: skip
def test_settings_that_change_spaces(text):
    assert SpaceTable()(parse(text)) == built(parse(text))


@pytest.mark.parametrize("text", [
    "atari/Pong+mode=77", "atari/Pong+life_loss=true", "atari/Pong+sticky=0.25+action.sticky=0.5",
    "platformer/run+W=4000", "gym/CartPole-v1+observation.gray=true",
])  # fmt: skip
def test_what_cannot_be_built_is_refused_alike(text):
    assert isinstance(outcome(built, parse(text)), str)
    assert outcome(SpaceTable(), parse(text)) == outcome(built, parse(text))


def test_no_emulator_is_started_for_a_plan(monkeypatch):
    from assay.envs.atari import host

    def started(*given):
        raise AssertionError("an emulator was started")

    monkeypatch.setattr(host, "Emulator", started)
    table = SpaceTable()
    for axis in variations("atari/Pong"):
        if (text := at_or_none("atari/Pong", axis)) is not None:
            outcome(table, text)
