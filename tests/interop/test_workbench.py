"""The workbench of a game's memory: searches, frozen cells, rules, and what is saved of them."""

import numpy as np
import pytest

import assay
from assay.envs.atari.game_table import RULES
from assay.envs.atari.rulefile import HOOKS
from assay.errors import AssayError
from assay.interop.workbench import Workbench
from assay.interop.workbench_files import save_variation
from assay.interop.workbench_rules import ELSEWHERE, HERE, quote_expressions

pytest.importorskip("ale_py")


@pytest.fixture(scope="module")
def pong():
    bench = Workbench("atari/Pong")
    bench.play(100)  # the ball is in play
    bench.keep()
    return bench


@pytest.fixture
def bench(pong):
    pong.free()
    pong.drop_rules()
    pong.go_back()
    pong.look_anew()
    return pong


class TestSearch:
    def test_the_ball_is_found_by_its_values(self, bench):
        """It flies to the left: of all cells one alone went down three times."""
        for _ in range(3):
            bench.play(3)
            found = bench.find("down")
        assert found == [49] and bench.label_of(49) == "ball_x"

    def test_relations_by_hand(self, bench):
        before = bench.cells.copy()
        bench.poke(100, 7), bench.poke(101, 9)
        assert set(bench.find("changed")) == set(np.flatnonzero(bench.cells != before))
        bench.poke(100, 11)
        assert bench.find("+4") == [100]
        assert bench.find("equal") == [100] and bench.find("=11") == [100]
        bench.poke(100, 3)
        assert bench.find("-8") == [100] and bench.find("up") == []
        bench.look_anew()
        assert len(bench.found()) == 128

    @pytest.mark.parametrize("relation", ["sideways", "=", "=x", "+", "++4", "4", ""])
    def test_other_relations_are_refused(self, bench, relation):
        with pytest.raises(AssayError, match="a search takes up, down"):
            bench.find(relation)


class TestCells:
    def test_a_frozen_cell_keeps_its_value_until_it_is_free(self, bench):
        held = int(bench.cells[49])
        bench.freeze(49)
        bench.play(20)
        assert bench.cells[49] == held and bench.frozen == {49: held}
        bench.free(49)
        bench.play(5)
        assert bench.cells[49] != held and bench.frozen == {}

    def test_what_changed_is_told(self, bench):
        bench.poke(100, 3)
        assert bench.changed == {100}
        bench.play(1)
        assert 49 in bench.changed and 100 not in bench.changed

    def test_cells_have_numbers_and_names(self, bench):
        assert bench.cell_of("49") == bench.cell_of("ball_x") == 49
        bench.name_cell(100, "hundred")
        assert bench.cell_of("hundred") == 100
        bench.names.pop("hundred")

    def test_bad_cells_values_and_names_are_refused(self, bench):
        for act, says in (
            (lambda: bench.cell_of("128"), "cells 0 to 127"),
            (lambda: bench.cell_of("bal_x"), "did you mean 'ball_x'"),
            (lambda: bench.poke(1, 256), "from 0 to 255"),
            (lambda: bench.freeze(1, -1), "from 0 to 255"),
            (lambda: bench.free(3), "not frozen"),
            (lambda: bench.name_cell(3, "ball_x"), "already names a cell"),
            (lambda: bench.name_cell(3, "frame"), "already means something"),
            (lambda: bench.play(1, "JUMP"), "no action of atari/Pong"),
            (lambda: bench.play(1, "UP"), "it has NOOP, FIRE, RIGHT"),
        ):
            with pytest.raises(AssayError, match=says):
                act()


class TestRules:
    def test_a_rule_acts_at_once_and_a_dropped_one_no_more(self, bench):
        bench.add_rule("frame", "{when: ball_x > 40, set: {ball_x: 40}}")
        bench.play(2)
        assert bench.cells[49] <= 40
        bench.drop_rules()
        bench.poke(49, 90)
        bench.play(1)
        assert bench.cells[49] > 80

    def test_a_bad_rule_is_refused_and_leaves_the_others(self, bench):
        bench.freeze(49, 70)
        for hook, text, says in (
            ("frame", "{set: {bal_x: 3}}", "did you mean 'ball_x'"),
            ("frame", "{set: {ball_x: 3}", "from character 18 on: did not find"),
            ("frames", "{set: {ball_x: 3}}", "did you mean 'frame'"),
            ("frame", "{when: ball_x > 3}", "needs one of the keys"),
        ):
            with pytest.raises(AssayError, match=says):
                bench.add_rule(hook, text)
        bench.play(3)
        assert bench.cells[49] == 70 and bench.rules == []

    def test_brackets_and_commas_need_no_quotation_marks(self, bench):
        bench.add_rule("frame", "{when: ram[49] > min(3, 200), set: {ram[10]: 7, ram[11]: ram[10] + 1}}")
        bench.play(2)
        assert bench.cells[10] == 7
        (line,) = [line for line in bench.draft() if "ram[10]" in line]
        assert line == '  - {when: "ram[49] > min(3, 200)", set: {"ram[10]": 7, "ram[11]": "ram[10] + 1"}}'

    @pytest.mark.parametrize(
        "typed, quoted",
        [
            ('{set: {"ram[10]": 1}}', '{set: {"ram[10]": 1}}'),
            ("{set: {row: [1, ram[3], 4]}}", '{set: {row: [1, "ram[3]", 4]}}'),
            ("pay: min(points, 3)", "pay: min(points, 3)"),
            ("{set: {ram[10: 1}}", "{set: {ram[10: 1}}"),
            ("{set: {a: b if i in (1, 4..9) else 0}}", '{set: {a: "b if i in (1, 4..9) else 0"}}'),
        ],
    )
    def test_what_yaml_reads_as_it_is_stays_so(self, typed, quoted):
        assert quote_expressions(typed) == quoted

    def test_a_mistake_is_told_at_its_character_in_what_was_typed(self, bench):
        bench.add_rule("start", "{set: {ram[10]: 1}}")
        typed = "{when: ram[49] > 3, set: {ram[10]: bal_x}}"
        with pytest.raises(AssayError) as told:
            bench.add_rule("frame", typed)
        place = typed.index("bal_x") + 1
        assert str(told.value).startswith(
            f"in the rule '{typed}', from character {place} on: nothing is called"
        )
        assert "line" not in str(told.value)

    def test_hooks_are_named_and_their_examples_work(self, bench):
        with pytest.raises(AssayError, match=f"write one of {', '.join(HERE)}; `help rule` shows"):
            bench.add_rule("foo", "{set: {ram[13]: 5}}")
        for hook, each in HERE.items():
            bench.add_rule(hook, each.example)
            bench.play(2)
            bench.drop_rules()
        assert set(HERE) | set(ELSEWHERE) == {*HOOKS, "screen"}

    @pytest.mark.parametrize("hook", ELSEWHERE)
    def test_hooks_that_do_not_work_here_say_where_they_do(self, bench, hook):
        with pytest.raises(AssayError, match=f"{hook} .* in a rule file, as docs/atari-rules.md shows"):
            bench.add_rule(hook, "{set: {ball_y: 0}}")

    @pytest.mark.parametrize("hook", ["action", "reward"])
    def test_what_a_hook_cannot_do_is_refused_before_it_is_played(self, bench, hook):
        with pytest.raises(AssayError, match=f"set cannot stand in the rules of {hook}"):
            bench.add_rule(hook, "{set: {ball_y: 0}}")
        bench.play(2)


class TestTouches:
    @pytest.mark.parametrize(
        "rules, touches",
        [
            ([("start", "{set: {enemy_score: 20}}")], "initial"),
            ([("frame", "{set: {enemy_score: 20}}")], "initial, transition"),
            ([("step", "{set: {enemy_score: 20}}")], "transition"),
            ([("event", "{pay: 0}")], "reward"),
            ([("event", "{set: {enemy_score: 20}, owe: 1}")], "transition, reward"),
            (
                [
                    ("reward", "{pay: points * 2}"),
                    ("start", "{set: {enemy_score: 20}}"),
                    ("action", "{when: action == FIRE, become: NOOP}"),
                ],
                "initial, action, reward",
            ),
        ],
    )
    def test_what_a_draft_declares_follows_from_its_hooks(self, bench, rules, touches):
        for hook, text in rules:
            bench.add_rule(hook, text)
        assert f"touches: [{touches}]" in bench.draft()
        assert "touches: [terminal]" in bench.draft(touches="terminal")

    def test_held_cells_act_at_reset_too(self, bench):
        bench.freeze(49, 80)
        bench.add_rule("reward", "{pay: points * 2}")
        assert "touches: [initial, transition, reward]" in bench.draft()


class TestGoingBack:
    def test_the_score_is_that_of_the_moment(self, bench):
        score = bench.score
        bench.score = -20.0
        bench.keep()
        bench.score = -21.0
        bench.go_back()
        assert bench.score == -20.0
        bench.score = score
        bench.keep()

    def test_memory_and_draws_of_a_tried_rule_are_those_of_the_moment(self, bench):
        rules = DICE.replace("NAME", "dice")
        bench.host.add_rules(rules, "the rule", instead=True)
        (dice,) = bench.host._added
        bench.play(5)
        saved, memory = bench.env.save(), list(dice.memory)
        bench.play(7)
        first = list(dice.memory)
        bench.env.restore(saved)
        assert dice.memory == memory and memory[0] == 5
        bench.play(7)
        assert dice.memory == first

        bench.host.add_rules(rules, "the rule", instead=True)  # another one, which was not there then
        bench.play(3)
        bench.env.restore(saved)
        assert bench.host._added[0].memory[0] == 0

    @pytest.mark.parametrize("task", ["gym/CartPole-v1", "toy/discrete"])
    def test_other_envs_are_refused_in_a_sentence(self, task):
        with pytest.raises(AssayError, match=f"the workbench takes an Atari game, .* not {task}"):
            Workbench(task)

    def test_what_the_workbench_sets_is_told_in_the_words_of_the_task(self):
        for setting in ("frameskip=2", "sticky=0.25"):
            with pytest.raises(AssayError, match=f"cannot set {setting.split('=')[0]}; leave it out") as told:
                Workbench(f"atari/Pong+{setting}")
            assert "more than once" not in str(told.value)


DICE = """
game: Pong
variations:
  NAME:
    means: counts frames and draws
    direction: neutral
    touches: [transition]
    memory: {frames: 0, last: 0}
    frame: [{keep: {frames: frames + 1, last: "uniform(0, 1000000)"}}]
"""


class TestSaving:
    def test_what_was_tried_is_what_is_played(self, bench, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        bench.freeze(49, 80)
        bench.add_rule("frame", "{when: ball_y > 100, set: {ball_y: 100}}")
        path = tmp_path / "mine.yaml"
        task = save_variation(bench, path, "still", "the ball stands", {"direction": "simplification"})
        env = assay.make(f"{task}+frameskip=1+sticky=0.0")
        env.reset(seed=0)
        mine, host = Workbench("atari/Pong"), env.unwrapped.inner.host
        mine.freeze(49, 80)
        mine.add_rule("frame", "{when: ball_y > 100, set: {ball_y: 100}}")
        for _ in range(150):
            env.step(0)
            mine.play(1)
            host.emulator.read()
            assert (mine.cells == host.emulator.buffer).all()
        assert "ball_y: 54" in path.read_text() and "player_y" not in path.read_text()

    def test_a_second_one_goes_into_the_same_file(self, bench, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        path = tmp_path / "mine.yaml"
        bench.freeze(49, 80)
        save_variation(bench, path, "still", 'a "quoted" text: with signs', {})
        bench.free()
        bench.freeze(60, 100)
        save_variation(bench, path, "held", "the paddle stands", {"touches": "transition, reward"})
        for name in ("still", "held"):
            assay.make(f"atari/Pong+mine.yaml:{name}")
        with pytest.raises(AssayError, match="has a variation held already"):
            save_variation(bench, path, "held", "again", {})
        assert not list(tmp_path.glob("*.new"))

    def test_no_other_file_is_touched_and_a_link_stays_a_link(self, bench, tmp_path):
        bench.freeze(49, 80)
        path, other = tmp_path / "mine.yaml", tmp_path / "mine.yaml.new"
        other.write_text("mine")
        save_variation(bench, path, "still", "m", {})
        (tmp_path / "folder").mkdir()
        link = tmp_path / "folder" / "link.yaml"
        link.symlink_to(path)
        path.chmod(0o640)
        save_variation(bench, link, "again", "m", {})
        assert other.read_text() == "mine" and link.is_symlink()
        assert "again:" in path.read_text() and path.stat().st_mode & 0o777 == 0o640
        assert sorted(each.name for each in tmp_path.iterdir()) == ["folder", "mine.yaml", "mine.yaml.new"]

    def test_a_new_entry_has_the_indent_of_the_file(self, bench, tmp_path):
        path = tmp_path / "four.yaml"
        path.write_text(FOUR)
        bench.freeze(49, 80)
        save_variation(bench, path, "still", "m", {})
        assert "\n    ball_x: 49\n" in path.read_text() and "\n    still:\n        means:" in path.read_text()

    def test_what_cannot_be_saved_is_refused_and_changes_no_file(self, bench, tmp_path):
        path, other = tmp_path / "mine.yaml", tmp_path / "other.yaml"
        other.write_text("game: Breakout\nvariations: {}\n")
        one_line = tmp_path / "line.yaml"
        one_line.write_text("game: Pong\ncells: {x: 3}\nvariations: {}\n")
        with pytest.raises(AssayError, match="nothing to save"):
            save_variation(bench, path, "still", "m", {})
        bench.freeze(49, 80)
        shipped = RULES / "pong.yaml"
        before = shipped.read_text()
        for file, name, keys, says in (
            (shipped, "still", {}, "a rule file that assay ships; save into a file of your own"),
            (tmp_path / "mine.txt", "still", {}, "ends in .yaml"),
            (tmp_path / "no" / "mine.yaml", "still", {}, "in a folder that is there"),
            (path, "stands still", {}, "no name of a variation"),
            (path, "still", {"touches": "ball"}, "touches is one of"),
            (path, "still", {"colour": "red"}, "save takes touches and direction"),
            (other, "still", {}, "holds rules of Breakout"),
            (one_line, "still", {}, "stand on one line"),
        ):
            with pytest.raises(AssayError, match=says):
                save_variation(bench, file, name, "m", keys)
        assert shipped.read_text() == before and not path.exists()
        assert other.read_text() == "game: Breakout\nvariations: {}\n"


FOUR = """game: Pong
cells:
    # columns
    paddle: 60
variations:
    held:
        means: the paddle stands
        direction: harder
        touches: [initial, transition]
        frame:
            - {set: {paddle: 100}}
"""
