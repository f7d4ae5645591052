"""`assay rules serve`: the captive game server, on standard input and output or on a port."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from assay.cli.main import Command

EXAMPLES = (
    "assay rules serve shape_match 9 4 4 output=STANDARD seed=7",
    "assay rules serve clockwise 9 4 4 log=results.csv log.nickname=me log.run=0",
    "assay rules serve --port 7501",
)
HELPS = ("-h", "--help")
ARGS = (
    "rule.txt board.json | rule.txt NP [NS NC] | list.csv ROW | R:rule:modifier, with options key=value: "
    "output, seed, colors, shapes, crowded, condTrain, condTest, inputDir, buckets, strict, log, logappend, "
    "log.nickname, log.run, log.format, detailedTranscript. "
    "Or --port N [--host H] [--clients N] for a socket server."
)


class WordsAsTheyAre(Command):
    """Hands every word to the server: -Doutput=BRIEF and the like are no options of ours."""

    def parse_args(self, context: Any, arguments: list[str]) -> list[str]:
        asks_for_help = any(word in HELPS for word in arguments)
        return super().parse_args(context, ["--help"] if asks_for_help else ["--", *arguments])


def run(words: Annotated[list[str] | None, typer.Argument(metavar="ARGS", help=ARGS)] = None) -> None:
    """Serve a hidden-rule game in the protocol of the published captive server (docs/rules-protocol.md).

    The exit status is 0 after EXIT or the end of input, and 1 where no game can be served.
    """
    from assay.interop.captive.main import serve

    raise typer.Exit(serve(words or []))
