"""Ids of Gymnasium, and the texts of the tasks that they name."""

from __future__ import annotations

import re

_GYM_ID = re.compile(r"[A-Za-z][\w.:-]*-v\d+")  # of Gymnasium's own ids those without a namespace
_GAME_ID = re.compile(
    r"(?P<ale>ALE/)?(?P<game>[A-Z]\w*?)(?P<ram>-ram)?(?P<skip>NoFrameskip|Deterministic)?-v(?P<version>\d+)"
)
# The games whose ids Gymnasium had before the namespace ALE: `Pong-v4` does not show that it is a game.
_OLD_GAMES = frozenset({
    "Adventure", "AirRaid", "Alien", "Amidar", "Assault", "Asterix", "Asteroids", "Atlantis", "BankHeist",
    "BattleZone", "BeamRider", "Berzerk", "Bowling", "Boxing", "Breakout", "Carnival", "Centipede",
    "ChopperCommand", "CrazyClimber", "Defender", "DemonAttack", "DoubleDunk", "ElevatorAction", "Enduro",
    "FishingDerby", "Freeway", "Frostbite", "Gopher", "Gravitar", "Hero", "IceHockey", "Jamesbond",
    "JourneyEscape", "Kangaroo", "Krull", "KungFuMaster", "MontezumaRevenge", "MsPacman", "NameThisGame",
    "Phoenix", "Pitfall", "Pong", "Pooyan", "PrivateEye", "Qbert", "Riverraid", "RoadRunner", "Robotank",
    "Seaquest", "Skiing", "Solaris", "SpaceInvaders", "StarGunner", "Tennis", "TimePilot", "Tutankham",
    "UpNDown", "Venture", "VideoPinball", "WizardOfWor", "YarsRevenge", "Zaxxon",
})  # fmt: skip


def task_of_gymnasium_id(id: str) -> str:
    """The text of the task that a Gymnasium id seems to name, or ""."""
    game = _GAME_ID.fullmatch(id)
    if game and (game["ale"] or game["skip"] or game["ram"] or game["game"] in _OLD_GAMES):
        return _game_text(game)
    return f"gym/{id}" if _GYM_ID.fullmatch(id) else ""


def _game_text(game: re.Match[str]) -> str:
    """The task that plays like an id of an Atari game; a plain task of ours plays like `ALE/<Game>-v5`."""
    text = f"atari/{game['game']}" + ("+observation=ram" if game["ram"] else "")
    if game["ale"]:
        return text
    deterministic = "3" if game["game"] == "SpaceInvaders" else "4"
    skip = {"NoFrameskip": "1", "Deterministic": deterministic, None: "[2,4]"}[game["skip"]]
    return f"{text}+frameskip={skip}" + ("" if game["version"] == "0" else "+sticky=0.0")
