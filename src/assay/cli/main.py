"""The command `assay`: a table of commands, each loaded when it is called. No jax here, nor anything slow.

A new command is a file beside this one, with `run` and `EXAMPLES`, and a line in COMMANDS. A family may bring
a command of its own: ours stand in `envs/commands.py`, those of other packages in their families' records.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from assay import __version__
from assay.cli.output import INTERRUPTED
from assay.envs.commands import COMMANDS as OF_FAMILIES
from assay.errors import AssayError

COMMANDS = {
    "list": "List envs and their axes, variations, suites and agents.",
    "show": "Show one task and a few steps of it, plain beside varied.",
    "check": "Prove that variations change what they declare and nothing else.",
    "train": "Train an agent on a task, seed by seed, and say how well it does there.",
    "unit-test": "Train an agent on tiny tasks, and say which part of it is likely broken.",
    "run": "Run a suite: train on one task of each pair, evaluate on both.",
    "examine": "Try every axis of a task on an agent, and say which of them break it.",
    "sweep": "Try an agent over the levels of one axis or a few.",
    "resume": "Finish a run that was stopped or killed.",
    "report": "Say what a run found, and write its report again.",
    "compare": "Say where two exams of one task differ, beyond what chance explains.",
    "verify": "Check that a run's records are unaltered, and do some of its jobs again.",
    "shift": "Say how far an agent's choices move when the same states look otherwise.",
    "drift": "Say what a change of the world costs an agent, and whether it recovers.",
    "power": "Say how many seeds an exam needs to see a difference of a given size.",
    "play": "Play a task yourself, in the terminal.",
    "bench": "Measure steps per second and seconds of training on this machine.",
    **{command.name: command.says for command in OF_FAMILIES},
}
# Words that the parser refuses; the class is click's, or typer's copy of it.
UsageError: Any = typer.BadParameter.__bases__[0]
CLOSED = 141  # what a shell reports of a command that wrote to a closed pipe
SETTINGS: dict[str, Any] = {"context_settings": {"help_option_names": ["-h", "--help"]}}


class Command(TyperCommand):
    """Refuses an option given twice where one alone would be taken."""

    def parse_args(self, context: Any, arguments: list[str]) -> list[str]:
        *_, order = self.make_parser(context).parse_args(args=list(arguments))
        for parameter in order:
            single = parameter.param_type_name == "option" and not parameter.multiple
            if single and order.count(parameter) > 1:
                raise AssayError(f"{parameter.opts[0]} is given twice and takes one value; drop one of them.")
        return super().parse_args(context, arguments)


class Commands(TyperGroup):
    """Knows its commands by name and summary alone, so that `assay --help` loads none of them."""

    def __init__(self, **settings: Any):
        super().__init__(**settings)
        self.commands = {name: TyperCommand(name, help=says) for name, says in COMMANDS.items()}

    def parse_args(self, context: Any, arguments: list[str]) -> list[str]:
        try:
            return super().parse_args(context, arguments)
        except UsageError as error:
            raise refuse_words(error) from None

    def get_command(self, context: Any, name: str) -> Any:
        return super().get_command(context, name) or (
            load_command(name) if name in outside_commands() else None
        )

    def resolve_command(self, context: Any, arguments: list[str]) -> tuple:
        name, _, rest = super().resolve_command(context, arguments)
        return name, load_command(name or ""), rest

    def invoke(self, context: Any) -> Any:
        try:
            return super().invoke(context)
        except AssayError as error:
            print(f"assay: {error}", file=sys.stderr)
            raise typer.Exit(2) from None
        except UsageError as error:
            raise refuse_words(error) from None
        except BrokenPipeError:  # the reader, such as head, has closed the pipe
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(CLOSED) from None
        except OSError as error:  # a full disk, a folder that may not be written
            where = f"{error.filename} " if error.filename else "a file "
            print(f"assay: {where}cannot be read or written: {error.strerror or error}.", file=sys.stderr)
            raise typer.Exit(2) from None
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPTED) from None


def refuse_words(error: Any) -> BaseException:
    """Says in one sentence which words of a command cannot be used; `assay` alone still shows its help."""
    if type(error).__name__ == "NoArgsIsHelpError":
        return error
    said = " ".join(error.format_message().split()).rstrip(".")
    command = " ".join(["assay", *(error.ctx.command_path.split()[1:] if error.ctx else [])])
    print(f"assay: {said[:1].lower()}{said[1:]}; `{command} --help` shows what it takes.", file=sys.stderr)
    return typer.Exit(2)


def load_command(name: str) -> Any:
    """The command in the file of that name, or that of a family."""
    named = {command.name: command.code for command in OF_FAMILIES}
    code = named.get(name) or (
        f"assay.cli.{file_of(name)}:run" if name in COMMANDS else outside_commands()[name]
    )
    path, _, function = code.partition(":")
    module = import_module(path)
    if isinstance(module.__dict__[function], typer.Typer):  # several commands under one word
        return typer.main.get_command(module.__dict__[function])
    alone = typer.Typer(add_completion=False, **SETTINGS)
    examples = "\n\n".join(["Examples", *module.EXAMPLES])
    alone.command(name, cls=Command, epilog=examples)(getattr(module, function))
    return typer.main.get_command(alone)


def file_of(name: str) -> str:
    """The file of a command, whose name may have a dash."""
    return name.replace("-", "_")


def outside_commands() -> dict[str, str]:
    """The commands that families of other packages bring; the catalogue is loaded to find them."""
    from assay.catalogue import entries

    commands = [family.command for family in entries().families if family.command]
    return {command.name: command.code for command in commands if command.name not in COMMANDS}


app = typer.Typer(
    cls=Commands, add_completion=False, pretty_exceptions_enable=False, no_args_is_help=True, **SETTINGS
)


def print_version(wanted: bool) -> None:
    if wanted:
        print(f"assay {__version__}")
        raise typer.Exit


@app.callback(epilog="`assay COMMAND --help` shows the options of a command, with examples to paste.")
def assay(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=print_version, is_eager=True)
    ] = False,
) -> None:
    """The exam for reinforcement-learning agents: change one known thing at a time, and see what breaks."""


def main() -> None:
    """Where the command begins."""
    # As with `python -m`: a variation of one's own, `mine:blink`, is found in the current directory.
    sys.path.insert(0, os.getcwd())
    try:
        app()
    except SystemExit as done:
        if done.code == INTERRUPTED and "jax" in sys.modules:
            sys.stdout.flush()
            os._exit(INTERRUPTED)  # a compiled program may still run, and would crash as Python is taken down
        raise
    except KeyboardInterrupt:  # while something is still being loaded
        os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
