import subprocess
import sys

from assay.results import provenance


def test_versions_are_read_without_importing_jax():
    code = (
        "import sys; from assay.results.provenance import versions; found = versions(); "
        "print(found['jax'], found['assay'], 'jax' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    jax, assay, imported = done.stdout.split()
    assert jax[0].isdigit() and assay[0].isdigit() and imported == "False"
    assert {"python", "platform", "numpy", "gymnasium"} <= set(provenance.versions())


def test_the_source_s_digest_changes_with_any_file_but_bytecode(tmp_path, monkeypatch):
    def digest():
        provenance.source_digest.cache_clear()
        return provenance.source_digest()

    monkeypatch.setattr(provenance, "PACKAGE", tmp_path)
    (tmp_path / "envs").mkdir()
    (tmp_path / "envs" / "game.py").write_text("x = 1\n")
    first = digest()
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "game.pyc").write_bytes(b"1")
    (tmp_path / "certificates.json").write_text("[]")
    assert digest() == first
    (tmp_path / "envs" / "game.py").write_text("x = 2\n")
    second = digest()
    (tmp_path / "rules.yaml").write_text("a: 1\n")
    third = digest()
    (tmp_path / "rules.yaml").rename(tmp_path / "rule.yaml")
    assert len({first, second, third, digest()}) == 4
    provenance.source_digest.cache_clear()


def test_a_user_s_own_file_can_be_part_of_the_digest(tmp_path):
    own = tmp_path / "mine.py"
    own.write_text("x = 1\n")
    assert provenance.source_digest(own) != provenance.source_digest()
