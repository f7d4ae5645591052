"""The server as a process: what clients of the published one do, what they should not do, and signals."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from tests.interop.captive.play import data_lines, write_board, write_rule

SERVE = [sys.executable, "-m", "assay", "rules", "serve"]
CAPTIVE = [sys.executable, "-c", "from assay.interop.captive.main import main; main()"]


def start(*words: str, program=CAPTIVE, folder=None):
    return subprocess.Popen(
        [*program, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        bufsize=0,
    )


def play(*words: str, commands: bytes = b"", program=CAPTIVE, folder=None):
    process = start(*words, program=program, folder=folder)
    out, err = process.communicate(commands, timeout=120)
    return process.returncode, out, err


class PublishedClient:
    """How sample clients of the published server read: comments are dropped, two data lines follow a MOVE."""

    def __init__(self, *words: str, program=CAPTIVE):
        self.process = start("-Doutput=STANDARD", "edu.wisc.game.engine.Captive", *words, program=program)

    def read(self) -> str:
        while True:
            line = self.process.stdout.readline().decode()
            if not line.startswith("#"):
                return line.strip()

    def ask(self, command: str) -> tuple[list[int], dict]:
        self.process.stdin.write(f"{command}\n".encode())
        return self.read_reply()

    def read_reply(self) -> tuple[list[int], dict]:
        return [int(each) for each in self.read().split()], json.loads(self.read())

    def play_to_the_end(self) -> int:
        """Clears the board by the buckets that are shown; the number of moves."""
        status, board = self.read_reply()
        assert status == [6, 0, 0]
        while status[1] == 0:
            piece = next(piece for piece in board["value"] if piece["buckets"])
            row, column = [(7, 0), (7, 7), (0, 7), (0, 0)][piece["buckets"][0]]
            status, board = self.ask(f"MOVE {piece['y']} {piece['x']} {row} {column}")
            assert status[0] == 0
        return status[2]


@pytest.mark.parametrize("program", [SERVE, CAPTIVE], ids=["assay rules serve", "assay-captive"])
def test_a_client_of_the_published_server_changes_one_word(program):
    client = PublishedClient("position_A", "9", "4", "4", program=program)
    assert client.play_to_the_end() == 9
    client.process.stdin.write(b"NEW\n")
    assert client.play_to_the_end() == 9
    client.process.stdin.write(b"EXIT\n")
    assert client.read() == "5 1 9"
    assert client.process.wait(30) == 0 and client.process.stderr.read() == b""


def test_everything_sent_ahead_is_answered():
    commands = b"MOVE 0 1\nNEW\n" * 200 + b"EXIT\nMOVE 0 0\n"
    code, out, err = play("shape_match", "9", "output=BRIEF", commands=commands)
    lines = data_lines(out)
    assert code == 0 and err == b"" and len(lines) == 2 + 3 * 200 + 1 and lines[-1] == "5 0 0"


def test_the_end_of_input_is_silent():
    code, out, err = play("shape_match", "9", "output=BRIEF")
    assert code == 0 and err == b"" and len(data_lines(out)) == 2


def test_rubbish_does_not_end_it():
    rubbish = bytes(range(256)) * 40 + b"\n" + b"y" * 3_000_000 + b"\nMOVE 0 -1\n\x00\n"
    code, out, err = play("shape_match", "9", "output=BRIEF", commands=rubbish + b"EXIT\n")
    codes = [line.split()[0] for line in data_lines(out)]
    assert code == 0 and err == b"" and codes[-4:] == ["-1", "-2", "-1", "5"]


@pytest.mark.parametrize("words", [[], ["nothere.txt", "9"], ["shape_match", "9", "seed=x"], ["--port", "x"]])
@pytest.mark.parametrize("program", [SERVE, CAPTIVE], ids=["assay rules serve", "assay-captive"])
def test_failures_at_the_start(program, words):
    code, out, err = play(*words, program=program)
    assert code == 1 and out == b"" and err.startswith(b"assay: ") and err.count(b"\n") == 1


def test_a_client_that_stops_reading_ends_it():
    process = start("shape_match", "9")
    process.stdout.close()
    process.stdin.write(b"DISPLAY\n" * 100)
    process.stdin.close()
    assert process.wait(30) == 0 and process.stderr.read() == b""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_leaves_whole_rows(tmp_path, number):
    log = tmp_path / "log.csv"
    process = start("shape_match", "9", f"log={log}", "log.nickname=me", "log.run=0", "output=BRIEF")
    process.stdin.write(b"NEW\nMOVE 0 0\nVERSION\n")
    while not process.stdout.readline().startswith(b"# assay 0.1.0, captive game server\n"):
        pass
    process.send_signal(number)
    assert process.wait(30) == 128 + number and process.stderr.read() == b""
    rows = log.read_text().splitlines()
    assert [row.split(",")[3:6] for row in rows[1:]] == [["0", "9", "0"], ["1", "9", "1"]]


def test_a_signal_ends_a_server_whose_client_does_not_read(tmp_path):
    log = tmp_path / "log.csv"
    process = start("shape_match", "9", f"log={log}", "log.nickname=me", "log.run=0")
    os.set_blocking(process.stdin.fileno(), False)
    for _ in range(200):  # until the server hangs in a reply, and its input is full as well
        try:
            process.stdin.write(b"DISPLAY\n" * 1000)
        except BlockingIOError:
            break
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 128 + signal.SIGTERM
    assert len(log.read_text().splitlines()) == 2


def test_a_pipe_that_does_not_wait():
    process = start("shape_match", "9", "output=BRIEF")
    os.set_blocking(process.stdout.fileno(), True)
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    other = subprocess.Popen([*CAPTIVE, "shape_match", "9"], stdin=reading, stdout=subprocess.PIPE, bufsize=0)
    assert other.stdout.readline() == b"6 0 0\n"
    os.write(writing, b"EXIT\n")
    assert b"\n5 0 0\n" in other.stdout.read() and other.wait(30) == 0
    process.communicate(b"EXIT\n", timeout=30)
    os.close(reading)
    os.close(writing)


def test_nothing_but_replies_is_printed(tmp_path):
    """The published server echoes boards to standard error and mixes other words into the protocol."""
    rule, board = write_rule(tmp_path / "rule.txt"), write_board(tmp_path / "board.json")
    code, out, err = play(rule, board, commands=b"EXIT\n")
    assert code == 0 and err == b"" and out.startswith(b"6 0 0\n# assay")
    assert [line[0] for line in data_lines(out)] == ["6", "{", "5"]


def test_the_server_imports_no_jax():
    code = (
        "import sys\nfrom assay.interop.captive.main import serve\n"
        "serve(['shape_match', '9', 'output=BRIEF'])\nimport assay.interop.captive.sockets\n"
        "print([name for name in ('jax', 'scipy', 'gymnasium', 'pandas') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], input="", capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines()[-1] == "[]"
