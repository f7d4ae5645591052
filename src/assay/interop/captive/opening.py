"""From arguments to a session."""

from __future__ import annotations

from pathlib import Path

from assay.errors import AssayError
from assay.interop.captive.arguments import Arguments, Output
from assay.interop.captive.files import Files
from assay.interop.captive.results import Results
from assay.interop.captive.session import Session
from assay.interop.captive.setup import set_up


def open_session(arguments: Arguments, files: Files, output: Output) -> Session:
    """The session that a command line asks for; `output` where it does not say how much replies tell."""
    options = arguments.options
    setup = set_up(arguments, files)
    results = Results(options.log, files, setup.rule_name, setup.list_name) if options.log.path else None
    return Session(setup, options.output or output, hides_buckets=options.hides_buckets, results=results)


def find_files(arguments: Arguments) -> Files:
    return Files(find_input_dir(arguments))


def find_input_dir(arguments: Arguments) -> Path:
    """The folder in which files are looked for; the current one where none is named."""
    folder = Path(arguments.options.input_dir or "")
    if not folder.is_dir():
        raise AssayError(f"inputDir is {str(folder)!r:.200}, which is no folder; name one that is there.")
    return folder
