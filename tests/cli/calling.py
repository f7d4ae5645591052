"""What the tests of the verbs share: an agent of one's own, a suite, and ways to call the commands."""

from typer.testing import CliRunner

from assay.cli.main import app

CARTPOLE = "gym/CartPole-v1"
MINE = """
import numpy as np


def act(observation):
    return int(observation[2] + 0.3 * observation[3] > 0)


def raises(observation):
    return act(observation) + {}["nothing"]


def not_a_number(observation):
    return float("nan")


def wrong_shape(observation):
    return np.zeros(3)


def afraid_of_the_dark(observation):
    if not observation.any():
        raise RuntimeError("it is dark")
    return act(observation)
"""
SUITE = """
pairs: [{train: toy/discrete, evaluate: toy/discrete+delay=1}, toy/discrete+delay=2]
seeds: 3
episodes: 4
"""


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


def works(*words):
    done = run(*words)
    assert done.exit_code == 0, done.stderr or repr(done.exception)
    return done.stdout


def one_sentence(done):
    """What a command says that ends with exit code 2; progress may stand above it."""
    assert done.exit_code == 2, repr(done.exception)
    assert done.stderr.count("assay: ") == 1 and "Traceback" not in done.stderr
    last = done.stderr.splitlines()[-1]
    assert last.startswith("assay: ")
    return last.removeprefix("assay: ")


def examine(*words):
    return run("examine", *words, "--workers", 1)


def contents(place):
    """Every file but locks and what SQLite keeps beside its file."""
    files = [path for path in sorted(place.rglob("*")) if path.is_file() and "locks" not in path.parts]
    return {str(path): path.read_bytes() for path in files if not path.name.endswith(("-wal", "-shm"))}
