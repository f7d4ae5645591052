"""Values in the text form of a task: numbers, words, quoted texts and lists, read and printed."""

import math
import re
from typing import TypeAlias

from assay.errors import BadText

Value: TypeAlias = "int | float | bool | str | tuple[Value, ...]"

# Python neither converts integers of thousands of digits nor recurses without end; we refuse both before.
INT_BOUND = 10**300
DEEPEST_LIST = 16
_TOO_DEEP = f"a list may hold lists to a depth of {DEEPEST_LIST}; write a flatter one."
INT = re.compile(r"-?[0-9]+")
_MANTISSA = r"-?([0-9]+(\.[0-9]*)?|\.[0-9]+)"
FLOAT = re.compile(rf"{_MANTISSA}([eE]-?[0-9]+)?")
_PLUS_EXPONENT = re.compile(rf"{_MANTISSA}[eE](\+[0-9]*)?")
_NOT_FINITE = re.compile(r"-?(nan|inf|infinity)", re.IGNORECASE | re.ASCII)
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_.:/-]*")
_QUOTED = re.compile(r'"([^"\\]|\\["\\n])*"')
_TOKEN = re.compile(r'"([^"\\]|\\.)*"|.', re.DOTALL)  # a quoted text or one character


def parse_value(text: str) -> Value:
    """Read one value: a number, true or false, a word, a "quoted text" or a [list]."""
    return as_plain(read_value(require_text("value", text)))


def print_value(value: Value) -> str:
    """The canonical text of a value."""
    value = as_plain(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        # repr is the shortest that reads back, but writes 1e+16 and 1e-05: a + would cut the task in two.
        return re.sub(r"e\+?(-?)0*", r"e\1", repr(value))
    if isinstance(value, int):
        return str(value)
    if isinstance(value, tuple):
        return "[" + ",".join(map(print_value, value)) + "]"
    if _WORD.fullmatch(value) and value not in ("true", "false") and not _NOT_FINITE.fullmatch(value):
        return value
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def read_value(text: str) -> Value:
    if text in ("true", "false"):
        return text == "true"
    if INT.fullmatch(text):
        return int(text) if len(text) < 400 else INT_BOUND
    if FLOAT.fullmatch(text) or _NOT_FINITE.fullmatch(text):
        return float(text)
    if _PLUS_EXPONENT.fullmatch(text):
        raise BadText(
            f"{text!r} is no number, because + begins the next variation; write 1e3 in place of 1e+3."
        )
    if _WORD.fullmatch(text):
        return text
    if _QUOTED.fullmatch(text):
        return re.sub(r"\\(.)", lambda escape: "\n" if escape[1] == "n" else escape[1], text[1:-1])
    if text.startswith('"'):
        raise BadText(
            rf'{text!r} is no quoted text; inside the quotes write \" for ", \\ for \ and \n for a new line.'
        )
    if text.startswith("[") and text.endswith("]"):
        items = [item.strip(" ") for item in cut(text[1:-1], ",")]
        return () if items == [""] else tuple(map(read_value, items))
    raise BadText(f'{text!r} is no value; write a number, true, false, a word, a "quoted text" or a [list].')


def as_plain(value: object, depth: int = 0) -> Value:
    """The value in plain types, lists as tuples; refuses anything that the text cannot hold."""
    if isinstance(value, list | tuple):
        if depth == DEEPEST_LIST:
            raise BadText(_TOO_DEEP)
        return tuple(as_plain(item, depth + 1) for item in value)
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        if abs(value) >= INT_BOUND:
            raise BadText(
                "an integer may have at most 300 digits; write a shorter one, or a float such as 1e300."
            )
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise BadText(
                f"a number must be finite, not {float(value)}; if a text is meant, put it in double quotes."
            )
        return float(value) + 0.0  # -0.0 is 0.0: one task has one text
    if isinstance(value, str):
        if any("\ud800" <= character <= "\udfff" for character in value):
            raise BadText(f"{value!r} holds half a character (a lone surrogate), which no file can store.")
        return str.__str__(value)
    raise BadText(
        f"{value!r} is no value of a task; give an int, a float, a bool, a text or a list of these."
    )


def cut(text: str, mark: str) -> list[str]:
    """The pieces of a text between those marks that are outside quotes and brackets."""
    pieces, start, depth = [], 0, 0
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign == '"':
            raise BadText(f'a quote opens in {text[token.start() :]!r} and does not close; end it with ".')
        depth += (sign == "[") - (sign == "]")
        if depth < 0:
            raise BadText(f"the last ] of {text[: token.end()]!r} closes nothing; write a list as [1,2].")
        if depth > DEEPEST_LIST:
            raise BadText(f"the last [ of {text[: token.end()]!r} is one too many: {_TOO_DEEP}")
        if sign == mark and not depth:
            pieces.append(text[start : token.start()])
            start = token.end()
    if depth:
        raise BadText(f"a [ in {text!r} is not closed; write a list as [1,2].")
    return [*pieces, text[start:]]


def require_text(what: str, text: object) -> str:
    if not isinstance(text, str):
        raise BadText(f"a {what} is read from a text, not from {text!r}.")
    return text
