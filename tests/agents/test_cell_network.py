"""The network that all cells of a board share: what it sees, where it is refused, and that it learns."""

import re
import shlex
from functools import partial
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from assay.agents import dqn
from assay.agents.cell_network import cell_network
from assay.agents.piece_features import Pieces, read_pieces
from assay.agents.q_network import CELLS, first_params, network_of, why_no_network
from assay.core import step as loop
from assay.core.space import Discrete
from assay.errors import NotApplicable
from assay.native import build_native
from assay.plans.agents import config_of, settings_of

SPACES = {"observation": Discrete((17,) * 36 + (5, 5, 5, 6)), "action": Discrete(144)}
PAGE = (Path(__file__).parents[2] / "docs" / "rules.md").read_text()


def test_sizes_are_those_of_one_cell():
    # 17 kinds of content, 36 cells, 5 + 5 + 5 for the last accepted move, 6 responses.
    def sizes(kind):
        layers = first_params(jax.random.key(0), kind, (64,), SPACES)
        return (len(layers[0][0]), *(len(bias) for _, bias in layers))

    assert sizes(CELLS) == (17 + 36 + 21, 64, 4)
    assert sizes("full") == (36 * 17 + 21, 64, 144)


def test_values_by_hand():
    """Two cells, one kind of piece and two buckets; the weights are such that values can be read off."""
    pieces = Pieces(cells=2, shapes=1, colors=1, buckets=2)
    space = Discrete((2, 2, 2, 2, 3, 6))
    inputs = 2 + 2 + (2 + 2 + 3 + 6)
    weights = np.zeros((inputs, 2), np.float32)
    weights[1] = (1, 2)  # a piece is there
    weights[3] = (10, 20)  # it is the second cell
    weights[2 + 2 + 2 + 2 + 1] = (100, 200)  # the last accepted move went into bucket 0
    values = cell_network(space, pieces, "tanh", [(jnp.asarray(weights), jnp.zeros(2))])
    assert values(jnp.array([1, 0, 1, 1, 0, 0])).tolist() == [1, 2, 10, 20]
    assert values(jnp.array([0, 1, 1, 1, 1, 0])).tolist() == [100, 200, 111, 222]


def test_what_is_learned_of_one_cell_holds_for_the_others():
    layers = first_params(jax.random.key(0), CELLS, (8,), SPACES)
    weights, bias = layers[0]
    blind_to_place = [(weights.at[17:53].set(0), bias), *layers[1:]]
    q = network_of(CELLS, "tanh", SPACES, blind_to_place)
    here, there = jnp.zeros(40, int).at[3].set(7), jnp.zeros(40, int).at[20].set(7)
    assert jnp.allclose(q(here)[12:16], q(there)[80:84])


def test_tasks_without_a_board_are_refused():
    spaces = {"observation": Discrete(8), "action": Discrete(8)}
    assert read_pieces(spaces) is None and "needs a board of pieces" in why_no_network(CELLS, spaces)
    with pytest.raises(NotApplicable, match="network=cells needs a board of pieces"):
        dqn.train(jax.random.key(0), build_native("toy/discrete").task, dqn.Config(network=CELLS))


def config_of_the_page(**others):
    [command] = re.findall(r"^    assay train dqn (.*)$", PAGE, re.MULTILINE)
    words = shlex.split(command)
    given = [words[i + 1] for i, word in enumerate(words) if word == "--set"]
    values = dict(each.split("=") for each in given)
    assert values.pop("hidden") == "[64]"
    typed = {name: value if value.isalpha() else float(value) for name, value in values.items()}
    return config_of("dqn", settings_of("dqn", {**typed, "hidden": [64], **others}))


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["shape_match", "b3_then_b1"])
def test_the_settings_of_the_page_learn_a_rule(rule):
    task = build_native(f"rules/{rule}").task
    config = config_of_the_page(steps=6000)
    trained = jax.jit(partial(dqn.train, config=config))(jax.random.key(1), task)
    scores = np.asarray(trained.reports.score)
    assert scores[0] < -80 and scores[-1] > -2  # random play makes about 95 errors in an episode
    # The first observation of an episode has a piece that goes somewhere: the greedy action moves a piece.
    first, _ = loop.reset(task, jax.random.key(5))
    action, _ = dqn.acts(config)(task, trained.params, (), jax.random.key(0), first)
    assert first[int(action) // 4] > 0
