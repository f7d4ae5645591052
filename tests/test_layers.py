"""The architecture as a test: who may import whom, and who may import what from outside."""

import ast
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "src" / "assay"
VOCABULARY = {
    "errors",
    "ids",
    "lazy",
    "task_text",
    "task_values",
    "positions",
    "strict_json",
    "user_files",
}  # plain text: for everybody

MAY_IMPORT = {  # part of the package -> parts it may import beside itself and the vocabulary
    "errors": set(),
    "ids": set(),
    "lazy": set(),
    "task_text": set(),
    "task_values": set(),
    "positions": set(),
    "strict_json": set(),
    "user_files": set(),
    "digests": set(),
    "core": set(),
    "suites": {"core"},
    "variations": {"core"},
    "envs": {"core", "variations"},
    "entries": {"core", "suites"},
    "own_variation": {"core"},
    "catalogue": {"entries", "core", "envs", "own_variation", "variations", "suites"},
    "tasks": {"core", "catalogue"},
    "native": {"core", "catalogue", "tasks"},
    "hosted": {"core", "catalogue", "tasks"},
    "task_spaces": {"core", "catalogue", "tasks", "native"},
    "proof": {"digests", "core", "catalogue", "tasks", "native", "hosted"},
    # Its mathematics imports nothing of these; see test_the_mathematics_of_chance_imports_errors_alone.
    "chance": {"core", "catalogue", "envs", "native", "task_spaces", "tasks", "variations"},
    # envs: the captive server speaks the protocol of one family's original; envs import nothing of interop.
    "interop": {"digests", "core", "catalogue", "tasks", "native", "hosted", "envs", "suites"},
    "agents": {"core"},
    "results": set(),
    "stats": set(),
    "plans": {"agents", "catalogue", "core", "digests", "interop", "results", "stats", "suites",
              "task_spaces", "tasks"},
    "runs": {"agents", "catalogue", "core", "digests", "interop", "native", "plans", "results",
             "task_spaces", "tasks"},
    "analysis": {"chance", "digests", "plans", "results", "stats", "suites"},  # of chance: risk alone
    "conduct": {"analysis", "catalogue", "interop", "plans", "proof", "results", "runs", "stats", "tasks"},
    "report": {"analysis", "plans", "stats"},
    "audit": {"analysis", "catalogue", "conduct", "plans", "proof", "report", "results", "stats",
              "suites", "task_spaces"},
    "gym": {"interop"},
    "bench": {"agents", "core", "envs", "interop", "native", "plans", "runs", "stats"},
    "authoring": {"core", "entries", "variations"},
    "rules": {"envs"},  # the door of one family's language
    "battery": {"agents", "core", "interop", "plans"},
    "door": {"analysis", "battery", "conduct", "core", "interop", "plans", "proof", "report", "results",
             "runs", "stats"},
    "__main__": {"cli"},
    "cli": {"analysis", "audit", "battery", "bench", "catalogue", "chance", "conduct", "core", "door", "envs",
            "hosted", "interop", "native", "plans", "proof", "report", "results", "runs", "stats", "suites",
            "tasks", "variations"},
}  # fmt: skip
MAY_NAME = {  # as text, to be loaded when somebody asks for it
    "catalogue": {"agents", "interop"},
    "envs": {"bench", "cli", "proof"},  # a family's record names its benchmarks, its command and its laws
}
PURE_PLANS = {
    "question",
    "defaults",
    "drift_question",
    "job_plan",
    "pair_jobs",
    "plan",
}  # all that analysis and reports know of plans
NO_JAX = ["core/axis.py", "core/space.py", "core/variation.py", "core/clock.py", "core/concepts.py",
          "core/host.py", "core/passage.py", "core/taxonomy.py",
          "proof/laws/channels.py", "core/events.py", "core/family.py", "core/inspection.py",
          "proof/laws/hosted.py", "envs/own_function.py", "core/scalars.py", "core/streams.py", "entries.py",
          "catalogue.py", "own_variation.py", "tasks.py",
          "hosted.py", "task_text.py", "task_values.py", "interop/lanes.py", "interop/worker_vector.py",
          "proof/inside.py",
          "proof/laws/inside.py", "proof/checker.py", "proof/certificate.py", "proof/run.py",
          "proof/touched_laws.py", "envs/toy/family.py", "envs/platformer/family.py", "envs/atari/family.py",
          "envs/gym/family.py", "envs/settings_by_name.py", "envs/rules/family.py",
          "envs/rules/params.py", "envs/rules/edits.py", "envs/rules/observation.py"]  # fmt: skip
NATIVE_PATH = {
    "jax",
    "numpy",
    "optax",
    "yaml",
}  # all that core, envs, variations and agents may import
WITH_PILLOW = {("platformer", "folders.py")}  # reads a user's own images, and imports it only then


NAMED = re.compile(r"assay(\.\w+)+:\w+")


def imports(path: Path) -> set[str]:
    return imports_of(ast.parse(path.read_text()))


def imports_of(tree: ast.AST) -> set[str]:
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def named_in(path: Path) -> set[str]:
    """The texts in a file that name code, as the catalogue's do: `assay.envs.toy.discrete:build`."""
    texts = [node.value for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant)]
    return {text for text in texts if isinstance(text, str) and NAMED.fullmatch(text)}


def sources(part: str) -> list[Path]:
    return sorted((PACKAGE / part).rglob("*.py")) if (PACKAGE / part).is_dir() else [PACKAGE / f"{part}.py"]


@pytest.mark.parametrize("part", MAY_IMPORT)
def test_data_flows_one_way(part):
    for path in sources(part):
        ours = {name.split(".")[1] for name in imports(path) if name.startswith("assay.")} - {"__version__"}
        assert ours <= MAY_IMPORT[part] | {part} | VOCABULARY, path
        named = {name.split(".")[1] for name in named_in(path)}
        assert named <= MAY_IMPORT[part] | MAY_NAME.get(part, set()) | {part}, path


def test_every_part_of_the_package_is_known():
    parts = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py"}
    parts |= {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    assert parts - {"__init__"} == set(MAY_IMPORT)


# What turns a task into a model, or plays it.
TASKS_OF_CHANCE = {"concepts.py", "of_task.py", "play.py", "task_channel.py", "toy_models.py"}


def test_the_mathematics_of_chance_imports_errors_alone():
    for path in sources("chance"):
        if path.name not in TASKS_OF_CHANCE:
            ours = {name.split(".")[1] for name in imports(path) if name.startswith("assay.")}
            assert ours <= {"chance", "errors", "lazy"}, path
    # `import assay` loads it, so whatever it imports would count as code that every proof stands on.
    assert {name for name in imports(PACKAGE / "chance" / "__init__.py") if name.startswith("assay.")} == {
        "assay.lazy",
        "assay.lazy.door",
    }


@pytest.mark.parametrize("part", ["analysis", "report"])
def test_analysis_and_reports_know_plans_as_records_alone(part):
    for path in sources(part):
        used = {name.split(".")[2] for name in imports(path) if name.startswith("assay.plans.")}
        assert used <= PURE_PLANS, path


def test_the_strings_of_the_catalogue_name_what_is_there():
    """Entries name their code as text, so that listing loads nothing: each of these is resolved here."""
    named = {name for path in PACKAGE.rglob("*.py") for name in named_in(path)}
    assert len(named) > 30
    for each in sorted(named):
        module, _, attribute = each.partition(":")
        assert hasattr(importlib.import_module(module), attribute), each


@pytest.mark.parametrize("part", ["core", "envs", "variations", "agents"])
def test_the_native_path_needs_little(part):
    for path in sources(part):
        if {"gym", "atari"} & set(path.parts) or path.parts[-2:] in WITH_PILLOW:
            continue
        outside = {name.split(".")[0] for name in imports(path)} - {"assay"} - sys.stdlib_module_names
        assert outside <= NATIVE_PATH, path


def test_what_hosts_use_imports_no_jax():
    for path in [PACKAGE / name for name in NO_JAX] + sources("variations") + sources("suites"):
        assert not any(name.split(".")[0] == "jax" for name in imports(path)), path
        assert "assay.core.env" not in imports(path), path


def test_the_emulator_is_imported_in_one_file_alone():
    """Its licence is the GPL: it is an extra, and nothing but the atari family may need it."""
    users = [path for path in PACKAGE.rglob("*.py") if "ale_py" in {n.split(".")[0] for n in imports(path)}]
    assert users == [PACKAGE / "envs" / "atari" / "emulator.py"]


KERNEL = "assay.envs.platformer.gpu"  # of GPUs alone, outside of what certificates speak of
CHOOSES_KERNEL = PACKAGE / "envs" / "platformer" / "frame.py"
TIMES_KERNEL = PACKAGE / "bench" / "platformer_gpu.py"


def names_module(names: set[str], module: str) -> bool:
    return any(name == module or name.startswith(f"{module}.") for name in names)


def imports_on_loading(path: Path) -> set[str]:
    """The imports that loading a file does: those outside of its functions."""
    tree = ast.parse(path.read_text())
    inside = {
        node
        for function in ast.walk(tree)
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        for node in ast.walk(function)
    }
    outside = [
        node
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom)) and node not in inside
    ]
    return imports_of(ast.Module(body=list(outside), type_ignores=[]))


def test_the_kernel_is_chosen_in_one_place_and_only_when_asked():
    """Only the choice and the benchmark of the kernel itself name it; the choice loads it when taken."""
    own = PACKAGE / "envs" / "platformer" / "gpu"
    users = {
        path
        for path in PACKAGE.rglob("*.py")
        if own not in path.parents
        and (names_module(imports(path), KERNEL) or any(n.startswith(KERNEL) for n in named_in(path)))
    }
    assert users == {CHOOSES_KERNEL, TIMES_KERNEL}
    assert not names_module(imports_on_loading(CHOOSES_KERNEL), KERNEL)
    timing = "assay.bench.platformer_gpu"
    loading = [path for path in PACKAGE.rglob("*.py") if names_module(imports_on_loading(path), timing)]
    assert loading == []


def test_a_platformer_without_a_gpu_never_loads_the_kernel():
    code = (
        "import os, sys; os.environ['JAX_PLATFORMS'] = 'cpu'; "
        "import jax; from assay.native import build_native; from assay.core import step as loop; "
        "task = build_native('platformer/run').task; "
        "jax.eval_shape(loop.reset, task, jax.random.key(0)); import assay.bench.platformer; "
        f"print([name for name in sys.modules if name.startswith({KERNEL!r})])"
    )
    assert in_a_fresh_process(code) == "[]"


def test_workers_of_games_import_no_jax():
    code = (
        "import sys; from assay.interop.lanes import Lanes; from assay.interop.gymnasium import make; "
        "env = make('atari/Pong+sticky=0.0+observation=ram+action.sticky=0.5'); "
        "env.reset(seed=0); env.step(0); "
        "print('jax' in sys.modules)"
    )
    assert in_a_fresh_process(code) == "False"


def in_a_fresh_process(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_import_assay_imports_neither_jax_nor_gymnasium():
    code = "import assay, sys; print([m for m in ('jax', 'gymnasium', 'torch') if m in sys.modules])"
    assert in_a_fresh_process(code) == "[]"


def test_the_catalogue_loads_without_jax():
    code = (
        "import assay, sys; assay.variations('toy/discrete'); "
        "assay.task('toy/discrete+delay=4'); print('jax' in sys.modules)"
    )
    assert in_a_fresh_process(code) == "False"


def test_a_hosted_task_with_channels_runs_without_jax():
    code = (
        "import sys; from assay.hosted import build_hosted; "
        "t = build_hosted('gym/CartPole-v1+action.sticky=0.5+reward.delay=2"
        "+observation.noise=0.1@random:0.1'); "
        "t.reset(0, 0); [t.step(0) for _ in range(5)]; print('jax' in sys.modules)"
    )
    assert in_a_fresh_process(code) == "False"


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_files_hold_one_idea(path):
    assert len(path.read_text().splitlines()) <= 400
