"""The server on a TCP port: a thread for each client, at most so many at a time.

The first command of a client is `GAME ARGS`. A client reaches files of the server's folder alone.
"""

from __future__ import annotations

import contextlib
import re
import socket
import struct
import sys
import threading
import time

from assay.envs.rules.codes import Response
from assay.errors import AssayError
from assay.interop.captive.arguments import Arguments, Listening, Options, Output, read_arguments
from assay.interop.captive.files import Files
from assay.interop.captive.lines import LineSplitter, answer_lines
from assay.interop.captive.opening import find_input_dir, open_session
from assay.interop.captive.pipe import READ_SIZE, Stopped, Stopper
from assay.interop.captive.session import INVALID_COMMAND, LONGEST, Session, tell, tell_error

SECONDS_TO_SEND = 60  # a client that reads nothing for so long is left
SECONDS_TO_NAME_A_GAME = 60
SECONDS_BETWEEN_COMMANDS = 24 * 3600  # a learner may think for long
SECONDS_TO_CLOSE = 2.0
INVALID_RULES = int(Response.INVALID_RULES)
WORD = re.compile(r"""(?:"[^"]*"|'[^']*'|[^\s"'])+""")
QUOTED = re.compile(r""""([^"]*)"|'([^']*)'""")


class Refused(Exception):
    """A client that named no game; it carries the whole reply."""

    def __init__(self, code: int, says: str):
        super().__init__(f"{code} 0 0\n{says}\n")


def serve_sockets(arguments: Arguments) -> int:
    """Listens until a signal comes; the exit status."""
    if arguments.words or arguments.options != Options(input_dir=arguments.options.input_dir):
        raise AssayError("a socket server takes inputDir alone; clients name their games with GAME.")
    root = find_input_dir(arguments).resolve()
    server = SocketServer(arguments.listening, Files(root, within=root))
    stopper = Stopper()
    stopper.install()
    print(f"assay: listening on {server.host}:{server.port}.", file=sys.stderr, flush=True)
    with contextlib.suppress(Stopped):
        server.accept_clients(stopper)
    server.close()
    return 128 + stopper.signal


class SocketServer:
    """Listens on a port; `close` ends all games and writes their results."""

    def __init__(self, listening: Listening, files: Files):
        self.files, self.most = files, listening.clients
        try:
            self.listener = socket.create_server((listening.host, listening.port or 0), backlog=128)
        except OSError as error:
            where = f"{listening.host}:{listening.port}"
            raise AssayError(f"the server cannot listen on {where}: {error.strerror or error}.") from None
        self.listener.setblocking(False)  # `accept` never waits: a signal could be missed there
        self.host, self.port = self.listener.getsockname()[:2]
        self.clients: dict[threading.Thread, socket.socket] = {}
        self.lock = threading.Lock()

    def accept_clients(self, stopper: Stopper) -> None:
        while True:
            try:
                stopper.wait_to_read(self.listener.fileno())
                connection, _ = self.listener.accept()
            except BlockingIOError:  # the client left while it waited
                continue
            except (OSError, ValueError):
                if self.listener.fileno() < 0:
                    return
                time.sleep(0.05)  # too many open files
                continue
            finally:
                stopper.is_waiting = False
            self._take(connection)

    def close(self) -> None:
        self.listener.close()
        with self.lock:
            clients = dict(self.clients)
        for connection in clients.values():
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in clients:
            thread.join(SECONDS_TO_CLOSE)

    def _take(self, connection: socket.socket) -> None:
        thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
        with self.lock:  # held until the thread runs, so that `close` never meets one that does not
            if len(self.clients) < self.most:
                self.clients[thread] = connection
                try:
                    thread.start()
                    return
                except RuntimeError:  # the system has no thread left
                    del self.clients[thread]
        with contextlib.suppress(OSError):
            connection.settimeout(0)
            connection.send(b"-1 0 0\nThe server has as many clients as it takes; try again later.\n")
        connection.close()

    def _serve(self, connection: socket.socket) -> None:
        try:
            # A client that is gone or too slow, or a result file that cannot be written: the game ends.
            with contextlib.suppress(OSError):
                play_with_client(connection, self.files)
        finally:
            close_gently(connection)
            with self.lock:
                del self.clients[threading.current_thread()]


def play_with_client(connection: socket.socket, files: Files) -> None:
    """One client, from its first command to its last."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    limit_seconds(connection, socket.SO_SNDTIMEO, SECONDS_TO_SEND)
    limit_seconds(connection, socket.SO_RCVTIMEO, SECONDS_TO_NAME_A_GAME)
    splitter = LineSplitter()
    try:
        first, ahead = receive_command(connection, splitter)
        session = open_game(first, files) if first else None
    except Refused as refused:
        connection.sendall(str(refused).encode("utf-8", "replace"))
        return
    if session is not None:
        limit_seconds(connection, socket.SO_RCVTIMEO, SECONDS_BETWEEN_COMMANDS)
        try:
            play_session(connection, session, splitter, ahead)
        finally:
            session.end()


def receive_command(connection: socket.socket, splitter: LineSplitter) -> tuple[bytes, list[bytes]]:
    """The first line that is not blank, empty at the end of input, and the lines that came with it."""
    while True:
        data = connection.recv(READ_SIZE)
        lines = [line for line in (splitter.feed(data) if data else splitter.finish()) if line.split()]
        if lines or not data:
            return (lines[0], lines[1:]) if lines else (b"", [])
        if len(splitter.rest) > LONGEST:
            raise Refused(INVALID_COMMAND, f"The first line is longer than {LONGEST} bytes.")


def open_game(line: bytes, files: Files) -> Session:
    """The session of `GAME ARGS`."""
    words = line.split()
    if words[0].upper() != b"GAME":
        raise Refused(INVALID_COMMAND, f"The first command is GAME ARGS, not {tell(words[0])}.")
    try:
        arguments = read_arguments(split_words(line.strip()[len(b"GAME") :]))
        if arguments.options.input_dir or arguments.listening != Listening():
            raise AssayError("inputDir, --port, --host and --clients are the server's own; leave them out.")
        return open_session(arguments, files, Output.STANDARD)
    except AssayError as error:
        raise Refused(INVALID_RULES, f"{files.tell_inside(tell_error(error))}.") from None
    except Exception as error:
        raise Refused(INVALID_RULES, f"The game cannot be set up ({type(error).__name__}).") from None


def split_words(text: bytes) -> list[str]:
    """Words, with quotes around a word or a part of it taken away."""
    try:
        decoded = text.decode()
    except UnicodeDecodeError:
        raise AssayError("GAME takes text in UTF-8") from None
    if WORD.sub("", decoded).strip():
        raise AssayError("a quote is not closed; close it")
    return [QUOTED.sub(lambda match: match[1] or match[2] or "", word) for word in WORD.findall(decoded)]


def play_session(
    connection: socket.socket, session: Session, splitter: LineSplitter, ahead: list[bytes]
) -> None:
    connection.sendall(session.greet())
    lines = ahead
    while True:
        for reply in answer_lines(session, lines) if lines else ():
            connection.sendall(reply)
        if session.is_over:
            return
        data = connection.recv(READ_SIZE)
        lines = splitter.feed(data) if data else splitter.finish()
        if not data and not lines:
            return


def limit_seconds(connection: socket.socket, what: int, seconds: int) -> None:
    """A limit that the system keeps, so that a call needs no second one to wait."""
    connection.setsockopt(socket.SOL_SOCKET, what, struct.pack("ll", seconds, 0))


def close_gently(connection: socket.socket) -> None:
    """Closes so that the last reply arrives: what the client has still sent is read, for a short while."""
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_WR)
        limit_seconds(connection, socket.SO_RCVTIMEO, 1)
        ends = time.monotonic() + SECONDS_TO_CLOSE
        while time.monotonic() < ends and connection.recv(READ_SIZE):
            pass
    connection.close()
