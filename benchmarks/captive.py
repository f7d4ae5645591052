"""Moves per CPU-second of the captive server, over a pipe, one move at a time.

    python benchmarks/captive.py

The server is a process of its own; its CPU time is read from /proc before the first move and after the last,
so start-up is left out and drawing boards is counted. 9 pieces of 4 shapes and 4 colours. `random` plays a
random piece of the board into a random bucket, `clearing` a move that is accepted, read from the JSON of a
session of the same seed that was played before: every move of it changes the board, and every tenth command
is NEW, whose time counts while it counts as no move. Each figure is the best of three tries.

The last lines play one endless episode of refused moves and compare its first tenth with its last.
"""

import json
import os
import random
import subprocess
import sys
from dataclasses import dataclass

RULES = ("shape_match", "counterClockwise", "position_A")
WANTED = {"BRIEF": 25_000, "STANDARD": 12_000}
MOVES, TRIES = 20_000, 3
TICKS = os.sysconf("SC_CLK_TCK")


class Server:
    """A server process and its two pipes."""

    def __init__(self, rule: str, mode: str):
        words = ["-m", "assay", "rules", "serve", f"-Doutput={mode}", rule, "9", "4", "4", "seed=11"]
        self.process = subprocess.Popen(
            [sys.executable, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        self.into, self.out = self.process.stdin.fileno(), self.process.stdout.fileno()
        self.per_move = 2 if mode == "BRIEF" else 3
        self.greeting = self.read(3)

    def read(self, lines: int) -> bytes:
        reply = b""
        while reply.count(b"\n") < lines:
            reply += os.read(self.out, 65536)
        return reply

    def ask(self, command: bytes, lines: int) -> bytes:
        os.write(self.into, command)
        return self.read(lines)

    def cpu_seconds(self) -> float:
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


@dataclass
class Pieces:
    """The ids that are left, as a client knows them."""

    ids: list

    @classmethod
    def of(cls, greeting: bytes) -> "Pieces":
        return cls([piece["id"] for piece in json.loads(greeting.splitlines()[2])["value"]])


def play_randomly(server: Server, moves: int) -> None:
    chance = random.Random(5)
    pieces = Pieces.of(server.greeting)
    for _ in range(moves):
        number = chance.choice(pieces.ids)
        reply = server.ask(b"MOVE %d %d\n" % (number, chance.randrange(4)), server.per_move)
        code, finish, _ = reply.split(b"\n", 1)[0].split()
        if code == b"0":
            pieces.ids.remove(number)
        if finish != b"0":
            pieces = Pieces.of(server.ask(b"NEW\n", 3))


def record_clearing(rule: str, moves: int) -> list:
    """The commands of play in which every move is accepted."""
    server = Server(rule, "STANDARD")
    board = json.loads(server.greeting.splitlines()[2])
    commands, made = [], 0
    while made < moves:
        movable = [piece for piece in board["value"] if piece["buckets"]]
        if not movable:
            commands.append(b"NEW\n")
            board = json.loads(server.ask(b"NEW\n", 3).splitlines()[2])
            continue
        command = b"MOVE %d %d\n" % (movable[-1]["id"], movable[-1]["buckets"][0])
        board = json.loads(server.ask(command, 3).splitlines()[2])
        commands.append(command)
        made += 1
    server.close()
    return commands


def play_recorded(server: Server, commands: list) -> None:
    for command in commands:
        server.ask(command, 3 if command == b"NEW\n" else server.per_move)


def measure(rule: str, mode: str, play, moves: int) -> float:
    """The best of a few tries: other work on the machine only ever slows a try down."""
    return max(measure_once(rule, mode, play, moves) for _ in range(TRIES))


def measure_once(rule: str, mode: str, play, moves: int) -> float:
    server = Server(rule, mode)
    begun = server.cpu_seconds()
    play(server)
    spent = server.cpu_seconds() - begun
    server.close()
    return moves / spent


def measure_growth(rule: str) -> tuple:
    """CPU-seconds of the first and of the last tenth of an episode of refused moves."""
    server = Server(rule, "STANDARD")
    piece = json.loads(server.greeting.splitlines()[2])["value"][0]
    wrong = next(bucket for bucket in range(4) if bucket not in piece["buckets"])
    spent = []
    for _ in range(10):
        begun = server.cpu_seconds()
        for _ in range(MOVES // 2):
            server.ask(b"MOVE %d %d\n" % (piece["id"], wrong), 3)
        spent.append(server.cpu_seconds() - begun)
    server.close()
    return spent[0], spent[-1]


def main() -> None:
    print(f"{'rule':20} {'mode':9} {'play':9} {'moves per CPU-second':>22} {'wanted':>8}")
    for rule in RULES:
        clearing = record_clearing(rule, MOVES // 2)
        for mode, wanted in WANTED.items():
            speed = measure(rule, mode, lambda server: play_randomly(server, MOVES), MOVES)
            print(f"{rule:20} {mode:9} {'random':9} {speed:22,.0f} {wanted:8,}", flush=True)
            speed = measure(rule, mode, lambda server: play_recorded(server, clearing), MOVES // 2)  # noqa: B023
            print(f"{rule:20} {mode:9} {'clearing':9} {speed:22,.0f} {wanted:8,}", flush=True)
    first, last = measure_growth("position_A")
    print(f"{MOVES // 2} moves of one episode: {first:.2f} CPU-seconds at its begin, {last:.2f} at its end")


if __name__ == "__main__":
    main()
