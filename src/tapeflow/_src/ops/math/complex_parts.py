"""Complex numbers from their parts, and back."""

from __future__ import annotations

from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.batching import on_values
from tapeflow._src.core.dtypes import COMPLEX, as_dtype
from tapeflow._src.core.infer import broadcast, dtype_attr, same_as
from tapeflow._src.core.registry import op
from tapeflow._src.core.traits import ELEMENTWISE, KEEPS_WEAK, OWN_SCOPE, TOTAL, TOTAL_ON_SHAPES
from tapeflow._src.ops.math.arithmetic import conj_of, mul, real_div
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.elementwise import scalar

_REAL_PARTS = frozenset({dtypes.float32, dtypes.float64})


@op(
    "Complex",
    infer=dtype_attr("Tout", broadcast),
    dtypes=_REAL_PARTS,
    traits=(OWN_SCOPE, TOTAL_ON_SHAPES),
)
def complex_(xp, real, imag, *, Tout=dtypes.complex64):
    """Compute `real + imag * i`, element-wise."""
    return xp.make_complex(real, imag).astype(as_dtype(Tout).np)


complex_.broadcasts = True


@complex_.gradient
def _(dz):
    part = dz.dtype.real_dtype
    return real(dz, Tout=part), imag(dz, Tout=part)


@op(
    "Real",
    infer=dtype_attr("Tout", same_as("input")),
    dtypes=COMPLEX,
    traits=(ELEMENTWISE, KEEPS_WEAK, OWN_SCOPE, TOTAL),
    batch=on_values,
)
def real(xp, input, *, Tout=dtypes.float32):
    """Compute the real part."""
    return xp.real(input).astype(as_dtype(Tout).np)


@real.gradient
def _(dz, *, dtype_of_input):
    return cast(dz, DstT=dtype_of_input)


@op(
    "Imag",
    infer=dtype_attr("Tout", same_as("input")),
    dtypes=COMPLEX,
    traits=(ELEMENTWISE, KEEPS_WEAK, OWN_SCOPE, TOTAL),
    batch=on_values,
)
def imag(xp, input, *, Tout=dtypes.float32):
    """Compute the imaginary part."""
    return xp.imag(input).astype(as_dtype(Tout).np)


@imag.gradient
def _(dz, *, dtype_of_input):
    return complex_(scalar(0, dz), dz, Tout=dtype_of_input)


@op(
    "Angle",
    infer=dtype_attr("Tout", same_as("input")),
    dtypes=COMPLEX,
    traits=(ELEMENTWISE, KEEPS_WEAK, OWN_SCOPE),
    batch=on_values,
)
def angle(xp, input, *, Tout=dtypes.float32):
    """Compute the angle of a complex number, between -pi and pi."""
    return xp.angle(input).astype(as_dtype(Tout).np)


@angle.gradient
def _(dz, *, input):
    turned = dispatch.convert(1j, input.dtype)
    return mul(cast(dz, DstT=input.dtype), real_div(turned, conj_of(input)))
