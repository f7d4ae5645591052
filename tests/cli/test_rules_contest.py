"""`assay rules submit`, `board` and `commit` from the command line."""

import json
import stat

import pytest
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


def test_a_secret_is_never_replaced_and_only_its_owner_reads_it(tmp_path):
    secret = tmp_path / "s.rule.json"
    assert call("commit", "clockwise", "--reveal", secret).exit_code == 0
    kept = secret.read_text()
    again = call("commit", "clockwise", "--reveal", secret)
    assert again.exit_code == 2 and "is there already" in again.stderr and secret.read_text() == kept
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600


@pytest.mark.parametrize("verb", [["submit", "oracle", "--rule", "clockwise"], ["board", "."]])
def test_mastery_cannot_be_told_in_fewer_than_ten_episodes(verb, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = call(*verb, "--board-seed", 7, "--episodes", 9, "--runs", 1)
    assert done.exit_code == 2 and "runs of 9 episodes cannot show mastery" in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_folder_without_a_bundle_is_refused(tmp_path):
    done = call("board", tmp_path, *TERMS)
    assert done.exit_code == 2 and "holds no bundle" in done.stderr and not done.stdout


class TestSubmitChecksBeforePlaying:
    @pytest.fixture(autouse=True)
    def nothing_is_played(self, monkeypatch):
        def play(*given):
            raise AssertionError("it was played")

        monkeypatch.setattr("assay.envs.rules.contest.play.play_run", play)

    def submit(self, folder, *words, player="random"):
        done = call("submit", player, "--rule", "clockwise", *TERMS, "--runs", 1, "--out", folder, *words)
        assert done.exit_code == 2
        return " ".join(done.stderr.split())

    def test_names(self, tmp_path):
        assert "its player is called '../x'" in self.submit(tmp_path, "--name", "../x")

    def test_bundles_that_are_there(self, tmp_path):
        (tmp_path / "random-clockwise.jsonl.gz").write_bytes(b"earlier")
        assert "is there already and is not replaced" in self.submit(tmp_path)

    def test_settings_that_the_player_does_not_take(self, tmp_path):
        assert "random takes no settings" in self.submit(tmp_path, "--set", "actions=occupied")


def test_submit_says_what_the_board_will_find(tmp_path):
    done = call("submit", "random", "--rule", "clockwise", *TERMS, "--runs", 2, "--out", tmp_path, "--json")
    told = json.loads(done.stdout)
    found = json.loads(call("board", tmp_path, *TERMS, "--runs", 2, "--json").stdout)
    (entry,) = found["rules"][0]["not_learned"]
    assert {name: entry[name] for name in ("mastered", "cost", "errors")} == {
        name: told[name] for name in ("mastered", "cost", "errors")
    }
    done = call("submit", "oracle", "--rule", "clockwise", *TERMS, "--runs", 1, "--out", tmp_path)
    assert "1 of 1 runs mastered the rule, after 0 errors (median)" in done.stdout


def test_a_board_of_bundles_of_other_lengths_names_the_option_that_fits(tmp_path):
    for player in ("random", "oracle"):
        assert (
            call("submit", player, "--rule", "clockwise", *TERMS, "--runs", 1, "--out", tmp_path).exit_code
            == 0
        )
    done = call("board", tmp_path, "--board-seed", "7")
    assert done.exit_code == 1 and "than asked for: --episodes 12 fits them" in done.stdout
    assert "fits them" not in call("board", tmp_path, "--board-seed", "8").stdout


def test_a_commitment_says_whether_it_agrees_only_where_it_was_asked(tmp_path):
    made = json.loads(call("commit", "clockwise", "--json").stdout)
    assert made.keys() == {"digest", "salt"}
    words = ("--salt", made["salt"], "--digest", made["digest"], "--json")
    assert json.loads(call("commit", "clockwise", *words).stdout)["agrees"] is True


def test_a_missing_folder_for_the_secret_is_named(tmp_path):
    done = call("commit", "clockwise", "--reveal", tmp_path / "gone" / "s.rule.json")
    assert done.exit_code != 0 and "gone for s.rule.json; make it first." in " ".join(done.stderr.split())
