"""Values in configs that JSON has no notation for: tensors, slices, bytes, lambdas."""

from __future__ import annotations

import base64
import marshal
import types
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.keras.config import standardize_dtype
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.saving import limits


def is_value(class_name: str) -> bool:
    """Whether the class of a config stands for a value."""
    return class_name.startswith("__")


def read_value(class_name: str, config: Any, safe: bool) -> Any:
    """The value of a config; TypeError, ValueError or KeyError if it is damaged."""
    config = {} if config is None else config
    if not isinstance(config, dict):
        raise TypeError(f"Expected a dict, but received {type(config).__name__}.")
    if class_name == "__keras_tensor__":
        return _keras_tensor(config)
    if class_name == "__tensor__":
        return tf.convert_to_tensor(config["value"], dtype=standardize_dtype(config["dtype"]))
    if class_name == "__numpy__":
        dtype = standardize_dtype(config["dtype"])
        return tf.convert_to_tensor(config["value"], dtype=dtype).numpy()
    if class_name == "__bytes__":
        return _of_type(config["value"], str).encode("utf-8")
    if class_name == "__ellipsis__":
        return Ellipsis
    if class_name == "__slice__":
        return slice(*(_index(config[part], safe) for part in ("start", "stop", "step")))
    if class_name == "__lambda__":
        return read_lambda(_lambda_parts(config), safe)
    raise TypeError("No such value is known.")


def _of_type(value: Any, expected: type) -> Any:
    if not isinstance(value, expected):
        raise TypeError(f"Expected {expected.__name__}, but received {value!r}.")
    return value


def _index(value: Any, safe: bool) -> Any:
    """A part of a slice: None, an integer, or an array or tensor of them."""
    if isinstance(value, dict) and value.get("class_name") in ("__numpy__", "__tensor__"):
        return read_value(value["class_name"], value.get("config"), safe)
    return value if value is None else _of_type(value, int)


def _keras_tensor(config: dict[str, Any]) -> KerasTensor:
    shape = _of_type(config["shape"], list | tuple)  # type: ignore[arg-type]
    if len(shape) > limits.RANK:
        raise ValueError(f"Expected at most {limits.RANK} axes, but received {len(shape)}.")
    tensor = KerasTensor(shape, dtype=standardize_dtype(config["dtype"]))
    name, node, output = config["keras_history"]
    tensor._saved_history = (_of_type(name, str), _of_type(node, int), _of_type(output, int))
    return tensor


def _lambda_parts(config: dict[str, Any]) -> Any:
    """Code, defaults and closure of a lambda; those of a Lambda layer are stored one by one."""
    if "code" in config:
        return [config["code"], config.get("defaults"), config.get("closure")]
    return config["value"]


def read_lambda(value: Any, safe: bool) -> types.FunctionType:
    """The function of a serialised lambda: its byte code is run when it is called."""
    if safe:
        raise ValueError(
            "A Python lambda is stored here: loading it would run code of whoever wrote the file, "
            "so it is refused. For a file that you trust, pass `safe_mode=False`, or call "
            "`keras.config.enable_unsafe_deserialization()` first."
        )
    code, defaults, closure = value
    cells = tuple(types.CellType(item) for item in closure or ())
    code_object = marshal.loads(base64.b64decode(code))
    defaults = None if defaults is None else tuple(defaults)
    return types.FunctionType(code_object, {"tf": tf, "np": np}, None, defaults, cells)
