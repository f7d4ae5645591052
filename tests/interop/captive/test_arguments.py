"""Command lines of the server: its own, and those that clients of the published one write."""

import pytest

from assay.errors import AssayError
from assay.interop.captive.arguments import Arguments, Listening, LogOptions, Options, Output, read_arguments


def read(text: str) -> Arguments:
    return read_arguments(text.split())


def test_the_words_of_a_client_of_the_published_server():
    got = read("-Doutput=STANDARD edu.wisc.game.engine.Captive game/rule.txt 5 3 2")
    assert got == Arguments(("game/rule.txt", "5", "3", "2"), Options(output=Output.STANDARD))


def test_words_for_a_java_machine_are_left_out():
    got = read(
        "-Xmx1g -cp a.jar:b.jar -Djava.awt.headless=true -Dseed=4 edu.wisc.game.engine.Captive r.txt 5"
    )
    assert got == Arguments(("r.txt", "5"), Options(seed=4))


def test_options_stand_anywhere():
    got = read("seed=-7 r.txt colors=Red;blue 5:9 crowded=TRUE shapes=arrows/*;star")
    assert got.words == ("r.txt", "5:9")
    assert got.options == Options(seed=-7, colors=("Red", "blue"), shapes=("arrows/*", "star"), crowded=True)


def test_every_option():
    got = read(
        "R:a:b output=brief condTest=c.txt inputDir=data buckets=hidden strict=false log=x.csv "
        "log.nickname=me log.run=3 log.format=compact detailedTranscript=t.csv"
    )
    log = LogOptions("x.csv", False, "me", 3, True, "t.csv")
    assert got.options == Options(
        Output.BRIEF, cond_test="c.txt", input_dir="data", hides_buckets=True, strict=False, log=log
    )


@pytest.mark.parametrize("append", ["logappend=x.csv", "log.append=x.csv", "log=x.csv log.append=true"])
def test_ways_to_append(append):
    log = read(f"r.txt 5 {append} log.nickname=me log.run=0").options.log
    assert log.path == "x.csv" and log.append


def test_where_a_socket_server_listens():
    assert read("--port 7501 --host 0.0.0.0 --clients=3").listening == Listening(7501, "0.0.0.0", 3)
    assert read("edu.wisc.game.engine.GameSocketServer 7501").listening == Listening(7501)


@pytest.mark.parametrize(
    "words, says",
    [
        ("r.txt 5 sead=3", "no option 'sead'"),
        ("r.txt 5 seed=x", "seed takes a whole number"),
        ("r.txt 5 seed=99999999999999999999", "seed takes a whole number"),
        ("r.txt 5 seed=", "seed is empty"),
        ("r.txt 5 output=LOUD", "output is BRIEF or STANDARD or FULL"),
        ("r.txt 5 crowded=maybe", "crowded is true or false"),
        ("r.txt 5 colors=;", "colors names nothing"),
        ("r.txt 5 log=x.csv", "needs log.nickname and log.run"),
        ("r.txt 5 log=x.csv log.nickname=me", "needs log.nickname and log.run"),
        ("r.txt 5 log=x.csv log.nickname=me log.run=-1", "log.run takes"),
        ("r.txt 5 detailedTranscript=t.csv", "without log"),
        ("r.txt 5 condTrain=a condTest=b", "condTrain and condTest are both given"),
        ("-Dseed r.txt 5", "-Dseed has no value"),
        ("-v r.txt 5", "'-v' is no option"),
        ("--loud r.txt 5", "'--loud' is no option"),
        ("--port", "--port takes a whole number"),
        ("--port 70000", "--port takes a whole number from 0 to 65535"),
        ("--clients 0", "--clients takes"),
    ],
)
def test_what_is_refused(words, says):
    with pytest.raises(AssayError, match=says):
        read(words)
