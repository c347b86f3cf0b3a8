"""Shape rules shared by many ops, and the arithmetic of partly known shapes.

A rule is `rule(op, specs, attrs) -> Spec | tuple[Spec, ...]` and raises InferError. A shape is a
tuple of sizes, `None` for an unknown size, or `None` when not even the rank is known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow._src.core.dtypes import DType, as_dtype
from tapeflow._src.core.dtypes import bool as bool_dtype
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.registry import DtypeError, InferError, Op
from tapeflow._src.core.shape import broadcast_shapes
from tapeflow._src.core.spec import Spec

Shape = tuple[int | None, ...] | None
Rule = Callable[[Op, tuple[Any, ...], dict[str, Any]], Any]


def broadcast_shape(a: Shape, b: Shape) -> Shape:
    """Return the shape of an element-wise result, or raise InferError."""
    if a == b:
        return a
    try:
        return broadcast_shapes(a, b)
    except ValueError as error:
        raise InferError(str(error)) from None


_EQUAL = "Shapes must be equal"


def merge_shape(a: Shape, b: Shape, what: str = _EQUAL) -> Shape:
    """Merge two descriptions of one shape, or raise InferError."""
    if a is None or a == b:
        return b
    if b is None:
        return a
    if len(a) != len(b) or any(
        x is not None and y is not None and x != y for x, y in zip(a, b, strict=True)
    ):
        why = "" if what == _EQUAL else f" ({what})"
        raise InferError(f"{what}: {fmt_shape(a)} vs. {fmt_shape(b)}", _unequal(a, b) + why)
    return tuple(y if x is None else x for x, y in zip(a, b, strict=True))


def _unequal(a: tuple[int | None, ...], b: tuple[int | None, ...]) -> str:
    """Describe how two shapes differ, as it is worded while tracing."""
    if len(a) != len(b):
        return f"Ranks must be equal, received shapes {fmt_shape(a)} and {fmt_shape(b)}"
    axis = next(i for i, (x, y) in enumerate(zip(a, b)) if None not in (x, y) and x != y)
    return (
        f"Shapes must be equal, received {fmt_shape(a)} and {fmt_shape(b)}: dimension {axis} is "
        f"{a[axis]} and {b[axis]}"
    )


def element_count(shape: Shape) -> int | None:
    """Return the number of elements, or None if unknown."""
    if shape is None:
        return None
    count = 1
    for size in shape:
        if size is None:
            return None
        count *= size
    return count


def normalize_axis(axis: int, rank: int, what: str = "axis") -> int:
    """Return `axis` counted from the front, or raise InferError."""
    if not -rank <= axis < rank:
        raise InferError(f"{what} must be in the range [{-rank}, {rank}), got {axis}")
    return axis + rank if axis < 0 else axis


def require_rank(spec: Spec, rank: int, name: str) -> None:
    if spec.shape is not None and len(spec.shape) != rank:
        raise InferError(
            f"{name} must have rank {rank}, "
            f"got shape {fmt_shape(spec.shape)} of rank {len(spec.shape)}",
            f"Shape must be rank {rank} but is rank {len(spec.shape)}",
        )


def require_rank_at_least(spec: Spec, rank: int, name: str) -> None:
    if spec.shape is not None and len(spec.shape) < rank:
        raise InferError(
            f"{name} must have rank at least {rank}, "
            f"got shape {fmt_shape(spec.shape)} of rank {len(spec.shape)}",
            f"Shape must be at least rank {rank} but is rank {len(spec.shape)}",
        )


def shape_from_value(spec: Spec) -> Shape:
    """Return the shape that a 1-D tensor of sizes describes, as far as its value is static."""
    values = spec.partial if spec.value is None else spec.value
    if values is None:
        rank = spec.shape[0] if spec.shape else None
        return None if rank is None else (None,) * rank
    require_rank(spec, 1, "shape")
    sizes = tuple(None if size is None else int(size) for size in values)
    for size in sizes:
        if size is not None and size < 0:
            raise InferError(f"Dimension {size} must be >= 0")
    return sizes


def same_as(name: str, dtype: DType | None = None) -> Rule:
    """Return the shape (and dtype, unless given) of input `name`."""

    def rule(op: Op, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Spec:
        spec = specs[op.input_names.index(name)]
        return Spec(spec.shape, dtype or spec.dtype)

    rule.keeps_shape = True  # type: ignore[attr-defined]
    return rule


def all_same(op: Op, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Spec:
    """Infer that all inputs and the output have one shape."""
    shape: Shape = None
    for spec in specs:
        shape = merge_shape(shape, spec.shape, f"{op.name}: inputs must have one shape")
    return Spec(shape, specs[0].dtype)


all_same.same_shape = True  # type: ignore[attr-defined]
all_same.keeps_shape = True  # type: ignore[attr-defined]


def _broadcast(dtype: DType | None) -> Rule:
    def rule(op: Op, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Spec:
        shape: Shape = ()
        for spec in specs:
            shape = broadcast_shape(shape, spec.shape)
        return Spec(shape, dtype or specs[0].dtype)

    rule.broadcasts = True  # type: ignore[attr-defined]
    return rule


broadcast = _broadcast(None)
broadcast_bool = _broadcast(bool_dtype)


def fixed(shape: tuple[int | None, ...], dtype: DType) -> Rule:
    """Return always the same shape and dtype."""
    return lambda op, specs, attrs: Spec(shape, dtype)


def reduced_shape(shape: Shape, axes: Any, keep_dims: bool) -> Shape:
    """Return the shape after reducing `axes` (an array of them, or None if unknown)."""
    if shape is None:
        return None
    rank = len(shape)
    if axes is None:
        return (None,) * rank if keep_dims else None
    gone = set()
    for axis in axes.reshape(-1).tolist():
        if not -rank <= axis < rank:
            raise InferError(
                f"Invalid reduction dimension {axis}: for an input of rank {rank}, axis must be in "
                f"[{-rank}, {rank})"
            )
        if axis % rank in gone:
            raise InferError(
                f"Invalid reduction: axis {axis % rank} is listed twice in {axes.tolist()}"
            )
        gone.add(axis % rank)
    if keep_dims:
        return tuple(1 if i in gone else size for i, size in enumerate(shape))
    return tuple(size for i, size in enumerate(shape) if i not in gone)


def reduction(dtype: DType | None = None) -> Rule:
    """Infer the shape of ops `(input, axis, *, keep_dims)`."""

    def rule(op: Op, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Spec:
        data, axis = specs
        shape = reduced_shape(data.shape, axis.value, attrs["keep_dims"])
        return Spec(shape, dtype or data.dtype)

    return rule


def dtype_attr(name: str, rule: Rule) -> Rule:
    """Like `rule`, but the dtype is the op's attribute `name`."""

    def typed(op: Op, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Spec:
        return Spec(rule(op, specs, attrs).shape, as_dtype(attrs[name]))

    return typed


def allowed_dtype(attr: str, value: Any, allowed: frozenset[DType]) -> DType:
    """Return the dtype that an attribute names; raise InferError if it is not supported."""
    dtype = as_dtype(value)
    if dtype not in allowed:
        names = ", ".join(sorted(d.name for d in allowed))
        raise DtypeError(
            f"'{attr}' does not support dtype {dtype.name}; allowed values: {names}",
        )
    return dtype
