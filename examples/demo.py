"""What assay does, in a minute: one task plain and varied, what that costs, and its proof."""

import subprocess
import sys

import assay

TASK = "toy/discrete+transition_noise=0.25"
PROVED = (
    "toy/discrete+transition_noise",
    "gym/CartPole-v1+action.sticky",
    "gym/FrozenLake-v1+observation.delay",
)
NOISE = (0.0, 0.01, 0.02, 0.1, 0.25, 0.5)
NEXT = (
    ("assay list toy/discrete", "every axis of one env"),
    ("assay show gym/CartPole-v1+observation.delay=2", "any Gymnasium env, varied from outside"),
    ("assay check toy/discrete", "prove all of its axes, in a few minutes"),
    ("python examples/own_variation.py", "write a variation of your own, and prove it"),
    ("docs/tutorial.md", "the first hour"),
)


def main() -> None:
    say("A world with one known thing changed: with chance 0.25 a step leads elsewhere.")
    run("show", TASK, "--steps", "10")
    say("What that costs the best possible agent, exactly:")
    for noise in NOISE:
        best = assay.optimum(f"toy/discrete+transition_noise={noise}").value
        print(f"  transition_noise={noise:<5} {best:6.2f}  {'█' * round(best / 2)}")
    say("Is it that one thing and nothing else? Proved on three envs, which takes about half a minute:")
    run("check", *PROVED)
    say("Next, after `source .venv/bin/activate`:")
    for command, why in NEXT:
        print(f"  {command:<48} {why}")


def say(text: str) -> None:
    print(f"\n{text}\n")


def run(*words: str) -> None:
    """A command as one would type it."""
    print(f"$ assay {' '.join(words)}", flush=True)
    done = subprocess.run([sys.executable, "-m", "assay.cli.main", *words])
    if done.returncode:
        sys.exit(done.returncode)


if __name__ == "__main__":
    main()
