"""The laws of a game's own variations, as measurements on two emulators.

A variation that declares the observation is played beside the plain game under the same actions, freely: all
cells but those it declares must stay equal, and so must the rest of the emulator's state in what follows from
it, rewards and ends. Any other is judged step by step: the plain emulator is put where the varied one stands,
executes the same frames, and what differs then was touched.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from assay.core.axis import COMPONENTS
from assay.core.host_laws import BURST, SCRIPTS
from assay.core.streams import episode_number, generator

LENGTHS = (1000, 500, 250, 250)  # steps of each start: 2,000 in all
ALIKE_EVERY, ALIKE_FRAMES = 125, 40  # how often, and for how many frames, a state put back is followed


MARKS = (*COMPONENTS, "score", "start")  # a start is marked where it is still felt after the first step


class Trace(NamedTuple):
    touched: dict[str, int]  # each of MARKS -> steps on which it was touched
    steps: int
    first: int | None  # the step of the first touch
    digest: str
    inert: int  # bytes of the emulator's state beside the declared cells that differed without effect
    outside: tuple[int, ...]  # cells that were written without being declared


class Player:
    """A host, or a whole task on it, played with the situation of a variation brought about at its time."""

    def __init__(self, host: Any, ready: Any = None, task: Any = None):
        self.host, self.ready, self.task, self.poked = host, ready, task, False

    def begin(self, seed: int, episode: int) -> np.ndarray:
        self.poked = False
        if self.task is not None:
            return self.task.reset(seed, episode)[0]
        return self.host.reset(episode_number(seed, episode, "host"))[0]

    def step(self, action: int) -> tuple:
        self.poke()
        return self.host.step(action) if self.task is None else self.task.step(action)

    def poke(self) -> None:
        ready, host = self.ready, self.host
        if ready is None or ready.situation is None or self.poked or host.frame < ready.after:
            return
        self.poked = True
        emulator = host.emulator
        emulator.read()
        running = host.running[0] if host.running else None
        memory, draws = (running.memory, running.draws) if running else ([0] * 16, None)
        # Not through `emulator.put`, which may be watched: a situation is no write of the variation.
        ready.situation(emulator.ram, emulator.ale.setRAM, memory, draws, host.frame, 0, 0)
        emulator.read()


def script_of(number: int, host: Any, seed: int) -> Callable[[int], int]:
    rng, held = generator("game", seed), host.sample(generator("held", seed))
    kind, chosen = SCRIPTS[number % len(SCRIPTS)], [held]

    def action(step: int) -> int:
        if kind == "random" or (kind == "bursts" and step % BURST == 0):
            chosen[0] = host.sample(rng)
        return chosen[0]

    return action


def judged(varied: Any, plain: Any, ready: Any, seed: int, steps: int) -> Trace:
    """Step by step, the plain emulator put where the varied one stands."""
    player, action = Player(varied, ready), script_of(seed, varied, seed)
    written, outside = recording(varied), set()
    touched, first, episode, fresh = dict.fromkeys(MARKS, 0), None, 0, True
    digest = hashlib.blake2b(digest_size=16)
    for step in range(steps):
        found = set()
        if fresh:
            player.begin(seed, episode)
            plain.reset(episode_number(seed, episode, "host"))
            if varied.emulator.buffer.tobytes() != plain.emulator.buffer.tobytes():
                found.add("initial")
            episode += 1
        player.poke()
        state = varied.emulator.save()
        seen, paid, terminated, truncated, _ = varied.step(action(step))
        digest.update(seen.tobytes() + np.float64(paid).tobytes() + bytes((terminated, truncated)))
        if "initial" in found and leads_elsewhere(varied, plain):
            found.add("start")
        points, over = replayed(plain, state, varied.frames)
        moved = varied.emulator.buffer.tobytes() != plain.emulator.buffer.tobytes()
        if varied.frames != varied.intended:
            found.add("action")
        if moved:
            found.add("transition")
        elif varied.points != points:
            found.add("score")
        elif over != varied.emulator.over():
            found.add("terminal")
        if paid != varied.points:
            found.add("reward")
        for name in found:
            touched[name] += 1
        first = step if first is None and found else first
        fresh = terminated or truncated
    outside |= written - ready.cells if ready else set()
    return Trace(touched, steps, first, digest.hexdigest(), 0, tuple(sorted(outside)))


def replayed(plain: Any, state: Any, frames: list[int]) -> tuple[float, bool]:
    """The same frames from the same state without any rule."""
    emulator = plain.emulator
    emulator.restore(state)
    points = sum(emulator.act(code) for code in frames)
    emulator.read()
    return points, emulator.over()


def leads_elsewhere(varied: Any, plain: Any) -> bool:
    """Whether the varied game's first frames, from the plain game's own start, lead to another state."""
    for code in varied.frames:
        plain.emulator.act(code)
    plain.emulator.read()
    return varied.emulator.buffer.tobytes() != plain.emulator.buffer.tobytes()


def freely(varied: Any, plain: Any, ready: Any, seed: int, steps: int) -> Trace:
    """Side by side under the same actions; everything but the declared cells must stay equal."""
    ours, theirs, action = Player(varied, ready), Player(plain, ready), script_of(seed, varied, seed)
    written = recording(varied)
    others = np.array([cell for cell in range(128) if cell not in ready.cells])
    touched, first, episode, fresh, inert = dict.fromkeys(MARKS, 0), None, 0, True, 0
    digest = hashlib.blake2b(digest_size=16)
    for step in range(steps):
        found = set()
        if fresh:
            seen, expected = ours.begin(seed, episode), theirs.begin(seed, episode)
            found |= {"observation"} if seen.tobytes() != expected.tobytes() else set()
            if differ(varied, plain, others):
                found.add("initial")
            episode += 1
        chosen = action(step)
        seen, paid, *ends, _ = ours.step(chosen)
        expected, wanted, *plain_ends, _ = theirs.step(chosen)
        digest.update(seen.tobytes() + np.float64(paid).tobytes() + bytes(ends))
        pairs = {
            "action": varied.frames != varied.intended, "observation": seen.tobytes() != expected.tobytes(),
            "transition": differ(varied, plain, others), "reward": paid != wanted,
            "terminal": ends != plain_ends,
        }  # fmt: skip
        if "initial" in found and (pairs["transition"] or pairs["observation"]):
            found.add("start")
        found |= {name for name, touches in pairs.items() if touches}
        apart = bool(found & {"transition", "initial"})
        if apart:  # all else follows from that
            found -= {"reward", "terminal"}
        elif step % ALIKE_EVERY == ALIKE_EVERY - 1 and not any(ends):
            alike, bytes_apart = goes_on_alike(varied, plain, ready)
            inert = max(inert, bytes_apart)
            if not alike:
                found, apart = found | {"transition"}, True
        for name in found:
            touched[name] += 1
        first = step if first is None and found else first
        fresh = any(ends) or any(plain_ends) or apart
    return Trace(touched, steps, first, digest.hexdigest(), inert, tuple(sorted(written - ready.cells)))


def differ(varied: Any, plain: Any, cells: np.ndarray) -> bool:
    return varied.emulator.buffer[cells].tobytes() != plain.emulator.buffer[cells].tobytes()


def goes_on_alike(varied: Any, plain: Any, ready: Any) -> tuple[bool, int]:
    """The varied state with its cells put back goes on as the plain one; and how many bytes differ."""
    emulator = plain.emulator
    here, there = emulator.save(), varied.emulator.save()
    cells = emulator.buffer.copy()
    if isinstance(here, bytes) or isinstance(there, bytes):
        return True, 0
    runs = []
    for state in (here, there):
        emulator.restore(state)
        for cell in ready.cells:
            emulator.put(cell, int(cells[cell]))
        run = []
        for number in range(ALIKE_FRAMES):
            paid = emulator.act(varied.codes[number // 4 % len(varied.codes)])
            emulator.read()
            run.append((paid, emulator.buffer.tobytes(), emulator.over()))
        runs.append(run)
    a, b = (np.frombuffer(state.serialize(), "uint8") for state in (here, there))
    apart = int((a != b).sum()) if a.shape == b.shape else -1
    emulator.restore(here)
    return runs[0] == runs[1], apart


def recording(host: Any) -> set[int]:
    """The cells that rules write from now on."""
    written: set[int] = set()
    put = host.emulator.ale.setRAM

    def noted(cell: int, value: int) -> None:
        written.add(cell)
        put(cell, value)

    host.emulator.put = noted
    return written


def run_digest(host: Any, ready: Any, seed: int, steps: int, task: Any = None) -> str:
    """Of all that an agent meets in a run."""
    player, action, episode, fresh = Player(host, ready, task), script_of(seed, host, seed), 0, True
    digest = hashlib.blake2b(digest_size=16)
    for step in range(steps):
        if fresh:
            digest.update(player.begin(seed, episode).tobytes())
            episode += 1
        seen, paid, terminated, truncated, *_ = player.step(action(step))
        digest.update(seen.tobytes() + np.float64(paid).tobytes() + bytes((terminated, truncated)))
        fresh = terminated or truncated
    return digest.hexdigest()
