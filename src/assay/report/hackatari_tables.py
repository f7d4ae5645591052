"""Performance changes and human-normalised scores in tables and sentences, the same in every form of a
report.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.analysis.hackatari import (
    DROPPED,
    KEPT,
    UNDECIDED,
    UNDEFINED,
    YOURS,
    Group,
    HackAtari,
    ScoredTask,
    Stand,
)
from assay.plans.plan import CONTROL
from assay.report.gap_table import NONE, Table
from assay.report.rows import Cell, known_number
from assay.report.text import count, number
from assay.stats.aggregate import Interval

NAMES = {"all": "all variations", "simplification": "simplifications", "neutral": "neutral variations",
         "harder": "harder variations", "unknown": "variations of unknown difficulty",
         CONTROL: "controls"}  # fmt: skip
HALF_LOST = {DROPPED: "yes", KEPT: "no", UNDECIDED: "not decided", UNDEFINED: NONE}
INTERVALS = ("change", "expert", "human")  # of a task, in columns for programs
MEANS = (
    ("Performance change",
     "PC = ((Mv - Rv) - (Mo - Ro)) / |Mo - Ro|: scores M of the agent and R of random play on the "
     "variation (v) and on the original game (o). 0% is no change, -100% the level of random play, +100% "
     "twice the margin. Where Mo is not told from Ro, or lies below it, there is no margin to lose, and PC "
     "is undefined."),
    ("Intervals of PC",
     "Fieller's, 95% each, with Student's t over {units}, lengthened where these are skewed. The errors of "
     "all four means count; the same seeds are played on both tasks, so they count in pairs. No interval is "
     "narrower than what {units} too rare to be seen could change, each of which scores the least or the "
     "most that the agent or random play was seen to, or moves by a whole margin; a score outside all that "
     "was seen is not allowed for. No error is shared: of 20 intervals about one misses."),
    ("Over games",
     "The mean over the variations of a game first, then the IQM, the mean of the middle half, over games "
     "and seeds together. Its interval is a stratified bootstrap: seeds are resampled inside each game, "
     "and episodes of random play too; a rare seed that lost or gained a whole margin may have gone unseen, "
     "which lengthens it. "
     "Over one game it is that game's PC, and its expert score, with their intervals."),
    ("Intervals of scores",
     "Of scores, and so of expert scores: Student's t over {units}, each by itself. Scores of people (HNS) "
     "have the errors of the agent, of random play and of people."),
    ("HNS",
     "(A - R) / |H - R|: R is our random play on the same task, H the people of the paper's study, who "
     "played 15 of the variations for 15 minutes. Where they are not told from random play there is no "
     "scale, and HNS is undefined."),
    ("Expert score",
     "The same with one pair of constants per game, the random play and the professional testers of Badia "
     "et al. 2020, for the original and for its variations alike."),
    ("More than half lost",
     "Whether PC is below -50%: yes or no where its whole interval is on one side, else not decided."),
    ("Published",
     "The scores of the paper's tables, with their intervals. Changes and expert scores of published "
     "agents are computed from these by the normal distribution, with the published random play; where "
     "none is published (FishingDerby, Jamesbond), with ours. They are undefined by the same rule. "
     "Published scores are IQMs over episodes of agents "
     "trained for 200 million frames (some object-centric ones for 40), yours are means."),
    ("Ranks",
     "By the expert score over games, among the published agents; an agent of which not all games are "
     "published is ranked by those that are. The range holds 95% of resampled ranks."),
)  # fmt: skip


def answer(found: HackAtari) -> str:
    """One sentence: on how many variations more than half of the margin is lost."""
    judged = [task for task in found.tasks if task.half]
    controls = all(task.direction == CONTROL for task in judged)
    counts = {
        word: sum(task.half == word for task in judged) for word in (DROPPED, KEPT, UNDECIDED, UNDEFINED)
    }
    if not judged:
        return "No variation is finished yet."
    where = count(len(judged), "control" if controls else "variation")
    if counts[UNDEFINED] == len(judged):
        reason = judged[0].why_no_change
        same = all(task.why_no_change == reason for task in judged)
        return f"The performance change is {reason if same else 'undefined'} ({where})."
    parts = [f"loses more than half of its margin over random play on {counts[DROPPED]} of {where}",
             f"does not on {counts[KEPT]}"]  # fmt: skip
    parts += [f"not decided on {counts[UNDECIDED]}"] if counts[UNDECIDED] else []
    parts += [f"undefined on {counts[UNDEFINED]}"] if counts[UNDEFINED] else []
    return f"{parts[0][0].upper()}{parts[0][1:]}, {', '.join(parts[1:])}."


def method_of(found: HackAtari | None) -> list[tuple[str, str]]:
    """What each number means, a term and its explanation."""
    if found is None:
        return []
    units = "episodes" if found.unit == "episode" else "seeds"
    terms = [(term, said.format(units=units)) for term, said in MEANS]
    if not found.stands:
        terms = [(term, said) for term, said in terms if term not in ("Published", "Ranks", "HNS")]
    return [*terms, ("Random play", random_text(found))]


def random_text(found: HackAtari) -> str:
    """How random play was measured."""
    fewest, most = found.random.episodes
    each = count(fewest, "episode") if fewest == most else f"{fewest} to {count(most, 'episode')}"
    versions = ", ".join(f"{name} {version}" for name, version in found.random.versions.items())
    how = f"{each} of seed {found.random.seed} on every task ({versions})"
    return f"Measured by `{found.random.command}`, {how}."


def cautions_of(found: HackAtari | None) -> list[str]:
    """What of random play does not count, task by task."""
    if found is None:
        return []
    lists = (
        (found.random.outdated, "was measured by other rules, or with another emulator"),
        (found.random.missing, "is not known"),
    )
    cut = [
        f"--max-steps cut episodes of {', '.join(found.random.cut)}; random play and published scores are of "
        "whole ones, so that nothing is computed there"
    ]
    return (cut if found.random.cut else []) + [
        f"random play {why} on {', '.join(tasks)}, so that nothing is computed there, and means over "
        f"variations are over the others; `{found.random.command}` measures it in a copy of assay's "
        "repository, with the same `--with` as this run, if it has one"
        for tasks, why in lists
        if tasks
    ]


def hackatari_tables(found: HackAtari | None) -> list[Table]:
    """The tables of a report in the order in which they are read; none for other suites."""
    if found is None:
        return []
    return [*groups_tables(found), *changes_tables(found), *games_tables(found), *scores_tables(found),
            *stands_tables(found)]  # fmt: skip


def groups_tables(found: HackAtari) -> list[Table]:
    heads = ["over games", "variations", "games", "PC, IQM", "more than half lost", "less", "not decided",
             "undefined"]  # fmt: skip
    rows = [
        [NAMES[each.name], str(each.variations), games_text(each), change_text(each.change),
         *(share_text(each, word) for word in (DROPPED, KEPT, UNDECIDED, UNDEFINED))]
        for each in found.groups
    ]  # fmt: skip
    return [Table("performance change over games", heads, rows)] if rows else []


def games_text(each: Group) -> str:
    return f"{each.games} of {each.games + len(each.left_out)}"


def share_text(each: Group, word: str) -> str:
    """`12 (38%)`, of the variations of the group."""
    return (
        f"{each.halves[word]} ({100 * each.halves[word] / each.variations:.0f}%)" if each.variations else "0"
    )


def changes_tables(found: HackAtari) -> list[Table]:
    heads = ["variation", "for people", "score", "original", "random play", "on the original", "PC",
             "more than half lost"]  # fmt: skip
    originals = {task.game: task for task in found.tasks if not task.direction}
    rows = [
        [task.label, task.direction, score_text(task.score), score_text(originals[task.game].score),
         mean_text(task.random), mean_text(originals[task.game].random),
         task.why_no_change or change_text(task.change), HALF_LOST[task.half]]
        for task in found.tasks if task.direction
    ]  # fmt: skip
    return [Table(f"performance change, variation by variation ({found.unit}s as units)", heads, rows)]


def games_tables(found: HackAtari) -> list[Table]:
    several = [each for each in found.games if each.variations > 1]
    rows = [
        [each.game, str(each.variations), each.why_no_change or change_text(each.change)] for each in several
    ]
    return (
        [Table("mean change of games with several variations", ["game", "variations", "PC"], rows)]
        if rows
        else []
    )


def scores_tables(found: HackAtari) -> list[Table]:
    shown = [task for task in found.tasks if task.expert is not None]
    if not shown:
        return []
    people = any(task.human is not None or task.why_no_human for task in shown)
    heads = ["task", "score", "expert score", *(["HNS, people of the study"] if people else [])]
    rows = [
        [task.label, score_text(task.score), share_interval(task.expert),
         *([task.why_no_human or share_interval(task.human)] if people else [])]
        for task in shown
    ]  # fmt: skip
    return [Table("human-normalised scores: 0 is random play, 1 a person", heads, rows)]


def stands_tables(found: HackAtari) -> list[Table]:
    if len(found.stands) < 2:
        return []
    heads = [
        "agent",
        "kind",
        "games",
        "expert score, originals",
        "variations",
        "rank, originals",
        "variations",
    ]
    rows = [
        [name_of(each), each.kind, str(each.games),
         share_interval(each.original), share_interval(each.varied),
         rank_text(each.rank_original), rank_text(each.rank_varied)]
        for each in sorted(found.stands, key=lambda each: each.rank_original.value)
    ]  # fmt: skip
    return [Table("agents by expert score over games (IQM): originals, then variations", heads, rows)]


def name_of(each: Stand) -> str:
    return each.agent if each.kind == YOURS else f"{each.agent}, published"


def rank_text(rank: Interval) -> str:
    if not math.isfinite(rank.low):
        return f"{rank.value:.0f} (range not known)"
    low, high = (f"{end:.0f}" for end in rank[1:])
    return f"{rank.value:.0f} ({low} to {high})" if low != high else f"{rank.value:.0f}"


def score_text(score: Interval | None) -> str:
    if score is None:
        return NONE
    if not all(map(math.isfinite, score[1:])):
        return number(score.value)
    return f"{number(score.value)} [{number(score.low)}, {number(score.high)}]"


def mean_text(score: Interval | None) -> str:
    return NONE if score is None else number(score.value)


def share_interval(score: Interval | None) -> str:
    """`0.85 [0.80, 0.91]`; an end without a bound is put in words."""
    if score is None:
        return NONE
    if not any(map(math.isfinite, score[1:])):
        return f"{share(score.value)} (no interval)"
    low, high = (share(end) if math.isfinite(end) else "no bound" for end in score[1:])
    return f"{share(score.value)} [{low}, {high}]"


def share(value: float) -> str:
    """Two digits, and no sign on nil."""
    return f"{round(value, 2) + 0.0:.2f}"


def change_text(change: Interval | None) -> str:
    """`-85% [-92, -78]`; an end without a bound is put in words."""
    if change is None:
        return NONE
    if not any(map(math.isfinite, change[1:])):
        return f"{percent(change.value)}% (no interval)"
    low, high = (percent(end) if math.isfinite(end) else "no bound" for end in change[1:])
    return f"{percent(change.value)}% [{low}, {high}]"


def percent(share: float) -> str:
    rounded = round(100 * share)
    return f"{rounded:+,}" if rounded else "0"


def hackatari_headings(found: HackAtari | None) -> list[str]:
    """The columns that a suite of HackAtari adds to the rows of pairs."""
    return [f"{name}{end}" for name in INTERVALS for end in ("", "_low", "_high")] if found else []


def hackatari_cells(found: HackAtari | None, label: str) -> list[Cell]:
    if found is None:
        return []
    task: ScoredTask | None = next((each for each in found.tasks if each.label == label), None)
    intervals: Sequence[Interval | None] = [getattr(task, name) if task else None for name in INTERVALS]
    numbers = [value for interval in intervals for value in (interval or (None, None, None))]
    return [known_number(value) for value in numbers]
