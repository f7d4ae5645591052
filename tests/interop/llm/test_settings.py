"""The file of a player: what it may hold, and that it never holds a key."""

import pytest

from assay.errors import AssayError
from assay.interop.llm.settings import key_of, read_player

PLAIN = "endpoint: https://host/v1\nmodel: small\n"


def read(tmp_path, text):
    path = tmp_path / "player.yaml"
    path.write_text(text)
    return read_player("llm:player.yaml", path)


def test_a_short_file_is_enough(tmp_path):
    player = read(tmp_path, PLAIN + "timeout: 5\n")
    assert player.url.geturl() == "https://host/v1/chat/completions"
    assert (player.model, player.timeout, player.key_variable) == ("small", 5.0, "")


@pytest.mark.parametrize(
    "text, says",
    [
        ("model: small\n", "has no endpoint"),
        (PLAIN + "tempo: 1\n", "'tempo'"),
        (PLAIN + "retries: -1\n", "retries is a number from 0 on"),
        (PLAIN + "temperature: .nan\n", "temperature is a number from 0 on"),
        (PLAIN + "timeout: 0\n", "timeout"),
        (PLAIN + "history: many\n", "history"),
        (PLAIN + "key_variable: sk-1234\n", "names an environment variable"),
        ("endpoint: https://me:word@host/v1\nmodel: small\n", "without user or query"),
        ("endpoint: file:///etc/passwd\nmodel: small\n", "endpoint is an address"),
        ("endpoint: http://host:99999/v1\nmodel: small\n", "endpoint is an address"),
        ("endpoint: http://host/v1\nmodel: small\nkey_variable: K\n", "unencrypted"),
        ("just words", "no list of fields; write endpoint: and model:"),
        ("", r"player.yaml is empty; write endpoint: and model: on lines of their own\.$"),
        ("a: [", "is no YAML"),
    ],
)
def test_a_wrong_file_is_refused_in_a_sentence(tmp_path, text, says):
    with pytest.raises(AssayError, match=says) as error:
        read(tmp_path, text)
    assert "word@" not in str(error.value) and "sk-1234" not in str(error.value)


def test_a_key_in_the_file_is_refused_and_not_shown(tmp_path):
    with pytest.raises(AssayError, match="holds api_key") as error:
        read(tmp_path, PLAIN + "api_key: sk-1234\n")
    assert "sk-1234" not in str(error.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(AssayError, match="there is no file"):
        read_player("llm:none.yaml", tmp_path / "none.yaml")


def test_the_key_comes_from_its_variable(tmp_path, monkeypatch):
    player = read(tmp_path, PLAIN + "key_variable: PLAYER_KEY\n")
    monkeypatch.setenv("PLAYER_KEY", " sk-1234 \n")
    assert key_of("llm:p", player) == "sk-1234"
    monkeypatch.setenv("PLAYER_KEY", "sk-1\n234")
    with pytest.raises(AssayError, match="no header takes") as error:
        key_of("llm:p", player)
    assert "234" not in str(error.value)
    monkeypatch.delenv("PLAYER_KEY")
    with pytest.raises(AssayError, match="environment variable PLAYER_KEY; set it"):
        key_of("llm:p", player)
