"""What each operation of a program is on arrays whose entries are nodes."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np
from jax.lax import GatherScatterMode

from assay.interop.single.flat import Unsupported
from assay.interop.single.graph import Graph
from assay.interop.single.node import KINDS, Node

MOST = 8192  # entries that are turned into nodes, at most

Nodes = Any  # an array whose entries are nodes, or one of plain numbers
Rule = Callable[..., Any]  # graph, params, arrays of nodes -> an array, or a list where there are several


class Leaf(np.ndarray):
    """Numbers of a task's levels and tables: known here, but not to XLA."""


def kind_of(dtype: Any) -> str:
    kind = KINDS.get(str(dtype))
    if kind is None:
        raise Unsupported(f"numbers of the type {dtype}")
    return kind


def to_nodes(graph: Graph, values: Any) -> Nodes:
    """An array of nodes, of one that may hold plain numbers."""
    if isinstance(values, np.ndarray) and values.dtype == object:
        return values
    array = np.asarray(values)
    if array.size > MOST:
        raise Unsupported(f"{array.size} numbers one by one")
    kind, literal = kind_of(array.dtype), not isinstance(values, Leaf)
    nodes = np.empty(array.shape, object)
    for place, value in np.ndenumerate(array):
        nodes[place] = graph.const(value, kind, literal)
    return nodes


def each(function: Callable[..., Node], *arrays: Nodes) -> Nodes:
    """A function of nodes, entry by entry; single numbers go with arrays of any shape."""
    shape = np.broadcast_shapes(*(array.shape for array in arrays))
    arrays = tuple(np.broadcast_to(array, shape) for array in arrays)
    result = np.empty(shape, object)
    for place in np.ndindex(*shape):
        result[place] = function(*(array[place] for array in arrays))
    return result


def elementwise(name: str) -> Rule:
    """The rule of an operation that a graph has under this name."""
    return lambda graph, params, *arrays: each(getattr(graph, name), *arrays)


def comparison(how: str) -> Rule:
    return lambda graph, params, a, b: each(lambda x, y: graph.compare(how, x, y), a, b)


def total_comparison(how: str) -> Rule:
    """Of an order in which every number has its place: floats would need care for zeros and NaN."""

    def rule(graph: Graph, params: Any, a: Nodes, b: Nodes) -> Nodes:
        if a.size and a.flat[0].kind == "f":
            raise Unsupported("the total order of floats")
        return each(lambda x, y: graph.compare(how, x, y), a, b)

    return rule


def logic(how: str) -> Rule:
    return lambda graph, params, a, b: each(lambda x, y: graph.logic(how, x, y), a, b)


def extreme(how: str) -> Rule:
    return lambda graph, params, a, b: each(lambda x, y: graph.extreme(how, x, y), a, b)


def not_(graph: Graph, params: Any, a: Nodes) -> Nodes:
    if a.size and a.flat[0].kind != "b":
        raise Unsupported("not, bit by bit")
    return each(graph.not_, a)


def clamp(graph: Graph, params: Any, low: Nodes, a: Nodes, high: Nodes) -> Nodes:
    above = each(lambda x, y: graph.extreme("max", x, y), a, low)
    return each(lambda x, y: graph.extreme("min", x, y), above, high)


def select_n(graph: Graph, params: Any, which: Nodes, *cases: Nodes) -> Nodes:
    if all(node.kind == "b" for node in which.flat):
        return each(graph.select, which, cases[1], cases[0])
    return each(lambda index, *entries: graph.pick(entries, index), which, *cases)


def choose(graph: Graph, params: Any, index: Nodes, *results: Nodes) -> Nodes:
    """Of a branch: an index outside is the nearest one inside."""
    number, last = index[()], graph.const(len(results) - 1, "i")
    if number.kind == "b":
        number = graph.convert(number, "i")
    number = graph.extreme("min", graph.extreme("max", number, graph.const(0, "i")), last)
    return each(lambda *entries: graph.pick(entries, number), *results)


def convert(graph: Graph, params: Any, a: Nodes) -> Nodes:
    kind = kind_of(params["new_dtype"])
    return each(lambda x: graph.convert(x, kind), a)


def integer_pow(graph: Graph, params: Any, a: Nodes) -> Nodes:
    power = params["y"]
    if power == 0:
        return each(lambda x: graph.const(1, x.kind), a)
    if power not in (1, 2):
        raise Unsupported(f"the power {power}")
    return a if power == 1 else each(lambda x: graph.mul(x, x), a)


def square(graph: Graph, params: Any, a: Nodes) -> Nodes:
    return each(lambda x: graph.mul(x, x), a)


def barrier(graph: Graph, params: Any, *arrays: Nodes) -> list[Nodes]:
    return [each(graph.fence, array) for array in arrays]


# Shapes


def same(graph: Graph, params: Any, a: Nodes) -> Nodes:
    return a


def broadcast_in_dim(graph: Graph, params: Any, a: Nodes) -> Nodes:
    shape, places = params["shape"], params["broadcast_dimensions"]
    wide = [1] * len(shape)
    for place, length in zip(places, a.shape):
        wide[place] = length
    return np.broadcast_to(a.reshape(wide), shape, subok=True)


def reshape(graph: Graph, params: Any, a: Nodes) -> Nodes:
    return a.reshape(params["new_sizes"])


def squeeze(graph: Graph, params: Any, a: Nodes) -> Nodes:
    return as_array(a.squeeze(tuple(params["dimensions"])))


def expand_dims(graph: Graph, params: Any, a: Nodes) -> Nodes:
    return np.expand_dims(a, tuple(params["dimensions"]))


def transpose(graph: Graph, params: Any, a: Nodes) -> Nodes:
    return a.transpose(params["permutation"])


def rev(graph: Graph, params: Any, a: Nodes) -> Nodes:
    return np.flip(a, tuple(params["dimensions"]))


def take_slice(graph: Graph, params: Any, a: Nodes) -> Nodes:
    steps = params["strides"] or (1,) * a.ndim
    return a[tuple(map(slice, params["start_indices"], params["limit_indices"], steps))]


def split(graph: Graph, params: Any, a: Nodes) -> list[Nodes]:
    return np.split(a, np.cumsum(params["sizes"])[:-1], params["axis"])


def concatenate(graph: Graph, params: Any, *arrays: Nodes) -> Nodes:
    return np.concatenate([to_nodes(graph, array) for array in arrays], params["dimension"])


def stack(graph: Graph, params: Any, *arrays: Nodes) -> Nodes:
    return np.stack([to_nodes(graph, array) for array in arrays], params.get("axis", 0))


def pile(graph: Graph, params: Any, *arrays: Nodes) -> Nodes:
    return np.stack([to_nodes(graph, array) for array in arrays])


def row(graph: Graph, params: Any, a: Nodes) -> Nodes:
    return as_array(a[params["i"]])


def iota(graph: Graph, params: Any) -> Nodes:
    shape, along = params["shape"], params["dimension"]
    wide = [1] * len(shape)
    wide[along] = shape[along]
    return np.broadcast_to(np.arange(shape[along], dtype=params["dtype"]).reshape(wide), shape)


def as_array(entry: Any) -> Nodes:
    """An array without dimensions, where numpy gives the entry itself."""
    if isinstance(entry, np.ndarray):
        return entry
    if isinstance(entry, Node):
        holder = np.empty((), object)
        holder[()] = entry
        return holder
    return np.asarray(entry).view(Leaf)


# Many numbers to one


def reduction(combine: Callable[[Graph, Node, Node], Node], start: Any = None) -> Rule:
    """One number after another, in order; `start` is where there are none."""

    def rule(graph: Graph, params: Any, a: Nodes) -> Nodes:
        axes = tuple(params["axes"])
        kept = [i for i in range(a.ndim) if i not in axes]
        result = np.empty(tuple(a.shape[i] for i in kept), object)
        for place in np.ndindex(*result.shape):
            where: list[Any] = [slice(None)] * a.ndim
            for i, at in zip(kept, place):
                where[i] = at
            entries = list(np.asarray(a[tuple(where)], object).flat)
            if not entries:
                raise Unsupported("a reduction of nothing")
            result[place] = reduce(lambda x, y: combine(graph, x, y), entries)
        return result

    return rule


def argmax(graph: Graph, params: Any, a: Nodes) -> Nodes:
    (axis,), kind = params["axes"], kind_of(params["index_dtype"])
    if a.size and a.flat[0].kind == "f":
        raise Unsupported("argmax of floats")
    rows = np.moveaxis(a, axis, -1)
    result = np.empty(rows.shape[:-1], object)
    for place in np.ndindex(*result.shape):
        entries = rows[place]
        best, at = entries[0], graph.const(0, kind)
        for i, entry in enumerate(entries[1:], 1):
            larger = larger_of(graph, entry, best)
            best, at = graph.select(larger, entry, best), graph.select(larger, graph.const(i, kind), at)
        result[place] = at
    return result


def larger_of(graph: Graph, a: Node, b: Node) -> Node:
    if a.kind == "b":
        return graph.logic("and", a, graph.not_(b))
    return graph.compare("gt", a, b)


# Places that depend on numbers


def clamped(graph: Graph, index: Node, room: int) -> Node:
    """An index at which something still fits, as an int32 from 0 to `room`."""
    index = graph.convert(index, "i")
    zero, last = graph.const(0, "i"), graph.const(room, "i")
    return graph.extreme("min", graph.extreme("max", index, zero), last)


def at_places(graph: Graph, a: Any, starts: list[Node], shape: tuple[int, ...]) -> Nodes:
    """The part of an array of this shape that begins at late places, which lie within."""
    if all(start.known for start in starts):
        part = a[tuple(slice(s.value, s.value + n) for s, n in zip(starts, shape))]
        return to_nodes(graph, part)
    entries, result = to_nodes(graph, a), np.empty(shape, object)
    flat = list(entries.reshape(-1))
    strides = [int(np.prod(a.shape[i + 1 :])) for i in range(a.ndim)]
    first = graph.const(0, "i")
    for start, stride in zip(starts, strides):
        first = graph.add(first, graph.mul(start, graph.const(stride, "i")))
    for place in np.ndindex(*shape):
        beyond = int(np.dot(place, strides)) if place else 0
        # Only what can be reached is written down: the other entries are the same for every start.
        reach = flat[beyond:] if beyond else flat
        result[place] = graph.pick(reach, first)
    return result


def dynamic_slice(graph: Graph, params: Any, a: Any, *starts: Nodes) -> Nodes:
    sizes = tuple(params["slice_sizes"])
    places = [clamped(graph, s[()], n - size) for s, n, size in zip(starts, a.shape, sizes)]
    return at_places(graph, a, places, sizes)


def dynamic_update_slice(graph: Graph, params: Any, a: Any, new: Any, *starts: Nodes) -> Nodes:
    a, new = to_nodes(graph, a), to_nodes(graph, new)
    places = [clamped(graph, s[()], n - size) for s, n, size in zip(starts, a.shape, new.shape)]
    result = a.copy()
    for offset in np.ndindex(*new.shape):
        wanted = [graph.add(p, graph.const(o, "i")) for p, o in zip(places, offset)]
        put(graph, result, wanted, new[offset])
    return result


def put(graph: Graph, result: Nodes, wanted: list[Node], value: Node, fixed: Any = None) -> None:
    """Writes a number at a late place; `fixed` are the places in the other dimensions, by dimension."""
    for place in np.ndindex(*result.shape):
        if fixed and any(place[i] != at for i, at in fixed.items()):
            continue
        own = [at for i, at in enumerate(place) if not fixed or i not in fixed]
        here = graph.const(True, "b")
        for index, at in zip(wanted, own):
            here = graph.logic("and", here, graph.compare("eq", index, graph.const(at, "i")))
        result[place] = graph.select(here, value, result[place])


def gather(graph: Graph, params: Any, a: Any, indices: Nodes) -> Nodes:
    numbers, sizes = params["dimension_numbers"], tuple(params["slice_sizes"])
    if numbers.operand_batching_dims or numbers.start_indices_batching_dims:
        raise Unsupported("a gather of batches")
    batch, offsets = indices.shape[:-1], numbers.offset_dims
    inside = [i for i in range(a.ndim) if i not in numbers.collapsed_slice_dims]
    shape = [0] * (len(batch) + len(offsets))
    for i, dimension in zip(offsets, inside):
        shape[i] = sizes[dimension]
    outer = [i for i in range(len(shape)) if i not in offsets]
    for i, length in zip(outer, batch):
        shape[i] = length
    result = np.empty(shape, object)
    for place in np.ndindex(*batch):
        starts = [graph.const(0, "i")] * a.ndim
        for i, dimension in enumerate(numbers.start_index_map):
            index, room = indices[place][i], a.shape[dimension] - sizes[dimension]
            if params["mode"] == GatherScatterMode.FILL_OR_DROP and not 0 <= index.low <= index.high <= room:
                raise Unsupported("a gather that may lie outside")
            starts[dimension] = clamped(graph, index, room)
        part = at_places(graph, a, starts, sizes)
        where: list[Any] = [slice(None)] * len(shape)
        for i, at in zip(outer, place):
            where[i] = at
        result[(*where, ...)] = part.reshape([sizes[i] for i in inside])
    return result


def scatter(graph: Graph, params: Any, a: Any, indices: Nodes, new: Any) -> Nodes:
    """Only what sets entries: places outside are left out."""
    numbers = params["dimension_numbers"]
    if numbers.operand_batching_dims or numbers.scatter_indices_batching_dims:
        raise Unsupported("a scatter of batches")
    a, new = to_nodes(graph, a), to_nodes(graph, new)
    window, indexed = numbers.update_window_dims, numbers.scatter_dims_to_operand_dims
    inside = [i for i in range(a.ndim) if i not in numbers.inserted_window_dims]
    result = a.copy()
    for place in np.ndindex(*new.shape):
        batch = tuple(at for i, at in enumerate(place) if i not in window)
        own = {inside[k]: place[i] for k, i in enumerate(window)}
        places = {d: graph.convert(indices[batch][i], "i") for i, d in enumerate(indexed)}
        if any(own.get(d, 0) and new.shape[window[inside.index(d)]] > 1 for d in places):
            raise Unsupported("a scatter of a window at a late place")
        if any(new.shape[window[inside.index(d)]] != 1 for d in places if d in own):
            raise Unsupported("a scatter of a window at a late place")
        fixed = {d: at for d, at in own.items() if d not in places}
        put(graph, result, [places[d] for d in sorted(places)], new[place], fixed)
    return result


RULES: dict[str, Rule] = {
    **{name: elementwise(name) for name in ("add", "sub", "mul", "div", "rem", "neg", "abs", "sqrt", "floor",
                                            "sign")},
    **{name: comparison(name) for name in ("eq", "ne", "lt", "le", "gt", "ge")},
    **{f"{name}_to": total_comparison(name) for name in ("lt", "le")},
    "and": logic("and"), "or": logic("or"), "xor": logic("xor"), "not": not_,
    "min": extreme("min"), "max": extreme("max"), "clamp": clamp, "select_n": select_n, "choose": choose,
    "convert_element_type": convert, "integer_pow": integer_pow, "square": square,
    "optimization_barrier": barrier, "copy": same, "copy_p": same, "stop_gradient": same,
    "concatenate": concatenate, "stack": stack, "pile": pile, "iota": iota,
    "reduce_sum": reduction(Graph.add), "reduce_or": reduction(lambda g, x, y: g.logic("or", x, y)),
    "reduce_and": reduction(lambda g, x, y: g.logic("and", x, y)),
    "reduce_max": reduction(lambda g, x, y: g.extreme("max", x, y)),
    "reduce_min": reduction(lambda g, x, y: g.extreme("min", x, y)), "argmax": argmax,
}  # fmt: skip
# These take tables as they are, which may be large.
OF_TABLES: dict[str, Rule] = {
    "broadcast_in_dim": broadcast_in_dim, "reshape": reshape, "squeeze": squeeze, "expand_dims": expand_dims,
    "transpose": transpose, "rev": rev, "slice": take_slice, "split": split, "row": row,
    "dynamic_slice": dynamic_slice, "gather": gather, "dynamic_update_slice": dynamic_update_slice,
    "scatter": scatter,
}  # fmt: skip
SUPPORTED = RULES.keys() | OF_TABLES.keys()
