"""Mutated task texts and files: every reader answers with a result or with one sentence of assay's own.

    python benchmarks/mutations.py [texts, default 1,000,000] [files, default 18,000] [seed]

Prints what was read, and every input that ended in another exception; the exit code is 1 if there was one.
"""

from __future__ import annotations

import random
import resource
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import yaml

from assay.errors import AssayError

MOST_MEMORY, MOST_SECONDS = 6 * 2**30, 10  # what no input may need
TEXTS = (
    "toy/discrete+delay=4+transition_noise=0.1", "toy/discrete+reward_noise=1.0@ramp:100:200",
    "atari/Pong+lazy_enemy", "atari/Breakout+color_all_blocks=red+action.random=0.3@sudden:300:life",
    "platformer/run+background.mode=color+background.color_names=[purple,lime,indigo]",
    "platformer/run+filters.hue_shift=180.0@uniform:10", "gym/CartPole-v1+observation.noise=0.1",
    "gym/FrozenLake-v1+make.is_slippery=false", "toy/continuous+target_radius=2.0+delay=1",
    'toy/discrete+rewardable_sequences=[[[0,2],0.5],[[2,1],-1.0]]', "toy/grid+image_representations=true",
    "toy/discrete+mine:blink=0.5", 'toy/discrete+reward_function="mine:pays"',
)  # fmt: skip
PIECES = ("+", "=", "@", ":", ".", ",", "[", "]", '"', "/", "-", "e", "1e999", "-0", "07", "nan", "inf",
          "true", "\x00", "\n", " ", "é", "\ud800", "9" * 30, "life", "random", "+:name", "+.name:x", "[[",
          "null", "{}", "../", "!!python/object:os.system", "&a", "*a", "<<", "0x10", "1_000", "1:30",
          "~")  # fmt: skip
KAGE = """
background: {mode: image, image_paths: [a.png, b.png], parallax_factor: 0.5}
character: {use_sprites: true, sprite_paths: [x], width: 16}
filters: {hue_shift: 20, brightness: 0.1}
layout: {length: 512, run_width: 20}
npc: {enabled: true, max_npc_count: 4}
"""
PLAYGROUND = """
state_space_type: discrete
action_space_size: 8
delay: 1
sequence_length: 3
reward_density: 0.25
terminal_state_density: 0.25
transition_noise: 0.1
reward_noise: 1
make_denser: false
seed: 0
"""
SUITE = """
name: own/one
asks: what?
pairs:
  - {train: toy/discrete, evaluate: toy/discrete+delay=2}
seeds: 3
episodes: 5
"""
RULES = """
game: Pong
cells: {ball_x: 49, enemy_y: 50}
variations:
  lazy:
    means: the opponent waits
    direction: simplification
    touches: [transition]
    memory: {last: 130}
    values: {slow: 1, fast: 3}
    frame:
      - {when: ball_x < 100, set: {enemy_y: 100}}
      - keep: {last: ball_x + value}
"""


def mutated(text: str, rng: random.Random) -> str:
    """The text with one to four small changes."""
    for _ in range(rng.randint(1, 4)):
        place, other = rng.randint(0, len(text)), rng.randint(0, len(text))
        low, high = sorted((place, other))
        change = rng.randrange(6)
        if change == 0:
            text = text[:place] + rng.choice(PIECES) + text[place:]
        elif change == 1:
            text = text[:low] + text[min(high, low + 8) :]
        elif change == 2:
            text = text[:place] + chr(rng.randrange(1, 0x250)) + text[place + 1 :]
        elif change == 3:
            text = text[:high] + text[low:high] + text[high:]
        elif change == 4:
            text = text[:low] + text[high : high + 8] + text[low:high] + text[high + 8 :]
        else:
            text = text[:place] + rng.choice(PIECES) + text[place + 1 :]
    return text


def mutated_value(value: object, rng: random.Random) -> object:
    """A value of a config replaced by something else that YAML can hold."""
    odd = (None, True, -1, 0, 1, 10**30, 0.5, float("inf"), float("nan"), "", "word", [], [1], [[]], {},
           {"a": 1}, [None], "mine:f", -0.0, 2**31, [1, "a"])  # fmt: skip
    if isinstance(value, dict) and value and rng.random() < 0.8:
        key = rng.choice(list(value))
        return value | {key: mutated_value(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.5:
        place = rng.randrange(len(value))
        return [*value[:place], mutated_value(value[place], rng), *value[place + 1 :]]
    return rng.choice(odd)


def readers(folder: Path) -> dict[str, tuple[str, Callable[[str], object]]]:
    """Every reader of files: an example that it reads, and the function."""
    from assay.envs.atari.rulefile import read_rules
    from assay.interop.kage import from_kage
    from assay.interop.playground import from_playground
    from assay.suites.find import read as read_suite

    def suite(text: str) -> object:
        path = folder / "suite.yaml"
        path.write_text(text, encoding="utf-8", errors="surrogatepass")
        return read_suite(path)

    def kage(text: str) -> object:
        path = folder / "kage.yaml"
        path.write_text(text, encoding="utf-8", errors="surrogatepass")
        return from_kage(path)

    def kage_dict(text: str) -> object:
        return from_kage(as_dict(text))

    def playground(text: str) -> object:
        return from_playground(as_dict(text))

    return {
        "rule file": (RULES, lambda text: read_rules(text, "mine.yaml")),
        "suite file": (SUITE, suite),
        "KAGE file": (KAGE, kage),
        "KAGE config": (KAGE, kage_dict),
        "MDP Playground config": (PLAYGROUND, playground),
    }


def as_dict(text: str) -> object:
    try:
        return yaml.safe_load(text)
    except Exception:  # PyYAML's own, on texts that are no YAML
        return text


def tried(read: Callable, given: object, found: Counter, kind: str) -> None:
    signal.alarm(MOST_SECONDS)
    try:
        read(given)
    except AssayError as error:
        found["refused"] += 1
        if "\n" in str(error).strip():
            found[f"{kind}: several lines: {str(given)[:120]!r}"] += 1
    except Exception as error:
        found["other"] += 1
        where = error.__traceback__
        while where.tb_next:
            where = where.tb_next
        place = f"{Path(where.tb_frame.f_code.co_filename).name}:{where.tb_lineno}"
        found[f"{kind}: {type(error).__name__} at {place}: {str(given)[:160]!r}"] += 1
    else:
        found["read"] += 1
    finally:
        signal.alarm(0)


def too_slow(*about: object) -> None:
    raise TimeoutError(f"it takes more than {MOST_SECONDS} s")


def texts(count: int, rng: random.Random) -> Counter:
    from assay.task_text import parse
    from assay.tasks import resolve

    found: Counter = Counter()
    for number in range(count):
        given = mutated(rng.choice(TEXTS), rng)
        tried(parse if number % 4 else resolve, given, found, "text")  # to resolve takes ten times as long
    return found


def files(count: int, rng: random.Random) -> Counter:
    found: Counter = Counter()
    with tempfile.TemporaryDirectory() as folder:
        known = readers(Path(folder))
        for _ in range(count):
            kind = rng.choice(list(known))
            example, read = known[kind]
            given = mutated(example, rng)
            if rng.random() < 0.5:
                value = mutated_value(yaml.safe_load(example), rng)
                given = yaml.safe_dump(value, allow_unicode=True)
            tried(read, given, found, kind)
    return found


def told(what: str, found: Counter) -> Iterator[str]:
    sums = {word: found.pop(word, 0) for word in ("read", "refused", "other")}
    yield f"{what}: {sums['read']:,} read, {sums['refused']:,} refused, {sums['other']:,} other exceptions"
    seen = set()
    for line in found:
        place = line.split(": ")[1]
        if place not in seen:
            seen.add(place)
            yield f"  {line}"


def main() -> None:
    numbers = [int(word) for word in sys.argv[1:]]
    many, few, seed = (*numbers, *(1_000_000, 18_000, 0)[len(numbers) :])
    rng = random.Random(seed)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    signal.signal(signal.SIGALRM, too_slow)
    sys.stdout.reconfigure(errors="backslashreplace")
    lines = [*told("texts", texts(many, rng)), *told("files", files(few, rng))]
    print("\n".join(lines))
    raise SystemExit(len(lines) > 2)


if __name__ == "__main__":
    main()
