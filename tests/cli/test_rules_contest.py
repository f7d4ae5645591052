"""`assay rules submit`, `board` and `commit` from the command line."""

import json

from typer.testing import CliRunner

from assay.cli.main import app

TERMS = ["--board-seed", "7", "--episodes", "12"]


def call(*words):
    return CliRunner().invoke(app, ["rules", *map(str, words)])


def test_from_runs_to_a_page(tmp_path):
    for player in ("random", "oracle"):
        done = call("submit", player, "--rule", "clockwise", *TERMS, "--runs", 2, "--out", tmp_path / "in")
        assert done.exit_code == 0, done.stderr
    done = call("board", tmp_path / "in", *TERMS, "--runs", 2, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.stdout + done.stderr
    found = json.loads((tmp_path / "out" / "board.json").read_text())
    (standings,) = found["rules"]
    assert [(each["player"], each["cost"]) for each in standings["ranked"]] == [("oracle", 0)]
    assert [each["player"] for each in standings["not_learned"]] == ["random"]
    assert "oracle" in (tmp_path / "out" / "board.html").read_text()


def test_a_refused_bundle_has_exit_status_1(tmp_path):
    (tmp_path / "x.jsonl.gz").write_bytes(b"nothing")
    done = call("board", tmp_path, *TERMS)
    assert done.exit_code == 1 and "refused  x.jsonl.gz: it is no gzip file" in done.stdout


def test_a_player_of_ones_own(tmp_path, monkeypatch):
    (tmp_path / "my_player.py").write_text(
        "def play(match, seed):\n"
        "    while not match.is_over:\n"
        "        match.attempt(match.pieces[0][0], seed % 4)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    words = ["--rule", "clockwise", *TERMS, "--runs", 1, "--out", tmp_path, "--json"]
    done = call("submit", "my_player:play", *words)
    assert done.exit_code == 0 and json.loads(done.stdout)["runs"] == 1
    assert call("submit", "nobody", *words).exit_code == 2 and call("submit", "no:no", *words).exit_code == 2


def test_commitments(tmp_path):
    rule = tmp_path / "secret.txt"
    rule.write_text("(1,*,*,*,2)\n(1,*,*,*,0)\n")
    made = json.loads(call("commit", rule, "--reveal", tmp_path / "s.rule.json", "--json").stdout)
    again = call("commit", rule, "--salt", made["salt"], "--digest", made["digest"])
    assert again.exit_code == 0 and "agree with it" in again.stdout
    rule.write_text("(bucket:0)\n")
    assert call("commit", rule, "--salt", made["salt"], "--digest", made["digest"]).exit_code == 2
    assert call("submit", "random", "--rule", rule, *TERMS).exit_code == 2  # a held-out rule needs its salt
