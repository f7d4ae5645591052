"""A training on its way, as one file: what it is of, and the arrays to go on from.

What it is of (the task, the settings, the seed, versions) is stored beside the arrays and compared when the
file is read: a training never goes on from another one's state.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import jax
import numpy as np

from assay.errors import AssayError

ABOUT, DIGEST = "about", "digest"
STATE = "state.npz"
SAVE_EVERY_S = 30.0  # a state of a picture agent has 70 MB, and a shorter training is not worth one


@dataclass(frozen=True)
class Store:
    """The files of one training, and what they are of."""

    folder: Path
    about: Mapping[str, Any]

    def save(self, name: str, tree: Any) -> None:
        save_checkpoint(self.folder / name, self._about(name), tree)

    def load(self, name: str, shapes: Any) -> Any:
        """What was saved by this name; refused where it is of another training, or was saved by another."""
        return load_checkpoint(self.folder / name, self._about(name), shapes)

    def _about(self, name: str) -> dict[str, Any]:
        # The params of all reports look alike: a copy of one under another's name would not be noticed.
        return {**self.about, "file": name}

    @property
    def has_state(self) -> bool:
        return (self.folder / STATE).exists()


def params_file(number: int) -> str:
    """The name of the params of a report."""
    return f"params-{number}.npz"


def save_checkpoint(path: Path, about: Mapping[str, Any], state: Any) -> None:
    """Written aside and renamed, so that a kill leaves the last one whole."""
    arrays: dict[str, Any] = {name: as_array(leaf) for name, leaf in named_leaves(state)}
    arrays[ABOUT] = np.array(json.dumps(about, sort_keys=True))
    arrays[DIGEST] = np.array(digest_of(arrays))
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(path.name + ".part")
    with open(aside, "wb") as file:
        np.savez(file, **arrays)
        file.flush()
        os.fsync(file.fileno())
    aside.rename(path)


def load_checkpoint(path: Path, about: Mapping[str, Any], shapes: Any) -> Any:
    """The state, in the structure of `shapes`; refused where the file is of something else."""
    try:
        with np.load(path) as file:
            arrays = {name: file[name] for name in file.files}
        digest = str(arrays.pop(DIGEST))
        whole = digest == digest_of(arrays)
        stored = json.loads(str(arrays.pop(ABOUT)))
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise AssayError(
            f"{path} is not a checkpoint that can be read ({error}); delete it, and the training begins anew."
        ) from None
    require_same(path, stored, json.loads(json.dumps(about)))
    if not whole:
        raise AssayError(f"{path} was changed after it was written; delete it, and the training begins anew.")
    names = [name for name, _ in named_leaves(shapes)]
    wanted = {name: (as_shape(leaf).shape, as_shape(leaf).dtype) for name, leaf in named_leaves(shapes)}
    for name in sorted(set(wanted) | set(arrays)):
        held = (arrays[name].shape, arrays[name].dtype) if name in arrays else "nothing"
        if held != wanted.get(name, "nothing"):
            raise AssayError(
                f"{path} has {describe(held)} as {name} where this training has "
                f"{describe(wanted.get(name, 'nothing'))}; delete it, and the training begins anew."
            )
    leaves = [as_leaf(arrays[name], like) for name, like in zip(names, jax.tree.leaves(shapes), strict=True)]
    return jax.tree.unflatten(jax.tree.structure(shapes), leaves)


def stored_length(path: Path, name: str) -> int:
    """The length of an array of a checkpoint that is as long as it happened to be."""
    try:
        with np.load(path) as file:
            return len(file[name])
    except (OSError, ValueError, KeyError, EOFError, BadZipFile):
        return 0  # reading all of it says what is wrong


def digest_of(arrays: Mapping[str, np.ndarray]) -> str:
    """Of names, types, shapes and bytes, so that a file that was edited is told from one that was left."""
    digest = hashlib.blake2b(digest_size=16)
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name}\0{array.dtype}\0{array.shape}\0".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def require_same(path: Path, stored: Mapping[str, Any], about: Mapping[str, Any]) -> None:
    for name in sorted(set(stored) | set(about)):
        if stored.get(name) != about.get(name):
            raise AssayError(
                f"{path} is a checkpoint of another training: its {name} is {stored.get(name)!r}, and here "
                f"it is {about.get(name)!r}; give another folder, or delete the file to begin anew."
            )


def named_leaves(tree: Any) -> list[tuple[str, Any]]:
    return [(jax.tree_util.keystr(path), leaf) for path, leaf in jax.tree_util.tree_leaves_with_path(tree)]


def is_key(leaf: Any) -> bool:
    return bool(jax.numpy.issubdtype(leaf.dtype, jax.dtypes.prng_key))


def as_array(leaf: Any) -> np.ndarray:
    return np.asarray(jax.random.key_data(leaf) if is_key(leaf) else leaf)


def as_shape(leaf: Any) -> Any:
    return jax.eval_shape(jax.random.key_data, leaf) if is_key(leaf) else leaf


def as_leaf(array: np.ndarray, like: Any) -> Any:
    if isinstance(like, (np.ndarray, np.generic)):
        return array  # it was no array of jax, which has no numbers of 64 bits
    if not is_key(like):
        return jax.numpy.asarray(array)
    return jax.random.wrap_key_data(jax.numpy.asarray(array), impl=str(jax.random.key_impl(like)))


def describe(held: Any) -> str:
    return held if isinstance(held, str) else f"{held[1]}{list(held[0])}"
