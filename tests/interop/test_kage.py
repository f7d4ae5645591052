"""KAGE-Env's files: every key in and out, what is left out, and what is refused."""

import pytest
import yaml

import assay
from assay.errors import AssayError
from assay.interop.kage import from_kage, to_kage

SHIPPED = "platformer/run+preset=kage-default"


def test_a_whole_file_has_the_93_published_keys():
    config = to_kage(SHIPPED)
    keys = {k for k, v in config.items() if not isinstance(v, dict)}
    keys |= {f"{g}.{k}" for g, inner in config.items() if isinstance(inner, dict) for k in inner}
    beyond = {"npc.sticky_y_randomize", "filters.radial_light_color", "layout.min_height",
              "layout.max_height", "physics.coyote_time", "physics.ground_accel", "physics.air_accel",
              "physics.ground_snap_dist",
              "camera.left_margin", "camera.right_margin"}  # fmt: skip
    assert len(keys - beyond) == 93 and beyond <= keys


@pytest.mark.parametrize("more", ["", "+physics.gravity=0.5",
                                  "+background.mode=color+background.color_names=[red]",
                                  "+background.mode=image+background.image_paths=[bg-1,bg-2]",
                                  "+character.use_sprites+character.sprite_paths=[skeleton]",
                                  "+filters.hue_shift=180+layout.layout_colors=[red,lime]"])  # fmt: skip
def test_out_and_in_is_the_same_task(more, tmp_path):
    text = assay.task(f"platformer/run{more}")
    to_kage(text, tmp_path / "task.yaml")
    again = from_kage(tmp_path / "task.yaml")
    assert set(map(str, again.settings)) == set(map(str, text.settings))
    assert from_kage(yaml.safe_load((tmp_path / "task.yaml").read_text())) == again


def test_what_a_file_leaves_out_is_as_shipped_or_as_in_the_code():
    assert from_kage({}) == from_kage(to_kage(SHIPPED))
    in_code = from_kage({"physics": {"gravity": 0.75}}, omitted="code")
    values = {s.name: s.value for s in in_code.settings}
    assert values["physics.move_speed"] == 3 and values["physics.jump_force"] == -6.0
    assert "physics.gravity" not in values and "background.mode" not in values
    assert ("layout.length" in values) is False
    shorter = from_kage({"layout": {"p_change": 0.7}}, omitted="code")
    assert {s.name: s.value for s in shorter.settings}["layout.length"] == 128


def test_paths_mean_ours_or_those_of_a_folder():
    config = {"background": {"image_path": "src/kage/assets/backgrounds/bg-7.jpeg"}}
    assert "background.image_paths=[bg-7]" in str(from_kage(config))
    assert "/mine/backgrounds/bg-7.jpeg" in str(from_kage(config, assets="/mine"))
    assert "/there/x.png" in str(from_kage({"background": {"image_paths": ["/there/x.png"]}}))


@pytest.mark.parametrize("config, says", [
    ({"layout": {"lenght": 3}}, "did you mean 'layout.length'"),
    ({"physics": {"gravity": 9}}, "from 0.1 to 1"),
    ({"physics": 9}, "a group of keys"),
    ({"physics": {"move_speed": 1.5}}, "whole number"),
    ({"physics": {"move_speed": 1, "max_speed_x": 2}}, "the same twice"),
    ({"character": {"use_sprites": True, "use_shape": True}}, "exactly one"),
    ({"background": {"image_dir": "assets/backgrounds", "image_path": "assets/x.png"}}, "two sources"),
    ({"npc": {"sprite_paths": [3]}}, "takes a path"),
    ("nowhere.yaml", "YAML file or a dict"),
])  # fmt: skip
def test_what_cannot_be_honoured_is_refused(config, says):
    with pytest.raises(AssayError, match=says):
        from_kage(config)


@pytest.mark.parametrize("text, says", [
    ("toy/discrete", "no platformer"),
    ("platformer/run+action.sticky=0.25", "cannot hold"),
    ("platformer/run+physics.gravity=0.5@sudden:10", "cannot hold"),
    ("platformer/run+layout.heights=[10]", "no key for layout.heights"),
])  # fmt: skip
def test_a_task_beyond_kage_has_no_file(text, says):
    with pytest.raises(AssayError, match=says):
        to_kage(text)
