"""The agents that the help of commands names are those that the command takes."""

import re

from assay.catalogue import OURS
from assay.cli.options import AGENTS, LEARNERS
from assay.plans.agents import comes_trained, has_training, settings_of, steps_of


def words(text):
    return re.findall(r"[\w-]+", text)


def trains(agent):
    return has_training(agent, steps_of(settings_of(agent, {}))) and not comes_trained(agent)


def test_every_agent_of_the_catalogue_is_named():
    names = [entry.name for entry in OURS.agents]
    assert [name for name in names if name not in words(AGENTS)] == []
    assert [name for name in names if trains(name)] == [name for name in names if name in words(LEARNERS)]
    assert "llm" not in LEARNERS and "sb3" not in LEARNERS
