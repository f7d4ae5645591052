"""The findings on difficulty in words and rows, for the terminal, Markdown and the page, and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from assay.analysis.difficulty import COVERAGE, Cell, Comparison, Difficulty, Ranking
from assay.analysis.finite_json import strict
from assay.report.short_names import short_names
from assay.report.text import count
from assay.stats.alike import DEALS, LEVEL
from assay.strict_json import Json

FORM = "assay-difficulty-1"
NONE = "-"
MOST_COMPARED = 40  # rows of comparisons in a table; a page has the heat map beside it
SURE = 0.05  # one-sided p of two rules below which a map marks them
MOST_LETTERS = 40  # of a rule's name among others of its class
MOST_NEAR = 2  # rules that are named beside the easiest or the hardest


# Columns of words, which stand at the left; numbers stand at the right.
NAMES = {"rule", "player", "name", "rules in it", "more errors", "than", "seeds", "p counted"}


class Table(NamedTuple):
    caption: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def tables_of(difficulty: Difficulty) -> list[Table]:
    """All tables, in the order in which a report shows them; those without a row are left out."""
    several = len(difficulty.players) > 1
    tables = [
        cell_table(difficulty),
        not_mastered_table(difficulty),
        ranking_table("Rules from the easiest on", difficulty.rule_ranking),
        ranking_table("Players from the best on", difficulty.player_ranking),
        class_table(difficulty),
        comparison_table("Rules compared within a player", difficulty.between_rules, "player"),
        comparison_table("Players compared on a rule", difficulty.between_players if several else (), "rule"),
    ]
    return [table for table in tables if table.rows]


def cell_table(difficulty: Difficulty) -> Table:
    headings = ("rule", "player", "runs", "episodes", "median TCE", "TCE from", "to", "mastered",
                "median cost", "still rising")  # fmt: skip
    return Table("Errors", headings, tuple(_cell_row(cell) for cell in difficulty.cells))


def _cell_row(cell: Cell) -> tuple[str, ...]:
    runs = len(cell.seeds)
    cost = NONE if cell.median_cost is None else error_text(cell.median_cost)
    return (
        cell.rule,
        cell.player,
        str(runs),
        str(cell.episodes),
        median_text(cell),
        error_text(min(cell.tce)),
        error_text(max(cell.tce)),
        f"{len(cell.mastered)} of {runs}",
        cost,
        f"{len(cell.rising)} of {runs}" if cell.rising else NONE,
    )


def median_text(cell: Cell) -> str:
    """`6.5 [5, 8]`: the median TCE with the band that resampling runs gives; a single run has no band."""
    value = error_text(cell.median_tce)
    if len(cell.seeds) == 1:
        return f"{value} (one run)"
    return f"{value} [{error_text(cell.curve.low[-1])}, {error_text(cell.curve.high[-1])}]"


def not_mastered_table(difficulty: Difficulty) -> Table:
    """The runs that never mastered their rule, apart from those that did."""
    headings = ("rule", "player", "runs", "TCE from", "to", "seeds", "of these still rising")
    rows = tuple(_not_mastered_row(cell) for cell in difficulty.cells if cell.never)
    return Table("Runs that never mastered their rule", headings, rows)


def _not_mastered_row(cell: Cell) -> tuple[str, ...]:
    errors = [cell.tce[cell.seeds.index(seed)] for seed in cell.never]
    rising = [seed for seed in cell.never if seed in cell.rising]
    ends = error_text(min(errors)), error_text(max(errors))
    return cell.rule, cell.player, str(len(errors)), *ends, seed_list(cell.never), seed_list(rising)


def seed_list(seeds: Sequence[int]) -> str:
    """`0 to 3, 7`: seeds in ascending order, neighbours joined."""
    groups: list[list[int]] = []
    for seed in sorted(seeds):
        if groups and groups[-1][-1] == seed - 1:
            groups[-1].append(seed)
        else:
            groups.append([seed])
    texts = (
        f"{group[0]} to {group[-1]}" if len(group) > 2 else ", ".join(map(str, group)) for group in groups
    )
    return ", ".join(texts) or NONE


def ranking_table(caption: str, ranking: Ranking) -> Table:
    rows = tuple(
        (str(place), rank.name, f"{rank.rating:.2f}", f"{rank.perron:.3f}")
        for place, rank in enumerate(ranking.ranks, start=1)
    )
    told = f"{caption} (intransitivity {ranking.intransitivity:.2f})" if rows else caption
    return Table(told, ("", "name", "rating", "Perron"), rows)


def class_table(difficulty: Difficulty) -> Table:
    rows = []
    short = dict(zip(difficulty.rules, short_names(difficulty.rules, MOST_LETTERS)))
    for classes in difficulty.classes:
        if len(difficulty.rules) < 2:
            continue
        for place, (members, stable) in enumerate(zip(classes.members, classes.stability), start=1):
            trusted = "one class" if len(classes.members) == 1 else f"{stable:.2f}"
            rows.append((classes.player, str(place), ", ".join(short[each] for each in members), trusted))
    return Table("Classes of difficulty", ("player", "class", "rules in it", "stability"), tuple(rows))


def comparison_table(caption: str, comparisons: Sequence[Comparison], where: str) -> Table:
    """The comparisons in the direction in which the first has more errors, the surest first."""
    told = sorted((each for each in comparisons if each.share > 0.5), key=lambda each: each.chance)
    rows = tuple(
        (each.where, each.harder, each.than, f"{each.u:g} of {each.pairs}", f"{each.share:.2f}",
         chance_text(each.chance), each.method, f"{each.ease:.3g}")
        for each in told[:MOST_COMPARED]
    )  # fmt: skip
    left = f", the surest {MOST_COMPARED} of {len(told)}" if len(told) > MOST_COMPARED else ""
    headings = (where, "more errors", "than", "U", "share", "p", "p counted", "ease ratio")
    return Table(f"{caption}{left}", headings, rows)


def error_text(errors: float) -> str:
    return f"{errors:.10g}"


def chance_text(chance: float) -> str:
    return "< 0.0001" if chance < 1e-4 else f"{chance:.4f}"


def answer(difficulty: Difficulty) -> str:
    """One sentence: the easiest and the hardest rule, or that runs do not tell them apart."""
    ranks = difficulty.rule_ranking.ranks
    if not ranks:
        cell = difficulty.cells[0]
        runs = count(len(cell.seeds), "run")
        return f"{cell.player} makes {error_text(cell.median_tce)} errors on {cell.rule} (median of {runs})."
    if not tells_apart(difficulty):
        return not_apart(difficulty)
    ends = (f"{name}{beside(difficulty, name)}" for name in (ranks[0].name, ranks[-1].name))
    return "Easiest: {}; hardest: {}.".format(*ends)


def tells_apart(difficulty: Difficulty) -> bool:
    """Whether ratings lie further apart than those of alike rules would, all players together."""
    return difficulty.alike is not None and difficulty.alike.chance <= LEVEL


def not_apart(difficulty: Difficulty) -> str:
    chance = difficulty.alike.chance if difficulty.alike else 1.0
    told = (f"The runs do not tell the rules apart: ratings of alike rules lie as far apart with p "
            f"{chance_text(chance)}.")  # fmt: skip
    some = [each.player for each in difficulty.classes if len(each.members) > 1]
    if not some:
        return told
    return f"{told} Those of {' and '.join(some)} by themselves give several classes of difficulty."


def beside(difficulty: Difficulty, name: str) -> str:
    """` (not told apart from c)`: the rules whose ratings chance alone may put at the place of this one."""
    ratings = {rank.name: rank.rating for rank in difficulty.rule_ranking.ranks}
    reach = difficulty.alike.reach if difficulty.alike else 0.0
    near = [each for each in ratings if each != name and abs(ratings[each] - ratings[name]) <= reach]
    if not near:
        return ""
    shown = " and ".join(near) if len(near) <= MOST_NEAR else f"{len(near)} others"
    return f" (not told apart from {shown})"


def explain_ranking(difficulty: Difficulty) -> str:
    """In one line, what the columns of the rankings are; empty where there is none."""
    if not (difficulty.rule_ranking.ranks or difficulty.player_ranking.ranks):
        return ""
    return (
        "Rating and Perron grow with ease, or skill: differences of ratings, which sum to 0, fit the "
        "logarithms of the ease ratios; Perron is the entry of the eigenvector of these ratios, of length 1."
    )


def explain(difficulty: Difficulty) -> list[tuple[str, str]]:
    """How to read the numbers: a term and what it means here."""
    why = difficulty.rule_ranking.why_not
    return [
        ("TCE", "The terminal cumulated error: all errors of a run, over all of its episodes. Every attempt "
         "that was paid -1 counts, one at an empty cell too."),
        ("Bands", f"The median over runs after each episode; the band is its {COVERAGE:.0%} percentile "
         f"bootstrap interval, {difficulty.draws:,} resamples of runs, for each episode by itself."),
        ("Boxes", "Quartiles of the runs' TCE; whiskers reach the last run within 1.5 interquartile ranges."),
        ("Mastered", "A run has mastered its rule with the first ten episodes in a row that were cleared "
         "without an error. Its cost is its errors until then. Runs that never did have no cost and are "
         "listed apart; a run is still rising if it made errors in its last ten episodes."),
        ("U and p", "U counts the pairs of runs in which the first has more errors, ties counting half. "
         "p is the one-sided chance of so large a U if both were alike (Mann-Whitney): counted exactly for "
         "small samples without ties, else normal, corrected for ties and continuity. "
         "It is not corrected for the number of comparisons."),
        ("Ease ratio", "How much easier the second is: (pairs in which it has fewer errors + 1) / (pairs in "
         "which it has more + 1), ties counting half."),
        ("Rankings", "Ratings fit the logarithms of the ease ratios by least squares; intransitivity is the "
         "share of the comparisons that no rating explains. Perron is the entry of the Perron vector of "
         "the ease ratios. Two rules are compared over the players that attempted both."),
        ("Easiest and hardest", f"Named only where the first and the last rating lie further apart than in "
         f"{1 - LEVEL:.0%} of {DEALS} deals in which each player's runs are dealt to the rules at random: p "
         f"{chance_text(difficulty.alike.chance)} here. This pays for choosing the two among all rules. "
         f"Rules whose ratings differ by at most {difficulty.alike.reach:.2f} are not told apart."
         if difficulty.alike else ""),
        ("No ranking", f"{why[0].upper()}{why[1:]}." if why and len(difficulty.rules) > 1 else ""),
        ("Classes", "Rules whose runs are not told apart, by average linkage of |2U/pairs - 1|; several only "
         f"where alike rules would show so large a distance in at most {LEVEL:.0%} of cases, for all players "
         "together; stability is "
         "the mean overlap with classes of resampled runs. A class below 0.6 should not be trusted."
         if len(difficulty.rules) > 1 else ""),
    ]  # fmt: skip


def as_json(difficulty: Difficulty) -> dict[str, Json]:
    """Every field of the records under its own name."""
    return {"form": FORM, **strict(difficulty)}
