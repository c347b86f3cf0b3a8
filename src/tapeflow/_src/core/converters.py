"""Conversion functions that users register for their own classes.

This file knows which functions apply to which class, and in what order; the default conversion is
implemented by the modes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow._src.core.tensor import Tensor

Converter = Callable[..., Any]

# The priority at which sequences are converted by default.
_OF_SEQUENCES = 100
_registered: list[tuple[int, tuple[type, ...], Converter]] = []
_by_type: dict[type, tuple[Converter, ...]] = {}


def register_tensor_conversion_function(
    base_type: Any, conversion_func: Converter, priority: int = 100
) -> None:
    """Register a function as the conversion of a class to tensors.

    Args:
        base_type: The class, or a tuple of classes; subclasses are converted, too.
        conversion_func: Function `(value, dtype, name, as_ref)` that returns a tensor, or
            NotImplemented to leave the value to the next function. The dtype is the required
            one, or None.
        priority: Functions with a smaller number are called first.

    Returns:
        None.

    Raises:
        TypeError: If it is no class, or one of Python's or NumPy's own.

    Example:
        >>> class Length:
        ...     def __init__(self, metres):
        ...         self.metres = metres
        >>> def convert(value, dtype=None, name=None, as_ref=False):
        ...     return tf.constant(value.metres, dtype)
        >>> tf.register_tensor_conversion_function(Length, convert)
        >>> (tf.constant(1.0) + Length(2.0)).numpy()
        np.float32(3.0)
    """
    types = base_type if isinstance(base_type, tuple) else (base_type,)
    if not types or not all(isinstance(t, type) for t in types):
        raise TypeError(f"base_type must be a class or a tuple of classes, received {base_type!r}.")
    if any(issubclass(t, (int, float, np.generic, np.ndarray)) for t in types):
        raise TypeError(
            "Conversions of Python numbers, NumPy scalars and NumPy arrays are built in and "
            "cannot be registered; wrap the values in a class of your own."
        )
    if not callable(conversion_func):
        raise TypeError(f"Argument `conversion_func` must be callable. Received {conversion_func}.")
    _registered.append((priority, types, conversion_func))
    _registered.sort(key=lambda entry: entry[0])
    _by_type.clear()


def converters_of(kind: type) -> tuple[Converter, ...]:
    """Return the functions to call for a value of a class, in order."""
    if not _registered:
        return ()
    cached = _by_type.get(kind)
    if cached is None:
        bound = _OF_SEQUENCES if issubclass(kind, (list, tuple)) else float("inf")
        cached = _by_type[kind] = tuple(
            [
                converter
                for priority, types, converter in _registered
                if issubclass(kind, types) and priority < bound
            ]
        )
    return cached


def converted(value: Any, dtype: Any, name: str | None) -> Any:
    """Convert `value` with the registered functions; NotImplemented if none applies."""
    for converter in converters_of(type(value)):
        tensor = converter(value, dtype=dtype, name=name, as_ref=False)
        if tensor is NotImplemented:
            continue
        if not isinstance(tensor, Tensor):
            raise RuntimeError(
                f"The conversion function {converter} returned {tensor!r} for a "
                f"{type(value).__name__}, expected a Tensor."
            )
        if dtype is not None and tensor.dtype is not dtype:
            raise RuntimeError(
                f"The conversion function {converter} returned a {tensor.dtype.name} tensor for a "
                f"{type(value).__name__}, expected {dtype.name}: it must obey its dtype argument."
            )
        return tensor
    return NotImplemented
