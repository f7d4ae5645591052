"""The pages of Atari games."""

import pytest

from assay.envs.atari.games import games_with_rules
from assay.proof.inside import own_axes
from assay.suites.hackatari import PAPER_32
from tools.docs import game_pages

pytest.importorskip("ale_py")


def test_every_game_of_the_suites_is_described_and_every_description_is_of_a_game():
    assert set(PAPER_32) <= set(game_pages.words()) <= set(games_with_rules())
    for game, told in game_pages.words().items():
        assert set(told) == {"about", "keys", "scoring"} and all(told.values()), game


@pytest.mark.parametrize("game", ["Pong", "Alien"])
def test_a_page_has_every_variation_once(game):
    rows = [line for line in game_pages.page(game).splitlines() if line.startswith("| `")]
    assert [row.split("`")[1] for row in rows] == list(own_axes(f"atari/{game}"))
    assert (game_pages.NO_WORDS in game_pages.page(game)) == (game == "Alien")


def test_what_a_variation_changes_is_read_from_its_rules():
    table = {line.split("`")[1]: line.split(" | ") for line in game_pages.page("Pong").splitlines()
             if line.startswith("| `")}  # fmt: skip
    assert table["lazy_enemy"][2] == "RAM" and table["point_cancel"][2] == "RAM, reward"
    assert table["blackout_left"][2] == "picture" and table["hide_ball"][2] == "RAM for the picture"


def test_a_stale_page_and_a_stray_one_are_named(tmp_path, capsys):
    game_pages.main(str(tmp_path))
    assert game_pages.main(str(tmp_path), check=True) == 0
    (tmp_path / "Pong.md").write_text("old")
    (tmp_path / "Pinball.md").write_text("stray")
    assert game_pages.main(str(tmp_path), check=True) == 1
    assert "Pong.md, Pinball.md" in capsys.readouterr().out


@pytest.mark.slow
def test_pictures_are_drawn_beside_the_page(tmp_path):
    game_pages.draw(tmp_path, ["Amidar"])
    drawn = {path.name for path in tmp_path.glob("*.png")}
    assert drawn == {f"Amidar-{name}.png" for name in own_axes("atari/Amidar")}
    assert all(f"]({name})" in (tmp_path / "Amidar.md").read_text() for name in drawn)
