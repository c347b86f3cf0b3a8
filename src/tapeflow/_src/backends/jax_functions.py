"""Functions written in JAX as bodies of ops: how they run, their shapes and their gradients.

Imported only when such a function is used, never by `import tapeflow`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import jax
import numpy as np
from jax import export

from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.host_functions import HostFunction, Token
from tapeflow._src.core.registry import InferError
from tapeflow._src.core.spec import Spec


class FlatFunction(HostFunction):
    """A JAX function from a list of arrays to a list of arrays.

    x64: whether it runs with 64-bit types enabled. Compiled code always has them, but a function
        written for JAX's default must see that default: `jnp.ones(3)` is float32 there.
    platforms: those that files are written for; the one of this process if None.
    """

    def __init__(
        self,
        function: Callable[..., Sequence[Any]],
        x64: bool,
        platforms: Sequence[str] | None = None,
    ) -> None:
        self._function = function
        self._platforms = platforms
        self._x64 = x64
        self._jitted = jax.jit(function)
        self._gradients: dict[Any, Token] = {}

    def run(self, arrays: Sequence[Any]) -> Sequence[Any]:
        """Return the results as NumPy arrays, compiled once per shapes and dtypes."""
        with jax.enable_x64(self._x64):
            outputs = self._jitted(*arrays)
        return [np.asarray(output) for output in outputs]

    def trace(self, arrays: Sequence[Any]) -> Sequence[Any]:
        """Return the results as part of code that JAX is compiling."""
        with jax.enable_x64(self._x64):
            return list(self._jitted(*arrays))

    def infer(self, specs: Sequence[Spec]) -> list[Spec]:
        """Infer shapes and dtypes of the results; unknown sizes become symbolic dimensions."""
        arguments = _placeholders(specs)
        with jax.enable_x64(self._x64):
            outputs = jax.eval_shape(self._function, *arguments)
        return [
            Spec(
                tuple(each if isinstance(each, int) else None for each in output.shape),
                as_dtype(output.dtype),
            )
            for output in outputs
        ]

    def serialize(self, specs: Sequence[Spec]) -> dict[str, Any]:
        """Serialise the function for such arguments as attributes of `XlaCallModule`: StableHLO."""
        write = export.export(jax.jit(self._function, keep_unused=True), platforms=self._platforms)
        try:
            with jax.enable_x64(self._x64):
                exported = write(*_placeholders(specs))
        except (NotImplementedError, ValueError) as error:
            raise ValueError(
                f"The JAX function cannot be written as StableHLO, which is what a SavedModel "
                f"holds of it: {error}"
            ) from error
        return {
            "version": exported.calling_convention_version,
            "module": exported.mlir_module_serialized,
            "platforms": [platform.upper() for platform in exported.platforms],
        }

    def gradient(self, present: Sequence[bool], needed: Sequence[bool]) -> Token:
        """Return the function from arguments and cotangents of `present` results to gradients."""
        key = tuple(present), tuple(needed)
        token = self._gradients.get(key)
        if token is None:
            pulled = _Gradient(self._function, *key, self._x64, self._platforms)
            token = self._gradients.setdefault(key, Token(pulled))
        return token


class _Gradient(FlatFunction):
    """The vector-Jacobian product of a function w.r.t. the arguments that are `needed`."""

    def __init__(
        self,
        function: Callable[..., Sequence[Any]],
        present: tuple[bool, ...],
        needed: tuple[bool, ...],
        x64: bool,
        platforms: Sequence[str] | None,
    ) -> None:
        self._needed = needed

        def gradients(*arrays: Any) -> Sequence[Any]:
            arguments, cotangents = arrays[: len(needed)], arrays[len(needed) :]

            def forward(*variable: Any) -> list[Any]:
                remaining = iter(variable)
                outputs = function(
                    *(
                        next(remaining) if is_needed else argument
                        for is_needed, argument in zip(needed, arguments, strict=True)
                    )
                )
                return [output for output, is_given in zip(outputs, present) if is_given]

            chosen = [each for each, is_needed in zip(arguments, needed, strict=True) if is_needed]
            _, pull_back = jax.vjp(forward, *chosen)
            return list(pull_back(list(cotangents)))

        super().__init__(gradients, x64, platforms)

    def infer(self, specs: Sequence[Spec]) -> list[Spec]:
        return [
            Spec(spec.shape, spec.dtype)
            for spec, is_needed in zip(specs, self._needed)
            if is_needed
        ]


def _placeholders(specs: Sequence[Spec]) -> list[Any]:
    """Return placeholders of these shapes and dtypes.

    An unknown size of a first axis is the batch, one symbol for all arguments.
    """
    scope = export.SymbolicScope()
    numbers = count()

    def size(axis: int, static_size: int | None) -> Any:
        if static_size is not None:
            return static_size
        name = "batch" if axis == 0 else f"size{next(numbers)}"
        return export.symbolic_shape(name, scope=scope)[0]

    arguments = []
    for spec in specs:
        if spec.shape is None:
            raise InferError(
                "A JAX function is traced for arrays of a known rank. Received a tensor of "
                "unknown shape: set one with `tf.ensure_shape` or an input signature."
            )
        shape = tuple(size(axis, size_or_none) for axis, size_or_none in enumerate(spec.shape))
        arguments.append(jax.ShapeDtypeStruct(shape, spec.dtype.as_numpy_dtype))
    return arguments
