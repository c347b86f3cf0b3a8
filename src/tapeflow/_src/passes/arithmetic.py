"""Arithmetic simplification: fewer operations, and bit for bit the same numbers.

Identities of real numbers need not hold here: `x + 0.0` turns -0.0 into 0.0, `x * 0` is not 0 for
an infinity. A rule is listed only if it is exact for every value, NaN and infinities included.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import DType, as_dtype
from tapeflow._src.core.registry import Op
from tapeflow._src.ops.array.select import select_v2
from tapeflow._src.ops.array.shape import expand_dims, reshape, squeeze
from tapeflow._src.ops.array.transpose import transpose
from tapeflow._src.ops.math.arithmetic import (
    abs_,
    add,
    add_v2,
    conj,
    floor_div,
    mul,
    neg,
    real_div,
    sub,
)
from tapeflow._src.ops.math.bitwise import invert
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.division import div
from tapeflow._src.ops.math.elementwise import square
from tapeflow._src.ops.math.logical import logical_and, logical_not, logical_or
from tapeflow._src.ops.math.power import pow_
from tapeflow._src.ops.math.rounding import ceil, floor, rint
from tapeflow._src.ops.nn.activation import relu, relu6
from tapeflow._src.passes.facts import never_fails
from tapeflow._src.passes.rewriting import Call, Results, Rewrite, Rule
from tapeflow._src.passes.shapes import static

# Larger constants are not inspected.
_LARGEST = 1024


def rules(op: Op) -> tuple[Rule, ...]:
    return _BY_OP.get(op, ())


# -- neutral elements --------------------------------------------------------------------------


def _is_all(tensor: Any, number: Any) -> bool:
    """Whether a tensor is a constant with this number everywhere, bit for bit."""
    value = static(tensor)
    if value is None or not 0 < value.size <= _LARGEST or value.dtype.hasobject:
        return False
    equal: bool = value.tobytes() == np.full(value.shape, number, value.dtype).tobytes()
    return equal


def _unless_reshaped(x: Any, call: Call) -> Results | None:
    """Return the operand as the result, if the other one does not change its shape."""
    return (x,) if x.static_shape is not None and x.static_shape == call.specs[0].shape else None


def plus_zero(at: Rewrite, call: Call) -> Results | None:
    """`x + -0.0` is `x`; for integers there is one zero."""
    x, y = call.operands
    zero = _negative_zero(x._dtype)
    if _is_all(y, zero):
        return _unless_reshaped(x, call)
    return _unless_reshaped(y, call) if _is_all(x, zero) else None


def minus_zero(at: Rewrite, call: Call) -> Results | None:
    """`x - 0.0` is `x`."""
    x, y = call.operands
    return _unless_reshaped(x, call) if _is_all(y, 0) else None


def times_one(at: Rewrite, call: Call) -> Results | None:
    """`x * 1` is `x`, unless complex: the product of parts may be NaN."""
    x, y = call.operands
    if x._dtype.is_complex:
        return None
    if _is_all(y, 1):
        return _unless_reshaped(x, call)
    return _unless_reshaped(y, call) if _is_all(x, 1) else None


def over_one(at: Rewrite, call: Call) -> Results | None:
    """`x / 1` is `x`, unless complex."""
    x, y = call.operands
    return _unless_reshaped(x, call) if not x._dtype.is_complex and _is_all(y, 1) else None


def floor_div_by_one(at: Rewrite, call: Call) -> Results | None:
    """`x // 1` is `x` for integers: fractions are cut off."""
    x, y = call.operands
    return _unless_reshaped(x, call) if x._dtype.is_integer and _is_all(y, 1) else None


def small_power(at: Rewrite, call: Call) -> Results | None:
    """`x ** 1` is `x`, and `x ** 2` is computed as a product in any case."""
    x, y = call.operands
    if not x._dtype.is_floating or y.static_shape != ():
        return None
    if _is_all(y, 2):
        return at.make(square, (x,), {}, call)
    return _unless_reshaped(x, call) if _is_all(y, 1) else None


def _negative_zero(dtype: DType) -> Any:
    if dtype.is_complex:
        return complex(-0.0, -0.0)
    return -0.0 if dtype.is_floating else 0


# -- signs -------------------------------------------------------------------------------------


def plus_negative(at: Rewrite, call: Call) -> Results | None:
    """`x + (-y)` is `x - y`."""
    x, y = call.operands
    if y.op.definition is neg:
        return at.make(sub, (x, y.op.operands[0]), {}, call)
    if x.op.definition is neg:
        return at.make(sub, (y, x.op.operands[0]), {}, call)
    return None


def minus_negative(at: Rewrite, call: Call) -> Results | None:
    """`x - (-y)` is `x + y`."""
    x, y = call.operands
    if y.op.definition is neg:
        return at.make(add_v2, (x, y.op.operands[0]), {}, call)
    return None


def sign_lost(at: Rewrite, call: Call) -> Results | None:
    """Drop the sign of an operand that is squared or made absolute."""
    source = call.operands[0].op
    if source.definition in _SIGN_ONLY and not call.operands[0]._dtype.is_complex:
        return at.make(call.op, source.operands, call.attrs, call)
    return None


_SIGN_ONLY = frozenset({neg, abs_})


def undone(at: Rewrite, call: Call) -> Results | None:
    """Remove both of two calls that undo each other."""
    source = call.operands[0].op
    return source.operands if source.definition is call.op else None


def done_before(at: Rewrite, call: Call) -> Results | None:
    """Remove the second of two calls of an idempotent op."""
    return call.operands if call.operands[0].op.definition is call.op else None


# -- quotients ---------------------------------------------------------------------------------


def over_power_of_two(at: Rewrite, call: Call) -> Results | None:
    """Replace division by a power of two by an exact multiplication, which is faster."""
    x, y = call.operands
    value = static(y)
    if value is None or x._dtype not in _PLAIN_FLOATS or not 0 < value.size <= _LARGEST:
        return None
    mantissas, exponents = np.frexp(value)
    limit = np.finfo(value.dtype).maxexp - 4
    if (np.abs(mantissas) != 0.5).any() or (np.abs(exponents) > limit).any():
        return None
    factor = at.constant(np.asarray(1 / value, value.dtype), y._dtype, call.node)
    return at.make(mul, (x, factor), {}, call)


_PLAIN_FLOATS = frozenset({dtypes.float16, dtypes.float32, dtypes.float64})


# -- choices -----------------------------------------------------------------------------------


def and_constant(at: Rewrite, call: Call) -> Results | None:
    """`x and True` is `x`; `x and False` is False."""
    return _with_constant(call, neutral=True)


def or_constant(at: Rewrite, call: Call) -> Results | None:
    """`x or False` is `x`; `x or True` is True."""
    return _with_constant(call, neutral=False)


def _with_constant(call: Call, neutral: bool) -> Results | None:
    for x, y in (call.operands, call.operands[::-1]):
        if _is_all(y, neutral):
            return _unless_reshaped(x, call)
        if _is_all(y, not neutral):
            return _unless_reshaped(y, call)
    return None


def chosen(at: Rewrite, call: Call) -> Results | None:
    """Return the operand that a constant condition selects, or either if they are the same."""
    condition, x, y = call.operands
    if x is y or _is_all(condition, True):
        return _unless_reshaped(x, call)
    return _unless_reshaped(y, call) if _is_all(condition, False) else None


# -- consecutive data movement -----------------------------------------------------------------


def transposed_twice(at: Rewrite, call: Call) -> Results | None:
    """Merge two permutations."""
    source = call.operands[0].op
    if source.definition is not transpose:
        return None
    first, second = static(source.operands[1]), static(call.operands[1])
    if first is None or second is None:
        return None
    perm = at.constant(first[second], call.operands[1]._dtype, call.node)
    return at.make(transpose, (source.operands[0], perm), {}, call)


_RESHAPES = frozenset({reshape, expand_dims, squeeze})


def reshaped_twice(at: Rewrite, call: Call) -> Results | None:
    """Keep only the last of two reshapes, if the first is valid."""
    tensor = call.operands[0]
    source = tensor.op
    if source.definition not in _RESHAPES or not _is_possible(source):
        return None
    sizes = _sizes(call.specs[0].shape)
    if sizes is not None:
        target = at.constant(sizes, dtypes.int64, call.node)
    elif call.op is reshape and static(call.operands[1]) is not None:
        target = call.operands[1]
        if 0 in static(target):
            return None  # the value of -1 then depends on the shape before
    else:
        return None
    return at.make(reshape, (source.operands[0], target), {}, call)


def _sizes(dims: Any) -> Any:
    """Return a shape as an argument of reshape, if at most one size is unknown."""
    if dims is None or (None in dims and (0 in dims or dims.count(None) > 1)):
        return None
    return np.array([-1 if n is None else n for n in dims], np.int64)


def _is_possible(node: Any) -> bool:
    """Whether a reshape cannot fail, though a size of its input may be unknown."""
    if never_fails(node.definition, node.operands):
        return True
    dims = node.operands[0].static_shape
    if node.definition is squeeze:
        axes = node.attrs["axis"]
        return dims is not None and bool(axes) and all(dims[a] == 1 for a in axes)
    sizes = static(node.operands[1])
    if dims is None or sizes is None:
        return False
    if node.definition is expand_dims:
        return True
    fixed = math.prod(n for n in sizes.reshape(-1).tolist() if n != -1)
    size = math.prod(n for n in dims if n is not None)
    return -1 in sizes and fixed > 0 and size % fixed == 0


def cast_twice(at: Rewrite, call: Call) -> Results | None:
    """Merge two casts, if the first is lossless."""
    tensor = call.operands[0]
    target = as_dtype(call.attrs["DstT"])
    if tensor._dtype is target:
        return _unless_reshaped(tensor, call)
    source = tensor.op
    if source.definition is not cast:
        return None
    first, between = source.operands[0]._dtype, tensor._dtype
    if not holds(between, first) or not (
        target is first
        or holds(target, first)
        or (first.is_floating and between.is_floating and target.is_floating)
    ):
        return None
    return at.make(cast, (source.operands[0],), call.attrs, call)


def holds(wide: DType, narrow: DType) -> bool:
    """Whether every value of `narrow` is one of `wide`."""
    if wide is narrow:
        return True
    if narrow.is_bool:
        return wide in _DIGITS
    if wide not in _DIGITS or narrow not in _DIGITS:
        return False
    if narrow.is_integer:
        signed = not narrow.is_unsigned
        return _DIGITS[narrow] <= _DIGITS[wide] and not (signed and wide.is_unsigned)
    return wide.is_floating and _DIGITS[narrow] <= _DIGITS[wide]


# The significant bits of a number, without its sign.
_DIGITS = {
    dtypes.int8: 7,
    dtypes.int16: 15,
    dtypes.int32: 31,
    dtypes.int64: 63,
    dtypes.uint8: 8,
    dtypes.uint16: 16,
    dtypes.uint32: 32,
    dtypes.uint64: 64,
    dtypes.float16: 11,
    dtypes.float32: 24,
    dtypes.float64: 53,
}

_BY_OP: dict[Op, tuple[Rule, ...]] = {
    add: (plus_zero,),
    add_v2: (plus_zero, plus_negative),
    sub: (minus_zero, minus_negative),
    mul: (times_one,),
    real_div: (over_one, over_power_of_two),
    div: (over_one,),
    floor_div: (floor_div_by_one,),
    pow_: (small_power,),
    neg: (undone,),
    conj: (undone,),
    logical_not: (undone,),
    invert: (undone,),
    abs_: (sign_lost,),
    square: (sign_lost,),
    relu: (done_before,),
    relu6: (done_before,),
    floor: (done_before,),
    ceil: (done_before,),
    rint: (done_before,),
    logical_and: (and_constant,),
    logical_or: (or_constant,),
    select_v2: (chosen,),
    transpose: (transposed_twice,),
    reshape: (reshaped_twice,),
    expand_dims: (reshaped_twice,),
    squeeze: (reshaped_twice,),
    cast: (cast_twice,),
}
