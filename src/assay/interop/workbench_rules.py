"""The rules that a workbench takes: their hooks, what each of them touches, and texts as people type them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from assay.core.axis import COMPONENTS
from assay.envs.atari.rule_records import Rule, Variation
from assay.envs.atari.rule_yaml import BadRules
from assay.errors import AssayError, UnknownName
from assay.positions import tell_in_text
from assay.task_text import suggest

SOURCE = "the rule"  # the name of what is tried in errors
PLACE = re.compile(rf"{SOURCE}(?:, line (\d+), column (\d+))?: ")


class Hook(NamedTuple):
    """When the rules of a hook run, and what they touch by each thing that they do."""

    runs: str
    example: str
    touches: Mapping[str, tuple[str, ...]]  # what a rule does -> the components that it touches


HERE = {
    "start": Hook("once, as an episode begins", "{set: {ram[13]: 5}}", {"set": ("initial",)}),
    "frame": Hook(
        "as an episode begins and after every frame",
        "{when: ram[49] > 80, set: {ram[54]: 100}}",
        # They run at reset too, so the first observation may show what they write.
        {"set": ("initial", "transition")},
    ),
    "step": Hook("after every step of the agent", "{set: {ram[13]: 5}}", {"set": ("transition",)}),
    "before": Hook(
        "before every frame", "{when: frame % 60 == 0, set: {ram[13]: 5}}", {"set": ("transition",)}
    ),
    "event": Hook(
        "after every frame, beside the cells before it",
        "{when: ram[13] != was(ram[13]), pay: 0}",
        {"set": ("transition",), "pay": ("reward",), "owe": ("reward",)},
    ),
    "action": Hook(
        "before every frame, on its action", "{when: action == FIRE, become: NOOP}", {"become": ("action",)}
    ),
    "reward": Hook("after every frame, on what it pays", "{pay: points * 2}", {"pay": ("reward",)}),
}
ELSEWHERE = {
    "hide": "hide needs a chance beside it, such as chance: [1.0], which the workbench cannot say; write "
    "both in a rule file, as docs/atari-rules.md shows.",
    "screen": "screen has boxes, not rules; write it in a rule file, as docs/atari-rules.md shows.",
}


def require_hook(name: str) -> None:
    """Refuses what is no hook, and the hooks that work in rule files alone."""
    if name in ELSEWHERE:
        raise AssayError(ELSEWHERE[name])
    if name not in HERE:
        near = suggest(name, HERE)
        hint = f"did you mean {near}? " if near else ""
        raise UnknownName(
            f"no hook of a rule is called {name!r}; {hint}write one of {', '.join(HERE)}; "
            "`help rule` shows an example of each."
        )


def components_of(variation: Variation) -> list[str]:
    """The components that the rules of a variation touch, in their usual order."""
    touched = {
        component
        for hook, rules in variation.hooks.items()
        for rule in rules
        for act in acts_of(rule)
        for component in HERE[hook].touches[act]
    }
    return [component for component in COMPONENTS if component in touched]


def acts_of(rule: Rule) -> list[str]:
    """What a rule does, by the keys of rule files."""
    acts = {"set": rule.sets, "pay": rule.pays, "owe": rule.owes, "become": rule.becomes}
    return [act for act, done in acts.items() if done]


# Texts


def quote_expressions(typed: str) -> str:
    """A rule as YAML reads it: inside braces, expressions with brackets or commas get quotation marks."""
    text = typed
    for start, end in reversed(find_expressions(typed)):
        text = f'{text[:start]}"{text[start:end]}"{text[end:]}'
    return text


def find_expressions(typed: str) -> list[tuple[int, int]]:
    """Where the expressions begin and end that YAML would tear apart, such as ram[10] or min(a, b)."""
    spans, at, braces = [], 0, 0
    while at < len(typed):
        sign = typed[at]
        if sign in "\"'":
            at = (typed.find(sign, at + 1) + 1) or len(typed)
        elif sign in "{}[] ,:":
            braces += (sign in "{[") - (sign in "}]")
            at += 1
        else:
            end = end_of_expression(typed, at, braces > 0)
            words = typed[at:end].rstrip()
            if braces > 0 and is_torn(words):
                spans.append((at, at + len(words)))
            at = end
    return spans


def end_of_expression(typed: str, start: int, in_braces: bool) -> int:
    """The end of an expression without quotation marks; its own brackets hide commas and colons."""
    brackets = 0
    for at in range(start, len(typed)):
        sign = typed[at]
        if brackets == 0 and (
            (sign == ":" and typed[at + 1 : at + 2] in ("", " ")) or (in_braces and sign in ",}]")
        ):
            return at
        brackets += (sign in "([") - (sign in ")]")
    return len(typed)


def is_torn(words: str) -> bool:
    """Whether YAML would not read the words as one text; those with a mistake are left to its errors."""
    is_closed = words.count("[") == words.count("]") and words.count("(") == words.count(")")
    return (
        is_closed and any(sign in words for sign in "[],") and not any(sign in words for sign in "\"'\\#{}")
    )


def tell_mistake(error: BadRules, file: str, typed: str) -> str:
    """The sentence on a mistake in a file that was made of what is tried, at its place in what was typed."""
    found = PLACE.match(str(error))
    says = str(error)[found.end() :] if found else str(error)
    if not typed or not found or not found[1]:
        return says
    line = f"- {quote_expressions(typed)}"
    lines = file.splitlines()
    row = next((number for number, each in enumerate(lines, start=1) if each.strip() == line), 0)
    if not row:  # a text of several lines
        return says
    written = int(found[2]) - 1 - (len(lines[row - 1]) - len(line) + 2)
    # What is not closed is told from the line after it.
    at = place_in_typed(typed, written) if int(found[1]) == row else len(typed)
    return tell_in_text("rule", typed, at, says)


def place_in_typed(typed: str, written: int) -> int:
    """The place of a character in what was typed, from its place behind the added quotation marks."""
    marks = [each for start, end in find_expressions(typed) for each in (start, end)]
    added = sum(mark + number < written for number, mark in enumerate(marks))
    return max(0, min(written - added, len(typed)))
