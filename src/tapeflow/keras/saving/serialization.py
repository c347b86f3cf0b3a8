"""Objects as plain data that JSON can hold, and back: the configs of Keras' files.

An object is the dict of its public module, its class, what its `get_config` gives and the name
it is registered under. Nothing in a config is run: classes and functions are Keras' own, or those
that the program has registered or given.
"""

from __future__ import annotations

import base64
import marshal
import threading
import types
import warnings
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.keras.keras_tensor import KerasTensor
from tapeflow.keras.saving.builtin_names import builtin, builtin_function, public_module
from tapeflow.keras.saving.object_registration import (
    CustomObjectScope,
    get_registered_name,
    get_registered_object,
    known_objects,
)

_PLAIN = (str, int, float, bool, type(None))


class _Settings(threading.local):
    def __init__(self) -> None:
        self.safe: bool | None = None
        # What was met while several objects are written or read together, by identity.
        self.written: dict[int, Any] | None = None
        self.read: dict[int, Any] | None = None


_settings = _Settings()


class SafeModeScope:
    """Within it, lambdas are refused (`safe_mode`) or loaded."""

    def __init__(self, safe_mode: bool = True) -> None:
        self.safe_mode = safe_mode
        self._outer: bool | None = None

    def __enter__(self) -> None:
        self._outer, _settings.safe = _settings.safe, self.safe_mode

    def __exit__(self, *error: Any) -> None:
        _settings.safe = self._outer


class ObjectSharingScope:
    """Within it, an object that is met twice is written as one and read as one."""

    def __enter__(self) -> None:
        _settings.written, _settings.read = {}, {}

    def __exit__(self, *error: Any) -> None:
        _settings.written = _settings.read = None


def in_safe_mode() -> bool | None:
    """Whether lambdas are refused; None where nothing is said."""
    return _settings.safe


def enable_unsafe_deserialization() -> None:
    """Load lambdas from now on: for files from people you trust."""
    _settings.safe = False


# -- writing ----------------------------------------------------------------------------------


def serialize_keras_object(obj: Any) -> Any:
    """An object, or a structure of objects, as plain data."""
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
    warnings.warn(
        f"The object being serialized includes a `lambda` ({obj.__code__.co_filename}:"
        f"{obj.__code__.co_firstlineno}). This is unsafe: to load it, `safe_mode=False` is "
        f"needed. Use a named function that is registered with "
        f"`@keras.saving.register_keras_serializable()` instead.",
        stacklevel=4,
    )
    code = base64.b64encode(marshal.dumps(obj.__code__)).decode("ascii") + "\n"
    cells = [serialize_keras_object(cell.cell_contents) for cell in obj.__closure__ or ()]
    return _written("lambda", value=[code, obj.__defaults__, cells or None])


def _serialize_object(obj: Any) -> dict[str, Any]:
    inner = _inner_config(obj)
    if isinstance(obj, types.FunctionType):
        function = {"module": "builtins", "class_name": "function", "config": inner}
        return {**function, "registered_name": "function"}
    named = obj if isinstance(obj, type) else type(obj)
    module = public_module(named)
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
        given = getattr(obj, f"get_{part}", None)
        value = None if given is None or isinstance(obj, type) else given()
        if value is not None:
            config[part] = serialize_dict(value)
    _note_written(obj, config)
    return config


def _inner_config(obj: Any) -> Any:
    if isinstance(obj, types.FunctionType):
        return get_registered_name(obj)
    if hasattr(obj, "get_config") and not isinstance(obj, type):
        config = obj.get_config()
        if not isinstance(config, dict):
            raise TypeError(
                f"The `get_config()` method of {obj} should return a dict. It returned: {config}"
            )
        return serialize_dict(config)
    if hasattr(obj, "__name__"):
        return get_registered_name(obj)
    raise TypeError(
        f"Cannot serialize object {obj} of type {type(obj)}. To be serializable, a class must "
        f"implement the `get_config()` method."
    )


def _note_written(obj: Any, config: dict[str, Any]) -> None:
    if config["module"] == "__main__":
        config["module"] = None
    if _settings.written is None:
        return
    first = _settings.written.setdefault(id(obj), config)
    if first is not config:
        first["shared_object_id"] = config["shared_object_id"] = id(obj)


# -- reading ----------------------------------------------------------------------------------


def deserialize_keras_object(
    config: Any,
    custom_objects: dict[str, Any] | None = None,
    safe_mode: bool = True,
    **kwargs: Any,
) -> Any:
    """The object, or the structure of objects, that `serialize_keras_object` has written."""
    module_objects = kwargs.pop("module_objects", None)
    if kwargs:
        raise TypeError(f"deserialize_keras_object got unexpected arguments: {sorted(kwargs)}")
    safe = safe_mode if _settings.safe is None else _settings.safe
    known = known_objects(custom_objects)
    if module_objects is not None:
        config = _named_in(config, module_objects, known)
    return _read(config, known, safe)


def _named_in(config: Any, module_objects: dict[str, Any], known: dict[str, Any]) -> Any:
    """A bare name, or a class without its module, as a full config of what `module_objects` has."""
    inner: Any = {}
    name = config
    if isinstance(config, dict):
        if "class_name" not in config:
            raise ValueError(f"Unknown `config` as a `dict`, config={config}")
        inner, name = config.get("config"), config["class_name"]
        if name == "function":
            name = inner
    if not isinstance(name, str) or name in known or name not in module_objects:
        return config
    found = module_objects[name]
    if isinstance(found, types.FunctionType):
        return found
    module = public_module(found)
    return {"module": module, "class_name": found.__name__, "config": inner}


def _read(config: Any, known: dict[str, Any], safe: bool) -> Any:
    if isinstance(config, str) and known.get(config) is not None:
        return known[config]
    if isinstance(config, (*_PLAIN, types.FunctionType)):
        return config
    if isinstance(config, (list, tuple)):
        return [_read(item, known, safe) for item in config]
    if not isinstance(config, dict):
        raise TypeError(f"Could not parse config: {config}")
    if "class_name" not in config or "config" not in config:
        return {key: _read(value, known, safe) for key, value in config.items()}
    if config["class_name"].startswith("__"):
        return _read_value(config["class_name"], config["config"] or {}, known, safe)
    return _read_object(config, known, safe)


def _read_value(kind: str, config: dict[str, Any], known: dict[str, Any], safe: bool) -> Any:
    if kind == "__keras_tensor__":
        tensor = KerasTensor(config["shape"], dtype=config["dtype"])
        tensor._saved_history = config["keras_history"]
        return tensor
    if kind == "__tensor__":
        return tf.convert_to_tensor(config["value"], dtype=config["dtype"])
    if kind == "__numpy__":
        return np.array(config["value"], dtype=config["dtype"])
    if kind == "__bytes__":
        return config["value"].encode("utf-8")
    if kind == "__ellipsis__":
        return Ellipsis
    if kind == "__slice__":
        return slice(*(_read(config[part], known, safe) for part in ("start", "stop", "step")))
    if kind == "__lambda__":
        return _read_lambda(config["value"], safe)
    raise TypeError(f"Could not parse the config of a value of kind {kind!r}: {config}")


def _read_lambda(value: Any, safe: bool) -> types.FunctionType:
    if safe:
        raise ValueError(
            "Requested the deserialization of a Python lambda. This carries a potential risk of "
            "arbitrary code execution and thus it is disallowed by default. If you trust the "
            "source of the artifact, you can override this error by passing `safe_mode=False` to "
            "the loading function, or calling `keras.config.enable_unsafe_deserialization()`."
        )
    code, defaults, closure = value
    cells = tuple(types.CellType(item) for item in closure or ())
    made = marshal.loads(base64.b64decode(code))
    return types.FunctionType(made, {"tf": tf, "np": np}, None, _tuple_or_none(defaults), cells)


def _tuple_or_none(values: Any) -> Any:
    return None if values is None else tuple(values)


def _read_object(config: dict[str, Any], known: dict[str, Any], safe: bool) -> Any:
    class_name, inner = config["class_name"], config["config"]
    if class_name == "function":
        if not isinstance(inner, str):
            raise TypeError(
                f"Expected 'config' to be a non-null str for a function classname, instead got "
                f"{type(inner)}. Full config: {config}"
            )
        return _find("function", inner, inner, config, known)
    if not isinstance(inner, dict):
        inner = {} if inner is None else inner
    if not isinstance(inner, dict):
        raise TypeError(
            f"Expected 'config' to be a dict for {class_name}, instead got {type(inner)}. "
            f"Full config: {config}"
        )
    shared = config.get("shared_object_id")
    if shared is not None and _settings.read and shared in _settings.read:
        return _settings.read[shared]
    registered_name = config.get("registered_name", class_name)
    cls = _find("class", class_name, registered_name, config, known)
    if isinstance(cls, types.FunctionType):
        return cls
    if not hasattr(cls, "from_config"):
        raise TypeError(
            f"Unable to reconstruct an instance of '{class_name}' because the class is missing a "
            f"`from_config()` method. Full object config: {config}"
        )
    instance = _instance(cls, inner, config, known, safe)
    if shared is not None and _settings.read is not None:
        _settings.read[shared] = instance
    return instance


def _instance(
    cls: Any, inner: dict[str, Any], config: dict[str, Any], known: dict[str, Any], safe: bool
) -> Any:
    with CustomObjectScope(known), SafeModeScope(safe):
        try:
            instance = cls.from_config(inner)
        except TypeError as error:
            raise TypeError(
                f"{cls} could not be deserialized properly. Please ensure that components that "
                f"are Python object instances (layers, models, etc.) returned by `get_config()` "
                f"are explicitly deserialized in the model's `from_config()` method.\n\n"
                f"config={config}.\n\nException encountered: {error}"
            ) from error
        build_config = config.get("build_config")
        if build_config and not instance.built:
            instance.build_from_config(build_config)
            instance.built = True
        if config.get("compile_config") and hasattr(instance, "compile_from_config"):
            instance.compile_from_config(config["compile_config"])
    return instance


def _find(
    kind: str, name: str, registered_name: Any, config: dict[str, Any], known: dict[str, Any]
) -> Any:
    """The class or function that a config names: the program's own, or Keras'."""
    found = get_registered_object(registered_name, custom_objects=known)
    if found is not None:
        return found
    module = config.get("module")
    if module:
        found = builtin(module, name)
        if found is None and kind == "function" and module == "builtins":
            found = builtin_function(name)
        if found is not None:
            return found
    raise TypeError(
        f"Could not locate {kind} '{name}'. Make sure custom classes and functions are decorated "
        f"with `@keras.saving.register_keras_serializable()`, or pass them as `custom_objects`. "
        f"Full object config: {config}"
    )
