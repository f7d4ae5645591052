"""Pairs beside their baseline, random play and published scores: one table for every form of a report."""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.analysis.presets import PresetScore
from assay.report.gap_table import NONE, Table
from assay.report.rows import Cell, known_number
from assay.report.text import ends_in_words, number
from assay.stats.aggregate import Interval

CAPTION = "scores by preset: mean ± sd (n - 1) over seeds, its 95% interval, and the share kept"
PUBLISHED = " Published scores are of other agents that saw other pictures: context, not a target."
MEANS = (
    "Scores are means over seeds, ± the standard deviation over seeds (n - 1). The share kept is (score - "
    "random) / (baseline - random): 1 keeps all that the baseline scores above random play, 0 nothing. "
    "Random play in it is that on the baseline’s task, not that of the row, measured in this run. Fewer than "
    "five seeds have no interval, since seeds that fail may well not be among them, and neither has a share "
    "of which the row’s or the baseline’s seeds have none. Else the interval of a share is over seeds and "
    "over episodes of random play: Fieller’s, with Student’s t, for fewer than ten seeds, and a bootstrap "
    "for more. There is no share where the baseline’s interval is not above that of random play."
)


def describe_presets(presets: Sequence[PresetScore]) -> str:
    """What the columns mean, those that are there; "" where there are no presets."""
    if not presets:
        return ""
    return MEANS + PUBLISHED * bool(published_agents(presets))


def preset_tables(presets: Sequence[PresetScore]) -> list[Table]:
    """One table, or none where no pair is compared with a baseline."""
    if not presets:
        return []
    agents = published_agents(presets)
    counted = any(each.events for each in presets)
    heads = ["preset", "seeds", "score", "95% interval", "random play", *(f"{a}, published" for a in agents)]
    heads += ["kept", *(["events per episode"] if counted else [])]
    rows = []
    for each in presets:
        sd = NONE if each.sd is None else number(each.sd)
        ends = ends_in_words(each.score, ".2f", each.seeds, alike=each.sd == 0)
        row = [each.label, str(each.seeds), f"{number(each.score.value)} ± {sd}", ends, random_text(each)]
        row += [published_text(each, agent) for agent in agents]
        rows.append([*row, kept_text(each), *([events_text(each)] if counted else [])])
    return [Table(CAPTION, heads, rows)]


def published_agents(presets: Sequence[PresetScore]) -> list[str]:
    return list(dict.fromkeys(one.agent for each in presets for one in each.published))


def published_text(each: PresetScore, agent: str) -> str:
    """The published score of an agent, to the digits of the publication."""
    return next((f"{one.mean:,.2f} ± {one.sd:,.2f}" for one in each.published if one.agent == agent), NONE)


def random_text(each: PresetScore) -> str:
    if each.random is None:
        return NONE
    return f"{number(each.random.value)} {ends_in_words(each.random, '.2f', each.random_episodes, 'episode')}"


def kept_text(each: PresetScore) -> str:
    if each.kept is None:
        return each.why_not_kept
    return f"{each.kept.value:.2f} {ends_in_words(each.kept, '.2f', each.seeds)}"


def events_text(each: PresetScore) -> str:
    return ", ".join(f"{name} {number(times)}" for name, times in each.events.items()) or NONE


def preset_headings(presets: Sequence[PresetScore]) -> list[str]:
    """The columns that presets add to the rows of pairs."""
    if not presets:
        return []
    names = [f"{what}{end}" for what in ("mean", "random", "kept") for end in ("", "_low", "_high")]
    of_agents = [f"{agent}_{what}" for agent in published_agents(presets) for what in ("mean", "sd")]
    return [
        *names,
        "mean_sd",
        "random_episodes",
        *of_agents,
        *(f"events.{axis}" for axis in axes_of(presets)),
    ]


def axes_of(presets: Sequence[PresetScore]) -> list[str]:
    return list(dict.fromkeys(axis for each in presets for axis in each.events))


def preset_cells(presets: Sequence[PresetScore], label: str) -> list[Cell]:
    """The cells of one pair in these columns; None where a number is not known."""
    row = next((each for each in presets if each.label == label), None)
    if row is None:
        return [None] * len(preset_headings(presets))
    by_agent = {one.agent: one for one in row.published}
    numbers: list[float | None] = []
    for interval in (row.score, row.random, row.kept):
        numbers += interval if interval is not None else (None, None, None)
    numbers += [row.sd, row.random_episodes]
    for agent in published_agents(presets):
        one = by_agent.get(agent)
        numbers += (one.mean, one.sd) if one else (None, None)
    numbers += [row.events.get(axis) for axis in axes_of(presets)]
    return [known_number(each) for each in numbers]


def cell_text(interval: Interval | None, sd: float | None, of_episodes: bool = False) -> str:
    """A cell of a matrix: the mean with its interval, or with its spread over seeds where it has none."""
    if interval is None:
        return NONE
    if math.isfinite(interval.low) and math.isfinite(interval.high):
        return f"{number(interval.value)} [{number(interval.low)}, {number(interval.high)}]"
    if of_episodes:
        return f"{number(interval.value)} (no interval)"
    if sd == 0:
        return f"{number(interval.value)} (all seeds alike, no interval)"
    return f"{number(interval.value)} ± {NONE if sd is None else number(sd)}"
