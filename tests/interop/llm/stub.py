"""An endpoint on this machine that answers as a test wants: right, slowly, wrongly, or not at all."""

import json
import re
import socket
import struct
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PIECE = re.compile(r"(\d+) [\w?][■★●▲⬢◆]")


class Raw:
    """Bytes that are sent as they are."""

    def __init__(self, data, status=200):
        self.data, self.status = data, status


def completion(text, prompt=10, answer=2):
    usage = {"prompt_tokens": prompt, "completion_tokens": answer}
    return Raw(json.dumps({"choices": [{"message": {"content": text}}], "usage": usage}).encode())


def try_pieces(messages):
    """A player that tries the first piece on the board with one bucket after another."""
    piece = PIECE.findall(messages[-1]["content"])[0]
    return f"I think.\nMOVE: cell {piece} to bucket {len(messages) // 2 % 4}"


class Stub(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, answer):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer, self.asked, self.headers = answer, [], []

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, *_):
        pass  # a client that went away is what some tests are about


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(body)
        self.server.headers.append(dict(self.headers))
        reply = self.server.answer(body["messages"])
        if reply == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            return
        if reply == "drip":
            return self.drip()
        raw = reply if isinstance(reply, Raw) else completion(reply)
        self.send_response(raw.status)
        self.send_header("Content-Length", str(len(raw.data)))
        self.end_headers()
        self.wfile.write(raw.data)

    def drip(self):
        self.send_response(200)
        self.end_headers()
        for _ in range(100):
            self.wfile.write(b" ")
            time.sleep(0.05)


@contextmanager
def serve(answer):
    stub = Stub(answer)
    thread = threading.Thread(target=stub.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield stub
    finally:
        stub.shutdown()
        stub.server_close()
        thread.join()
