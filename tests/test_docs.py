"""The documentation is true: snippets run and print what they say, links lead somewhere, pages are fresh."""

import doctest
import importlib.util
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from assay.cli.main import COMMANDS
from tools.docs import gallery, reference

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(
    [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "benchmarks" / "README.md", *DOCS.rglob("*.md")]
)
FENCED = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#]+?)(?:#[^)]*)?\)")
ALIKE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
SAVED_AS = re.compile(r"# (\w+\.(?:py|yaml))\n")
NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d,]*\.?\d*(?![\w.])")
TRAINS = (
    "examine",
    "sweep",
    "drift",
    "train",
    "run",
    "compare",
    "power",
)  # commands whose numbers come of training
SB3 = all(map(importlib.util.find_spec, ("torch", "stable_baselines3")))
DOCTEST = f"""
import doctest, sys
sys.path.insert(0, "")
test = doctest.DocTestParser().get_doctest(sys.stdin.read(), {{}}, "docs", "docs", 0)
sys.exit(bool(doctest.DocTestRunner(optionflags={ALIKE}).run(test).failed))
"""


def environment(folder):
    """The environment of a user whose folder is `folder` and whose terminal is wide."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return {**os.environ, "PATH": path, "PYTHONPATH": str(folder), "COLUMNS": "200", "MPLBACKEND": "Agg"}


def run(words, folder, text=None):
    return subprocess.run(
        words, cwd=folder, env=environment(folder), input=text, text=True, capture_output=True, timeout=300
    )


def assert_alike(expected, found):
    checker = doctest.OutputChecker()
    example = doctest.Example("", expected)
    assert checker.check_output(expected, found, ALIKE), checker.output_difference(example, found, ALIKE)


def assert_close(expected, found):
    """The same words; numbers that come of training may differ a little from one processor to another."""
    numbers = [[float(each.replace(",", "")) for each in NUMBER.findall(text)] for text in (expected, found)]
    close = len(numbers[0]) == len(numbers[1]) and all(
        abs(a - b) <= 0.3 * max(abs(a), abs(b)) + (0.05 if max(abs(a), abs(b)) <= 1 else 3)
        for a, b in zip(*numbers)
    )
    if "..." in expected or not close:
        assert_alike(expected, found)
    else:
        assert_alike(NUMBER.sub("#", expected), NUMBER.sub("#", found))


def run_console(block, folder):
    """Every `$ command` of a block, against the output under it; a failure must be one that is shown."""
    for part in block.split("$ ")[1:]:
        command, _, expected = part.partition("\n")
        if "sb3:" in command and not SB3:
            continue
        done = run(shlex.split(command), folder)
        fails = "assay: " in expected or ": NO" in expected or "likely part: " in expected
        assert bool(done.returncode) == fails, done.stderr
        if expected.strip():
            # stderr holds progress and errors; only the latter belong to what the page shows.
            errors = "".join(line for line in done.stderr.splitlines(True) if line.startswith("assay: "))
            alike = assert_close if command.split()[1] in TRAINS else assert_alike
            alike(expected, done.stdout.lstrip("\n") + errors)


def install(block, folder):
    """The package of a pyproject.toml, as pip would leave it."""
    project = tomllib.loads(block)["project"]
    metadata = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Name: {project['name']}\nVersion: {project['version']}\n")
    groups = [
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in points.items())
        for group, points in project["entry-points"].items()
    ]
    (metadata / "entry_points.txt").write_text("\n".join(groups))


def run_page(path, folder):
    """A page's snippets, in order; Python prompts are one session per page, and run last."""
    session = []
    for language, block in FENCED.findall(path.read_text()):
        saved = SAVED_AS.match(block)
        if saved:
            (folder / saved[1]).write_text(block)
        elif language == "console":
            run_console(block, folder)
        elif language == "toml":
            install(block, folder)
        elif language == "pycon":
            session.append(block)
        elif language == "python" and (SB3 or "stable_baselines3" not in block):
            done = run([sys.executable, "-c", block], folder)
            assert done.returncode == 0, done.stderr
    if session:
        done = run([sys.executable, "-c", DOCTEST], folder, "\n".join(session))
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "page",
    ["tutorial.md", "how-to.md", "laws.md", "exam.md", "chance.md", "stochasticity.md", "unit-test.md"],
)
def test_every_snippet_of_a_page_prints_what_it_says(page, tmp_path):
    run_page(DOCS / page, tmp_path)


def test_the_analysis_page_goes_from_records_to_plots(tmp_path):
    blocks = FENCED.findall((DOCS / "analysis.md").read_text())
    for language, block in blocks:
        if language == "console":
            run_console(block, tmp_path)
    session = "\n".join(block for language, block in blocks if language == "python")
    done = run([sys.executable, "-c", session], tmp_path)
    assert done.returncode == 0, done.stderr
    figures = re.findall(r'savefig\("(.+?)"\)', session)
    assert len(figures) >= 6
    assert all((tmp_path / name).stat().st_size > 5000 for name in figures)


def test_the_readme_has_exactly_two_commands_for_a_fresh_machine():
    blocks = [
        block for language, block in FENCED.findall((ROOT / "README.md").read_text()) if language == "console"
    ]
    assert blocks[0] == "make demo\nmake test\n"
    assert all("make " not in block for block in blocks[1:])


def test_the_readme_s_python_runs_as_files(tmp_path):
    for language, block in FENCED.findall((ROOT / "README.md").read_text()):
        if language == "python":
            saved = SAVED_AS.match(block)
            script = tmp_path / (saved[1] if saved else "script.py")
            script.write_text(block)
            done = run([sys.executable, str(script)], tmp_path)
            assert done.returncode == 0, done.stderr


def test_the_readme_s_commands_exist():
    text = (ROOT / "README.md").read_text()
    assert set(re.findall(r"^\$ assay ([\w-]+)", text, re.MULTILINE)) == set(COMMANDS)


def test_the_readme_s_lines_on_atari_games_are_what_the_command_takes(tmp_path):
    (tmp_path / "mine.py").write_text("def act(picture):\n    return 0\n")
    lines = re.findall(
        r"^\$ assay ((?:examine|run) .*atari/.*)$", (ROOT / "README.md").read_text(), re.MULTILINE
    )
    assert len(lines) == 3
    for line in lines:
        if "sb3:" not in line:  # a checkpoint that the reader has
            done = run(["assay", *shlex.split(line), "--dry-run"], tmp_path)
            assert done.returncode == 0 and done.stdout, done.stderr


def test_the_reference_is_fresh(capsys):
    assert reference.main(str(DOCS / "reference"), check=True) == 0, capsys.readouterr().err


def test_the_page_of_games_is_fresh(capsys):
    from tools.docs import atari_page

    assert not atari_page.main(str(DOCS), check=True), capsys.readouterr().out


def test_the_page_of_objects_is_fresh(capsys):
    from tools.docs import objects_page

    assert not objects_page.main(str(DOCS), check=True), capsys.readouterr().out


def test_the_pages_of_each_game_are_fresh(capsys):
    from tools.docs import game_pages

    assert not game_pages.main(str(DOCS / "games"), check=True), capsys.readouterr().out


def test_the_pictures_of_axes_are_there_and_their_page_is_fresh(capsys):
    assert gallery.main(str(DOCS), check=True) == 0, capsys.readouterr().err


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_relative_links_lead_somewhere(page):
    for target in LINK.findall(page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), target


SMALL = ["--seeds", "2", "--steps", "2000", "--axes", "transition_noise,delay", "--workers", "1"]


@pytest.mark.parametrize("script", sorted(path.name for path in (ROOT / "examples").glob("*.py")))
def test_examples_run(script, tmp_path):
    if script in ("train_sb3.py", "train_torch_atari.py") and not SB3:
        pytest.skip("needs torch and stable-baselines3")
    more = SMALL if script == "demo.py" else []
    done = run([sys.executable, str(ROOT / "examples" / script), *more], tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert "NO" not in done.stdout


def test_examples_are_short():
    for path in (ROOT / "examples").glob("*.py"):
        assert len(path.read_text().splitlines()) < 60, path.name
