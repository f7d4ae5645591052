"""Rule texts as tokens: lines, comments, and the few kinds of words and signs that a line holds."""

from __future__ import annotations

import re
from typing import NamedTuple

from assay.envs.rules.language.errors import RuleError
from assay.envs.rules.language.syntax import Place
from assay.positions import WIDEST

LONGEST = 1_000_000  # characters of a rule text
LARGEST = 2**31 - 1  # of a number, as in the published game
INT, NAME, TEXT, SIGN, END = "int", "name", "text", "sign", "end"
TOKEN = re.compile(
    r'(?P<int>[0-9]+)|(?P<name>(?:[^\W\d]|\$)(?:[^\W]|\$)*)|"(?P<text>[^"]*)"'
    r"|(?P<sign>\.\.|==|!=|<=|>=|[()\[\],:.+\-*/%!=<>])"
)
SPACE = re.compile(r"\s*")


class Token(NamedTuple):
    kind: str
    text: str  # of a text: what stands between the quotes
    at: Place


class SourceLine(NamedTuple):
    """A meaningful line as tokens, the last of which is the end of the line."""

    tokens: tuple[Token, ...]


class Source(NamedTuple):
    """A rule text as its meaningful lines and the comments before the first of them."""

    lines: tuple[SourceLine, ...]
    comments: tuple[str, ...]
    last_line: int


def split_text(text: str, source: str) -> Source:
    if len(text) > LONGEST:
        says = f"the text has {len(text)} characters, and a rule has at most {LONGEST}"
        raise RuleError(says, Place(1, 1), source)
    lines: list[SourceLine] = []
    comments: list[str] = []
    number = 0
    for number, line in enumerate(text.split("\n"), start=1):
        tokens, comment = split_line(line, number, source)
        if len(tokens) > 1:
            lines.append(SourceLine(tokens))
        elif comment is not None and not lines:
            comments.append(comment)
    return Source(tuple(lines), tuple(comments), number)


def split_line(line: str, number: int, source: str) -> tuple[tuple[Token, ...], str | None]:
    """The tokens of a line, and its comment without `#`, where it has one."""
    if len(line) >= WIDEST:
        says = f"the line has {len(line)} characters, and a line has fewer than {WIDEST}"
        raise RuleError(says, Place(number, 1), source)
    tokens: list[Token] = []
    position = _skip_space(line, 0)
    while position < len(line) and line[position] != "#":
        match = TOKEN.match(line, position)
        at = Place(number, position + 1)
        if not match:
            raise RuleError(_refuse_character(line[position]), at, source)
        kind = str(match.lastgroup)
        tokens.append(Token(kind, match[kind], at))
        position = _skip_space(line, match.end())
    comment = line[position + 1 :].strip() if position < len(line) else None
    return (*tokens, Token(END, "", Place(number, len(line.rstrip()) + 1))), comment


def _skip_space(line: str, position: int) -> int:
    match = SPACE.match(line, position)
    return match.end() if match else position


def _refuse_character(character: str) -> str:
    if character == '"':
        return "a text in double quotes is not closed; close it on the same line"
    return f"{character!r} cannot stand in a rule"


def is_name(text: str) -> bool:
    match = TOKEN.fullmatch(text)
    return match is not None and match.lastgroup == NAME


def raise_case(name: str) -> str:
    """Upper case, letter by letter: a letter without a single capital is kept, so that a name stays one."""
    if name.isascii():
        return name.upper()
    return "".join(each.upper() if len(each.upper()) == 1 else each for each in name)


def tell_token(token: Token) -> str:
    if token.kind == END:
        return "the end of the line"
    return f'"{token.text}"' if token.kind == TEXT else f"`{token.text}`"
