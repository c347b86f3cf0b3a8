"""Built-in functions with another meaning for symbolic tensors."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from tapeflow._src.autograph.operators import iteration
from tapeflow._src.autograph.operators.lists import StagedList
from tapeflow._src.autograph.operators.staging import is_staged
from tapeflow._src.composite.tensor_array import TensorArray
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.types import DTypeLike
from tapeflow._src.graph.tensor import tracing
from tapeflow._src.ops.array.ranges import range_ as range_op
from tapeflow._src.ops.array.shape import static_ints
from tapeflow._src.ops.math import reduction
from tapeflow._src.ops.math.arithmetic import neg
from tapeflow._src.ops.math.bitwise import invert
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.extremes import maximum, minimum
from tapeflow._src.ops.math.sorting import top_k_v2
from tapeflow._src.ops.strings.numbers import string_to_number


def abs_(x: Any) -> Any:
    """`abs(x)`."""
    return builtins.abs(dispatch.convert(x) if is_staged(x) else x)


def bool_(x: Any = False) -> Any:
    """`bool(x)`; of a symbolic tensor, a bool tensor."""
    return cast(dispatch.convert(x), DstT=dtypes.bool) if is_staged(x) else builtins.bool(x)


def float_(x: Any = 0.0) -> Any:
    """`float(x)`; of a symbolic tensor, a float32 tensor."""
    return _number(x, dtypes.float32) if is_staged(x) else builtins.float(x)


def int_(x: Any = 0, *base: Any, **keywords: Any) -> Any:
    """`int(x, base)`; of a symbolic tensor, an int32 tensor."""
    if not is_staged(x):
        return builtins.int(x, *base, **keywords)
    if (base or keywords) and (base[0] if base else keywords.get("base")) != 10:
        raise NotImplementedError("int() of a tensor takes no base but 10")
    return _number(x, dtypes.int32)


def _number(x: Any, dtype: DTypeLike) -> Any:
    tensor = dispatch.convert(x)
    if tensor.dtype is dtypes.string:
        return string_to_number(tensor, out_type=dtype)
    return tensor if tensor.dtype is dtype else cast(tensor, DstT=dtype)


def _builtin_of_class(name: str, *values: Any) -> Callable[..., Any] | None:
    """Return the built-in function that a value's class defines itself, as datasets do."""
    tables = [getattr(type(value), "__autograph_builtins__", None) for value in values]
    if not tables or None in tables or not tracing():
        return None
    return tables[0].get(name)  # type: ignore[union-attr]


def len_(x: Any) -> Any:
    """`len(x)`; of a symbolic tensor, a number if it is known, else a tensor."""
    if (own := _builtin_of_class("len", x)) is not None:
        return own(x)
    if isinstance(x, TensorArray):
        return x.size()
    if isinstance(x, StagedList):
        return x.size()
    if isinstance(x, iteration.Numbered):
        return x.count
    return iteration.length(dispatch.convert(x)) if is_staged(x) else builtins.len(x)


def range_(first: Any, *others: Any) -> Any:
    """`range(…)`; with a symbolic end, the tensor of those numbers."""
    if not any(map(is_staged, (first, *others))):
        return builtins.range(first, *others)
    ends = [dispatch.convert(end) for end in (first, *others)]
    dtype = dtypes.int64 if any(e.dtype is dtypes.int64 for e in ends) else ends[0].dtype
    ends = [end if end.dtype is dtype else cast(end, DstT=dtype) for end in ends]
    start, step = dispatch.convert(0, dtype), dispatch.convert(1, dtype)
    match ends:
        case [limit]:
            return range_op(start, maximum(limit, start), step)
        case [start, limit]:
            return range_op(start, maximum(start, limit), step)
    return range_op(*ends)


def enumerate_(iterable: Any, start: Any = 0) -> Any:
    """`enumerate(iterable, start)`."""
    if (own := _builtin_of_class("enumerate", iterable)) is not None:
        return own(iterable, start)
    items = iteration.numbered(iterable)
    if items is None:
        return builtins.enumerate(iterable, start)
    return iteration.enumerated(items, start)


def zip_(*iterables: Any, strict: bool = False) -> Any:
    """`zip(…)`; of symbolic tensors, their rows side by side."""
    if (own := _builtin_of_class("zip", *iterables)) is not None:
        return own(*iterables)
    items = [iteration.numbered(each) for each in iterables]
    if not items or any(each is None for each in items):
        return builtins.zip(*iterables, strict=strict)
    return iteration.zipped(items)  # type: ignore[arg-type]


def map_(function: Callable[..., Any], *iterables: Any) -> Any:
    """`map(…)`; for symbolic tensors, `function` of their rows."""
    if (own := _builtin_of_class("map", *iterables)) is not None:
        return own(function, *iterables)
    items = [iteration.numbered(each) for each in iterables]
    if not items or any(each is None for each in items):
        return builtins.map(function, *iterables)
    return iteration.mapped(function, items)  # type: ignore[arg-type]


def filter_(function: Any, iterable: Any) -> Any:
    """`filter(function, iterable)`."""
    own = _builtin_of_class("filter", iterable)
    return (own or builtins.filter)(function, iterable)


def any_(iterable: Any) -> Any:
    """`any(iterable)`; of a symbolic vector, a tensor."""
    if (own := _builtin_of_class("any", iterable)) is not None:
        return own(iterable)
    return _over_rows(builtins.any, reduction.any_, iterable)


def all_(iterable: Any) -> Any:
    """`all(iterable)`; of a symbolic vector, a tensor."""
    if (own := _builtin_of_class("all", iterable)) is not None:
        return own(iterable)
    return _over_rows(builtins.all, reduction.all_, iterable)


def sum_(iterable: Any, /, start: Any = 0) -> Any:
    """`sum(iterable, start)`; of a symbolic tensor, the sum of its rows."""
    if not is_staged(iterable):
        return builtins.sum(iterable, start)
    total = reduction.sum_(dispatch.convert(iterable), static_ints((0,)))
    return total if isinstance(start, int) and start == 0 else total + start


def _over_rows(plain: Callable[[Any], Any], reduce: Callable[..., Any], iterable: Any) -> Any:
    if not is_staged(iterable):
        return plain(iterable)
    tensor = dispatch.convert(iterable)
    if tensor.dtype is not dtypes.bool or tensor.shape.rank != 1:
        raise ValueError(
            f"{plain.__name__}() of a symbolic tensor takes a vector of bools, got shape "
            f"{tensor.shape} and dtype {tensor.dtype.name}; use tf.reduce_{plain.__name__}"
        )
    return reduce(tensor, static_ints((0,)))


def max_(*arguments: Any, **keywords: Any) -> Any:
    """`max(…)`; of a symbolic vector, or of scalars one of which is symbolic, a tensor."""
    return _extreme(builtins.max, reduction.max_, maximum, arguments, keywords)


def min_(*arguments: Any, **keywords: Any) -> Any:
    """`min(…)`; of a symbolic vector, or of scalars one of which is symbolic, a tensor."""
    return _extreme(builtins.min, reduction.min_, minimum, arguments, keywords)


def _extreme(
    plain: Any, reduce: Any, combine: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> Any:
    if not any(map(is_staged, arguments)):
        return plain(*arguments, **keywords)
    name = plain.__name__
    if keywords:
        raise ValueError(
            f"{name}() of symbolic tensors does not support the keyword arguments {list(keywords)}"
        )
    if len(arguments) == 1:
        tensor = dispatch.convert(arguments[0])
        if tensor.shape.rank not in (0, 1):
            raise ValueError(
                f"{name}(tensor) needs a tensor of rank 1, received rank {tensor.shape.rank}: use "
                f"tf.reduce_{name}."
            )
        return tensor if tensor.shape.rank == 0 else reduce(tensor, static_ints((0,)))
    best = arguments[0]
    for other in arguments[1:]:
        best = combine(best, other)
    if best.shape.rank != 0:
        raise ValueError(
            f"{name}(a, b, ...) of tensors needs scalar tensors, received shape {best.shape}: use "
            f"tf.{name}imum, which is element-wise."
        )
    return best


def sorted_(iterable: Any, /, *, key: Any = None, reverse: Any = False) -> Any:
    """`sorted(…)`; for a symbolic tensor, a tensor sorted along its last axis."""
    if not is_staged(iterable):
        return builtins.sorted(iterable, key=key, reverse=reverse)
    if key is not None:
        raise ValueError("sorted() of a symbolic tensor takes no key; use tf.argsort and tf.gather")
    tensor = dispatch.convert(iterable)
    if tensor.shape.rank != 1:
        raise ValueError(f"sorted() of a symbolic tensor takes a vector, got shape {tensor.shape}")
    count = iteration.length(tensor)
    if reverse:
        return top_k_v2(tensor, count)[0]
    flip = invert if tensor.dtype.is_integer else neg
    return flip(top_k_v2(flip(tensor), count)[0])


def next_(iterator: Any, *default: Any) -> Any:
    """`next(iterator, default)`; an iterator may define what that is in a graph."""
    hook = getattr(type(iterator), "__autograph_next__", None)
    return builtins.next(iterator, *default) if hook is None else hook(iterator, *default)


OVERLOADS: dict[Any, Callable[..., Any]] = {
    builtins.abs: abs_,
    builtins.all: all_,
    builtins.any: any_,
    builtins.bool: bool_,
    builtins.enumerate: enumerate_,
    builtins.float: float_,
    builtins.int: int_,
    builtins.len: len_,
    builtins.map: map_,
    builtins.max: max_,
    builtins.min: min_,
    builtins.next: next_,
    builtins.range: range_,
    builtins.sorted: sorted_,
    builtins.sum: sum_,
    builtins.zip: zip_,
}
