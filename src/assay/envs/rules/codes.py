"""The codes of the published game: how it answers an attempt, and how an episode stands."""

from __future__ import annotations

from enum import IntEnum


class Response(IntEnum):
    """The answer to a command."""

    ACCEPT = 0
    STALEMATE = 2  # of an opening line alone: the episode begins without a move
    EMPTY_CELL = 3
    DENY = 4  # the piece can move, but not there
    EXIT = 5
    NEW_GAME = 6
    IMMOVABLE = 7  # the piece can go nowhere now
    INVALID_COMMAND = -1
    INVALID_ARGUMENTS = -2
    INVALID_POS = -3
    NO_GAME = -4  # the episode is over
    INVALID_RULES = -5
    NO_SUCH_EPISODE = -6
    ATTEMPT_CNT_MISMATCH = -7
    JUST_A_DISPLAY = -8
    OUT_OF_TURN = -9
    INVALID_OBJECT_ID = -10  # unknown, or already removed
    MULTIPLE_OBJECTS_IN_CELL = -11


COUNTED = frozenset({Response.ACCEPT, Response.DENY, Response.IMMOVABLE})  # as attempts


class Finish(IntEnum):
    """How an episode stands."""

    PLAYING = 0
    CLEARED = 1
    STALEMATE = 2
    GIVEN_UP = 3
    LOST = 4  # a bonus round
    EARLY_WIN = 5
    WALKED_AWAY = 6
    ABANDONED = 7
