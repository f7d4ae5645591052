"""Chat completions over HTTP: one request at a time, bounded in time, in bytes and in retries.

Redirects are not followed and proxies are not used, so that the key goes to the endpoint alone.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any, NamedTuple

from assay.errors import AssayError
from assay.interop.llm.settings import Player

MOST_BYTES = 1 << 20  # of a reply
MOST_TEXT = 2000  # characters of an answer that are kept
LONGEST_WAIT = 60.0  # seconds between two tries
HIDDEN = "[key]"

Message = Mapping[str, str]  # role and content


class EndpointFailed(Exception):
    """A request that failed in a way that may pass: after the last retry, in one phrase."""


class Reply(NamedTuple):
    """A reply of the endpoint."""

    text: str | None  # None where the reply holds no answer
    prompt_tokens: int | None  # None where the endpoint does not tell
    answer_tokens: int | None
    fault: str = ""  # why there is no answer


class Client:
    """An endpoint that is asked for chat completions."""

    def __init__(self, player: Player, key: str, sleep: Callable[[float], Any] = time.sleep):
        self._player, self._key, self._sleep = player, key, sleep

    def ask(self, messages: Sequence[Message]) -> Reply:
        """The reply to a conversation. Failures that may pass are retried, others raise an AssayError."""
        player = self._player
        body = {"model": player.model, "messages": list(messages), "temperature": player.temperature,
                "max_tokens": player.max_tokens}  # fmt: skip
        data = json.dumps(body).encode()
        why = ""
        for number in range(player.retries + 1):
            if number:
                self._sleep(min(LONGEST_WAIT, player.backoff * 2 ** (number - 1)))
            try:
                status, content = self._post(data)
            except (OSError, HTTPException) as error:
                why = describe(error)
                continue
            if status == 200:
                return self._read(content)
            why = f"the endpoint answered with status {status}"
            if status != 429 and status < 500:
                raise AssayError(f"{why}; mend its address, its model or its key.")
        raise EndpointFailed(f"{why} (tries: {player.retries + 1})")

    def hide_key(self, text: str) -> str:
        """A text without the key, where an endpoint sent it back."""
        return text.replace(self._key, HIDDEN) if self._key else text

    def _post(self, data: bytes) -> tuple[int, bytes | None]:
        """The status and the content of one reply; None where the content is too long."""
        url, seconds = self._player.url, self._player.timeout
        kind = HTTPSConnection if url.scheme == "https" else HTTPConnection
        assert url.hostname is not None, "the settings were checked"
        connection = kind(url.hostname, url.port, timeout=seconds)
        headers = {"Content-Type": "application/json", "Accept": "application/json", "Connection": "close"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        # A socket's own timeout begins anew with every byte, so an endpoint that drips could hold us forever.
        late = threading.Event()
        connection.connect()
        alarm = threading.Timer(seconds, cut, (connection.sock, late))
        alarm.daemon = True
        alarm.start()
        try:
            connection.request("POST", url.path, body=data, headers=headers)
            response = connection.getresponse()
            content = read_bounded(response)
        except (OSError, HTTPException):
            if late.is_set():
                raise TimeoutError from None
            raise
        finally:
            alarm.cancel()
            connection.close()
        if late.is_set():
            raise TimeoutError
        return response.status, content

    def _read(self, content: bytes | None) -> Reply:
        if content is None:
            return Reply(None, None, None, f"the reply was longer than {MOST_BYTES} bytes")
        try:
            document = json.loads(content)
        except (ValueError, RecursionError):
            return Reply(None, None, None, "the reply was no JSON")
        usage = document.get("usage") if isinstance(document, dict) else None
        tokens = count_of(usage, "prompt_tokens"), count_of(usage, "completion_tokens")
        try:
            text = document["choices"][0]["message"]["content"]
        except (LookupError, TypeError):
            text = None
        if not isinstance(text, str):
            return Reply(None, *tokens, "the reply held no message")
        return Reply(self.hide_key(text)[:MOST_TEXT], *tokens)


def cut(link: socket.socket, late: threading.Event) -> None:
    # The socket itself: http.client lets go of it as soon as it has read the headers.
    late.set()
    with suppress(OSError):  # it was closed meanwhile
        link.shutdown(socket.SHUT_RDWR)


def read_bounded(response: HTTPResponse) -> bytes | None:
    content = response.read(MOST_BYTES + 1)
    return content if len(content) <= MOST_BYTES else None


def count_of(usage: Any, name: str) -> int | None:
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if type(value) is int and 0 <= value < 1 << 40 else None


def describe(error: Exception) -> str:
    """A failed request in a few words, without what the other side sent."""
    if isinstance(error, TimeoutError):
        return "the endpoint took too long"
    if isinstance(error, ConnectionRefusedError):
        return "the endpoint refused the connection"
    if isinstance(error, ConnectionError):
        return "the connection broke off"
    if isinstance(error, socket.gaierror):
        return "the address of the endpoint is unknown"
    return f"the request failed ({type(error).__name__})"
