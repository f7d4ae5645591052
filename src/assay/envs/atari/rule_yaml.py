"""Reads the YAML nodes of a rule file; what is wrong with one is told with its line and column."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NoReturn, TypeVar

import yaml

from assay.errors import AssayError
from assay.positions import place, tell_in_file

Part = TypeVar("Part")
Default = TypeVar("Default")


class BadRules(AssayError):
    """A rule file that cannot be used; the sentence names its line and column."""


def position_of(node: Any) -> int:
    """The line and the column where a node's text begins, in one number."""
    quoted = getattr(node, "style", None) in ("'", '"')
    return place(node.start_mark.line, node.start_mark.column + quoted)


class YamlReader:
    """A YAML text as nodes; every `read_` method takes a node and reads one kind of thing from it."""

    def __init__(self, text: str, source: str):
        self.source = source
        try:
            loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
            self.root = yaml.compose(text, Loader=loader)
        except (yaml.YAMLError, UnicodeEncodeError, RecursionError) as error:
            mark = getattr(error, "problem_mark", None)
            problem = getattr(error, "problem", None) or getattr(error, "reason", None) or error
            words = " ".join(str(problem).split())
            if mark:
                raise BadRules(tell_in_file(source, place(mark.line, mark.column), words)) from None
            raise BadRules(f"{source}: {words}.") from None

    def refuse(self, node: Any, sentence: str) -> NoReturn:
        self.refuse_at(position_of(node), sentence)

    def refuse_at(self, at: int, sentence: str) -> NoReturn:
        raise BadRules(tell_in_file(self.source, at, sentence)) from None

    def read_mapping(self, node: Any, known: set[str], needs: tuple[str, ...] = ()) -> dict[str, Any]:
        parts: dict[str, Any] = {}
        for key, value in self.read_pairs(node):
            if not isinstance(key, yaml.ScalarNode):
                self.refuse(key, "a key must be a word")
            if key.value not in known:
                self.refuse(key, f"{key.value!r} is not a key here; the keys are {', '.join(sorted(known))}")
            if key.value in parts:
                self.refuse(key, f"the key {key.value!r} appears twice")
            parts[key.value] = value
        for key in needs:
            if key not in parts:
                self.refuse(node, f"the key {key} is missing")
        return parts

    def read_optional(
        self, parts: dict[str, Any], key: str, read: Callable[[Any], Part], default: Default
    ) -> Part | Default:
        """The part under a key as `read` reads it, or the default where the key is left out."""
        return read(parts[key]) if key in parts else default

    def require_scalar(self, node: Any, sentence: str) -> Any:
        if not isinstance(node, yaml.ScalarNode):
            self.refuse(node, sentence)
        return node

    def read_pairs(self, node: Any) -> Iterator[tuple[Any, Any]]:
        if not isinstance(node, yaml.MappingNode):
            self.refuse(node, "expected keys with values here")
        return iter(node.value)

    def read_sequence(self, node: Any) -> list[Any]:
        return node.value if isinstance(node, yaml.SequenceNode) else [node]

    def read_number(self, node: Any) -> int | float:
        """A number in Python's notation; YAML also accepts 07, 1:30 and .inf, which mislead."""
        try:
            number = int(node.value, 0) if node.tag.endswith(":int") else float(node.value)
        except ValueError:
            number = math.inf
        if not math.isfinite(number):
            self.refuse(node, f"{node.value} is not a plain number; write it in digits, such as 7 or 0.5")
        return number

    def read_table(self, node: Any) -> dict[Any, Any]:
        """Keys and values that are single values."""
        return {self.read_scalar(key): self.read_scalar(value) for key, value in self.read_pairs(node)}

    def read_scalars(self, node: Any) -> tuple[Any, ...]:
        return tuple(self.read_scalar(each) for each in self.read_sequence(node))

    def read_text(self, node: Any) -> str:
        return str(self.read_scalar(node))

    def read_flag(self, node: Any) -> bool:
        return bool(self.read_scalar(node))

    def read_scalar(self, node: Any) -> Any:
        if not isinstance(node, yaml.ScalarNode):
            self.refuse(node, "expected one value here")
        if node.tag.endswith((":int", ":float")):
            return self.read_number(node)
        if node.tag.endswith(":bool"):
            return node.value.lower() in ("true", "yes", "on")
        return node.value
