"""`assay atari ram` in a pipe, on a terminal and in tmux: the ball is found, held, saved and played."""

import os
import shutil
import signal
import subprocess
import sys
import time
import uuid

import pytest
from typer.testing import CliRunner

import assay
from assay.cli.main import app
from tests.cli.test_play_terminal import Terminal

pytest.importorskip("ale_py")
ASSAY = [sys.executable, "-m", "assay"]
FIND_THE_BALL = ["n 100", "mark", "n 3", "find down", "n 3", "find down", "n 3", "find down"]


def run(lines, folder, *words):
    return subprocess.run(
        [*ASSAY, "atari", "ram", *words],
        input="\n".join(lines) + "\n",
        cwd=folder,
        capture_output=True,
        text=True,
    )


def test_in_a_pipe_only_what_was_said_is_printed(tmp_path):
    done = run(
        [*FIND_THE_BALL, "freeze 49", "save mine.yaml still the ball stands", "quit"], tmp_path, "Pong"
    )
    assert done.returncode == 0, done.stderr
    assert (
        "1 cell: 49=" in done.stdout and "saved; agents play it as atari/Pong+mine.yaml:still" in done.stdout
    )
    assert "\033" not in done.stdout


@pytest.mark.parametrize(
    "lines, words, says",
    [
        (["foo"], ["Pong"], "'foo' is no command; `help` lists them."),
        (["poke 300 2"], ["Pong"], "a game has the cells 0 to 127"),
        (["poke 3"], ["Pong"], "write poke CELL VALUE."),
        (["poke 3 4 5"], ["Pong"], "write poke CELL VALUE, without '5'."),
        (["freeze 1 2 3"], ["Pong"], "write freeze CELL [VALUE], without '3'."),
        (["name 10 foo bar baz"], ["Pong"], "write name CELL NAME, without 'bar baz'."),
        (["find down up"], ["Pong"], "write find up|down|equal|changed|=57|+4|-4, without 'up'."),
        (["n 3 NOOP 4"], ["Pong"], "write n [FRAMES] [ACTION], without '4'."),
        (["drop all"], ["Pong"], "write drop, without 'all'."),
        (["help hooks"], ["Pong"], "write help, or help rule, without 'hooks'."),
        (["rule"], ["Pong"], "write rule HOOK RULE; `help rule` shows"),
        (["rule frame"], ["Pong"], "write the rule, such as rule frame {when"),
        ([], ["gym/CartPole-v1"], "the workbench takes an Atari game"),
        ([], ["Pong", "--json"], "prints no JSON; leave --json out"),
        (["n many"], ["Pong"], "'many' is not a whole number from 1 to 100000"),
        (["find"], ["Pong"], "write find up|down"),
        (['name 3 "x'], ["Pong"], "a quotation mark is left open"),
        (["back"], ["Pong"], "no moment was kept"),
        (["live"], ["Pong"], "live needs a terminal"),
        ([], ["Pnog"], "did you mean 'Pong'"),
        ([], ["Pong", "Boxing"], "ram takes one game"),
    ],
)
def test_a_mistake_in_a_pipe_ends_it_in_one_sentence(tmp_path, lines, words, says):
    done = run(lines, tmp_path, *words)
    assert done.returncode == 2 and says in done.stderr and "Traceback" not in done.stderr


def test_help_lists_the_hooks_and_a_pipe_is_left_without_a_question(tmp_path):
    done = run(["help rule", "freeze 49", "quit", "nonsense"], tmp_path, "Pong")
    assert done.returncode == 0 and "not saved" not in done.stdout
    for hook in ("start", "frame", "step", "before", "event", "action", "reward"):
        assert f"rule {hook} {{" in done.stdout
    assert "In rule files alone: hide, screen." in done.stdout


def test_the_seed_is_that_of_the_play(monkeypatch):
    asked = []
    monkeypatch.setattr("assay.cli.atari_ram.run", lambda *words: asked.append(words))
    done = CliRunner().invoke(app, ["atari", "ram", "Pong", "--seed", "7"])
    assert done.exit_code == 0 and asked == [("Pong", False, 7)]


def test_a_game_by_its_name_may_have_settings_with_a_path(tmp_path):
    done = run([], tmp_path, 'Pong+starts="no/such.npz"')
    assert done.returncode == 2 and "such.npz" in done.stderr and "takes an Atari game" not in done.stderr


def test_a_narrow_window_says_once_why_there_is_no_picture(monkeypatch):
    monkeypatch.chdir("/")
    game = Terminal("Pong", verb=("atari", "ram"), columns=80, rows=24)
    try:
        first = " ".join(game.read_until("ram> ").split())
        assert "too narrow for the picture" in first and "from 103 on" in first and "▀" not in first
        game.type("n 5", "frame 5")
        assert "too narrow" not in game.read_until("ram> ")
    finally:
        game.close()
    wide = Terminal("Pong", verb=("atari", "ram"), columns=103, rows=24)
    try:
        assert "▀" in (screen := wide.read_until("ram> ")) and "too narrow" not in screen
    finally:
        wide.close()


@pytest.fixture
def game(monkeypatch):
    monkeypatch.chdir("/")
    game = Terminal("Pong", verb=("atari", "ram"), columns=120, rows=30)
    game.read_until("ram> ")
    yield game
    game.close()


def test_what_is_not_saved_is_asked_about_once(game, tmp_path):
    game.type("freeze 49 80", "held at 80")
    game.type("quit", "a second `quit` leaves")
    game.type("n 2", "frame 2")
    game.type("quit", "a second `quit` leaves")  # another line came between
    game.type(f"save {tmp_path}/mine.yaml still", "saved; agents play it")
    game.type("rule reward {pay: 0}", "acts from now on")
    game.type("quit", "a second `quit` leaves")
    game.type("quit", "")
    assert game.process.wait(60) == 0


def test_what_is_saved_is_left_at_once(game, tmp_path):
    game.type("freeze 49 80", "held at 80")
    game.type(f"save {tmp_path}/mine.yaml still", "saved; agents play it")
    game.type("quit", "")
    assert game.process.wait(60) == 0


def test_an_interrupt_clears_the_line_and_a_second_one_leaves(game):
    def interrupt(wanted):
        game.written = ""
        os.killpg(game.process.pid, signal.SIGINT)
        return game.read_until(wanted)

    game.type("freeze 49 80", "held at 80")
    time.sleep(1)  # an interrupt before the prompt would end the command and not the line
    interrupt("not saved")
    game.type("n 2", "frame 2")
    time.sleep(1)
    interrupt("once more leaves")
    os.killpg(game.process.pid, signal.SIGINT)
    assert game.process.wait(60) == 0


def test_an_interrupt_while_frames_are_played_keeps_the_workbench(game):
    game.type("freeze 49 80", "held at 80")
    game.written = ""
    os.write(game.main, b"n 100000\r")
    time.sleep(0.5)
    os.killpg(game.process.pid, signal.SIGINT)
    game.read_until("stopped")
    game.type("draft", '{set: {"ball_x": 80}}')


def test_on_a_terminal_changed_and_frozen_cells_stand_out(monkeypatch):
    monkeypatch.chdir("/")
    game = Terminal("Pong", verb=("atari", "ram"), columns=120, rows=30)
    try:
        first = game.read_until("ram> ")
        assert "frame 0" in first and "▀" in first  # the picture beside the cells
        assert "\033[1;38;5;214m" not in first
        game.type("n 30", "frame 30")
        game.read_until("\033[1;38;5;214m")
        game.type("freeze 49 80", "cell 49 is held at 80")
        game.read_until("\033[1;38;5;39m")
        assert "is no command" in game.type("jump", "`help` lists them")
        game.type("live", "Enter comes back")
        assert "ram> " in game.type("", "ram> ")
    finally:
        game.close()


@pytest.mark.skipif(not shutil.which("tmux"), reason="tmux is not here")
def test_in_tmux_the_ball_is_found_held_saved_and_played(tmp_path, monkeypatch):
    name = f"assay-{uuid.uuid4().hex[:8]}"
    tmux = ["tmux", "-L", name]

    def see(wanted):
        for _ in range(1200):
            seen = subprocess.run([*tmux, "capture-pane", "-p"], capture_output=True, text=True).stdout
            if wanted in seen:
                return seen
            time.sleep(0.1)
        raise AssertionError(f"{wanted!r} did not come:\n{seen}")

    def type_line(line, wanted):
        subprocess.run([*tmux, "send-keys", line, "Enter"], check=True)
        return see(wanted)

    shell = (
        f"{' '.join(ASSAY)} atari ram Pong; {' '.join(ASSAY)} show atari/Pong+mine.yaml:still --steps 3; cat"
    )
    subprocess.run(
        [*tmux, "new-session", "-d", "-x", "100", "-y", "40", "-c", str(tmp_path), shell], check=True
    )
    try:
        see("ram>")
        for number, line in enumerate(FIND_THE_BALL[:2]):
            type_line(line, ("frame 100", "a new search")[number])
        for frame in (103, 106, 109):
            type_line("n 3", f"frame {frame}")
            found = type_line("find down", "cell")
        assert "1 cell: 49=" in found
        type_line("freeze 49 80", "held at 80")
        type_line("n 20", "frame 129")
        type_line("save mine.yaml still the ball stands", "saved; agents play it as")
        type_line("quit", "the ball stands")  # `show` tells what the variation means
    finally:
        subprocess.run([*tmux, "kill-server"], check=False)
    monkeypatch.chdir(tmp_path)
    env = assay.make("atari/Pong+mine.yaml:still+observation=ram")
    env.reset(seed=1)
    assert {int(env.step(0)[0][49]) for _ in range(60)} == {80}
