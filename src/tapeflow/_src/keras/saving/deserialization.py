"""Configs as objects again, without trust in who wrote them.

Nothing in a config is run. Classes and functions are those of the registry, of the kind that is
expected at a place, or those that the program has registered or passed. A failure is a TypeError or
ValueError that names the place in the config.
"""

from __future__ import annotations

import threading
import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.saving import limits, registry
from tapeflow._src.keras.saving.config_values import is_value, read_value
from tapeflow._src.keras.saving.object_registration import (
    CustomObjectScope,
    get_registered_object,
    known_objects,
)
from tapeflow._src.keras.saving.registry import Kind, public_module

_PLAIN = (str, int, float, bool, type(None))
Path = tuple[str, ...]


class _Reading(threading.local):
    """The load that is under way in a thread."""

    def __init__(self) -> None:
        # Whether it refuses lambdas; None outside of loads. Nothing in a config can set it.
        self.safe: bool | None = None
        # Where in the outermost config it is.
        self.path: Path = ()
        # Objects that are shared, by the number that the config has for them.
        self.shared: dict[Any, Any] | None = None
        # What the user asked for with `enable_unsafe_deserialization`.
        self.trusting = False


_reading = _Reading()


class SafeModeScope:
    """Within it, lambdas are refused (`safe_mode`) or loaded."""

    def __init__(self, safe_mode: bool = True) -> None:
        self.safe_mode = safe_mode
        self._outer: bool | None = None

    def __enter__(self) -> None:
        self._outer, _reading.safe = _reading.safe, self.safe_mode

    def __exit__(self, *error: Any) -> None:
        _reading.safe = self._outer


class ReadSharingScope:
    """Within it, an object that a config has twice under one number is one."""

    def __enter__(self) -> None:
        _reading.shared = {}

    def __exit__(self, *error: Any) -> None:
        _reading.shared = None


def in_safe_mode() -> bool | None:
    """Whether lambdas are refused; None where nothing is said."""
    if _reading.safe is None:
        return False if _reading.trusting else None
    return _reading.safe


def enable_unsafe_deserialization() -> None:
    """Load lambdas from now on, for files from people you trust; not in a load under way.

    It holds in this thread, for loads that do not pass `safe_mode` themselves.

    Returns:
        None.
    """
    _reading.trusting = True


def _place(path: Path) -> str:
    return "".join(path).lstrip(".") or "the top"


@contextmanager
def located(step: str = "") -> Iterator[None]:
    """Read a part of a config, which `step` leads to: `.layer`, `[3]`."""
    outer = _reading.path
    _reading.path = (*outer, step)
    try:
        yield
    finally:
        _reading.path = outer


def fail(message: str, error: type[Exception] = ValueError, path: Path = ()) -> Exception:
    """An exception that says where in a config something is wrong."""
    return _marked(error(f"{message} (At `{_place((*_reading.path, *path))}` of the config.)"))


def _marked(error: Exception) -> Exception:
    """Note that an exception names the place already."""
    error._names_place = True  # type: ignore[attr-defined]
    return error


def _names_place(error: Exception) -> bool:
    return hasattr(error, "_names_place")


def member(config: Any, key: str, *expected: type) -> Any:
    """`config[key]`, which must be one of the types; an exception with the place otherwise."""
    if not isinstance(config, dict):
        raise fail(
            f"Expected a dict with the key '{key}', but received {shown(config)}.", TypeError
        )
    if key not in config:
        raise fail(f"The key '{key}' is missing. Received a dict with the keys {sorted(config)}.")
    value = config[key]
    if not isinstance(value, expected):
        names = " or ".join(each.__name__ for each in expected)
        raise fail(f"Expected '{key}' to be a {names}, but received {shown(value)}.")
    return value


def shown(value: Any) -> str:
    """A value and its type in a message, shortened."""
    text = repr(value)
    return f"{text if len(text) < 200 else text[:200] + '…'} (of type {type(value).__name__})"


def deserialize_keras_object(
    config: Any,
    custom_objects: dict[str, Any] | None = None,
    safe_mode: bool = True,
    **kwargs: Any,
) -> Any:
    """Create the object, or the structure of objects, that `serialize_keras_object` has written.

    Args:
        config: a dict with `class_name` and `config`, or a structure of such dicts and values.
        custom_objects: classes and functions of the program by name.
        safe_mode: refuse lambdas, whose code would be run.

    Raises:
        TypeError: a class or function is not registered.
        ValueError: a config is damaged, is not of the kind that is expected at its place, or has
            a lambda although `safe_mode` is True.

    Returns:
        The object, or the structure of objects.

    Example:
        >>> config = tf.keras.saving.serialize_keras_object(tf.keras.layers.Dense(3))
        >>> tf.keras.saving.deserialize_keras_object(config).units
        3
    """
    module_objects = kwargs.pop("module_objects", None)
    if kwargs:
        raise TypeError(f"deserialize_keras_object got unexpected arguments: {sorted(kwargs)}")
    if module_objects is not None:
        config = _named_in(config, module_objects, known_objects(custom_objects))
    return read_object(config, registry.ANY, custom_objects, safe_mode, required=False)


def read_object(
    config: Any,
    kind: Kind,
    custom_objects: dict[str, Any] | None = None,
    safe_mode: bool = True,
    *,
    named: dict[str, Any] | None = None,
    required: bool = True,
) -> Any:
    """The object of a config, which must be of a kind; a structure of them unless `required`.

    `named` has the objects that go by a name alone.
    """
    known = known_objects(custom_objects)
    if named is not None:
        config = _named_in(config, named, known)
    safe = in_safe_mode()
    reader = _Reader(kind, known, safe_mode if safe is None else safe)
    try:
        with limits.variable_budget(limits.default_budget()):
            value = reader.read(config, ())
    except RecursionError:
        raise fail("The config is nested too deeply.") from None
    if required and not kind.accepts(value):
        raise fail(f"Expected {kind.description}, but received {shown(config)}.")
    return value


def _named_in(config: Any, module_objects: dict[str, Any], known: dict[str, Any]) -> Any:
    """A bare name, or a class without its module, as a full config of what `module_objects` has."""
    inner: Any = {}
    name = config
    if isinstance(config, dict):
        if "class_name" not in config:
            raise fail(f"Expected a dict with the key 'class_name'. Received: {shown(config)}.")
        inner, name = config.get("config"), config["class_name"]
        if name == "function":
            name = inner
    if not isinstance(name, str) or name in known or name not in module_objects:
        return config
    member = module_objects[name]
    if isinstance(member, types.FunctionType):
        return member
    return {"module": public_module(member), "class_name": member.__name__, "config": inner}


class _Reader:
    """Reads one config: what is expected of it, the program's own objects, and the safe mode."""

    def __init__(self, kind: Kind, known: dict[str, Any], safe: bool) -> None:
        self._kind = kind
        self._known = known
        self._safe = safe

    def read(self, config: Any, path: Path) -> Any:
        if isinstance(config, str) and self._known.get(config) is not None:
            return self._known[config]
        if isinstance(config, (*_PLAIN, types.FunctionType)):
            return config
        if isinstance(config, (list, tuple)):
            return [self.read(item, (*path, f"[{n}]")) for n, item in enumerate(config)]
        if not isinstance(config, dict):
            raise fail(f"Could not parse config: {shown(config)}.", TypeError, path)
        if "class_name" not in config or "config" not in config:
            return {key: self.read(value, (*path, f".{key}")) for key, value in config.items()}
        name = config["class_name"]
        if not isinstance(name, str):
            raise fail(f"Expected 'class_name' to be a str, but received {shown(name)}.", path=path)
        with located("".join(path)):
            if is_value(name):
                return self._value(name, config["config"])
            return self._function(config) if name == "function" else self._object(config)

    def _value(self, name: str, config: Any) -> Any:
        try:
            return read_value(name, config, self._safe)
        except Exception as error:
            raise fail(
                f"Could not parse the value {name} of {shown(config)}: {error}",
                TypeError if isinstance(error, TypeError) else ValueError,
            ) from error

    def _function(self, config: dict[str, Any]) -> Any:
        name = config["config"]
        if not isinstance(name, str):
            raise fail(
                f"Expected the name of a function in 'config', but received {shown(name)}.",
                TypeError,
            )
        function = get_registered_object(name, custom_objects=self._known)
        if function is not None:
            return function
        function = registry.find_function(config.get("module"), name, self._kind)
        if function is not None:
            self._check_registered_name(name, config)
            return function
        # Keras up to 3.6 writes the name of a registered function without its package.
        own = [
            each
            for each in self._known.values()
            if isinstance(each, types.FunctionType) and each.__name__ == name
        ]
        if not own:
            raise self._not_located("function", name, config)
        return own[0]

    def _check_registered_name(self, name: str, config: dict[str, Any]) -> None:
        """Refuse a class or function of Keras under the registered name of something else."""
        registered_name = config.get("registered_name")
        if registered_name and registered_name not in (name, config["class_name"]):
            raise fail(
                f"'{name}' is a Keras built-in, which has no registered name, but the config has "
                f"registered_name={registered_name!r}. Remove it, or register an object of that "
                f"name first."
            )

    def _object(self, config: dict[str, Any]) -> Any:
        name, inner = config["class_name"], config["config"]
        inner = {} if inner is None else inner
        if not isinstance(inner, dict):
            raise fail(
                f"Expected the 'config' of {name} to be a dict, but received {shown(inner)}.",
                TypeError,
            )
        shared = config.get("shared_object_id")
        remembers = _reading.shared is not None and isinstance(shared, (int, str))
        if remembers and shared in _reading.shared:  # type: ignore[operator]
            return self._expected(_reading.shared[shared], config)  # type: ignore[index]
        cls, own = self._class(name, config)
        if own and isinstance(cls, types.FunctionType):
            return cls
        if not hasattr(cls, "from_config"):
            raise fail(
                f"The class {name} has no `from_config()` method, so that no instance of it can "
                f"be created.",
                TypeError,
            )
        instance = self._expected(self._instance(cls, own, inner, config), config)
        if remembers:
            _reading.shared[shared] = instance  # type: ignore[index]
        return instance

    def _class(self, name: str, config: dict[str, Any]) -> tuple[Any, bool]:
        """The class that a config names, and whether it is the program's own."""
        registered_name = config.get("registered_name", name)
        if not isinstance(registered_name, (str, type(None))):
            raise fail(f"Expected 'registered_name' to be a str: {shown(registered_name)}.")
        cls = get_registered_object(registered_name, custom_objects=self._known)
        own = cls is not None
        if not own and config.get("module") is None:
            cls = registry.find_by_name(name, self._kind)
        elif not own:
            cls = registry.find_class(config["module"], name)
        if cls is None:
            raise self._not_located("class", name, config)
        if not own:
            self._check_registered_name(name, config)
        fits = isinstance(cls, type) and issubclass(cls, self._kind.classes())
        if not fits and not (own and self._kind.own_callables):
            raise fail(f"Expected {self._kind.description}, but received the config of a {name}.")
        return cls, own

    def _expected(self, instance: Any, config: dict[str, Any]) -> Any:
        if self._kind in (registry.ANY, registry.VALUE) or self._kind.accepts(instance):
            return instance
        raise fail(f"Expected {self._kind.description}, but received {shown(config)}.")

    def _instance(self, cls: Any, own: bool, inner: dict[str, Any], config: dict[str, Any]) -> Any:
        with CustomObjectScope(self._known), SafeModeScope(self._safe), creating(cls, own):
            with located(".config"):
                instance = cls.from_config(inner)
            if config.get("adapted") is True and hasattr(instance, "_tpf_allow_adapting"):
                instance._tpf_allow_adapting()
            build_config = config.get("build_config")
            if build_config and not instance.built:
                with located(".build_config"):
                    instance.build_from_config(build_config)
                instance.built = True
            if config.get("compile_config") and hasattr(instance, "compile_from_config"):
                with located(".compile_config"):
                    instance.compile_from_config(config["compile_config"])
        return instance

    def _not_located(self, what: str, name: str, config: dict[str, Any]) -> Any:
        module = config.get("module")
        return fail(
            f"Could not locate {what} '{name}' of module '{module}' where {self._kind.description} "
            f"is expected. Only the public classes and functions of Keras are known by themselves: "
            f"register your own with `@keras.saving.register_keras_serializable()`, or pass them "
            f"as `custom_objects`.",
            TypeError,
        )


@contextmanager
def creating(cls: Any, own: bool) -> Iterator[None]:
    """Turn what goes wrong with the config of a class into errors that name the place.

    The exceptions of a user's own class are left alone, but for TypeErrors of its arguments.
    """
    path = _reading.path
    try:
        yield
    except (ImportError, Warning):
        raise
    except NotImplementedError as error:
        error.add_note(f"(At `{_place(path)}` of the config.)")
        raise
    except Exception as error:
        foreign = not isinstance(error, (TypeError, ValueError, tf.errors.OpError))
        if _names_place(error) or (own and foreign):
            raise
        kind = TypeError if isinstance(error, TypeError) else ValueError
        reason = repr(error) if foreign else str(error)
        raise _marked(
            kind(
                f"{cls.__name__} could not be deserialized from its config at "
                f"`{_place(path)}`: {reason}"
            )
        ) from error
