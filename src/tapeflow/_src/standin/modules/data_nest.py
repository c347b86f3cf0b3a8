"""`tensorflow.python.data.util.nest`: structures of elements, in which a list is one leaf."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tapeflow._src.core.containers import PLAIN


def _container(value: Any) -> Any:
    """Return how a structure is taken apart, None for a leaf."""
    if isinstance(value, tuple | Mapping) or hasattr(type(value), "__attrs_attrs__"):
        return PLAIN[type(value)]
    return None


def is_nested(structure: Any) -> bool:
    """Whether a value is a tuple, a mapping or an instance of an `attrs` class."""
    return _container(structure) is not None


is_sequence = is_nested


def flatten(structure: Any) -> list[Any]:
    """Return the leaves; values of mappings in the order of their keys."""
    container = _container(structure)
    if container is None:
        return [structure]
    return [leaf for child in container.children(structure) for leaf in flatten(child)]


def pack_sequence_as(structure: Any, flat_sequence: Sequence[Any]) -> Any:
    """Return the structure with other leaves."""
    leaves = list(flat_sequence)
    count = len(flatten(structure))
    if len(leaves) != count:
        raise ValueError(f"The structure has {count} leaves. Received {len(leaves)}: {leaves}")
    return _packed(structure, iter(leaves))


def _packed(structure: Any, leaves: Any) -> Any:
    container = _container(structure)
    if container is None:
        return next(leaves)
    children = [_packed(child, leaves) for child in container.children(structure)]
    return container.rebuild(structure, children)


def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """Return the structure of what a function returns for the leaves of one or more."""
    for other in structure[1:]:
        assert_same_structure(structure[0], other, kwargs.get("check_types", True))
    flat = [flatten(each) for each in structure]
    return pack_sequence_as(structure[0], [func(*leaves) for leaves in zip(*flat)])


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True) -> None:
    """Raise ValueError for different structures, TypeError for different classes of them."""
    first, second = _container(nest1), _container(nest2)
    if (first is None) != (second is None):
        raise ValueError(f"The structures differ: {nest1!r} and {nest2!r}")
    if first is None:
        return
    if check_types and type(nest1) is not type(nest2):
        raise TypeError(f"The structures are of other classes: {nest1!r} and {nest2!r}")
    children = list(first.children(nest1)), list(second.children(nest2))
    if len(children[0]) != len(children[1]):
        raise ValueError(f"The structures differ in size: {nest1!r} and {nest2!r}")
    if isinstance(nest1, Mapping) and set(nest1) != set(nest2):
        raise ValueError(f"The mappings have other keys: {list(nest1)} and {list(nest2)}")
    for pair in zip(*children):
        assert_same_structure(*pair, check_types)


def flatten_up_to(shallow_tree: Any, input_tree: Any) -> list[Any]:
    """Return the parts of a structure that stand where another has leaves."""
    container = _container(shallow_tree)
    if container is None:
        return [input_tree]
    other = _container(input_tree)
    if other is None:
        raise TypeError(f"Expected a structure like {shallow_tree!r}. Received: {input_tree!r}")
    children = list(container.children(shallow_tree)), list(other.children(input_tree))
    if len(children[0]) != len(children[1]):
        raise ValueError(f"The structures differ in size: {shallow_tree!r} and {input_tree!r}")
    return [part for pair in zip(*children) for part in flatten_up_to(*pair)]


def map_structure_up_to(shallow_tree: Any, func: Callable[..., Any], *inputs: Any) -> Any:
    """Return the structure of what a function returns for parts of other structures."""
    flat = [flatten_up_to(shallow_tree, each) for each in inputs]
    return pack_sequence_as(shallow_tree, [func(*parts) for parts in zip(*flat)])
