"""The env of hidden rules: by hand, and against the plain interpreter for every benchmark rule."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import assay
from assay.core import step as loop
from assay.envs.rules import game
from assay.envs.rules.benchmark import BY_NAME, RULES
from assay.envs.rules.board import COLORS, SHAPES, Board, Piece
from assay.envs.rules.codes import Finish, Response
from assay.envs.rules.engine.compile import compile_rules
from assay.envs.rules.interpreter import attempt_at, begin, legal_buckets, prepare
from assay.envs.rules.observation import Layout, Shown
from assay.errors import AssayError, NotApplicable, UnknownName, WrongLevel
from assay.native import build_native

# Cell 1 is a red star, 6 a blue circle, 31 a black square, 36 a yellow triangle.
CORNERS = "rules/shape_match+board=example:corners"
TELLS = {Response.ACCEPT: Shown.ACCEPTED, Response.DENY: Shown.DENIED, Response.IMMOVABLE: Shown.IMMOVABLE,
         Response.EMPTY_CELL: Shown.EMPTY, Response.NO_GAME: Shown.NOTHING}  # fmt: skip


def look(text: str, seed: int = 0) -> np.ndarray:
    """The first observation of a task, without compiling it."""
    return np.asarray(loop.reset(build_native(text).task, jax.random.key(seed))[0])


def put(cell: int, bucket: int) -> int:
    return (cell - 1) * 4 + bucket


@pytest.fixture(scope="module")
def env():
    """A task that shows more than the plain one."""
    return assay.make(CORNERS + "+show_buckets+history=2")


class TestByHand:
    def test_a_whole_episode(self):
        """Stars go to bucket 0, triangles to 1, squares to 2, circles to 3."""
        env = assay.make(CORNERS)
        layout = Layout()
        seen, info = env.reset(seed=0)
        # 1 + shape x 4 + colour: shapes are square, star, circle, triangle, colours red, black, blue, yellow.
        assert {cell + 1: int(seen[cell]) for cell in range(36) if seen[cell]} == {1: 5, 6: 11, 31: 2, 36: 16}
        assert seen[layout.last].tolist() == [0, 0, 0] and seen[layout.response] == Shown.NOTHING
        assert info["legal_buckets"].tolist() == [1, 8, 4, 2]
        seen, reward, ended, _, info = env.step(put(1, 2))
        assert reward == -1 and not ended and seen[layout.response] == Shown.DENIED
        seen, reward, *_ = env.step(put(2, 0))
        assert reward == -1 and seen[layout.response] == Shown.EMPTY
        seen, reward, *_ = env.step(put(1, 0))
        assert reward == 0 and seen[0] == 0 and seen[layout.response] == Shown.ACCEPTED
        assert seen[layout.last].tolist() == [2, 1, 1]  # a star, red, into bucket 0
        for cell, bucket in ((6, 3), (31, 2), (36, 1)):
            assert not ended
            seen, reward, ended, cut, info = env.step(put(cell, bucket))
        assert ended and not cut and info["cleared"] and info["pieces_left"] == 0
        assert info["errors"] == 2 and info["attempts"] == 5  # the empty cell is no counted attempt

    def test_a_board_that_begins_in_stalemate_ends_without_an_error(self):
        env = assay.make('rules/custom+board=example:corners+rule="(bucket:p)"')
        env.reset(seed=0)
        _, reward, ended, _, info = env.step(0)
        assert reward == 0 and ended and info["stalemate"] and info["errors"] == 0

    def test_an_immovable_piece_is_shown_as_denied_where_denials_are_merged(self):
        env = assay.make(
            'rules/custom+board=example:corners+rule="(color:red, bucket:0)"+merge_denials@sudden:2'
        )
        env.reset(seed=0)
        shown = [env.step(put(6, 0))[0][Layout().response] for _ in range(2)]
        assert shown == [Shown.IMMOVABLE, Shown.DENIED]

    def test_hidden_features_leave_the_other_one(self):
        def cells(text):
            seen = look(CORNERS + text)
            return {cell + 1: int(seen[cell]) for cell in range(36) if seen[cell]}

        assert cells("+hide_shape") == {1: 1, 6: 3, 31: 2, 36: 4}
        assert cells("+hide_color") == {1: 5, 6: 9, 31: 1, 36: 13}
        assert cells("+hide_shape+hide_color") == {1: 1, 6: 1, 31: 1, 36: 1}

    def test_legal_buckets_are_shown_on_request_from_the_first_observation_on(self, env):
        layout = Layout(shows_buckets=True, history=2)
        legal = env.reset(seed=0)[0][layout.legal]
        assert {cell + 1: int(legal[cell]) for cell in range(36) if legal[cell]} == {1: 1, 6: 8, 31: 4, 36: 2}
        legal = env.step(put(1, 0))[0][layout.legal]
        assert legal[0] == 0 and legal[5] == 8

    def test_a_history_shows_the_latest_attempt_first(self, env):
        layout = Layout(shows_buckets=True, history=2)
        assert env.reset(seed=0)[0][layout.attempts].tolist() == [0] * 10
        env.step(put(6, 1))
        seen = env.step(put(2, 0))[0][layout.attempts]
        assert seen.tolist() == [2, 1, Shown.EMPTY, 0, 0, 6, 2, Shown.DENIED, 3, 3]
        assert env.reset()[0][layout.attempts].tolist() == [0] * 10

    def test_actions_may_name_pieces(self):
        env = assay.make(CORNERS + "+actions=pieces")
        env.reset(seed=0)
        assert env.action_space.n == 16
        assert env.step(0)[1] == 0  # the red star into bucket 0
        seen, reward, *_ = env.step(0)  # it is gone
        assert reward == -1 and seen[Layout().response] == Shown.EMPTY

    def test_pieces_of_a_table_are_shown_by_kind(self):
        env = assay.make('rules/custom+pieces_table=example:kinds+rule="(size:[3..9], bucket:0) (kind:tool)"')
        seen, info = env.reset(seed=1)
        assert env.observation_space.nvec[0] == 6 and seen[:36].max() <= 5
        legal = [1 if shown > 2 else 15 for shown in seen[:36] if shown]  # the first two kinds are tools
        assert info["legal_buckets"].tolist() == legal

    def test_pieces_that_share_a_cell_are_refused_by_cell(self):
        env = assay.make("rules/quadrant_nearby+crowded+columns=1+rows=1+pieces=4")
        seen, _ = env.reset(seed=0)
        seen, reward, *_, info = env.step(0)
        assert reward == -1 and seen[Layout(1, 1).response] == Shown.SEVERAL and info["attempts"] == 0

    def test_a_saved_moment_is_played_again(self, env):
        env.reset(seed=5)
        for action in (put(1, 0), put(6, 0)):
            env.step(action)
        moment, actions = env.save(), [put(6, 3), put(1, 0), put(31, 2)]
        first = [env.step(action)[0].tolist() for action in actions]
        env.restore(moment)
        assert [env.step(action)[0].tolist() for action in actions] == first

    def test_the_best_return_is_0(self):
        assert assay.optimum("rules/red_then_blue+pieces=4+colors=2").value == 0
        assert assay.optimum("rules/shape_match+crowded").value is None

    def test_the_best_return_of_a_rule_of_ones_own_is_that_of_the_named_one(self):
        rule = BY_NAME["clockwise"].text.replace("\n", " / ")
        own = f'rules/custom+rule="{rule}"'
        assert assay.optimum(own) == assay.optimum("rules/clockwise") and assay.optimum(own).value == 0
        hidden = 'rules/custom+rule="(shape:star, bucket:0)"+hide_shape'
        assert assay.optimum(hidden).value is None
        with pytest.raises(AssayError):
            assay.optimum('rules/custom+rule="(shape:"')


class TestBoards:
    def test_a_list_of_boards_is_numbered_and_counted_around(self):
        text = "rules/shape_match+boards=[example:row,example:corners]"

        def pieces(more):
            return int((look(text + more)[:36] > 0).sum())

        assert [pieces(f"+board_number={n}") for n in (1, 2, 3)] == [6, 4, 6]
        assert pieces("+board_number=1+boards_order=alpha") == 4

    def test_boards_in_turn_go_around_episode_by_episode(self):
        """A row of 6 pieces, then 4 in the corners, then the row again."""

        def counts(more, resets):
            env = assay.make(f"rules/shape_match+boards=[example:row,example:corners]+boards_in_turn{more}")
            pieces = []
            for number in range(resets):
                pieces.append(int((env.reset(seed=None if number else 3)[1]["cells"] > 0).sum()))
                env.step(0)
            return pieces

        assert counts("", 5) == [6, 4, 6, 4, 6]
        assert counts("+boards_order=alpha", 3) == [4, 6, 4]
        shuffled, others = (counts(f"+boards_order={order}", 40) for order in ("random", '"random:7"'))
        passes = [tuple(shuffled[i : i + 2]) for i in range(0, 40, 2)]
        assert set(passes) == {(6, 4), (4, 6)} and shuffled != others

    @pytest.mark.parametrize("autoreset", ["next-step", "same-step"])
    def test_every_lane_takes_its_boards_in_turn(self, autoreset):
        text = "rules/shape_match+boards=[example:row,example:corners]+boards_in_turn+horizon=2"
        env = assay.make_vec(text, 3, autoreset=autoreset)
        seen = [env.reset(seed=0)[0]]
        seen += [env.step(np.zeros(3, int))[0] for _ in range(6)]
        counts = [(each[:, :36] > 0).sum(1).tolist() for each in seen]
        later = 2 if autoreset == "same-step" else 3  # two steps, and under next-step the reset itself
        assert counts[0] == [6] * 3 and counts[later] == [4] * 3 and counts[2 * later] == [6] * 3

    def test_boards_in_turn_stand_alone(self):
        listed = "rules/shape_match+boards=example:all+boards_in_turn"
        with pytest.raises(NotApplicable, match="nothing for board_number to do"):
            assay.task(listed + "+board_number=2")
        with pytest.raises(NotApplicable, match="a clock of its own; drop @sudden:3:episodes"):
            assay.task(listed + "@sudden:3:episodes")
        with pytest.raises(NotApplicable, match="acts only with boards set"):
            assay.task("rules/shape_match+boards_in_turn")

    def test_conditions_choose_boards(self):
        red = range(1, 17, 4)  # looks of red pieces
        for side, wanted in (("train", False), ("test", True)):
            text = f'rules/shape_match+colors=2+condition_{side}="(color:red)"'
            task = build_native(text).task
            for seed in range(3):
                seen = np.asarray(loop.reset(task, jax.random.key(seed))[0])
                assert np.isin(seen[:36], red).any() == wanted

    def test_ranges_and_other_boards(self):
        text = "rules/quadrant_nearby+pieces=[2,5]+shapes=[1,2]+colors=1+columns=3+rows=5+buckets=3"
        params = build_native(text).task.env.params
        draw = jax.jit(jax.vmap(lambda key: game.initial(key, params).pieces_left))
        assert set(draw(jax.random.split(jax.random.key(0), 60)).tolist()) == {2, 3, 4, 5}
        assert game.spaces(params)["action"].n == 45


def stack_of_all_rules():
    env = assay.make_jax("rules/shape_match").task.env
    return replace(env.params, tables=compile_rules([rule.parse() for rule in RULES]))


LANES, STEPS = 3, 60


@pytest.fixture(scope="module")
def played():
    """Every benchmark rule in one program: boards, actions, and what the env made of them."""
    stacked = stack_of_all_rules()
    axes = jax.tree.map(lambda leaf: None, stacked)
    axes = replace(axes, tables=jax.tree.map(lambda leaf: 0, stacked.tables))

    def rollout(params, key):
        def step(state, key):
            # Half of the attempts are of a random piece that is left, half are uniform.
            which, anything = jax.random.split(key)
            on_board = jnp.where(game.unpack(state.left, 9), jax.random.uniform(which, (9,)), -1)
            cell = state.board.cell[jnp.argmax(on_board)]
            aimed = (cell - 1) * 4 + jax.random.randint(anything, (), 0, 4)
            action = jnp.where(jax.random.bernoulli(which), aimed, jax.random.randint(anything, (), 0, 144))
            after = game.transition(key, params, state, action)
            told = (action, after.response, after.finish, after.legal, after.errors)
            return after, (*told, game.reward(key, params, state, action, after))

        start = game.initial(key, params)
        return start.board, jax.lax.scan(step, start, jax.random.split(key, STEPS))[1]

    keys = jax.random.split(jax.random.key(1), (len(RULES), LANES))
    lanes = jax.vmap(jax.vmap(rollout, (None, 0)), (axes, 0))
    return jax.device_get(jax.jit(lanes)(stacked, keys))


@pytest.mark.parametrize("number", range(len(RULES)), ids=[rule.name for rule in RULES])
def test_every_rule_is_played_as_the_interpreter_does(played, number):
    boards, told = played
    playable = prepare(RULES[number].parse())
    for lane in range(LANES):
        cells, shapes, colors = (row[number, lane] for row in (boards.cell, boards.shape, boards.color))
        rows = zip(cells.tolist(), shapes.tolist(), colors.tolist())
        pieces = (Piece(i, SHAPES[s - 1], COLORS[c - 1], cell) for i, (cell, s, c) in enumerate(rows))
        state, errors = begin(playable, Board(tuple(pieces))), 0
        for action, response, finish, legal, counted, reward in zip(*(row[number, lane] for row in told)):
            code, state = attempt_at(playable, state, int(action) // 4 + 1, int(action) % 4)
            errors += TELLS[code] > Shown.ACCEPTED
            assert (response, finish, counted) == (TELLS[code], state.finish, errors)
            assert reward == (-1 if TELLS[code] > Shown.ACCEPTED else 0)
            expected = {number: sum(1 << b for b in open_to)
                        for number, open_to in legal_buckets(playable, state).items()}  # fmt: skip
            assert {i: int(bits) for i, bits in enumerate(legal) if i in expected} == expected
            if state.finish != Finish.PLAYING:
                break


class TestRefused:
    @pytest.mark.parametrize(
        "text, says",
        [
            ('rules/custom+rule="(bucket:0) / (color:red bucket:1)"', "line 2, column 12"),
            ("rules/custom", "needs a rule"),
            ("rules/shape_match+shapes=5", "there are 4 names"),
            ("rules/shape_match+pieces=40", "do not fit into 36 cells"),
            ("rules/shape_match+board=nowhere", "there is no such file"),
            ("rules/quadrant_mixed+rows=4", "there is no cell 25"),
            ('rules/custom+rule="(size:3)"', "no piece has the property size"),
            ('rules/custom+rule="(bucket:0)"+file=mine.txt', "not both"),
        ],
    )
    def test_what_cannot_be_played_is_one_sentence(self, text, says):
        with pytest.raises(WrongLevel, match=says):
            build_native(text)

    def test_an_edit_that_changes_nothing_is_refused(self):
        with pytest.raises(NotApplicable, match="swap_buckets=4 leaves the rule as it is"):
            assay.make("rules/shape_match+swap_buckets=4")

    def test_an_edit_that_does_not_apply_to_a_rule_is_no_axis_of_it(self):
        with pytest.raises(UnknownName, match="metering"):
            assay.make("rules/shape_match+metering=2")

    def test_an_unknown_rule_is_an_unknown_name(self):
        with pytest.raises(UnknownName, match="no benchmark rule is called 'shape_mach'"):
            assay.make("rules/shape_mach")


def test_lanes_of_a_vector_are_episodes_of_the_env():
    lanes = assay.make_vec("rules/b3_then_b1", num_envs=3)
    seen, info = lanes.reset(seed=[4, 5, 6])
    single = assay.make("rules/b3_then_b1")
    alone, told = single.reset(seed=5)
    assert (seen[1] == alone).all() and (info["legal_buckets"][1] == told["legal_buckets"]).all()
    cell = int(told["cells"][0])
    seen, rewards, *_ = lanes.step(np.full(3, put(cell, 3)))
    assert (seen[1] == single.step(put(cell, 3))[0]).all() and rewards[1] == 0
