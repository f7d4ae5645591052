"""More of docs/results/stori.md: drifts, the matrix, how each run was made, and what is missing."""

from __future__ import annotations

import numpy as np
from stori_frequencies import holds
from stori_results import MEMORY, PICTURES, STUDIES, settings
from stori_tables import (
    GAMES,
    NONE,
    PLAIN,
    Game,
    Kept,
    agreement_text,
    game_called,
    join,
    load,
    number,
    orders_of,
    table,
    with_ends,
)

from assay.stats.drift import Watch, measure_drift
from assay.stats.resampling import bootstrap_t

MARGIN = 0.1  # of a recovery, as in `assay drift`
WINDOW = 2  # bins
DRIFT = "2.2"


def switches_of(variation: str, far: int) -> list[int]:
    """The steps at which a scheduled variation comes and goes."""
    if "@sudden:" in variation:
        return [int(variation.rpartition(":")[2])]
    period = int(variation.partition("@turn:")[2].partition(":")[0])
    return list(range(period, far, period))


def drift_text(kept: Kept) -> str:
    """What the first drift costs each frozen agent, until the concept goes again or the episodes end."""
    controls = {(each["game"], each["trained"]): each for each in kept["cells"] if not each["drift"]}
    rows = [
        drift_row(kept, controls[each["game"], each["trained"]], each)
        for each in sorted(kept["cells"], key=lambda each: (list(GAMES).index(each["game"]), each["drift"]))
        if each["drift"]
    ]
    heads = ["trained on", "drift", "reached by", f"score per {kept['bin']} steps before",
             "deepest fall of it", "lost until the next switch or the end", "back"]  # fmt: skip
    return table(heads, rows)


def drift_row(kept: Kept, control: Kept, drifted: Kept) -> list[str]:
    [first, *later] = switches_of(drifted["drift"], kept["max_steps"])
    alive = np.array(control["alive"])
    at = first // kept["bin"]
    end = min([each // kept["bin"] for each in later[:1]] + [int(np.flatnonzero(alive)[-1]) + 1])
    row = [f"{drifted['game']} {drifted['trained']}", f"`{drifted['drift']}`", f"{alive[at]:.0%} of episodes"]
    if end - at < WINDOW:
        return [*row, *["too few episodes reach it"] * 4]
    found = measure_drift(
        np.array(drifted["paid"], float), np.array(control["paid"], float), Watch(at, end, WINDOW),
        margin=MARGIN, rng=np.random.default_rng(0),
    )  # fmt: skip
    late = found.recovery.value
    back = "not within the time watched" if late is None else f"after {late * kept['bin']} steps"
    return [*row, *(with_ends(each) for each in (found.level, found.depth, found.area)), back]


def crossing_text(kept: Kept) -> str:
    """Mean scores and their standard errors; rows are what agents were trained on."""
    kinds = list(GAMES[kept["game"]])
    cells = {(each["trained"], each["played"]): np.array(each["scores"], float) for each in kept["cells"]}
    trained = [kind for kind in [*kinds, "random"] if any(key[0] == kind for key in cells)]
    rows = [[kind, *(error_text(cells[kind, other]) for other in kinds)] for kind in trained]
    ends = {key: bootstrap_t(scores, rng=np.random.default_rng(0)) for key, scores in cells.items()}
    above = [kind for kind in kinds if ends[PLAIN, kind].low > ends["random", kind].high]
    told = f"The agent of 3.1 is above random play (intervals apart) on {join(above)}; "
    told += f"not on {join([kind for kind in kinds if kind not in above])}. "
    best = {
        other: max((kind for kind in trained if kind != "random"), key=lambda kind: cells[kind, other].mean())
        for other in kinds
    }
    listed = [f"on {other} that of {kind}" for other, kind in best.items()]
    told += f"The best agent of each column: {join(listed)}."
    return f"{told}\n\n" + table(["trained on", *(f"on {kind}" for kind in kinds)], rows)


def error_text(scores: np.ndarray) -> str:
    return f"{number(scores.mean())} ± {number(scores.std(ddof=1) / np.sqrt(len(scores)))}"


def missing_text() -> str:
    """What of the experiment is there, and which trainings are not."""
    told = []
    for name, presets in GAMES.items():
        game = game_called(name)
        by_seed = {seed: [kind for kind in presets if (kind, seed) in game.agents] for seed in game.seeds}
        seeds = [
            f"seed {seed} on {join(kinds) if len(kinds) < len(presets) else 'all presets'}"
            for seed, kinds in by_seed.items()
        ]
        told.append(f"{name}: {'; '.join(seeds) or 'none'}")
    absent = [name for name in STUDIES if not load(name)]
    text = "Agents on pictures that are there: " + ". ".join(told) + "."
    text += (
        " The paper has three seeds everywhere (0, 7, 13): the whole table is `assay run stori --agent dqn "
    )
    text += "$PICTURES --max-steps 2000`, with the settings [below](#how-it-was-run)."
    unfinished = [name for name in STUDIES if (kept := load(name)) and len(kept["cells"]) < kept["jobs"]]
    if unfinished:
        text += f" Unfinished runs: {join([f'`{name}`' for name in unfinished])}."
    return text + (f" Not run: {join([f'`{name}`' for name in absent])}." if absent else "")


def summary_text() -> str:
    """What the trained agents show, game by game."""
    lines = []
    for name, presets in GAMES.items():
        game = game_called(name)
        plain, chance = game.plain(0), game.random.get(PLAIN)
        if not plain or not chance:
            lines.append(f"- {name}: not far enough to say anything.")
            continue
        agents = [each for (kind, _), each in game.agents.items() if kind == PLAIN]
        scores = f"{number(float(np.mean([each.scores.mean() for each in agents])))} beside "
        scores += f"{number(chance.scores.mean())} of random play"
        scores += f" (published: {' and '.join(f'{mean:,.1f}' for mean, _ in presets[PLAIN].scores)})"
        if not game.has_scale(0):
            lines.append(f"- {name}: 3.1 is not above random play, {scores}. No share kept is given.")
            continue
        seeds = f"{len(game.seeds)} seeds" if len(game.seeds) > 1 else "one seed"
        lines.append(
            f"- {name}: on 3.1 {scores}. Of the score above random play agents keep, the mean of {seeds}, in "
            f"the second half of training, the least first: {kept_text(game, True)}; by the last policies: "
            f"{kept_text(game, False)}."
        )
    return "\n".join(lines)


def kept_text(game: Game, learning: bool) -> str:
    """The shares kept, means over the seeds that have one, the least first."""
    kept = {}
    for kind in GAMES[game.name]:
        shares = [own for seed in game.seeds if (own := game.kept(kind, seed, learning)) is not None]
        if kind != PLAIN and shares:
            kept[kind] = float(np.mean(shares))
    return join([f"{kind} {kept[kind]:.2f}" for kind in sorted(kept, key=lambda kind: kept[kind])])


def below_text() -> str:
    """How many agents of each game are below both published ones on their presets."""
    told = []
    for name, presets in GAMES.items():
        agents = game_called(name).agents
        least = {kind: min(mean for mean, _ in each.scores) for kind, each in presets.items()}
        lower = sum(each.scores.mean() < least[kind] for (kind, _), each in agents.items())
        told += [f"{name} {lower} of {len(agents)}"] if agents else []
    return join(told)


def paper_text() -> str:
    """What agrees with the paper and what does not, from the kept files."""
    lines = []
    if kept := load("chances"):
        inside, torch = sum(holds(each) for each in kept["rates"]), kept["torch"]
        lines += [
            f"- Agrees: {inside} of {len(kept['rates'])} frequencies, and the torch on the game's own "
            f"picture, which leaves {torch['rgb']['mean']:.3f} of it on average (0.355 measured on STORI "
            "itself).",
            "- Does not agree: the torch on the gray pictures of 84 x 84 that the agents here saw leaves "
            f"{torch['gray84']['mean']:.3f}. The picture is squeezed, and the torch on it is a circle of "
            f"{torch['gray84']['radius']} pixels in both directions, where STORI's would be an ellipse: 3.2C "
            "was darker for them than in the paper.",
        ]
    lines.append(f"- Does not agree: agents score less than both published ones ({below_text()}).")
    for name in GAMES:
        game = game_called(name)
        if (orders := orders_of(game)) and game.has_scale(game.seeds[0]):
            lines.append(f"- The order of presets on {name}: {agreement_text(orders)}")
    if first := game_called("Breakout").agents.get((DRIFT, 0)):
        lines.append(
            f"- Breakout's 2.2 drifts at step 300. {first.events.get('concept', 0):.0%} of the agent's "
            "episodes last as long, so that here it is nearly the plain game."
        )
    return "\n".join(lines)


def runs_text() -> str:
    shared = {"$PICTURES": settings(PICTURES), "$MEMORY": settings(MEMORY)}
    lines = [f'{name[1:]}="{" ".join(words)}"' for name, words in shared.items()]
    rows = []
    for name in STUDIES:
        kept = load(name)
        if not kept:
            continue
        trained = [each["cpu_s"] for each in kept["cells"] if each["agent"] == "dqn"]
        command = kept["command"]
        for short, words in shared.items():
            command = command.replace(" ".join(words), short)
        seeds = join([str(seed) for seed in sorted({each["seed"] for each in kept["cells"]})])
        cost = sum(each["cpu_s"] for each in kept["cells"])
        rows.append([f"`{name}`", f"`{command}`", seeds, f"{len(kept['cells'])} of {kept['jobs']}",
                     f"{np.mean(trained):.0f}" if trained else NONE,
                     f"{cost:,.0f}", f"`{kept['source']}`"])  # fmt: skip
    heads = ["run", "command", "seeds", "jobs done", "CPU-seconds of a training", "of all jobs", "code"]
    code = "\n".join(["```", *lines, "```"])
    return "\n\n".join([code, table(heads, rows), settings_text()])


def settings_text() -> str:
    """All settings of the learners, and versions."""
    lines = []
    for name, what in (("dqn-breakout", "pictures"), ("ram-breakout", "memory")):
        if kept := load(name):
            told = ", ".join(f"`{key}={value}`" for key, value in sorted(kept["settings"].items()))
            lines.append(f"- DQN on {what}: {told}.")
    versions: dict[str, list[str]] = {}
    for name in STUDIES:
        for package, version in (load(name) or {"versions": {}})["versions"].items():
            versions[package] = list(dict.fromkeys([*versions.get(package, []), version]))
    lines.append(
        "- " + ", ".join(f"{package} {' and '.join(those)}" for package, those in versions.items()) + "."
    )
    return "\n".join(lines)
