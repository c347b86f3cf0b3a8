"""Nested structures: what there is besides the public `tf.nest`."""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tapeflow._src.core.containers import PLAIN, WITH_COMPOSITES, ContainerTable
from tapeflow._src.core.nest import assert_same_structure as assert_same_structure
from tapeflow._src.core.nest import flatten as flatten
from tapeflow._src.core.nest import (
    flatten_with_joined_string_paths as flatten_with_joined_string_paths,
)
from tapeflow._src.core.nest import flatten_with_tuple_paths as flatten_with_tuple_paths
from tapeflow._src.core.nest import is_nested as is_nested
from tapeflow._src.core.nest import map_structure as map_structure
from tapeflow._src.core.nest import pack_sequence_as as pack_sequence_as

is_sequence = is_nested
Path = tuple[Any, ...]


def _table(expand_composites: bool) -> ContainerTable:
    return WITH_COMPOSITES if expand_composites else PLAIN


def is_nested_or_composite(structure: Any) -> bool:
    """Whether a value is a container or a composite tensor."""
    return WITH_COMPOSITES[type(structure)] is not None


is_sequence_or_composite = is_nested_or_composite


def is_namedtuple(instance: Any, strict: bool = False) -> bool:
    """Whether a value is a named tuple."""
    return isinstance(instance, tuple) and hasattr(instance, "_fields")


def is_mapping(structure: Any) -> bool:
    """Whether a value is a mapping."""
    return isinstance(structure, Mapping)


_is_mapping = is_mapping


def is_attrs(structure: Any) -> bool:
    """Whether a value is an instance of a class of `attrs`, of which the fields are children."""
    return hasattr(type(structure), "__attrs_attrs__")


_is_attrs = is_attrs
_is_namedtuple = is_namedtuple


def _is_mapping_view(structure: Any) -> bool:
    return isinstance(structure, collections.abc.MappingView)


def _sequence_like(instance: Any, args: Any) -> Any:
    """Return a container like `instance` with these items."""
    container = PLAIN[type(instance)]
    if container is None:
        return type(instance)(args)
    return container.rebuild(instance, list(args))


sequence_like = _sequence_like


def list_to_tuple(structure: Any) -> Any:
    """Return a structure with lists replaced by tuples."""
    if isinstance(structure, list):
        return tuple(list_to_tuple(item) for item in structure)
    container = PLAIN[type(structure)]
    if container is None:
        return structure
    return container.rebuild(structure, [list_to_tuple(c) for c in container.children(structure)])


def flatten_dict_items(dictionary: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return a dict in which structures of keys are flat, each key with its value."""
    flat: dict[Any, Any] = {}
    for key, value in dictionary.items():
        keys = flatten(key) if is_nested(key) else [key]
        values = flatten(value) if is_nested(key) else [value]
        if len(keys) != len(values):
            raise ValueError(f"Expected as many values as keys for {key!r}, received {value!r}.")
        for each, item in zip(keys, values, strict=True):
            if each in flat:
                raise ValueError(f"Expected keys that differ, received {each!r} twice.")
            flat[each] = item
    return flat


# -- up to a shallower structure ------------------------------------------------------------------


def yield_flattened_up_to(
    shallow_tree: Any,
    input_tree: Any,
    is_nested_fn: Callable[[Any], bool] = is_nested,
    path: Path = (),
) -> Iterator[tuple[Path, Any]]:
    """Yield the parts of a structure where a shallower one has leaves, each with its path."""
    if not is_nested_fn(shallow_tree):
        yield path, input_tree
        return
    container = WITH_COMPOSITES[type(shallow_tree)]
    input_container = WITH_COMPOSITES[type(input_tree)]
    if container is None or input_container is None:
        yield path, input_tree
        return
    children = dict(
        zip(
            (s for s, _ in _steps(input_tree, input_container)),
            _children(input_tree, input_container),
        )
    )
    for step, child in _steps(shallow_tree, container):
        yield from yield_flattened_up_to(child, children[step], is_nested_fn, (*path, step))


_yield_flattened_up_to = yield_flattened_up_to


def _children(structure: Any, container: Any) -> list[Any]:
    return list(container.children(structure))


def _steps(structure: Any, container: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the children with the steps to them: keys, names of fields, or positions."""
    children = _children(structure, container)
    if isinstance(structure, Mapping):
        return iter(zip(_sorted_keys(structure), children))
    if is_namedtuple(structure):
        return iter(zip(structure._fields, children))
    return iter(enumerate(children))


def _sorted_keys(mapping: Mapping[Any, Any]) -> list[Any]:
    return list(mapping) if isinstance(mapping, collections.OrderedDict) else sorted(mapping)


def assert_shallow_structure(
    shallow_tree: Any,
    input_tree: Any,
    check_types: bool = True,
    expand_composites: bool = False,
    check_subtrees_length: bool = True,
) -> None:
    """Raise ValueError or TypeError unless a structure starts like a shallower one."""
    table = _table(expand_composites)
    container = table[type(shallow_tree)]
    if container is None:
        return
    input_container = table[type(input_tree)]
    if input_container is None:
        raise TypeError(
            f"Expected a container like {shallow_tree!r}, received {input_tree!r}: the shallow "
            "structure is nested, and the input is not."
        )
    ours, theirs_children = (
        _children(shallow_tree, container),
        _children(input_tree, input_container),
    )
    if len(ours) != len(theirs_children):
        raise ValueError(
            f"Expected a sequence length of {len(ours)}, like the shallow structure has, received "
            f"{len(theirs_children)} items."
        )
    if (
        check_types
        and type(shallow_tree) is not type(input_tree)
        and not (is_mapping(shallow_tree) and is_mapping(input_tree))
    ):
        raise TypeError(
            f"Expected the sequence type {type(shallow_tree).__name__}, like the shallow structure "
            f"has, received {type(input_tree).__name__}; check_types=False accepts it."
        )
    if is_mapping(shallow_tree) and set(shallow_tree) != set(input_tree):
        raise ValueError(
            f"Expected the same keys as the shallow structure, {sorted(shallow_tree)}, received "
            f"{sorted(input_tree)}."
        )
    for one, other in zip(ours, theirs_children):
        assert_shallow_structure(one, other, check_types, expand_composites)


def flatten_up_to(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> list[Any]:
    """Return the parts of a structure where a shallower one has leaves."""
    pairs = flatten_with_tuple_paths_up_to(shallow_tree, input_tree, check_types, expand_composites)
    return [value for _, value in pairs]


def flatten_with_tuple_paths_up_to(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> list[tuple[Path, Any]]:
    """Return paths and parts of a structure where a shallower one has leaves."""
    nested = is_nested_or_composite if expand_composites else is_nested
    assert_shallow_structure(shallow_tree, input_tree, check_types, expand_composites)
    return list(yield_flattened_up_to(shallow_tree, input_tree, nested))


def map_structure_up_to(shallow_tree: Any, func: Any, *inputs: Any, **kwargs: Any) -> Any:
    """Apply a function to the parts of structures where a shallower one has leaves."""
    return map_structure_with_tuple_paths_up_to(
        shallow_tree, lambda _, *values: func(*values), *inputs, **kwargs
    )


def map_structure_with_tuple_paths_up_to(
    shallow_tree: Any, func: Any, *inputs: Any, **kwargs: Any
) -> Any:
    """Apply a function to paths and parts of structures where a shallower one has leaves."""
    if not inputs:
        raise ValueError("Expected at least one structure to map over.")
    expand_composites = kwargs.get("expand_composites", False)
    check_types = kwargs.get("check_types", True)
    flat = [
        flatten_with_tuple_paths_up_to(shallow_tree, each, check_types, expand_composites)
        for each in inputs
    ]
    paths = [path for path, _ in flat[0]]
    values = zip(*([value for _, value in each] for each in flat))
    results = [func(path, *group) for path, group in zip(paths, values)]
    return pack_sequence_as(shallow_tree, results, expand_composites)


def map_structure_with_tuple_paths(func: Any, *structure: Any, **kwargs: Any) -> Any:
    """Apply a function to the paths and leaves of structures."""
    return map_structure_with_tuple_paths_up_to(structure[0], func, *structure, **kwargs)


def map_structure_with_paths(func: Any, *structure: Any, **kwargs: Any) -> Any:
    """Apply a function to the paths, as text with slashes, and the leaves of structures."""

    def with_text(path: Path, *values: Any) -> Any:
        return func("/".join(map(str, path)), *values)

    return map_structure_with_tuple_paths_up_to(structure[0], with_text, *structure, **kwargs)


def yield_flattened_paths(nest: Any, expand_composites: bool = False) -> Iterator[Path]:
    """Yield the paths of all leaves."""
    for path, _ in flatten_with_tuple_paths(nest, expand_composites):
        yield path


yield_flat_paths = yield_flattened_paths


def _yield_sorted_items(structure: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the children with the steps to them."""
    container = WITH_COMPOSITES[type(structure)]
    return iter(()) if container is None else _steps(structure, container)


def _yield_value(structure: Any) -> Iterator[Any]:
    """Yield the children."""
    for _, child in _yield_sorted_items(structure):
        yield child


def get_traverse_shallow_structure(
    traverse_fn: Callable[[Any], Any], structure: Any, expand_composites: bool = False
) -> Any:
    """Return a shallow structure of bools: False where a function does not descend further."""
    descend = traverse_fn(structure)
    container = _table(expand_composites)[type(structure)]
    if container is None or descend is False:
        return descend
    if descend is True:
        shallow = [
            get_traverse_shallow_structure(traverse_fn, child, expand_composites)
            for child in container.children(structure)
        ]
        return container.rebuild(structure, shallow)
    parts = zip(flatten_up_to(structure, descend), container.children(structure))
    return container.rebuild(
        structure,
        [
            get_traverse_shallow_structure(traverse_fn, child, expand_composites) if go else False
            for go, child in parts
        ],
    )
