"""What assay does, in some minutes: ten DQN agents are trained, and every axis of their task is tried.

More words go on to `assay examine`: python examples/demo.py --seeds 2 --steps 2000 --axes delay
"""

import subprocess
import sys

EXAM = ("examine", "dqn", "toy/discrete")
SEEDS = ("--seeds", "10")
NEXT = (
    ("assay examine dqn toy/discrete --dry-run", "what the exam asked, and what it left out"),
    ("assay list toy/discrete", "every axis of the task"),
    ("assay show toy/discrete+transition_noise=0.25", "one task, plain beside varied"),
    ("assay check toy/discrete+transition_noise", "the proof that only this changes"),
    ("python examples/own_agent.py", "an agent of your own"),
    ("docs/tutorial.md", "the first hour"),
)


def main() -> None:
    more = sys.argv[1:]
    words = (*EXAM, *(() if "--seeds" in more else SEEDS), *more)
    print(f"$ assay {' '.join(words)}", flush=True)
    done = subprocess.run([sys.executable, "-m", "assay.cli.main", *words])
    if done.returncode:
        sys.exit(done.returncode)
    print("\nNext, after `source .venv/bin/activate`:\n")
    for command, why in NEXT:
        print(f"  {command:<48} {why}")


if __name__ == "__main__":
    main()
