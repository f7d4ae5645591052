"""`assay rules lint` from the command line."""

import json

from typer.testing import CliRunner

from assay.cli.main import app


def lint(*words: str):
    return CliRunner().invoke(app, ["rules", "lint", *words])


def test_a_rule_without_faults(tmp_path):
    path = tmp_path / "rule.txt"
    path.write_text("(1,*,*,*,0)\n(*,*,*,*,p+1)\n")
    done = lint(str(path))
    assert done.exit_code == 0 and "2 lines, 2 atoms, not stationary" in done.stdout


def test_faults_are_told_with_their_places(tmp_path):
    path = tmp_path / "rule.txt"
    path.write_text("(bucket:foo)\n")
    done = lint(str(path), "--json")
    (report,) = json.loads(done.stdout)
    assert done.exit_code == 1 and (report["faults"][0]["line"], report["faults"][0]["column"]) == (1, 9)


def test_what_cannot_be_read_is_refused(tmp_path):
    path = tmp_path / "rule.txt"
    path.write_text("(bucket:")
    done = lint(str(path), "clockwise")
    assert done.exit_code == 1 and "line 1, column 9" in done.stdout and "clockwise: 2 lines" in done.stdout
    path.write_bytes(b"\xff")
    assert lint(str(path)).exit_code == 2 and lint(str(tmp_path / "none.txt")).exit_code == 2


def test_benchmark_rules_go_by_name():
    done = lint("nearby_1", "--json")
    assert done.exit_code == 0 and json.loads(done.stdout)[0]["stationary"]


def test_help_names_the_commands():
    done = CliRunner().invoke(app, ["rules", "--help"])
    assert done.exit_code == 0 and "lint" in done.stdout


def test_all_names_that_are_missing_are_told_at_once():
    done = lint("nothere", "shape_mach")
    assert done.exit_code == 2
    assert "'nothere' is neither" in done.stderr and "did you mean shape_match" in done.stderr


def test_rules_on_properties_are_looked_at_with_their_table(tmp_path):
    (tmp_path / "kinds.csv").write_text("size\nhuge\ntiny\n")
    (tmp_path / "good.txt").write_text("(size:huge, bucket:1) (size:tiny, bucket:2)")
    (tmp_path / "bad.txt").write_text("(size:hugee, bucket:1)")
    good, bad, table = (str(tmp_path / each) for each in ("good.txt", "bad.txt", "kinds.csv"))
    assert "column 2: of the usual pieces no piece has the property size" in lint(good).stdout
    assert lint(good, "--pieces-table", table).stdout.endswith("nothing wrong\n")
    done = lint(good, bad, "--pieces-table", table)
    assert done.exit_code == 1 and "no piece has the size hugee; did you mean huge?" in done.stdout


def test_references_of_a_rule_on_properties(tmp_path):
    (tmp_path / "kinds.csv").write_text("size\nhuge\ntiny\n")
    (tmp_path / "rule.txt").write_text("(size:huge, bucket:1) (size:tiny, bucket:2)")
    words = ["rules", "references", str(tmp_path / "rule.txt"), "--boards", "2", "--pieces", "3", "--json"]
    done = CliRunner().invoke(app, [*words, "--pieces-table", str(tmp_path / "kinds.csv")])
    (found,) = json.loads(done.stdout)
    assert found["oracle"]["clears"]["value"] == 1.0
    assert "unless --pieces-table names a table" in CliRunner().invoke(app, words).stderr
