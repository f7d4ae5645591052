"""Rule texts become records, or one sentence with line and column; records become texts again."""

import gc
import time

import pytest

from assay.envs.rules.geometry import Geometry
from assay.envs.rules.language.errors import RuleError
from assay.envs.rules.language.faults import refuse_missing_properties
from assay.envs.rules.language.parse import parse, read
from assay.envs.rules.language.syntax import (
    Arithmetic,
    Atom,
    Cell,
    Comparison,
    Line,
    Name,
    Not,
    Number,
    Order,
    OrderName,
    Place,
    Property,
    Range,
    Rule,
    Text,
    Union,
)
from assay.envs.rules.language.write import write


def atom_of(text: str, **settings) -> Atom:
    return parse(text, **settings).lines[0].atoms[0]


class TestAtoms:
    def test_a_tuple(self):
        expected = Atom(
            count=1,
            shape=Name(("STAR",)),
            color=Union((Name(("RED",)), Text("DARK RED"))),
            positions=((Cell(3), OrderName("L1")),),
            bucket=Arithmetic("+", Name(("p",)), Number(1)),
            keyed=False,
        )
        assert atom_of('(1, star, [red, "dark red"], [3, L1], p+1)') == expected

    def test_fields(self):
        expected = Atom(
            count=2,
            positions=((Cell(1),), (OrderName("T"),)),
            bucket=Name(("q", "color", "bucket")),
            code=Not(Name(("last",))),
            postpos=(OrderName("L"),),
            properties=(Property("size", (Range(1, 3), Range(7, 7))), Property("kind", Name(("cat",)))),
        )
        text = (
            "(count:2, pos:1, pos:T, bucket:q.color.bucket, code:!last, postpos:L, size:[1..3,7], kind:cat)"
        )
        assert atom_of(text) == expected

    def test_stars_stand_for_anything(self):
        assert atom_of("(*,*,*,*,*)") == Atom(keyed=False)
        assert atom_of("()") == atom_of("(count:*, shape:*, pos:*, bucket:*, postpos:*, code:*)") == Atom()
        assert atom_of("(size:*)").properties == (Property("size", None),)

    def test_ranges_may_stand_bare(self):
        assert atom_of("(size:-2..3)").properties == (Property("size", (Range(-2, 3),)),)

    def test_both_forms_share_a_line(self):
        (line,) = parse("2 (1,*,*,*,0) (bucket:1)").lines
        assert line.count == 2 and [atom.keyed for atom in line.atoms] == [False, True]


class TestExpressions:
    @pytest.mark.parametrize(
        "text, tree",
        [
            ("1 + 2 * 3", Arithmetic("+", Number(1), Arithmetic("*", Number(2), Number(3)))),
            ("1 - 2 - 3", Arithmetic("-", Arithmetic("-", Number(1), Number(2)), Number(3))),
            ("!p * 2", Arithmetic("*", Not(Name(("p",))), Number(2))),
            ("!!p", Not(Not(Name(("p",))))),
            ("p - -1", Arithmetic("-", Name(("p",)), Number(-1))),
            ("p+1 == 2", Comparison("==", Arithmetic("+", Name(("p",)), Number(1)), Number(2))),
            ("(1 < 2) == 1", Comparison("==", Comparison("<", Number(1), Number(2)), Number(1))),
            ("[[1], p]", Union((Union((Number(1),)), Name(("p",))))),
            ("nearby", Name(("Nearby",))),
        ],
    )
    def test_binding(self, text, tree):
        assert atom_of(f"(bucket:{text})").bucket == tree

    @pytest.mark.parametrize(
        "text, written",
        [("((1)+(2*3))", "1 + 2 * 3"), ("1-(2-3)", "1 - (2 - 3)"), ("(1-2)-3", "1 - 2 - 3"),
         ("(1+2)*3", "(1 + 2) * 3"), ("2*(3/4)", "2 * (3 / 4)"), ("!(p+1)", "!(p + 1)"), ("(!p)*2", "!p * 2"),
         ("(1==2)+1", "(1 == 2) + 1"), ("1==(2==3)", "1 == (2 == 3)"), ("[(p)]", "[p]")],
    )  # fmt: skip
    def test_parentheses_are_minimal(self, text, written):
        assert write(parse(f"(bucket:{text})")) == f"(bucket:{written})\n"


class TestLines:
    def test_orders_comments_and_names(self):
        rule = parse("# About it.\r\n\r\n# Display: Simple\r\norder X = [1, [2, 3]] # tail\r\n(pos:X)\r\n")
        assert rule == Rule((Line((Atom(positions=((OrderName("X"),),)),)),), (Order("X", ((1,), (2, 3))),))
        assert rule.description == "About it." and rule.shown_as == "Simple"
        assert read(write(rule)).rule == rule
        assert parse(write(rule)).description == "About it." and parse(write(rule)).shown_as == "Simple"

    def test_a_number_sign_in_quotes_is_no_comment(self):
        assert atom_of('(shape:"a#b")').shape == Text("A#B")

    def test_places_are_kept_and_not_compared(self):
        (line,) = parse("\n  (bucket:p)").lines
        assert line.at == Place(2, 3) and line.atoms[0].bucket.at == Place(2, 11)

    def test_names_of_other_alphabets(self):
        assert atom_of("(color:größe)").color == Name(("GRÖßE",))


REFUSED = [
    ("", 1, 1, "there is no rule line"),
    ("# only this\n", 2, 1, "there is no rule line"),
    ("(1,*,*,*)", 1, 9, "`,` is expected after part 4"),
    ("(1,*,*,*,0,1)", 1, 11, "`)` is expected after the fifth part"),
    ("(bucket:0), (bucket:1)", 1, 11, "`(` is expected"),
    ("(bucket:0", 1, 10, "not the end of the line"),
    ("(bucket:[])", 1, 10, "is expected here, not `]`"),
    ("(bucket:[0,])", 1, 12, "is expected here, not `]`"),
    ("(bucket:-p)", 1, 10, "a number after `-`"),
    ("(bucket:1<2<3)", 1, 12, "one comparison"),
    ("(bucket:1=2)", 1, 10, "write `==`"),
    ("(bucket:[1..3])", 1, 11, "ranges stand in fields of properties alone"),
    ("(1,2star,*,*,0)", 1, 5, "`,` is expected after part 2"),
    ("(bucket:0, bucket:1)", 1, 12, "given twice"),
    ("()\nOrder X=[1]", 2, 1, "before the first rule line"),
    ("Order X=[]\n()", 1, 10, "a cell"),
    ("Order X=[1] 2\n()", 1, 13, "nothing follows"),
    ("(bucket:2147483648)", 1, 9, "too large"),
    ("(bucket:" + "9" * 5000 + ")", 1, 9, "too large"),
    ("(shape:&)", 1, 8, "'&' cannot stand"),
    ('(shape:"star)', 1, 8, "not closed"),
    ("(bucket:" + "(" * 60 + "1" + ")" * 60 + ")", 1, 60, "more than 50"),
    ("(bucket:" + "!" * 60 + "1)", 1, 60, "more than 50"),
    ("(bucket:1" + "+1" * 200 + ")", 1, 9, "more than 100 operations"),
    ("(bucket:" + "*".join(["[0,1,2,3]"] * 9) + ")", 1, 9, "more than 100000 values"),
    ("-1 ()", 1, 1, "`(` is expected"),
    ("(postpos:3)", 1, 10, "the name of an order is expected"),
]
STRICTLY_REFUSED = [
    ("(bucket:foo)", 1, 9, "no variable foo"),
    ("(bucket:NEARBY)", 1, 9, "did you mean Nearby?"),
    ("(bucket:q)", 1, 9, "needs the name of a property"),
    ("(bucket:p.color.pos)", 1, 9, "asks for too much"),
    ("(pos:X)", 1, 6, "no order X"),
    ("(pos:l1)", 1, 6, "did you mean L1?"),
    ("(postpos:X)", 1, 10, "no order X"),
    ("(pos:37)", 1, 6, "no cell 37: cells go from 1 to 36"),
    ("(pos:0)", 1, 6, "no cell 0"),
    ("(Bucket:0)", 1, 2, "written `bucket`"),
    ("(shape:!star)", 1, 8, "no negation of values"),
    ("(shape:arrows/up)", 1, 8, "stands in double quotes"),
    ("(count:-1)", 1, 8, "negative"),
    ("(-1,*,*,*,0)", 1, 2, "negative"),
    ("Order X=[1,1]\n(pos:X)", 1, 1, "twice in the order X"),
    ("Order X=[40]\n(pos:X)", 1, 1, "no cell 40"),
    ("Order X=[1]\nOrder X=[2]\n(pos:X)", 2, 1, "given twice"),
    ("(size:[3..1])", 1, 8, "holds nothing"),
]


class TestRefusals:
    @pytest.mark.parametrize("text, line, column, says", REFUSED)
    @pytest.mark.parametrize("strict", [True, False])
    def test_what_cannot_be_read(self, text, line, column, says, strict):
        with pytest.raises(RuleError) as error:
            parse(text, strict=strict, source="my.txt")
        assert (error.value.line, error.value.column) == (line, column), str(error.value)
        assert says in str(error.value)
        assert str(error.value).startswith(f"my.txt, line {line}, column {column}: ")

    @pytest.mark.parametrize("text, line, column, says", STRICTLY_REFUSED)
    def test_what_strict_reading_refuses_and_lenient_reading_takes(self, text, line, column, says):
        with pytest.raises(RuleError) as error:
            parse(text)
        assert (error.value.line, error.value.column) == (line, column), str(error.value)
        assert says in str(error.value)
        rule = parse(text, strict=False)
        assert parse(write(rule), strict=False) == rule

    def test_a_negative_count_is_leniently_none(self):
        assert atom_of("(count:-1)", strict=False).count is None

    def test_cells_go_by_the_board(self):
        assert parse("(pos:49)", geometry=Geometry(7, 7, 4)).lines[0].atoms[0].positions == ((Cell(49),),)

    def test_properties_that_no_piece_has_are_refused(self):
        rule = parse("(size:1, bucket:q.size.kind)")
        refuse_missing_properties(rule, {"size", "kind"})
        with pytest.raises(RuleError, match="line 1, column 2: no piece has the property size"):
            refuse_missing_properties(rule, ())
        with pytest.raises(RuleError, match="line 1, column 17: no piece has the property kind"):
            refuse_missing_properties(rule, {"size"})

    def test_a_text_beyond_the_limit_is_refused(self):
        with pytest.raises(RuleError, match="has 1000002 characters"):
            parse("()" + " " * 1_000_000)

    def test_a_line_beyond_the_limit_is_refused(self):
        with pytest.raises(RuleError, match="line 2, column 1: the line has 100002 characters"):
            parse("()\n()" + " " * 100_000)


def test_time_grows_no_faster_than_the_text():
    """Ten times the text takes about ten times as long; a quadratic reader would take a hundred times."""
    line = "(bucket:[1,2,3,4], size:[1,2,3,4,5,6,7,8]) " * 20 + "\n"

    def seconds(text: str) -> float:
        begun = time.process_time()
        parse(text)
        return time.process_time() - begun

    gc.disable()  # it would look through what other tests left behind, in one of the two and not in the other
    try:
        small = min(seconds(line * 10) for _ in range(3))
        assert min(seconds(line * 100) for _ in range(2)) < 40 * small
    finally:
        gc.enable()
