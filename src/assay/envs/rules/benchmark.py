"""The benchmark rules: those of the paper, of the published leader board, and further ones, as data.

Classes: a rule is stationary or not; F goes by features of pieces, P by positions, Q is a sequence of moves,
R sets priorities among pieces.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches

from assay.envs.rules.language.parse import parse
from assay.envs.rules.language.syntax import Rule
from assay.errors import UnknownName

PAPER = "the paper on the Game of Hidden Rules"
LEADER_BOARD = "the leader board of the Game of Hidden Rules"
COLLECTION = "the rule collection of the Game of Hidden Rules"
SHAPE_BUCKETS = (("SQUARE", 0), ("TRIANGLE", 1), ("STAR", 2), ("CIRCLE", 3))
COLOR_ORDER = ("RED", "BLUE", "YELLOW", "BLACK")


@dataclass(frozen=True)
class BenchmarkRule:
    """A rule with a name; `text` is what a rule file holds."""

    name: str
    stationary: bool
    classes: str  # letters among F, P, Q, R
    text: str
    origin: str = COLLECTION
    aliases: tuple[str, ...] = ()

    def parse(self) -> Rule:
        return parse(self.text, source=self.name)


def lines(*texts: str) -> str:
    return "\n".join(texts)


def one_color_a_line(atom: str) -> str:
    """A line per colour, in which COLOR stands for it."""
    return lines(*(atom.replace("COLOR", color) for color in COLOR_ORDER))


def shapes_by_color(count: str, before: str = "") -> str:
    """A line per colour, in which each shape has its bucket."""
    atoms = " ".join(f"({count}, {shape}, COLOR, *, {bucket})" for shape, bucket in SHAPE_BUCKETS)
    return one_color_a_line(f"{before}{atoms}")


def stationary(name: str, classes: str, text: str, origin: str = COLLECTION, *aliases: str) -> BenchmarkRule:
    return BenchmarkRule(name, True, classes, text, origin, aliases)


def changing(name: str, classes: str, text: str, origin: str = COLLECTION, *aliases: str) -> BenchmarkRule:
    return BenchmarkRule(name, False, classes, text, origin, aliases)


REVERSED_READING = ", ".join(str(6 * row + column) for row in range(6) for column in range(6, 0, -1))

RULES = (
    stationary("shape_match", "F",
               "(*, star, *, *, 0) (*, triangle, *, *, 1) (*, square, *, *, 2) (*, circle, *, *, 3)",
               PAPER, "color_match_paper"),
    stationary("color_match", "F",
               "(color:red, bucket:0) (color:blue, bucket:1) "
               "(color:black, bucket:2) (color:yellow, bucket:3)",
               COLLECTION, "cm_RBKY"),
    stationary("shapes_shared", "F",
               "(*, [star, triangle], *, *, 0) (*, square, *, *, 1) (*, circle, *, *, [2, 3])", PAPER),
    stationary("quadrant_nearby", "P", "(*, *, *, *, [Nearby])",
               LEADER_BOARD, "nearby_1", "position_Anearby"),
    stationary("quadrant_remotest", "P", "(bucket:Remotest)"),
    stationary("quadrant_mixed", "P",
               "(pos:[1, 2, 3, 7, 8, 9, 13, 14, 15], bucket:0) "
               "(pos:[19, 20, 21, 25, 26, 27, 31, 32, 33], bucket:1) "
               "(pos:[4, 5, 6, 10, 11, 12, 16, 17, 18], bucket:2) "
               "(pos:[22, 23, 24, 28, 29, 30, 34, 35, 36], bucket:3)",
               COLLECTION, "quadMixed1"),
    changing("top_then_bottom", "Q", lines("(1, *, *, *, [0, 1])", "(1, *, *, *, [2, 3])"), LEADER_BOARD),
    changing("b23_then_b01", "Q", lines("(1, *, *, *, [2, 3])", "(1, *, *, *, [0, 1])"), PAPER),
    changing("b3_then_b1", "Q", lines("(1, *, *, *, 3)", "(1, *, *, *, 1)"), PAPER),
    changing("topRight_then_bottomLeft", "Q", lines("(1, *, *, *, [1])", "(1, *, *, *, [3])"), LEADER_BOARD),
    changing("clockwise", "Q", lines("(1, *, *, *, [0, 1, 2, 3])", "(*, *, *, *, p + 1)"), PAPER),
    changing("clockwise_from_0", "Q", lines("(1, *, *, *, 0)", "(*, *, *, *, p + 1)")),
    changing("clockwise_0123", "Q", lines(*(f"1 (bucket:{bucket})" for bucket in (0, 1, 2, 3)))),
    changing("counterClockwise", "Q", lines("(1, *, *, *, [0, 1, 2, 3])", "(*, *, *, *, [(p + 3) % 4])"),
             LEADER_BOARD),
    changing("buckets_2130", "Q", lines(*(f"1 (bucket:{bucket})" for bucket in (2, 1, 3, 0)))),
    changing("alternate_sides_free", "Q", lines("(count:1)", "(bucket:[p / 2 * 2 + 2, p / 2 * 2 + 3])")),
    changing("first_lap_any_direction", "Q",
             lines("(count:1)", "(bucket:[p + 1, p - 1], code:!q.bucket)", "(bucket:p + 1)")),
    changing("color_finds_bucket", "QF", "(code:!q.bucket * !q.color) (bucket:pc)"),
    changing("alternateShape2Bucket_color2Bucket", "QF",
             lines("1 (*, SQUARE, *, *, 0) (*, CIRCLE, *, *, 1) (*, TRIANGLE, *, *, 2) (*, STAR, *, *, 3)",
                   "1 (*, *, RED, *, 0) (*, *, YELLOW, *, 1) (*, *, BLUE, *, 2) (*, *, BLACK, *, 3)"),
             LEADER_BOARD),
    changing("colOrd_RBYK", "R", one_color_a_line("(*, *, COLOR, *, [0, 1, 2, 3])"), LEADER_BOARD),
    changing("red_then_blue", "R", lines("(*, *, red, *, 1)", "(*, *, blue, *, 2)"), PAPER),
    changing("colOrd_nearby", "RP", one_color_a_line("(*, *, COLOR, *, [Nearby])"), LEADER_BOARD),
    changing("colOrd_Sh_Bckt", "RF", shapes_by_color("1"), LEADER_BOARD),
    changing("colOrd_oneEach_shBckt", "QF", shapes_by_color("*", "1 "), LEADER_BOARD),
    changing("col1Ord_BRKY", "Q",
             lines(*(f"1 (color:{color})" for color in ("blue", "red", "black", "yellow")))),
    changing("sha1OrdBuck_qcts0213", "QF",
             lines("1 (shape:square, bucket:0)", "1 (shape:circle, bucket:2)",
                   "1 (shape:triangle, bucket:1)", "1 (shape:star, bucket:3)")),
    changing("colOrdL1_BRKY", "QP",
             lines(*(f"1 (color:{color}, postpos:L1)" for color in ("blue", "red", "black", "yellow")))),
    changing("position_Aread", "P", "(*, *, *, L1, [0, 1, 2, 3])", LEADER_BOARD),
    changing("position_A", "P", "(*, *, *, L1, Nearby)", LEADER_BOARD),
    changing("position_Aleft", "P", "(*, *, *, L, Nearby)", LEADER_BOARD),
    changing("position_Aright", "P", "(*, *, *, R, Nearby)", LEADER_BOARD),
    changing("farthest_1", "P", "(*, *, *, Farthest, [0, 1, 2, 3])", LEADER_BOARD),
    changing("ordRevOfL1_Remotest", "P",
             lines(f"Order RevOfL1 = [{REVERSED_READING}]", "(pos:RevOfL1, bucket:Remotest)")),
)  # fmt: skip

# The published leader board, by its names; position_Anearby and nearby_1 are one rule.
LEADER_BOARD_15 = (
    "alternateShape2Bucket_color2Bucket", "colOrd_RBYK", "colOrd_Sh_Bckt", "colOrd_nearby",
    "colOrd_oneEach_shBckt", "counterClockwise", "farthest_1", "nearby_1", "position_A", "position_Aleft",
    "position_Anearby", "position_Aread", "position_Aright", "topRight_then_bottomLeft", "top_then_bottom",
)  # fmt: skip
SAMPLE_4 = ("shape_match", "clockwise", "b23_then_b01", "b3_then_b1")  # of the paper, in its order

BY_NAME = {name: rule for rule in RULES for name in (rule.name, *rule.aliases)}


def find_rule(name: str) -> BenchmarkRule:
    """The rule of a name or of an alias."""
    if name not in BY_NAME:
        near = get_close_matches(name, BY_NAME, 1)
        says = f"did you mean {near[0]}?" if near else f"there are {', '.join(sorted(BY_NAME))}."
        raise UnknownName(f"no benchmark rule is called {name!r}; {says}")
    return BY_NAME[name]
