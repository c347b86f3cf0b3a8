"""Calls of functions written in JAX, which are compiled together with what is around them."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import dtypes
from tapeflow._src.core.host_functions import find
from tapeflow._src.core.registry import MANY_OUTPUTS, ManyFree, op

_DIFFERENTIABLE = dtypes.FLOATING_COMPLEX


def _described(op: Any, specs: Any, attrs: dict[str, Any]) -> Any:
    return find(attrs["token"]).infer(specs[0])  # type: ignore[attr-defined]


@op("_JaxCall", infer=_described, outputs=MANY_OUTPUTS)
def jax_call(xp, input: ManyFree, *, token):
    """Return the results of the JAX function that `token` stands for in this process."""
    return find(token).run(input)


@jax_call.kernel("jax")
def _(xp, input, *, token):
    return find(token).trace(input)


jax_call.accesses("python")


@jax_call.written_as("XlaCallModule")
def _(inputs, outputs, *, token):
    return {**find(token).serialize(inputs), "Sout": [output.shape for output in outputs]}


@jax_call.gradient
def _(dzs=None, *, input, token, needed):
    connected = [dz is not None for dz in dzs]
    requested = [
        is_needed and t.dtype in _DIFFERENTIABLE for is_needed, t in zip(needed, input, strict=True)
    ]
    if not (any(connected) and any(requested)):
        return ([None] * len(input),)
    remaining = iter(
        jax_call(
            [*input, *(dz for dz in dzs if dz is not None)],
            token=find(token).gradient(connected, requested),
        )
    )
    return ([next(remaining) if is_requested else None for is_requested in requested],)
