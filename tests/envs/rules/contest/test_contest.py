"""A contest: honest bundles count, and every kind of cheat that is planted is refused with its reason."""

import gzip
import io
import json
import tarfile
from dataclasses import replace

import pytest

from assay.envs.rules.benchmark import find_rule
from assay.envs.rules.contest import bundle as bundles
from assay.envs.rules.contest.bundle import FORM, HIDDEN, SHOWN, Header, read_bundle, write_bundle
from assay.envs.rules.contest.commitment import Revealed, check_revealed, commit
from assay.envs.rules.contest.judge import judge_folder
from assay.envs.rules.contest.play import Match, knowing, play_randomly, play_run
from assay.envs.rules.contest.replay import find_game
from assay.envs.rules.contest.terms import Terms, board_of
from assay.envs.rules.interpreter import prepare
from assay.envs.rules.language.parse import parse
from assay.errors import AssayError

TERMS = Terms(board_seed=7, episodes=3, horizon=30)
SALT = "ab" * 32


def played(rule="clockwise", player=play_randomly, runs=2, terms=TERMS):
    game = prepare(find_rule(rule).parse())
    return [play_run(player, game, terms, rule, run) for run in range(runs)]


def header(player="ann", rule="clockwise", runs=2, buckets=HIDDEN, terms=TERMS):
    return Header(FORM, player, rule, terms.board_seed, terms.episodes, terms.horizon, buckets, runs)


def put(folder, name, runs, **of_header):
    path = folder / f"{name}.jsonl.gz"
    write_bundle(path, header(runs=len(runs), **of_header), runs)
    return path


def why(folder, name="a.jsonl.gz", terms=TERMS):
    judged = judge_folder(folder, terms)
    assert judged.counted == {}
    return judged.refused[name]


def change_move(runs, run, episode, move, to):
    """The runs with one move replaced, and all else as it was."""
    changed = [[list(moves) for moves in episodes] for episodes in runs]
    changed[run][episode][move] = to
    return [tuple(map(tuple, episodes)) for episodes in changed]


class TestHonest:
    def test_a_bundle_counts_with_the_errors_that_the_rule_gives(self, tmp_path):
        runs = played()
        put(tmp_path, "a", runs)
        (found,) = judge_folder(tmp_path, TERMS).counted.values()
        codes = [[sum(code in (4, 7) for _, _, code in moves) for moves in episodes] for episodes in runs]
        assert [list(errors) for errors in found.errors] == codes and found.empty == 0

    def test_a_player_that_knows_the_rule_makes_no_error(self, tmp_path):
        game = prepare(find_rule("position_A").parse())
        put(tmp_path, "a", played("position_A", knowing(game)), rule="position_A")
        (found,) = judge_folder(tmp_path, TERMS).counted.values()
        assert found.errors == ((0,) * 3,) * 2 and all(map(all, found.cleared))

    def test_an_empty_cell_is_told_and_is_no_error(self):
        board = board_of(TERMS, "clockwise", 0, 0)
        empty = next(cell for cell in range(1, 37) if cell not in {piece.cell for piece in board.pieces})
        match = Match(prepare(find_rule("clockwise").parse()), TERMS, "clockwise", 0)
        assert match.attempt(empty, 0) == 3 and match.attempt(board.pieces[0].cell, 2) == 0
        assert len(match.pieces) == 8

    def test_the_same_runs_give_the_same_bytes(self, tmp_path):
        one, two = put(tmp_path, "a", played()), put(tmp_path, "b", played())
        assert one.read_bytes() == two.read_bytes()

    def test_boards_differ_by_seed_rule_run_and_episode_and_an_alias_has_the_same(self):
        places = [(TERMS, "clockwise", 0, 0), (TERMS, "clockwise", 0, 1), (TERMS, "clockwise", 1, 0),
                  (TERMS, "position_A", 0, 0), (replace(TERMS, board_seed=8), "clockwise", 0, 0)]  # fmt: skip
        assert len({board_of(*place) for place in places}) == len(places)
        assert board_of(TERMS, "nearby_1", 0, 0) == board_of(TERMS, "quadrant_nearby", 0, 0)

    def test_a_player_that_stops_early_is_refused(self):
        with pytest.raises(AssayError, match="stopped after 0 of 3 episodes"):
            played(player=lambda match, seed: None)


class TestCheats:
    def test_an_edited_code(self, tmp_path):
        runs = played()
        place = next(i for i, (_, _, code) in enumerate(runs[1][0]) if code == 4)
        cell, bucket, _ = runs[1][0][place]
        put(tmp_path, "a", change_move(runs, 1, 0, place, (cell, bucket, 0)))
        assert f"run 1, episode 0, move {place}: the transcript says 0" in why(tmp_path)
        assert "the rule answers 4 (DENY)" in why(tmp_path)

    def test_an_error_left_out(self, tmp_path):
        runs = played()
        whole = [moves for moves in runs[0] if len(moves) == TERMS.horizon]
        number = runs[0].index(whole[0])
        place = next(i for i, (_, _, code) in enumerate(whole[0]) if code == 4)
        fewer = list(runs[0])
        fewer[number] = whole[0][:place] + whole[0][place + 1 :]
        put(tmp_path, "a", [tuple(fewer), runs[1]])
        assert "before its end: moves were left out" in why(tmp_path)

    def test_a_dropped_episode(self, tmp_path):
        runs = played()
        put(tmp_path, "a", [runs[0][1:], runs[1]])
        assert "run 0 has 2 episodes, not 3: some were left out" in why(tmp_path)

    def test_a_dropped_episode_that_another_one_replaces(self, tmp_path):
        runs = played()
        put(tmp_path, "a", [(*runs[0][1:], runs[0][1]), runs[1]])
        assert "run 0, episode 0, move" in why(tmp_path)

    def test_a_dropped_run(self, tmp_path):
        path = put(tmp_path, "a", played(runs=3))
        lines = gzip.decompress(path.read_bytes()).splitlines(True)
        path.write_bytes(gzip.compress(b"".join([*lines[:2], *lines[3:]])))
        assert "3 runs are announced, and 2 are there: runs were left out" in why(tmp_path)

    def test_boards_of_another_seed(self, tmp_path):
        other = replace(TERMS, board_seed=8)
        put(tmp_path, "a", played(terms=other), terms=other)
        assert "played on boards of the seed 8; this board gives 7" in why(tmp_path)

    def test_boards_of_another_seed_under_this_one(self, tmp_path):
        put(tmp_path, "a", played(terms=replace(TERMS, board_seed=8)))
        assert "on the board of this seed" in why(tmp_path)

    def test_a_run_twice_under_two_numbers(self, tmp_path):
        runs = played()
        put(tmp_path, "a", [runs[0], runs[0]])
        assert why(tmp_path) == "run 1 repeats run 0."

    def test_a_run_twice_under_one_number(self, tmp_path):
        path = put(tmp_path, "a", played())
        lines = gzip.decompress(path.read_bytes()).splitlines(True)
        path.write_bytes(gzip.compress(b"".join([lines[0], lines[1], lines[1], *lines[3:]])))
        assert why(tmp_path) == "run 0 is in it twice."

    def test_the_same_entry_twice_and_under_another_name(self, tmp_path):
        for name, player in (("a", "ann"), ("b", "ann"), ("c", "bob")):
            put(tmp_path, name, played(), player=player)
        judged = judge_folder(tmp_path, TERMS)
        assert list(judged.counted) == ["a.jsonl.gz"]
        assert judged.refused["b.jsonl.gz"] == "ann has an entry on clockwise already, in a.jsonl.gz."
        assert "runs with errors are those of ann in a.jsonl.gz" in judged.refused["c.jsonl.gz"]
        assert "only the file that comes first by name counts" in judged.refused["c.jsonl.gz"]

    def test_a_single_copied_run_does_not_take_out_the_original(self, tmp_path):
        whole = played(runs=3)
        put(tmp_path, "a", whole[:1], player="mallory")
        put(tmp_path, "b", whole, player="ann")
        assert list(judge_folder(tmp_path, TERMS).counted) == ["a.jsonl.gz", "b.jsonl.gz"]
        put(tmp_path, "c", whole[:1], player="eve")  # of this one every run is a copy
        assert "the errors of 1 of its 1 runs" in judge_folder(tmp_path, TERMS).refused["c.jsonl.gz"]

    @pytest.mark.parametrize("end", [b"2.0", b"true", b'"2"', b"null"])
    def test_a_closing_line_without_a_whole_number(self, tmp_path, end):
        path = put(tmp_path, "a", played())
        lines = gzip.decompress(path.read_bytes()).splitlines(True)
        assert b'"end": 2,' in lines[-1]
        path.write_bytes(gzip.compress(b"".join([*lines[:-1], lines[-1].replace(b": 2,", b": %b," % end)])))
        assert "for the number of runs, which is no whole number" in why(tmp_path)

    def test_a_copy_with_changes_that_cost_nothing(self, tmp_path):
        """Attempts at empty cells are no errors, and under a stationary rule moves may change their order."""
        terms = replace(TERMS, horizon=500)
        runs = played("shape_match", terms=terms)
        put(tmp_path, "a", runs, rule="shape_match", terms=terms)
        changed = []
        for number, episodes in enumerate(runs):
            taken = {piece.cell for piece in board_of(terms, "shape_match", number, 0).pieces}
            empty = next(cell for cell in range(1, 37) if cell not in taken)
            errors_first = sorted(episodes[0], key=lambda move: move[2] == 0)
            changed.append((((empty, 0, 3), *errors_first), *episodes[1:]))
        put(tmp_path, "b", changed, rule="shape_match", player="bob", terms=terms)
        judged = judge_folder(tmp_path, terms)
        assert "runs with errors are those of ann" in judged.refused["b.jsonl.gz"]
        (tmp_path / "a.jsonl.gz").unlink()
        assert list(judge_folder(tmp_path, terms).counted) == ["b.jsonl.gz"]  # it is a true transcript

    def test_two_players_that_make_no_error_may_move_alike(self, tmp_path):
        game = prepare(find_rule("clockwise").parse())
        for name in ("ann", "bob"):
            put(tmp_path, name, played(player=knowing(game)), player=name)
        assert len(judge_folder(tmp_path, TERMS).counted) == 2

    def test_a_name_or_a_rule_in_another_spelling_is_the_same(self, tmp_path):
        put(tmp_path, "a", played("quadrant_nearby"), rule="quadrant_nearby")
        put(tmp_path, "b", played("nearby_1"), rule="nearby_1", player="ANN")
        put(tmp_path, "c", played("nearby_1"), rule="nearby_1", player="ann ")
        put(tmp_path, "d", played("nearby_1"), rule="nearby_1", player="\uff41nn")  # a wide a
        refused = judge_folder(tmp_path, TERMS).refused
        assert refused["b.jsonl.gz"] == "ANN has an entry on quadrant_nearby already, in a.jsonl.gz."
        assert "signs that only look different" in refused["c.jsonl.gz"]
        assert "signs that only look different" in refused["d.jsonl.gz"]

    def test_runs_in_another_order(self, tmp_path):
        """Lines may stand in any order; a run under the number of another was played on other boards."""
        runs = played()
        put(tmp_path, "a", [runs[1], runs[0]])
        assert "run 0, episode 0, move" in why(tmp_path)

    def test_a_transcript_of_another_rule_on_the_same_boards(self, tmp_path):
        """The boards are those of `clockwise`, and a rule that is nearly the same answers."""
        game = prepare(find_rule("counterClockwise").parse())
        runs = [play_run(play_randomly, game, TERMS, "clockwise", run) for run in range(2)]
        put(tmp_path, "a", runs)
        assert "run 0, episode 0, move" in why(tmp_path) and "the rule answers" in why(tmp_path)

    def test_a_transcript_of_another_rule(self, tmp_path):
        put(tmp_path, "a", played("counterClockwise"), rule="clockwise")
        assert "run 0, episode 0, move" in why(tmp_path) and "the rule answers" in why(tmp_path)

    def test_shown_buckets(self, tmp_path):
        put(tmp_path, "a", played(), buckets=SHOWN)
        assert "only runs with hidden buckets count" in why(tmp_path)

    def test_fewer_episodes_than_asked(self, tmp_path):
        short = replace(TERMS, episodes=2)
        put(tmp_path, "a", played(terms=short), terms=short)
        assert "its runs have 2 episodes of 30 attempts; this board asks for 3 of 30" in why(tmp_path)

    def test_moves_behind_the_end_and_beside_the_board(self, tmp_path):
        game = prepare(find_rule("clockwise").parse())
        runs = played(player=knowing(game))
        put(tmp_path, "a", [((*runs[0][0], (1, 0, 3)), *runs[0][1:]), runs[1]])
        assert "comes after the end of its episode" in why(tmp_path)
        put(tmp_path, "a", change_move(runs, 0, 0, 0, (99, 0, 0)))
        assert "names the cell 99" in why(tmp_path)

    @pytest.mark.parametrize("keep", [0.3, 0.9])
    def test_a_truncated_file(self, tmp_path, keep):
        path = put(tmp_path, "a", played())
        whole = path.read_bytes()
        path.write_bytes(whole[: int(keep * len(whole))])
        assert "cut off" in why(tmp_path)

    def test_a_file_without_its_closing_line(self, tmp_path):
        path = put(tmp_path, "a", played())
        lines = gzip.decompress(path.read_bytes()).splitlines(True)
        path.write_bytes(gzip.compress(b"".join(lines[:-1])))
        assert "its closing line is missing" in why(tmp_path)

    def test_a_line_edited_without_the_digest(self, tmp_path):
        path = put(tmp_path, "a", played())
        lines = gzip.decompress(path.read_bytes()).splitlines(True)
        lines[0] = lines[0].replace(b'"ann"', b'"bob"')
        path.write_bytes(gzip.compress(b"".join(lines)))
        assert "another digest than its content: it was edited" in why(tmp_path)

    def test_huge_content(self, tmp_path, monkeypatch):
        monkeypatch.setattr(bundles, "MOST_BYTES", 1 << 20)
        lines = b"\n".join([json.dumps(vars(header())).encode(), *[b'{"run": 0, "episodes": []}'] * 2])
        (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(lines + b" " * (9 << 20)))
        assert "it unpacks to more than 1,048,576 bytes" in why(tmp_path)
        monkeypatch.setattr(bundles, "MOST_PACKED", 10)
        assert "more than 10 bytes" in why(tmp_path)

    def test_a_tar_with_a_path_that_leads_out(self, tmp_path):
        folder, data = tmp_path / "in", io.BytesIO()
        folder.mkdir()
        with tarfile.open(fileobj=data, mode="w:gz") as tar:
            tar.addfile(tarfile.TarInfo("../escaped"), io.BytesIO())
        (folder / "a.jsonl.gz").write_bytes(data.getvalue())
        (folder / "link.jsonl.gz").symlink_to("/etc/hostname")
        put(folder, "b", played(), player="../../escaped")
        put(folder, "c", played(), rule="../../etc/passwd")
        refused = judge_folder(folder, TERMS).refused
        assert "its line 1 is no JSON object" in refused["a.jsonl.gz"]
        assert "links and folders are not followed" in refused["link.jsonl.gz"]
        assert "its player is called" in refused["b.jsonl.gz"]
        assert "no benchmark rule is called" in refused["c.jsonl.gz"]
        assert not (tmp_path / "escaped").exists()

    @pytest.mark.parametrize(
        "line, says",
        [
            (b"[" * 100_000, "no JSON object"),
            (b'{"run": true, "episodes": []}', "no run with its number"),
            (b'{"run": 5, "episodes": []}', "run 5 is none of its 2 runs"),
            (b'{"run": 0, "episodes": [[[1, 2]]]}', "which is no move"),
            (b'{"run": 0, "episodes": [7]}', "which is no move"),
            (b'{"run": 0, "episodes": [[[true, 0, 0]]]}', "which is no move"),
            (b'{"run": 0, "episodes": [[[1.0, 0, 0]]]}', "which is no move"),
            (b'{"run": 0, "episodes": [[[1' + b"0" * 400 + b", 0, 0]]]}", "which is no move"),
            (b'{"run": 0, "episodes": [[[1' + b"0" * 9000 + b", 0, 0]]]}", "no JSON object"),
            (b'{"run": 0, "episodes": [[[NaN, 0, 0]]]}', "its line 2 holds NaN, which is no number."),
            (b'{"run": 0, "run": 1, "episodes": []}', "its line 2 has 'run' twice."),
            (b'{"run": 0, "episodes": [[{"a": 1, "a": 2}]]}', "its line 2 has 'a' twice."),
        ],
    )
    def test_lines_that_are_no_runs(self, tmp_path, line, says):
        text = json.dumps(vars(header())).encode() + b"\n" + line + b"\n"
        (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(text))
        assert says in why(tmp_path)

    def test_other_files_and_no_folder(self, tmp_path):
        (tmp_path / "notes.txt").write_text("hello")
        (tmp_path / "a.jsonl.gz").write_bytes(b"no gzip at all")
        assert "it is no gzip file" in why(tmp_path) and "it is no bundle" in why(tmp_path, "notes.txt")
        with pytest.raises(AssayError, match="is no folder"):
            judge_folder(tmp_path / "none", TERMS)


class TestHeldOut:
    TEXT = "(1,*,*,*,2)\n(1,*,*,*,0)"

    def submit(self, folder, made):
        rule = f"commitment:{made.digest}"
        game = prepare(parse(self.TEXT))
        runs = [play_run(play_randomly, game, TERMS, rule, run) for run in range(2)]
        put(folder, "a", runs, rule=rule)

    def test_it_waits_until_the_rule_is_told(self, tmp_path):
        made = commit("secret", self.TEXT, SALT)
        self.submit(tmp_path, made)
        judged = judge_folder(tmp_path, TERMS)
        assert judged.counted == judged.refused == {} and "not revealed yet" in judged.waiting["a.jsonl.gz"]
        (tmp_path / "s.rule.json").write_text(json.dumps(vars(made)))
        (found,) = judge_folder(tmp_path, TERMS).counted.values()
        assert found.rule.startswith("secret (held out, ")

    @pytest.mark.parametrize("field, value", [("digest", "é" * 64), ("text", "(bucket:\ud800)")])
    def test_a_file_with_odd_characters_is_refused_alone(self, tmp_path, field, value):
        made = commit("secret", self.TEXT, SALT)
        self.submit(tmp_path, made)
        (tmp_path / "s.rule.json").write_text(json.dumps(vars(made)))
        (tmp_path / "t.rule.json").write_text(json.dumps(vars(made) | {field: value}))
        judged = judge_folder(tmp_path, TERMS)
        assert list(judged.counted) == ["a.jsonl.gz"] and list(judged.refused) == ["t.rule.json"]

    def test_two_files_for_one_digest_are_told(self, tmp_path):
        """The digest does not hold the name, so that a second file could rename a rule."""
        made = commit("secret", self.TEXT, SALT)
        self.submit(tmp_path, made)
        for file, name in (("s", "secret"), ("t", "other")):
            (tmp_path / f"{file}.rule.json").write_text(json.dumps(vars(made) | {"name": name}))
        judged = judge_folder(tmp_path, TERMS)
        assert judged.counted["a.jsonl.gz"].rule.startswith("secret (held out")
        assert "s.rule.json reveals the same digest already, as 'secret'" in judged.refused["t.rule.json"]
        assert "this file as 'other'" in judged.refused["t.rule.json"]

    def test_rules_of_one_name_are_told_apart_by_their_digests(self):
        one, other = (commit("secret", text, SALT) for text in (self.TEXT, "(bucket:0)"))
        revealed = {each.digest: each for each in (one, other)}
        names = {find_game(f"commitment:{digest}", revealed)[1] for digest in revealed}
        assert len(names) == 2

    def test_another_text_than_the_committed_one_is_refused(self, tmp_path):
        made = commit("secret", self.TEXT, SALT)
        self.submit(tmp_path, made)
        (tmp_path / "s.rule.json").write_text(json.dumps(vars(replace(made, text="(bucket:0)"))))
        judged = judge_folder(tmp_path, TERMS)
        assert "is not the one that was committed to" in judged.refused["s.rule.json"]
        assert "a.jsonl.gz" in judged.waiting

    def test_a_link_to_a_rule_is_not_followed(self, tmp_path):
        (tmp_path / "s.rule.json").symlink_to("/dev/zero")  # reading it would never end
        assert "links and folders are not followed" in judge_folder(tmp_path, TERMS).refused["s.rule.json"]

    def test_salts(self):
        one, two = commit("r", self.TEXT), commit("r", self.TEXT)
        assert one.digest != two.digest and check_revealed(one) == one
        with pytest.raises(AssayError, match="64 hexadecimal digits"):
            check_revealed(Revealed("r", one.digest, "ab", self.TEXT))


def test_a_bundle_is_read_as_it_was_written(tmp_path):
    runs = played()
    found = read_bundle(put(tmp_path, "a", runs))
    assert found.header == header() and found.runs == tuple(runs)
