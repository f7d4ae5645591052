"""Files that users name: what cannot be read is refused in one sentence, and nothing is waited for."""

import os

import pytest

import assay
from assay import user_files
from assay.errors import AssayError
from assay.user_files import BadFile, read_user_json, read_user_text, read_user_yaml

READERS = (read_user_text, read_user_json, read_user_yaml)


def refused(reader, path):
    with pytest.raises(BadFile) as error:
        reader(path)
    said = str(error.value)
    assert "\n" not in said and said.endswith(".")
    return said


@pytest.mark.parametrize("reader", READERS)
def test_a_device_a_pipe_a_folder_and_an_impossible_name_are_refused(reader, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in ("/dev/zero", tmp_path / "pipe"):
        assert "no ordinary file" in refused(reader, path)
    for path in (tmp_path, "a\0b", "n" * 5000, tmp_path / "none"):
        assert "cannot be read" in refused(reader, path)


@pytest.mark.parametrize("reader", READERS)
def test_a_file_that_is_too_large_or_no_text_is_refused(reader, tmp_path, monkeypatch):
    (tmp_path / "file").write_bytes(b"\xff\xfe")
    assert "no text in UTF-8" in refused(reader, tmp_path / "file")
    monkeypatch.setattr(user_files, "LARGEST", 2**20)
    (tmp_path / "file").write_bytes(b" " * (2**20 + 1))
    assert "more than 1 MiB" in refused(reader, tmp_path / "file")


@pytest.mark.parametrize(
    ("reader", "text", "says"),
    [
        (read_user_json, "[" * 100_000, "nested too deep"),
        (read_user_json, '{"a": {"b": 1, "b": 2}}', "the key 'b' is written twice"),
        (read_user_json, "{", "not JSON"),
        (read_user_yaml, "[" * 20_000, "not YAML"),
        (read_user_yaml, "a: {b: 1, b: 2}", "the key 'b' is written twice"),
        (read_user_yaml, "a: &x {b: *x}", "anchor"),
        (read_user_yaml, "a: [", "not YAML"),
    ],
)
def test_what_no_document_may_hold_is_refused(reader, text, says, tmp_path):
    (tmp_path / "file").write_text(text)
    assert says in refused(reader, tmp_path / "file")


def test_what_is_well_written_is_read(tmp_path):
    (tmp_path / "file").write_text('{"a": [1, {"b": null}]}')
    assert read_user_json(tmp_path / "file") == read_user_yaml(tmp_path / "file") == {"a": [1, {"b": None}]}


@pytest.mark.parametrize("name", ["/dev/zero", "deep.json", "deep.csv"])
def test_a_matrix_of_a_bad_file_is_refused(name, tmp_path):
    path = name if name.startswith("/") else tmp_path / name
    if not name.startswith("/"):
        path.write_text("[" * 100_000)
    with pytest.raises(AssayError) as error:
        assay.task(f'toy/discrete+action.matrix="{path}"')
    assert "\n" not in str(error.value)


def test_a_zero_has_one_text():
    assert str(assay.task("toy/discrete+action.random=-0.0")) == "toy/discrete+action.random=0.0"
