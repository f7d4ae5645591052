"""The server on a port: many clients, each alone with its game."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

from assay.interop.captive import sockets
from assay.interop.captive.arguments import Listening
from assay.interop.captive.files import Files
from assay.interop.captive.pipe import Stopper
from assay.interop.captive.sockets import SocketServer, split_words
from tests.interop.captive.play import write_board, write_rule


class Client:
    """A connection that sends text and reads lines."""

    def __init__(self, server):
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=30)
        self.file = self.socket.makefile("rb")

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def lines(self, count: int) -> list[str]:
        return [self.file.readline().decode().rstrip("\n") for _ in range(count)]

    def rest(self) -> str:
        """Everything until the server closes."""
        return self.file.read().decode()

    def close(self) -> None:
        self.file.close()
        self.socket.close()


@contextlib.contextmanager
def serving(folder, clients: int = 8):
    server = SocketServer(Listening(0, clients=clients), Files(folder, within=folder))
    thread = threading.Thread(target=server.accept_clients, args=(Stopper(),), daemon=True)
    thread.start()
    yield server
    with contextlib.suppress(OSError):
        server.listener.shutdown(socket.SHUT_RDWR)
    server.close()
    thread.join(10)
    assert not thread.is_alive()


@pytest.fixture
def server(tmp_path):
    write_rule(tmp_path / "rule.txt", "(*,*,*,*,0)")
    write_board(tmp_path / "board.json", (("red", "star", 1, 1),))
    with serving(tmp_path) as running:
        yield running


def test_a_game_line_by_line(server):
    client = Client(server)
    client.send(b"\n  game rule.txt 'board.json'\n")
    piece = '{"id":0,"color":"RED","shape":"STAR","x":1,"y":1,"label":"A","buckets":[0]}'
    assert client.lines(3)[::2] == ["6 0 0", '{"id":0,"value":[' + piece + "]}"]
    client.send(b"MOVE 0 3\n")
    assert client.lines(3)[:2] == ["4 0 1", "# null"]  # STANDARD at first
    client.send(b"GAME rule.txt board.json\n")
    assert client.lines(2)[0] == "-1 0 1"
    client.send(b"MODE BRIEF\nMOVE 0 0\nEXIT\n")
    assert client.rest().splitlines() == ["# OK, mode=BRIEF", "0 1 2", "# null", "5 1 2", "# Goodbye."]


def test_commands_may_come_with_the_first_one(server):
    client = Client(server)
    client.send(b"GAME rule.txt board.json output=BRIEF\nMOVE 0 3\nMOVE 0 0\nNEW\nEXIT")
    client.socket.shutdown(socket.SHUT_WR)
    codes = [line.split()[0] for line in client.rest().splitlines() if line[0] not in "#{"]
    assert codes == ["6", "4", "0", "6", "5"]


@pytest.mark.parametrize(
    "first, code, says",
    [
        (b"MOVE 0 0\n", -1, "first command is GAME"),
        (b"\xff\xfe\x00\n", -1, "first command is GAME"),
        (b"GAME\n", -5, "no game is named"),
        (b"GAME nothere.txt 9\n", -5, "no rule file"),
        (b"GAME rule.txt 9 seed=x\n", -5, "seed takes"),
        (b"GAME rule.txt 99\n", -5, "do not fit"),
        (b"GAME 'rule.txt 9\n", -5, "a quote is not closed"),
        (b"GAME rule.txt 9 inputDir=/\n", -5, "the server's own"),
        (b"GAME --port 3\n", -5, "the server's own"),
        (b"GAME /etc/passwd 9\n", -5, "no rule file"),
        (b"GAME ../rule.txt 9\n", -5, "no rule file"),
        (b"GAME rule.txt 9 log=/tmp/x.csv log.nickname=a log.run=0\n", -5, "outside of the server's folder"),
        (b"GAME \xff 9\n", -5, "UTF-8"),
        (b"x" * 200_000 + b"\n", -1, "longer than"),
    ],
)
def test_a_first_command_that_names_no_game_closes_the_connection(server, first, code, says):
    client = Client(server)
    client.send(first + b"MOVE 0 0\n")
    status, text = client.rest().splitlines()
    assert status == f"{code} 0 0" and says in text


@pytest.mark.parametrize("game, says", [
    (b"rule.txt bad.json", "bad.json is no JSON"),
    (b"rule.txt board.json log=rule.txt log.nickname=me log.run=0", "rule.txt holds something else"),
    (b"list.csv 1", "in/bad.json is no JSON"),
    (b"list.csv 2", "empty holds no board"),
])  # fmt: skip
def test_a_refusal_shows_no_path_of_the_server(server, tmp_path, game, says):
    (tmp_path / "in").mkdir()
    (tmp_path / "empty").mkdir()
    for name in ("bad.json", "in/bad.json"):
        (tmp_path / name).write_text("{")
    (tmp_path / "list.csv").write_text("rule_id,initial_boards\nrule.txt,in\nrule.txt,empty\n")
    client = Client(server)
    client.send(b"GAME " + game + b"\n")
    reply = client.rest()
    assert reply.startswith(f"-5 0 0\n{says}") and str(tmp_path) not in reply
    client.close()


def test_leaving_before_a_game(server):
    client = Client(server)
    client.send(b"EXIT\n")
    assert client.rest() == "-1 0 0\nThe first command is GAME ARGS, not 'EXIT'.\n"
    Client(server).close()


def test_closing_while_clients_come(tmp_path):
    for _ in range(50):
        with serving(tmp_path) as server:
            clients = [Client(server) for _ in range(3)]
        for client in clients:
            client.close()


def test_clients_do_not_disturb_each_other(server):
    """One sends rubbish without end, one never reads, one has left; a fourth plays."""
    deaf, rude, gone = Client(server), Client(server), Client(server)
    deaf.send(b"GAME rule.txt 9\n")
    deaf.socket.settimeout(0.3)
    with contextlib.suppress(TimeoutError):
        while True:
            deaf.send(b"DISPLAY\n" * 1000)
    rude.send(b"GAME rule.txt 9 output=BRIEF\n" + bytes(range(256)) * 2000)
    gone.send(b"GAME rule.txt 9\n")
    gone.close()
    client = Client(server)
    client.send(b"GAME rule.txt board.json\nMOVE 0 0\nEXIT\n")
    assert [line for line in client.rest().splitlines() if line[0] not in "#{"] == ["6 0 0", "0 1 1", "5 1 1"]
    deaf.close()
    rude.close()


def test_a_client_that_never_reads_is_left_after_a_while(tmp_path, monkeypatch):
    monkeypatch.setattr(sockets, "SECONDS_TO_SEND", 1)
    write_rule(tmp_path / "rule.txt", "()")
    with serving(tmp_path) as server:
        deaf = Client(server)
        deaf.send(b"GAME rule.txt 36\n")
        deaf.socket.settimeout(20)
        with pytest.raises(OSError):
            while True:
                deaf.send(b"DISPLAY\n" * 1000)
        deaf.close()


def test_many_clients_at_once_and_no_more_than_are_taken(tmp_path):
    write_rule(tmp_path / "rule.txt", "(*,*,*,*,0)")
    with serving(tmp_path, clients=5) as server:
        clients = [Client(server) for _ in range(5)]
        for i, client in enumerate(clients):
            client.send(b"GAME rule.txt 9 seed=%d output=BRIEF\n" % (i + 1))
        boards = {client.lines(3)[2] for client in clients}
        assert len(boards) == 5
        assert Client(server).rest().startswith("-1 0 0\nThe server has as many clients")
        for client in clients:
            client.send(b"MOVE 0 0\nEXIT\n")
            assert client.rest().startswith("0 0 1\n")
            client.close()
        again = Client(server)
        for _ in range(200):
            again.send(b"GAME rule.txt 9 output=BRIEF\n")
            if again.lines(1) == ["6 0 0"]:
                break
            again = Client(server)
        else:
            raise AssertionError("no place became free")


def test_results_of_several_clients_in_one_file(tmp_path):
    write_rule(tmp_path / "rule.txt", "(*,*,*,*,0)")
    with serving(tmp_path) as server:
        clients = [Client(server) for _ in range(6)]
        for i, client in enumerate(clients):
            client.send(b"GAME rule.txt 1 logappend=all.csv log.nickname=c%d log.run=0\n" % i)
            client.lines(3)
        for client in clients:
            client.send(b"MOVE 0 0\nNEW\n" * 50 + b"EXIT\n")
        for client in clients:
            client.rest()
    rows = (tmp_path / "all.csv").read_text().splitlines()
    assert len(rows) == 1 + 6 * 51 and all(row.count(",") == 7 for row in rows)


def test_a_signal_writes_the_results_of_all_clients(tmp_path):
    write_rule(tmp_path / "rule.txt", "(*,*,*,*,0)")
    code = "import sys; from assay.interop.captive.main import main; main()"
    words = [sys.executable, "-c", code, "--port", "0", f"inputDir={tmp_path}"]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, env=os.environ)
    process.port = int(process.stderr.readline().decode().rstrip(".\n").rpartition(":")[2])
    clients = [Client(process) for _ in range(3)]
    for i, client in enumerate(clients):
        client.send(b"GAME rule.txt 9 log=%d.csv log.nickname=me log.run=0\nMOVE 0 0\n" % i)
        client.lines(6)
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 128 + signal.SIGTERM
    for i, client in enumerate(clients):
        assert client.rest() == ""
        assert (tmp_path / f"{i}.csv").read_text().splitlines()[1] == "me,rule,0,0,9,1,1.0,0"


@pytest.mark.parametrize("words", [["--port", "0"], ["shape_match", "9", "output=BRIEF"]])
def test_a_signal_that_another_thread_takes_ends_the_server(words):
    """The system gives a signal to any thread; a call in which the main thread waits does not end then."""
    code = (
        "import signal, sys, threading, time\n"
        "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])\n"
        "from assay.interop.captive.main import main; main()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        bufsize=0,
    )
    process.stdout.readline()
    time.sleep(0.2)  # until it waits
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 128 + signal.SIGTERM


def test_words_and_quotes():
    assert split_words(b""" 'a b'  "c" colors="red;blue" d'e f'g '' """) == [
        "a b",
        "c",
        "colors=red;blue",
        "de fg",
        "",
    ]
