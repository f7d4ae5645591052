"""The options of who does the jobs of a run, shared by the commands that have some."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from inspect import Parameter, Signature, signature
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from assay.runs.executor import Executor

Workers = Annotated[int, typer.Option(help="Processes at work.", show_default="one per core", min=0)]
Ray = Annotated[
    str, typer.Option(help="Let Ray do the jobs: local, or HOST:PORT of a cluster.", show_default="no")
]
Lanes = Annotated[
    int | None,
    typer.Option(help="Agents that one program trains.", show_default="10 on a CPU, 100 on a GPU", min=1),
]
JobTimeout = Annotated[
    float | None, typer.Option(help="Seconds after which a job is ended.", show_default="none")
]
Parts = Annotated[
    str,
    typer.Option(help="URL of a folder that Ray's workers write weights to.", show_default="the run's own"),
]


OPTIONS = {
    "workers": (Workers, 0),
    "ray": (Ray, ""),
    "lanes": (Lanes, None),
    "job_timeout": (JobTimeout, None),
    "parts": (Parts, ""),
}
Chosen = Any  # a function without arguments that gives the executor, once it is known that there is work


def with_executor(command: Callable[..., None]) -> Callable[..., None]:
    """A command with these options; it is given what they choose as `executor`, a function to call."""

    @wraps(command)
    def run(**given: Any) -> None:
        chosen = {name: given.pop(name) for name in OPTIONS}
        command(**given, executor=partial(executor_of, **chosen))

    own = signature(command, eval_str=True).parameters
    more = [Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=about)
            for name, (about, default) in OPTIONS.items()]  # fmt: skip
    shown = [each.replace(kind=Parameter.KEYWORD_ONLY) for name, each in own.items() if name != "executor"]
    place = list(own).index("executor")
    parameters = [*shown[:place], *more, *shown[place:]]  # typer reads both of these to know its options
    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]  # functions may have one
    run.__annotations__ = {each.name: each.annotation for each in (*shown, *more)}
    return run


def executor_of(**chosen: Any) -> Executor:
    from assay.runs.choose_executor import executor_of

    return executor_of(**chosen)
