"""The words of a report on pairs, shared by the terminal, Markdown and the page."""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.analysis.experiment import Experiment
from assay.analysis.pairs import FEWEST_SEEDS
from assay.report.gap_table import describe_gaps
from assay.report.hackatari_tables import answer as changes_answer
from assay.report.hackatari_tables import method_of
from assay.report.plain_words import trained_for
from assay.report.preset_table import describe_presets
from assay.report.tail_table import MEANS as TAILS_MEAN
from assay.report.text import count, number
from assay.stats.aggregate import Interval


def answer(experiment: Experiment) -> str:
    """One sentence: where the agent learned best and worst; for pairs with measures, where it lost most."""
    if experiment.hackatari:
        return changes_answer(experiment.hackatari)
    gaps = experiment.gaps
    lost = [(pair.gaps[0].lost, pair.label) for pair in (gaps.pairs if gaps else ()) if pair.gaps[0].lost]
    if gaps and len(lost) > 1:
        title = gaps.measures[0].title
        (most, _), (least, _) = max(lost), min(lost)
        where = extremes(lost, "Loses most at", "least at")
        return f"{where}: {most.value:.0f}% and {least.value:.0f}% of {title}."
    named = {"area": "mean score while learning", "evaluated": "score"}
    for measure, words in named.items():
        labelled = [(getattr(each, measure), each.label) for each in experiment.findings]
        if labelled and all(interval is not None for interval, _ in labelled):
            (best, _), (worst, _) = max(labelled), min(labelled)
            if len(labelled) == 1:
                return f"{words[0].upper()}{words[1:]}: {number(best.value)}."
            where = extremes(labelled, "Best at", "worst at")
            return f"{where}: {words} {number(best.value)} and {number(worst.value)}."
    return "No pair is finished yet."


def extremes(labelled: list[tuple[Interval, str]], highest: str, lowest: str) -> str:
    """`Best at plain, worst at delay=8`; says so where intervals overlap and the level cannot be told."""
    (most, top), (least, bottom) = max(labelled), min(labelled)
    above = all(most.low > each.high for each, label in labelled if label != top)
    below = all(least.high < each.low for each, label in labelled if label != bottom)
    if above and below:
        return f"{highest} {top}, {lowest} {bottom}"
    if above:
        return f"{highest} {top}, {lowest} a level that cannot be told"
    if below:
        return f"{highest} a level that cannot be told, {lowest} {bottom}"
    return "No level stands apart from all others; the highest and the lowest mean"


def setting(experiment: Experiment) -> str:
    """What was done, in one sentence."""
    seeds = count(len(experiment.seeds), "seed")
    worlds = ", each in an MDP of its own" if experiment.own_mdp else ""
    each = " each" if len(experiment.seeds) > 1 else ""
    trained = f" trained for {trained_for(experiment)}{each}" if experiment.budget else ""
    episodes = f"{count(experiment.episodes, 'episode')} of evaluation per task and seed"
    pairs = f"; {len(experiment.findings)} pairs of tasks" if len(experiment.findings) > 1 else ""
    return f"{seeds}{trained}{worlds}; {episodes}{pairs}."


def list_seeds(seeds: Sequence[int]) -> str:
    """`0 to 9`, or `0, 7, 13` where they do not follow one another."""
    if len(seeds) > 1 and list(seeds) == list(range(seeds[0], seeds[-1] + 1)):
        return f"{seeds[0]} to {seeds[-1]}"
    return ", ".join(map(str, seeds))


def budget_text(experiment: Experiment) -> str:
    """The steps that agents had at most, and what they played where something else ended their training."""
    steps = f"{experiment.budget:,} env steps of training" if experiment.budget else ""
    ended = experiment.training not in ("", f"{experiment.budget:,} steps")
    return f"at most {steps}; played: {experiment.training}" if ended else steps


def describe_intervals(experiment: Experiment) -> str:
    """How the intervals were made, and over how many seeds."""
    fewest = min((each.seeds for each in experiment.findings), default=0)
    most = max((each.seeds for each in experiment.findings), default=0)
    if most == 1:
        return "none: one seed has no spread"
    seeds = count(most, "seed") if fewest == most else f"{fewest} to {count(most, 'seed')}"
    if most < FEWEST_SEEDS and all(math.isinf(each.evaluated.low) for each in experiment.findings):
        return f"none: {seeds} are too few, since seeds that fail may well not be among them"
    own = f"{experiment.intervals}; over {seeds}"
    if experiment.hackatari:
        units = f"{experiment.hackatari.unit}s"
        return (
            f"of scores and expert scores Student's over {units}, of PC Fieller's over {units}, over several "
            f"games a stratified bootstrap of seeds; of gaps {own}"
        )
    return own


def describe_matrix(experiment: Experiment) -> str:
    """How to read the matrix of a crossing; "" where there is none."""
    crossed = [each for each in experiment.maps if each.intervals]
    if not crossed:
        return ""
    cells = (
        "Means over seeds with intervals of 95% each; the standard deviation divides by the number of seeds"
        if crossed[0].has_spread
        else "Scores of one seed, which has no spread and no interval"
    )
    return (
        f"{cells}. Every row is one training, every column the task that it was evaluated on. Random play "
        "has episodes as its units, and its interval is over them."
    )


def method(experiment: Experiment) -> list[tuple[str, str]]:
    """How to read the numbers: a term and what it means here."""
    measures = {measure for each in experiment.findings for measure in each.units}
    who = (
        "one agent trained from scratch"
        if experiment.budget
        else "the agent as it is, in episodes of its own"
    )
    return [
        ("Unit", f"A seed: {who}. The episodes of one seed are averaged first."),
        ("Learning (AUC)", "Each report of training gives the mean score of the episodes that ended since "
         "the report before. This is the mean over all reports in which an episode ended."
         if "area" in measures else ""),
        ("Rollouts (AUC)", "The same mean over reports, where the policy of each report plays the task it is "
         "evaluated on, without exploration." if "rollout" in measures else ""),
        ("Length (AUC)", "The same mean over reports, for the length of episodes in steps."
         if "area_length" in measures else ""),
        ("Score trained", "The score of the agent after training, on the task that it was trained on."
         if experiment.budget else "The score of the agent, which was not trained here, on the first task of "
         "the pair."),
        ("Of the optimum", "The score divided by the best possible score on each seed's own task, which is "
         "computed exactly; regret is the best possible score less the score."
         if "share" in measures else ""),
        ("Measures", f"{describe_gaps(experiment.gaps, experiment.budget)}. Lost is the value on the task "
         "trained on less that on the task evaluated on; in percent, it is computed from the means over "
         "seeds and left out where there was nothing to lose. Success counts the last step, success once "
         "counts any step."
         if experiment.gaps and experiment.gaps.pairs else ""),
        ("Best blind policy", "Of a family of policies that see nothing, the one with the highest mean "
         "score or, where a column says so, the best by another measure. Each holds one action and "
         "presses another one for a fixed number of steps in every period. It is chosen on levels of its own "
         "and then plays the agent's levels. A score that it reaches too does not show that an agent sees."
         if experiment.gaps and any(each.blind for each in experiment.gaps.pairs) else ""),
        ("Normalised", experiment.compat),
        ("Intervals", describe_intervals(experiment)),
        ("Presets", describe_presets(experiment.presets)),
        ("Risk", TAILS_MEAN if experiment.tails else ""),
        ("Maps", "Mean and standard deviation over seeds (divided by their number) at every combination."
         if any(not each.intervals for each in experiment.maps) else ""),
        ("Matrix", describe_matrix(experiment)),
        *method_of(experiment.hackatari),
    ]  # fmt: skip
