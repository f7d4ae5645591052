"""The benchmark of hidden rules plays real games: pieces that are there, counted moves, new boards."""

import jax
import jax.numpy as jnp

from assay.bench import rules as bench
from assay.envs.rules.benchmark import find_rule
from assay.envs.rules.codes import Response
from assay.envs.rules.engine.compile import compile_rule, compile_rules
from assay.envs.rules.engine.play import begin
from assay.envs.rules.engine.random_boards import draw_board, prepare_draw
from assay.envs.rules.random_boards import BoardDraw


def test_random_moves_take_pieces_that_are_on_the_board():
    tables, draw = compile_rule(find_rule("shape_match").parse()), prepare_draw(BoardDraw())

    @jax.jit
    def play(key):
        state = begin(tables, draw_board(key, draw))
        bits = jax.random.bits(key, (60,), jnp.uint32)
        return jax.lax.scan(lambda state, each: bench.play_randomly(tables, state, each), state, bits)

    state, codes = play(jax.random.key(3))
    # Every shape has one bucket: a move is accepted or denied, never immovable or of a piece that is gone.
    assert set(codes.tolist()) <= {Response.ACCEPT, Response.DENY, Response.NO_GAME}
    assert (codes == Response.ACCEPT).sum() == 9 and int(state.finish) == 1


def test_moves_of_the_scan_are_counted(monkeypatch):
    monkeypatch.setattr(bench, "LANES", 8)
    monkeypatch.setattr(bench, "ROUNDS", 30)
    stack, draw = compile_rules([find_rule("quadrant_nearby").parse()]), prepare_draw(BoardDraw())
    jax.clear_caches()
    moves = bench.scan_of((stack,), draw, cores=2)(0)()
    # Games wait for a new board for at most a few moves, and with none they would all be over by half.
    assert 0.85 * 2 * 8 * 30 * bench.STEPS < moves <= 2 * 8 * 30 * bench.STEPS
    jax.clear_caches()
