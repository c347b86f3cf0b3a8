"""Element-wise arithmetic of two tensors, and signs: what the Python operators compute."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.batching import on_list, on_values
from tapeflow._src.core.composite import Composite, Dispatchable
from tapeflow._src.core.dtypes import COMPLEX, FLOATING_COMPLEX, NUMERIC, REAL, as_dtype, variant
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.infer import broadcast, dtype_attr, merge_shape, same_as
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.registry import InferError, Many, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.traits import (
    ELEMENTWISE,
    KEEPS_FINITE,
    KEEPS_WEAK,
    MAPS_SPARSE_VALUES,
    OWN_SCOPE,
    PROMOTES,
    TOTAL,
    TOTAL_ON_SHAPES,
)
from tapeflow._src.ops.array.select import select_v2
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import equal, less

INTEGER_DIVISION_BY_ZERO = "Integer division by zero"
_SIGNED = NUMERIC - dtypes.UNSIGNED
_WIDE_UNSIGNED = frozenset({dtypes.uint16, dtypes.uint32, dtypes.uint64})


@op("Conj", infer=same_as("input"), dtypes=COMPLEX, traits=(KEEPS_WEAK, OWN_SCOPE, TOTAL))
def conj(xp, input):
    """Compute the complex conjugate."""
    return xp.conj(input)


@conj.gradient
def _(dz):
    return conj(dz)


def conj_of(x: Any) -> Any:
    """Return the conjugate; a real tensor unchanged."""
    return conj(x) if x.dtype.is_complex else x


# -- sums and products -----------------------------------------------------------------------


@op(
    "AddV2",
    infer=broadcast,
    dtypes=NUMERIC,
    traits=(PROMOTES, TOTAL_ON_SHAPES),
    display="add",
    public_name="Add",
)
def add_v2(xp, x, y):
    """Compute `x + y`, element-wise."""
    return xp.add(x, y)


@add_v2.gradient
def _(dz):
    return dz, dz


@op(
    "Add",
    infer=broadcast,
    dtypes=NUMERIC - _WIDE_UNSIGNED | {dtypes.string},
    traits=(TOTAL_ON_SHAPES,),
    display="add",
)
def add(xp, x, y):
    """Compute `x + y`, element-wise; strings are concatenated."""
    return xp.add(x, y)


@add.gradient
def _(dz):
    return dz, dz


@op(
    "AddN",
    dtypes=NUMERIC | {variant},
    checked=True,
    traits=(TOTAL_ON_SHAPES,),
    ragged_scope="RaggedAddN",
    batch=on_list,
)
def add_n(xp, inputs: Many):
    """Compute the element-wise sum of tensors of one shape, or of lists of tensors."""
    total = inputs[0]
    if total.dtype is variant:
        for handle in inputs[1:]:
            total = total.plus(handle, lambda a, b: add_n.body(xp, [a, b]))
        return total
    for array in inputs[1:]:
        total = xp.add(total, array)
    return total


@add_n.infer
def _(inputs):
    if not inputs:
        raise InferError("AddN needs at least one tensor")
    shape = inputs[0].shape
    for spec in inputs[1:]:
        shape = merge_shape(shape, spec.shape, "Inputs to operation AddN must have one shape")
    return Spec(shape, inputs[0].dtype)


@add_n.gradient
def _(dz, *, needed):
    return ([dz] * len(needed),)


@op("Sub", infer=broadcast, dtypes=NUMERIC, traits=(PROMOTES, TOTAL_ON_SHAPES), display="sub")
def sub(xp, x, y):
    """Compute `x - y`, element-wise."""
    return xp.subtract(x, y)


@sub.gradient
def _(dz, *, needed):
    return dz, neg(dz) if needed[1] else None


@op("Mul", infer=broadcast, dtypes=NUMERIC, traits=(PROMOTES, TOTAL_ON_SHAPES), display="mul")
def mul(xp, x, y):
    """Compute `x * y`, element-wise."""
    return xp.multiply(x, y)


@mul.gradient
def _(dz, *, x, y, needed):
    if dz.dtype.is_complex:
        x, y = conj(x), conj(y)
    return mul(dz, y) if needed[0] else None, mul(dz, x) if needed[1] else None


@op(
    "SquaredDifference",
    infer=broadcast,
    dtypes=FLOATING_COMPLEX | dtypes.INDEX,
    traits=(PROMOTES, TOTAL_ON_SHAPES),
)
def squared_difference(xp, x, y):
    """Compute `(x - y)` squared, element-wise; for complex numbers the squared distance."""
    difference = xp.subtract(x, y)
    if difference.dtype.kind == "c":
        real, imag = xp.real(difference), xp.imag(difference)
        return (real * real + imag * imag).astype(difference.dtype)
    return xp.multiply(difference, difference)


@squared_difference.gradient
def _(dz, *, x, y, needed):
    dx = mul(mul(dispatch.convert(2, dz.dtype), dz), sub(x, y))
    return dx, neg(dx) if needed[1] else None


# -- quotients -------------------------------------------------------------------------------


@op(
    "RealDiv",
    infer=broadcast,
    dtypes=FLOATING_COMPLEX,
    traits=(OWN_SCOPE, PROMOTES, TOTAL_ON_SHAPES),
    display="truediv",
)
def real_div(xp, x, y):
    """Compute `x / y`, element-wise."""
    return xp.divide(x, y)


@real_div.gradient
def _(dz, *, y, output, needed):
    dx = real_div(dz, conj_of(y))
    return dx, mul(neg(dx), conj_of(output)) if needed[1] else None


@op("FloorDiv", infer=broadcast, dtypes=REAL, grad=None, traits=(PROMOTES,), display="floordiv")
def floor_div(xp, x, y):
    """Compute `x / y` rounded towards negative infinity."""
    if x.dtype.kind in "iu":
        xp.require(xp.all(y != 0), INTEGER_DIVISION_BY_ZERO)
        return xp.floor_divide(x, y)
    return xp.floor(xp.divide(x, y))


@op("FloorMod", infer=broadcast, dtypes=REAL, traits=(PROMOTES,), display="mod")
def floor_mod(xp, x, y):
    """Compute the remainder of `floor_div`: it has the sign of `y`."""
    if x.dtype.kind in "iu":
        xp.require(xp.all(y != 0), INTEGER_DIVISION_BY_ZERO)
    return xp.mod(x, y)


@floor_mod.gradient
def _(dz, *, x, y, needed):
    return dz, mul(neg(dz), floor_div(x, y)) if needed[1] else None


# -- signs -----------------------------------------------------------------------------------


@op(
    "Neg",
    infer=same_as("x"),
    dtypes=_SIGNED,
    traits=(KEEPS_FINITE, KEEPS_WEAK, MAPS_SPARSE_VALUES, TOTAL),
)
def neg(xp, x):
    """Compute `-x`, element-wise."""
    return xp.negative(x)


@neg.gradient
def _(dz):
    return neg(dz)


@op(
    "Sign",
    infer=same_as("x"),
    dtypes=_SIGNED,
    traits=(KEEPS_FINITE, KEEPS_WEAK, MAPS_SPARSE_VALUES, TOTAL),
)
def sign(xp, x):
    """Compute the sign of `x`: -1, 0 or 1; `x / |x|` if complex."""
    return xp.sign(x)


@sign.gradient
def _(dz, *, x):
    if not x.dtype.is_complex:
        return cast(less(x, x), DstT=dz.dtype)  # zeros, whatever `dz` is
    zero = dispatch.convert(0, dz.dtype)
    # A number of modulus one can only rotate: only the orthogonal part of `dz` counts.
    unit = sign(x)
    across = sub(mul(conj_of(unit), dz), mul(unit, conj_of(dz)))
    twice = mul(cast(complex_abs(x, Tout=x.dtype.real_dtype), DstT=x.dtype), _scalar_two(x))
    return mul(unit, real_div(across, select_v2(equal(twice, zero), _scalar_two(x), twice)))


def _scalar_two(like: Any) -> Any:
    return dispatch.convert(2, like.dtype)


@op(
    "Abs",
    infer=same_as("x"),
    dtypes=REAL - dtypes.UNSIGNED,
    traits=(KEEPS_FINITE, KEEPS_WEAK, MAPS_SPARSE_VALUES, OWN_SCOPE, TOTAL),
)
def abs_(xp, x):
    """Compute the absolute value of a real tensor."""
    return xp.abs(x)


@abs_.gradient
def _(dz, *, x):
    return mul(dz, sign(x))


@op(
    "ComplexAbs",
    infer=dtype_attr("Tout", same_as("x")),
    dtypes=COMPLEX,
    traits=(ELEMENTWISE, KEEPS_WEAK, MAPS_SPARSE_VALUES, OWN_SCOPE, TOTAL),
    batch=on_values,
)
def complex_abs(xp, x, *, Tout=dtypes.float32):
    """Compute the absolute value of a complex tensor: a real one."""
    return xp.cast(xp.abs(x), as_dtype(Tout).np)


@complex_abs.gradient
def _(dz, *, x):
    return mul(cast(dz, DstT=x.dtype), sign(x))


# -- dispatch of operators by dtype ----------------------------------------------------------

_TRUE_DIVISION = {
    dtypes.int8: dtypes.float32,
    dtypes.uint8: dtypes.float32,
    dtypes.int16: dtypes.float32,
    dtypes.uint16: dtypes.float32,
    dtypes.int32: dtypes.float64,
    dtypes.uint32: dtypes.float64,
    dtypes.int64: dtypes.float64,
    dtypes.uint64: dtypes.float64,
}


_REFUSED = (InvalidArgumentError, TypeError, ValueError)


def _convert_both(x: Any, y: Any) -> tuple[Any, Any]:
    """Convert both. A value must take the dtype of a tensor after it, and prefers one before it."""
    if isinstance(getattr(x, "dtype", None), dtypes.DType):
        x = dispatch.operand(x)
    else:
        x = dispatch.convert(x, getattr(y, "dtype", None))
    return x, dispatch.operand(y, None, x.dtype)


def _are_numbers(x: Any, y: Any) -> bool:
    """Whether both are tensors of one numeric dtype: no conversion is needed."""
    return (
        isinstance(x, Tensor) and isinstance(y, Tensor) and x.dtype is y.dtype in FLOATING_COMPLEX
    )


def plus(x: Any, y: Any, name: str | None = None) -> Any:
    """Compute `x + y`. Only TF's legacy op for it concatenates strings."""
    try:
        return dispatch.state.mode.execute(add_v2, (x, y), {}, name)
    except _REFUSED:
        # Checked only now: numbers of one dtype are the common case, and must be fast.
        if _are_numbers(x, y):
            raise
        x, y = _convert_both(x, y)
    return (add if x.dtype is dtypes.string else add_v2)(x, y, name=name)


def true_divide(x: Any, y: Any, name: str | None = None) -> Any:
    """Compute `x / y` as in Python: integers are converted to floats."""
    try:
        return dispatch.state.mode.execute(real_div, (x, y), {}, name)
    except _REFUSED:
        if _are_numbers(x, y):
            raise
    return _quotient(x, y, name=name)


@scoped("truediv", names_result=True)
def _quotient(x: Any, y: Any, name: str | None = None) -> Any:
    return real_div(*as_quotient(x, y), name=name)


def as_quotient(x: Any, y: Any) -> tuple[Any, Any]:
    """Convert both to one dtype that can be divided: integers become floats."""
    x, y = _convert_both(x, y)
    if x.dtype is not y.dtype:
        raise TypeError(
            f"Division needs x and y of the same dtype, received {x.dtype.name} and "
            f"{y.dtype.name}; tensors are never converted silently: use tf.cast on one of them."
        )
    target = _TRUE_DIVISION.get(x.dtype)
    return (x, y) if target is None else (cast(x, DstT=target), cast(y, DstT=target))


def absolute(x: Any, **name: str | None) -> Any:
    """Compute the absolute value of a signed or complex tensor."""
    try:
        return abs_(x, **name)
    except _REFUSED:
        if isinstance(x, Dispatchable) and not isinstance(x, Composite):
            raise
        x = dispatch.operand(x)
        if not x.dtype.is_complex:
            raise
    return complex_abs(x, Tout=x.dtype.real_dtype, name=name.get("name") or "Abs")
