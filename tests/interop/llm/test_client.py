"""Requests are bounded in time, bytes and retries, and the key goes nowhere else."""

import time

import pytest

from assay.errors import AssayError
from assay.interop.llm.client import MOST_BYTES, MOST_TEXT, Client, EndpointFailed
from assay.interop.llm.settings import Player
from tests.interop.llm.stub import Raw, completion, serve

KEY = "sk-very-secret"


def ask(answer, key="", waits=None, **settings):
    with serve(answer) as stub:
        player = Player(stub.url, "stub", **{"timeout": 5.0, "retries": 2} | settings)
        client = Client(player, key, sleep=(waits if waits is not None else []).append)
        return client.ask([{"role": "user", "content": "hello"}]), stub


def test_an_answer_comes_with_its_tokens():
    reply, stub = ask(lambda _: completion("cell 3 to bucket 1", 12, 5), KEY, temperature=0.5, max_tokens=7)
    assert reply == ("cell 3 to bucket 1", 12, 5, "")
    assert stub.headers[0]["Authorization"] == f"Bearer {KEY}"
    asked = stub.asked[0]
    assert (asked["model"], asked["temperature"], asked["max_tokens"]) == ("stub", 0.5, 7)


@pytest.mark.parametrize("failure", [Raw(b"", 500), Raw(b"", 429), Raw(b"", 503), "reset"])
def test_failures_that_may_pass_are_retried_with_growing_waits(failure):
    replies, waits = iter([failure, failure, "cell 1 to bucket 0"]), []
    reply, stub = ask(lambda _: next(replies), waits=waits, backoff=0.25)
    assert (reply.text, len(stub.asked), waits) == ("cell 1 to bucket 0", 3, [0.25, 0.5])


@pytest.mark.parametrize(
    "failure, says", [(Raw(b"", 500), "status 500 .tries: 3"), ("reset", "broke off .tries: 3")]
)
def test_retries_are_bounded(failure, says):
    with pytest.raises(EndpointFailed, match=says):
        ask(lambda _: failure)


def test_a_refused_connection_is_a_failure():
    with serve(lambda _: "") as stub:
        url = stub.url
    with pytest.raises(EndpointFailed, match=r"refused the connection .tries: 2"):
        Client(Player(url, "stub", retries=1), "", sleep=lambda _: None).ask([])


@pytest.mark.parametrize("slow", ["drip", "sleep"])
def test_a_slow_endpoint_is_left_in_time(slow):
    begun = time.monotonic()

    def answer(_):
        if slow == "sleep":
            time.sleep(3)
        return slow

    with pytest.raises(EndpointFailed, match="took too long"), serve(answer) as stub:
        Client(Player(stub.url, "stub", timeout=0.3, retries=0), "").ask([])
    assert time.monotonic() - begun < 2.5


@pytest.mark.parametrize("status", [301, 400, 401, 404])
def test_a_refusal_is_not_retried_and_quotes_nothing(status):
    with pytest.raises(AssayError, match=f"status {status}; mend") as error:
        ask(lambda _: Raw(KEY.encode(), status), KEY)
    assert KEY not in str(error.value)


@pytest.mark.parametrize(
    "data, fault",
    [
        (b"<html>", "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (b"[]", "no message"),
        (b'{"choices": []}', "no message"),
        (b'{"choices": [{"message": {"content": null}}]}', "no message"),
        (b"x" * (MOST_BYTES + 1), "longer than"),
    ],
)
def test_a_malformed_reply_is_no_answer(data, fault):
    reply, _ = ask(lambda _: Raw(data))
    assert reply.text is None and fault in reply.fault


def test_wrong_counts_of_tokens_are_unknown():
    reply, _ = ask(lambda _: completion("x", -3, "many"))
    assert (reply.prompt_tokens, reply.answer_tokens) == (None, None)


def test_a_long_answer_is_cut_and_an_echoed_key_is_hidden():
    reply, _ = ask(lambda _: completion("x" * (MOST_TEXT - 4) + KEY), KEY)
    assert len(reply.text) <= MOST_TEXT and "sk-" not in reply.text
