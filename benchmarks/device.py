"""Native tasks on whatever device jax finds: the laws of some axes, digests of runs, and speed at many lanes.

    python benchmarks/device.py [lanes]

Needs only the native path (jax, numpy). The digests are of whole numbers, which must be the same on every
device and jax version: compare two machines' output line by line.
"""

import hashlib
import sys
import time
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "src"))

import jax
import jax.numpy as jnp
import numpy as np

from assay.catalogue import axis_of
from assay.core import step as loop
from assay.core.keys import root_of
from assay.native import build_native
from assay.proof.native import check

AXES = ("delay", "transition_noise", "reward_noise", "horizon", "terminal_state_density", "sequence_length",
        "irrelevant_features", "action.sticky", "action.random", "observation.noise",
        "observation.irrelevant", "reward.sparsify")  # fmt: skip
STEPS = 1000


def main(lanes: int) -> None:
    print(f"jax {jax.__version__} on {jax.devices()[0].device_kind}, numpy {np.__version__}")
    for name in AXES:
        certificate, trace = check("toy/discrete", axis_of("toy/discrete", name))
        whole = [leaf for leaf in jax.tree.leaves(trace._replace(touched={})) if leaf.dtype.kind != "f"]
        digest = hashlib.blake2b(b"".join(leaf.tobytes() for leaf in whole), digest_size=8).hexdigest()
        print(f"{name:24} {digest} {'holds' if certificate.holds else certificate.sentence()}", flush=True)
    stacked = jax.tree.map(
        lambda *leaves: jnp.stack(leaves),
        *(build_native(f"toy/discrete+mdp_seed={i}").task for i in range(4)),
    )
    for autoreset in (False, True):
        begun = time.perf_counter()
        scan(stacked, root_of(0), lanes // 4, autoreset).block_until_ready()
        compiled = time.perf_counter()
        seconds = []
        for seed in (1, 2, 3):
            start = time.perf_counter()
            scan(stacked, root_of(seed), lanes // 4, autoreset).block_until_ready()
            seconds.append(time.perf_counter() - start)
        rate = lanes * STEPS / min(seconds) / 1e6
        print(
            f"{lanes:,} lanes, autoreset {autoreset}: {rate:,.1f} M steps/s, "
            f"first call {compiled - begun:.1f} s"
        )


@partial(jax.jit, static_argnames=("lanes", "autoreset"))
def scan(tasks, seed, lanes, autoreset):
    keys = jax.random.split(seed, (4, lanes))
    _, worlds = loop.for_every_lane(2, loop.reset)(tasks, keys)
    fold = jax.vmap(jax.vmap(jax.random.fold_in, (0, None)), (0, None))

    def one_step(carry, t):
        worlds, total = carry
        chosen = jax.random.randint(jax.random.fold_in(seed, t), keys.shape, 0, 8)
        if autoreset:
            seen, worlds, out, _ = loop.autoreset(tasks, fold(keys, t), fold(keys, t + 2**20), worlds, chosen)
        else:
            out = loop.for_every_lane(2, loop.step)(tasks, fold(keys, t), worlds, chosen)
            seen, worlds = out.observation, out.state
        total = total + seen.sum() + out.reward.sum() + out.terminated.sum() + out.truncated.sum()
        return (worlds, total), None

    return jax.lax.scan(one_step, (worlds, jnp.float32(0)), jnp.arange(STEPS))[0][1]


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 65_536)
