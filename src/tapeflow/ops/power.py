"""`Pow`, whose gradient needs logarithms and choices, and what `**` means."""

from __future__ import annotations

from typing import Any

from tapeflow.core import dispatch, dtypes
from tapeflow.core.dtypes import NUMERIC
from tapeflow.core.infer import broadcast
from tapeflow.core.registry import op
from tapeflow.ops.arithmetic import conj_of, mul, sub
from tapeflow.ops.comparison import greater, not_equal
from tapeflow.ops.elementwise import log, scalar
from tapeflow.ops.select import select_v2


@op("Pow", infer=broadcast, dtypes=NUMERIC - dtypes.UNSIGNED)
def pow_(xp, x, y):
    """`x` to the power `y`, element by element."""
    if x.dtype.kind == "i":
        xp.require(xp.all(y >= 0), "Integers to negative integer powers are not allowed")
    return xp.power(x, y)


@pow_.gradient
def _(dz, *, x, y, output, needed):
    cx, cy = conj_of(x), conj_of(y)
    dx = dy = None
    if needed[0]:
        dx = mul(mul(dz, cy), pow_(cx, sub(cy, scalar(1, cy))))
    if needed[1]:
        # log is taken only where it exists: elsewhere the power does not depend on `y`.
        zero, one = scalar(0, cx), scalar(1, cx)
        usable = not_equal(cx, zero) if cx.dtype.is_complex else greater(cx, zero)
        safe_log = select_v2(usable, log(select_v2(usable, cx, one)), zero)
        dy = mul(dz, mul(conj_of(output), safe_log))
    return dx, dy


def power(x: Any, y: Any, **name: str | None) -> Any:
    """`x ** y`; the exponent is converted to the dtype of the base, or an error."""
    if not hasattr(y, "dtype"):
        x = dispatch.convert(x)
        y = dispatch.convert(y, x.dtype)
    return pow_(x, y, **name)
