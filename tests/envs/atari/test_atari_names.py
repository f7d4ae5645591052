"""Every name of the original resolves, as it is written; and what comes with assay is whole."""

from pathlib import Path

import pytest

import assay
from assay.catalogue import axis_of, env_entry
from assay.cli.check import members_besides
from assay.envs.atari.games import RULES, game_of, games, games_with_rules
from assay.envs.atari.rule_compiler import ACTIONS
from assay.envs.atari.rulefile import DIRECTIONS
from assay.errors import WrongLevel
from assay.proof.certificate import shipped_certificates, standing
from assay.proof.inside import own_axes

PUBLISHED = {
    game: names.split()
    for game, _, names in (
        line.partition(": ")
        for line in (Path(__file__).parent / "names.txt").read_text().splitlines()
        if ": " in line
    )
    if not game.startswith("#")
}
SPELLINGS = {  # of the paper, the list and older code -> the variation and, of a family, its value
    "Amidar": {"change_enemy": "pig_enemies", "change_player": "paint_roller_player"},
    "Boxing": {"switch_position": "switch_positions"},
    "Breakout": {"sample_new_block_color": "sample_new_brick_colors"},
    "Carnival": {"missile_speed_faster_increase": "missile_speed_large_increase"},
    "FishingDerby": dict.fromkeys(("fish_on_different_sides", "fished_on_each_sides2"), "swap_fish_sides"),
    "Freeway": {"stop_all_cars": "stop_all_cars_tunnel"},
    "Kangaroo": {f"change_level{n + 1}": f"change_level_{n}" for n in range(3)},
    "KungFuMaster": {"infinite_time": "unlimited_time", "infinite_lives": "unlimited_lives"},
    "NameThisGame": {"endless_oxygen": "unlimited_oxygen", "infinite_lives": "unlimited_lives",
                     "octopus_rest": "octopus_reset"},
    "Riverraid": {"game_color_change_1": "game_color_change01",
                  "object_color_change_2": "object_color_change02"},
    "Tennis": {"upper_pitches": "always_upper_pitches", "lower_pitches": "always_lower_pitches",
               "upper_player": "always_upper_player", "lower_player": "always_lower_player"},
    "YarsRevenge": {"static_enemy_position": "static"},
}  # fmt: skip


def test_all_299_are_here():
    assert sum(map(len, PUBLISHED.values())) == 299 and len(PUBLISHED) == 37


@pytest.mark.parametrize("game", PUBLISHED)
def test_every_published_name_resolves(game):
    for name in PUBLISHED[game]:
        axis = axis_of(f"atari/{game}", name)
        assert axis.direction in DIRECTIONS and axis.means
        assert str(assay.task(f"atari/{game}+{name}")) == f"atari/{game}+{name}"


@pytest.mark.parametrize("game", SPELLINGS)
def test_other_spellings_are_the_same_rules(game):
    rules = game_of(f"atari/{game}")
    for other, name in SPELLINGS[game].items():
        assert rules.compile(other, True).cells == rules.compile(name, True).cells
        assert rules.compile(other, True).constants == rules.compile(name, True).constants


@pytest.mark.parametrize("game", games_with_rules())
def test_a_rule_file_is_of_its_game(game):
    file = games()[game].file
    assert file.game == game and file.variations
    for variation in file.variations.values():
        assert variation.means[0].islower() or variation.means[0].isdigit(), variation.name
        assert not variation.means.endswith("."), variation.name


def test_ten_games_more_than_the_original():
    new = [game for game in games_with_rules() if game not in PUBLISHED]
    assert len(new) >= 10
    for game in new:
        assert len(games()[game].variations) >= 2
        assert "HackAtari" not in {v.origin for v in games()[game].variations.values()}


def test_a_value_and_its_name_are_the_same_game():
    by_value = game_of("atari/Boxing").compile("color_player", "red")
    assert by_value is game_of("atari/Boxing").compile("color_player_red", True)


ENDING = {3, 5, 7}  # modes of DemonAttack in which the emulator ends the game at once


def test_a_mode_that_ends_at_once_is_refused():
    with pytest.raises(WrongLevel, match="mode takes one of 1 "):
        assay.make("atari/DemonAttack+mode=3")


def test_the_table_of_games_is_the_emulators():
    ale_py = pytest.importorskip("ale_py")
    from assay.envs.atari.emulator import Emulator

    supported = [rom for rom in ale_py.roms.get_all_rom_ids()
                 if ale_py.ALEInterface.isSupportedROM(str(ale_py.roms.get_rom_path(rom)))]  # fmt: skip
    assert sorted(supported) == sorted(game.rom for game in games().values())
    for game in [*list(games().values())[::9], games()["DemonAttack"]]:
        emulator = Emulator(game.rom, game.name)
        left_out = set(emulator.ale.getAvailableModes()) - set(game.modes)
        assert left_out == (ENDING if game.name == "DemonAttack" else set())
        assert list(emulator.ale.getAvailableDifficulties()) == list(game.difficulties)
        assert len(emulator.actions(full=False)) == game.actions
        assert (ACTIONS.index("FIRE") in emulator.actions(full=False)) == game.fire
        emulator.reset()
        assert emulator.lives() <= game.lives


OWN = [(f"atari/{game}", name) for game in games_with_rules() for name in own_axes(f"atari/{game}")]


@pytest.mark.parametrize("game", games_with_rules())
def test_every_variation_has_a_certificate_of_this_code(game, pending):
    env = f"atari/{game}"
    for name in own_axes(env):
        wanted = "not applicable" if axis_of(env, name).refuses else "proved"
        stale = {"unproved"} if "atari" in pending else set()
        found = standing(env, axis_of(env, name))
        assert found in {wanted} | stale, f"{env}+{name}: run `assay check atari --write`"


def test_no_certificate_is_left_of_a_variation_that_is_gone(pending):
    known = {*OWN, *(("atari/Pong", axis.name) for axis in assay.variations("atari/Pong"))}
    assert ("atari/Alien", "life_loss") in members_besides(["atari"])  # for Pong has no lives
    known |= set(members_besides(["atari"]))
    if "atari" in pending:
        return
    assert standing("atari/Alien", axis_of("atari/Alien", "life_loss")) == "proved"
    assert {key for key in shipped_certificates() if key[0].startswith("atari/")} == known


def test_at_least_285_are_felt_and_honestly_declared():
    found = 0
    for game, names in PUBLISHED.items():
        for name in names:
            env, (variation, value) = f"atari/{game}", games()[game].variation_of(name)
            certificate = shipped_certificates()[env, variation.name]
            control = (True if value is None else value) in variation.restates
            found += certificate.holds and "applies" not in certificate.laws and not control
    assert found >= 285


@pytest.mark.parametrize("number", range(4))
def test_a_rotating_sample_is_proved_again(number, pending):
    """Another handful every day; `assay check atari` proves all of them."""
    from datetime import date

    from assay.proof.inside import check

    pytest.importorskip("ale_py")
    place = (date.today().toordinal() * 4 + number) * 37 % len(OWN)
    env, name = OWN[place]
    new = check(env, name)
    assert new.holds, new.sentence()
    if "atari" not in pending:
        old = shipped_certificates()[env, name]
        assert new.shares == old.shares and new.levels == old.levels


def test_the_rules_are_shipped_with_the_package():
    text = (Path(__file__).parents[3] / "pyproject.toml").read_text()
    assert "envs/atari/variations/*.yaml" in text
    assert env_entry("atari/Pong").axes and RULES.is_dir()
