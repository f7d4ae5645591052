"""Objects read from cells: by hand, as vectors and masks, under variations, after a restore."""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import assay
from assay.envs.atari.games import games, games_with_rules
from assay.envs.atari.objects.finding import ObjectFinder, Seen
from assay.envs.atari.objects.views import MODES, OF_BOXES
from assay.envs.atari.resize import shrink_picture
from assay.envs.atari.rule_yaml import BadRules
from assay.envs.atari.rulefile import read_rules
from assay.errors import NotApplicable
from tests.envs.atari.stori_play import host_of

pytest.importorskip("ale_py")
WITH_OBJECTS = [name for name in games_with_rules() if games()[name].file.objects]
FILE = """
game: Pong
cells: {ball_x: 3, cars: 10..12}
regions: {top: [0, 159, 0, 99]}
objects:
  ball: {box: [ball_x - 2, was(ball_x), 2, 4], when: ball_x != 0, drawn: [14], within: top}
  car:
    - {for: i in 0..1, let: {x: "2 * cars[i]"}, box: [x, 20 * i, "nth(i, 8, 16)", 10]}
    - {box: ["cars[2]", 200, 8, 20], drawn: [26, 28], within: [0, 79, 0, 99]}
variations: {}
"""


def finder_of(text=FILE):
    file = read_rules(text, "mine.yaml")
    return ObjectFinder(file.objects, file.cells, 210)


def cells(**values):
    ram = np.zeros(128, "uint8")
    for cell, value in values.items():
        ram[int(cell[1:])] = value
    return ram


class TestFinding:
    def test_boxes_by_hand(self):
        ram, old = cells(c3=40, c10=5, c11=70, c12=156), cells(c3=37)
        assert finder_of().list_objects(ram.data, old.data) == [
            Seen("ball", 0, 38, 37, 2, 4),
            Seen("car", 0, 10, 0, 8, 10),
            Seen("car", 1, 140, 20, 16, 10),
            Seen("car", 2, 156, 200, 4, 10),  # cut at the right edge and at the last row
        ]

    def test_what_is_not_there_or_outside_has_no_box(self):
        found = finder_of().find(cells(c10=80, c11=80, c12=200).data, cells().data)
        assert found == [None, None, None, None]

    def test_slots_have_names(self):
        finder = finder_of()
        assert finder.slot_names() == ["ball", "car[0]", "car[1]", "car[2]"]
        assert finder.classes == ["ball", "car"] and finder.looks_back
        assert not finder_of(FILE.replace("was(ball_x)", "ball_x")).looks_back

    @pytest.mark.parametrize(
        "old, new, says",
        [
            ("when: ball_x != 0", "when: bal_x != 0", "did you mean 'ball_x'"),
            ("when: ball_x != 0", "when: chance(0.5)", "chance draws a number"),
            ("when: ball_x != 0", "when: frame > 3", "objects know no frame"),
            ("[ball_x - 2, was(ball_x), 2, 4]", "[ball_x, 2, 4]", "a box is"),
            ("within: top", "within: bottom", "not one of the regions top"),
            ("within: [0, 79, 0, 99]", "within: [0, 160, 0, 99]", "not inside the picture"),
            ("drawn: [14]", "drawn: [15]", "15 is no colour"),
            ("  car:\n", "  ball:\n", "the class 'ball' appears twice"),
            ("i in 0..1", "ball_x in 0..1", "already means something else"),
            ("cars[i]", "cars[i + 5]", "entries 0 to 2"),
            ('box: ["cars[2]', 'bocks: ["cars[2]', "'bocks' is not a key"),
        ],
    )  # fmt: skip
    def test_a_wrong_entry_is_refused_with_its_place(self, old, new, says):
        with pytest.raises(BadRules, match=r"mine.yaml, line \d+, column \d+") as refused:
            read_rules(FILE.replace(old, new), "mine.yaml")
        assert says in str(refused.value)

    def test_colours_may_mean_a_class_in_several_regions(self):
        text = FILE.replace("within: top}", "within: [top, [0, 79, 150, 209]]}")
        assert finder_of().groups[0].within == ((0, 159, 0, 99),)
        assert finder_of(text).groups[0].within == ((0, 159, 0, 99), (0, 79, 150, 209))
        with pytest.raises(BadRules, match="not one of the regions top"):
            read_rules(FILE.replace("within: top}", "within: [top, bottom]}"), "mine.yaml")

    def test_a_variation_unlists_classes_that_exist(self):
        variation = "variations: {v: {means: m, direction: harder, touches: [observation], unlists: [cars], \
screen: [{box: [0, 0, 1, 1], like: [2, 2]}]}}"
        with pytest.raises(BadRules, match="'cars' is not one of the classes of objects ball, car"):
            read_rules(FILE.replace("variations: {}", variation), "mine.yaml")


def play(task, steps=60, seed=3):
    """The observations of some random play."""
    env = assay.make(task)
    seen, rng = [env.reset(seed=seed)[0]], np.random.default_rng(seed)
    for _ in range(steps):
        seen.append(env.step(int(rng.integers(6)))[0])
    return env, seen


class TestObservations:
    @pytest.mark.parametrize("mode", MODES)
    def test_observations_are_in_their_space(self, mode):
        env, seen = play(f"atari/Pong+observation={mode}")
        assert all(env.observation_space.contains(each) for each in seen)
        assert seen[-1].any() and (seen[-1] != seen[-20]).any()

    @pytest.mark.parametrize("game", WITH_OBJECTS)
    def test_planes_have_their_space_however_many_classes_there_are(self, game):
        classes = len(games()[game].finder.classes)
        env = assay.make(f"atari/{game}+observation=planes")
        assert env.reset(seed=0)[0].shape == env.observation_space.shape == (84, 84, 4 * classes)
        lanes = assay.make_vec(f"atari/{game}+observation=planes", num_envs=2, workers=0)
        assert lanes.observation_space.contains(lanes.reset(seed=0)[0])
        assert lanes.single_observation_space == env.observation_space
        lanes.close()

    @pytest.mark.slow
    @pytest.mark.parametrize("game", WITH_OBJECTS)
    def test_all_games_modes_stacks_and_orders_have_their_space(self, game):
        for mode in MODES:
            for more in ("+stack=1", "", "+channels=first", "+stack=3"):
                task = f"atari/{game}+observation={mode}{more}"
                env, lanes = assay.make(task), assay.make_vec(task, num_envs=2, workers=0)
                assert env.observation_space.contains(env.reset(seed=0)[0]), task
                assert env.observation_space.contains(env.step(0)[0]), task
                assert lanes.observation_space.contains(lanes.reset(seed=0)[0]), task
                assert lanes.single_observation_space == env.observation_space, task
                lanes.close()

    def test_the_vector_is_the_list_of_objects(self):
        env, seen = play("atari/Pong+observation=objects+stack=1", 200)
        host, names = host_of(env), env.observation_labels()
        named = {name: int(seen[-1][i]) for name, i in names.items()}
        for each in host.game.finder.list_objects(host.emulator.ram, host.emulator.ram):
            box = [named[f"{each.name}.{part}"] for part in ("there", "x", "y", "width", "height")]
            assert box == [1, *each[2:]]
        assert named["player.x"] == 140 and len(named) == 15

    def test_two_frames_lie_side_by_side(self):
        _, one = play("atari/Pong+observation=objects+stack=1")
        _, two = play("atari/Pong+observation=objects")
        assert (two[-1] == np.stack([one[-2], one[-1]], axis=-1)).all()

    def test_rows_of_a_stack_have_names_and_its_last_column_is_the_newest(self):
        alone, one = play("atari/Pong+observation=objects+stack=1")
        env, two = play("atari/Pong+observation=objects")
        assert env.observation_labels() == alone.observation_labels()
        row = env.observation_labels()["ball.x"]
        assert list(two[-1][row]) == [one[-2][row], one[-1][row]]
        assert assay.make("atari/Pong+observation=planes").observation_labels() == {}  # a picture

    def test_planes_lie_frame_by_frame_and_within_a_frame_class_by_class(self):
        _, one = play("atari/Pong+observation=planes+stack=1")
        _, four = play("atari/Pong+observation=planes")
        assert (four[-1] == np.concatenate(one[-4:], axis=-1)).all() and four[-1].shape == (84, 84, 12)
        first = assay.make("atari/Pong+observation=planes+channels=first")
        assert first.observation_space.shape == (4, 84, 84, 3)

    def test_masks_by_hand(self):
        _, boxes = play("atari/Pong+observation=objects+stack=1")
        full = {mode: np.zeros((210, 160), "uint8") for mode in ("binary_masks", "class_masks")}
        planes = np.zeros((3, 210, 160), "uint8")
        for kind, (there, x, y, width, height) in enumerate(boxes[-1].reshape(3, 5).astype(int)):
            place = slice(y, y + height), slice(x, x + width)
            if there:
                full["binary_masks"][place], full["class_masks"][place] = 255, 85 * (kind + 1)
                planes[kind][place] = 255
        for mode, picture in full.items():
            _, seen = play(f"atari/Pong+observation={mode}+stack=1")
            assert (seen[-1] == shrink_picture(picture, 84, 84)).all()
        _, seen = play("atari/Pong+observation=planes+stack=1")
        assert (np.moveaxis(seen[-1], -1, 0) == [shrink_picture(each, 84, 84) for each in planes]).all()

    def test_object_masks_show_the_picture_where_objects_are(self):
        _, boxes = play("atari/Pong+observation=objects+stack=1")
        _, gray = play("atari/Pong+observation=gray")
        _, seen = play("atari/Pong+observation=object_masks+stack=1+pool=false")
        shown = np.zeros((210, 160), "uint8")
        for there, x, y, width, height in boxes[-1].reshape(3, 5).astype(int):
            if there:
                shown[y : y + height, x : x + width] = gray[-1][y : y + height, x : x + width]
        assert (seen[-1] == shrink_picture(shown, 84, 84)).all() and shown.any()

    def test_nothing_is_read_unless_asked_for(self, monkeypatch):
        def refuse(*_):
            raise AssertionError("objects were read")

        monkeypatch.setattr("assay.envs.atari.objects.finding.ObjectFinder.__init__", refuse)
        play("atari/Pong+observation=gray84")

    def test_of_a_game_without_objects(self):
        with pytest.raises(NotApplicable, match="atari/Skiing describes no objects; games with objects are"):
            assay.make("atari/Skiing+observation=objects")

    def test_frames_of_the_ram_can_be_stacked(self):
        _, one = play("atari/Pong+observation=ram")
        _, four = play("atari/Pong+observation=ram+stack=4")
        assert (four[-1] == np.stack(one[-4:], axis=-1)).all()


class TestVariations:
    def test_a_hidden_opponent_is_not_in_the_list(self):
        _, plain = play("atari/Pong+observation=objects+stack=1")
        _, varied = play("atari/Pong+hidden_enemy+observation=objects+stack=1")
        assert all((each[5:10] == 0).all() for each in varied) and any(each[5] for each in plain)
        rest = [*range(5), *range(10, 15)]
        assert all((a[rest] == b[rest]).all() for a, b in zip(plain, varied))

    @pytest.mark.parametrize("mode", OF_BOXES)
    def test_what_changes_the_picture_alone_is_refused(self, mode):
        with pytest.raises(NotApplicable, match="changes the picture alone"):
            assay.make(f"atari/Pong+blackout_scores=1.0+observation={mode}")

    def test_rules_on_cells_move_the_objects(self):
        _, seen = play("atari/Pong+parallel_enemy+observation=objects+stack=1")
        assert all(abs(int(each[2]) - int(each[7])) <= 4 for each in seen[5:] if each[5])


class TestRulesAfterAFrame:
    """What a rule writes after a frame is on the screen of the next one."""

    def test_boxes_are_of_the_cells_before_the_rule(self):
        env = assay.make("atari/Pong+observation=objects+stack=1+sticky=0.0+frameskip=1")
        env.reset(seed=0)
        for _ in range(60):
            env.step(0)
        host = host_of(env)
        assert host.emulator.ram[49] != 0  # the ball is in play
        saved, plain = env.save(), env.step(0)[0]
        for hook in ("frame", "step"):
            host.add_rules(AFTER.replace("HOOK", hook), instead=True)
            env.restore(saved)
            varied = env.step(0)[0]
            assert host.emulator.ram[60] == 5 and (varied[:5] == plain[:5]).all()

    @pytest.mark.parametrize("mode", MODES)
    def test_an_episode_does_not_begin_with_the_boxes_of_the_last_one(self, mode):
        env = assay.make(f"atari/Freeway+stop_random_car+observation={mode}+stack=1")
        first, _ = env.reset(seed=0)
        for _ in range(40):
            env.step(1)
        again, _ = env.reset(seed=0)
        assert np.array_equal(first, again)

    def test_a_shot_that_a_rule_straightens_is_where_it_is_drawn(self):
        env = assay.make("atari/Jamesbond+straight_shots+observation=objects+stack=1+frameskip=1+sticky=0.0")
        host, rng = host_of(env), np.random.default_rng(0)
        env.reset(seed=0)
        slot, boxes, empty = host.game.finder.slot_names().index("shot"), 0, 0
        screens = []
        for action in np.repeat(rng.integers(len(host.codes), size=120), 8):
            there, x, y, width, height = env.step(int(action))[0].reshape(-1, 5)[slot].astype(int)
            screens = [*screens[-3:], host.emulator.ale.getScreen().copy()]
            if there:
                boxes += 1
                empty += not any((each[y : y + height, x : x + width] == 58).any() for each in screens)
        assert boxes > 100 and empty <= 0.02 * boxes


AFTER = """
game: Pong
cells: {player_y: 60}
variations:
  low: {means: m, direction: unknown, touches: [transition], HOOK: [{set: {player_y: 5}}]}
"""


@pytest.mark.parametrize("mode", MODES)
def test_a_restored_game_shows_the_same_objects(mode):
    env, _ = play(f"atari/Pong+observation={mode}+noops=30", 30)
    saved = env.save()
    first = [env.step(action)[0] for action in (2, 3, 2, 2, 3)]
    env.restore(saved)
    assert all((a == b).all() for a, b in zip(first, (env.step(action)[0] for action in (2, 3, 2, 2, 3))))


def test_workers_show_what_single_envs_show():
    task = "atari/Pong+observation=objects"
    single = assay.make(task)
    lanes = assay.make_vec(task, num_envs=2)
    seen, _ = lanes.reset(seed=5)
    alone, _ = single.reset(seed=5)
    assert (seen[0] == alone).all()
    for action in (2, 3, 0, 2, 2):
        seen, *_ = lanes.step(np.array([action, action]))
        assert (seen[0] == single.step(action)[0]).all()
    lanes.close()


def test_a_function_of_objects_wins_at_pong(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3] / "examples"))
    act = import_module("pong_by_objects").act
    env = assay.make("atari/Pong+preset=paper+observation=objects")
    observation, _ = env.reset(seed=0)
    score, ended = 0.0, False
    while not ended and score < 5:
        observation, reward, ended, _, _ = env.step(act(observation))
        score += reward
    assert score == 5
