"""The plain meaning of rules, each construct by a case computed by hand."""

import json
import random

import pytest
from playing import board, legal, play, standing, told
from random_rules import draw_sample

from assay.envs.rules.board import BadBoard
from assay.envs.rules.codes import Finish, Response
from assay.envs.rules.geometry import Geometry
from assay.envs.rules.interpreter import attempt, attempt_at, begin, give_up, legal_buckets, prepare
from assay.envs.rules.language.parse import parse
from assay.envs.rules.state_json import from_json, to_json

ALL = [0, 1, 2, 3]


class TestTheWorkedExample:
    RULE = "(1,*,red,*,0) (2,*,*,*,[0,1])\n1 (*,*,*,*,p+2)"
    PIECES = "red star 1, red star 2, blue star 3"

    def test_both_atoms_accept_and_both_lose_one(self):
        _, codes, state = play(self.RULE, self.PIECES, [(0, 0)])
        assert codes == [0] and standing(state) == (0, None, (0, 1), 0)

    def test_exhausted_atoms_pass_control_on(self):
        _, codes, state = play(self.RULE, self.PIECES, [(0, 0), (1, 1)])
        assert codes == [0, 0] and standing(state) == (1, 1, (None,), 0)

    def test_it_is_cleared(self):
        _, codes, state = play(self.RULE, self.PIECES, [(0, 0), (1, 1), (2, 0), (2, 3), (2, 3)])
        assert codes == [0, 0, 4, 0, -4] and state.finish == Finish.CLEARED
        assert state.attempts == 4 and state.errors == 1


class TestMetering:
    def test_a_single_metered_line_resets_itself(self):
        _, _, state = play("(1,*,*,*,0)", "red star 1, red star 2", [(0, 0)])
        assert standing(state) == (0, None, (1,), 0)

    def test_counters_persist_while_a_line_stays_active(self):
        _, _, state = play(
            "(3,*,*,*,0) (*,*,red,*,1)", "red star 1, red star 2, red star 3", [(0, 0), (1, 1)]
        )
        assert state.atom_counts == (2, None)

    def test_a_line_counter_loses_one_for_each_move(self):
        moves = [(0, 0), (1, 0)]
        _, _, state = play("2 (*,*,*,*,0)\n(*,*,*,*,1)", "red star 1, red star 2, red star 3", moves)
        assert state.line == 1

    def test_an_atom_with_count_0_never_accepts(self):
        assert legal("(0,*,*,*,0) (*,*,*,*,1)", "red star 1") == {0: [1]}

    def test_a_line_with_count_0_is_skipped_at_the_start(self):
        _, _, state = play("0 (*,*,*,*,0)\n(*,*,*,*,1)", "red star 1")
        assert state.line == 1

    def test_a_rule_whose_lines_all_have_count_0_is_a_stalemate(self):
        game, codes, state = play("0 ()\n0 ()", "red star 1", [(0, 0)])
        assert state.finish == Finish.STALEMATE and codes == [-4]
        assert told(legal_buckets(game, state)) == {0: []}

    def test_rejected_attempts_change_nothing_but_their_number(self):
        _, codes, state = play("(2,*,red,*,0)", "red star 1, blue star 2, red star 3", [(0, 1), (1, 0)])
        assert codes == [Response.DENY, Response.IMMOVABLE]
        assert standing(state) == (0, None, (2,), 0) and state.attempts == state.errors == 2


class TestLines:
    def test_a_line_without_a_move_is_left_at_once(self):
        _, _, state = play("(*,*,red,*,0)\n(*,*,blue,*,1)", "red star 1, blue star 2", [(0, 0)])
        assert state.line == 1

    def test_a_line_that_offers_nothing_is_skipped(self):
        rule = "1 (*,*,red,*,0)\n1 (*,*,black,*,1)\n1 (*,*,blue,*,2)"
        _, _, state = play(rule, "red star 1, blue star 2", [(0, 0)])
        assert standing(state) == (2, 1, (None,), 0)

    def test_nothing_left_to_move_is_a_stalemate(self):
        rule, pieces = "(*,*,red,*,1)\n(*,*,blue,*,2)", "red star 1, yellow star 2"
        _, codes, state = play(rule, pieces, [(0, 1)])
        assert codes == [0] and state.finish == Finish.STALEMATE and len(state.pieces) == 1

    def test_an_episode_may_begin_in_stalemate(self):
        _, _, state = play("(*,*,red,*,1)", "blue star 1")
        assert state.finish == Finish.STALEMATE and state.attempts == 0

    def test_the_line_that_was_left_is_tried_again_with_fresh_counters(self):
        # After the first move line 2 offers nothing (no blue), so line 1 comes back, reset.
        rule = "(1,*,red,*,0)\n(*,*,blue,*,1)"
        _, _, state = play(rule, "red star 1, red star 2", [(0, 0)])
        assert standing(state) == (0, None, (1,), 0)


class TestMemory:
    PIECES = "red star 1, red circle 2, blue star 3, blue square 4"

    def test_p_is_empty_before_the_first_move(self):
        _, _, state = play("(bucket:p+1)", "red star 1")
        assert state.finish == Finish.STALEMATE

    def test_p_is_the_last_accepted_bucket(self):
        rule = "(count:1)\n(bucket:p+1)"
        assert legal(rule, self.PIECES, [(0, 3), (1, 1)]) == {1: [0], 2: [0], 3: [0]}

    def test_pc_and_ps_go_by_the_piece_that_is_tried(self):
        assert legal("(count:1)\n(bucket:pc)", self.PIECES, [(0, 2)]) == {1: [2], 2: [], 3: []}
        assert legal("(count:1)\n(bucket:ps)", self.PIECES, [(0, 2)]) == {1: [], 2: [2], 3: []}

    def test_the_most_recent_piece_of_a_color_counts(self):
        rule = "(count:3)\n(bucket:pc)"
        assert legal(rule, "red star 1, red star 2, blue star 3, red star 4", [(0, 1), (1, 2), (2, 3)]) == {
            3: [2]
        }

    def test_p_of_a_name(self):
        rule = "(count:2)\n(bucket:[p.color, p.shape])"
        assert legal(rule, self.PIECES, [(0, 1), (3, 2)]) == {1: [1], 2: [1, 2]}
        # p.bucket is the bucket that is tried, once something went into it.
        assert legal("(count:1)\n(bucket:p.bucket)", self.PIECES, [(0, 3)]) == {1: [3], 2: [3], 3: [3]}

    def test_p_of_a_position_needs_the_same_cell(self):
        rule = "(count:1)\n(bucket:p.pos)"
        assert legal(rule, "red star 1, red star 1, red star 2", [(0, 2)]) == {1: [2], 2: []}

    def test_last_is_the_piece_removed_last(self):
        rule = "(count:1)\n(color:last.color, bucket:last.bucket)"
        assert legal(rule, self.PIECES, [(0, 2)]) == {1: [2], 2: [], 3: []}
        rule = "(count:1)\n(code:this.pos == last.pos + 2)"
        assert legal(rule, self.PIECES, [(0, 2)]) == {1: [], 2: ALL, 3: []}

    def test_q_is_the_last_piece_that_shares_a_property(self):
        rule = "(count:2)\n(bucket:q.color.pos)"  # red went from cell 1, blue from cell 3
        assert legal(rule, self.PIECES, [(0, 0), (2, 0)]) == {1: [1], 3: [3]}

    def test_q_bucket_is_the_last_piece_in_the_bucket_that_is_tried(self):
        assert legal("(code:!q.bucket)", self.PIECES, [(0, 2)]) == {1: [0, 1, 3], 2: [0, 1, 3], 3: [0, 1, 3]}
        rule = "(count:1)\n(color:q.bucket.color)"
        assert legal(rule, self.PIECES, [(0, 2)]) == {1: [2], 2: [], 3: []}

    def test_only_accepted_moves_change_memory(self):
        rule = "(bucket:[!p*0, p+1])"
        assert legal(rule, self.PIECES, [(0, 0), (1, 3)]) == {1: [1], 2: [1], 3: [1]}

    def test_a_new_episode_remembers_nothing(self):
        game, _, _ = play("(bucket:[!p*0, p+1])", self.PIECES, [(0, 0)])
        again = told(legal_buckets(game, begin(game, board(self.PIECES))))
        assert again == {0: [0], 1: [0], 2: [0], 3: [0]}


class TestNearAndFar:
    def test_the_buckets_of_the_corners(self):
        pieces = "red star 31, red star 36, red star 6, red star 1"
        assert legal("(bucket:Nearby)", pieces) == {0: [0], 1: [1], 2: [2], 3: [3]}
        assert legal("(bucket:remotest)", pieces) == {0: [2], 1: [3], 2: [0], 3: [1]}

    def test_the_paper_writes_nearby_in_lower_case(self):
        assert legal("(*,*,*,*,nearby)", "red star 31") == {0: [0]}

    def test_an_odd_board_has_ties(self):
        # 3 by 3: cell 5 is the middle, cell 8 the middle of the top row, cell 7 the top left.
        geometry, pieces = Geometry(3, 3, 4), "red star 5, red star 8, red star 7"
        assert legal("(bucket:Nearby)", pieces, geometry=geometry) == {0: ALL, 1: [0, 1], 2: [0]}
        assert legal("(bucket:Remotest)", pieces, geometry=geometry) == {0: ALL, 1: [2, 3], 2: [2]}
        assert legal("(bucket:Nearby + 1)", pieces, geometry=geometry) == {0: ALL, 1: [1, 2], 2: [1]}


class TestPositions:
    def test_cells_and_orders_in_a_list_are_alternatives(self):
        assert legal("(pos:[2, T])", "red star 1, red star 2, red star 31") == {0: [], 1: ALL, 2: ALL}

    def test_repeated_positions_must_all_hold(self):
        rule, pieces = "(pos:T, pos:L)", "red star 32, red star 31, red star 1"
        assert legal(rule, pieces) == {0: [], 1: ALL, 2: []}

    def test_orders_look_at_all_pieces(self):
        assert legal("(*,*,red,T,*)", "red star 1, blue star 31")[0] == []
        assert legal("(*,*,red,T,*) (*,*,blue,*,*)", "red star 1, blue star 31") == {0: [], 1: ALL}

    @pytest.mark.parametrize(
        "order, first",
        [("L1", [2]), ("L2", [3]), ("L3", [3]), ("L4", [2]), ("T", [2, 3]), ("B", [0, 1]), ("L", [0, 2]),
         ("R", [1, 3]), ("NearestObject", [0, 1, 2, 3]), ("Farthest", [0, 1, 2, 3])],
    )  # fmt: skip
    def test_each_order_on_the_four_corners(self, order, first):
        pieces = "red star 1, red star 6, red star 31, red star 36"
        assert [number for number, open_ in legal(f"(pos:{order})", pieces).items() if open_] == first

    def test_nearest_and_farthest_go_by_the_distance_to_a_bucket(self):
        pieces = "red star 8, red star 15, red star 2"  # squared distances 8, 18, 5
        assert legal("(pos:NearestObject)", pieces) == {0: [], 1: [], 2: ALL}
        assert legal("(pos:Farthest)", pieces) == {0: [], 1: ALL, 2: []}

    def test_a_custom_order_ties_what_it_does_not_list(self):
        rule = "Order mine = [[5, 6], 1]\n(pos:mine)"
        assert legal(rule, "red star 1, red star 5, red star 6") == {0: [], 1: ALL, 2: ALL}
        assert legal(rule, "red star 7, red star 8") == {0: ALL, 1: ALL}

    def test_a_custom_order_may_replace_a_built_in_one(self):
        assert legal("Order T = [1]\n(pos:T)", "red star 1, red star 31") == {0: ALL, 1: []}

    def test_postpos_ranks_only_what_the_atom_accepts(self):
        pieces = "red star 1, red star 7, red star 8, blue star 31"
        assert legal("(color:red, postpos:T)", pieces) == {0: [], 1: ALL, 2: ALL, 3: []}

    def test_postpos_counts_a_piece_that_any_bucket_takes(self):
        # Blue stands higher, and is accepted into bucket 1 alone: red is still not first.
        rule = '(bucket:[(this.color == "RED") * 0, (this.color == "BLUE") * 1], postpos:T)'
        assert legal(rule, "red star 1, blue star 31") == {0: [], 1: [1]}

    def test_postpos_leaves_out_pieces_that_code_forbids(self):
        rule = '(code:this.color != "BLUE", postpos:T)'
        assert legal(rule, "red star 1, blue star 31") == {0: ALL, 1: []}

    def test_an_unknown_order_puts_nothing_first(self):
        assert legal("(pos:X) (pos:1, bucket:0)", "red star 1", strict=False) == {0: [0]}


class TestValues:
    def test_names_are_the_same_in_any_case(self):
        assert legal('(*,Star,"rEd",*,0)', "RED STAR 1, red star 2") == {0: [0], 1: [0]}

    def test_a_list_of_names(self):
        assert legal("(*,[star,circle],*,*,0)", "red star 1, red circle 2, red square 3")[2] == []

    def test_a_name_and_a_variable_in_one_list(self):
        rule = "(count:1)\n(shape:[star, last.shape])"
        pieces = "red circle 1, red star 2, red circle 3, red square 4"
        assert legal(rule, pieces, [(0, 0)]) == {1: ALL, 2: ALL, 3: []}

    def test_a_negated_name_never_matches(self):
        assert legal("(shape:!star)\n(bucket:0)", "red circle 1", strict=False) == {0: [0]}

    def test_path_like_names(self):
        assert legal('(*,"arrows/up",*,*,0)', "red arrows/up 1") == {0: [0]}


class TestProperties:
    PIECES = "- - 1 size=1 kind=cat, - - 2 size=5 kind=DOG, red star 3, - - 4 size=* kind=*"

    @pytest.mark.parametrize(
        "field, matches",
        [("size:1", [0, 3]), ("size:[1, 5]", [0, 1, 3]), ("size:[2..9]", [1, 3]),
         ("size:[0..1, 5..6]", [0, 1, 3]),
         ("size:*", [0, 1, 3]), ("kind:Cat", [0, 3]), ("kind:[cat, dog]", [0, 1, 3]), ('kind:"dog"', [1, 3]),
         ("size:2+3", [1, 3]), ("size:this.pos", [0, 3]), ("height:1", []), ("kind:7", [3])],
    )  # fmt: skip
    def test_conditions(self, field, matches):
        found = legal(f"({field}) (shape:none)", self.PIECES)
        assert [number for number, open_ in found.items() if open_] == matches

    def test_memory_of_properties(self):
        pieces = "- - 1 body=2 seq=0, - - 2 body=2 seq=1, - - 3 body=1 seq=1, - - 4 body=2 seq=2"
        rule = "(count:1)\n(body:last.body, seq:[(last.seq+1)%4, (last.seq+3)%4], bucket:p)"
        assert legal(rule, pieces, [(0, 3)]) == {1: [3], 2: [], 3: []}
        assert legal("(count:1)\n(bucket:p.body)", pieces, [(0, 3)]) == {1: [3], 2: [], 3: [3]}
        assert legal("(count:1)\n(bucket:q.body.seq + 2)", pieces, [(0, 3)]) == {1: [2], 2: [], 3: [2]}

    def test_a_piece_without_a_color_shares_it_with_none(self):
        assert legal("(count:1)\n(bucket:pc) (color:red)", "- - 1 size=1, - - 2 size=1", [(0, 1)]) == {1: ALL}


class TestAttempts:
    def test_by_cell(self):
        game, _, state = play("(bucket:0)", "red star 1, red star 2, red star 2")
        assert [int(attempt_at(game, state, cell, 0)[0]) for cell in (1, 2, 3, 99)] == [0, -11, 3, -2]

    def test_what_is_not_counted_leaves_the_state_alone(self):
        game, _, state = play("(bucket:0)", "red star 1")
        assert attempt(game, state, 7, 0) == (Response.INVALID_OBJECT_ID, state)
        assert attempt(game, state, 0, 4) == (Response.INVALID_ARGUMENTS, state)

    def test_giving_up(self):
        game, _, state = play("(bucket:0)", "red star 1")
        assert attempt(game, give_up(state), 0, 0)[0] == Response.NO_GAME

    def test_other_numbers_of_buckets(self):
        rule = "(count:1)\n(bucket:p+1)"
        geometry = Geometry(4, 6, 3)
        assert legal(rule, "red star 1, red star 2", [(0, 2)], geometry) == {1: [0]}


class TestSavedStates:
    def test_a_game_goes_on_from_where_it_was_saved(self):
        chance = random.Random(5)
        for _ in range(60):
            sample = draw_sample(chance)
            game = prepare(sample.rule, sample.geometry)
            state = begin(game, sample.board)
            for number, bucket in sample.moves[:20]:
                _, state = attempt(game, state, number, bucket)
            assert from_json(json.loads(json.dumps(to_json(state))), game) == state

    @pytest.mark.parametrize(
        "key, value", [("line", 5), ("attempts", -1), ("finish", 9), ("atom_counts", [1, 1]), ("pieces", 3)]
    )
    def test_a_state_that_does_not_fit_is_refused(self, key, value):
        game, _, state = play("(bucket:0)", "red star 1")
        with pytest.raises(BadBoard):
            from_json({**to_json(state), key: value}, game)

    def test_a_state_of_another_form_is_refused(self):
        game = prepare(parse("()"))
        with pytest.raises(BadBoard, match="has the keys"):
            from_json([], game)
