"""Numbers in names of variations."""

import pytest

from assay.errors import BadText
from assay.variations.numbered import parse_numbers, print_numbers


@pytest.mark.parametrize(
    "text, numbers", [("0", (0,)), ("0-3", (0, 1, 2, 3)), ("0_2-3", (0, 2, 3)), ("1_3_5", (1, 3, 5))]
)
def test_numbers_are_read_and_printed_alike(text, numbers):
    assert parse_numbers(text, f"x.{text}") == numbers
    assert print_numbers(numbers) == text


@pytest.mark.parametrize("text", ["3-1", "a", "", "1_", "1--2", "-1", "99999999"])
def test_what_is_no_number_is_refused_with_the_name(text):
    with pytest.raises(BadText, match=r"action\.restricted.*where numbers are named"):
        parse_numbers(text, f"action.restricted.{text}")


@pytest.mark.parametrize("text, usual", [("1_0", "0-1"), ("0_1", "0-1"), ("2-2", "2"), ("0-1_1-2", "0-2")])
def test_one_set_of_numbers_has_one_name(text, usual):
    with pytest.raises(BadText, match=f"write x.{usual}\\.$"):
        parse_numbers(text, f"x.{text}")
