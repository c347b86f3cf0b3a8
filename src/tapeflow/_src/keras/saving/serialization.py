"""Objects as plain data that JSON can hold: the configs of Keras' files.

An object is the dict of its public module, its class, what its `get_config` returns and the name
it is registered under.
"""

from __future__ import annotations

import base64
import marshal
import threading
import types
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.internal.user_warnings import warn_user
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.saving.object_registration import get_registered_name
from tapeflow._src.keras.saving.registry import public_module

_PLAIN = (str, int, float, bool, type(None))


class _Shared(threading.local):
    def __init__(self) -> None:
        # What was met while several objects are written together, by identity.
        self.written: dict[int, Any] | None = None
        # The program's own classes and functions that were met, by the name configs have for them.
        self.own: dict[str, Any] | None = None


_shared = _Shared()


class WriteSharingScope:
    """Within it, an object that is met twice is written as one."""

    def __enter__(self) -> None:
        _shared.written = {}

    def __exit__(self, *error: Any) -> None:
        _shared.written = None


class OwnObjectsScope:
    """Within it, the program's own classes and functions that are written are collected."""

    def __enter__(self) -> dict[str, Any]:
        _shared.own = {}
        return _shared.own

    def __exit__(self, *error: Any) -> None:
        _shared.own = None


def _note_own(named: Any) -> None:
    if _shared.own is not None:
        _shared.own[get_registered_name(named)] = named


def serialize_keras_object(obj: Any) -> Any:
    """Serialize an object, or a structure of objects, to plain data.

    Args:
        obj: An object with `get_config`, a registered class or function, a number, string, array,
            or a structure of these.

    Returns:
        Plain data, as JSON can hold: dicts with `class_name` and `config` for objects.

    Example:
        >>> config = tf.keras.saving.serialize_keras_object(tf.keras.layers.Dense(3))
        >>> config["class_name"], config["config"]["units"]
        ('Dense', 3)
    """
    if isinstance(obj, _PLAIN):
        return obj
    if isinstance(obj, list):
        return [serialize_keras_object(item) for item in obj]
    if isinstance(obj, tuple):
        return tuple(serialize_keras_object(item) for item in obj)
    if isinstance(obj, dict):
        return serialize_dict(obj)
    special = _serialize_value(obj)
    return _serialize_object(obj) if special is NotImplemented else special


def serialize_dict(obj: dict[Any, Any]) -> dict[Any, Any]:
    """The values of a dict as plain data."""
    return {key: serialize_keras_object(value) for key, value in obj.items()}


def _written(kind: str, **config: Any) -> dict[str, Any]:
    return {"class_name": f"__{kind}__", "config": config}


def _serialize_value(obj: Any) -> Any:
    """A value that is no object with a config; NotImplemented if it is one."""
    if isinstance(obj, bytes):
        return _written("bytes", value=obj.decode("utf-8"))
    if isinstance(obj, slice):
        return _written("slice", **serialize_dict(_slice_parts(obj)))
    if obj is Ellipsis:
        return _written("ellipsis")
    if isinstance(obj, KerasTensor):
        history: Any = obj._keras_history
        if history:
            history = [history[0].name, *history[1:]]
        return _written("keras_tensor", shape=obj.shape, dtype=obj.dtype, keras_history=history)
    if isinstance(obj, tf.TensorShape):
        return None if obj.rank is None else obj.as_list()
    if isinstance(obj, tf.DType):
        return obj.name
    if isinstance(obj, (tf.Tensor, tf.Variable)):
        return _written("tensor", value=np.asarray(obj).tolist(), dtype=obj.dtype.name)
    if isinstance(obj, np.ndarray) and obj.ndim:
        return _written("numpy", value=obj.tolist(), dtype=obj.dtype.name)
    if isinstance(obj, (np.ndarray, np.generic)):
        return obj.item()
    if isinstance(obj, types.FunctionType) and obj.__name__ == "<lambda>":
        return _serialize_lambda(obj)
    return NotImplemented


def _slice_parts(obj: slice) -> dict[str, Any]:
    return {"start": obj.start, "stop": obj.stop, "step": obj.step}


def _serialize_lambda(obj: types.FunctionType) -> dict[str, Any]:
    warn_user(
        f"The lambda at {obj.__code__.co_filename}:{obj.__code__.co_firstlineno} is saved as "
        f"bytecode, which only safe_mode=False loads. Use a named function that is registered with "
        f"`@keras.saving.register_keras_serializable()` instead."
    )
    code = base64.b64encode(marshal.dumps(obj.__code__)).decode("ascii") + "\n"
    cells = [serialize_keras_object(cell.cell_contents) for cell in obj.__closure__ or ()]
    return _written("lambda", value=[code, obj.__defaults__, cells or None])


def _serialize_object(obj: Any) -> dict[str, Any]:
    inner = _inner_config(obj)
    if isinstance(obj, types.FunctionType):
        if public_module(obj) is None:
            _note_own(obj)
        function = {"module": "builtins", "class_name": "function", "config": inner}
        return {**function, "registered_name": "function"}
    named = obj if isinstance(obj, type) else type(obj)
    module = public_module(named)
    if module is None:
        _note_own(named)
    config = {
        "module": named.__module__ if module is None else module,
        "class_name": type(obj).__name__,
        "config": inner,
        "registered_name": get_registered_name(named),
    }
    if module is not None and not module.startswith("keras.src."):
        config["registered_name"] = None
    if config["module"] == "builtins":
        config["registered_name"] = None
    for part in ("build_config", "compile_config"):
        getter = getattr(obj, f"get_{part}", None)
        value = None if getter is None or isinstance(obj, type) else getter()
        if value is not None:
            config[part] = serialize_dict(value)
    if getattr(obj, "_tpf_described_as_adapted", False):
        config["adapted"] = True
    _note_written(obj, config)
    return config


def _inner_config(obj: Any) -> Any:
    if isinstance(obj, types.FunctionType):
        return get_registered_name(obj)
    if hasattr(obj, "get_config") and not isinstance(obj, type):
        config = obj.get_config()
        if not isinstance(config, dict):
            raise TypeError(
                f"`{type(obj).__name__}.get_config()` must return a dict. Received: {config!r}"
            )
        return serialize_dict(config)
    if hasattr(obj, "__name__"):
        return get_registered_name(obj)
    raise TypeError(
        f"{obj!r} cannot be saved: its class {type(obj).__name__} must define `get_config()`, "
        f"which returns the arguments to create it again."
    )


def _note_written(obj: Any, config: dict[str, Any]) -> None:
    if config["module"] == "__main__":
        config["module"] = None
    if _shared.written is None:
        return
    first = _shared.written.setdefault(id(obj), config)
    if first is not config:
        first["shared_object_id"] = config["shared_object_id"] = id(obj)
