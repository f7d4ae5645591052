"""Writes docs/results/gohr.md and its figures from the files in benchmarks/gohr/.

    .venv/bin/python benchmarks/gohr_page.py

`gohr_results.py` makes these files. A study whose file is not there is left out, and the page says so.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from gohr_figures import figures

from assay.analysis.difficulty import Band, Cell, Comparison, Difficulty, compare, draw_box, judge_cells

HERE = Path(__file__).parent
KEPT = HERE / "gohr"
DOCS = HERE.parent / "docs"
PAGE = DOCS / "results" / "gohr.md"
# Median TCE of a prototype with the same constants, by set of actions and rule.
PROTOTYPE = {
    "all": {"shape_match": 355, "clockwise": 379, "b23_then_b01": 222, "b3_then_b1": 219},
    "occupied": {"shape_match": 148, "clockwise": 132, "b23_then_b01": 95, "b3_then_b1": 137},
}
NEAR = 0.2  # of the prototype's median
SURE = 0.002  # the paper's p
HARDER = 0.05  # the p of all changes of rules together
Kept = dict[str, Any]

INTRO = """# Results on the Game of Hidden Rules

TCE is the terminal cumulated error: the errors of a run over all its episodes. A run has mastered its rule \
with its first ten clean episodes in a row, and its cost is its errors until then. Every board has 9 pieces \
of 4 shapes and 4 colours, an episode has at most 100 moves, and a run 200 episodes. A move from an empty \
cell counts as an error. With the actions `all` a player chooses among all 144 pairs of a cell and a \
bucket, with `occupied` among those whose cell holds a piece. Bands are 95% percentile intervals of the \
median over runs.

The page is made of the files in `benchmarks/gohr/`; both commands together make it anew:

```
python benchmarks/gohr_results.py runs/gohr     # all runs; goes on where it was stopped
python benchmarks/gohr_page.py                  # this page and its figures
```"""
PAPER = """## The paper's experiment

Four rules, 100 runs each, played by the paper's learner (`linear_q`): a DQN that is linear in 3,720 \
features. The paper leaves out the learning rate, the optimiser, how often the target is copied and how ties \
are broken, and prints no numbers. So medians are compared with those of a prototype with the same \
constants."""
FIGURES = """![Median cumulated errors with bands](../images/gohr-curves.svg)

![Box plots of TCE](../images/gohr-boxes.svg)

Shares of pairs of runs in which the row has more errors than the column; * where p < 0.05 (one-sided U test):

![Pairs of runs](../images/gohr-pairs.svg)"""
BENCHMARK = """## Every benchmark rule

33 rules, {seeds} runs of 200 episodes each. Beside the players stand 200 times the expected errors of an \
episode of random play, among all actions and among those of occupied cells (`{references}`; * where they \
are not exact for all boards but means over 20 of them). A player that knows the rule makes no error. Rules \
are listed from the easiest on, by the rating of a tournament over all players. A learner with \
`discount=0.0` looks at the answer to its own move alone, which is all that a rule asks for. A neural player \
is not among them: `dqn` with `network=cells` learns (docs/rules.md), but 660 runs of 20,000 steps would \
take hours."""
FACETS = """## One facet at a time

Which single change makes a rule harder to learn from scratch? Three rules, each with one facet changed, \
{seeds} runs of 200 episodes each by `linear_q` with actions `all`. p is that of a one-sided U test of \
"more errors than under the plain rule". A change is called harder or easier where that p, or the one of \
the reverse, is below {harder} divided by the number of all these tests ({tests}), so that a word which \
chance alone has put here has a chance of at most {harder}. Boards of other numbers of pieces allow other \
numbers of errors. `line_order` of `clockwise` is no facet: its lines in another order accept the same \
moves."""


EXAM = """## An exam of a trained player

Players are trained on the plain rule `b3_then_b1`, frozen, and put before each facet, with the same boards \
and seeds. `{command}`: {seeds} seeds of {budget:,} moves at most, {episodes} episodes for each level, \
{cpu:.0f} CPU-seconds; {versions}. Plain score {score}, random play {random:.1f}, best possible 0. An effect \
is the change of the score over the distance from random play to the plain score; intervals of \
{coverage:.0%} hold together for all levels of all axes. (More than -100%: they do worse than random play.)"""


def load(name: str) -> Kept | None:
    path = KEPT / f"{name}.json"
    return json.loads(path.read_text()) if path.exists() else None


def cell_of(kept: Kept) -> Cell:
    tce = tuple(map(float, kept["tce"]))
    curve = Band(*(tuple(map(float, kept["curve"][name])) for name in ("median", "low", "high")))
    never = tuple(sorted(set(kept["seeds"]) - set(kept["mastered"])))
    return Cell(
        kept["rule"], kept["player"], tuple(kept["seeds"]), kept["episodes"], tce, curve,
        draw_box(np.array(tce)), tuple(kept["mastered"]), tuple(map(float, kept["costs"])),
        tuple(kept["mastered_at"]), never, tuple(kept["rising"]),
    )  # fmt: skip


def difficulty_in(kept: Kept) -> Difficulty:
    return judge_cells([cell_of(each) for each in kept["cells"]], kept["draws"])


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def rule_of(name: str) -> str:
    return name.partition("/")[2]


def band_text(cell: Cell) -> str:
    return f"{cell.curve.low[-1]:g} to {cell.curve.high[-1]:g}"


def cost_text(cell: Cell) -> str:
    return "-" if cell.median_cost is None else f"{cell.median_cost:g}"


def chance_text(chance: float) -> str:
    return f"{chance:.2g}" if chance >= 1e-6 else "< 1e-6"


def describe_runs(kept: Kept) -> str:
    """Command, seeds, budget, constants and versions of every run, and what it took."""
    lines = []
    for run in kept["runs"]:
        constants = ", ".join(f"`{name}={value}`" for name, value in sorted(run["settings"].items()))
        versions = ", ".join(f"{name} {text}" for name, text in run["versions"].items())
        lines.append(
            f"- `{run['command']}`: seeds 0 to {run['seeds'] - 1}, {run['jobs']} runs, "
            f"{run['cpu_s']:g} CPU-seconds with compilation; {versions}."
            + (f" Constants: {constants}." if constants else "")
        )
    return "\n".join([*lines, *(f"- {note}" for note in kept.get("notes", ()))])


def paper_rows(cells: Sequence[Cell], actions: str) -> list[list[str]]:
    rows = []
    for cell in cells:
        wanted = PROTOTYPE[actions][rule_of(cell.rule)]
        off = cell.median_tce / wanted - 1
        rows.append([
            f"`{rule_of(cell.rule)}`", f"{cell.median_tce:g}", band_text(cell), f"{max(cell.tce):g}",
            f"{wanted} ({off:+.0%})", f"{len(cell.mastered)} of {len(cell.seeds)}", cost_text(cell),
            str(len(cell.rising)),
        ])  # fmt: skip
    return rows


def judge_order(cells: Sequence[Cell], tests: Sequence[Comparison]) -> str:
    """Whether one-sided U tests put the rules into the order of their medians, as in the paper."""
    words, holds = [], True
    for harder, easier in pairwise(sorted(cells, key=lambda cell: -cell.median_tce)):
        [test] = [each for each in tests if (each.harder, each.than) == (harder.rule, easier.rule)]
        holds &= test.chance < SURE
        words.append(f"`{rule_of(harder.rule)}` over `{rule_of(easier.rule)}` p = {chance_text(test.chance)}")
    verdict = "so has every two neighbours here" if holds else "not every two neighbours here have it"
    told = f"One-sided U tests between neighbours in the order of medians: {', '.join(words)}."
    return f"{told} The paper has p < {SURE} in its own order: {verdict}."


def judge_flat(cells: Sequence[Cell]) -> str:
    rising = sum(len(cell.rising) for cell in cells)
    runs = sum(len(cell.seeds) for cell in cells)
    told = f"{rising} of {runs} runs still made errors in their last ten episodes"
    return (
        f"{told}; the paper found all curves flat after 200 episodes. The 90 or more moves of ten episodes "
        "have a chance of about 9% of a random move at the last 0.1%: most of these are no want of learning."
    )


def judge_skew(cells: Sequence[Cell]) -> str:
    by_skew = sorted(cells, key=lambda cell: -max(cell.tce) / cell.median_tce)
    words = ", ".join(f"`{rule_of(cell.rule)}` {max(cell.tce) / cell.median_tce:.1f}" for cell in by_skew)
    told = f"Largest TCE over the median: {words}."
    return f"{told} The paper reports a strongly skewed distribution for its first rule, `shape_match` here."


def judge_prototype(cells: Sequence[Cell], actions: str) -> str:
    off = [abs(cell.median_tce / PROTOTYPE[actions][rule_of(cell.rule)] - 1) for cell in cells]
    near = sum(each <= NEAR for each in off)
    told = f"{near} of {len(cells)} medians lie within {NEAR:.0%} of the prototype's"
    return f"{told}; the farthest is {max(off):.0%} off."


def class_words(found: Difficulty, player: str) -> str:
    [classes] = [each for each in found.classes if each.player == player]
    words = [f"{', '.join(f'`{rule_of(rule)}`' for rule in group)} (stability {stable:.2f})"
             for group, stable in zip(classes.members, classes.stability)]  # fmt: skip
    return f"Classes of difficulty, from the easiest on: {'; '.join(words)}."


def paper_part(kept: Kept) -> str:
    found = difficulty_in(kept)
    parts = [PAPER, describe_runs(kept), FIGURES]
    heads = ["rule", "median TCE", "95% band", "largest", "prototype", "mastered", "median cost", "rising"]
    for actions in PROTOTYPE:
        player = f"linear_q actions={actions}"
        cells = [cell for cell in found.cells if cell.player == player]
        tests = [each for each in found.between_rules if each.where == player]
        said = [judge_order(cells, tests), judge_flat(cells), judge_skew(cells),
                judge_prototype(cells, actions), class_words(found, player)]  # fmt: skip
        parts += [f"### Actions `{actions}`", table(heads, paper_rows(cells, actions)),
                  "\n".join(f"- {each}" for each in said)]  # fmt: skip
    return "\n\n".join(parts)


def benchmark_part(kept: Kept, references: Kept | None) -> str:
    found = difficulty_in(kept)
    cells = {(cell.rule, cell.player): cell for cell in found.cells}
    learners = found.players
    expected = references["random"] if references else {}
    heads = ["rule", "rating"]
    heads += [head for player in learners for head in (f"`{player}`: median TCE", "95% band", "mastered")]
    heads += ["random, `all`", "random, `occupied`"]
    rows = []
    for rank in found.rule_ranking.ranks:
        row = [f"`{rule_of(rank.name)}`", f"{rank.rating:+.2f}"]
        for player in learners:
            cell = cells[rank.name, player]
            row += [f"{cell.median_tce:g}", band_text(cell), f"{len(cell.mastered)} of {len(cell.seeds)}"]
        row += [expected_text(expected.get(rule_of(rank.name), {}), actions) for actions in PROTOTYPE]
        rows.append(row)
    players = ", ".join(f"`{rank.name}` {rank.rating:+.2f}" for rank in found.player_ranking.ranks)
    said = [
        f"Players from the best on, by the tournament over all rules: {players}; intransitivity "
        f"{found.player_ranking.intransitivity:.2f}. Of the ranking of rules it is "
        f"{found.rule_ranking.intransitivity:.2f}.",
        *(f"`{player}`: {class_words(found, player)}" for player in learners),
        *(never_words(found, player) for player in learners),
        *(worse_words(found, player, expected) for player in learners if "actions=" in player),
    ]
    intro = BENCHMARK.format(
        seeds=len(found.cells[0].seeds), references=references["command"] if references else "no file"
    )
    return "\n\n".join(
        [intro, describe_runs(kept), table(heads, rows), "\n".join(f"- {each}" for each in said)]
    )


def expected_text(expected: Kept, actions: str) -> str:
    if actions not in expected:
        return "-"
    errors, how = expected[actions]
    return f"{200 * errors:.0f}{'' if how == 'exact' else ' *'}"


def never_words(found: Difficulty, player: str) -> str:
    mine = [cell for cell in found.cells if cell.player == player]
    never = [f"`{rule_of(cell.rule)}`" for cell in mine if not cell.mastered]
    whole = sum(not cell.never for cell in mine)
    told = f"`{player}` masters {whole} of {len(mine)} rules in all runs and {len(never)} in none"
    return f"{told}: {', '.join(never)}." if never else f"{told}."


def worse_words(found: Difficulty, player: str, expected: Kept) -> str:
    """The rules on which a player does worse than random play among the same actions."""
    actions = next(word.removeprefix("actions=") for word in player.split() if word.startswith("actions="))
    worse = [
        f"`{rule_of(cell.rule)}`"
        for cell in found.cells
        if cell.player == player
        and cell.median_tce > cell.episodes * expected.get(rule_of(cell.rule), {}).get(actions, [np.inf])[0]
    ]
    told = f"`{player}` makes more errors than random play among the same actions on {len(worse)} rules"
    return f"{told}: {', '.join(worse)}." if worse else f"{told}."


def facets_part(kept: Kept) -> str:
    cells = {cell.rule: cell for cell in map(cell_of, kept["cells"])}
    tests = 2 * sum("+" in name for name in cells)  # each change in both directions
    rows = []
    for name, cell in cells.items():
        plain_name, _, facet = name.partition("+")
        plain = cells[plain_name]
        row = [f"`{rule_of(plain_name)}`", f"`{facet}`" if facet else "plain", f"{cell.median_tce:g}"]
        row += [band_text(cell), f"{len(cell.mastered)} of {len(cell.seeds)}"]
        rows.append(row + (facet_words(cell, plain, tests) if facet else ["-", "-", "-"]))
    heads = ["rule", "facet", "median TCE", "95% band", "mastered", "times the plain one", "p (harder)", "so"]
    intro = FACETS.format(seeds=len(next(iter(cells.values())).seeds), harder=HARDER, tests=tests)
    return "\n\n".join([intro, describe_runs(kept), table(heads, rows)])


def facet_words(cell: Cell, plain: Cell, tests: int) -> list[str]:
    tce, plain_tce = np.array(cell.tce), np.array(plain.tce)
    up = compare("", cell.rule, plain.rule, tce, plain_tce).chance
    down = compare("", plain.rule, cell.rule, plain_tce, tce).chance
    says = "harder" if up * tests < HARDER else "easier" if down * tests < HARDER else "not told apart"
    return [f"{cell.median_tce / plain.median_tce:.2f}", chance_text(up), says]


def exam_part(kept: Kept) -> str:
    headline = kept["headline"]
    score = f"{headline['score']['value']:.1f} {interval_text(headline['score'], 1)}"
    versions = ", ".join(f"{name} {version}" for name, version in kept["versions"].items())
    intro = EXAM.format(
        command=kept["command"], seeds=len(kept["units"]), budget=kept["budget"], episodes=kept["episodes"],
        cpu=kept["cpu_s"], versions=versions,
        score=score, random=headline["random"], coverage=kept["coverage"],
    )  # fmt: skip
    rows = [
        [f"`{each['axis']}`", exam_level(each), each["word"], exam_effect(each["effect"]), exam_loss(each)]
        for each in sorted(kept["cells"], key=lambda each: each["effect"]["value"])
    ]
    heads = ["facet", "level", "verdict", "effect", "whose loss"]
    broken = list(dict.fromkeys(f"`{row['axis']}`" for row in kept["cells"] if row["word"] == "breaks"))
    said = f"These facets break them: {', '.join(broken)}."
    return "\n\n".join([intro, table(heads, rows), said])


def exam_level(finding: Kept) -> str:
    way = "at" if not finding["ordered"] else "from" if finding["word"] == "breaks" else "to"
    return f"{way} `{finding['level']}`"


def interval_text(interval: Kept, digits: int) -> str:
    return f"[{interval['low']:.{digits}f}, {interval['high']:.{digits}f}]"


def exam_effect(effect: Kept) -> str:
    low, value, high = (round(100 * effect[name]) for name in ("low", "value", "high"))
    return f"{value}% [{low}, {high}]"


def exam_loss(finding: Kept) -> str:
    whose = finding["whose"]
    if whose is None:
        return ""
    return f"{'' if whose['sure'] else 'perhaps '}{whose['word']}: {whose['how']}"


def page() -> str:
    parts, missing = [INTRO], []
    for name, make in (
        ("paper", paper_part),
        ("benchmark", None),
        ("facets", facets_part),
        ("exam", exam_part),
    ):
        kept = load(name)
        if kept is None:
            missing.append(name)
        else:
            parts.append(make(kept) if make else benchmark_part(kept, load("references")))
    if missing:
        parts.append(f"Not run yet: {', '.join(missing)}.")
    return "\n\n".join(parts) + "\n"


def main() -> None:
    PAGE.write_text(page())
    kept = load("paper")
    for name, text in (figures(difficulty_in(kept)) if kept else {}).items():
        (DOCS / "images" / name).write_text(text)


if __name__ == "__main__":
    main()
