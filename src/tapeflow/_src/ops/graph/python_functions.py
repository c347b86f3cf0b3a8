"""Calls of Python functions as parts of a graph. What a file holds of one is a token."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.host_functions import find
from tapeflow._src.core.registry import MANY_OUTPUTS, ManyFree, op
from tapeflow._src.core.spec import Spec

_DIFFERENTIABLE = dtypes.FLOATING_COMPLEX


def _described(op: Any, specs: Any, attrs: dict[str, Any]) -> tuple[Spec, ...]:
    return tuple(Spec(None, as_dtype(dtype)) for dtype in attrs["Tout"])


@op(
    "EagerPyFunc",
    infer=_described,
    outputs=MANY_OUTPUTS,
    effect="io",
    host="runs Python",
)
def eager_py_func(xp, input: ManyFree, *, token, Tout, is_async=False):
    """Call a Python function of eager tensors."""
    return find(token).run(input)


eager_py_func.accesses("python")


@eager_py_func.gradient
def _(dzs=None, *, input, output, token, needed):
    connected = [dz is not None for dz in dzs]
    requested = [
        is_needed and t.dtype in _DIFFERENTIABLE for is_needed, t in zip(needed, input, strict=True)
    ]
    *gradients, _ = eager_py_func(
        [output[-1], *input, *(dz for dz in dzs if dz is not None)],
        token=find(token).gradient(connected, requested),
        Tout=[
            *(t.dtype for t, is_requested in zip(input, requested, strict=True) if is_requested),
            dtypes.int64,
        ],
    )
    remaining = iter(gradients)
    return ([next(remaining) if is_requested else None for is_requested in requested],)


@op(
    "PyFunc",
    infer=_described,
    outputs=MANY_OUTPUTS,
    effect="io",
    grad=None,
    host="runs Python",
)
def py_func(xp, input: ManyFree, *, token, Tout):
    """Call a Python function of NumPy arrays."""
    return find(token).run(input)


py_func.accesses("python")


@op("PyFuncStateless", infer=_described, outputs=MANY_OUTPUTS, grad=None, host="runs Python")
def py_func_stateless(xp, input: ManyFree, *, token, Tout):
    """Like `PyFunc`, for a function without side effects."""
    return find(token).run(input)


py_func_stateless.accesses("python")
