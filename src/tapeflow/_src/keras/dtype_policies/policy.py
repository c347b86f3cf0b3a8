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
    """The dtype of the computations of a layer and that of its variables.

    They are the same for a dtype such as "float32". "mixed_float16" and "mixed_bfloat16" compute in
    16 bits and keep variables in `float32`.

    Args:
        name: Name of a dtype, "mixed_float16" or "mixed_bfloat16"; None is the global policy.

    Raises:
        TypeError: `name` is not a string.
        ValueError: It is not such a name.

    Example:
        >>> policy = tf.keras.DTypePolicy("mixed_bfloat16")
        >>> policy.compute_dtype, policy.variable_dtype
        ('bfloat16', 'float32')
        >>> layer = tf.keras.layers.Dense(2, dtype=policy)
        >>> layer(tf.ones((1, 3))).dtype
        tf.bfloat16
    """

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
        """Return the policy of the layer at a path: this one, unless it is a map.

        Args:
            path: Path of the layer, or None.
        """
        return self

    def with_path(self, path: str | None, policy: DTypePolicy) -> DTypePolicy:
        """Return the policy of a layer after `policy` was assigned to it.

        Args:
            path: Path of the layer, or None.
            policy: The policy; a map stores it under the path and is returned itself.
        """
        return policy

    def convert_input(self, x: Any, autocast: bool, dtype: Any) -> Any:
        """Convert an input to a tensor, with floating-point numbers in another dtype.

        Args:
            x: A tensor, array, variable or anything else, which is returned as it is.
            autocast: Whether to cast.
            dtype: The dtype of floating-point numbers.
        """
        if not isinstance(x, tf.Tensor):
            if isinstance(x, tf.Variable) or hasattr(x, "__array__"):
                x = tf.convert_to_tensor(x)
            elif not isinstance(x, tf.SparseTensor):
                return x
        if autocast and x.dtype.is_floating and x.dtype != tf.as_dtype(dtype):
            return tf.cast(x, dtype)
        return x

    def get_config(self) -> dict[str, Any]:
        """Return the arguments that `from_config` creates an equal policy from, as a dict.

        Example:
            >>> tf.keras.DTypePolicy("float16").get_config()
            {'name': 'float16'}
        """
        return {"name": self.name}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> DTypePolicy:
        """Create a policy from the config of `get_config`.

        Args:
            config: The dict.
            custom_objects: Dict from names to own classes, which configs may name.

        Example:
            >>> tf.keras.DTypePolicy.from_config({"name": "float16"}).compute_dtype
            'float16'
        """
        return cls(**config)

    def __repr__(self) -> str:
        return f'<{"Policy" if is_keras_2() else "DTypePolicy"} "{self._name}">'

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, DTypePolicy) and self._name == other._name

    def __hash__(self) -> int:
        return hash(self._name)


class FloatDTypePolicy(DTypePolicy):
    """Another name of `DTypePolicy`.

    Example:
        >>> policy = tf.keras.FloatDTypePolicy("mixed_float16")
        >>> policy.compute_dtype, policy.variable_dtype
        ('float16', 'float32')
    """


def dtype_policy() -> DTypePolicy:
    """Return the policy of layers that are created without one.

    Returns:
        A `DTypePolicy`; that of `floatx()` unless `set_dtype_policy` was called.

    Example:
        >>> tf.keras.config.dtype_policy().name
        'float32'
    """
    return _global[0] if _global else DTypePolicy(floatx())


def set_dtype_policy(policy: Any) -> None:
    """Set the policy of layers that are created without one.

    Args:
        policy: A `DTypePolicy`, or its name.

    Returns:
        None.

    Raises:
        ValueError: It is neither.

    Example:
        >>> tf.keras.config.set_dtype_policy("mixed_bfloat16")
        >>> tf.keras.layers.Dense(2).compute_dtype
        'bfloat16'
        >>> tf.keras.config.set_dtype_policy("float32")
    """
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
    """Return the policy for a name, a dtype or a config.

    Args:
        identifier: A policy, a name, a dtype, a config, or None for the global policy.

    Returns:
        A `DTypePolicy`.

    Raises:
        ValueError: It is none of these.

    Example:
        >>> tf.keras.dtype_policies.get("mixed_float16").compute_dtype
        'float16'
    """
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
    """Return the config of a policy.

    Args:
        dtype_policy: The policy.

    Returns:
        A dict.

    Example:
        >>> tf.keras.dtype_policies.serialize(tf.keras.DTypePolicy("float16"))["config"]
        {'name': 'float16'}
    """
    return serialize_keras_object(dtype_policy)


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> DTypePolicy:
    """Create a policy from its config.

    Args:
        config: A dict of `serialize`.
        custom_objects: Dict from names to own classes, which configs may name.

    Returns:
        A `DTypePolicy`.

    Example:
        >>> config = tf.keras.dtype_policies.serialize(tf.keras.DTypePolicy("float16"))
        >>> tf.keras.dtype_policies.deserialize(config).name
        'float16'
    """
    return read_object(config, DTYPE_POLICY, custom_objects)
