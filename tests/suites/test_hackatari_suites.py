"""The suites of HackAtari: their tasks are those of the paper, and all of them can be played."""

import pytest

from assay.catalogue import axis_of, suite, suites, variations
from assay.envs.atari.entry import envs_with_rules
from assay.envs.atari.settings import read_preprocessing
from assay.errors import UnknownName
from assay.suites import hackatari
from assay.suites.hackatari_published import published
from assay.task_text import parse
from assay.tasks import resolve

SUITES = [each for each in suites() if each.name.startswith("hackatari/")]


def variations_of(name):
    pairs = suite(name).pairs
    return [pair.name for pair in pairs if pair.train != pair.evaluate]


def test_the_papers_suites_have_32_and_15_variations_of_17_and_15_games():
    assert len(variations_of("hackatari/paper-32")) == 32
    assert len({pair.axis for pair in suite("hackatari/paper-32").pairs}) == 17
    assert len(variations_of("hackatari/human-15")) == 15
    assert len({pair.axis for pair in suite("hackatari/human-15").pairs}) == 15
    assert set(variations_of("hackatari/human-15")) <= set(variations_of("hackatari/paper-32"))


def test_every_game_has_a_suite_of_its_own():
    by_game = [each for game in hackatari.PAPER_32 for each in variations_of(f"hackatari/{game.lower()}")]
    assert by_game == variations_of("hackatari/paper-32")


def test_variations_are_those_of_the_published_scores():
    scored = {f"{game} {name}" for game, rows in published().scores.items() for name in rows}
    played = {pair.name for pair in suite("hackatari/paper-32").pairs}
    assert scored == played
    people = {f"{game} {name}" for game, rows in published().scores.items()
              for name, row in rows.items() if "People" in row and name != "original"}  # fmt: skip
    assert people == set(variations_of("hackatari/human-15"))


def test_published_numbers_are_those_of_the_paper():
    table = published()
    assert table.of("IMPALA", "Pong", "lazy_enemy") == (6, 1, 10)
    assert table.of("ScoBots", "Pong", "lazy_enemy") == (17, 15, None)  # an end that is not legible
    assert table.of("C51", "Amidar", "original") is None
    assert table.expert["Pong"] == (-20.7, 14.6)


@pytest.mark.parametrize("each", SUITES, ids=lambda each: each.name)
def test_every_suite_follows_the_protocol(each):
    assert (each.seeds, each.episodes, each.steps) == ((0, 1, 2), 10, 50_000_000)
    for pair in each.pairs:
        resolved = resolve(pair.evaluate)
        settings = read_preprocessing(resolved.structure)
        assert (settings.sticky, settings.frameskip, settings.noops) == (0.25, 4, 30)
        assert (settings.actions, settings.observation, settings.depth) == ("minimal", "gray84", 4)
        assert resolved.value("action.random") == 0.001
        assert pair.train == hackatari.task_of(pair.axis)


def test_controls_are_all_levels_that_restate_a_game():
    restating = {
        (parse(env).env.partition("/")[2], axis.name, level)
        for env in envs_with_rules() for axis in variations(env) for level in axis.restates
    }  # fmt: skip
    named = set()
    for game, names in hackatari.CONTROLS.items():
        for name in names:
            [setting] = resolve(f"atari/{game}+{name}").text.settings
            named.add((game, setting.name, setting.value))
    assert named == restating


@pytest.mark.parametrize(("game", "alias", "own"), [
    ("Freeway", "stop_all_cars", "stop_all_cars_tunnel"),
    ("FishingDerby", "fish_on_different_sides", "swap_fish_sides"),
])  # fmt: skip
def test_spellings_of_the_paper_resolve(game, alias, own):
    assert axis_of(f"atari/{game}", alias).means == axis_of(f"atari/{game}", own).means


def test_a_wrong_name_of_a_suite_is_refused_with_the_nearest():
    with pytest.raises(UnknownName, match="did you mean 'hackatari/pong'"):
        suite("hackatari/pongg")
