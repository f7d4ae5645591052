"""Single toy envs beside MDP Playground's own, in turns on one machine.

    python3 -m venv --without-pip /tmp/peer
    python3 -m pip --python /tmp/peer/bin/python install mdp-playground==1.0.0
    .venv/bin/python benchmarks/against_playground_singles.py /tmp/peer/bin/python --turns 5

Each side plays uniformly random actions in a process of its own, first the one and then the other; every
process gives the best of three tries. Resets cost time and count as no step. Steps per CPU-second, the median
over turns; the ratio is the median of the ratios of the turns.
"""

import argparse
import json
import statistics
import subprocess
import sys

DISCRETE = {
    "state_space_type": "discrete", "action_space_size": 8, "reward_density": 0.25,
    "terminal_state_density": 0.25,
}  # fmt: skip
POINT = {"reward_function": "move_to_a_point", "make_denser": True}
# way -> the task's text, the peer's config, steps of a try
WAYS = {
    "discrete": ("toy/discrete", DISCRETE, 20_000),
    "delay, sequences, both noises": (
        "toy/discrete+delay=4+sequence_length=3+transition_noise=0.1+reward_noise=1",
        {**DISCRETE, "delay": 4, "sequence_length": 3, "transition_noise": 0.1, "reward_noise": 1.0},
        20_000,
    ),
    "pictures": ("toy/discrete+image_representations", {**DISCRETE, "image_representations": True}, 5_000),
    "pictures, all transforms": (
        "toy/discrete+image_representations+image_transforms=scale-shift-rotate-flip",
        {**DISCRETE, "image_representations": True, "image_transforms": "scale,shift,rotate,flip"},
        5_000,
    ),
    "continuous": (
        "toy/continuous",
        {
            "state_space_type": "continuous", "state_space_dim": 2, "action_space_dim": 2,
            "state_space_max": 10.0, "action_space_max": 1.0, "target_point": [0.0, 0.0],
            "target_radius": 0.05, "transition_dynamics_order": 1, "inertia": 1.0, "time_unit": 1.0, **POINT,
        },
        10_000,
    ),
    "grid": (
        "toy/grid",
        {"state_space_type": "grid", "grid_shape": (8, 8), "target_point": [7, 7], **POINT},
        10_000,
    ),
}  # fmt: skip

OURS = """
import assay
env = assay.make(way[0])
env.action_space.seed(0)
actions = [env.action_space.sample() for _ in range(way[2])]
"""
PEER = """
import contextlib, io, logging, warnings
import numpy as np
warnings.simplefilter("ignore")
with contextlib.redirect_stdout(io.StringIO()):
    from mdp_playground.envs import RLToyEnv
    env = RLToyEnv(seed=0, log_level=logging.CRITICAL, **way[1])
rng = np.random.default_rng(0)
if way[1]["state_space_type"] == "discrete":
    actions = [int(a) for a in rng.integers(8, size=way[2])]
elif way[1]["state_space_type"] == "grid":
    actions = [[[1, 0], [-1, 0], [0, 1], [0, -1]][i] for i in rng.integers(4, size=way[2])]
else:
    actions = list(rng.uniform(-1, 1, (way[2], 2)).astype(np.float32))
"""
PLAY = """
best = 0.0
for number in range(4):
    env.reset()
    begun, length = time.process_time(), 0
    for action in actions:
        out = env.step(action)
        length += 1
        if out[2] or out[3] or length == 100:
            env.reset()
            length = 0
    if number:  # the first try compiles
        best = max(best, len(actions) / (time.process_time() - begun))
print(json.dumps(best))
"""


def measure(python: str, side: str, way: str) -> float:
    program = f"import json, sys, time\nway = json.loads(sys.argv[1])\n{side}{PLAY}"
    done = subprocess.run([python, "-c", program, json.dumps(WAYS[way])], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{way} did not run: {done.stderr.strip().splitlines()[-1]}")
    rate: float = json.loads(done.stdout.splitlines()[-1])
    return rate


def main() -> None:
    reader = argparse.ArgumentParser(description="Single toy envs beside MDP Playground's own.")
    reader.add_argument("peer", help="the interpreter of a venv with mdp-playground")
    reader.add_argument("--turns", type=int, default=5)
    asked = reader.parse_args()
    print(f"{'way':32} {'assay.make':>12} {'the peer':>12} {'ratio':>8}  least to most")
    for way in WAYS:
        pairs = [
            (measure(sys.executable, OURS, way), measure(asked.peer, PEER, way)) for _ in range(asked.turns)
        ]
        ours, theirs = (statistics.median(each) for each in zip(*pairs))
        ratios = sorted(a / b for a, b in pairs)
        print(
            f"{way:32} {ours:12,.0f} {theirs:12,.0f} {statistics.median(ratios):8.2f}  "
            f"{ratios[0]:.2f} to {ratios[-1]:.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
