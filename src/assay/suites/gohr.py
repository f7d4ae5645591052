"""`gohr/*`: the rules of the Game of Hidden Rules, each learned and evaluated by itself.

A suite asks how hard its rules are for an agent, so a pair trains and evaluates on one task. The paper plays
200 episodes of at most 100 moves; 20,000 steps are as many moves.
"""

from __future__ import annotations

from assay.suites.suite import Pair, Suite

RUNS, FEWER_RUNS = 100, 20
MOVES = 20_000  # 200 episodes of 100
SAMPLE_4 = ("shape_match", "clockwise", "b23_then_b01", "b3_then_b1")  # in the paper's order
LEADER_BOARD_15 = (
    "alternateShape2Bucket_color2Bucket", "colOrd_RBYK", "colOrd_Sh_Bckt", "colOrd_nearby",
    "colOrd_oneEach_shBckt", "counterClockwise", "farthest_1", "nearby_1", "position_A", "position_Aleft",
    "position_Anearby", "position_Aread", "position_Aright", "topRight_then_bottomLeft", "top_then_bottom",
)  # fmt: skip
BENCHMARK = (
    "shape_match", "color_match", "shapes_shared", "quadrant_nearby", "quadrant_remotest", "quadrant_mixed",
    "top_then_bottom", "b23_then_b01", "b3_then_b1", "topRight_then_bottomLeft", "clockwise",
    "clockwise_from_0", "clockwise_0123", "counterClockwise", "buckets_2130", "alternate_sides_free",
    "first_lap_any_direction", "color_finds_bucket", "alternateShape2Bucket_color2Bucket", "colOrd_RBYK",
    "red_then_blue", "colOrd_nearby", "colOrd_Sh_Bckt", "colOrd_oneEach_shBckt", "col1Ord_BRKY",
    "sha1OrdBuck_qcts0213", "colOrdL1_BRKY", "position_Aread", "position_A", "position_Aleft",
    "position_Aright", "farthest_1", "ordRevOfL1_Remotest",
)  # fmt: skip


def suite_of(name: str, rules: tuple[str, ...], runs: int, asks: str) -> Suite:
    pairs = tuple(Pair(f"rules/{rule}", f"rules/{rule}", name=rule) for rule in rules)
    return Suite(f"gohr/{name}", 1, asks, pairs, tuple(range(runs)), episodes=20, steps=MOVES)


SUITES = (
    suite_of("sample-4", SAMPLE_4, RUNS, "how hard are the paper's four rules, one beside another?"),
    suite_of("benchmark", BENCHMARK, FEWER_RUNS, "which of the benchmark rules are hard, and which easy?"),
    suite_of("leaderboard-15", LEADER_BOARD_15, RUNS, "how well are the rules of the leader board learned?"),
)
