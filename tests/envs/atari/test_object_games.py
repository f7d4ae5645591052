"""Objects of single games: boxes from cells by hand, and boxes that are the pixels of a screen."""

import numpy as np
import pytest
from scipy import ndimage

import assay
from assay.envs.atari.games import game_of
from tests.envs.atari.stori_play import host_of

pytest.importorskip("ale_py")


def cells(values, before=()):
    ram = np.zeros(128, "uint8")
    for cell, value in dict(before or values).items():
        ram[cell] = value
    return ram.data


def boxes(game, values, before=()):
    """The boxes that follow from some cells, by slot; all other cells are 0."""
    finder = game_of(game).finder
    found = finder.find(cells(values), cells(values, before))
    return {slot: box for slot, box in zip(finder.slot_names(), found) if box}


class TestByHand:
    @pytest.mark.parametrize(
        "x, box",
        [
            (60, (57, 27, 8, 10)),
            (5, (8, 27, 2, 10)),  # the border on the left hides what is left of column 8
            (3, None),
            (2, (159, 27, 1, 10)),  # it comes in again on the right
            (156, (153, 27, 7, 10)),
        ],
    )
    def test_a_car_goes_round(self, x, box):
        assert boxes("Freeway", {117: x}).get("car[9]") == box

    def test_bricks_are_pairs_of_bits(self):
        found = boxes("Breakout", {35: 0b11000000, 29: 0b00000011, 0: 0b00000011, 108: 8, 72: 60})
        assert found == {
            "player": (13, 189, 16, 4),
            "brick[0]": (8, 57, 8, 6),
            "brick[4]": (40, 57, 8, 6),
            "brick[105]": (128, 87, 8, 6),
        }

    def test_the_walls_hide_ends_of_the_paddle_and_of_the_ball(self):
        assert boxes("Breakout", {108: 6, 72: 191, 99: 56, 101: 100}) == {
            "player": (144, 189, 8, 4),
            "ball": (8, 109, 1, 4),
        }

    @pytest.mark.parametrize(
        "left, upper, lower, player, enemy",
        [
            (0, 95, 191, (35, 47, 14, 48), (83, 47, 14, 48)),
            (0, 143, 191, (35, 47, 30, 48), (83, 47, 14, 48)),
            (1, 95, 239, (16, 47, 31, 48), (85, 47, 14, 48)),
        ],
    )
    def test_a_stretched_arm_makes_a_boxer_wider(self, left, upper, lower, player, enemy):
        values = {32: 30, 33: 80, 34: 10, 35: 10, 73: upper, 75: lower, 77: 95, 79: 191, 84: left}
        assert boxes("Boxing", values) == {"player": player, "enemy": enemy}

    def test_what_travels_on_a_line_of_asterix(self):
        found = boxes("Asterix", {39: 2, 41: 70, 18: 108, 42: 20, 17: 216, 43: 30, 16: 12, 44: 40, 15: 11})
        assert found == {
            "player": (70, 58, 8, 11),
            "item[0]": (21, 27, 7, 10),
            "enemy[1]": (31, 42, 7, 11),
            "points[2]": (40, 58, 6, 11),
        }

    def test_obelix_is_thinner_and_who_is_stunned_is_wider(self):
        assert boxes("Asterix", {54: 5, 41: 70})["player"] == (71, 26, 6, 11)
        assert boxes("Asterix", {54: 5, 41: 70, 71: 100})["player"] == (73, 26, 12, 11)

    def test_a_hooked_fish_hangs_on_its_hook(self):
        fish = {69: 60, 70: 90, 32: 66, 65: 10, 23: 60}
        found = boxes("FishingDerby", fish)
        assert found["fish[0]"] == (60, 177, 8, 10) and found["fish[1]"] == (90, 161, 8, 10)
        assert found["player"] == (59, 39, 7, 65) and found["hook"] == (64, 101, 3, 3)
        assert boxes("FishingDerby", {**fish, 112: 1})["fish[0]"] == (59, 98, 8, 10)

    def test_invaders_are_bits(self):
        values = {16: 5, 23: 0b1, 18: 0b100000, 26: 40, 81: 246, 82: 246, 85: 246, 42: 1}
        assert boxes("SpaceInvaders", values) == {
            "invader[0]": (39, 41, 8, 10),
            "invader[35]": (119, 131, 8, 10),
        }

    def test_an_igloo_grows_row_by_row(self):
        igloo = {blocks: boxes("Frostbite", {77: blocks}).get("igloo") for blocks in (0, 3, 4, 14, 255)}
        assert igloo == {
            0: (112, 51, 8, 4),
            3: (112, 51, 32, 4),
            4: (112, 47, 32, 8),
            14: (112, 35, 32, 20),
            255: None,
        }
        assert boxes("Frostbite", {77: 15})["door"] == (123, 47, 8, 8)

    def test_banks_cannot_be_seen_in_gray_streets(self):
        bank = {24: 253, 29: 40, 9: 60}
        assert boxes("BankHeist", bank)["bank[0]"] == (40, 97, 8, 7)
        assert "bank[0]" not in boxes("BankHeist", {**bank, 69: 7})

    def test_nothing_flies_before_a_game_of_star_gunner_begins(self):
        values = {14: 50, 21: 60, 31: 80}
        assert boxes("StarGunner", values) == {}
        assert boxes("StarGunner", {**values, 12: 2}) == {"player": (50, 83, 8, 4), "bomber": (71, 37, 7, 10)}

    def test_the_player_is_one_of_seven_sprites(self):
        sprites = {73 + i: 32 for i in range(7)} | {75: 4, 61: 50, 68: 20, 62: 60, 69: 30, 79: 96}
        found = boxes("Amidar", sprites)
        assert found["player"] == (29, 57, 7, 7) and found["enemy[2]"] == (39, 67, 7, 7)
        assert len(found) == 6  # the sixth enemy is not seen

    def test_a_lane_of_seaquest_has_fish_and_a_diver_or_submarines_and_a_torpedo(self):
        lane = {70: 76, 97: 60, 31: 20, 37: 5, 72: 40, 93: 3}
        assert boxes("Seaquest", lane) == {
            "player": (76, 93, 16, 11),
            "fish[3]": (20, 116, 8, 7),
            "fish[5]": (52, 116, 8, 7),
            "diver[1]": (40, 113, 8, 14),
        }
        found = boxes("Seaquest", {**lane, 90: 4})
        assert found["submarine[3]"] == (20, 116, 8, 11) and found["torpedo[1]"] == (42, 121, 6, 4)

    def test_eaten_ghosts_are_eyes_and_power_pills_blink(self):
        cells = {10: 88, 16: 98, 6: 50, 12: 40, 2: 64, 7: 50, 13: 40, 117: 9, 59: 64, 77: 16, 33: 1}
        found = boxes("MsPacman", cells)
        assert found["player"] == (76, 99, 8, 10) and found["ghost[0]"] == (38, 41, 8, 10)
        assert found["ghost[1]"] == (38, 42, 8, 5) and found["pill[0]"] == (8, 7, 4, 2)
        assert found["power_pill[3]"] == (148, 14, 4, 7) and "power_pill[0]" not in found
        assert "power_pill[0]" in boxes("MsPacman", {**cells, 30: 8})

    def test_a_pill_inside_a_wall_is_not_there(self):
        # All bits of the second row are set. Its ways are these in the first maze, and others in the third.
        row = {62: 255, 63: 255, 64: 255}
        pills = {maze: [box[0] for slot, box in boxes("MsPacman", {**row, 0: maze}).items()
                        if slot.startswith("pill") and box[1] == 19] for maze in (0, 1, 2)}  # fmt: skip
        assert pills == {0: [32, 48, 108, 124], 1: [48, 108], 2: [32, 48, 56, 64, 92, 100, 108, 124]}

    def test_a_bomb_of_star_gunner_needs_no_phase_and_shows_below_the_bomber(self):
        play = {12: 2, 33: 111}
        assert boxes("StarGunner", {**play, 34: 40})["bomb"] == (100, 72, 4, 1)
        assert "bomb" not in boxes("StarGunner", {**play, 34: 18})
        assert boxes("StarGunner", {**play, 33: 31, 34: 40})["bomb"] == (20, 72, 4, 2)

    @pytest.mark.parametrize(
        "posture, box", [(0, (23, 148, 8, 24)), (134, (21, 148, 10, 24)), (20, (23, 148, 8, 16))]
    )
    def test_a_kangaroo_that_strikes_is_wider_and_one_that_ducks_is_lower(self, posture, box):
        assert boxes("Kangaroo", {16: 18, 17: 8, 18: posture})["player"] == box

    def test_what_lies_on_the_river_is_in_strips(self):
        kinds = {32: 10, 33: 7, 34: 5, 11: 8, 20: 5, 21: 6, 22: 6, 26: 144, 27: 5, 28: 64, 58: 205, 51: 76}
        assert boxes("Riverraid", kinds) == {
            "player": (78, 145, 5, 14),
            "fuel[0]": (88, 145, 7, 18),
            "ship[1]": (97, 123, 16, 8),
            "helicopter[2]": (92, 88, 8, 10),
        }


def screen_and_boxes(game, frames):
    """What is shown after some frames of random play, and the boxes found there."""
    env = assay.make(f"atari/{game}+frameskip=1+sticky=0.0+noops=0+observation=palette")
    host, rng = host_of(env), np.random.default_rng(3)
    env.reset(seed=0)
    for frame in range(frames):
        if frame % 4 == 0:
            action = int(rng.integers(len(host.codes)))
        old = host.emulator.buffer.tobytes()
        env.step(action)
    finder = host.game.finder
    found = finder.find(host.emulator.buffer.tobytes(), old)
    return host.emulator.ale.getScreen(), dict(zip(finder.slot_names(), found))


def rectangle_of(screen, colours, region):
    """The rectangle around the pixels of some colours within left, right, top and bottom."""
    left, right, top, bottom = region
    rows, columns = np.nonzero(np.isin(screen[top : bottom + 1, left : right + 1], colours))
    x, y = columns.min(), rows.min()
    return (left + x, top + y, columns.max() - x + 1, rows.max() - y + 1)


@pytest.mark.parametrize(
    "game, frames, slot, colours, region",
    [
        ("Freeway", 120, "player", [30], (44, 50, 107, 194)),
        ("Breakout", 60, "player", [70], (8, 151, 189, 192)),
        ("Breakout", 60, "ball", [70], (8, 151, 93, 188)),
        ("Asterix", 180, "player", [24], (0, 159, 24, 152)),
        ("Bowling", 60, "player", [0, 88, 134, 136], (0, 159, 106, 172)),
        ("Bowling", 60, "ball", [132], (0, 112, 106, 171)),
        ("FishingDerby", 60, "shark", [0], (29, 79, 80, 92)),
        ("Amidar", 120, "player", [30], (0, 159, 0, 171)),
        ("Seaquest", 60, "player", [24], (8, 159, 46, 152)),
        ("MsPacman", 60, "ghost[3]", [70], (0, 159, 2, 170)),
        ("Kangaroo", 200, "player", [44], (14, 143, 30, 180)),
        ("Kangaroo", 200, "joey", [44], (14, 143, 3, 27)),
        ("BankHeist", 60, "player", [36], (0, 159, 37, 176)),
        ("Frostbite", 120, "floe[0]", [12, 152], (8, 44, 174, 180)),
        ("Jamesbond", 60, "player", [58], (8, 159, 56, 122)),
    ],
)
def test_a_box_is_the_rectangle_of_its_pixels(game, frames, slot, colours, region):
    screen, found = screen_and_boxes(game, frames)
    assert found[slot] == rectangle_of(screen, colours, region)


@pytest.mark.parametrize("maze, count", [(0, 150), (1, 146), (2, 154), (3, 150)])
def test_pills_are_the_blobs_of_their_size_in_every_maze(maze, count):
    level = f"+set_level={maze}" if maze else ""
    env = assay.make(f"atari/MsPacman{level}+frameskip=1+sticky=0.0+noops=0+observation=palette")
    host = host_of(env)
    env.reset(seed=0)
    for _ in range(40):
        env.step(0)
    blobs = ndimage.find_objects(ndimage.label(host.emulator.ale.getScreen()[:171] == 74)[0])
    drawn = {
        (columns.start, rows.start)
        for rows, columns in blobs
        if (columns.stop - columns.start, rows.stop - rows.start) == (4, 2)
    }
    ram = host.emulator.ram
    pills = {(each.x, each.y) for each in host.game.finder.list_objects(ram, ram) if each.name == "pill"}
    assert pills == drawn and len(pills) == count


def test_boxes_of_boxers_hold_their_pixels_and_little_more():
    screen, found = screen_and_boxes("Boxing", 120)
    for slot, colour in (("player", 12), ("enemy", 0)):
        x, y, width, height = rectangle_of(screen, [colour], (33, 127, 37, 176))
        left, top, wide, high = found[slot]
        assert left <= x and top <= y and x + width <= left + wide and y + height <= top + high
        assert wide - width <= 2 and high - height <= 2


def test_invaders_stand_where_their_pixels_are():
    screen, found = screen_and_boxes("SpaceInvaders", 60)
    there = [box for slot, box in found.items() if slot.startswith("invader") and box]
    left, top = min(box[0] for box in there), min(box[1] for box in there)
    right, bottom = max(box[0] for box in there) + 8, max(box[1] for box in there) + 10
    assert len(there) == 36
    assert (left, top, right - left, bottom - top) == rectangle_of(screen, [20], (0, 159, 24, 150))
