"""Games on the command line: lists, rule files, recorded starts, what differs in a picture."""

import json

import pytest
from PIL import Image
from typer.testing import CliRunner

from assay.cli.main import app
from assay.cli.pictures import Asked, beside, task_sheet

pytest.importorskip("ale_py")

MINE = """
game: Pong
cells: {ball_x: 49}
variations:
  blink:
    means: the ball hops
    direction: harder
    touches: [transition]
    frame: [{when: frame % 60 == 59 and ball_x > 100, set: {ball_x: ball_x - 10}}]
"""


def said(*arguments, code=0):
    done = CliRunner().invoke(app, list(arguments))
    assert done.exit_code == code, done.output
    return done.output


def test_list_filters_by_direction_and_controls():
    harder = json.loads(said("list", "atari/Pong", "--direction", "harder", "--json"))["axes"]
    assert {axis["direction"] for axis in harder} == {"harder"} and "up_drift" in {a["name"] for a in harder}
    controls = json.loads(said("list", "atari/Boxing", "--controls", "--json"))["axes"]
    assert controls and all(axis["restates"] for axis in controls)
    without = json.loads(said("list", "atari/Boxing", "--no-controls", "--json"))["axes"]
    assert without and not any(axis["restates"] for axis in without)
    assert "no direction is called 'hard'" in said("list", "atari/Pong", "--direction", "hard", code=2)
    assert "say of which env" in said("list", "--controls", code=2)


def test_list_names_every_game():
    rows = json.loads(said("list", "atari", "--json"))["envs"]
    assert len(rows) == 105 and {"atari/Pong", "atari/MsPacman"} <= {row["name"] for row in rows}


def test_unknown_games_and_variations_end_with_2():
    assert "did you mean 'lazy_enemy'" in said("show", "atari/Pong+lazy_enmy", code=2)
    assert "did you mean 'Pong'" in said("list", "atari/Pnog", code=2)
    assert "does not support the ROM" in said("show", "atari/Joust", code=2)
    assert "mode takes one of 0, 1" in said("show", "atari/Pong+mode=9", code=2)


def test_rule_files_of_ones_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.yaml").write_text(MINE)
    assert "mine.yaml: Pong, 1 variation, nothing wrong" in said("atari", "lint", "mine.yaml")
    (tmp_path / "wrong.yaml").write_text(MINE.replace("ball_x - 10", "bal_x - 10"))
    assert "wrong.yaml, line 9, column 69: nothing is called 'bal_x'" in said(
        "atari", "lint", "wrong.yaml", code=2
    )
    assert "did you mean 'blink'" in said("show", "atari/Pong+mine.yaml:blnk", code=2)
    assert "is about Pong, not Boxing" in said("show", "atari/Boxing+mine.yaml:blink", code=2)
    assert "no rule file 'none.yaml'" in said("show", "atari/Pong+none.yaml:blink", code=2)


def test_starts_are_recorded(tmp_path):
    path = tmp_path / "pong.npz"
    assert "3 states of atari/Pong" in said("atari", "starts", "atari/Pong", str(path), "--count", "3")
    assert path.is_file()
    assert "must be a file that ends in .npz" in said("atari", "starts", "atari/Pong", "x.txt", code=2)
    assert "not 'record'" in said("atari", "record", "atari/Pong", "x.npz", code=2)


def test_a_sheet_outlines_what_differs(tmp_path):
    path = tmp_path / "boxing.png"
    said("show", "atari/Boxing+color_player=red", "--sheet", str(path), "--steps", "8")
    colours = Image.open(path).convert("RGB").getcolors(10**6)
    assert (255, 0, 255) in {colour for _, colour in colours}
    gif = tmp_path / "boxing.gif"
    said("show", "atari/Boxing+color_player=red", "--gif", str(gif), "--steps", "5")
    assert Image.open(gif).n_frames == 6


def test_a_sheet_of_objects_shows_boxes_and_compares_no_pixels():
    sheet, _ = task_sheet(beside(["atari/Pong+observation=objects"]), Asked(steps=8))
    plain, objects = sheet.rows
    assert objects.label.endswith("player red, enemy cyan, ball yellow") and plain.label == "atari/Pong"
    assert not any(cell.note for cell in objects.cells) and "magenta" not in sheet.title
    assert (plain.cells[-1].picture != objects.cells[-1].picture).any()


@pytest.mark.slow
def test_a_card_says_where_pictures_first_differ():
    found = said("show", "atari/Pong+lazy_enemy", "--steps", "3")
    assert "the pictures first differ at step 14, in 0.19% of their pixels (seed 0)" in found
