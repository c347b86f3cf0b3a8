"""Which layers of a model are in its files, and at which paths.

A layer is at the path of attributes that leads to it. In lists, tuples and dicts, layers go by the
names of their classes, and containers inside of them by `container`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from tapeflow.keras.layers.layer_state import LayerState
from tapeflow.keras.utils.naming import to_snake_case


def saved_layers(root: Any, skipped: Iterable[Any] = ()) -> Iterator[tuple[str, Any]]:
    """All layers of a model, each once, with their paths: "" or one that ends in "/".

    skipped: layers that are left out, with what is inside of them.
    """
    seen: set[int] = {id(layer) for layer in skipped}

    def walk(layer: Any, path: str) -> Iterator[tuple[str, Any]]:
        if id(layer) in seen:
            return
        seen.add(id(layer))
        yield path, layer
        for name, value in _attributes(layer):
            if isinstance(value, LayerState):
                yield from walk(value, f"{path}{name}/")
            elif isinstance(value, (list, tuple, dict)):
                yield from walk_items(value, f"{path}{name}/")

    def walk_items(container: Any, path: str) -> Iterator[tuple[str, Any]]:
        if id(container) in seen:
            return
        seen.add(id(container))
        used: Counter[str] = Counter()
        for item in container.values() if isinstance(container, dict) else container:
            if isinstance(item, LayerState):
                yield from walk(item, _numbered(path, to_snake_case(type(item).__name__), used))
            elif isinstance(item, (list, tuple, dict)):
                yield from walk_items(item, _numbered(path, "container", used))

    return walk(root, "")


def _numbered(path: str, name: str, used: Counter[str]) -> str:
    number = used[name]
    used[name] += 1
    return f"{path}{name}_{number}/" if number else f"{path}{name}/"


def _attributes(layer: Any) -> Iterator[tuple[str, Any]]:
    """The attributes that hold layers: those of which a model is made first, private ones last."""
    made_of_layers = {"_functional", "_operations", "_sequence"} & layer.__dict__.keys()
    names = set(layer._tracked) - made_of_layers
    if hasattr(type(layer), "layers"):
        if made_of_layers:
            yield "layers", layer.layers
        else:
            # The property is met among the attributes, in alphabetical order.
            names.add("layers")
    for name in sorted(names, key=lambda name: f"~{name}" if name.startswith("_") else name):
        yield name, getattr(layer, name, None)
