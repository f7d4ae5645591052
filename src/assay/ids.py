"""Ids of Gymnasium, and how the tasks that they name are written here."""

from __future__ import annotations

import re

_GYM_ID = re.compile(r"[A-Za-z][\w.:-]*-v\d+")  # of Gymnasium's own ids those without a namespace
_GAME_ID = re.compile(
    r"(?P<ale>ALE/)?(?P<game>[A-Z]\w*?)(?P<ram>-ram)?(?P<skip>NoFrameskip|Deterministic)?-v(?P<version>\d+)"
)
# The games whose ids Gymnasium had before the namespace ALE: nothing else in `Pong-v4` says that it is one.
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


def of_gymnasium(id: str) -> str:
    """How a task of ours is written whose Gymnasium id this seems to be, or ""."""
    game = _GAME_ID.fullmatch(id)
    if game and (game["ale"] or game["skip"] or game["ram"] or game["game"] in _OLD_GAMES):
        return _game_text(game)
    return f"gym/{id}" if _GYM_ID.fullmatch(id) else ""


def _game_text(game: re.Match[str]) -> str:
    """The task that plays as an id of an Atari game does; ours are plain as `ALE/<Game>-v5` is."""
    text = f"atari/{game['game']}" + ("+observation=ram" if game["ram"] else "")
    if game["ale"]:
        return text
    deterministic = "3" if game["game"] == "SpaceInvaders" else "4"
    skip = {"NoFrameskip": "1", "Deterministic": deterministic, None: "[2,4]"}[game["skip"]]
    return f"{text}+frameskip={skip}" + ("" if game["version"] == "0" else "+sticky=0.0")
