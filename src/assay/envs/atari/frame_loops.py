"""Five loops over the frames of a step.

Python code between two frames runs with cold caches, so the usual loops are as short as possible. Each
returns the game's points, the reward and whether the game ended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from assay.envs.atari.hackatari import run_scheduled

if TYPE_CHECKING:
    from assay.envs.atari.host import AtariHost


class Outcome(NamedTuple):
    """What came of the frames of a step."""

    points: float  # what the game itself paid
    paid: float  # the reward
    ended: bool
    undone: float = 0.0  # points that events took back, or gave: what they paid for did not happen


def run_plain(host: AtariHost, intended: list[int]) -> Outcome:
    """No rule runs between frames."""
    act, points = host.emulator.act, 0
    for sent in intended:
        points += act(sent)
    host.frame += len(intended)
    ended = host.emulator.over()
    if ended:  # a finished game stands still: frames asked of it after its end do not count
        excess = host.frame - host.emulator.frame_number() - host.frames_before
        excess = min(excess, len(intended) - 1)
        host.frame -= excess
        del intended[len(intended) - excess :]
    return Outcome(float(points), float(points), ended)


def run_merged(host: AtariHost, intended: list[int]) -> Outcome:
    """No rule runs between frames, and the last two may be merged in the picture."""
    *unseen, last = intended
    if not unseen:
        if host.screen_is_true:
            host.eye.remember()
        return run_plain(host, intended)
    before = run_plain(host, unseen)
    if before.ended:
        intended[:] = unseen
        return before
    host.eye.remember()
    after = run_plain(host, [last])
    return Outcome(before.points + after.points, before.paid + after.paid, after.ended)


def run_hidden(host: AtariHost, intended: list[int]) -> Outcome:
    """No rule runs between frames, and the last frame alone is seen, perhaps with hidden cells."""
    eye, hider = host.eye, host.hider
    hider.previous, hider.drawing, eye.held = hider.drawing, None, None
    if not eye.hidden_now or len(intended) == 1:
        if eye.hidden_now:
            hider.draw(host.frame, intended[0])
        return run_plain(host, intended)
    *unseen, last = intended
    before = run_plain(host, unseen)
    if before.ended:
        hider.repeat()
        intended[:] = unseen
        return before
    hider.draw(host.frame, last)
    after = run_plain(host, [last])
    return Outcome(before.points + after.points, before.paid + after.paid, after.ended)


def run_rules(host: AtariHost, intended: list[int]) -> Outcome:
    """Rules run after every frame."""
    emulator, rules, frame, points = host.emulator, host.hooks["frame"], host.frame, 0
    act, over, read, buffer = emulator.act, emulator.over, emulator.read_into, emulator.buffer
    ram, put = emulator.ram, emulator.put
    merged = frame + len(intended) - 1 if host.eye.two_frames else -1
    for sent in intended:
        if frame == merged and (frame > host.frame or host.screen_is_true):
            host.eye.remember()
        points += act(sent)
        frame += 1
        for function, each in rules:  # a later variation sees what an earlier one wrote
            read(buffer)
            function(ram, put, each.memory, each.draws, frame, 0, 0)
        if over():
            del intended[frame - host.frame :]
            break
    host.frame = frame
    return Outcome(float(points), float(points), over())


def run_all(host: AtariHost, intended: list[int]) -> Outcome:
    """Rules of any kind run: on actions, rewards, events, with merged or hidden frames, on schedules."""
    emulator, eye, hooks = host.emulator, host.eye, host.hooks
    points, paid, owed, undone, ended, count = 0.0, 0.0, 0.0, 0.0, False, len(intended)
    merged = count if eye.two_frames else 0
    first_seen = count - eye.two_frames
    host.hider.previous = host.hider.drawing
    host.frames = frames = []
    for number, sent in enumerate(intended, 1):
        if host.hackatari:
            run_scheduled(host)
        prepare_frame(host, sent)
        for function, each in hooks["action"]:
            emulator.read()
            sent = function(emulator.ram, None, each.memory, each.draws, host.frame, sent, 0)
        if number == merged and (number > 1 or host.screen_is_true):
            eye.remember()
        if eye.per_frame:
            eye.decide(number >= first_seen)
        before = emulator.buffer.tobytes() if hooks["event"] or eye.looks_back else b""
        eye.old = before
        if eye.hiding:
            hide_frame(host, number >= first_seen, sent)
        frames.append(sent)
        got = float(emulator.act(sent))
        points += got
        host.frame += 1
        ended = emulator.over()
        emulator.read()
        eye.drawn = emulator.buffer.tobytes() if eye.objects else b""
        for function, each in hooks["reward"]:
            got = function(emulator.ram, None, each.memory, each.draws, host.frame, 0, got)
        due = got
        got, owed = run_events(host, sent, got + owed, before)
        undone += due - got
        paid += got
        if not host.hackatari:
            host.apply("frame", host.frame)
        if eye.hiding:
            hide_next(host, number >= first_seen)
        if ended:
            if eye.per_frame and number < first_seen:
                eye.count_shown()
            if eye.hidden_now and number < first_seen:
                host.hider.repeat()
            del intended[number:]
            break
    host.debt = owed
    return Outcome(points, paid, ended, undone)


def prepare_frame(host: AtariHost, sent: int) -> None:
    """Runs the rules that come before a frame."""
    emulator = host.emulator
    for function, each in host.hooks["before"]:
        function(emulator.ram, emulator.put, each.memory, each.draws, host.frame, sent, 0, b"", each.start)
        emulator.read()


def run_events(host: AtariHost, sent: int, got: float, before: bytes) -> tuple[float, float]:
    """Runs event rules after a frame; returns its reward, and what the next frame pays beside its own."""
    emulator, owed = host.emulator, 0.0
    for function, each in host.hooks["event"]:
        got, more = function(
            emulator.ram, emulator.put, each.memory, each.draws, host.frame, sent, got, before, each.start
        )
        owed += more
        emulator.read()
    return got, owed


def hide_frame(host: AtariHost, seen: bool, sent: int) -> None:
    """Draws the frame that is played next with its hidden cells, where the agent sees it."""
    host.eye.held = host.hider.drawing = None
    if host.eye.hidden_now and seen and not host.hider.after:
        host.hider.draw(host.frame, sent)


def hide_next(host: AtariHost, seen: bool) -> None:
    """The same after the frame, with align=next."""
    if host.eye.hidden_now and seen and host.hider.after:
        host.hider.draw(host.frame, 0)
