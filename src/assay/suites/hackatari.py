"""`hackatari/*`: does an agent that plays an Atari game still play it when the game is varied?

Every agent is trained on the original game alone, or comes trained, and plays the variations as it is. The
protocol is that of HackAtari's paper, which `preset=paper` spells out: four frames a step and four pictures
of 84 x 84 in gray, sticky actions with a chance of 0.25, the game's own actions, and up to 30 no-ops after
the button was pressed. Seeds 0 to 2, ten episodes each.

The paper's agents act at random in one of a thousand steps. That is part of the tasks here
(`action.random=0.001`) and not of an agent, so that it holds for every agent: for ours, for a function of the
user's and for a checkpoint alike. The original game has it too, in training as in evaluation. There it is
drowned by the sticky actions, and so an agent plays one task for both instead of two that hardly differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.suites.suite import Pair, Suite

STEPS, SEEDS, EPISODES = 50_000_000, (0, 1, 2), 10  # 200 million frames
HACKATARI = "hackatari"  # what reports compute of these suites
# What DQN needs for pictures of games: `replay` bounds its memory, `epsilon` starts games that wait for FIRE.
RECIPES = {"dqn": {"network": "convolutions", "replay": 50_000, "clip": True, "epsilon": 0.01}}
FIRST, LAST = "+preset=paper", "+action.random=0.001"
ORIGINAL = "original"  # after the name of a game

Variations = Mapping[str, Sequence[str]]  # by game
PAPER_32: Variations = {
    "Amidar": ("paint_roller_player", "pig_enemies"),
    "Asterix": ("obelix",),
    "BankHeist": ("two_police_cars",),
    "Bowling": ("shift_player", "top_pins"),
    "Boxing": ("color_player_red", "switch_positions"),
    "Breakout": ("color_all_blocks_red", "color_player_and_ball_red"),
    "FishingDerby": ("swap_fish_sides",),
    "Freeway": ("all_black_cars", "stop_all_cars_edge", "stop_all_cars_tunnel", "stop_random_car"),
    "Frostbite": ("reposition_floes_easy",),
    "Jamesbond": ("straight_shots",),
    "Kangaroo": ("no_danger",),
    "MsPacman": ("set_level_1", "set_level_2", "set_level_3"),
    "Pong": ("lazy_enemy",),
    "Riverraid": ("exploding_fuels", "game_color_change01", "restricted_firing"),
    "Seaquest": ("disable_enemies",),
    "SpaceInvaders": ("relocate_shields_off_by_one", "relocate_shields_off_by_three"),
    "StarGunner": ("remove_mountains", "static_bomber", "static_flyers", "static_mountains"),
}
# Those that people played too, in the paper's study.
HUMAN_15: Variations = {
    "Amidar": ("paint_roller_player",),
    "Asterix": ("obelix",),
    "BankHeist": ("two_police_cars",),
    "Bowling": ("top_pins",),
    "Boxing": ("color_player_red",),
    "Breakout": ("color_player_and_ball_red",),
    "Freeway": ("stop_all_cars_tunnel",),
    "Frostbite": ("reposition_floes_easy",),
    "Kangaroo": ("no_danger",),
    "MsPacman": ("set_level_1",),
    "Pong": ("lazy_enemy",),
    "Riverraid": ("restricted_firing",),
    "Seaquest": ("disable_enemies",),
    "SpaceInvaders": ("relocate_shields_off_by_three",),
    "StarGunner": ("remove_mountains",),
}
# Values that only restate the game: whatever an agent has learned, its score must stay.
CONTROLS: Variations = {
    "Boxing": ("color_player=white", "color_enemy=black"),
    "DoubleDunk": ("player_color=green", "enemy_color=white"),
    "Kangaroo": ("change_level=0",),
    "MontezumaRevenge": ("set_level=0",),
    "MsPacman": ("set_level=0",),
    "RoadRunner": ("level=0",),
    "TimePilot": ("level=1",),
    "UpNDown": ("level=1",),
}


def task_of(game: str, variation: str = "") -> str:
    """The task of a variation, or that of the original game."""
    return f"atari/{game}{FIRST}{f'+{variation}' if variation else ''}{LAST}"


def pairs_of(game: str, variations: Sequence[str]) -> tuple[Pair, ...]:
    """The original game, which comes first, and its variations; all of them train on the original."""
    home = task_of(game)
    varied = (Pair(home, task_of(game, each), f"{game} {each}", game) for each in variations)
    return (Pair(home, home, f"{game} {ORIGINAL}", game), *varied)


def suite_of(name: str, asks: str, games: Variations) -> Suite:
    pairs = tuple(pair for game, variations in games.items() for pair in pairs_of(game, variations))
    return Suite(f"hackatari/{name}", 1, asks, pairs, SEEDS, EPISODES, steps=STEPS, recipes=RECIPES,
                 normalised=HACKATARI)  # fmt: skip


SUITES = (
    suite_of("paper-32", "do agents still play 17 games when these are varied?", PAPER_32),
    suite_of("human-15", "do agents still play 15 games in the variations that people played too?", HUMAN_15),
    *(
        suite_of(game.lower(), f"do agents still play {game} when it is varied?", {game: variations})
        for game, variations in PAPER_32.items()
    ),
    suite_of("controls", "does a score stay when a variation only restates the game?", CONTROLS),
    *(
        suite_of(
            f"controls-{game.lower()}",
            f"does a score stay when a variation only restates {game}?",
            {game: variations},
        )
        for game, variations in CONTROLS.items()
    ),
)
