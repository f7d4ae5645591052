"""Where the server begins: `assay-captive ARGS`, and `assay rules serve ARGS`."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence

from assay.errors import AssayError
from assay.interop.captive.arguments import Output, read_arguments
from assay.interop.captive.opening import find_files, open_session
from assay.interop.captive.pipe import serve_pipe

FAILED = 1  # the exit status of the published server for everything that stops it


def main() -> None:
    """The command `assay-captive`."""
    sys.exit(serve(sys.argv[1:]))


def serve(words: Sequence[str]) -> int:
    """Serves one session on standard input and output, or many on a port; the exit status."""
    try:
        arguments = read_arguments(words)
        if arguments.listening.port is not None:
            from assay.interop.captive.sockets import serve_sockets

            return serve_sockets(arguments)
        session = open_session(arguments, find_files(arguments), Output.FULL)
        gc.freeze()  # what is loaded stays, and a move leaves no cycles: collections have little to find
        gc.set_threshold(50_000)
        return serve_pipe(session)
    except AssayError as error:
        print(f"assay: {' '.join(str(error).split())}", file=sys.stderr)
    except OSError as error:
        print(f"assay: {error.filename or 'a file'}: {error.strerror or error}.", file=sys.stderr)
    return FAILED
