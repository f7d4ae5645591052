"""Transcripts written by hand from the semantics of rules: what every engine must say after each move.

A step is `piece bucket: code finish | line, line counter, atom counters | open buckets of each piece`. `*`
is an unmetered counter; `-` stands for a piece that can go nowhere, `.` for one that is gone. The first step,
which has no move, is the beginning. Pieces are A, B, C, ... in the order of the board, lines count from 1.
"""

from __future__ import annotations

from dataclasses import dataclass

from playing import board

from assay.envs.rules.board import Board
from assay.envs.rules.language.parse import parse
from assay.envs.rules.language.syntax import Rule

LETTERS = "ABCDEFGH"


@dataclass(frozen=True)
class Step:
    """What is heard after a move; -1 is an unmetered counter, and a piece that is gone has no bucket."""

    move: tuple[int, int] | None
    code: int
    finish: int
    line: int  # from 0
    line_left: int
    atoms_left: tuple[int, ...]
    legal: tuple[frozenset[int], ...]
    gone: frozenset[int]


@dataclass(frozen=True)
class Transcript:
    name: str
    rule: Rule
    board: Board
    steps: tuple[Step, ...]

    @property
    def moves(self) -> list[tuple[int, int]]:
        return [step.move for step in self.steps if step.move is not None]


def read_step(text: str) -> Step:
    told, counters, pieces = (part.split() for part in text.split("|"))
    move, code, finish = None, 0, int(told[-1])
    if len(told) > 1:
        move, code = (LETTERS.index(told[0]), int(told[1].rstrip(":"))), int(told[2])
    line, line_left, *atoms = counters
    counts = [-1 if each == "*" else int(each) for each in (line_left, *atoms)]
    legal = tuple(frozenset(map(int, each)) if each.isdigit() else frozenset() for each in pieces)
    gone = frozenset(i for i, each in enumerate(pieces) if each == ".")
    return Step(move, code, finish, int(line) - 1, counts[0], tuple(counts[1:]), legal, gone)


def transcript(name: str, rule: str, pieces: str, *steps: str) -> Transcript:
    return Transcript(name, parse(rule), board(pieces), tuple(map(read_step, steps)))


WORKED_EXAMPLE = transcript(
    "the worked example",
    "(1,*,red,*,0) (2,*,*,*,[0,1])\n1 (*,*,*,*,p+2)",
    "red star 1, red circle 8, blue star 36",
    "0 | 1 * 1 2 | 01 01 01",
    "C 3: 4 0 | 1 * 1 2 | 01 01 01",
    "A 0: 0 0 | 1 * 0 1 | . 01 01",  # both atoms accept, and both lose one
    "B 1: 0 0 | 2 1 * | . . 3",  # the second atom alone; all are at 0, so line 2, with p = 1
    "C 1: 4 0 | 2 1 * | . . 3",
    "C 3: 0 1 | 2 0 * | . . .",
    "C 3: -4 1 | 2 0 * | . . .",
)
METERING = (
    transcript(
        "a single metered line resets itself",
        "(2,*,*,*,0) (1,*,red,*,1)",
        "red star 1, red star 2, blue star 3, blue star 4, blue star 5",
        "0 | 1 * 2 1 | 01 01 0 0 0",
        "A 1: 0 0 | 1 * 2 0 | . 0 0 0 0",
        "B 1: 4 0 | 1 * 2 0 | . 0 0 0 0",
        "B 0: 0 0 | 1 * 1 0 | . . 0 0 0",
        "C 0: 0 0 | 1 * 2 1 | . . . 0 0",  # both are at 0: the line comes back fresh
        "D 0: 0 0 | 1 * 1 1 | . . . . 0",
        "E 0: 0 1 | 1 * 0 1 | . . . . .",
    ),
    transcript(
        "counters are lost with the line",
        "2 (3,*,*,*,0)\n1 (*,*,*,*,1)",
        "red star 1, red star 2, red star 3, red star 4",
        "0 | 1 2 3 | 0 0 0 0",
        "A 0: 0 0 | 1 1 2 | . 0 0 0",
        "B 0: 0 0 | 2 1 * | . . 1 1",  # the line is spent, though its atom is not
        "C 1: 0 0 | 1 2 3 | . . . 0",  # and begins again with 3
        "D 0: 0 1 | 1 1 2 | . . . .",
    ),
    transcript(
        "counts of 0",
        "0 (bucket:3)\n(count:0, bucket:2) (count:1, bucket:1)\n1 (bucket:0)",
        "red star 1, red star 2, red star 3",
        "0 | 2 * 0 1 | 1 1 1",  # line 1 is skipped, and the first atom of line 2 accepts nothing
        "A 3: 4 0 | 2 * 0 1 | 1 1 1",
        "A 1: 0 0 | 3 1 * | . 0 0",
        "B 0: 0 0 | 2 * 0 1 | . . 1",  # counted around, over line 1
        "C 1: 0 1 | 2 * 0 0 | . . .",
    ),
    transcript(
        "an atom that could not take the piece loses nothing",
        "(1,*,red,*,0) (2,*,blue,*,0) (*,square,*,*,3)",
        "red star 1, blue star 2, blue square 3, red square 4",
        "0 | 1 * 1 2 * | 0 0 03 03",
        "C 3: 0 0 | 1 * 1 2 * | 0 0 . 03",  # into bucket 3 by the unmetered atom alone
        "D 0: 0 0 | 1 * 0 2 * | - 0 . .",
        "A 0: 7 0 | 1 * 0 2 * | - 0 . .",
        "B 0: 0 0 | 1 * 1 2 * | 0 . . .",  # only A is left, which the line does not move: it comes back fresh
        "A 0: 0 1 | 1 * 0 2 * | . . . .",
    ),
)
STALEMATES = (
    transcript(
        "stalemate from the beginning",
        "(*,*,yellow,*,0)\n(*,square,*,*,1)",
        "red star 1, blue circle 2",
        "2 | 1 * * | - -",
        "A 0: -4 2 | 1 * * | - -",
    ),
    transcript(
        "stalemate after an accepted move",
        "(*,*,red,*,1)\n(*,*,blue,*,2)",
        "red star 1, yellow star 2, blue star 3",
        "0 | 1 * * | 1 - -",
        "B 1: 7 0 | 1 * * | 1 - -",
        "A 1: 0 0 | 2 * * | . - 2",
        "C 2: 0 2 | 2 * * | . - .",  # the move itself is accepted
        "B 2: -4 2 | 2 * * | . - .",
    ),
    transcript(
        "a line that memory has closed",
        "(bucket:[!p*0, (p<2)*(p+1)])",
        "red star 1, red star 2, red star 3, red star 4",
        "0 | 1 * * | 0 0 0 0",
        "A 0: 0 0 | 1 * * | . 1 1 1",
        "B 1: 0 0 | 1 * * | . . 2 2",
        "C 2: 0 2 | 1 * * | . . . -",  # p is 2, so nothing is open
    ),
)
MEMORY = (
    transcript(
        "p",
        "(1,*,*,*,[0,1,2,3])\n(*,*,*,*,[((p + 3) % 4)])",
        "red star 1, red star 2, red star 3",
        "0 | 1 * 1 | 0123 0123 0123",
        "B 1: 0 0 | 2 * * | 0 . 0",
        "A 2: 4 0 | 2 * * | 0 . 0",
        "A 0: 0 0 | 2 * * | . . 3",
        "C 3: 0 1 | 2 * * | . . .",
    ),
    transcript(
        "pc and ps",
        "(count:2)\n(bucket:pc) (bucket:ps+1)",
        "red star 1, blue circle 2, red circle 3, blue star 4, yellow square 5",
        "0 | 1 * 2 | 0123 0123 0123 0123 0123",
        "A 0: 0 0 | 1 * 1 | . 0123 0123 0123 0123",
        # red went into 0 and blue into 2; star into 0 and circle into 2
        "B 2: 0 0 | 2 * * * | . . 03 12 -",
        "E 0: 7 0 | 2 * * * | . . 03 12 -",
        "C 3: 0 0 | 2 * * * | . . . 12 -",
        "D 1: 0 0 | 1 * 2 | . . . . 0123",
        "E 2: 0 1 | 1 * 1 | . . . . .",
    ),
    transcript(
        "each colour finds its bucket",
        "(code:!q.bucket*!q.color) (bucket:pc)",
        "red star 1, blue circle 2, red circle 3, blue star 4",
        "0 | 1 * * * | 0123 0123 0123 0123",
        "A 2: 0 0 | 1 * * * | . 013 2 013",  # bucket 2 is taken, and red has it
        "B 2: 4 0 | 1 * * * | . 013 2 013",
        "B 0: 0 0 | 1 * * * | . . 2 0",
        "D 0: 0 0 | 1 * * * | . . 2 .",
        "C 2: 0 1 | 1 * * * | . . . .",
    ),
    transcript(
        "last, this and q of a record",
        "(count:1)\n(shape:last.shape, bucket:last.bucket) (code:this.pos > last.pos+2, bucket:q.color.pos)",
        "red star 3, red circle 4, blue star 5, red square 6",
        "0 | 1 * 1 | 0123 0123 0123 0123",
        "A 1: 0 0 | 2 * * * | . - 1 3",  # D: 6 > 5, and red went from cell 3
        "D 3: 0 0 | 1 * 1 | . 0123 0123 .",  # no square is left, and no cell behind 8: line 1 again
        "C 0: 0 0 | 1 * 1 | . 0123 . .",  # nor star; no cell behind 7: a fresh line 1 once more
        "B 2: 0 1 | 1 * 0 | . . . .",
    ),
)
PLACES = (
    transcript(
        "nearest and most remote buckets",
        "1 (bucket:Nearby)\n1 (bucket:Remotest)",
        "red star 15, red star 16, red star 21, red star 22",  # the four cells in the middle
        "0 | 1 1 * | 3 2 0 1",
        "A 3: 0 0 | 2 1 * | . 0 2 3",
        "B 2: 4 0 | 2 1 * | . 0 2 3",
        "B 0: 0 0 | 1 1 * | . . 0 1",
        "C 0: 0 0 | 2 1 * | . . . 3",
        "D 3: 0 1 | 2 0 * | . . . .",
    ),
    transcript(
        "an order looks at all pieces, postpos at those that the atom takes",
        "1 (color:red, pos:T, bucket:0) (color:blue, postpos:L1, bucket:1)\n(bucket:2)",
        "blue star 2, red star 7, blue star 9, red star 33",
        "0 | 1 1 * * | - - 1 0",  # D is topmost of all; of the blue ones C is read before A
        "B 0: 7 0 | 1 1 * * | - - 1 0",
        "D 0: 0 0 | 2 * * | 2 2 2 .",
        "C 2: 0 0 | 2 * * | 2 2 . .",
        "A 2: 0 0 | 2 * * | . 2 . .",
        "B 2: 0 1 | 2 * * | . . . .",
    ),
)
# Cells 2, 5, 15, 26 and 30 are in columns 2, 5, 3, 2, 6 and rows 1, 1, 3, 5, 5, and their squared distances
# to the nearest bucket are 5, 5, 18, 8, 5. A custom order names 15 first, 30 and 2 together, and no other.
FIVE = "red star 2, red star 5, red star 15, red star 26, red star 30"
GROUPS = {
    "L1": "D E C A B", "L2": "E D C B A", "L3": "E B C D A", "L4": "D A C B E", "T": "DE C AB",
    "B": "AB C DE", "L": "AD C B E", "R": "E B C AD", "NearestObject": "ABE D C", "Farthest": "C D ABE",
    "Mine": "C AE BD",
}  # fmt: skip


def describe(letter: str, left: set[str], first: set[str]) -> str:
    return "." if letter not in left else "0123" if letter in first else "-"


def clear_in_order(order: str, groups: str) -> Transcript:
    """A board cleared in an order: at each step only the first group that has a piece left can move."""
    left, waiting, steps = set(LETTERS[:5]), groups.split(), []
    for group in [None, *waiting]:
        for letter in [None] if group is None else sorted(group):
            left.discard(letter)
            first = next((set(each) & left for each in waiting if set(each) & left), set())
            told = " ".join(describe(each, left, first) for each in LETTERS[:5])
            opening = f"{letter} 1: 0 " if letter else ""
            steps.append(f"{opening}{0 if left else 1} | 1 * * | {told}")
    rule = f"Order Mine = [15, [30, 2]]\n(pos:{order})"
    return transcript(f"the order {order}", rule, FIVE, *steps)


ORDERS = tuple(clear_in_order(order, groups) for order, groups in GROUPS.items())
TRANSCRIPTS = (WORKED_EXAMPLE, *METERING, *STALEMATES, *MEMORY, *PLACES, *ORDERS)
