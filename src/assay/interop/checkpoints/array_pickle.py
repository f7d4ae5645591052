"""Reads pickles that hold arrays and dictionaries, and refuses all others before any of their code runs.

A pickle calls what it names. The table below is all that these may name; flax's frozen dictionary becomes a
plain one, so flax is not needed. A small pickle can also ask for much memory or time, so its instructions are
looked through before any is followed.
"""

from __future__ import annotations

import io
import pickle
import pickletools
import re
from typing import Any, ClassVar

import numpy as np

MOST_VALUES = 100_000  # instructions of a pickle; a published one has a few hundred
MOST_FILLED = 2**28  # bytes of all its arrays
EMPTY_ARRAY: Any = np.zeros(0).__reduce__()[0]  # the function that numpy's pickles of arrays call
ARRAY_TYPE = object()  # stands for numpy.ndarray, which a pickle may pass on but not call
NUMBERS = re.compile(r"[biuf]\d{1,2}")  # numpy's short names of truth, whole numbers and fractions
INSTRUCTIONS = (  # those that pickles of arrays, dictionaries, lists and plain values have
    "PROTO FRAME STOP MARK POP POP_MARK DUP PUT BINPUT LONG_BINPUT MEMOIZE GET BINGET LONG_BINGET "
    "NONE NEWTRUE NEWFALSE INT BININT BININT1 BININT2 LONG LONG1 LONG4 FLOAT BINFLOAT "
    "STRING BINSTRING SHORT_BINSTRING BINBYTES SHORT_BINBYTES BINBYTES8 "
    "UNICODE BINUNICODE SHORT_BINUNICODE BINUNICODE8 "
    "EMPTY_LIST LIST APPEND APPENDS EMPTY_TUPLE TUPLE TUPLE1 TUPLE2 TUPLE3 "
    "EMPTY_DICT DICT SETITEM SETITEMS GLOBAL STACK_GLOBAL REDUCE BUILD"
)
FOLLOWED = frozenset(INSTRUCTIONS.split())


class Refused(ValueError):
    """A pickle asks for something that no array and no dictionary needs."""


def empty_array(_kind: Any, shape: Any, _code: Any) -> np.ndarray:
    """The array that a pickle fills next; another shape would be memory that it does not fill."""
    if shape != (0,):
        raise Refused("it makes an array before its numbers")
    return EMPTY_ARRAY(np.ndarray, (0,), b"b")


def number_type(text: Any, *_options: Any) -> np.dtype:
    if not (isinstance(text, str) and NUMBERS.fullmatch(text)):
        raise Refused("it holds an array that is not of numbers")
    return np.dtype(text, False, True)  # a copy, which its state may change


def plain(content: Any = None) -> dict:
    """A dictionary from one that was read, whose keys were looked at."""
    if content is not None and not isinstance(content, dict):
        raise Refused("it makes a dictionary of something else")
    return {} if content is None else content  # no copy: a pickle could ask for thousands


PLACES = ("numpy.core.multiarray", "numpy._core.multiarray")  # of _reconstruct, before numpy 2 and since
KNOWN: dict[tuple[str, str], Any] = {
    ("numpy", "ndarray"): ARRAY_TYPE,
    ("numpy", "dtype"): number_type,
    ("collections", "OrderedDict"): plain,
    ("flax.core.frozen_dict", "FrozenDict"): plain,
    **{(place, "_reconstruct"): empty_array for place in PLACES},
}


class ArrayUnpickler(pickle._Unpickler):
    """Python's own unpickler written in Python, whose single instructions can be replaced."""

    stack: Any  # the types of the library leave these three out
    append: Any
    pop_mark: Any
    filled = 0

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in KNOWN:
            raise Refused(f"it names {module}.{name}, which is no array")
        return KNOWN[module, name]

    def set_items(self) -> None:
        items = self.pop_mark()
        self.put(self.stack[-1], items)

    def set_item(self) -> None:
        value, key = self.stack.pop(), self.stack.pop()
        self.put(self.stack[-1], [key, value])

    def new_dictionary(self) -> None:
        items = self.pop_mark()
        self.append({})
        self.put(self.stack[-1], items)

    def put(self, target: Any, items: list[Any]) -> None:
        # A tuple of tuples of ... as a key would be hashed, in a time that doubles with each of them.
        if type(target) is not dict or not all(type(key) in (str, bytes, int) for key in items[::2]):
            raise Refused("it holds a dictionary whose keys are no texts")
        target.update(zip(items[::2], items[1::2], strict=True))

    def set_state(self) -> None:
        state = self.stack.pop()
        target = self.stack[-1]
        # What a pickle names is shared with the program, so it must not give that a state.
        if isinstance(target, np.dtype):
            if not (isinstance(state, tuple) and len(state) > 4 and state[2:5] == (None, None, None)):
                raise Refused("it holds an array that is not of numbers")
        elif not isinstance(target, np.ndarray):
            raise Refused("it gives a state to something that is no array")
        target.__setstate__(state)
        if isinstance(target, np.ndarray):
            self.filled += target.nbytes  # many arrays may be made from the same bytes
            if self.filled > MOST_FILLED:
                raise Refused(f"its arrays have more than {MOST_FILLED:,} bytes")

    dispatch: ClassVar[Any] = {
        **pickle._Unpickler.dispatch,
        pickle.SETITEMS[0]: set_items,
        pickle.SETITEM[0]: set_item,
        pickle.DICT[0]: new_dictionary,
        pickle.BUILD[0]: set_state,
    }


def look_through(data: bytes) -> None:
    """Refuses a pickle by its instructions, none of which is followed yet."""
    end = 0
    for count, (code, given, place) in enumerate(pickletools.genops(data)):
        if count >= MOST_VALUES:
            raise Refused(f"its pickle has more than {MOST_VALUES:,} values")
        if code.name not in FOLLOWED:
            raise Refused(f"its pickle has the instruction {code.name}, which no array needs")
        if code.name in ("PUT", "BINPUT", "LONG_BINPUT") and not 0 <= int(given or 0) <= count:
            raise Refused(f"its pickle keeps a value at the place {given}, and has no so many values")
        end = (place or 0) + 1
    if end != len(data):
        raise Refused("bytes follow after the end of its pickle")


def read_array_pickle(data: bytes) -> Any:
    """The value in a pickle; ValueError where it is damaged or names anything else."""
    try:
        look_through(data)
        return ArrayUnpickler(io.BytesIO(data)).load()
    except Refused:
        raise
    except Exception as error:  # a damaged pickle can raise nearly anything
        raise ValueError("its pickle is damaged") from error
