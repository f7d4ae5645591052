"""`assay show --sheet` and `--gif`."""

import json
import shlex

import numpy as np
import pytest
from calling import one_sentence, run, works
from PIL import Image

from assay.cli import pictures
from assay.cli.pictures import (
    Asked,
    actions_for,
    animation_scale,
    beside,
    change_in_words,
    films,
    suite_sheet,
    task_sheet,
)
from assay.errors import NotApplicable
from assay.interop.film import Film
from assay.interop.gymnasium import make
from assay.report.sheet import draw_sheet, lay_out
from assay.suites.suite import Pair, Suite
from assay.task_text import parse

SIZE = "+image_width=32+image_height=32"
GRID = "toy/grid+image_representations"
SMALL = GRID + SIZE


def cells_of(sheet, page, row):
    """The pictures of a row, as they stand on the page."""
    step, found = sheet.scale, []
    for cell, (left, top) in zip(sheet.rows[row].cells, lay_out(sheet).places[row]):
        high, wide = (step * side for side in cell.picture.shape[:2])
        found.append(np.asarray(page)[top : top + high : step, left : left + wide : step])
    return found


class TestWhichTasks:
    @pytest.mark.parametrize("text, plain", [
        (f"{GRID}+observation.flip", GRID),
        (f"{GRID}+image_width=64", GRID),
        (f"{GRID}+grid_shape=[4,4]+observation.flip", GRID),
        ("toy/discrete+action_space_size=6+image_representations+delay=2",
         "toy/discrete+action_space_size=6+image_representations"),
        (GRID, None),
    ])  # fmt: skip
    def test_the_plain_task_has_pictures_and_the_same_actions(self, text, plain):
        assert [str(each) for each in beside([text])] == [*filter(None, [plain]), text]

    def test_an_axis_without_a_level_stands_for_all_its_levels(self):
        found = [str(text) for text in beside([f"{SMALL}+observation.shift+delay=2"])]
        assert found == [
            f"{SMALL}+delay=2",
            f"{SMALL}+observation.shift=4+delay=2",
            f"{SMALL}+observation.shift=16+delay=2",
        ]

    def test_a_switch_has_one_level(self):
        assert len(beside([f"{SMALL}+observation.flip"])) == 2

    def test_two_tasks_stand_as_they_are(self):
        assert list(map(str, beside([SMALL, f"{SMALL}+delay=2"]))) == [SMALL, f"{SMALL}+delay=2"]


class TestWhoActs:
    def test_random_actions_are_those_of_the_seed(self):
        text = parse(SMALL)
        asked = Asked(seed=3, steps=20)
        assert actions_for(text, asked) == actions_for(text, asked) != actions_for(text, Asked(4, 20))

    def test_a_list_is_played_in_turn(self):
        assert actions_for(parse(SMALL), Asked(steps=5, policy="[1,2]")) == [1, 2, 1, 2, 1]

    def test_actions_of_several_numbers(self):
        found = actions_for(parse("toy/continuous+image_representations"), Asked(policy="[[0.5,-0.5]]"))
        assert found[0].dtype == np.float32 and found[0].tolist() == [0.5, -0.5]

    def test_the_platformer_runs_and_jumps(self):
        found = actions_for(parse("platformer/run"), Asked(steps=50))
        assert set(found) == {2, 6} and found.count(6) == 2


class TestSheets:
    def test_plain_cells_are_the_plain_frames(self):
        texts = beside([f"{SMALL}+observation.shift"])
        asked = Asked(seed=1, steps=6)
        sheet, written = task_sheet(texts, asked)
        assert written.moments[0] == 0 and len(written.moments) == len(sheet.headings) == pictures.MOMENTS
        env = make(SMALL)
        seen = [env.reset(seed=1)[0]]
        for action in actions_for(texts[0], asked):
            seen.append(env.step(action)[0])
        for step, cell in zip(written.moments, cells_of(sheet, draw_sheet(sheet), row=0)):
            assert np.array_equal(cell, seen[step].swapaxes(0, 1))

    def test_a_suite_has_a_row_for_each_pair(self):
        train, evaluate = SMALL, f"{SMALL}+observation.flip"
        chosen = Suite("mine", 1, "", (Pair(train, evaluate), Pair(train, train)), (0,), 1)
        sheet, written = suite_sheet(chosen, Asked(steps=6))
        assert len(sheet.rows) == 2
        assert all(len(row.cells) == len(sheet.headings) == 2 * len(written.moments) for row in sheet.rows)
        shots = films([parse(train), parse(evaluate)], Asked(steps=6))
        cells = cells_of(sheet, draw_sheet(sheet), row=0)
        for i, step in enumerate(written.moments):
            for side, shot in enumerate(shots):
                assert np.array_equal(cells[2 * i + side], shot.at(step))

    @pytest.mark.parametrize("train, evaluate, says", [
        (GRID, GRID, GRID),
        (GRID, f"{GRID}+delay=2", f"{GRID} -> +delay=2"),
        (f"{GRID}+delay=1", f"{GRID}+delay=2", f"{GRID}+delay=1 -> +delay=2"),
        (f"{GRID}+delay=1", GRID, f"{GRID}+delay=1 -> {GRID}"),
    ])  # fmt: skip
    def test_a_pair_is_told_by_what_changes(self, train, evaluate, says):
        assert change_in_words(parse(train), parse(evaluate)) == says

    def test_pairs_of_one_task_are_shown_once(self):
        chosen = Suite("mine", 1, "", (Pair(SMALL, SMALL),), (0,), 1)
        sheet, written = suite_sheet(chosen, Asked(steps=6))
        assert len(sheet.rows[0].cells) == len(written.moments)

    def test_a_shorter_episode_says_that_it_is_over(self):
        text = "toy/discrete+image_representations"
        sheet, _ = task_sheet([parse(text)], Asked(seed=1))
        assert sheet.rows[0].cells[0].note == "" and "over at" in sheet.rows[0].cells[-1].note


def test_animations_are_bounded():
    shots = [Film(np.zeros((121, 128, 128, 3), np.uint8), False)] * 2
    assert animation_scale(shots, 121) == 2
    assert animation_scale(shots, 500) == 1
    with pytest.raises(NotApplicable, match="of 2001 frames is too large; ask for --steps 609"):
        animation_scale(shots, 2001)


class TestCommand:
    def test_sheet_and_gif_together(self, tmp_path):
        words = [f"{SMALL}+observation.flip", "--steps", 6, "--seed", 2, "--json"]
        told = json.loads(works("show", *words, "--sheet", tmp_path / "a.png", "--gif", tmp_path / "a.gif"))
        assert [each["path"] for each in told] == [str(tmp_path / "a.png"), str(tmp_path / "a.gif")]
        assert told[0]["tasks"] == [GRID, f"{SMALL}+observation.flip"] and told[0]["seed"] == 2
        with Image.open(tmp_path / "a.gif") as found:
            assert found.n_frames == len(told[1]["moments"]) == 7
            assert found.info["duration"] == pictures.MILLISECONDS
        with Image.open(tmp_path / "a.png") as found:
            assert found.width > 5 * 100

    def test_a_suite_file(self, tmp_path):
        (tmp_path / "mine.yaml").write_text(
            f"pairs: [{{train: '{SMALL}', evaluate: '{SMALL}+observation.flip'}}]\n"
        )
        said = works("show", tmp_path / "mine.yaml", "--steps", 6, "--sheet", tmp_path / "a.png")
        assert "2 tasks at 3 moments, steps 0 to 6" in said

    @pytest.mark.parametrize("words, says", {
        "toy/discrete --sheet a.png": "toy/discrete has no pictures; add image_representations.",
        "toy/discrete+image_representations --sheet a.jpg": "a.jpg must end in .png",
        "toy/discrete+image_representations --gif a.png": "a.png must end in .gif",
        "toy/discrete+image_representations --sheet nowhere/a.png": "there is no folder nowhere",
        "playground/image-transforms": "is a suite; add --sheet FILE.png",
        "playground/image-transfroms --sheet a.png": "did you mean 'playground/image-transforms'",
        "playground/image-transforms --gif a.gif": "is a suite, too much for an animation",
        "playground/delay --sheet a.png": "toy/discrete has no pictures",
        "toy/grid toy/grid": "two tasks are shown as pictures; add --sheet",
        "toy/grid --policy random": "--policy is for pictures",
        f"{GRID} {GRID} {GRID} --sheet a.png": "one task is shown, or two",
        f"{GRID} toy/discrete+image_representations --sheet a.png": "takes other actions than",
        f"{GRID}+delay+image_width --sheet a.png": "both stand without a level",
        f"{GRID} --policy 9 --sheet a.png": "takes actions of Discrete(5), not 9",
        f"{GRID} --policy [] --sheet a.png": "not nothing; try --policy random",
        f"{GRID} --steps 5000 --sheet a.png": "up to 2000 steps, not 5000",
        f"{GRID} --seed {2**64} --sheet a.png": "a seed is a whole number",
    }.items())  # fmt: skip
    def test_bad_input_is_one_sentence(self, words, says, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        assert says in one_sentence(run("show", *shlex.split(words)))
        assert not list(tmp_path.iterdir())

    def test_the_card_of_a_task_with_pictures_says_how_to_see_them(self):
        assert "--sheet FILE.png" in works("show", "toy/discrete+image_representations", "--steps", 2)
        assert "--sheet" not in works("show", "gym/CartPole-v1", "--steps", 2)
