"""Starts drawn from recorded play: states of one game, from a file or recorded when the game is made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from assay.core.streams import generator
from assay.errors import NotApplicable, WrongLevel

PLAY = "play:"
EVERY = 40  # agent steps of random play from one kept state to the next


class Starts:
    """Every episode begins in one of these states, each as likely."""

    def __init__(self, source: str, host: Any):
        self.states = states_of_play(source, host) if source.startswith(PLAY) else read(source, host.name)

    def begin(self, host: Any) -> None:
        state = host.draws["starts"].choice(*self.states)
        host.emulator.restore(host.emulator.unpacked(state))


def states_of_play(source: str, host: Any) -> list[bytes]:
    """`play:16`: so many states of random play, always the same ones."""
    count = source.removeprefix(PLAY)
    if not count.isdigit() or not 1 <= int(count) <= 10_000:
        raise WrongLevel(f"starts takes play:1 to play:10000 or the name of a file, not {source!r}.")
    return record_states(host, int(count), EVERY, seed=0)


def read(path: str, name: str) -> list[bytes]:
    where = Path(path)
    if not where.is_file():
        raise NotApplicable(
            f"there is no file {path!r} of recorded starts; "
            f"`assay atari starts {name} {path}` records one, and starts=play:16 needs none."
        )
    try:
        with np.load(where, allow_pickle=False) as kept:
            owner, sizes, data = str(kept["task"]), kept["sizes"], kept["states"].tobytes()
    except (ValueError, KeyError, OSError):
        raise NotApplicable(
            f"{path!r} is no file of recorded starts; `assay atari starts` writes them."
        ) from None
    if owner != name:
        raise NotApplicable(f"{path!r} holds starts of {owner}, not of {name}.")
    ends = np.cumsum(sizes)
    return [data[end - size : end] for end, size in zip(ends, sizes)]


def record_states(host: Any, count: int, every: int, seed: int) -> list[bytes]:
    """Emulator states of random play, one every so many steps."""
    rng, episode = generator("starts", seed), 0
    states: list[bytes] = []
    emulator, codes, lasts = host.emulator, host.codes, 4
    emulator.reset()
    while len(states) < count:
        for _ in range(every):
            code = codes[int(rng.integers(len(codes)))]
            for _ in range(lasts):
                emulator.act(code)
            if emulator.over():
                episode += 1
                emulator.reset()
        states.append(emulator.packed())
    return states


def write(states: list[bytes], name: str, path: str) -> None:
    """Keeps states in a file: written aside, then renamed."""
    target = Path(path)
    aside = target.with_name(target.name + ".part.npz")
    np.savez_compressed(
        aside, task=name, sizes=np.array([len(each) for each in states]),
        states=np.frombuffer(b"".join(states), "uint8"),
    )  # fmt: skip
    aside.rename(target)
