"""Which trainings there are, which of them fail, and how many learn more than a blind policy."""

from __future__ import annotations

from collections.abc import Sequence

from assay.suites import kage
from assay.suites.suite import Pair

from .appearances import appearances
from .arithmetic import (
    SUCCESS,
    describe_failure,
    gap_interval,
    has_failed,
    pair_gap_values,
    share_interval,
    values_of,
)
from .formats import interval_text, listed, number, paragraph, spread, table
from .results import Results, seeds_of
from .trainings import AUGMENTED, PLAIN_LEARNER, PRECISION, Training, select

WANTED_SEEDS = 3  # at least, of every appearance and of every learner
LEARNED = 0.9  # final success on the training appearance
ALONE = {("plain", seed) for seed in (1, 2, 3, 4, 5, 6)}  # had the card for themselves
SHARED = "2 to 5"  # trainings side by side on one card, the others


def training_table(results: Results) -> list[str]:
    """One row per appearance: seeds, pairs that it serves, and the share of seeds that fail."""
    rows = []
    for name, appearance in appearances().items():
        trainings = results.main.get(appearance.train, ())
        pairs = sum(pair.train == appearance.train for pair in kage.ALL)
        cells = [f"{name}: `{appearance.train}`", str(pairs), seeds_of(trainings) or "not trained yet"]
        rows.append([*cells, *failure_cells(trainings)])
    every = select(results.trainings)
    rows.append(["all", str(len(kage.ALL)), f"{len(every)} trainings", *failure_cells(every)])
    return table(["training appearance", "pairs", "seeds", "failed", "share that fails"], rows)


def failure_cells(trainings: Sequence[Training]) -> list[str]:
    if not trainings:
        return ["–", "–"]
    flags = [has_failed(each) for each in trainings]
    return [str(sum(flags)), interval_text(share_interval(flags), 2)]


def missing_lines(results: Results) -> list[str]:
    """What the tables wait for, in words."""
    known = appearances()
    counts = {name: len(results.main.get(each.train, ())) for name, each in known.items()}
    few = [f"{name} ({count})" for name, count in counts.items() if 0 < count < WANTED_SEEDS]
    lines = [
        f"- Not trained yet: {listed(name for name, count in counts.items() if not count)}; "
        f"pairs without results: {len(results.missing_pairs)} of {len(kage.ALL)}.",
        f"- Fewer than {WANTED_SEEDS} seeds so far: {listed(few)}.",
    ]
    others = {"float32 on plain": (PLAIN_LEARNER, "float32"), "augmented on plain": (AUGMENTED, PRECISION)}
    for words, (learner, precision) in others.items():
        count = len(select(results.trainings, "plain", learner, precision))
        if count < WANTED_SEEDS:
            lines.append(f"- Seeds of {words}: {count} of {WANTED_SEEDS}.")
    return lines


def seconds_line(trainings: Sequence[Training]) -> str:
    """Seconds say little without how many trainings shared the card."""
    alone = [each.seconds for each in trainings if is_alone(each)]
    shared = [each.seconds for each in trainings if not is_alone(each)]
    parts = []
    if alone:
        parts.append(f"{len(alone)} trainings had the card for themselves, {from_to(alone)}")
    if shared:
        parts.append(
            f"{len(shared)} were trained {SHARED} side by side on one card, {from_to(shared)}, which is not "
            "the time of one alone"
        )
    return f"Time of a training with its evaluations: {'; '.join(parts)}."


def from_to(seconds: Sequence[float]) -> str:
    return f"{min(seconds):.0f} to {max(seconds):.0f} s"


def is_alone(training: Training) -> bool:
    usual = training.learner == PLAIN_LEARNER and training.precision == PRECISION
    return usual and (training.name, training.seed) in ALONE


def failures(results: Results) -> list[str]:
    """Every failed training by name, and how it came to fail."""
    lines = []
    for each in select(results.trainings):
        if not has_failed(each):
            continue
        story = describe_failure(each)
        jumps = "no jumps at all" if story.jumps == 0 else f"{story.jumps:.1f} jumps an episode"
        end = f"final success {number(story.final, 2)}, {jumps}"
        if story.last_good is None:
            best = f"{number(story.best, 2)} (iteration {story.best_at})"
            lines.append(f"- {each}: never learned; best success {best}; {end}.")
        else:
            lines.append(
                f"- {each}: collapsed after success {number(story.best, 2)} at iteration {story.best_at}; "
                f"at least 0.5 for the last time at iteration {story.last_good}, less from {story.gone} on; "
                f"{end}."
            )
    return lines or ["- none."]


def apart_table(results: Results) -> list[str]:
    """The pairs of appearances with failed seeds, with all seeds and without those that failed."""
    rows = []
    for pair in results.trained_pairs:
        every = results.of(pair)
        kept = tuple(each for each in every if not has_failed(each))
        if len(kept) == len(every):
            continue
        for words, some in (("all", every), ("without failed", kept)):
            rows.append([pair.name, words, str(len(some)), *apart_cells(some, pair)])
    heads = [f"{head}, {way}" for way in ("largest", "final") for head in ("SR train", "SR eval", "Δ SR, %")]
    return table(["pair", "seeds", "number", *heads], rows) if rows else ["No seed failed."]


def apart_cells(trainings: Sequence[Training], pair: Pair) -> list[str]:
    if not trainings:
        return ["–"] * 6
    cells = []
    for way in ("largest", "final"):
        gap = pair_gap_values(trainings, pair, SUCCESS, way)
        cells += [
            *(spread(values_of(trainings, "success", t, way), 2) for t in (pair.train, pair.evaluate)),
            interval_text(None if gap is None else gap_interval(SUCCESS, gap), 1),
        ]
    return cells


def base_line(results: Results) -> str:
    """How many seeds of the base config end with success, above what a blind policy reaches."""
    trainings = select(results.trainings, "plain")
    if not trainings:
        return "The base config is not trained yet."
    good = [bool(each.own("success")[-1] >= LEARNED) for each in trainings]
    words = f"On the base config {sum(good)} of {len(good)} seeds end with a success of at least {LEARNED}"
    if results.blind is None:
        return f"{words}. The best blind policy is not computed yet (`benchmarks/kage_blind.py`)."
    bar = results.blind.most("return")
    above = [g and bool(each.own("return")[-1] > bar.high) for g, each in zip(good, trainings)]
    return (
        f"{words}; {sum(above)} of {len(above)} also have a return above the best blind policy's interval "
        f"({interval_text(bar, 0)}). Share of seeds that do both: {interval_text(share_interval(above), 2)}."
    )


def below_blind_line(results: Results) -> str:
    """On how many eval configs the trained agents do worse than a policy that does not look."""
    if results.blind is None:
        return "The best blind policy is not computed yet (`benchmarks/kage_blind.py`)."
    bar = results.blind.most("success")
    pairs = results.trained_pairs
    below = [
        pair.name
        for pair in pairs
        if values_of(results.of(pair), "success", pair.evaluate, "final").mean() < bar.low
    ]
    return (
        f"On the eval configs of {len(below)} of {len(pairs)} pairs the mean final success, failed seeds "
        f"included, is below that of the best blind policy by success ({interval_text(bar, 2)}): "
        f"{listed(below)}."
    )


def blind_table(results: Results) -> list[str]:
    """The best blind policies with 95% intervals over levels."""
    if results.blind is None:
        return ["Not computed yet (`benchmarks/kage_blind.py`)."]
    names = {"score": "return", "x": "distance", "success": "success"}
    columns = {"return": 1, "passed_distance": 1, "progress": 3, "success": 3, "success_once": 3}
    rows = [
        [
            names.get(each.by, each.by),
            f"RIGHT, and JUMP for {each.held} of every {each.period} steps",
            str(each.levels),
            *(interval_text(each.measures[name], digits) for name, digits in columns.items()),
        ]
        for each in results.blind.best
    ]
    return [
        *table(
            ["best by", "policy", "levels", "return", "distance", "progress", "SR", "SR once"],
            rows,
        ),
        "",
        blind_alike(results),
    ]


def blind_alike(results: Results) -> str:
    blind = results.blind
    if blind is None or not blind.appearances:
        return "Whether appearances matter to them is not computed yet."
    where = f"in all {blind.appearances} appearances of the pairs and doses"
    if blind.unlike:
        return f"Appearances in which they do not score as in the plain one: {listed(blind.unlike)}."
    return paragraph(f"""
        Played on the same {blind.compared_levels} levels {where}, each of them has the same return, distance,
        progress, success and jumps to the last bit: blind play does not depend on the look, so these figures
        stand beside every pair, on its train and on its eval config.""")
