"""toy/discrete beside MDP Playground's own env, in one run on one machine.

    python3 -m venv --without-pip /tmp/peer
    python3 -m pip --python /tmp/peer/bin/python install mdp-playground
    .venv/bin/python benchmarks/against_playground.py /tmp/peer/bin/python

The peer runs in its own venv, for it wants other versions. Both play uniformly random actions on the vanilla
settings (8 states and actions, a quarter terminal, reward density 0.25); resets cost time and count as
no step. Rates are per CPU-second.
"""

import json
import subprocess
import sys

from assay.bench.toy import figures

PEER = """
import json, sys, time, contextlib, io, logging
import numpy as np
with contextlib.redirect_stdout(io.StringIO()):
    from mdp_playground.envs import RLToyEnv
    env = RLToyEnv(seed=0, state_space_type="discrete", action_space_size=8, reward_density=0.25,
                   terminal_state_density=0.25, log_level=logging.CRITICAL)
actions = np.random.default_rng(0).integers(8, size=100_000)
best = 0.0
for _ in range(3):
    env.reset()
    begun = time.process_time()
    for action in actions:
        out = env.step(int(action))
        if out[2] or out[3]:
            env.reset()
    best = max(best, len(actions) / (time.process_time() - begun))
print(json.dumps(best))
"""


def main(python: str) -> None:
    done = subprocess.run([python, "-c", PEER], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"the peer did not run: {done.stderr.strip().splitlines()[-1]}")
    peer = json.loads(done.stdout.splitlines()[-1])
    print(f"{'MDP Playground, one env':40} {peer:14,.0f} steps per CPU-second")
    for figure in figures(seconds=2.0):
        rate = figure.steps_per_cpu_second
        print(f"{figure.name:40} {rate:14,.0f} steps per CPU-second  {rate / peer:8.1f} x", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
