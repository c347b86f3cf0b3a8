"""Functions written in JAX, called on tensors: for libraries that wrap models of JAX."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeflow._src.api.arrays import convert_to_tensor
from tapeflow._src.api.math.casting import cast
from tapeflow._src.core import dtypes
from tapeflow._src.core.host_functions import Token
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.ops.graph.jax_calls import jax_call

_functions: Any = LazyModule(
    "tapeflow._src.backends.jax_functions", "functions written in JAX", "jax"
)

_NARROW = {
    dtypes.int64: dtypes.int32,
    dtypes.uint64: dtypes.uint32,
    dtypes.float64: dtypes.float32,
    dtypes.complex128: dtypes.complex64,
}


def jax_module() -> Any:
    """Return the module `jax`, imported at the first call."""
    return _functions.jax


class JaxFunction:
    """A JAX function of tensors: differentiable, and compiled with the code that calls it.

    Arguments and results are pytrees. Tensors, arrays and numbers are traced, other leaves (and
    bools) reach the function as they are; it is traced once per combination of those, shapes and
    dtypes. Unless `jax_enable_x64` is set, 64-bit arguments become 32-bit ones, as everywhere in
    JAX. In SavedModels a call is StableHLO (`XlaCallModule`), written for `platforms`.

    >>> import jax.numpy as jnp
    >>> import tapeflow as tf
    >>> norm = JaxFunction(lambda x: jnp.sqrt(jnp.sum(x["a"] ** 2)))
    >>> float(norm({"a": tf.constant([3.0, 4.0])}))
    5.0
    """

    def __init__(
        self, function: Callable[..., Any], platforms: Sequence[str] | None = None
    ) -> None:
        self._function = function
        self._platforms = platforms
        self._calls: dict[Any, _Call] = {}

    def __call__(self, *args: Any) -> Any:
        leaves, structure = _functions.jax.tree_util.tree_flatten(args)
        x64 = bool(_functions.jax.config.jax_enable_x64)
        tensors = [_as_tensor(leaf, x64) if _is_traced(leaf) else None for leaf in leaves]
        static = [leaf for leaf, t in zip(leaves, tensors, strict=True) if t is None]
        # Leaves that are not traced may not be hashable. A call keeps them, and so their ids.
        key = (structure, x64, tuple(t is None for t in tensors), tuple(map(id, static)))
        call = self._calls.get(key)
        if call is None:
            fixed = [None if t is not None else (leaf,) for leaf, t in zip(leaves, tensors)]
            call = _Call(self._function, structure, fixed, x64, self._platforms)
            call = self._calls.setdefault(key, call)
        outputs = jax_call([t for t in tensors if t is not None], token=call.token)
        return _functions.jax.tree_util.tree_unflatten(call.results, outputs)

    def __deepcopy__(self, memo: Any) -> JaxFunction:
        return self

    def __reduce__(self) -> Any:
        return JaxFunction, (self._function, self._platforms)


class _Call:
    """A function for one structure of arguments: from flat arrays to flat arrays."""

    def __init__(
        self, function: Any, structure: Any, fixed: list[Any], x64: bool, platforms: Any
    ) -> None:
        self.results: Any = None
        flat = self._flat(function, structure, fixed)
        self.token = Token(_functions.FlatFunction(flat, x64, platforms))

    def _flat(self, function: Any, structure: Any, fixed: list[Any]) -> Callable[..., Any]:
        def flat(*arrays: Any) -> list[Any]:
            remaining = iter(arrays)
            leaves = [next(remaining) if each is None else each[0] for each in fixed]
            outputs = function(*_functions.jax.tree_util.tree_unflatten(structure, leaves))
            flat_outputs, results = _functions.jax.tree_util.tree_flatten(outputs)
            if self.results is None:
                self.results = results
            elif self.results != results:
                raise ValueError(
                    f"A JAX function must return the same structure for all shapes. Expected "
                    f"{self.results}, received {results} from {function!r}."
                )
            return [_functions.jax.numpy.asarray(output) for output in flat_outputs]

        return flat


def _is_traced(leaf: Any) -> bool:
    if isinstance(leaf, (Tensor, np.ndarray, np.generic)):
        return True
    return isinstance(leaf, (int, float, complex, _functions.jax.Array)) and not isinstance(
        leaf, bool
    )


def _as_tensor(leaf: Any, x64: bool) -> Any:
    tensor = convert_to_tensor(leaf)
    narrow = None if x64 else _NARROW.get(tensor.dtype)
    return tensor if narrow is None else cast(tensor, narrow)
