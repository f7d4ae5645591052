"""Runs the experiment of the paper on the Game of Hidden Rules, and prints docs/results/gohr.md.

    .venv/bin/python benchmarks/gohr_results.py runs/gohr > docs/results/gohr.md

Four rules, 100 runs of 200 episodes each, with both sets of actions. Each set is a run of its own in the
folder: one that was stopped goes on where it stood, and finished ones are only read again. `--seeds 4` makes
it small.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

SUITE, AGENT, ACTIONS, DRAWS = "gohr/sample-4", "linear_q", ("all", "occupied"), 50_000
# Median TCE of a prototype in C with the same constants, by set of actions and rule.
PROTOTYPE = {
    "all": {"shape_match": 355, "clockwise": 379, "b23_then_b01": 222, "b3_then_b1": 219},
    "occupied": {"shape_match": 148, "clockwise": 132, "b23_then_b01": 95, "b3_then_b1": 137},
}
NEAR = 0.2  # of the prototype's median
SURE = 0.002  # the paper's p
INTRO = (
    "The paper's four rules, {seeds} runs of 200 episodes of at most 100 moves each, 9 pieces of 4 shapes "
    "and 4 colours, played by the paper's learner (`linear_q`): a DQN that is linear in 3,720 features. The "
    "paper leaves out the learning rate, the optimiser, how often the target is copied and how ties are "
    "broken, and prints no numbers; so medians are compared with those of a prototype with the same "
    "constants. TCE is the terminal cumulated error; bands are percentile intervals of the median "
    "({draws:,} resamples); the cost of a run is its errors until ten clean episodes in a row were complete."
)


def assay(*words: object) -> str:
    command = [sys.executable, "-m", "assay", *map(str, words)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def run_all(folder: Path, seeds: int) -> list[Path]:
    runs = []
    for actions in ACTIONS:
        runs.append(folder / f"{AGENT}-{actions}")
        assay(
            "run", SUITE, "--agent", AGENT, "--set", f"actions={actions}", "--seeds", seeds, "--out", runs[-1]
        )
    return runs


def rule_of(cell: dict) -> str:
    return cell["rule"].partition("/")[2]


def median_of(cell: dict) -> float:
    return cell["box"]["median"]


def cell_row(cell: dict, actions: str) -> str:
    wanted, runs = PROTOTYPE[actions][rule_of(cell)], len(cell["seeds"])
    off = median_of(cell) / wanted - 1
    costs = sorted(cell["costs"])
    cost = f"{costs[len(costs) // 2]:g}" if costs else "-"
    values = [
        f"`{rule_of(cell)}`", f"{median_of(cell):g}", f"{cell['curve']['low'][-1]:g} to "
        f"{cell['curve']['high'][-1]:g}", f"{max(cell['tce']):g}", f"{wanted} ({off:+.0%})",
        f"{len(cell['mastered'])} of {runs}", cost, str(len(cell["rising"])),
    ]  # fmt: skip
    return f"| {' | '.join(values)} |"


def cell_table(cells: list[dict], actions: str) -> str:
    heads = ["rule", "median TCE", "95% band", "largest", "prototype", "mastered", "median cost", "rising"]
    rows = [
        f"| {' | '.join(heads)} |",
        "|---" * len(heads) + "|",
        *(cell_row(each, actions) for each in cells),
    ]
    return "\n".join(rows)


def judge_order(cells: list[dict], tests: list[dict]) -> str:
    """Whether one-sided U tests put the rules into the order of their medians, as in the paper."""
    ordered = sorted(cells, key=median_of, reverse=True)
    words, holds = [], True
    for harder, easier in pairwise(ordered):
        [test] = [
            each for each in tests if (each["harder"], each["than"]) == (harder["rule"], easier["rule"])
        ]
        holds &= test["chance"] < SURE
        words.append(f"`{rule_of(harder)}` over `{rule_of(easier)}` p = {test['chance']:.2g}")
    verdict = "agrees" if holds else "does not agree for every two neighbours"
    told = f"One-sided U tests between neighbours in the order of medians: {', '.join(words)}."
    return f"{told} The paper has p < {SURE} for its own order: this {verdict}."


def judge_flat(cells: list[dict]) -> str:
    rising = sum(len(cell["rising"]) for cell in cells)
    runs = sum(len(cell["seeds"]) for cell in cells)
    told = f"{rising} of {runs} runs still made errors in their last ten episodes"
    return f"{told}; the paper found all curves flat after 200 episodes."


def judge_skew(cells: list[dict]) -> str:
    by_skew = sorted(cells, key=lambda cell: max(cell["tce"]) / median_of(cell), reverse=True)
    words = ", ".join(f"`{rule_of(cell)}` {max(cell['tce']) / median_of(cell):.1f}" for cell in by_skew)
    told = f"Largest TCE over the median: {words}."
    return f"{told} The paper reports a strongly skewed distribution for its first rule, `shape_match` here."


def judge_prototype(cells: list[dict], actions: str) -> str:
    near = [cell for cell in cells if abs(median_of(cell) / PROTOTYPE[actions][rule_of(cell)] - 1) <= NEAR]
    return f"{len(near)} of {len(cells)} medians lie within {NEAR:.0%} of the prototype's."


def class_words(found: dict, player: str) -> str:
    [classes] = [each for each in found["classes"] if each["player"] == player]
    words = [f"{', '.join(each.partition('/')[2] for each in group)} (stability {stable:.2f})"
             for group, stable in zip(classes["members"], classes["stability"])]  # fmt: skip
    return f"Classes of difficulty, from the easiest on: {'; '.join(words)}."


def describe_constants(folder: Path) -> str:
    settings = json.loads((folder / "run.json").read_text())["plan"]["settings"]
    return ", ".join(f"`{name}={value}`" for name, value in sorted(settings.items()) if name != "actions")


def page(found: dict, runs: list[Path], seeds: int) -> str:
    parts = [
        "# The experiment of the Game of Hidden Rules",
        INTRO.format(seeds=seeds, draws=found["draws"]),
        "```\npython benchmarks/gohr_results.py runs/gohr     # all of it, and this page\n"
        f"assay rules difficulty {' '.join(f'runs/gohr/{run.name}' for run in runs)} --out pages\n```",
        f"Constants: {describe_constants(runs[0])}.",
        f"Python {platform.python_version()} on {platform.system()}, on a CPU.",
    ]
    for actions in ACTIONS:
        player = f"{AGENT} actions={actions}"
        cells = [cell for cell in found["cells"] if cell["player"] == player]
        tests = [each for each in found["between_rules"] if each["where"] == player]
        said = [judge_order(cells, tests), judge_flat(cells), judge_skew(cells),
                judge_prototype(cells, actions), class_words(found, player)]  # fmt: skip
        parts += [
            f"## Actions `{actions}`",
            cell_table(cells, actions),
            "\n".join(f"- {each}" for each in said),
        ]
    ranks = ", ".join(f"`{each['name'].partition('/')[2]}` {each['rating']:.2f}"
                      for each in found["rule_ranking"]["ranks"])  # fmt: skip
    parts += ["## Over both", f"Ratings of the tournament, from the easiest on: {ranks}; intransitivity "
              f"{found['rule_ranking']['intransitivity']:.2f}."]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--draws", type=int, default=DRAWS)
    asked = parser.parse_args()
    runs = run_all(asked.folder, asked.seeds)
    told = assay(
        "rules", "difficulty", *runs, "--draws", asked.draws, "--out", asked.folder / "pages", "--json"
    )
    print(page(json.loads(told), runs, asked.seeds), end="")


if __name__ == "__main__":
    main()
