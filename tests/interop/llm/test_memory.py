"""What a language model remembers of a series: its window, and a player that wins only by remembering."""

import re

import pytest

import assay
from assay.interop.agents import load_agent
from assay.interop.llm.memory import BEGINS, Memory
from assay.interop.llm.notes import read_notes
from assay.interop.play import play
from tests.interop.llm.stub import PIECE, serve

# One bucket takes every piece, and which one is hidden: who tries in vain once may know it ever after.
TASK = 'rules/custom+rule="(bucket:2)"+pieces=2+shapes=2+colors=2+horizon=12'
ACCEPTED = re.compile(r"to bucket (\d): accepted")


def remembering(messages):
    """Takes the bucket that was accepted in an earlier episode; knows nothing of the moves of this one."""
    known = ACCEPTED.findall(messages[0]["content"])
    piece = PIECE.findall(messages[-1]["content"])[0]
    return f"MOVE: cell {piece} to bucket {known[0] if known else len(messages) // 2 % 4}"


def series(folder, more="", episodes=3, answer=remembering, is_series=True):
    path, notes = folder / "player.yaml", folder / "llm" / "job.jsonl"
    env = assay.make(TASK)
    with serve(answer) as stub:
        path.write_text(f"endpoint: {stub.url}\nmodel: stub\n{more}")
        policy = load_agent(f"llm:{path}").bind(env, notes, series=is_series)
        played = play(policy, env, "llm:player.yaml", 5, episodes)
    return played, read_notes(notes), stub


def test_a_player_that_remembers_makes_no_error_again(tmp_path):
    played, moves, stub = series(tmp_path)
    assert [episode.score for episode in played] == [-4, 0, 0]  # bucket 1; then 3, 0 and 1 for the second
    assert [move.remembered for move in moves] == [0] * 6 + [1] * 2 + [2] * 2
    told = stub.asked[-1]["messages"][0]["content"]
    assert BEGINS in told and "Episode 1: the board was cleared (6 moves, 4 errors)." in told
    assert "Episode 2: the board was cleared (2 moves, 0 errors)." in told


@pytest.mark.parametrize("more, is_series", [("memory: 0\n", True), ("", False)])
def test_without_a_memory_each_episode_begins_anew(tmp_path, more, is_series):
    played, moves, stub = series(tmp_path, more, is_series=is_series)
    assert [episode.score for episode in played] == [-4, -4, -4]
    assert {move.remembered for move in moves} == {0}
    assert not any("Earlier episodes" in each["messages"][0]["content"] for each in stub.asked)
    assert '"memory": 0' in (tmp_path / "llm" / "job.jsonl").read_text().splitlines()[0]


def test_moves_are_told_with_their_pieces_and_responses(tmp_path):
    _, _, stub = series(tmp_path)
    told = stub.asked[-1]["messages"][0]["content"]
    lines = re.findall(r"^  cell \d+ \((\w+) (\w+)\) to bucket \d: (.*)$", told, re.MULTILINE)
    assert len(lines) == 8 and {line[2] for line in lines if "accepted" not in line[2]} == {"denied"}
    assert {line[1] for line in lines} <= {"square", "star", "circle", "triangle"}


def test_moves_beyond_the_history_of_an_episode_are_remembered_within_it(tmp_path):
    _, moves, stub = series(tmp_path, "history: 1\n", episodes=1, answer=lambda _: "1 0")
    told = stub.asked[-1]["messages"][0]["content"]
    assert "This episode so far" in told and told.count("cell 1 (") == len(moves) - 2


def test_a_series_taken_up_again_is_asked_nothing_twice_and_told_the_same(tmp_path):
    before, moves, _ = series(tmp_path, episodes=3)
    path = tmp_path / "llm" / "job.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:8]) + lines[8][:20])  # killed in the second episode
    again, same, stub = series(tmp_path, episodes=3)
    assert [each.digest for each in again] == [each.digest for each in before]
    assert same == moves and len(stub.asked) == len(moves) - 7


def test_other_memories_are_not_taken_for_the_same_question(tmp_path):
    series(tmp_path)
    _, _, stub = series(tmp_path, "memory: 1\n")
    # Only the third episode was told of more than one before it.
    assert len(stub.asked) == 2


class TestWindow:
    def filled(self, episodes, characters, count=4):
        memory = Memory(episodes, characters)
        for _ in range(count):
            memory.begin()
            memory.add("cell 1 (red star) to bucket 0", "denied", True)
            memory.add("cell 1 (red star) to bucket 1", "accepted: red star into bucket 1", False)
            memory.end("the board was cleared")
        memory.begin()
        return memory

    def test_the_number_of_episodes_is_bounded(self):
        told = self.filled(2, 10_000).tell(repeated=0)
        assert re.findall(r"Episode (\d)", told) == ["3", "4"]

    def test_what_does_not_fit_is_told_by_a_line_and_then_left_out(self):
        memory = self.filled(10, 310)
        told = memory.tell(repeated=0)
        assert re.findall(r"Episode (\d)", told) == ["2", "3", "4"] and memory.told == 3
        assert told.count("denied") == 1 and told.index("Episode 4") < told.index("denied")
        assert len(told) <= 310 + len(BEGINS) + 2

    def test_no_characters_tell_nothing(self):
        assert self.filled(10, 0).tell(repeated=0) == ""

    def test_an_episode_that_is_long_is_told_by_its_last_moves(self):
        memory = Memory(3, 100)
        memory.begin()
        for number in range(50):
            memory.add(f"cell {number}", "denied", True)
        told = memory.tell(repeated=2)
        assert "cell 47: denied" in told and "cell 48" not in told and "cell 10:" not in told
