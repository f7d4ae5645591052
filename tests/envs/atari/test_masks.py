"""Blackouts: exact rectangles in every kind of picture, at the probability that the task states."""

import numpy as np
import pytest

import assay
from assay.envs.atari.emulator import Emulator
from assay.envs.atari.game_table import grays, palette
from assay.envs.atari.games import games
from assay.envs.atari.masks import paint_masks
from assay.envs.atari.resize import shrink_picture
from assay.envs.atari.rule_records import Mask
from assay.envs.atari.rule_yaml import BadRules
from assay.envs.atari.rulefile import read_rules
from tests.envs.atari.stori_play import host_of
from tools.atari_palette import read_palette

pytest.importorskip("ale_py")
STORI = ("Breakout", "Boxing", "Gopher", "BankHeist")
MASKED = [(game, v.name) for game in STORI for v in games()[game].variations.values() if v.masks]


def test_a_mask_by_hand():
    """Columns 1 to 2 of row 3, both ends included, in colour 214: red 110, green 156, blue 66, gray 132."""
    mask = (Mask(1, 2, 3, 3, 214),)
    for form, colour in (("rgb", [110, 156, 66]), ("gray", 132), ("palette", 214)):
        screen = np.zeros((5, 4, 3) if form == "rgb" else (5, 4), "uint8")
        paint_masks(screen, mask, form)
        expected = np.zeros_like(screen)
        expected[3, 1:3] = colour
        assert (screen == expected).all()


def test_the_colours_are_the_emulators():
    assert [bytes(each).hex() for each in palette()[::2]] == list(read_palette().values())
    emulator = Emulator("boxing", "atari/Boxing")
    emulator.reset()
    for number in range(40):
        emulator.act(number % 18)
    assert (grays()[emulator.ale.getScreen()] == emulator.ale.getScreenGrayscale()).all()


@pytest.mark.parametrize("game, name", MASKED[::6])
def test_exactly_the_listed_rectangles_change(game, name):
    check_rectangles(game, name)


@pytest.mark.slow
@pytest.mark.parametrize("game, name", MASKED)
def test_exactly_the_listed_rectangles_change_in_every_mode(game, name):
    check_rectangles(game, name)


def check_rectangles(game, name):
    env, plain = assay.make(f"atari/{game}+{name}=1.0"), assay.make(f"atari/{game}")
    seen, expected = env.reset(seed=0)[0], plain.reset(seed=0)[0]
    masks, rng = games()[game].variations[name].masks, np.random.default_rng(0)
    for _ in range(40):
        painted = expected.copy()
        for mask in masks:
            painted[mask.top : mask.bottom + 1, mask.left : mask.right + 1] = palette()[mask.colour]
        assert (seen == painted).all()
        action = int(rng.integers(env.action_space.n))
        (seen, *rest, _), (expected, *others, _) = env.step(action), plain.step(action)
        assert rest == others and (host_of(env).latent() == host_of(plain).latent()).all()
        assert (env.unwrapped.inner.host.render() == seen).all()


@pytest.mark.parametrize("mode", ["rgb", "gray", "gray84", "rgb64", "palette"])
def test_every_kind_of_picture_is_masked_alike(mode):
    """The small pictures are the large ones with masks, made smaller: masks lie over the merged frames."""
    task = f"atari/Boxing+observation={mode}+sticky=0" + ("+stack=1" if mode == "gray84" else "")
    env, plain = assay.make(task + "+blackout_ring=1.0"), assay.make(task)
    env.reset(seed=0), plain.reset(seed=0)
    for _ in range(20):
        seen, expected = env.step(3)[0], plain.step(3)[0]
    if mode in ("gray84", "rgb64"):
        size = 84 if mode == "gray84" else 64
        whole = assay.make(f"atari/Boxing+observation={'gray' if size == 84 else 'rgb'}+sticky=0")
        whole.reset(seed=0)
        for _ in range(20):
            large = whole.step(3)[0]
        large[36:177, 32:128] = 132 if size == 84 else (110, 156, 66)
        inner = shrink_picture(large, size, size)[
            16 * size // 84 : 69 * size // 84, 18 * size // 84 : 65 * size // 84
        ]
        assert (seen[16 * size // 84 : 69 * size // 84, 18 * size // 84 : 65 * size // 84] == inner).all()
    else:
        expected[36:177, 32:128] = {"rgb": (110, 156, 66), "gray": 132, "palette": 214}[mode]
        assert (seen == expected).all()


@pytest.mark.parametrize("granularity, share", [("step", 0.75), ("frame", 0.5625)])
def test_the_agent_meets_the_stated_probability_after_merging(granularity, share):
    """Per frame both of the merged frames must be hidden: 0.75 becomes 0.5625."""
    env = assay.make(
        f"atari/Breakout+blackout_blocks=0.75+granularity={granularity}+observation=rgb64+sticky=0"
    )
    env.reset(seed=0)
    hidden = [not env.step(0)[0][19:26, 10:50].any() for _ in range(500)]
    assert abs(np.mean(hidden) - share) < 4 * np.sqrt(share * (1 - share) / 500)


def test_a_region_outside_the_picture_is_refused():
    file = "game: Pong\nregions: {{far: {}}}\ncolours: {{black: 0}}\nvariations: {{}}\n"
    for region in ("[0, 160, 0, 9]", "[0, 9, 0, 210]", "[9, 0, 0, 9]", "[-1, 9, 0, 9]"):
        with pytest.raises(BadRules, match="not inside the picture"):
            read_rules(file.format(region), "mine.yaml")
    with pytest.raises(BadRules, match="even numbers"):
        read_rules(file.replace("black: 0", "black: 7").format("[0, 9, 0, 9]"), "mine.yaml")
