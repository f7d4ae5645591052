"""Several variations under one schedule, in a task's text."""

import pytest

from assay.errors import BadText
from assay.task_text import parse


@pytest.mark.parametrize(
    "short, whole",
    [
        ("[a=1+b=2]@sudden:300", "a=1@sudden:300+b=2@sudden:300"),
        ("[a=1+b]@ramp:10:20:life", "a=1@ramp:10:20:life+b@ramp:10:20:life"),
        ("[a=1,b=2]@sudden:300:600", "a=1@window:300:600+b=2@sudden:600"),
        ("[a=1+c=[1,2],plain,b=2]@sudden:1:2:3", "a=1@window:1:2+c=[1,2]@window:1:2+b=2@sudden:3"),
        ("[plain,a=1]@cyclic:600", "a=1@turn:600:1:2"),
        ("[a=1,b=2,c=3]@cyclic:5:life", "a=1@turn:5:0:3:life+b=2@turn:5:1:3:life+c=3@turn:5:2:3:life"),
    ],
)
def test_a_list_of_variations_under_one_schedule_stands_for_a_setting_each(short, whole):
    assert str(parse(f"toy/discrete+{short}")) == f"toy/discrete+{whole}"
    assert parse(f"toy/discrete+{whole}") == parse(f"toy/discrete+{short}")


@pytest.mark.parametrize(
    "text, says",
    [
        ("[a=1,a=2]@sudden:3:6", "'a' stands in two concepts .* keep one of them"),
        ("[a=1,b=2]@sudden:6:3", "2 concepts follow one another by @sudden:300:600"),
        ("[a=1,b=2]@sudden:6", "one step each and rising"),
        ("[a=1,b=2]@random:0.1", "not by @random:0.1"),
        ("[a=1@sudden:3]@sudden:4", "has a schedule inside a list that has one"),
        ("[a=1,b=2]", "has a list of variations and no schedule"),
        ("[plain,plain]@cyclic:6", "holds no variation beside plain"),
    ],
)
def test_a_list_that_says_no_order_is_refused(text, says):
    with pytest.raises(BadText, match=says):
        parse(f"toy/discrete+{text}")
