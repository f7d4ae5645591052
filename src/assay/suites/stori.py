"""`stori/*`: the experiments of STORI, by type of chance, and the same taxonomy on envs of ours.

A pair trains and evaluates on one preset: a game with chance of one type, under its published id. `3.1` is
the plain game, which all others are compared with. A chance is one per step of the agent; the suites
`stori/<game>-compat` draw at every frame and play the rules of the original, as STORI does. In
`stori/<game>-crossing` agents that were trained on one preset are tested on all of them, which STORI's paper
does not do.

The protocol is the paper's: 100,000 steps, seeds 0, 7 and 13, 100 episodes, four frames a step, the game's
own actions, no stickiness. Agents see the last four pictures of 84 x 84 in gray, which a DQN can learn from;
the paper's world models see one of 64 x 64 in colour. Half pictures and the torch are cut out of the small
picture, once a step, before pictures are stacked.
"""

from __future__ import annotations

from typing import NamedTuple

from assay.suites.suite import Pair, PublishedScore, Suite

STEPS, SEEDS, EPISODES = 100_000, (0, 7, 13), 100
PUBLISHED_SEEDS = 3
# What DQN needs for pictures of games: `replay` bounds its memory, `epsilon` starts games that wait for FIRE.
RECIPES = {"dqn": {"network": "convolutions", "replay": 50_000, "clip": True, "epsilon": 0.01}}
FIRST, LAST = "+sticky=0.0+observation=gray84+stack=1", "+observation.stack=4"
AT_FRAMES = "+action_channels=frame"  # for channels of the action
ORIGINAL = "+compat=stori"  # for variations of the game
MASKS = "observation."  # of any env: they act once a step


class Scores(NamedTuple):
    """Mean and standard deviation over three seeds, as in Table 6 of the paper."""

    dreamer: tuple[float, float]
    storm: tuple[float, float]

    @property
    def published(self) -> tuple[PublishedScore, ...]:
        named = zip(("DreamerV3", "STORM"), self)
        return tuple(PublishedScore(agent, mean, sd, PUBLISHED_SEEDS) for agent, (mean, sd) in named)


class Preset(NamedTuple):
    """The variation of a preset, "" for the plain game, and what the original needs in its place."""

    variation: str
    scores: Scores
    original: str = ""


PLAIN = "3.1"
GAMES: dict[str, dict[str, Preset]] = {
    "Breakout": {
        "1": Preset("action.random=0.3", Scores((8.67, 0.30), (9.20, 1.72)), AT_FRAMES),
        "2.1": Preset("block_cancel=0.25", Scores((13.80, 3.26), (16.44, 2.03)), ORIGINAL),
        "2.2": Preset(
            "blackout_top_and_bottom=1.0@sudden:300", Scores((14.86, 1.74), (20.45, 2.92)), ORIGINAL
        ),
        PLAIN: Preset("", Scores((60.71, 41.89), (24.17, 3.55))),
        "3.2A": Preset("blackout_top_and_bottom=1.0", Scores((10.65, 0.41), (12.05, 0.89)), ORIGINAL),
        "3.2B": Preset("observation.mask.left=0.75", Scores((3.57, 1.43), (6.48, 2.50))),
        "3.2C": Preset("observation.torch=1.0", Scores((1.89, 0.49), (3.96, 1.42))),
    },
    "Boxing": {
        "1": Preset("action.random=0.3", Scores((39.32, 6.79), (29.48, 15.41)), AT_FRAMES),
        "2.1": Preset("color_flip=0.001", Scores((43.00, 31.98), (54.69, 20.44)), ORIGINAL),
        "2.2": Preset("hide_enemy=0.7@sudden:300", Scores((42.21, 35.54), (22.44, 3.54)), ORIGINAL),
        PLAIN: Preset("", Scores((84.22, 1.68), (86.18, 11.29))),
        "3.2A": Preset("blackout_scores_and_clock=1.0", Scores((86.90, 1.33), (85.22, 11.77)), ORIGINAL),
        "3.2B": Preset("observation.mask.right=0.75", Scores((61.74, 17.71), (45.41, 26.56))),
        "3.2C": Preset("hide_enemy=0.7", Scores((56.52, 18.45), (52.66, 25.68)), ORIGINAL),
    },
    "Gopher": {
        "1": Preset("action.random=0.3", Scores((1137.00, 56.98), (1303.53, 724.76)), AT_FRAMES),
        "2.1": Preset("fill_cancel=0.3", Scores((11333.53, 14761.12), (950.67, 188.37)), ORIGINAL),
        "2.2": Preset(
            "blackout_below_surface=1.0@turn:600:1:2", Scores((2190.87, 407.24), (2315.40, 893.32)), ORIGINAL
        ),
        PLAIN: Preset("", Scores((3235.27, 443.51), (3811.67, 2431.85))),
        "3.2": Preset("blackout_below_surface=1.0", Scores((1521.13, 451.45), (936.40, 106.83)), ORIGINAL),
    },
    "BankHeist": {
        # The other actions drop bombs under one's own car.
        "1": Preset("action.restricted.0-9=0.3", Scores((197.63, 20.76), (128.03, 31.41)), AT_FRAMES),
        "2.1": Preset("city_switch=0.001", Scores((663.60, 587.85), (467.80, 507.74)), ORIGINAL),
        "2.2": Preset("hide_blocks=0.75@turn:600:1:2", Scores((682.67, 476.90), (267.70, 295.86)), ORIGINAL),
        PLAIN: Preset("", Scores((562.30, 320.74), (1015.73, 148.43))),
        "3.2": Preset("hide_blocks=0.75", Scores((849.80, 514.15), (43.10, 22.85)), ORIGINAL),
    },
}
# By preset of our own envs: its settings, "" for the one that all others are compared with.
TOY = {
    "0": "",
    "1": "action.random=0.3",
    "2.1A": "transition_noise=0.25",
    "2.1B": "state_jump=0.1",
    "2.2A": "hidden_mode=0.02",
    "2.2B": "transition_noise=0.25@sudden:50",
    "3.1": "image_representations",
    "3.2A": "aliased=2",
    "3.2B": "observation.dropout=0.75",
}
PLATFORMER = {
    "0": "observation=state",
    "1": "action.random=0.3",
    "2.1A": "gust=0.05",
    "2.1B": "slip=0.25",
    "2.2": "observation.mask.right=1.0@sudden:100",
    PLAIN: "",
    "3.2A": "observation.mask.right=0.75",
    "3.2B": "observation.torch=1.0",
    "3.2C": "observation.dropout=0.75",
}


def task_of(game: str, preset: Preset, original: bool = False) -> str:
    """The task of a preset. Pictures are stacked last: a stack holds what was seen at each step."""
    variation = f"+{preset.variation}" if preset.variation else ""
    return f"atari/{game}{FIRST}{preset.original if original else ''}{variation}{LAST}"


def pairs_of(game: str, original: bool = False) -> tuple[Pair, ...]:
    pairs = []
    for kind, preset in GAMES[game].items():
        task = task_of(game, preset, original)
        pairs.append(
            Pair(task, task, f"{game} {kind}", game, baseline=f"{game} {PLAIN}",
                 published=preset.scores.published)
        )  # fmt: skip
    return tuple(pairs)


def question_of_original(game: str) -> str:
    """What the suite of chance at every frame asks, with the presets that cannot be so.

    Masks of any env act on the picture that the agent sees, which is made of several frames.
    """
    asks = f"how much do agents learn of {game} under chance as STORI places it, frame by frame"
    once = [kind for kind, preset in GAMES[game].items() if preset.variation.startswith(MASKS)]
    if not once:
        return f"{asks}?"
    they = "it cuts" if len(once) == 1 else "they cut"
    return f"{asks} ({' and '.join(once)} once a step: {they} the picture that is made of the frames)?"


def crossing_of(game: str) -> tuple[Pair, ...]:
    """Every preset to train on with every preset to test on."""
    tasks = {kind: task_of(game, preset) for kind, preset in GAMES[game].items()}
    return tuple(
        Pair(tasks[home], tasks[away], f"{game} {home} on {away}", f"{game} {home}", cell=(home, away))
        for home in tasks
        for away in tasks
    )


def suite_of(name: str, asks: str, pairs: tuple[Pair, ...]) -> Suite:
    return Suite(name, 1, asks, pairs, SEEDS, EPISODES, steps=STEPS, random=True, counts_events=True,
                 recipes=RECIPES)  # fmt: skip


def suite_of_env(name: str, env: str, presets: dict[str, str], asks: str, steps: int) -> Suite:
    """The taxonomy on an env of ours; the preset without a setting is the one to compare with."""
    baseline = next(kind for kind, setting in presets.items() if not setting)
    tasks = {kind: f"{env}+{setting}" if setting else env for kind, setting in presets.items()}
    pairs = tuple(Pair(task, task, kind, name, baseline=baseline) for kind, task in tasks.items())
    return Suite(f"stori/{name}", 1, asks, pairs, SEEDS, EPISODES, steps=steps, random=True)


WHOLE = tuple(pair for game in GAMES for pair in pairs_of(game))
SUITES = (
    suite_of("stori", "how much do agents learn of four games under each type of chance?", WHOLE),
    *(
        suite_of(f"stori/{game.lower()}", f"how much do agents learn of {game} under each type of chance?",
                 pairs_of(game))
        for game in GAMES
    ),
    *(
        suite_of(f"stori/{game.lower()}-compat", question_of_original(game), pairs_of(game, original=True))
        for game in GAMES
    ),
    *(
        suite_of(f"stori/{game.lower()}-crossing",
                 f"does what was learned of {game} under one type of chance hold under another?",
                 crossing_of(game))
        for game in GAMES
    ),
    suite_of_env("toy", "toy/discrete", TOY, "how much do agents learn of a toy under each type of chance?",
                 20_000),
    suite_of_env("platformer", "platformer/run", PLATFORMER,
                 "how much do agents learn of the platformer under each type of chance?", 25_000_000),
)  # fmt: skip
