"""How episodes of a game begin: no-ops, frames to settle, states of recorded play from a file or made."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.streams import generator
from assay.envs.atari.rule_compiler import ACTIONS
from assay.errors import NotApplicable, WrongLevel

if TYPE_CHECKING:
    from assay.envs.atari.host import AtariHost

PLAY = "play:"
FIRE = ACTIONS.index("FIRE")
EVERY = 40  # steps of random play between two recorded states
FRAMES_PER_STEP = 4  # of random play


class Starts:
    """Every episode begins in one of these states, all equally likely."""

    def __init__(self, source: str, host: Any):
        self.states = (
            record_random_play(source, host) if source.startswith(PLAY) else read_states(source, host.name)
        )

    def begin(self, host: Any) -> None:
        state = host.draws["starts"].choice(*self.states)
        host.emulator.restore(host.emulator.state_from_bytes(state))


def play_noops(host: AtariHost) -> None:
    """Presses the button, where the task asks for it and the game has one, and plays the no-ops."""
    options, emulator = host.preprocessing, host.emulator
    noops = host.draws["noops"].uniform(1, options.noops) if options.noops else 0
    for code in [FIRE] * (options.fire and host.game.fire) + [0] * noops:
        for _ in range(options.noop_frames):
            emulator.act(code)
            if emulator.over():
                emulator.reset()
    emulator.read()


def let_settle(host: AtariHost) -> None:
    """Plays the frames in which a game sets itself up, where start rules would be undone by these.

    HackAtari does not, so that under its schedule such rules are undone.
    """
    frames = max((each.compiled.settles for each in host.active), default=0)
    if frames and not host.hackatari:
        while host.emulator.frame_number() < frames:
            host.emulator.act(0)
        host.emulator.read()


def record_random_play(source: str, host: Any) -> list[bytes]:
    """`play:16`: 16 states of random play, always the same ones."""
    count = source.removeprefix(PLAY)
    if not count.isdigit() or not 1 <= int(count) <= 10_000:
        raise WrongLevel(f"starts takes play:1 to play:10000 or the name of a file, not {source!r}.")
    return record_states(host, int(count), EVERY, seed=0)


def read_states(path: str, name: str) -> list[bytes]:
    """The states in a file that `write_states` wrote for the task `name`."""
    file = Path(path)
    if not file.is_file():
        raise NotApplicable(
            f"there is no file {path!r} of recorded starts; `assay atari starts {name} {path}` "
            "records one, or write starts=play:16, which needs no file."
        )
    try:
        with np.load(file, allow_pickle=False) as arrays:
            owner, sizes, data = str(arrays["task"]), arrays["sizes"], arrays["states"].tobytes()
    except (ValueError, KeyError, OSError):
        raise NotApplicable(
            f"{path!r} is not a file of recorded starts; `assay atari starts {name} FILE` writes one."
        ) from None
    if owner != name:
        raise NotApplicable(
            f"{path!r} holds starts of {owner}, not of {name}; `assay atari starts {name} FILE` records some."
        )
    ends = np.cumsum(sizes)
    return [data[end - size : end] for end, size in zip(ends, sizes)]


def record_states(host: Any, count: int, every: int, seed: int) -> list[bytes]:
    """Records `count` emulator states of random play, with `every` steps between two states."""
    rng = generator("starts", seed)
    states: list[bytes] = []
    emulator, codes = host.emulator, host.codes
    emulator.reset()
    while len(states) < count:
        for _ in range(every):
            code = codes[int(rng.integers(len(codes)))]
            for _ in range(FRAMES_PER_STEP):
                emulator.act(code)
            if emulator.over():
                emulator.reset()
        states.append(emulator.state_bytes())
    return states


def write_states(states: list[bytes], name: str, path: str) -> None:
    """Writes states to a file: first to a temporary one, which is then renamed."""
    target = Path(path)
    temporary = target.with_name(target.name + ".part.npz")
    np.savez_compressed(
        temporary, task=name, sizes=np.array([len(each) for each in states]),
        states=np.frombuffer(b"".join(states), "uint8"),
    )  # fmt: skip
    temporary.rename(target)
