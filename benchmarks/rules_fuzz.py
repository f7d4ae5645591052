"""A million inputs that nobody should write: half for the reader of rules, half for the captive server.

    python benchmarks/rules_fuzz.py [COUNT]

Of each half, every second input is random; the others are changed rule files that get past the tokenizer, or
changed sessions that hold a command. Every refused rule must name a line and a column, every rule that loads
must be written back equal and play; every command must get the code and the data lines of the protocol, and
the session goes on. No input may take two CPU-seconds. The memory of the process is printed ten times for
each half; the exit status is 1 where it grows by more than 16 MB after the first tenth.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "envs" / "rules"), str(ROOT / "src")]

import test_fuzz as reader  # noqa: E402

from tests.interop.captive import test_captive_fuzz as server  # noqa: E402

COUNT, SHOWN = 1_000_000, 10
MOST_GROWTH = 16 * 2**20  # bytes


def memory() -> int:
    """The bytes of this process that are in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def watch_memory(count: int, sizes: list[int]) -> Callable[[int], None]:
    begun, each = time.process_time(), count // SHOWN

    def watch(done: int) -> None:
        if done % each == 0:
            sizes.append(memory())
            spent = time.process_time() - begun
            print(f"  {done:9,} inputs {spent:8.1f} CPU-seconds {sizes[-1] / 2**20:8.1f} MB", flush=True)

    return watch


def main() -> int:
    half = (int(sys.argv[1]) if sys.argv[1:] else COUNT) // 2
    grown = []
    for name, fuzz, seed in (("texts of rules", reader.fuzz, 8), ("inputs of the server", server.fuzz, 2)):
        print(f"{half:,} {name}:", flush=True)
        sizes: list[int] = []
        seen = fuzz(half, seed, watch_memory(half, sizes))
        print(f"  {seen}")
        grown.append(max(sizes[1:]) - sizes[0])
    print(f"memory after the first tenth: {', '.join(f'{each / 2**20:+.1f} MB' for each in grown)}")
    return 1 if max(grown) > MOST_GROWTH else 0


if __name__ == "__main__":
    sys.exit(main())
