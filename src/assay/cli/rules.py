"""`assay rules`: commands about rule files. Each is a file beside this one and a line in COMMANDS.

A command's file, `rules_lint.py`, has `run` and EXAMPLES as all others do.
"""

from __future__ import annotations

import typer

from assay.cli import (
    rules_board,
    rules_commit,
    rules_difficulty,
    rules_lint,
    rules_references,
    rules_serve,
    rules_submit,
)
from assay.cli.main import SETTINGS, Command

COMMANDS = {
    "lint": rules_lint,
    "serve": rules_serve,
    "references": rules_references,
    "difficulty": rules_difficulty,
    "submit": rules_submit,
    "board": rules_board,
    "commit": rules_commit,
}
CLASSES = {"serve": rules_serve.WordsAsTheyAre}  # of commands that read their words in a way of their own
EXAMPLES = tuple(example for module in COMMANDS.values() for example in module.EXAMPLES)

app = typer.Typer(add_completion=False, no_args_is_help=True, **SETTINGS)


@app.callback(epilog="\n\n".join(["Examples", *EXAMPLES]))
def rules() -> None:
    """Look through rules of hidden-rule games, say how hard they are, and serve such games to programs."""


for name, module in COMMANDS.items():
    epilog = "\n\n".join(["Examples", *module.EXAMPLES])
    app.command(name, cls=CLASSES.get(name, Command), epilog=epilog)(module.run)
