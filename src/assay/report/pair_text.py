"""The words of a report on pairs, shared by the terminal, Markdown and the page."""

from __future__ import annotations

from assay.analysis.experiment import Experiment
from assay.report.gap_table import said_of_gaps
from assay.report.text import count, number
from assay.stats.aggregate import Interval


def answer(experiment: Experiment) -> str:
    """One breath: where it learned best and where worst; of pairs with measures, where it lost most."""
    gaps = experiment.gaps
    lost = [(pair.gaps[0].lost, pair.label) for pair in (gaps.pairs if gaps else ()) if pair.gaps[0].lost]
    if gaps and len(lost) > 1:
        title = gaps.measures[0].title
        said = extremes(lost, "Loses most at", "least at")
        (most, _), (least, _) = max(lost), min(lost)
        return f"{said}: {most.value:.0f}% and {least.value:.0f}% of {title}."
    named = {"area": "mean score while learning", "evaluated": "score"}
    for measure, words in named.items():
        found = [(getattr(each, measure), each.label) for each in experiment.findings]
        if found and all(interval is not None for interval, _ in found):
            (best, _), (worst, _) = max(found), min(found)
            if len(found) == 1:
                return f"{words[0].upper()}{words[1:]}: {number(best.value)}."
            said = extremes(found, "Best at", "worst at")
            return f"{said}: {words} {number(best.value)} and {number(worst.value)}."
    return "Nothing is finished yet."


def extremes(found: list[tuple[Interval, str]], highest: str, lowest: str) -> str:
    """`Best at plain, worst at delay=8`; where intervals overlap, that it cannot be told which it is."""
    (most, at), (least, there) = max(found), min(found)
    above = all(most.low > each.high for each, label in found if label != at)
    below = all(least.high < each.low for each, label in found if label != there)
    if above and below:
        return f"{highest} {at}, {lowest} {there}"
    if above:
        return f"{highest} {at}, {lowest} which level cannot be told"
    if below:
        return f"{highest} which level cannot be told, {lowest} {there}"
    return "No level stands apart from all others; the means reach from one to the other"


def setting(experiment: Experiment) -> str:
    """What was done, in one sentence."""
    seeds = count(len(experiment.seeds), "seed")
    worlds = ", each in an MDP of its own" if experiment.own_mdp else ""
    trained = f" trained for {experiment.budget:,} steps each" if experiment.budget else ""
    return (
        f"{seeds}{trained}{worlds}; {count(experiment.episodes, 'episode')} of evaluation per task and seed; "
        f"{count(len(experiment.findings), 'pair')} of tasks."
    )


def shown_intervals(experiment: Experiment) -> str:
    """How the intervals were made, and over how many seeds."""
    fewest = min((each.seeds for each in experiment.findings), default=0)
    most = max((each.seeds for each in experiment.findings), default=0)
    seeds = count(most, "seed") if fewest == most else f"{fewest} to {count(most, 'seed')}"
    return f"{experiment.intervals}; over {seeds}"


def method(experiment: Experiment) -> list[tuple[str, str]]:
    """How to read the numbers: a term and what it means here."""
    measures = {measure for each in experiment.findings for measure in each.units}
    return [
        ("Unit", "A seed: one agent trained from scratch. The episodes of one agent are averaged first."),
        ("Learning (AUC)", "The plain mean over the reports of training, of the mean score of the episodes "
         "that ended since the report before; reports in which none ended are left out."
         if "area" in measures else ""),
        ("Rollouts (AUC)", "The same mean over reports, of the policy at each report played without "
         "exploration where it is evaluated." if "rollout" in measures else ""),
        ("Length (AUC)", "The same mean over reports, of the length of episodes in steps."
         if "area_length" in measures else ""),
        ("Score there", "The trained agent in the task that it was trained on, after training."),
        ("Of the optimum", "The score over the best possible one of each seed's own task, which is computed "
         "exactly; regret is the difference of the two." if "share" in measures else ""),
        ("Measures", f"{said_of_gaps(experiment.gaps)}. Lost is trained less evaluated; in percent, of the "
         "means over seeds, and nothing where nothing was there to lose. Success is that of the last step, "
         "success once that of any." if experiment.gaps and experiment.gaps.pairs else ""),
        ("Best blind policy", "The best of a family of policies that see nothing: one action held, another "
         "one every so many steps for so many; chosen by levels of its own, then played on the agent's. "
         "What it reaches too does not show that an agent sees."
         if experiment.gaps and any(each.blind for each in experiment.gaps.pairs) else ""),
        ("Normalised", experiment.compat),
        ("Intervals", shown_intervals(experiment)),
        ("Maps", "Mean and standard deviation over seeds (divided by their number) at every combination."
         if experiment.maps else ""),
    ]  # fmt: skip
