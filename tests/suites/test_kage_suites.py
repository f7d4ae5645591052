"""The suites of KAGE-Bench against the table of its files, typed here a second time and in another form.

What a row leaves out is as in the row's train task, and that is the plain task with what the row says.
"""

import pytest

from assay.catalogue import axis_of, suite, suites
from assay.native import build_native
from assay.plans.pair_levels import changed_parameters
from assay.task_text import parse, parse_value

ENV = "platformer/run"
SK = "character.use_sprites=true character.sprite_paths=[skeleton]"
IMG1 = "background.mode=image background.image_paths=[bg-1]"
IMG3 = "background.mode=image background.image_paths=[bg-1,bg-2,bg-3]"
SIZES = "distractors.shape_types=[circle] distractors.min_size=16 distractors.max_size=16"

# suite and id: train against plain; evaluated against train. Values that are plain ones are not written: all
# skins and all pictures, 5 to 20 characters, four lights, blue, pink and gold.
TABLE = {
    "agent_appearance 1": ("", "character.shape_types=[line]"),
    "agent_appearance 2": ("", "character.shape_colors=[pink]"),
    "agent_appearance 3": ("", "character.shape_types=[line] character.shape_colors=[pink]"),
    "agent_appearance 4": ("", SK),
    "agent_appearance 5": (SK, "character.sprite_paths=[clown]"),
    "background 1": ("", "background.mode=noise"),
    "background 2": ("", "background.mode=color background.color_names=[purple]"),
    "background 3": ("", "background.mode=color background.color_names=[purple,lime,indigo]"),
    "background 4": ("background.mode=color background.color_names=[red,green,blue]",
                     "background.color_names=[purple,lime,indigo]"),
    "background 5": ("", "background.mode=image"),
    "background 6": (IMG1, "background.image_paths=[bg-128]"),
    "background 7": (IMG3, "background.image_paths=[bg-128]"),
    "background 8": (SK, "background.mode=color background.color_names=[purple]"),
    "background 9": (f"{SK} {IMG1}", "background.image_paths=[bg-128]"),
    "background 10": (f"{SK} {IMG3}", "background.image_paths=[bg-128]"),
    "distractors 1": (SK, "npc.enabled=true npc.sprite_paths=[skeleton]"),
    "distractors 2": (SK, "npc.enabled=true"),
    "distractors 3": (SK, "npc.sticky_enabled=true npc.sticky_sprite_dirs=[skeleton]"),
    "distractors 4": (SK, "npc.sticky_enabled=true"),
    "distractors 5": ("", f"distractors.enabled=true distractors.count=7 {SIZES} "
                      "distractors.shape_colors=[teal]"),
    "distractors 6": ("", f"distractors.enabled=true distractors.count=1 {SIZES} "
                      "distractors.shape_colors=[teal] character.shape_colors=[indigo]"),
    "effects 1": (f"{SK} {IMG1}", "effects.point_light_enabled=true effects.point_light_intensity=0.5"),
    "effects 2": (f"{SK} {IMG1}", "effects.point_light_enabled=true effects.point_light_falloff=4.0"),
    "effects 3": (f"{SK} {IMG1}", "effects.point_light_enabled=true"),
    "filters 1": (f"{SK} {IMG1}", "filters.brightness=1.0"),
    "filters 2": (f"{SK} {IMG1}", "filters.contrast=128.0"),
    "filters 3": (f"{SK} {IMG1}", "filters.saturation=0.0"),
    "filters 4": (f"{SK} {IMG1}", "filters.hue_shift=180.0"),
    "filters 5": (f"{SK} {IMG1}", "filters.color_jitter_std=2.0"),
    "filters 6": (f"{SK} {IMG1}", "filters.gaussian_noise_std=100.0"),
    "filters 7": (f"{SK} {IMG1}", "filters.pixelate_factor=3"),
    "filters 8": (f"{SK} {IMG1}", "filters.vignette_strength=10.0"),
    "filters 9": (f"{SK} {IMG1}", "filters.radial_light_strength=1.0"),
    "layout 1": ("", "layout.layout_colors=[red]"),
}  # fmt: skip
SIZES_OF_SUITES = {"agent_appearance": 5, "background": 10, "distractors": 6, "effects": 3, "filters": 9,
                   "layout": 1, "all": 34, "distractors-paper": 6, "dose-backgrounds": 5,
                   "dose-distractors": 8, "dose-radial-light": 5}  # fmt: skip
KAGE = [each for each in suites() if each.name.startswith("kage/")]


def row(words):
    """{"filters.contrast": 128.0} of "filters.contrast=128.0"."""
    return {name: parse_value(value) for name, _, value in (word.partition("=") for word in words.split())}


def settings(text):
    return {each.name: each.value for each in parse(text).settings}


def test_the_suites_and_how_many_pairs_each_has():
    assert {each.name.removeprefix("kage/"): len(each.pairs) for each in KAGE} == SIZES_OF_SUITES


@pytest.mark.parametrize("name", TABLE)
def test_a_pair_is_the_one_of_the_table_and_nothing_else(name):
    [pair] = [each for each in suite("kage/all").pairs if each.name == name]
    train, shift = map(row, TABLE[name])
    assert settings(pair.train) == train
    assert settings(pair.evaluate) == train | shift
    told = changed_parameters(pair.train, pair.evaluate)
    assert {each: after for each, (_, after) in told.items()} == shift
    plain = {each: axis_of(ENV, each).neutral for each in shift}
    assert {each: before for each, (before, _) in told.items()} == plain | {
        each: value for each, value in train.items() if each in shift
    }


def test_all_pairs_are_there_in_order_and_each_in_its_suite():
    assert [pair.name for pair in suite("kage/all").pairs] == list(TABLE)
    for axis in list(SIZES_OF_SUITES)[:6]:
        mine = [pair for pair in suite("kage/all").pairs if pair.name.rpartition(" ")[0] == axis]
        assert list(suite(f"kage/{axis}").pairs) == mine


@pytest.mark.parametrize("each", KAGE, ids=lambda each: each.name)
def test_only_looks_change(each):
    for pair in each.pairs:
        touched = {part for name in changed_parameters(pair.train, pair.evaluate)
                   for part in axis_of(ENV, name).components}  # fmt: skip
        assert touched <= {"observation"}


def test_every_task_loads_and_shows_a_picture():
    texts = {text for each in KAGE for pair in each.pairs for text in (pair.train, pair.evaluate)}
    for text in sorted(texts):
        assert build_native(text).spaces["observation"].shape == (128, 128, 3), text


def test_the_papers_own_story_of_distractors_6_leaves_the_agent_as_it_is():
    pair = suite("kage/distractors-paper").pairs[-1]
    assert pair.name == "distractors 6-paper" and settings(pair.train) == {}
    assert "character.shape_colors" not in settings(pair.evaluate)
    assert settings(pair.evaluate)["distractors.shape_colors"] == ("indigo",)
    assert suite("kage/distractors-paper").pairs[:5] == suite("kage/distractors").pairs[:5]


def test_doses_train_on_one_task_and_go_up():
    black, *_, most = suite("kage/dose-backgrounds").pairs
    assert settings(black.evaluate)["background.color_names"] == ("black",)
    assert settings(most.evaluate)["background.color_names"] == ("black", "white", "red", "green", "blue")
    counts = [settings(pair.evaluate).get("distractors.count", 0)
              for pair in suite("kage/dose-distractors").pairs]  # fmt: skip
    assert counts == [0, 1, 2, 3, 5, 7, 9, 11]
    light = suite("kage/dose-radial-light").pairs
    assert [settings(pair.evaluate).get("filters.radial_light_strength", 0.0) for pair in light] == [
        0.0, 0.25, 0.5, 0.75, 1.0,
    ]  # fmt: skip
    assert settings(light[0].train) == row(f"{SK} {IMG1}")
    for name in ("dose-backgrounds", "dose-distractors", "dose-radial-light"):
        assert len({pair.train for pair in suite(f"kage/{name}").pairs}) == 1


def test_budget_seeds_and_episodes_are_the_published_ones():
    assert {(each.steps, len(each.seeds), each.episodes, each.rollouts) for each in KAGE} == {
        (25_000_000, 10, 128, True)
    }


def test_what_changes_is_nothing_between_two_envs_or_one_task():
    assert changed_parameters(ENV, "toy/discrete+delay=4") == {} and changed_parameters(ENV, ENV) == {}
    assert changed_parameters("toy/discrete+delay=4", "toy/discrete+delay=4@sudden:9") == {
        "delay": [4, "4@sudden:9"]
    }
