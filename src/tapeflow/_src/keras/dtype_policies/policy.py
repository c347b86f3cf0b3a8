"""In which dtypes a layer computes and keeps its variables."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.keras.config import floatx, standardize_dtype
from tapeflow._src.keras.generation import is_keras_2
from tapeflow._src.keras.saving.deserialization import read_object
from tapeflow._src.keras.saving.registry import DTYPE_POLICY
from tapeflow._src.keras.saving.serialization import serialize_keras_object

_quantized = LazyModule("tapeflow._src.keras.dtype_policies.quantized")
_QUANTIZED = ("int8_from", "int4", "float8_from", "gptq", "awq")
_MIXED = {"mixed_float16": ("float16", "float32"), "mixed_bfloat16": ("bfloat16", "float32")}
_global: list[DTypePolicy] = []


class DTypePolicy:
    """The dtype of a layer's computations and that of its variables: `mixed_float16` has two."""

    quantization_mode: str | None = None

    def __init__(self, name: str | None = None) -> None:
        if name is None:
            name = dtype_policy().name
        if not isinstance(name, str):
            raise TypeError(
                f"A DTypePolicy is created from a name, such as 'float32' or 'mixed_float16'. "
                f"Received: {name!r} of type {type(name).__name__}"
            )
        self._name = name
        if name in _MIXED:
            self._compute_dtype, self._variable_dtype = _MIXED[name]
            return
        try:
            # Layers compute with 8-bit floats through a quantized policy alone.
            dtype = standardize_dtype("" if name.startswith("float8") else name)
            self._compute_dtype = self._variable_dtype = dtype
        except ValueError:
            raise ValueError(
                f"'{name}' is neither a dtype nor a mixed precision policy. Use a dtype such as "
                f"'float32', or 'mixed_float16' or 'mixed_bfloat16'."
            ) from None

    @property
    def name(self) -> str:
        return self._name

    @property
    def compute_dtype(self) -> str:
        return self._compute_dtype

    @property
    def variable_dtype(self) -> str:
        return self._variable_dtype

    def for_path(self, path: str | None) -> DTypePolicy:
        """The policy of the layer at a path: this one, unless it is a map."""
        return self

    def with_path(self, path: str | None, policy: DTypePolicy) -> DTypePolicy:
        """Return what the layer at a path has after it was assigned `policy`."""
        return policy

    def convert_input(self, x: Any, autocast: bool, dtype: Any) -> Any:
        """An input as a tensor; floating-point numbers in `dtype`, if `autocast` says so."""
        if not isinstance(x, tf.Tensor):
            if isinstance(x, tf.Variable) or hasattr(x, "__array__"):
                x = tf.convert_to_tensor(x)
            elif not isinstance(x, tf.SparseTensor):
                return x
        if autocast and x.dtype.is_floating and x.dtype != tf.as_dtype(dtype):
            return tf.cast(x, dtype)
        return x

    def get_config(self) -> dict[str, Any]:
        return {"name": self.name}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> DTypePolicy:
        return cls(**config)

    def __repr__(self) -> str:
        return f'<{"Policy" if is_keras_2() else "DTypePolicy"} "{self._name}">'

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, DTypePolicy) and self._name == other._name

    def __hash__(self) -> int:
        return hash(self._name)


class FloatDTypePolicy(DTypePolicy):
    """Another name of `DTypePolicy`."""


def dtype_policy() -> DTypePolicy:
    """The policy of layers that are given none."""
    return _global[0] if _global else DTypePolicy(floatx())


def set_dtype_policy(policy: Any) -> None:
    """Set the policy of layers that are given none."""
    if not isinstance(policy, DTypePolicy):
        if not isinstance(policy, str):
            raise ValueError(
                f"`policy` must be a DTypePolicy or the name of one, such as 'mixed_float16'. "
                f"Received: {policy!r} of type {type(policy).__name__}"
            )
        policy = get(policy)
    _global[:] = [policy]


def reset_dtype_policy() -> None:
    """Let `floatx()` be the policy of layers that are given none, as at the beginning."""
    _global.clear()


def global_policies() -> list[DTypePolicy]:
    """Return the global policy of `set_dtype_policy`, for `set_global_policies`."""
    return list(_global)


def set_global_policies(policies: list[DTypePolicy]) -> None:
    """Set what `global_policies` has returned."""
    _global[:] = policies


def get(identifier: Any) -> DTypePolicy:
    """A policy, given as such, as a name, a dtype or a config; None is `dtype_policy()`."""
    if identifier is None:
        return dtype_policy()
    if isinstance(identifier, DTypePolicy):
        return identifier
    if isinstance(identifier, dict):
        return deserialize(identifier)
    if isinstance(identifier, str):
        if identifier.startswith(_QUANTIZED):
            return _quantized.from_name(identifier)
        return DTypePolicy(identifier)
    try:
        return DTypePolicy(standardize_dtype(identifier))
    except ValueError:
        raise ValueError(
            f"`dtype` must be a DTypePolicy, a dtype or a name such as 'float32' or "
            f"'mixed_float16'. Received: {identifier!r}"
        ) from None


def serialize(dtype_policy: DTypePolicy) -> dict[str, Any]:
    """The config of a policy."""
    return serialize_keras_object(dtype_policy)


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> DTypePolicy:
    """The policy that has this config."""
    return read_object(config, DTYPE_POLICY, custom_objects)
