"""The public namespace `tf.keras.config`: what holds for a whole program."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.core.lazy import later as _later

__all__ = [  # noqa: F822  some are loaded later
    "backend",
    "disable_interactive_logging",
    "dtype_policy",
    "enable_interactive_logging",
    "enable_unsafe_deserialization",
    "epsilon",
    "floatx",
    "image_data_format",
    "is_interactive_logging_enabled",
    "set_dtype_policy",
    "set_epsilon",
    "set_floatx",
    "set_image_data_format",
]

_FLOATS = ("bfloat16", "float16", "float32", "float64")
_FORMATS = ("channels_last", "channels_first")
_values: dict[str, Any] = {
    "floatx": "float32",
    "epsilon": 1e-7,
    "image_data_format": "channels_last",
    "interactive_logging": True,
}
_ALLOWED = frozenset(
    {
        *("float16", "float32", "float64", "bfloat16", "complex64", "complex128", "bool", "string"),
        *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    }
)


def standardize_dtype(dtype: Any) -> str:
    """The name of a dtype, however it is given; None is `floatx()`."""
    if dtype is None:
        return floatx()
    if isinstance(dtype, str) and dtype in _ALLOWED:
        return dtype
    if dtype is int:
        return "int64"
    if dtype is float:
        return "float32"
    if dtype is str:
        return "string"
    try:
        name = tf.as_dtype(dtype).name
    except TypeError:
        name = ""
    if name not in _ALLOWED:
        raise ValueError(f"Invalid dtype: {dtype}")
    return name


def backend() -> str:
    """Whose ops Keras is written with: TensorFlow's API."""
    return "tensorflow"


def floatx() -> str:
    """The dtype of floating-point numbers where none is given."""
    return _values["floatx"]


def set_floatx(value: str) -> None:
    """Set what `floatx()` gives."""
    if value not in _FLOATS:
        raise ValueError(f"Unknown `floatx` value: {value}. Expected one of {sorted(_FLOATS)}")
    _values["floatx"] = str(value)


def epsilon() -> float:
    """The small number that keeps divisions away from zero."""
    return _values["epsilon"]


def set_epsilon(value: float) -> None:
    """Set what `epsilon()` gives."""
    _values["epsilon"] = value


def image_data_format() -> str:
    """Where images have their channels if a layer does not say it."""
    return _values["image_data_format"]


def set_image_data_format(data_format: str) -> None:
    """Set what `image_data_format()` gives."""
    _values["image_data_format"] = standardize_data_format(data_format)


def standardize_data_format(data_format: str | None) -> str:
    """A data format, checked; None is `image_data_format()`."""
    if data_format is None:
        return image_data_format()
    found = str(data_format).lower()
    if found not in _FORMATS:
        raise ValueError(
            f"`data_format` must be 'channels_last' or 'channels_first'. Received: {data_format!r}"
        )
    return found


def is_interactive_logging_enabled() -> bool:
    """Whether progress is shown by bars that are drawn over and over."""
    return _values["interactive_logging"]


def enable_interactive_logging() -> None:
    """Show progress by bars."""
    _values["interactive_logging"] = True


def disable_interactive_logging() -> None:
    """Show progress by lines."""
    _values["interactive_logging"] = False


def settings() -> dict[str, Any]:
    """All settings, for `set_settings`."""
    return dict(_values)


def set_settings(values: dict[str, Any]) -> None:
    """Set what `settings` has returned."""
    _values.update(values)


# What stands on these settings, and is loaded when it is used.
__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        "dtype_policy": "tapeflow.keras.dtype_policies.policy",
        "enable_unsafe_deserialization": "tapeflow.keras.saving.deserialization",
        "set_dtype_policy": "tapeflow.keras.dtype_policies.policy",
    },
)
