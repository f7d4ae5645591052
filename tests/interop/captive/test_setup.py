"""Every way to name a game, and refusals at the start."""

import json

import pytest

from assay.envs.rules.board import board_to_json
from assay.envs.rules.random_boards import BoardDraw, draw_board, make_chance
from assay.errors import AssayError
from assay.interop.captive.arguments import Output
from assay.interop.captive.files import Files
from assay.interop.captive.main import serve
from tests.interop.captive.play import CLOCKWISE, data_lines, open_words, write_board, write_rule


def shown(session) -> list[dict]:
    """The pieces of the board, without their buckets."""
    pieces = json.loads(data_lines(session.text.write(session.episode))[0])["value"]
    return [
        {key: value for key, value in piece.items() if key not in ("buckets", "label")} for piece in pieces
    ]


def boards_of(session, count: int) -> list[list[dict]]:
    boards = [shown(session)]
    for _ in range(count - 1):
        session.answer(b"NEW")
        boards.append(shown(session))
    return boards


def names_of(session, count: int) -> list[int]:
    return [board[0]["x"] for board in boards_of(session, count)]


class TestRandomBoards:
    def test_boards_of_a_seed_are_those_of_java_s_generator(self, tmp_path):
        rule = write_rule(tmp_path / "rule.txt")
        chance = make_chance(42, "java")
        wanted = [
            board_to_json(draw_board(BoardDraw((5, 9), (2, 3), (0, 4)), chance))["value"] for _ in range(5)
        ]
        assert boards_of(open_words(rule, "5:9", "2:3", "0:4", "seed=42"), 5) == wanted

    def test_the_first_board_of_seed_7_by_hand(self):
        """java.util.Random(7), one piece: its cell, shape and colour are the three draws."""
        state = (7 ^ 0x5DEECE66D) & (2**48 - 1)
        draws = []
        for bound in (36, 4, 4):
            state = (state * 0x5DEECE66D + 0xB) % 2**48
            draws.append((bound * (state >> 17)) >> 31 if bound == 4 else (state >> 17) % bound)
        cell = draws[0] + 1
        shape = ("SQUARE", "STAR", "CIRCLE", "TRIANGLE")[draws[1]]
        color = ("RED", "BLACK", "BLUE", "YELLOW")[draws[2]]
        piece = {"id": 0, "color": color, "shape": shape, "x": (cell - 1) % 6 + 1, "y": (cell - 1) // 6 + 1}
        assert shown(open_words("shape_match", "1", "seed=7")) == [piece]

    def test_no_seed_is_fresh_entropy(self):
        assert shown(open_words("shape_match", "9")) != shown(open_words("shape_match", "9", "seed=0"))

    def test_names_of_one_s_own(self):
        session = open_words("shape_match", "9", "2", "1", "shapes=Cat;dog", "colors=green", "seed=1")
        assert {piece["shape"] for piece in shown(session)} == {"CAT", "DOG"}
        assert {piece["color"] for piece in shown(session)} == {"GREEN"}
        assert json.loads(session.answer(b"FEATURES")) == {"shape": ["CAT", "DOG"], "color": ["GREEN"]}

    def test_crowded_boards(self):
        pieces = shown(open_words("shape_match", "36", "crowded=true", "seed=5"))
        assert len(pieces) == 36 and len({(piece["x"], piece["y"]) for piece in pieces}) < 36

    def test_names_of_a_folder(self, tmp_path):
        (tmp_path / "arrows").mkdir()
        for name in ("up.svg", "down.svg"):
            (tmp_path / "arrows" / name).write_text("")
        session = open_words(
            "shape_match", "9", "shapes=arrows/*", f"inputDir={tmp_path}", files=Files(tmp_path)
        )
        assert json.loads(session.answer(b"FEATURES"))["shape"] == ["ARROWS/DOWN", "ARROWS/UP"]


class TestConditions:
    @pytest.fixture
    def condition(self, tmp_path):
        return write_rule(tmp_path / "cond.txt", "(color:red)")

    def has_red(self, session) -> bool:
        return any(piece["color"] == "RED" for piece in shown(session))

    def test_sides(self, condition):
        session = open_words("shape_match", "3", f"condTrain={condition}", "seed=1")
        for side, wanted in ((b"train", False), (b"test", True), (b"TRAIN", False)):
            assert session.answer(b"COND " + side) == b"# OK, cond=" + side.lower() + b"\n"
            for _ in range(20):
                session.answer(b"NEW")
                assert self.has_red(session) == wanted
        assert session.answer(b"COND") == b"# OK, cond=train\n"

    def test_a_session_may_begin_with_the_test_side(self, condition):
        session = open_words("shape_match", "3", f"condTest={condition}", "seed=1")
        assert self.has_red(session) and session.answer(b"cond") == b"# OK, cond=test\n"

    def test_no_board_on_a_side_refuses_new_and_leaves_the_episode(self, tmp_path):
        never = write_rule(tmp_path / "never.txt", "(color:green)")
        session = open_words("shape_match", "3", f"condTrain={never}", "seed=1", output=Output.STANDARD)
        session.answer(b"COND test")
        session.answer(b"MOVE 0 0")
        before = session.answer(b"DISPLAY")
        assert data_lines(session.answer(b"NEW"))[0].startswith("-2 0 1")
        assert session.answer(b"DISPLAY") == before
        session.answer(b"COND train")
        assert data_lines(session.answer(b"NEW"))[0] == "6 0 0"


class TestStrictReading:
    """As tasks read rules, unless strict=false."""

    @pytest.mark.parametrize("text, says", [
        ("(shape:stars, bucket:1)", "no piece has the shape STARS; did you mean STAR?"),
        ("(colour:red, bucket:1)", "no piece has the property colour; did you mean color?"),
        ("(size:1, bucket:1)", "the column images of a trial list, gives them properties"),
    ])  # fmt: skip
    def test_what_no_piece_has_is_refused(self, tmp_path, text, says):
        rule = write_rule(tmp_path / "rule.txt", text)
        with pytest.raises(AssayError) as refused:
            open_words(rule, "9")
        assert str(refused.value).startswith("rule, line 1, column ") and says in str(refused.value)
        assert open_words(rule, "9", "strict=false").episode.finish == 2  # a stalemate, as it says

    def test_names_and_properties_that_pieces_have_are_taken(self, tmp_path):
        cats = write_rule(tmp_path / "cats.txt", "(shape:cat, bucket:1)")
        assert open_words(cats, "9", "1", "1", "shapes=cat").episode.finish == 0
        sizes = write_rule(tmp_path / "sizes.txt", "(size:[big, huge], bucket:1)")
        piece = {"id": 0, "x": 1, "y": 1, "size": "big"}
        (tmp_path / "board.json").write_text(json.dumps({"value": [piece]}))
        assert open_words(sizes, str(tmp_path / "board.json")).episode.finish == 0

    def test_values_of_a_table_and_conditions_on_its_properties(self, tmp_path):
        (tmp_path / "kinds.csv").write_text("size\nbig\nhuge\n")
        # Four pieces, so that one board in 16 has huge ones alone: of nine, one in 512 has.
        (tmp_path / "list.csv").write_text(
            "rule_id,min_objects,max_objects,images,condTrain\nhugee,4,4,kinds.csv,\nhuge,4,4,kinds.csv,big\n"
        )
        write_rule(tmp_path / "hugee.txt", "(size:hugee, bucket:1)")
        write_rule(tmp_path / "huge.txt", "(size:HUGE, bucket:1)")
        write_rule(tmp_path / "big.txt", "(size:big)")
        files = Files(tmp_path)
        with pytest.raises(AssayError, match=r"no piece has the size hugee; did you mean huge\?"):
            open_words(str(tmp_path / "list.csv"), "1", files=files)
        session = open_words(str(tmp_path / "list.csv"), "2", files=files)
        assert {piece["size"] for piece in shown(session)} == {"huge"}


class TestLists:
    def test_a_row_of_a_list(self, tmp_path):
        write_rule(tmp_path / "mine.txt", CLOCKWISE)
        path = tmp_path / "list.csv"
        path.write_text("rule_id,min_objects,max_objects,min_shapes,max_shapes,min_colors,max_colors,shapes\n"
                        "shape_match,3,3,0,0,0,0,\nmine,4,4,1,1,2,2,cat;dog\n")  # fmt: skip
        session = open_words(str(path), "2", "seed=3", files=Files(tmp_path))
        assert len(shown(session)) == 4 and len({piece["shape"] for piece in shown(session)}) == 1
        assert session.setup.rule_name == "mine" and session.setup.list_name == "list"
        for row in ("0", "3", "x", "1:2"):
            with pytest.raises(AssayError, match="rows 1 to 2"):
                open_words(str(path), row, files=Files(tmp_path))

    def test_a_broken_row_spoils_no_other(self, tmp_path):
        path = tmp_path / "list.csv"
        path.write_text("rule_id,min_objects\nshape_match,5\n\nshape_match,many\nshape_match,4\n")
        assert len(shown(open_words(str(path), "1"))) == 5 and len(shown(open_words(str(path), "3"))) == 4
        with pytest.raises(AssayError, match=r"min_objects in row 2 of .*list.csv \(line 4\) is 'many'"):
            open_words(str(path), "2")

    def test_max_boards_ends_a_run(self, tmp_path):
        (tmp_path / "list.csv").write_text("rule_id,max_boards\nshape_match,2\nshape_match,0\n")
        session = open_words(str(tmp_path / "list.csv"), "1", "seed=1")
        first = session.answer(b"DISPLAY")
        assert data_lines(session.answer(b"NEW"))[0] == "6 0 0"
        second = session.answer(b"DISPLAY")
        reply = session.answer(b"NEW")
        assert reply.startswith(b"-2 0 0\n# the run has max_boards=2") and first != second
        assert session.answer(b"DISPLAY") == second  # the last board is still there
        with pytest.raises(AssayError, match="max_boards is 0"):
            open_words(str(tmp_path / "list.csv"), "2")

    def test_a_rule_with_a_modifier(self, tmp_path):
        (tmp_path / "rules").mkdir()
        (tmp_path / "modifiers").mkdir()
        write_rule(tmp_path / "rules" / "mine.txt")
        (tmp_path / "modifiers" / "two.csv").write_text(
            "min_objects,max_objects,max_shapes,max_colors\n2,2,1,1\n"
        )
        session = open_words("R:mine:two", files=Files(tmp_path))
        assert len(shown(session)) == 2 and session.setup.rule_name == "mine"
        assert len(shown(open_words("R:position_A:benchmark"))) == 9

    @pytest.mark.parametrize("order, wanted", [("alpha", [1, 2, 1, 2]), ("order", [2, 2, 1, 2])])
    def test_boards_of_a_folder(self, tmp_path, capfd, order, wanted):
        (tmp_path / "boards").mkdir()
        for name, x in (("a", 1), ("b", 2)):
            write_board(tmp_path / "boards" / f"{name}.json", (("red", "star", x, 1),))
        (tmp_path / "order.csv").write_text("b\nb.json\na\n")
        (tmp_path / "list.csv").write_text(
            f"rule_id,initial_boards,initial_boards_order\nshape_match,boards,{order}\n"
        )
        assert names_of(open_words(str(tmp_path / "list.csv"), "1", files=Files(tmp_path)), 4) == wanted
        assert capfd.readouterr() == ("", "")  # the published server prints a list of files

    def test_a_table_of_properties(self, tmp_path):
        write_rule(tmp_path / "big.txt", "(size:[2..3], bucket:1)")
        (tmp_path / "animals.csv").write_text("image,size\ncat.png,1\ndog.png,2\n")
        (tmp_path / "list.csv").write_text("rule_id,min_objects,max_objects,images\nbig,6,6,animals.csv\n")
        session = open_words(str(tmp_path / "list.csv"), "1", "seed=2", files=Files(tmp_path))
        assert {(piece["image"], piece["size"]) for piece in shown(session)} == {
            ("cat.png", 1),
            ("dog.png", 2),
        }


@pytest.mark.parametrize(
    "words, says",
    [
        ("", "no game is named"),
        ("shape_match", "a game is named by"),
        ("shape_match 9 4", "a game is named by"),
        ("shape_match 9 4 4 4", "a game is named by"),
        ("R:shape_match:benchmark 9", "a game is named by"),
        ("nothere.txt 9", "no rule file or benchmark rule 'nothere.txt'"),
        ("shape_match nothere.json", "no board file"),
        ("nothere.csv 1", "no trial list"),
        ("R:shape_match", "R:rule:modifier"),
        ("R:shape_match:nothere", "no modifier"),
        ("shape_match x", "number of pieces"),
        ("shape_match 0", "at least one piece"),
        ("shape_match 9:3", "smaller first"),
        ("shape_match 37", "do not fit"),
        ("shape_match 3 4 4", "cannot show 4 shapes"),  # the published server dies of it in mid-session
        ("shape_match 9 5 4", "there are 4 names"),
        ("shape_match 9 4 4 colors=red;RED", "each once"),
        ("shape_match 9 condTrain=nothere.txt", "no condition file"),
        ("shape_match 9 shapes=nothere/*", "names a folder"),
    ],
)
def test_refusals_at_the_start(tmp_path, monkeypatch, words, says):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AssayError, match=says):
        open_words(*words.split())


def test_bad_files_are_refused_with_their_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_rule(tmp_path / "rule.txt", "(bucket:nowhere)")
    with pytest.raises(AssayError, match="rule, line 1, column 9"):
        open_words("rule.txt", "9")
    assert open_words("rule.txt", "9", "strict=false").episode.finish == 2
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(AssayError, match=r"bad\.json is no JSON"):
        open_words("shape_match", "bad.json")
    (tmp_path / "bytes.txt").write_bytes(b"\xff")
    with pytest.raises(AssayError, match="no text in UTF-8"):
        open_words("bytes.txt", "9")
    write_board(tmp_path / "board.json")
    with pytest.raises(AssayError, match="colors is an option of random boards"):
        open_words("shape_match", "board.json", "colors=red")


class TestFiles:
    def test_clients_of_a_socket_stay_inside(self, tmp_path):
        inside = tmp_path / "inside"
        inside.mkdir()
        write_rule(inside / "rule.txt")
        secret = write_rule(tmp_path / "secret.txt", "secret words")
        (inside / "link.txt").symlink_to(secret)
        files = Files(inside, within=inside)
        assert files.find("rule.txt") and files.find(str(inside / "rule.txt"))
        for name in ("../secret.txt", secret, "link.txt", "/etc/passwd", "rule.txt\x00", ""):
            assert files.find(name) is None
        for name in ("../x.csv", str(tmp_path / "x.csv"), "link.txt"):
            with pytest.raises(AssayError, match="outside"):
                files.place_to_write(name)
        with pytest.raises(AssayError, match="outside"):
            files.expand(("../*",))

    def test_large_files_and_devices_are_refused(self, tmp_path):
        (tmp_path / "large.txt").write_bytes(b"#" * 4_000_001)
        with pytest.raises(AssayError, match="more than"):
            Files(tmp_path).read("large.txt", "rule")
        with pytest.raises(AssayError, match="no rule"):
            Files(tmp_path).read("/dev/zero", "rule")


def test_an_input_folder_that_is_not_there_is_refused(tmp_path, capsys):
    assert serve(["shape_match", "9", f"inputDir={tmp_path / 'nosuch'}"]) == 1
    assert "nosuch', which is no folder" in capsys.readouterr().err
    assert serve(["--port", "0", f"inputDir={tmp_path / 'nosuch'}"]) == 1
