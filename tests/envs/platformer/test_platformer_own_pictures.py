"""A user's own images and skins in the frame, and settings that are refused before anything runs."""

from dataclasses import replace

import jax
import numpy as np
import pytest
from PIL import Image
from platformer_filming import BASE, KEY, Studio, sights

from assay.envs.platformer import art
from assay.envs.platformer.folders import Skin
from assay.envs.platformer.npc_motion import Npcs
from assay.errors import AssayError, WrongLevel
from assay.native import build_native

RNG = np.random.default_rng(0)


def save(path, shape):
    """A picture of random bytes, and those bytes; with a fourth channel it is see-through in part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pixels = RNG.integers(0, 256, shape, dtype=np.uint8)
    Image.fromarray(pixels).save(path)
    return pixels


def lanczos(pixels, width, height):
    return np.asarray(Image.fromarray(pixels).resize((width, height), Image.LANCZOS))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("own")


class TestImages:
    @pytest.mark.parametrize("more", ["", "+background.tile_horizontal=false"])
    def test_the_first_sets_the_size_of_all(self, folder, more):
        # 50 x 100 becomes 64 x 128: narrower than the screen, it is seen twice.
        shapes = {"a": (100, 50, 3), "b": (30, 200, 3), "c": (128, 64, 3)}
        found = [save(folder / "narrow" / f"{name}.png", shape) for name, shape in shapes.items()]
        images = [lanczos(found[0], 64, 128), lanczos(found[1], 64, 128), found[2]]
        text = f'{BASE}+background.mode=image+background.image_dir="{folder}/narrow"{more}'
        one = Studio(text, images=images)
        for i, world in enumerate(sights()):
            one.check(world.state, one.scene(world, background=np.int32(i % 3)))

    def test_wide_ones_and_ours_beside_them(self, folder):
        wide = save(folder / "wide.png", (64, 300, 3))  # 600 x 128
        one = Studio(f'{BASE}+background.mode=image+background.image_paths=["{folder}/wide.png",bg-7]',
                     images=[lanczos(wide, 600, 128), lanczos(art.backgrounds()[6], 600, 128)])  # fmt: skip
        for i, world in enumerate(sights()):
            one.check(world.state, one.scene(world, background=np.int32(i % 2)))


class TestSkins:
    @pytest.fixture(scope="class")
    @classmethod
    def own(cls, folder):
        """Two skins: one with idle and walk frames, half see-through; one wide, its frames of two sizes."""
        named = [save(folder / "skins" / "a" / f"{name}.png", (20, 11, 4))
                 for name in ("idle_0", "walk_0", "walk_1", "walk_2")]  # fmt: skip
        loose = [save(folder / "skins" / "b" / f"{i}.png", (30, 51, 4)) for i in range(2)]
        loose.append(save(folder / "skins" / "b" / "2.png", (9, 4, 4)))
        return [Skin(named[:1], named[1:]), Skin(loose, loose)]

    @pytest.mark.parametrize("how", ["none", "kage"])
    def test_frames_of_other_sizes_stand_where_they_should(self, folder, own, how):
        where = f'dir="{folder}/skins"'
        text = f"{BASE}+character.use_sprites+character.sprite_{where}+npc.enabled+npc.sprite_{where}"
        one = Studio(f"{text}+npc.sticky_enabled+npc.sticky_sprite_{where}+compat={how}", skins=own)
        for i, world in enumerate(sights()):
            scene, camera = one.scene(world), int(world.state.camera_x)
            # Some so far out that only a part of the wide one is still seen.
            x = np.resize(np.array([-24, -17, 0, 60, 127, 140, 150], np.int32), 20) + camera
            slots = np.arange(20, dtype=np.int32)
            npcs = Npcs(np.maximum(x, 0), slots + 50, slots % 2, slots % 3, np.float32(0))
            sticky = replace(scene.sticky, skin=scene.sticky.skin % 2, y=np.trunc(scene.sticky.y))
            scene = replace(scene, skin=np.int32(i % 2), frame=np.int32(i % 3), npcs=npcs, sticky=sticky)
            for speed in (0, 1):
                one.check(replace(world.state, vx=np.float32(speed)), scene)


@pytest.mark.parametrize("more", [
    "npc.enabled+npc.max_npc_count=0+npc.min_npc_count=0", "distractors.enabled+distractors.count=0",
    "npc.sticky_enabled+npc.max_sticky_count=0+npc.min_sticky_count=0",
])  # fmt: skip
def test_nobody_is_a_crowd_too(more):
    seen, _ = jax.eval_shape(build_native(f"{BASE}+{more}").reset, KEY)
    assert seen.shape == (128, 128, 3)


SPRITES, IMAGES = "character.use_sprites+character.", "background.mode=image+background."


@pytest.mark.parametrize("more, says", [
    ("filters.brightnes=0.5", "did you mean 'filters.brightness'"),
    ("brightness=0.5", "did you mean 'filters.brightness'"),
    ("background.mod=image", "did you mean 'background.mode'"),
    ("filters.brightness=2", "from -1 to 1"),
    ("filters.pixelate_factor=0", "whole number from 1 to 64"),
    ("filters.gamma=0.1", "from 0.5 to 2"),
    ("effects.point_light_enabled+effects.point_light_count=6", "from 1 to 5"),
    ("npc.enabled+npc.animation_fps=0", "from 0.1 to 60"),
    ("character.use_sprites+character.use_shape", "a sprite or a shape, not both"),
    ("character.use_sprites+character.shape_types=[star]", "acts only with character.use_sprites=false"),
    ("character.shape_types=[circel]", "did you mean 'circle'"),
    ("character.shape_types=[]", "name at least one"),
    ("layout.layout_colors=[cian]", "did you mean 'cyan'"),
    (SPRITES + "sprite_paths=[skeletn]", "character.sprite_paths names skeletn.*did you mean 'skeleton'"),
    (SPRITES + 'sprite_dir="{folder}/nowhere"', "character.sprite_dir asks for a folder"),
    (SPRITES + 'sprite_dir="{folder}/bare"', "holds no skins"),
    (SPRITES + 'sprite_paths=["{folder}/bare"]', "holds no images for character.sprite_paths"),
    ('npc.enabled+npc.sprite_dir="{folder}/outer"', "holds no images for npc.sprite_dir"),
    ('npc.sticky_enabled+npc.sticky_sprite_dirs=["{folder}/nowhere"]', "npc.sticky_sprite_dirs names"),
    (IMAGES + 'image_dir="{folder}/nowhere"', "background.image_dir asks for a folder"),
    (IMAGES + 'image_dir="{folder}/bare"', "holds no images for background.image_dir"),
    (IMAGES + "image_paths=[bg-129]", "background.image_paths names bg-129"),
    (IMAGES + 'image_paths=["{folder}/bare"]', "there is no image file"),
    (IMAGES + 'image_paths=["{folder}/broken.png"]', "cannot be read as an image"),
    ("background.image_paths=[bg-1]", "acts only with background.mode=image"),
    ("W=512+layout.length=256", "256 columns"),
    ("H=20+distractors.enabled", "at least 32"),
    ("npc.enabled+npc.min_npc_count=21", "above npc.max_npc_count=20"),
])  # fmt: skip
def test_what_cannot_be_shown_is_refused_in_one_sentence(folder, more, says):
    (folder / "bare").mkdir(exist_ok=True)
    (folder / "outer" / "inner").mkdir(parents=True, exist_ok=True)
    (folder / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n nothing more")
    with pytest.raises(AssayError, match=says) as refused:
        build_native(f"{BASE}+{more}".format(folder=folder))
    assert "\n" not in str(refused.value) and str(refused.value)[-1] in ".?"


@pytest.mark.parametrize(
    "more", ["background.mode=image+background.image_paths=[]", "npc.enabled+npc.sprite_paths=[]"]
)
def test_an_empty_list_is_refused(more):
    with pytest.raises(WrongLevel, match="is empty; name at least one"):
        build_native(f"{BASE}+{more}")
