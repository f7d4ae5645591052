"""toy/discrete and toy/continuous beside MDP Playground's own envs, in one run on one machine.

    python3 -m venv --without-pip /tmp/peer
    python3 -m pip --python /tmp/peer/bin/python install mdp-playground
    .venv/bin/python benchmarks/against_playground.py /tmp/peer/bin/python

The peer runs in its own venv, for it wants other versions. Both play uniformly random actions: discrete on
the vanilla settings (8 states and actions, a quarter terminal, reward density 0.25), continuous in two
dimensions (box 10, actions up to 1, target at the origin of radius 0.05, dense reward), there in episodes of
100 steps, for the peer's do not end by themselves. Resets cost time and count as no step. Rates are per
CPU-second.
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
    if sys.argv[1] == "toy/discrete":
        env = RLToyEnv(seed=0, state_space_type="discrete", action_space_size=8, reward_density=0.25,
                       terminal_state_density=0.25, log_level=logging.CRITICAL)
        actions = [int(a) for a in np.random.default_rng(0).integers(8, size=100_000)]
    else:
        env = RLToyEnv(seed=0, state_space_type="continuous", state_space_dim=2, action_space_dim=2,
                       state_space_max=10.0, action_space_max=1.0, target_point=[0.0, 0.0],
                       target_radius=0.05, transition_dynamics_order=1, inertia=1.0, time_unit=1.0,
                       make_denser=True, reward_function="move_to_a_point", log_level=logging.CRITICAL)
        actions = list(np.random.default_rng(0).uniform(-1, 1, (10_000, 2)).astype(np.float32))
best = 0.0
for _ in range(3):
    env.reset()
    begun, length = time.process_time(), 0
    for action in actions:
        out = env.step(action)
        length += 1
        if out[2] or out[3] or length == 100:
            env.reset()
            length = 0
    best = max(best, len(actions) / (time.process_time() - begun))
print(json.dumps(best))
"""


def main(python: str) -> None:
    for env in ("toy/discrete", "toy/continuous"):
        done = subprocess.run([python, "-c", PEER, env], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"the peer did not run: {done.stderr.strip().splitlines()[-1]}")
        peer = json.loads(done.stdout.splitlines()[-1])
        print(f"{env}\n  {'MDP Playground, one env':40} {peer:14,.0f} steps per CPU-second")
        for figure in figures(seconds=2.0, env=env):
            rate = figure.steps_per_cpu_second
            print(f"  {figure.name:40} {rate:14,.0f} steps per CPU-second  {rate / peer:8.1f} x", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
