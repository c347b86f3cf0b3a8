"""The public namespace `tf.keras.config`: what holds for a whole program.

At import `floatx`, `epsilon` and `image_data_format` are read from Keras' own file,
`$KERAS_HOME/keras.json` or `~/.keras/keras.json`, if it exists; it is never written.
"""

from __future__ import annotations

import json as _json
import os as _os
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.fused import forget as _forget

_FLOATS = ("bfloat16", "float16", "float32", "float64")
_FORMATS = ("channels_last", "channels_first")
_values: dict[str, Any] = {
    "floatx": "float32",
    "epsilon": 1e-7,
    "image_data_format": "channels_last",
    "interactive_logging": True,
    "flash_attention": None,
    "max_epochs": None,
    "max_steps_per_epoch": None,
}
_ALLOWED = frozenset(
    {
        *("float16", "float32", "float64", "bfloat16", "complex64", "complex128", "bool", "string"),
        *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float8_e4m3fn", "float8_e5m2"),
    }
)


def standardize_dtype(dtype: Any) -> str:
    """Return the name of a dtype given as a name, a class or an object; None is `floatx()`.

    Args:
        dtype: A dtype, its name, `int`, `float`, `str` or None.

    Returns:
        A string; "int64" for `int`, "float32" for `float`.

    Raises:
        ValueError: It is not a dtype.

    Example:
        >>> tf.keras.backend.standardize_dtype(tf.int8)
        'int8'
    """
    if dtype is None:
        return floatx()
    if isinstance(dtype, str) and dtype in _ALLOWED:
        return dtype
    if dtype is int or (isinstance(dtype, str) and dtype == "int"):
        return "int64"
    if dtype is float:
        return "float32"
    if dtype is str:
        return "string"
    try:
        # Numbers of dtypes, as in protocol buffers, are not meant.
        name = "" if isinstance(dtype, int) else tf.as_dtype(dtype).name
    except TypeError:
        name = ""
    if name not in _ALLOWED:
        raise ValueError(f"Invalid dtype: {dtype}")
    return name


def backend() -> str:
    """Return the name of the backend.

    Returns:
        "tensorflow", whose API Keras is written with here.

    Example:
        >>> tf.keras.config.backend()
        'tensorflow'
    """
    return "tensorflow"


def set_backend(backend: str) -> None:
    """Check that the backend is `"tensorflow"`, the only one there is.

    Args:
        backend: "tensorflow".

    Returns:
        None.

    Raises:
        ValueError: It is another one.
    """
    if backend != "tensorflow":
        raise ValueError(
            f"Keras runs on Tapeflow's own ops here, and on no other backend. Expected "
            f"backend='tensorflow'. Received: {backend!r}"
        )


def floatx() -> str:
    """Return the dtype of floating-point numbers where none is passed.

    Returns:
        A string; "float32" by default.

    Example:
        >>> tf.keras.config.floatx()
        'float32'
    """
    return _values["floatx"]


def set_floatx(value: str) -> None:
    """Set the dtype of floating-point numbers where none is passed.

    Args:
        value: "bfloat16", "float16", "float32" or "float64".

    Returns:
        None.

    Raises:
        ValueError: It is another one.

    Example:
        >>> tf.keras.config.set_floatx("float64")
        >>> tf.keras.ops.zeros((1,)).dtype
        tf.float64
        >>> tf.keras.config.set_floatx("float32")
    """
    if value not in _FLOATS:
        raise ValueError(f"Unknown `floatx` value: {value}. Expected one of {sorted(_FLOATS)}")
    _values["floatx"] = str(value)
    _forget()


def epsilon() -> float:
    """Return the small number that keeps divisions away from zero.

    Returns:
        A float; 1e-7 by default.

    Example:
        >>> tf.keras.config.epsilon()
        1e-07
    """
    return _values["epsilon"]


def set_epsilon(value: float) -> None:
    """Set the small number that keeps divisions away from zero.

    Args:
        value: A positive float.

    Returns:
        None.

    Example:
        >>> tf.keras.config.set_epsilon(1e-5)
        >>> tf.keras.config.epsilon()
        1e-05
        >>> tf.keras.config.set_epsilon(1e-7)
    """
    _values["epsilon"] = value
    _forget()


def image_data_format() -> str:
    """Return where images have their channels if a layer does not say it.

    Returns:
        "channels_last" (by default) or "channels_first".

    Example:
        >>> tf.keras.config.image_data_format()
        'channels_last'
    """
    return _values["image_data_format"]


def set_image_data_format(data_format: str) -> None:
    """Set where images have their channels if a layer does not say it.

    Args:
        data_format: "channels_last" or "channels_first".

    Returns:
        None.

    Raises:
        ValueError: It is another one.

    Example:
        >>> tf.keras.config.set_image_data_format("channels_first")
        >>> tf.keras.config.image_data_format()
        'channels_first'
        >>> tf.keras.config.set_image_data_format("channels_last")
    """
    _values["image_data_format"] = standardize_data_format(data_format)


def standardize_data_format(data_format: str | None) -> str:
    """A data format, checked; None is `image_data_format()`."""
    if data_format is None:
        return image_data_format()
    standardized = str(data_format).lower()
    if standardized not in _FORMATS:
        raise ValueError(
            f"`data_format` must be 'channels_last' or 'channels_first'. Received: {data_format!r}"
        )
    return standardized


def is_interactive_logging_enabled() -> bool:
    """Return whether progress is shown by bars that are drawn over and over.

    Returns:
        A boolean; true by default.

    Example:
        >>> tf.keras.config.is_interactive_logging_enabled()
        True
    """
    return _values["interactive_logging"]


def enable_interactive_logging() -> None:
    """Show progress by bars that are drawn over and over.

    Returns:
        None.

    Example:
        >>> tf.keras.utils.enable_interactive_logging()
        >>> tf.keras.utils.is_interactive_logging_enabled()
        True
    """
    _values["interactive_logging"] = True


def disable_interactive_logging() -> None:
    """Show progress by lines, for logs that go to a file.

    Returns:
        None.

    Example:
        >>> tf.keras.utils.disable_interactive_logging()
        >>> tf.keras.utils.is_interactive_logging_enabled()
        False
        >>> tf.keras.utils.enable_interactive_logging()
    """
    _values["interactive_logging"] = False


def enable_flash_attention() -> None:
    """Let attention layers use a fused kernel where there is one.

    Returns:
        None.
    """
    _values["flash_attention"] = None


def disable_flash_attention() -> None:
    """Keep attention layers from using a fused kernel.

    Returns:
        None.
    """
    _values["flash_attention"] = False


def is_flash_attention_enabled() -> bool | None:
    """Return whether attention layers may use a fused kernel.

    Returns:
        False if `disable_flash_attention` was called, else None.

    Example:
        >>> tf.keras.config.is_flash_attention_enabled()
    """
    return _values["flash_attention"]


def is_nnx_enabled() -> bool:
    """Return False: Flax's NNX modules belong to Keras' JAX backend.

    Returns:
        A boolean.

    Example:
        >>> tf.keras.config.is_nnx_enabled()
        False
    """
    return False


def max_epochs() -> int | None:
    """Return the most epochs that a `fit` trains for, or None.

    Returns:
        An integer, or None for no limit.

    Example:
        >>> tf.keras.config.max_epochs() is None
        True
    """
    return _values["max_epochs"]


def set_max_epochs(max_epochs: int | None) -> None:
    """Limit the epochs of every `fit`, to try a program out; `KERAS_MAX_EPOCHS` does the same.

    Args:
        max_epochs: Number of epochs; None for no limit.

    Returns:
        None.

    Example:
        >>> tf.keras.config.set_max_epochs(2)
        >>> tf.keras.config.max_epochs()
        2
        >>> tf.keras.config.set_max_epochs(None)
    """
    _values["max_epochs"] = max_epochs


def max_steps_per_epoch() -> int | None:
    """Return the most batches that an epoch of `fit`, `evaluate` or `predict` takes, or None.

    Returns:
        An integer, or None for no limit.

    Example:
        >>> tf.keras.config.max_steps_per_epoch() is None
        True
    """
    return _values["max_steps_per_epoch"]


def set_max_steps_per_epoch(max_steps_per_epoch: int | None) -> None:
    """Limit the batches of every epoch; `KERAS_MAX_STEPS_PER_EPOCH` does the same.

    Args:
        max_steps_per_epoch: Number of batches; None for no limit.

    Returns:
        None.

    Example:
        >>> tf.keras.config.set_max_steps_per_epoch(5)
        >>> tf.keras.config.max_steps_per_epoch()
        5
        >>> tf.keras.config.set_max_steps_per_epoch(None)
    """
    _values["max_steps_per_epoch"] = max_steps_per_epoch


def is_traceback_filtering_enabled() -> bool:
    """Return whether frames of the library are removed from the tracebacks of errors.

    Returns:
        A boolean.

    Example:
        >>> tf.keras.config.is_traceback_filtering_enabled()
        True
    """
    return tf.debugging.is_traceback_filtering_enabled()


def enable_traceback_filtering() -> None:
    """Remove frames of the library from the tracebacks of errors.

    Returns:
        None.

    Example:
        >>> tf.keras.config.enable_traceback_filtering()
        >>> tf.keras.config.is_traceback_filtering_enabled()
        True
    """
    tf.debugging.enable_traceback_filtering()


def disable_traceback_filtering() -> None:
    """Keep frames of the library in the tracebacks of errors.

    Returns:
        None.

    Example:
        >>> tf.keras.config.disable_traceback_filtering()
        >>> tf.keras.config.is_traceback_filtering_enabled()
        False
        >>> tf.keras.config.enable_traceback_filtering()
    """
    tf.debugging.disable_traceback_filtering()


def settings() -> dict[str, Any]:
    """All settings, for `set_settings`."""
    return dict(_values)


def set_settings(values: dict[str, Any]) -> None:
    """Set what `settings` has returned."""
    _values.update(values)


def keras_home() -> str:
    """Return the folder of Keras' settings and downloads."""
    return _os.environ.get("KERAS_HOME") or _os.path.join(_os.path.expanduser("~"), ".keras")


def _read_user_settings() -> None:
    path = _os.path.join(keras_home(), "keras.json")
    try:
        with open(path, encoding="utf-8") as file:
            values = _json.load(file)
    except (OSError, ValueError):  # there is no such file, or it is not JSON
        values = {}
    setters = (set_floatx, set_epsilon, set_image_data_format)
    for setter in setters if isinstance(values, dict) else ():
        value = values.get(setter.__name__.removeprefix("set_"))
        if value is not None:
            setter(value)
    for name in ("max_epochs", "max_steps_per_epoch"):
        number = _os.environ.get(f"KERAS_{name.upper()}")
        if number:
            _values[name] = int(number)


_read_user_settings()
