"""Which layers of a model are in its files, and at which paths.

A layer is at the path of attributes that leads to it. In lists, tuples and dicts, layers go by the
names of their classes, and containers inside of them by `container`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from tapeflow._src.keras.layers.layer_state import LayerState
from tapeflow._src.keras.utils.naming import to_snake_case


def saved_layers(root: Any, skipped: Iterable[Any] = ()) -> Iterator[tuple[str, Any]]:
    """All layers of a model, each once, with their paths: "" or one that ends in "/".

    skipped: layers that are left out, with what is inside of them.
    """
    # By id, and held: `layers` is a new list each time, and ids of the dead are given again.
    seen: dict[int, Any] = {id(layer): layer for layer in skipped}

    def walk(layer: Any, path: str) -> Iterator[tuple[str, Any]]:
        if id(layer) in seen:
            return
        seen[id(layer)] = layer
        yield path, layer
        for name, value in _attributes(layer):
            if isinstance(value, LayerState):
                yield from walk(value, f"{path}{name}/")
            elif isinstance(value, (list, tuple, dict)):
                yield from walk_items(value, f"{path}{name}/")

    def walk_items(container: Any, path: str) -> Iterator[tuple[str, Any]]:
        if id(container) in seen:
            return
        seen[id(container)] = container
        used: Counter[str] = Counter()
        for item in container.values() if isinstance(container, dict) else container:
            if isinstance(item, LayerState):
                yield from walk(item, _numbered(path, to_snake_case(type(item).__name__), used))
            elif isinstance(item, (list, tuple, dict)):
                yield from walk_items(item, _numbered(path, "container", used))

    return walk(root, "")


def other_paths(root: Any, layer: Any) -> Iterator[str]:
    """All paths that lead to a layer, also through properties of the user's classes.

    Files written before an attribute was renamed, or by a Keras that did not look into nested
    containers, may have the layer at one of them.
    """
    around: set[int] = set()
    visits: Counter[int] = Counter()

    def walk(value: Any, path: str) -> Iterator[str]:
        if value is layer:
            yield path
        # Few of the paths through what many others hold are enough.
        visits[id(value)] += 1
        if id(value) in around or visits[id(value)] > 8:
            return
        around.add(id(value))
        if isinstance(value, LayerState):
            private = {name: getattr(value, name, None) for name in value._tpf_tracked}
            attributes = private | dict(_attributes(value)) | dict(_properties(value))
            for name in sorted(attributes):
                yield from walk(attributes[name], f"{path}{name}/")
        elif isinstance(value, (list, tuple, dict)):
            used: Counter[str] = Counter()
            for item in value.values() if isinstance(value, dict) else value:
                is_layer = isinstance(item, LayerState)
                if is_layer or isinstance(item, (list, tuple, dict)):
                    name = to_snake_case(type(item).__name__) if is_layer else "container"
                    yield from walk(item, _numbered(path, name, used))
        around.discard(id(value))

    return walk(root, "")


def _properties(layer: Any) -> Iterator[tuple[str, Any]]:
    """The layers that properties of the user's own classes return."""
    for cls in type(layer).__mro__:
        if cls.__module__.startswith("tapeflow."):
            continue
        for name, member in vars(cls).items():
            if isinstance(member, property):
                with suppress(Exception):
                    yield name, getattr(layer, name)


def _numbered(path: str, name: str, used: Counter[str]) -> str:
    number = used[name]
    used[name] += 1
    return f"{path}{name}_{number}/" if number else f"{path}{name}/"


def _attributes(layer: Any) -> Iterator[tuple[str, Any]]:
    """The attributes that hold layers: those of which a model is made first, private ones last."""
    made_of_layers = {"_functional", "_operations", "_tpf_sequence"} & layer.__dict__.keys()
    names = set(layer._tpf_tracked) - made_of_layers
    if hasattr(type(layer), "layers"):
        if made_of_layers:
            yield "layers", layer.layers
        else:
            # The property is met among the attributes, in alphabetical order.
            names.add("layers")
    names = {_public_name(layer, name) for name in names}
    for name in sorted(names, key=lambda name: f"~{name}" if name.startswith("_") else name):
        yield name, getattr(layer, name, None)


def _public_name(layer: Any, name: str) -> str:
    """The property that returns a private attribute under its name, which Keras meets first."""
    public = name.lstrip("_")
    if public == name or not isinstance(getattr(type(layer), public, None), property):
        return name
    with suppress(Exception):
        if getattr(layer, public) is getattr(layer, name):
            return public
    return name
