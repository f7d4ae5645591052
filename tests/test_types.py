"""What `mypy` is asked to look at, and the exceptions that the code takes from it. `make lint` runs it."""

import ast
import re
import tomllib
from collections import defaultdict
from pathlib import Path

import pytest

HOME = Path(__file__).parents[1]
PACKAGE = HOME / "src" / "assay"
PROJECT = tomllib.loads((HOME / "pyproject.toml").read_text())["tool"]
STRICT = ("analysis", "core", "results", "runs", "stats")
MOST = 30  # exceptions from the types
EXCEPTION = re.compile(r"#\s*type:\s*ignore(?P<code>\[[a-z, -]+\])?(?P<reason>\s+#\s*\S+ \S+.*)?")
UNTYPED = re.compile(r"\b[dD]ict\[str, Any\]")  # in quotes too


def overrides():
    return PROJECT["mypy"]["overrides"]


def ours(override):
    """The modules of assay that an override names."""
    return [name for name in override["module"] if name.split(".")[0] == "assay"]


def test_every_module_of_ours_is_looked_at():
    assert PROJECT["mypy"]["files"] == ["src/assay"] and PROJECT["mypy"]["strict"] is True
    for settings in (PROJECT["mypy"], *overrides()):
        assert not {"exclude", "ignore_errors", "follow_imports", "disable_error_code"} & set(settings)
        assert not (settings.get("ignore_missing_imports") and "module" in settings and ours(settings))
    skips = [path for path in PACKAGE.rglob("*.py") if "# mypy:" in path.read_text()]
    assert skips == []


def test_relaxed_modules_have_their_bodies_checked_and_the_strict_rooms_are_not_among_them():
    relaxed = [each for each in overrides() if ours(each)]
    assert relaxed and all(each["check_untyped_defs"] is True for each in relaxed)
    named = {name for each in relaxed for name in ours(each)}
    rooms = {name.split(".")[1] for name in named}
    assert not rooms & set(STRICT)
    assert all((PACKAGE / room).is_dir() or (PACKAGE / f"{room}.py").is_file() for room in rooms)


def exceptions():
    """(where, code, reason) of every `type: ignore`."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if found := EXCEPTION.search(line):
                yield f"{path.relative_to(HOME)}:{number}", found["code"], found["reason"]


def test_each_exception_has_a_code_and_a_reason_and_they_are_few():
    found = list(exceptions())
    assert [where for where, code, reason in found if not code or not reason] == []
    assert 0 < len(found) <= MOST


@pytest.mark.parametrize(
    "line, whole",
    [
        ("x = 1  # type: ignore", False),
        ("x = 1  # type: ignore[misc]", False),
        ("x = 1  # type: ignore  # no code here", False),
        ("x = 1  # type: ignore[misc]  # no", False),
        ("x = 1  # type: ignore[misc]  # a class, not an instance", True),
    ],
)
def test_an_exception_is_whole_with_both(line, whole):
    found = EXCEPTION.search(line)
    assert bool(found["code"] and found["reason"]) == whole


def test_the_package_says_that_it_is_typed():
    assert (PACKAGE / "py.typed").is_file()
    assert "py.typed" in PROJECT["setuptools"]["package-data"]["assay"]


def named_in(module, tree, modules):
    """(module, name) of all that this one takes from others, by `from m import name` or as `m.name`."""
    places = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for each in node.names:
                whole = f"{node.module}.{each.name}"
                if whole in modules:
                    places[each.asname or each.name] = whole
                else:
                    yield node.module, each.name
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in places:
            yield places[node.value.id], node.attr


def shared_and_untyped(sources):
    """The functions, of modules by name, with `dict[str, Any]` in a signature that another module uses."""
    trees = {module: ast.parse(source) for module, source in sources.items()}
    users = defaultdict(set)
    for module, tree in trees.items():
        for taken in named_in(module, tree, trees):
            users[taken].add(module)
    for module, tree in trees.items():
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and users[module, node.name] - {module}:
                given = [each.annotation for each in ast.walk(node.args) if isinstance(each, ast.arg)]
                if any(
                    each is not None and UNTYPED.search(ast.unparse(each)) for each in (*given, node.returns)
                ):
                    yield f"{module}.{node.name}"


def module_name(path):
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")


def test_no_two_files_share_a_signature_with_an_untyped_dict():
    sources = {
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(
            ".__init__"
        ): path.read_text()
        for path in PACKAGE.rglob("*.py")
    }
    assert list(shared_and_untyped(sources)) == []


def test_a_shared_untyped_dict_is_found_however_it_is_imported():
    plain = (
        "def f(x: int) -> dict[str, Any]: ...\ndef g(x: 'Dict[str, Any] | None'): ...\ndef h() -> int: ..."
    )
    used = {"p.b": "from p.a import f, h", "p.c": "from p import a\na.g({})"}
    assert list(shared_and_untyped({"p.a": plain, **used})) == ["p.a.f", "p.a.g"]
    assert list(shared_and_untyped({"p.a": plain + "\nf(1)"})) == []
