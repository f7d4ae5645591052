"""The laws of rules inside a host, as measurements on two hosts that let themselves be inspected.

A rule that declares the observation is played beside the plain host under the same actions, freely: all cells
but those it declares must stay equal, and so must the rest of the hidden state in what follows from it,
rewards and ends. Any other is judged step by step: the plain world is put where the varied one stands, goes
through the same frames, and what differs then was touched.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from assay.core.axis import COMPONENTS
from assay.core.host import Host, HostedTask
from assay.core.inspection import Inspection
from assay.core.streams import episode_number, generator
from assay.errors import NotApplicable
from assay.proof.laws.hosted import BURST, SCRIPTS, as_bytes

LENGTHS = (1000, 500, 250, 250)  # steps of each start: 2,000 in all
ALIKE_EVERY, ALIKE_FRAMES = 125, 40  # how often, and for how many frames, a state put back is followed
HELD = 4  # of these frames each action lasts

MARKS = (*COMPONENTS, "score", "start")  # a start is marked where it is still felt after the first step


class Trace(NamedTuple):
    touched: dict[str, int]  # each of MARKS -> steps on which it was touched
    steps: int
    first: int | None  # the step of the first touch
    digest: str
    inert: int  # bytes of the hidden state beside the declared cells that differed without effect
    outside: tuple[int, ...]  # cells that were written without being declared


class Player:
    """A host, or a whole task on it, played with a situation brought about once an episode."""

    def __init__(self, host: Host, situation: Any = None, task: HostedTask | None = None):
        self.host, self.task, self.inside = host, task, inspect(host)
        self.situation, self.brought_about = situation, False

    def begin(self, seed: int, episode: int) -> Any:
        self.brought_about = False
        if self.task is not None:
            return self.task.reset(seed, episode)[0]
        return self.host.reset(episode_number(seed, episode, "host"))[0]

    def step(self, action: Any) -> tuple[Any, ...]:
        self.bring_about()
        return self.host.step(action) if self.task is None else self.task.step(action)

    def bring_about(self) -> None:
        if self.situation is not None and not self.brought_about:
            self.brought_about = self.inside.bring_about(self.situation)


def inspect(host: Host) -> Inspection:
    """What a host lets the laws see, or a sentence on one that takes rules and shows nothing."""
    if host.powers.inside is None:
        raise NotApplicable(
            f"{type(host).__name__} takes rules, and its powers offer no `inside` for the laws to see."
        )
    return host.powers.inside()


def script_of(number: int, host: Host, seed: int) -> Callable[[int], Any]:
    rng, held = generator("game", seed), host.sample(generator("held", seed))
    kind, chosen = SCRIPTS[number % len(SCRIPTS)], [held]

    def action(step: int) -> Any:
        if kind == "random" or (kind == "bursts" and step % BURST == 0):
            chosen[0] = host.sample(rng)
        return chosen[0]

    return action


def judge_steps(varied: Host, plain: Host, seed: int, steps: int) -> Trace:
    """Step by step, the plain world put where the varied one stands."""
    ours, theirs = inspect(varied), inspect(plain)
    player, action = Player(varied, ours.situation), script_of(seed, varied, seed)
    ours.watch()
    touched, first, episode, fresh = dict.fromkeys(MARKS, 0), None, 0, True
    digest = hashlib.blake2b(digest_size=16)
    for step in range(steps):
        marks = set()
        if fresh:
            player.begin(seed, episode)
            plain.reset(episode_number(seed, episode, "host"))
            if ours.cells.tobytes() != theirs.cells.tobytes():
                marks.add("initial")
            episode += 1
        player.bring_about()
        state = ours.save()
        seen, paid, terminated, truncated, _ = varied.step(action(step))
        digest.update(as_bytes(seen) + np.float64(paid).tobytes() + bytes((terminated, truncated)))
        if "initial" in marks and leads_elsewhere(ours, theirs):
            marks.add("start")
        marks |= differences(ours, theirs, state, paid)
        for name in marks:
            touched[name] += 1
        first = step if first is None and marks else first
        fresh = terminated or truncated
    outside = ours.written_cells - ours.writes if ours.acts else set()
    return Trace(touched, steps, first, digest.hexdigest(), 0, tuple(sorted(outside)))


def differences(ours: Inspection, theirs: Inspection, state: Any, paid: float) -> set[str]:
    """What the last step touched: the plain world goes through the same frames from the same state."""
    theirs.restore(state)
    points, over = theirs.run(ours.executed)
    marks = {"action"} if list(ours.executed) != list(ours.intended) else set()
    if ours.cells.tobytes() != theirs.cells.tobytes():
        marks.add("transition")
    elif ours.points != points:
        marks.add("score")
    elif over != ours.over:
        marks.add("terminal")
    return marks | ({"reward"} if paid != ours.points else set())


def leads_elsewhere(ours: Inspection, theirs: Inspection) -> bool:
    """Whether the varied world's first frames, from the plain world's own start, lead to another state."""
    theirs.run(ours.executed)
    return ours.cells.tobytes() != theirs.cells.tobytes()


def starts_elsewhere(varied: Host, plain: Host, seed: int) -> bool:
    """Whether a varied episode begins in another state, and is in another one after its first step."""
    ours, theirs, number = inspect(varied), inspect(plain), episode_number(seed, 0, "host")
    varied.reset(number), plain.reset(number)
    if ours.cells.tobytes() == theirs.cells.tobytes():
        return False
    varied.step(script_of(seed, varied, seed)(0))
    return leads_elsewhere(ours, theirs)


def judge_side_by_side(varied: Host, plain: Host, seed: int, steps: int) -> Trace:
    """Side by side under the same actions; everything but the declared cells must stay equal."""
    inside, beside = inspect(varied), inspect(plain)
    situation, writes = inside.situation, inside.writes
    ours, theirs, action = Player(varied, situation), Player(plain, situation), script_of(seed, varied, seed)
    inside.watch()
    others = np.array([cell for cell in range(len(inside.cells)) if cell not in writes])
    touched, first, episode, fresh, inert = dict.fromkeys(MARKS, 0), None, 0, True, 0
    digest = hashlib.blake2b(digest_size=16)
    for step in range(steps):
        marks = set()
        if fresh:
            seen, expected = ours.begin(seed, episode), theirs.begin(seed, episode)
            marks |= {"observation"} if as_bytes(seen) != as_bytes(expected) else set()
            if differ(inside, beside, others):
                marks.add("initial")
            episode += 1
        chosen = action(step)
        seen, paid, *ends, _ = ours.step(chosen)
        expected, wanted, *plain_ends, _ = theirs.step(chosen)
        digest.update(as_bytes(seen) + np.float64(paid).tobytes() + bytes(ends))
        pairs = {
            "action": list(inside.executed) != list(inside.intended),
            "observation": as_bytes(seen) != as_bytes(expected),
            "transition": differ(inside, beside, others), "reward": paid != wanted,
            "terminal": ends != plain_ends,
        }  # fmt: skip
        if "initial" in marks and (pairs["transition"] or pairs["observation"]):
            marks.add("start")
        marks |= {name for name, touches in pairs.items() if touches}
        apart = bool(marks & {"transition", "initial"})
        if apart:  # all else follows from that
            marks -= {"reward", "terminal"}
        elif step % ALIKE_EVERY == ALIKE_EVERY - 1 and not any(ends):
            alike, bytes_apart = goes_on_alike(inside, beside)
            inert = max(inert, bytes_apart)
            if not alike:
                marks, apart = marks | {"transition"}, True
        for name in marks:
            touched[name] += 1
        first = step if first is None and marks else first
        fresh = any(ends) or any(plain_ends) or apart
    return Trace(
        touched, steps, first, digest.hexdigest(), inert, tuple(sorted(inside.written_cells - writes))
    )


def differ(ours: Inspection, theirs: Inspection, cells: np.ndarray) -> bool:
    return not np.array_equal(ours.cells[cells], theirs.cells[cells])


def goes_on_alike(ours: Inspection, theirs: Inspection) -> tuple[bool, int]:
    """The varied state with its cells put back goes on as the plain one; and how many bytes differ."""
    here, there = theirs.save(), ours.save()
    first, second = theirs.pack(here), ours.pack(there)
    if first is None or second is None:
        return True, 0
    cells = {cell: int(theirs.cells[cell]) for cell in ours.writes}
    actions = [ours.actions[number // HELD % len(ours.actions)] for number in range(ALIKE_FRAMES)]
    runs = [theirs.run_from(state, cells, actions) for state in (here, there)]
    a, b = np.frombuffer(first, "uint8"), np.frombuffer(second, "uint8")
    apart = int((a != b).sum()) if a.shape == b.shape else -1
    theirs.restore(here)
    return runs[0] == runs[1], apart


def run_digest(
    host: Host, seed: int, steps: int, situation: Any = None, task: HostedTask | None = None
) -> str:
    """Of all that an agent meets in a run."""
    player, action, episode, fresh = Player(host, situation, task), script_of(seed, host, seed), 0, True
    digest = hashlib.blake2b(digest_size=16)
    for step in range(steps):
        if fresh:
            digest.update(as_bytes(player.begin(seed, episode)))
            episode += 1
        seen, paid, terminated, truncated, *_ = player.step(action(step))
        digest.update(as_bytes(seen) + np.float64(paid).tobytes() + bytes((terminated, truncated)))
        fresh = terminated or truncated
    return digest.hexdigest()
