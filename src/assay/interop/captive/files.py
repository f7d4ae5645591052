"""The files that a game names: where they are looked for and how they are read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from assay.envs.rules.trial_lists import expand_names
from assay.errors import AssayError

LARGEST_FILE = 4_000_000  # bytes; rule files, boards and lists are far smaller


@dataclass(frozen=True)
class Files:
    """A file is looked for as it is named, then in the input folder, then in the input folder's own folders.

    Clients of a socket reach no file outside of `within`.
    """

    input_dir: Path = Path()
    within: Path | None = None

    def find(self, name: str, folder: str = "", suffix: str = "") -> Path | None:
        """The first file of that name, also with the suffix added; None where there is none."""
        return next((path for path in self._candidates(name, folder, suffix) if _is_file(path)), None)

    def read(self, name: str, what: str, folder: str = "", suffix: str = "") -> str:
        """The text of a file."""
        path = self.find(name, folder, suffix)
        if path is None:
            raise AssayError(f"there is no {what} {name!r:.200}; name a file that is there.")
        return read_text(path)

    def find_folder(self, name: str, folder: str = "") -> Path | None:
        paths = self._candidates(name, folder, "")
        return next((path for path in paths if path.is_dir()), None)

    def place_to_write(self, name: str) -> Path:
        """The path of a file that is to be written."""
        path = Path(name) if self.within is None else self.within / name
        if self.within is not None and not _is_inside(path, self.within):
            raise AssayError(f"{name!r:.200} is outside of the server's folder; name a file inside it.")
        return path

    def expand(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Names of shapes or colours, each `folder/*` replaced by the files of a folder."""
        for name in names:
            folder = self.input_dir / name.removesuffix("*")
            if self.within and name.endswith("/*") and not _is_inside(folder, self.within):
                raise AssayError(f"{name!r:.200} is outside of the server's folder; name a folder inside it.")
        return expand_names(names, self.input_dir)

    def tell_inside(self, says: str) -> str:
        """A sentence for a client, whose paths begin where the client's do: in the server's own folder."""
        if self.within is None or self.within == Path(self.within.anchor):
            return says
        return says.replace(f"{self.within}{os.sep}", "").replace(str(self.within), ".")

    def _candidates(self, name: str, folder: str, suffix: str) -> Iterator[Path]:
        if "\x00" in name or not name:
            return
        places = (Path(), self.input_dir, self.input_dir / folder)
        for place in places if self.within is None else places[1:]:
            for path in (place / name, place / f"{name}{suffix}"):
                if self.within is None or _is_inside(path, self.within):
                    yield path


def _is_inside(path: Path, folder: Path) -> bool:
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):  # links in a circle, a name with a zero byte
        return False


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()  # no device and no pipe: reading one of those might never end
    except OSError:  # a name that is too long, a folder that may not be searched
        return False


def read_text(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise AssayError(f"{path} has more than {LARGEST_FILE} bytes; that is no file of the game.")
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise AssayError(f"{path} is no text in UTF-8; save it as one.") from None
    except OSError as error:
        raise AssayError(f"{path} cannot be read: {error.strerror or error}.") from None
