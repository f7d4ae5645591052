"""Records know no env and no jax."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "src" / "assay" / "results"
OUTSIDE = {"numpy", "pyarrow", "duckdb", "fsspec"}
VOCABULARY = {"assay.errors", "assay.strict_json"}  # which know no env either


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.name)
def test_results_import_little(path):
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module)
    for name in found:
        top = name.split(".")[0]
        ours = name in VOCABULARY or name.startswith("assay.results")
        assert ours or top in OUTSIDE or top in sys.stdlib_module_names, name


def test_a_run_is_opened_without_jax(finished):
    code = (
        f"import sys; from assay.results import open_run; run = open_run({str(finished.folder)!r}); "
        "run.verify(); print([name for name in ('jax', 'gymnasium', 'torch') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
