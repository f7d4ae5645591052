"""`assay rules commit`: a digest of a rule that is told later."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli.output import INDENT, print_json

EXAMPLES = (
    "assay rules commit clockwise",
    "assay rules commit clockwise --reveal secret.rule.json --json",
)


def run(
    file: Annotated[str, typer.Argument(help="A rule file, or the name of a benchmark rule.")],
    salt: Annotated[str, typer.Option(help="64 hexadecimal digits.", show_default="32 random bytes")] = "",
    digest: Annotated[
        str, typer.Option(help="Check text and salt against this digest.", show_default=False)
    ] = "",
    reveal: Annotated[
        Path | None,
        typer.Option(help="A new file for digest, salt and text, to be shown later.", show_default="none"),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print a salted digest of a rule, to be published now; text and salt later prove which rule it was."""
    from assay.cli.rules_lint import find_text
    from assay.envs.rules.contest.commitment import Revealed, check_revealed, commit, write_revealed
    from assay.errors import AssayError

    text, name = find_text(file), Path(file).stem
    if digest and not salt:
        raise AssayError("a digest is checked with its salt; give --salt too.")
    made = check_revealed(Revealed(name, digest, salt, text)) if digest else commit(name, text, salt)
    if reveal is not None:
        if not reveal.parent.is_dir():
            raise AssayError(f"there is no folder {reveal.parent} for {reveal.name}; make it first.")
        write_revealed(reveal, made)
    if json:
        checked = {"agrees": True} if digest else {}  # else it would have been refused
        return print_json({"digest": made.digest, "salt": made.salt, **checked})
    print(f"{INDENT}digest  {made.digest}" + ("  (text and salt agree with it)" if digest else ""))
    print(f"{INDENT}salt    {made.salt}" + ("" if digest else "  (keep it secret until the rule is told)"))
