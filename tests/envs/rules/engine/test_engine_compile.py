"""What tables refuse, and rules of different sizes in one program."""

import pytest

from assay.envs.rules.engine.compile import compile_groups, compile_rule, compile_rules
from assay.envs.rules.engine.sizes import common_sizes
from assay.envs.rules.engine.tables import stack_tables
from assay.envs.rules.geometry import Geometry
from assay.envs.rules.language.parse import parse
from assay.errors import AssayError


def test_parts_of_the_language_that_no_rule_uses_have_no_size():
    sizes = compile_rule(parse("(color:red, bucket:[0,1])")).sizes
    assert (sizes.lists, sizes.orders, sizes.trims, sizes.last, sizes.kin, sizes.bins) == (0,) * 6
    assert (sizes.fixed, sizes.common, sizes.by_piece, sizes.by_bucket, sizes.by_both, sizes.entries) == (
        0,
    ) * 6


def test_a_table_has_an_entry_for_each_case():
    sizes = compile_rule(parse("(bucket:p+1)\n(bucket:p+1) (bucket:Nearby+pc)")).sizes
    # p is nothing or one of 4 buckets, and the same expression has one table; a cell has one of 4 places.
    assert sizes.entries == 5 + 5 * 5 and (sizes.common, sizes.by_piece) == (2, 1)


def test_the_cell_says_what_is_near():
    sizes = compile_rule(parse("(bucket:Nearby + this.pos)")).sizes
    assert (sizes.entries, sizes.fixed) == (37, 1)


def test_a_product_of_conditions_is_several_small_tables():
    sizes = compile_rule(parse("(code:!q.bucket*!q.color*(p==1))")).sizes
    assert sizes.entries == 3 * 5 and (sizes.common, sizes.by_piece, sizes.by_bucket) == (1, 1, 1)


def test_too_many_cases_are_refused_with_their_place():
    rule = parse("()\n(bucket:last.pos + q.color.pos + q.shape.pos + this.pos)")
    with pytest.raises(AssayError, match=r"line 2.*last.pos, q.color.pos, q.shape.pos, this.pos.*1,874,161"):
        compile_rule(rule)


def test_too_many_lines_are_refused():
    with pytest.raises(AssayError, match="up to 64 lines, not 65"):
        compile_rule(parse("\n".join(["()"] * 65)))


def test_too_many_pieces_are_refused():
    with pytest.raises(AssayError, match="up to 128 pieces on a board, not 129"):
        compile_rule(parse("()"), pieces=129)


def test_rules_of_different_sizes_stack_when_padded():
    small, large = compile_rule(parse("()")), compile_rule(parse("(pos:T) (bucket:p)\n1 (postpos:L1)"))
    with pytest.raises(AssayError, match="sizes are equal"):
        stack_tables([small, large])
    sizes = common_sizes([small.sizes, large.sizes])
    assert sizes == compile_rules([parse("()"), parse("(pos:T) (bucket:p)\n1 (postpos:L1)")]).sizes
    assert compile_rule(parse("()"), sizes=sizes).sizes == sizes
    with pytest.raises(AssayError, match="does not fit"):
        compile_rule(parse("(pos:T)"), sizes=small.sizes)


def test_groups_pad_no_rule_with_lines_and_atoms_that_it_does_not_have():
    texts = ["()", "(pos:T) (bucket:p)", "()\n(bucket:p)", "(bucket:1)", "1 (postpos:L1)\n(bucket:p)"]
    groups = compile_groups([parse(text) for text in texts])
    assert [group.rules for group in groups] == [(0, 3), (1,), (2,), (4,)]
    padded = [group.tables.sizes for group in groups]
    shapes = [(each.lines, each.atoms, each.trims) for each in padded]
    assert shapes == [(1, 1, 0), (1, 2, 0), (2, 1, 0), (2, 1, 1)]
    assert [group.tables.lines.tolist() for group in groups] == [[1, 1], [1], [2], [2]]


def test_boards_of_different_sizes_do_not_mix():
    other = compile_rule(parse("()"), Geometry(5, 5, 4)).sizes
    with pytest.raises(AssayError, match="same buckets"):
        common_sizes([compile_rule(parse("()")).sizes, other])
