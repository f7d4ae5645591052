"""The command itself: quick to start, one sentence for bad input, exit codes, examples to paste."""

import os
import re
import resource
import shlex
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assay.cli.main import COMMANDS, app

ASSAY = [sys.executable, "-m", "assay.cli.main"]
WIDE = {**os.environ, "COLUMNS": "200"}
WITHOUT_JAX = """
import sys
from assay.cli.main import app
try:
    app({arguments})
except SystemExit as done:
    assert not done.code, done.code
sys.exit("jax" in sys.modules)
"""


def run(*words):
    return CliRunner().invoke(app, list(words))


def children_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def help_of(command):
    done = subprocess.run([*ASSAY, command, "--help"], env=WIDE, text=True, capture_output=True, check=True)
    return done.stdout


def examples():
    """What the help of every command shows under its heading, to be pasted."""
    found = []
    for command in COMMANDS:
        lines = [line.strip() for line in help_of(command).splitlines()]
        pasted = [line for line in lines[lines.index("Examples") :] if line.startswith("assay ")]
        assert pasted, command
        found += pasted
    return found


def test_help_takes_less_than_half_a_second_of_cpu():
    spent = []
    for _ in range(3):
        before = children_seconds()
        subprocess.run([*ASSAY, "--help"], check=True, capture_output=True)
        spent.append(children_seconds() - before)
    assert min(spent) < 0.5


@pytest.mark.parametrize(
    "words", ["--help", "list", "list toy/discrete", "check --help", "check toy --dry-run"]
)
def test_what_needs_no_jax_does_not_load_it(words):
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_JAX.format(arguments=words.split())], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_a_hosted_task_is_shown_without_jax():
    code = WITHOUT_JAX.format(arguments=["show", "gym/CartPole-v1+reward.noise=1.0", "--steps", "3"])
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0


def test_importing_assay_loads_neither_jax_nor_gymnasium():
    code = "import sys, assay; sys.exit(any(name in sys.modules for name in ('jax', 'gymnasium', 'typer')))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def paste(folder, chosen):
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    for example in chosen:
        words = shlex.split(example)
        done = subprocess.run(
            words, cwd=folder, env={**WIDE, "PATH": path}, capture_output=True, text=True,
            stdin=subprocess.DEVNULL, timeout=900,
        )  # fmt: skip
        assert done.returncode == 0, f"{example}: {done.stderr}"
        assert done.stdout.strip(), example


# tests/bench runs `bench dqn`, which takes long. A server on a port serves until it is ended, and the others
# need runs, bundles or a player of one's own: tests/interop/captive, test_difficulty_commands.py and
# test_rules_contest.py run such commands.
LEFT_OUT = ("bench dqn", "rules serve --port", "rules difficulty runs/", "mine:play", "rules board bundles")


def paste_all(folder, chosen):
    """In one folder and in order: `resume`, `report` and others open what `examine` and `sweep` leave.

    The commands that leave nothing go beside them.
    """
    alone = ("list", "show", "check", "bench")
    parts = [[e for e in chosen if (e.split()[1] in alone) is apart] for apart in (True, False)]
    with ThreadPoolExecutor() as two:
        list(two.map(paste, [folder] * 2, parts))


def pasted_examples():
    return [example for example in examples() if not any(words in example for words in LEFT_OUT)]


def test_the_first_example_of_every_command_works_as_pasted(tmp_path):
    firsts = {}
    for example in pasted_examples():
        firsts.setdefault(re.match(r"assay (?:(?:rules|atari) )?\S+", example)[0], example)
    paste_all(tmp_path, list(firsts.values()))


@pytest.mark.slow
def test_every_example_of_the_help_works_as_pasted(tmp_path):
    paste_all(tmp_path, pasted_examples())


BAD = {
    "a misspelt env": ("show toi/discrete", "did you mean 'toy/discrete'?"),
    "a misspelt variation": ("show toy/discrete+dely=4", "did you mean 'delay'?"),
    "a misspelt key": ("show toy/discrete+sequence_lenght=2", "did you mean 'sequence_length'?"),
    "a misspelt Gymnasium id": ("show gym/CartPol-v1", "did you mean 'CartPole-v1'"),
    "a misspelt Gymnasium id in a list": ("list gym/CartPol-v1", "did you mean 'CartPole-v1'"),
    "a misspelt Gymnasium id in a check": ("check gym/CartPol-v1", "did you mean 'CartPole-v1'"),
    "an unknown family": ("check toi", "no family is called 'toi'"),
    "an unknown table": ("list suits", "did you mean 'suites'?"),
    "no task at all": ("show toy", "'toy' cannot name an env"),
    "a level out of range": ("show toy/discrete+transition_noise=1.5", "from 0 to 1"),
    "a level of a wrong type": ("show toy/discrete+delay=soon", "a whole number from 0 to 1000"),
    "half a step": ("show toy/discrete+delay=0.5", "a whole number"),
    "a word that is no choice": ("show toy/discrete+delay=1+gate=open", "one of completion, handout"),
    "an unmet precondition": ("show toy/discrete+make_denser", "write for example toy/discrete+seq"),
    "the same name twice": ("show toy/discrete+delay=1+delay=2", "more than once"),
    "sequences longer than the states": ("show toy/discrete+sequence_length=7", "sequence_length=7"),
    "a table that fits no memory": ("show toy/discrete+action_space_size=1000000", "makes a table of"),
    "nowhere to start": ("show toy/discrete+terminal_state_density=1.0", "leave at least one"),
    "a space it cannot act on": ("show toy/discrete+observation.quantise=0.5", "cannot be rounded"),
    "a schedule of a structure": ("show toy/discrete+diameter=2@sudden:3", "cannot change over time"),
    "a bad schedule": ("show toy/discrete+delay=2@soon:3", "no schedule is called 'soon'"),
    "a seed beyond 64 bits": (f"show toy/discrete --seed {2**64}", "a seed is a whole number"),
    "a module that is not there": ("show toy/discrete+mime:blink", "does not load"),
    "own without --on": ("check mine:blink", "--on"),
    "--on without own": ("check toy/discrete+delay --on toy/discrete", "--on is for"),
    "--write of one's own": ("check mine:blink --on gym/CartPole-v1 --write", "drop --write"),
    "an unknown component": ("list toy/discrete --component rewrd", "choose one of initial, action"),
    "an unknown kind": ("list toy/discrete --kind does", "choose one of dose"),
    "a filter of nothing": ("list --kind dose", "say of which env"),
    "an unknown benchmark": ("bench try", "it has toy"),
}  # fmt: skip


@pytest.mark.parametrize("words, says", BAD.values(), ids=BAD)
def test_bad_input_is_one_sentence_and_exit_code_2(words, says):
    done = run(*shlex.split(words))
    assert done.exit_code == 2, done.output
    assert done.stdout == ""
    assert done.stderr.startswith("assay: ") and done.stderr.count("\n") == 1, done.stderr
    assert says in done.stderr


@pytest.mark.parametrize(
    "words",
    ["lst", "show", "check", "list --nope", "show toy/discrete --steps none", "show toy/discrete --seed -1"],
)
def test_wrong_usage_is_exit_code_2(words):
    done = run(*shlex.split(words))
    assert done.exit_code == 2
    assert done.stdout == "" and done.stderr


def listens_to_interrupts():
    """A shell starts what it puts into the background deaf to Ctrl-C, and children inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def cpu_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_an_interrupt_is_quiet_and_exit_code_130():
    child = subprocess.Popen(
        [*ASSAY, "bench", "toy", "--seconds", "60", "--no-dqn"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=listens_to_interrupts,
    )
    deadline = time.monotonic() + 60
    while cpu_seconds(child.pid) < 1.5 and time.monotonic() < deadline:  # it is past its own start by then
        time.sleep(0.1)
    # While a program is compiled or a library loads, Python may lose an interrupt; one then presses again.
    while child.poll() is None and time.monotonic() < deadline:
        child.send_signal(signal.SIGINT)
        time.sleep(3)
    out, errors = child.communicate(timeout=10)
    assert child.returncode == 130
    assert out == b"" and b"Traceback" not in errors


def test_version():
    done = run("--version")
    assert done.exit_code == 0 and done.stdout.startswith("assay 0.")


def test_without_arguments_it_explains_itself():
    assert all(command in run().output for command in COMMANDS)
