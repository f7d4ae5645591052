"""Groups of options that several commands share: a record of options stands for its fields."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, get_type_hints


def with_option_groups(command: Callable[..., None]) -> Callable[..., None]:
    """The command as typer is to see it: each parameter that is a record is replaced by the record's fields.

    When the command is called, it is handed the records, filled with what was typed.
    """
    hints = get_type_hints(command, include_extras=True)
    own = signature(command).parameters
    records = {name: hints[name] for name in own if is_dataclass(hints[name])}

    @wraps(command)
    def run(**values: Any) -> None:
        for name, record in records.items():
            values[name] = record(**{field.name: values.pop(field.name) for field in fields(record)})
        command(**values)

    parameters: list[Parameter] = []
    for name, parameter in own.items():
        shown = parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=hints[name])
        parameters += options_of(records[name]) if name in records else [shown]
    # typer reads both of these to know a command's options.
    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]  # functions may have one
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


def options_of(record: Any) -> list[Parameter]:
    """The fields of a record as parameters of a command."""
    hints = get_type_hints(record, include_extras=True)
    return [
        Parameter(field.name, Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name])
        for field in fields(record)
    ]
