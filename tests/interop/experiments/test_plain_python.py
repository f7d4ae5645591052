"""Files of settings are read and not run: values by hand, then what is refused, then what is bounded."""

import numpy as np
import pytest

from assay.errors import AssayError
from assay.interop.experiments.plain_python import read_names
from assay.interop.experiments.plain_values import NormalNoise, Unknown

IMPORTS = """
import itertools
import numpy as np
from ray import tune
from collections import OrderedDict
"""
LOADS = """
import yaml
with open("{}", "r") as stream:
    config = yaml.safe_load(stream)
a = config["alpha"]
"""


@pytest.fixture
def read(tmp_path):
    def read(text, name="experiment.py"):
        (tmp_path / name).write_text(text)
        return read_names(tmp_path / name)

    return read


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[0] + [2 ** i for i in range(4)]", [0, 1, 2, 4, 8]),
        ("list(np.array([0, 1, 5]) / 100)", [0.0, 0.01, 0.05]),
        ("list(np.power(10.0, np.linspace(-1, -3, 3)))", [0.1, 0.01, 0.001]),
        ("np.arange(0, 3)", [0, 1, 2]),
        ("OrderedDict(sorted({'b': 1, 'a': 2}.items(), key=lambda pair: pair[0]))", {"a": 2, "b": 1}),
        ("[i for i in range(6) if i % 2 == 0]", [0, 2, 4]),
        ("{name: [size] for name, size in [('delay', 1), ('n', 2)]}", {"delay": [1], "n": [2]}),
        ("[(a, b) for a in (1, 2) for b in 'xy']", [(1, "x"), (1, "y"), (2, "x"), (2, "y")]),
        ("'cat, ' + str([i for i in range(1, 4)])", "cat, [1, 2, 3]"),
        ("list(itertools.product([1, 2], [3]))", [(1, 3), (2, 3)]),
        ("list(itertools.combinations(['a', 'b', 'c'], 2))", [("a", "b"), ("a", "c"), ("b", "c")]),
        ("[*range(2), *{'x': 1}]", [0, 1, "x"]),
        ("{**{'a': 1}, 'b': 2}", {"a": 1, "b": 2}),
        ("1 if 'x' in {'x': 1} and not False else 2", 1),
        ("1_000 // 3 if 1 < 2 <= 2 else -1", 333),
        ("tune.function(lambda a: a.normal(0, 0.5))", NormalNoise(0, 0.5)),
        ("lambda s, a, rng: rng.normal(0, 2, )", NormalNoise(0, 2)),
        ("[5, 6, 7][1:]", [6, 7]),
        ("isinstance([], list) and isinstance('', str) and not isinstance((), list)", True),
    ],
)
def test_values_by_hand(read, text, value):
    found = read(f"{IMPORTS}x = {text}")["x"]
    assert found == value or np.allclose(found, value, rtol=1e-12)
    assert type(found) is type(value)


def test_loops_build_lists_as_python_does(read):
    text = """
import itertools
transforms = ["shift", "flip"]
built = []
for size in range(len(transforms) + 1):
    for combination in itertools.combinations(transforms, size):
        word = "none" if size == 0 else ""
        for k in range(size):
            word += combination[k] + ","
        built.append(word)
total = 0
for a, b in zip([1, 2], [3, 4]):
    total += a * b
if total == 11:
    kept = {"total": total}
    kept["more"] = 1
assert total == 12, "is not read"
print(total)
"""
    names = read(text)
    assert names["built"] == ["none", "shift,", "flip,", "shift,flip,"]
    assert names["kept"] == {"total": 11, "more": 1}


def test_a_lambda_sees_names_when_it_is_called(read):
    assert read("a = [lambda rng: rng.normal(0, s) for s in (1, 2)]")["a"] == [
        NormalNoise(0, 2),
        NormalNoise(0, 2),
    ]


def test_nothing_is_executed(read, tmp_path):
    names = read(
        f"import os\nfrom pathlib import Path\nx = os.system('touch {tmp_path}/made')\n"
        f"y = Path('{tmp_path}/made').touch()\nz = eval('1')\nw = __import__('os')\nv = ().__class__\n"
        f"u = open('{tmp_path}/made', 'w')\n"
    )
    assert not (tmp_path / "made").exists()
    assert all(isinstance(names[each], Unknown) for each in "xyzwv")


def test_what_cannot_be_known_names_its_line(read):
    found = read("import numpy as np\na = {'lr': np.random.uniform(0, 1), 'b': 1}")["a"]
    assert found["b"] == 1
    assert found["lr"] == Unknown("np.random.uniform(...)", 2)
    assert "line 2" in str(found["lr"])


def test_a_yaml_file_beside_is_read_and_a_missing_one_is_unknown(read, tmp_path):
    (tmp_path / "agents.yaml").write_text("alpha: 0.3\n")
    assert read(LOADS.format("agents.yaml"))["a"] == 0.3
    assert read(LOADS.format("missing.yaml"))["a"] == Unknown("the file missing.yaml", 3)
    assert isinstance(read(LOADS.format("../outside.yaml"))["a"], Unknown)
    assert isinstance(read(LOADS.format("/etc/passwd"))["a"], Unknown)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x = 1\nwhile x:\n    x = 0", "line 2 of .* is not read: a statement of the kind while"),
        ("x = missing + 1", "line 1 of .* the name missing is not bound before it"),
        ("x = {}['key']", "line 1 of .* KeyError"),
        ("\n\nx = 1 / 0", "line 3 of .* ZeroDivisionError"),
        ("import os\nfor x in os.listdir():\n    pass", "line 2 of .* goes over os.listdir"),
        ("import os\nif os.environ:\n    pass", "line 2 of .* asks for os.environ"),
        ("x = (", "is not Python, line 1"),
        ("a, b = [1, 2, 3]", "binds 3 values to 2 names"),
    ],
)
def test_refusals_name_the_line(read, text, why):
    with pytest.raises(AssayError, match=why):
        read(text)


@pytest.mark.parametrize(
    "text",
    [
        "x = [0] * 10**9",
        "x = list(range(10**9))",
        "x = 'a' * 10**9",
        "x = 10 ** 10 ** 10",
        "x = 2\nfor i in range(99):\n    x = x * x",
        "x = [0]\nfor i in range(99):\n    x = [x, x]",
        "x = []\nfor i in range(99):\n    x.append(x)\ny = str(x)",
        "import numpy as np\nx = np.linspace(0, 1, 10**9)",
        "import numpy as np\nx = np.arange(10**9)",
        "import itertools\nx = list(itertools.product([1, 2, 3], repeat=50))",
        "import itertools\nx = list(itertools.permutations(range(30)))",
        "x = '%1000000000d' % 1",
        "for a in range(9999):\n    for b in range(9999):\n        c = a",
        "x = ','.join(['a' * 50000] * 50000)",
        "x = " + "(" * 5000 + ")" * 5000,
    ],
)
def test_what_it_makes_is_bounded(read, text):
    with pytest.raises(AssayError):
        read(text)
