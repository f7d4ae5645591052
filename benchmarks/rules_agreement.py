"""Do the interpreter and the compiled engine agree on random rules, boards and moves, and what do these use?

    python benchmarks/rules_agreement.py [COUNT]

10,000 rules, each with a board and 40 moves of its own; one rule in ten also says what only lenient reading
takes. Two of five moves are ones that the rule accepts, where there are any. After each move both engines
tell the code, the finish code, the line, all counters, and the open buckets of every piece. The tables count
the rules that use each construct of the language, and the games in which each thing happens. The exit status
is 1 where the engines differ, or where 10,000 rules use a construct fewer than 200 times.
"""

import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parent.parent
TESTS = ROOT / "tests" / "envs" / "rules"
sys.path[:0] = [str(TESTS), str(TESTS / "engine"), str(ROOT / "src")]

from engine_agreement import Heard, compare_engines  # noqa: E402
from random_constructs import CONSTRUCTS, LENIENT, constructs_of  # noqa: E402
from random_rules import COLOR_NAMES, SHAPE_NAMES, VALUES, draw_sample  # noqa: E402

from assay.envs.rules.codes import Finish, Response  # noqa: E402
from assay.envs.rules.engine.variables import Vocabulary  # noqa: E402
from assay.envs.rules.language.write import write  # noqa: E402

VOCABULARY = Vocabulary(SHAPE_NAMES, COLOR_NAMES, VALUES)
PIECES, COUNT, FEWEST, LENIENT_SHARE = 12, 10_000, 200, 10


def events_of(plain: Heard) -> Iterator[str]:
    """What happens in a game."""
    finish, line = plain.finish.tolist(), plain.line.tolist()
    accepted = int((plain.code[1:] == Response.ACCEPT).sum())
    if finish[0] == Finish.STALEMATE:
        yield "begins in stalemate"
    elif line[0]:
        yield "begins in a later line"
    elif finish[-1] == Finish.STALEMATE:
        yield "ends in stalemate after a move"
    if finish[-1] == Finish.CLEARED:
        yield "is cleared"
    if any(a != b for a, b in pairwise(line)):
        yield "passes to another line"
    if accepted >= 5:
        yield "has five accepted moves"
    for code in {int(each) for each in plain.code[1:]}:
        yield f"meets {Response(code).name}"


def main() -> int:
    count = int(sys.argv[1]) if sys.argv[1:] else COUNT
    chance, begun = random.Random(4), time.process_time()
    lenient = [i % LENIENT_SHARE == 0 for i in range(count)]
    samples = [draw_sample(chance, guided=True, lenient=each) for each in lenient]
    refused: list = []
    used, events, compared, differing = Counter(), Counter(), 0, []
    for each in compare_engines(samples, VOCABULARY, PIECES, refused):
        compared += 1
        used.update(constructs_of(each.sample))
        events.update(events_of(each.plain))
        if each.differing:
            differing.append(each)
    seconds = time.process_time() - begun
    print(f"{compared} rules compared in {seconds:.0f} CPU-seconds, {len(differing)} differ; ", end="")
    print(f"{len(refused)} are beyond the limits of tables and refused with their reason")
    for each in differing[:10]:
        print(write(each.sample.rule), *each.differing, sep="\n  ")
    print_table("games", events, sorted(events))
    print_table("rules that use it", used, (*CONSTRUCTS, *LENIENT))
    rare = [name for name in (*CONSTRUCTS, *LENIENT) if used[name] * COUNT < FEWEST * count]
    print(f"fewer than {FEWEST} in {COUNT}: {', '.join(rare) or 'none'}")
    return 1 if differing or rare else 0


def print_table(title: str, counts: Counter, names: tuple[str, ...] | list[str]) -> None:
    print(f"{title}:")
    told = [f"{name} {counts[name]}" for name in names]
    for at in range(0, len(told), 4):
        print("  " + "".join(f"{each:34}" for each in told[at : at + 4]).rstrip())


if __name__ == "__main__":
    sys.exit(main())
