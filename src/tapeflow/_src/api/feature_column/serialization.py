"""Feature columns as plain data, and columns of such data.

Nothing in a config is run: the classes are those registered here and those that the caller passes.
"""

from __future__ import annotations

from typing import Any, TypeVar

from tapeflow._src.core.dtypes import DType
from tapeflow._src.core.types import TensorLike

_Class = TypeVar("_Class", bound=type)
_classes: dict[str, type] = {}
# The fields of columns that hold functions, which configs have by name.
_FUNCTIONS = ("initializer", "normalizer_fn")


def registered(cls: _Class) -> _Class:
    """Have configs create instances of a class."""
    _classes[cls.__name__] = cls
    return cls


def as_plain(value: TensorLike) -> Any:
    """Return the value of a field of a column as a config has it."""
    if isinstance(value, DType):
        return value.name
    if isinstance(value, tuple):
        return tuple(map(as_plain, value))
    if hasattr(value, "get_config"):
        return {"class_name": type(value).__name__, "config": value.get_config()}
    if callable(value):
        return value.__name__
    return value.tolist() if hasattr(value, "tolist") else value


def read_fields(
    config: dict[str, Any],
    custom_objects: dict[str, Any] | None,
    columns_by_name: dict[str, Any] | None,
) -> dict[str, Any]:
    """Return the fields of a column from its config."""

    def read(value: TensorLike) -> Any:
        if isinstance(value, (list, tuple)):
            return tuple(map(read, value))
        if isinstance(value, dict):
            return read_object(value, custom_objects, columns_by_name)
        return value

    values = {key: read(value) for key, value in config.items()}
    for key in _FUNCTIONS:
        if isinstance(values.get(key), str):
            values[key] = _named(values[key], custom_objects)
    return values


def _named(name: str, custom_objects: dict[str, Any] | None) -> Any:
    """Return a class or function: of the program, or a class of this package."""
    classes = {**_classes, **(custom_objects or {})}
    if name not in classes:
        raise ValueError(
            f"Unknown class or function '{name}' in the config of a feature column. Pass it in "
            f"`custom_objects`; known are {sorted(classes)}."
        )
    return classes[name]


def read_object(
    config: Any, custom_objects: dict[str, Any] | None, columns_by_name: dict[str, Any] | None
) -> Any:
    """Create a column, or an initializer, of its config; a column that exists already is shared."""
    if not isinstance(config, dict) or not {"class_name", "config"} <= set(config):
        raise ValueError(
            f"Expected a dict with the keys 'class_name' and 'config'. Received: {config!r}"
        )
    cls = _named(config["class_name"], custom_objects)
    if not hasattr(cls, "is_feature_column"):
        return cls.from_config(dict(config["config"]))
    column = cls.from_config(dict(config["config"]), custom_objects, columns_by_name)
    if columns_by_name is None:
        return column
    # Crosses of the same features may differ in their number of buckets.
    shared = columns_by_name.setdefault(f"{cls.__name__}:{column.name}", column)
    return shared if shared == column else column


def serialize_feature_column(fc: Any) -> Any:
    """Return the config of a column; the name of a feature stays as it is."""
    if isinstance(fc, str):
        return fc
    if not hasattr(fc, "is_feature_column"):
        raise ValueError(f"Expected a FeatureColumn or the name of a feature. Received: {fc!r}")
    return as_plain(fc)


def deserialize_feature_column(
    config: Any,
    custom_objects: dict[str, Any] | None = None,
    columns_by_name: dict[str, Any] | None = None,
) -> Any:
    """Create the column of a config.

    Args:
        config: What `serialize_feature_column` returned.
        custom_objects: Classes and functions of the program by name.
        columns_by_name: Columns that were created before, to be shared; new ones are added.
    """
    if isinstance(config, str):
        return config
    column = read_object(config, custom_objects, columns_by_name)
    if not hasattr(column, "is_feature_column"):
        raise ValueError(f"Expected the config of a FeatureColumn. Received: {config!r}")
    return column
