"""The tables and sentences of docs/results/stori.md, computed from the files in benchmarks/stori/."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import spearmanr
from stori_results import KEPT, STUDIES

from assay.stats.aggregate import Interval
from assay.stats.resampling import bootstrap_t
from assay.suites.stori import GAMES, PLAIN

Kept = dict[str, Any]
NONE = "-"
SEEN_ONLY = ("2.2", "3.1", "3.2")  # types whose presets change only what is seen
FEWEST_TO_RANK = 4  # presets, for a correlation
SMOOTH = 10_000  # steps of training that a point of a learning curve is the mean of


class Agent(NamedTuple):
    """A trained agent, or random play, on the preset that it was trained on."""

    game: str
    preset: str
    seed: int
    scores: np.ndarray  # (episodes,)
    lengths: np.ndarray
    cut: int  # episodes that were cut off
    events: dict[str, float]  # an episode
    curve: list[list[float]]
    cpu_s: float

    @property
    def interval(self) -> Interval:
        return bootstrap_t(self.scores, rng=np.random.default_rng(0))

    @property
    def learning(self) -> list[tuple[float, float]]:
        """Steps, and the mean score of the episodes that ended in the SMOOTH steps of training before."""
        return [
            (end, float(np.mean([score for step, score in self.curve if end - SMOOTH < step <= end])))
            for end, _ in self.curve
            if end >= SMOOTH
        ]

    @property
    def second_half(self) -> float:
        """The mean score in training from the middle on, which moves less than that of the last policy."""
        return float(np.mean([score for step, score in self.curve if step > self.curve[-1][0] / 2]))


def load(name: str) -> Kept | None:
    path = KEPT / f"{name}.json"
    return json.loads(path.read_text()) if path.exists() else None


def agent_of(cell: Kept) -> Agent:
    scores, lengths = np.array(cell["scores"], float), np.array(cell["lengths"], float)
    return Agent(cell["game"], cell["preset"], cell["seed"], scores, lengths, cell["cut"], cell["events"],
                 cell["curve"], cell["cpu_s"])  # fmt: skip


def cells_of(prefix: str, agent: str) -> list[Agent]:
    kept = [load(name) for name in STUDIES if name.startswith(prefix)]
    return [agent_of(cell) for each in kept if each for cell in each["cells"] if cell["agent"] == agent]


def agents_in(game: str) -> list[Agent]:
    """The trained agents of a game that see stacked pictures, in the order of its presets."""
    kinds = list(GAMES[game])
    there = [each for each in cells_of("dqn-", "dqn") if each.game == game]
    return sorted(there, key=lambda each: (each.seed, kinds.index(each.preset)))


def measured_random_play() -> dict[tuple[str, str], Agent]:
    """By game and preset; the same episodes where several runs have played them."""
    played = [*cells_of("dqn-", "random"), *cells_of("random-", "random")]
    return {(each.game, each.preset): each for each in played}


def random_play() -> dict[tuple[str, str], Agent]:
    """The same for all presets that can be known: what only changes what is seen changes no random play."""
    played = measured_random_play()
    for game, presets in GAMES.items():
        unseen = [kind for kind in presets if kind.startswith(SEEN_ONLY)]
        there = [played[game, kind] for kind in unseen if (game, kind) in played]
        played = {(game, kind): there[0] for kind in unseen if there} | played
    return played


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def number(value: float) -> str:
    """About three digits."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def with_ends(interval: Interval) -> str:
    if not np.isfinite([interval.low, interval.high]).all():
        return f"{number(interval.value)} (no interval)"
    return f"{number(interval.value)} [{number(interval.low)}, {number(interval.high)}]"


class Game(NamedTuple):
    """What is there of one game."""

    name: str
    seeds: list[int]
    agents: dict[tuple[str, int], Agent]  # by preset and seed
    random: dict[str, Agent]  # by preset

    def plain(self, seed: int) -> Agent | None:
        return self.agents.get((PLAIN, seed))

    def has_scale(self, seed: int) -> bool:
        """Whether this seed's agent is above random play on the plain game."""
        plain, chance = self.plain(seed), self.random.get(PLAIN)
        return bool(plain and chance and plain.interval.low > chance.interval.high)

    def kept(self, preset: str, seed: int, learning: bool = False) -> float | None:
        """The share kept of the score above random play; an interval would take more seeds.

        `learning` takes the scores of the second half of training in place of the last policy's.
        """
        own, plain = self.agents.get((preset, seed)), self.plain(seed)
        if not own or not plain or not self.has_scale(seed):
            return None
        floor = self.random[PLAIN].scores.mean()
        score, best = (each.second_half if learning else each.scores.mean() for each in (own, plain))
        return float((score - floor) / (best - floor))


def game_called(name: str) -> Game:
    agents = {(each.preset, each.seed): each for each in agents_in(name)}
    random = {preset: each for (game, preset), each in random_play().items() if game == name}
    return Game(name, sorted({seed for _, seed in agents}), agents, random)


def game_text(name: str) -> str:
    """Table 6 of the paper for one game, and what it says."""
    game = game_called(name)
    if not game.agents:
        return ""
    heads = ["preset", *(f"score, seed {seed}" for seed in game.seeds)]
    heads += ["mean ± sd"] if len(game.seeds) > 1 else []
    heads += ["random play", "DreamerV3", "STORM", "kept"]
    heads += [
        "in training: second half, best, last",
        "kept in the second half",
        "events an episode, first seed",
    ]
    rows = [preset_row(game, kind) for kind in GAMES[name]]
    return "\n\n".join([judge_game(game), table(heads, rows)])


def preset_row(game: Game, kind: str) -> list[str]:
    preset = GAMES[game.name][kind]
    mine = [game.agents.get((kind, seed)) for seed in game.seeds]
    row = [f"{kind}: `{preset.variation or 'plain'}`"]
    row += [with_ends(each.interval) if each else "not run" for each in mine]
    if len(game.seeds) > 1:
        row.append(mean_and_sd([each for each in mine if each]))
    row.append(with_ends(game.random[kind].interval) if kind in game.random else "not run")
    row += [f"{mean:,.2f} ± {sd:,.2f}" for mean, sd in preset.scores]
    events = mine[0].events if mine[0] else {}
    acted = ", ".join(f"{name} {number(times)}" for name, times in events.items())
    learned = "; ".join(learning_text(each) for each in mine if each and each.curve)
    return [*row, kept_text(game, kind), learned or NONE, kept_text(game, kind, True), acted or NONE]


def learning_text(agent: Agent) -> str:
    """The mean of the second half of a learning curve, its highest point, and its last."""
    scores = [score for _, score in agent.learning]
    return f"{number(agent.second_half)}, {number(max(scores))}, {number(scores[-1])}"


def mean_and_sd(agents: Sequence[Agent]) -> str:
    means = np.array([each.scores.mean() for each in agents])
    return f"{number(means.mean())} ± {number(means.std(ddof=1))}" if len(means) > 1 else NONE


def kept_text(game: Game, kind: str, learning: bool = False) -> str:
    """The share kept of every seed that has one."""
    if kind == PLAIN:
        return "baseline"
    texts = []
    for seed in game.seeds:
        if (kind, seed) in game.agents and game.plain(seed) and PLAIN in game.random:
            kept = game.kept(kind, seed, learning)
            texts.append("no scale" if kept is None else f"{kept:.2f}")
    return "; ".join(texts) or NONE


def judge_game(game: Game) -> str:
    """Whether there is a scale, which presets cost something, and the order beside the paper's."""
    first = game.seeds[0]
    plain, chance = game.plain(first), game.random.get(PLAIN)
    if not plain or not chance:
        return "The plain game or random play on it is not there yet, so there is no scale."
    told = f"On 3.1 the agent of seed {first} scores {with_ends(plain.interval)}, "
    told += f"random play {with_ends(chance.interval)}: "
    scores, times = np.unique(plain.scores, return_counts=True)
    if times.max() > len(plain.scores) / 2:
        told = told.removesuffix(": ") + f". {times.max()} of its {len(plain.scores)} episodes score "
        told += (
            f"{scores[times.argmax()]:g}: without stickiness it plays nearly the same one again. So it is "
        )
    if not game.has_scale(first):
        return f"{told}not above random play, so there is no scale and no share kept."
    orders = orders_of(game)
    if not orders:
        return f"{told}above it."
    ranked = (f"{who} {' > '.join(sorted(of, key=lambda kind: -of[kind]))}" for who, of in orders.items())
    return f"{told}above it. Presets in order of their scores: {'; '.join(ranked)}."


def orders_of(game: Game) -> dict[str, dict[str, float]]:
    """By source the scores of presets, means over seeds; {} for too few presets."""
    mine = {
        kind: [each for (own, _), each in game.agents.items() if own == kind] for kind in GAMES[game.name]
    }
    mine = {kind: agents for kind, agents in mine.items() if agents}
    if len(mine) < FEWEST_TO_RANK:
        return {}
    published = {kind: GAMES[game.name][kind].scores for kind in mine}
    return {
        "by the last policy": {kind: mean_of(each.scores.mean() for each in mine[kind]) for kind in mine},
        "by the second half of training": {
            kind: mean_of(each.second_half for each in mine[kind]) for kind in mine
        },
        "DreamerV3": {kind: each.dreamer[0] for kind, each in published.items()},
        "STORM": {kind: each.storm[0] for kind, each in published.items()},
    }


def mean_of(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))


def agreement_text(orders: dict[str, dict[str, float]]) -> str:
    """How well our orders of presets agree with the published ones."""
    values = {who: list(of.values()) for who, of in orders.items()}
    last, learning, *published = values
    told = [
        f"{theirs} {spearmanr(values[last], values[theirs]).statistic:.2f} {last} and "
        f"{spearmanr(values[learning], values[theirs]).statistic:.2f} {learning}"
        for theirs in published
    ]
    return f"Spearman's correlation is with {', with '.join(told)}."


def join(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"


def random_text() -> str:
    played = measured_random_play()
    rows = [
        [f"{game} {kind}", with_ends(each.interval), f"{each.scores.std(ddof=1):,.2f}",
         f"{each.lengths.mean():,.0f}", f"{each.cut} of {len(each.scores)}"]
        for game in GAMES for kind in GAMES[game] if (each := played.get((game, kind)))
    ]  # fmt: skip
    heads = ["preset", "score", "sd of episodes", "steps an episode", "cut off"]
    return table(heads, rows) if rows else ""


def single_text() -> str:
    kept = load("single")
    if not kept:
        return ""
    trained = [cell for cell in kept["cells"] if cell["agent"] == "dqn"]
    alone = {cell["preset"].rpartition("stack=1")[2].lstrip("+"): agent_of(cell) for cell in trained}
    rows = []
    for kind, preset in GAMES["Breakout"].items():
        one = alone.get(preset.variation)
        four = [each for each in agents_in("Breakout") if each.preset == kind]
        if one and four:
            scores = ("; ".join(with_ends(each.interval) for each in those) for those in ([one], four))
            learned = ("; ".join(number(each.second_half) for each in those) for those in ([one], four))
            rows.append([kind, *scores, *learned])
    heads = ["preset", "one picture", "stack of four", "one, second half of training"]
    return table([*heads, "four, second half of training"], rows) if rows else ""


def ram_text() -> str:
    """Agents that see memory. Random play is that on the same game with pictures, which it does not see."""
    kept = [each for name in STUDIES if name.startswith("ram") and (each := load(name))]
    by_task: dict[str, dict[int, Agent]] = {}
    for cell in (cell for each in kept for cell in each["cells"] if cell["agent"] == "dqn"):
        by_task.setdefault(cell["preset"], {})[cell["seed"]] = agent_of(cell)
    random, rows = random_play(), []
    for game, presets in GAMES.items():
        plain = by_task.get(memory_task(game, ""), {})
        for kind, like in (("0", PLAIN), ("1", "1"), ("2.1", "2.1")):
            those = by_task.get(memory_task(game, presets[like].variation), {})
            if those:
                agents = {(PLAIN, seed): each for seed, each in plain.items()}
                agents |= {(kind, seed): each for seed, each in those.items()}
                floors = {PLAIN: random[game, PLAIN]} if (game, PLAIN) in random else {}
                own = Game(game, sorted(those), agents, floors)
                rows.append(memory_row(own, kind, those, random.get((game, like))))
    heads = ["preset", "seeds", "score of each", "mean ± sd", "random play", "kept"]
    return table([*heads, "in training: second half, best, last"], rows) if rows else ""


def memory_task(game: str, variation: str) -> str:
    return f"atari/{game}+sticky=0.0+observation=ram" + (f"+{variation}" if variation else "")


def memory_row(game: Game, kind: str, those: dict[int, Agent], chance: Agent | None) -> list[str]:
    return [
        f"{game.name} {kind}",
        ", ".join(map(str, those)),
        "; ".join(with_ends(each.interval) for each in those.values()),
        mean_and_sd(list(those.values())),
        with_ends(chance.interval) if chance else "not run",
        "baseline" if kind == "0" else kept_text(game, kind),
        "; ".join(learning_text(each) for each in those.values()),
    ]
