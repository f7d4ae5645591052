"""The file of a language model that plays: where it answers, how it is asked, and what it costs.

The file never holds a key. It names the environment variable that does, so that the file can be shared.
"""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

import yaml

from assay.errors import AssayError, UnknownName
from assay.strict_json import WrongDocument, from_json

SECRETS = ("key", "api_key", "token", "secret", "password")
LOCAL = ("localhost", "127.0.0.1", "::1")
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
KEY = re.compile(r"[!-~]+")  # what a header can hold


@dataclass(frozen=True)
class Player:
    """A language model behind an endpoint, as its file describes it."""

    endpoint: str  # such as https://host/v1; /chat/completions is added
    model: str
    key_variable: str = ""  # the environment variable that holds the key; "" where none is needed
    temperature: float = 0.0
    max_tokens: int = 256  # of an answer
    timeout: float = 60.0  # seconds of one request, from its first byte to its last
    retries: int = 3  # of a request that fails
    backoff: float = 1.0  # seconds before the first retry, doubled before each further one
    asks: int = 3  # how often a move is asked for, where answers name no action
    most_failures: int = 10  # moves in a row that the endpoint may fail before the job does
    prompt_price: float = 0.0  # of a token
    answer_price: float = 0.0  # of a token
    system: str = ""  # said before the explanation of the game
    history: int = 20  # earlier moves of the episode that are repeated to it
    memory: int = 10  # earlier episodes of a series that it is told of; 0: each episode begins anew
    memory_characters: int = 20_000  # of these at most; what does not fit is told by a line, or left out

    @property
    def url(self) -> SplitResult:
        return urlsplit(f"{self.endpoint.rstrip('/')}/chat/completions")


def read_player(name: str, path: Path) -> Player:
    """The player that a file describes; `name` is the agent's, for errors."""
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UnknownName(f"{name}: there is no file {path}; give the path from here.") from None
    except (OSError, UnicodeDecodeError):
        raise AssayError(f"{name}: {path} cannot be read as text; give a YAML file.") from None
    except (yaml.YAMLError, RecursionError, ValueError):
        # The error of the parser quotes the file, which may hold a key that does not belong there.
        raise AssayError(
            f"{name}: {path} is no YAML; write endpoint: and model: on lines of their own."
        ) from None
    if not isinstance(document, dict):
        what = "is empty" if document is None else "is no list of fields"
        raise AssayError(f"{name}: {path} {what}; write endpoint: and model: on lines of their own.")
    held = [each for each in SECRETS if each in document]
    if held:
        raise AssayError(
            f"{name}: {path} holds {held[0]}, and files are copied and recorded; put it into an environment "
            "variable and name that as key_variable."
        )
    try:
        player = from_json(Player, document, str(path))
    except WrongDocument as error:
        raise AssayError(f"{name}: {str(error).rstrip('.')}; docs/how-to.md lists the fields.") from None
    require_sound(name, player)
    return player


def require_sound(name: str, player: Player) -> None:
    """Refuses values that cannot be honoured."""
    at_least = {"temperature": 0, "max_tokens": 1, "retries": 0, "backoff": 0, "asks": 1, "most_failures": 1,
                "prompt_price": 0, "answer_price": 0, "history": 0, "memory": 0,
                "memory_characters": 0}  # fmt: skip
    for field, least in at_least.items():
        value = getattr(player, field)
        if not (math.isfinite(value) and value >= least):
            raise AssayError(f"{name}: {field} is a number from {least} on, not {value}.")
    if not 0 < player.timeout <= 3600:
        raise AssayError(f"{name}: timeout is a number of seconds up to 3600, not {player.timeout}.")
    if player.key_variable and not VARIABLE.fullmatch(player.key_variable):
        raise AssayError(f"{name}: key_variable names an environment variable, such as PLAYER_KEY; mend it.")
    require_endpoint(name, player)


def require_endpoint(name: str, player: Player) -> None:
    try:
        url, port_is_sound = player.url, player.url.port != 0
    except ValueError:
        url, port_is_sound = urlsplit(""), False
    parts = (url.scheme in ("http", "https"), url.hostname, port_is_sound, player.endpoint.isascii(),
             not re.search(r"[\s@?#]", player.endpoint))  # fmt: skip
    if not all(parts):
        # The address is not quoted: it may hold a name and a password.
        raise AssayError(
            f"{name}: endpoint is an address such as https://host/v1, without user or query; mend it."
        )
    if player.key_variable and url.scheme == "http" and url.hostname not in LOCAL:
        raise AssayError(f"{name}: the key would go to {url.hostname} unencrypted; give an https endpoint.")


def key_of(name: str, player: Player) -> str:
    """The key from its environment variable, or "" where none is needed."""
    if not player.key_variable:
        return ""
    key = os.environ.get(player.key_variable, "").strip()
    if not key:
        raise AssayError(f"{name} needs its key in the environment variable {player.key_variable}; set it.")
    if not KEY.fullmatch(key):
        raise AssayError(
            f"{name}: the key in {player.key_variable} has characters no header takes; set it anew."
        )
    return key
