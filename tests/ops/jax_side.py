"""The same op bodies on JAX: what the laws compare NumPy with."""

from __future__ import annotations

import functools
from typing import Any
from unittest import mock

import jax
import numpy as np

from tapeflow._src.backends import jax as jax_backend
from tapeflow._src.backends import jax_onednn
from tapeflow._src.core.registry import Op
from tests import quick_compiler

jax.config.update("jax_enable_x64", True)

_STATIC = ("Static", "StaticT")


def _split(op: Op, inputs: list[Any]) -> tuple[list[int], list[Any]]:
    """Which inputs are traced, and those."""
    places = [i for i, kind in enumerate(op.kinds) if kind not in _STATIC]
    return places, [inputs[i] for i in places]


def _call(op: Op, inputs: list[Any], attrs: dict[str, Any], places: list[int]) -> Any:
    kernel = op.kernels.get("jax", op.body)

    def call(*traced: Any) -> tuple[Any, ...]:
        arguments = list(inputs)
        for place, value in zip(places, traced, strict=True):
            arguments[place] = value
        result = kernel(jax_backend, *arguments, **attrs)
        return tuple(result) if isinstance(result, (tuple, list)) else (result,)

    return call


def body_under_jit(op: Op, inputs: list[Any], attrs: dict[str, Any]) -> list[np.ndarray]:
    """The body compiled; static inputs stay NumPy arrays."""
    places, traced = _split(op, inputs)
    call = _call(op, inputs, attrs, places)
    compiled = jax.jit(call, compiler_options=quick_compiler.OPTIONS)
    return [np.asarray(r) for r in compiled(*traced)]


def _is_inexact(array: Any) -> bool:
    return jax.numpy.issubdtype(array.dtype, jax.numpy.inexact)


def vjp_under_jit(
    op: Op, inputs: list[Any], attrs: dict[str, Any], seeds: list[Any]
) -> list[np.ndarray | None]:
    """The gradient by `jax.vjp`, one per flat input, None where it has none.

    JAX gives the conjugate of TF's gradient for complex numbers.
    """
    places, traced = _split(op, inputs)
    leaves, tree = jax.tree.flatten(traced)
    floating = [i for i, leaf in enumerate(leaves) if _is_inexact(leaf)]
    call = _call(op, inputs, attrs, places)

    def of_floats(*floats: Any) -> tuple[Any, ...]:
        filled = list(leaves)
        for i, value in zip(floating, floats, strict=True):
            filled[i] = value
        outputs = call(*jax.tree.unflatten(tree, filled))
        return tuple(o for o in outputs if _is_inexact(o))

    @functools.partial(jax.jit, compiler_options=quick_compiler.OPTIONS)
    def gradients(floats: Any, conjugated: Any) -> Any:
        _, pull = jax.vjp(of_floats, *floats)
        return pull(tuple(conjugated))

    # JAX differentiates what it computes itself, not what it calls.
    with mock.patch.object(jax_onednn, "available", return_value=False):
        found = gradients([leaves[i] for i in floating], [np.conj(s) for s in seeds])
    by_leaf: dict[int, Any] = dict(zip(floating, found, strict=True))
    flat: list[np.ndarray | None] = []
    traced_leaf = 0
    for place, value in enumerate(inputs):
        for _ in value if isinstance(value, list) else [value]:
            if place in places:
                gradient = by_leaf.get(traced_leaf)
                flat.append(None if gradient is None else np.conj(np.asarray(gradient)))
                traced_leaf += 1
            else:
                flat.append(None)
    return flat
