"""What the readers of published networks share: a file's bytes, and a network as a checkpoint."""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib
from pathlib import Path
from typing import NamedTuple

import gymnasium
import jax
import numpy as np

from assay.digests.own_code import digest_of_content
from assay.errors import NotApplicable, UnknownName
from assay.interop.checkpoints.contract import Checkpoint, Interface, interface_of
from assay.interop.checkpoints.network import HEADS, PixelAgent, policy_in
from assay.interop.checkpoints.task_fit import PICTURES, require_task
from assay.interop.policy import Policy

GZIP = b"\x1f\x8b"
MOST_BYTES = 2**28  # of an unpacked file; a published one has 7 million
ZIP = b"PK\3\4"  # how torch.save begins a file, and Stable-Baselines3
OLD_TORCH = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."  # how it did before PyTorch 1.6
TRIED = np.stack([
    np.zeros((84, 84, 4), np.uint8),
    np.full((84, 84, 4), 255, np.uint8),
    *np.random.default_rng(0).integers(0, 256, (2, 84, 84, 4), np.uint8),
])  # fmt: skip


class NotThis(Exception):
    """Why what a file holds is none of the known networks."""


class Content(NamedTuple):
    """What a file held when it was read, once."""

    data: bytes  # unpacked
    digest: str  # of the bytes as they were in the file


def content_of(name: str, path: Path) -> Content:
    """The content of a file, unpacked where it is a gzip."""
    if not path.is_file():
        raise UnknownName(f"{name}: there is no file {path}; give the path from here.")
    with path.open("rb") as packed:
        data = packed.read(MOST_BYTES + 1)
    digest = digest_of_content(data)
    try:
        if data.startswith(GZIP):
            with gzip.open(io.BytesIO(data)) as file:
                data = file.read(MOST_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise NotApplicable(f"{name}: {path} is a damaged gzip; fetch it again.") from error
    if unpacked_size(data) > MOST_BYTES:
        raise NotApplicable(
            f"{name}: {path} unpacks to more than {MOST_BYTES:,} bytes; give a file of weights alone."
        )
    return Content(data, digest)


def unpacked_size(data: bytes) -> int:
    """The size of a file of PyTorch with all in it unpacked, and of any other as it is."""
    if not data.startswith(ZIP):
        return len(data)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return max(len(data), sum(part.file_size for part in archive.infolist()))
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        return len(data)  # the reader of its format says that it is damaged


def require_finite(name: str, path: Path, agent: PixelAgent) -> None:
    """Refuses a network whose numbers overflow on the way, since it would play one action for ever."""
    heads = [(head,) for head in range(len(agent.params["last"]["bias"]))] if agent.draws == HEADS else [()]
    values = jax.jit(agent.values)
    if not all(np.isfinite(values(agent.params, TRIED, *head)).all() for head in heads):
        raise NotApplicable(
            f"{name}: the {agent.kind} network in {path} gives numbers that are not finite "
            "for plain pictures; give a checkpoint whose training did not diverge."
        )


def checkpoint_of(name: str, path: Path, agent: PixelAgent, digest: str) -> Checkpoint:
    require_finite(name, path, agent)

    def require_fit(task: Interface) -> None:
        require_task(f"{name} ({agent.kind})", path, agent.game, agent.actions, task)

    def build(env: gymnasium.Env) -> Policy:
        require_fit(interface_of(env))
        return policy_in(agent, env.observation_space.shape == PICTURES[1])

    return Checkpoint(build, require_fit, digest)
