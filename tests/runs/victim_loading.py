"""How processes of a test come to load `victim.py`."""

from pathlib import Path

VICTIM = Path(__file__).parent / "victim.py"


def load_victim(folder: Path) -> Path:
    """A folder which, as part of PYTHONPATH, makes every process load the victim: workers run no script."""
    folder.mkdir()
    lines = (
        "import importlib.util, sys",
        f"spec = importlib.util.spec_from_file_location('victim', {str(VICTIM)!r})",
        "sys.modules['victim'] = victim = importlib.util.module_from_spec(spec)",
        "spec.loader.exec_module(victim)",
    )
    (folder / "sitecustomize.py").write_text("\n".join(lines))
    return folder
