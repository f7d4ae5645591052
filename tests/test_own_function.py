import math

import pytest

from assay.envs.own_function import import_function
from assay.errors import UnknownName, WrongLevel


def test_a_function_is_imported_by_its_name():
    assert import_function("math:sqrt", "reward='math:sqrt'") is math.sqrt


def test_an_object_that_cannot_be_called_is_refused():
    with pytest.raises(WrongLevel) as refused:
        import_function("math:pi", "reward='math:pi'")
    assert str(refused.value) == "reward='math:pi' names a float; name a function."


@pytest.mark.parametrize("text", ["no_such_module:f", "math:no_such_name", ":f"])
@pytest.mark.parametrize("kind", [WrongLevel, UnknownName])
def test_a_name_that_leads_nowhere_is_refused_with_the_kind_of_error_asked_for(text, kind):
    with pytest.raises(kind, match=r"^the reward cannot be imported \(.+\); write module:function\.$"):
        import_function(text, "the reward", missing=kind)
