"""In which dtypes a layer computes and keeps its variables."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.keras.config import floatx, standardize_dtype
from tapeflow.keras.saving.serialization import deserialize_keras_object, serialize_keras_object

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
                f"'name' must be a string, such as 'mixed_float16'. Received: name={name} (of "
                f"type {type(name)})"
            )
        self._name = name
        if name in _MIXED:
            self._compute_dtype, self._variable_dtype = _MIXED[name]
            return
        try:
            self._compute_dtype = self._variable_dtype = standardize_dtype(name)
        except ValueError:
            raise ValueError(
                f"Cannot convert '{name}' to a mixed precision DTypePolicy. Valid policies "
                f"include 'mixed_float16', 'mixed_bfloat16', and the name of any float dtype such "
                f"as 'float32'."
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

    def convert_input(self, x: Any, autocast: bool, dtype: Any) -> Any:
        """An input as a tensor; floating-point numbers in `dtype`, if `autocast` says so."""
        if not isinstance(x, (tf.Tensor, tf.Variable)):
            if not hasattr(x, "__array__"):
                return x
            x = tf.convert_to_tensor(x)
        if autocast and x.dtype.is_floating and x.dtype != tf.as_dtype(dtype):
            return tf.cast(x, dtype)
        return x

    def get_config(self) -> dict[str, Any]:
        return {"name": self.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> DTypePolicy:
        return cls(**config)

    def __repr__(self) -> str:
        return f'<DTypePolicy "{self._name}">'

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
                f"Invalid `policy` argument. Expected the string name of a policy (such as "
                f"'mixed_float16') or a `DTypePolicy` instance. Received: policy={policy} (of "
                f"type {type(policy)})"
            )
        policy = DTypePolicy(policy)
    _global[:] = [policy]


def reset_dtype_policy() -> None:
    """Let `floatx()` be the policy of layers that are given none, as at the beginning."""
    _global.clear()


def get(identifier: Any) -> DTypePolicy:
    """A policy, given as such, as a name, a dtype or a config; None is `dtype_policy()`."""
    if identifier is None:
        return dtype_policy()
    if isinstance(identifier, DTypePolicy):
        return identifier
    if isinstance(identifier, dict):
        return deserialize(identifier)
    if isinstance(identifier, str):
        return DTypePolicy(identifier)
    try:
        return DTypePolicy(standardize_dtype(identifier))
    except ValueError:
        raise ValueError(
            f"Cannot interpret `dtype` argument. Expected a string or an instance of DTypePolicy. "
            f"Received: dtype={identifier}"
        ) from None


def serialize(dtype_policy: DTypePolicy) -> dict[str, Any]:
    """The config of a policy."""
    return serialize_keras_object(dtype_policy)


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> DTypePolicy:
    """The policy that has this config."""
    return deserialize_keras_object(config, custom_objects=custom_objects)
