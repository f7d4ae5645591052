"""Transcripts written by hand, in the interpreter, in the compiled engine and in the captive server."""

from dataclasses import dataclass

import numpy as np
import pytest
from engine_agreement import Heard, hear_compiled, hear_plain
from hand_computed import TRANSCRIPTS, Transcript

from assay.envs.rules.engine.variables import Vocabulary
from assay.envs.rules.geometry import STANDARD, Geometry
from assay.envs.rules.interpreter import prepare
from assay.interop.captive.episode import NO_GAME, PLAYING, Episode
from assay.interop.captive.remembered import remember

PIECES = 5
LONGEST = max(len(each.moves) for each in TRANSCRIPTS)
names = pytest.mark.parametrize("each", TRANSCRIPTS, ids=lambda each: each.name)


@dataclass
class Game:
    """A transcript as both engines take it; its last move is repeated, so that all are of one length."""

    rule: object
    board: object
    moves: list
    geometry: Geometry = STANDARD


def game_of(each: Transcript) -> Game:
    return Game(each.rule, each.board, each.moves + each.moves[-1:] * (LONGEST - len(each.moves)))


@pytest.fixture(scope="module")
def compiled() -> dict[str, Heard]:
    """All transcripts in one program."""
    heard = hear_compiled([game_of(each) for each in TRANSCRIPTS], Vocabulary(), PIECES)
    return {each.name: one for each, one in zip(TRANSCRIPTS, heard)}


def check(each: Transcript, heard: Heard) -> None:
    bits = [sum(1 << bucket for bucket in buckets) for step in each.steps for buckets in step.legal]
    size, pieces = len(each.steps), len(each.board.pieces)
    legal = np.array(bits).reshape(size, pieces)
    assert heard.code[1:size].tolist() == [step.code for step in each.steps[1:]]
    assert heard.finish[:size].tolist() == [step.finish for step in each.steps]
    assert heard.line[:size].tolist() == [step.line for step in each.steps]
    assert heard.line_left[:size].tolist() == [step.line_left for step in each.steps]
    told = [tuple(row[: len(step.atoms_left)]) for row, step in zip(heard.atoms_left, each.steps)]
    assert told == [step.atoms_left for step in each.steps]
    assert heard.legal[:size, :pieces].tolist() == legal.tolist()


@names
def test_the_interpreter_says_what_is_written(each):
    check(each, hear_plain(game_of(each), 4, PIECES))


@names
def test_the_compiled_engine_says_what_is_written(each, compiled):
    check(each, compiled[each.name])


@names
def test_the_captive_server_says_what_is_written(each):
    episode = Episode(remember(prepare(each.rule)), each.board)
    for step in each.steps:
        if step.move is not None:
            assert play(episode, *step.move) == step.code
        assert (episode.finish, episode.line) == (step.finish, step.line)
        left = [i for i in range(len(each.board.pieces)) if i not in step.gone]
        assert [piece.id for piece in episode.pieces] == left
        if episode.finish == PLAYING:
            assert (-1 if episode.line_count is None else episode.line_count) == step.line_left
            assert tuple(-1 if count is None else count for count in episode.counts) == step.atoms_left
        masks = [sum(1 << bucket for bucket in step.legal[piece]) for piece in left]
        assert episode.open == masks


def play(episode: Episode, piece: int, bucket: int) -> int:
    """As a session does it."""
    if episode.finish != PLAYING:
        return NO_GAME
    place = episode.place_of_id(piece)
    assert place is not None, "a transcript moves pieces that are there"
    return episode.attempt(place, bucket)
