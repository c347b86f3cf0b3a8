"""Traversals of nested structures: flatten, pack, map and compare.

A structure is a leaf or a container of structures; `containers` classifies the types. Leaves are
opaque, so nothing here knows of tensors. Mappings are traversed in the order of their sorted keys,
so that two of them with the same keys line up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tapeflow._src.core.containers import (
    PLAIN,
    WITH_COMPOSITES,
    Container,
    ContainerTable,
    sorted_keys,
)
from tapeflow._src.core.containers import register_composite as register_composite


def is_nested(seq: Any) -> bool:
    """Return whether `seq` is a container: a mapping, a list, a tuple, an attrs class, …

    Args:
        seq: Any value.

    Returns:
        A bool.

    Example:
        >>> tf.nest.is_nested([1]), tf.nest.is_nested("text")
        (True, False)
    """
    return PLAIN[type(seq)] is not None


def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """Return the leaves of `structure` in order; a single leaf becomes a list of one.

    Args:
        structure: Nested tuples, lists, dicts and other containers, or a leaf.
        expand_composites: Whether ragged, sparse and other composite tensors count as their
            components.

    Returns:
        A list; dicts are flattened by sorted keys.

    Example:
        >>> tf.nest.flatten({"b": [3, 4], "a": 1})
        [1, 3, 4]
    """
    table = WITH_COMPOSITES if expand_composites else PLAIN
    container = table[type(structure)]
    if container is None:
        return [structure]
    leaves: list[Any] = []
    _collect(container.children(structure), table, leaves.append)
    return leaves


def _collect(children: Any, table: ContainerTable, add: Callable[[Any], None]) -> None:
    for child in children:
        container = table[type(child)]
        if container is None:
            add(child)
        else:
            _collect(container.children(child), table, add)


def pack_sequence_as(
    structure: Any, flat_sequence: Sequence[Any], expand_composites: bool = False
) -> Any:
    """Return a structure like `structure` with the leaves of `flat_sequence`.

    Args:
        structure: Nested tuples, lists, dicts and other containers, or a leaf.
        flat_sequence: The leaves, in the order of `flatten`.
        expand_composites: Whether ragged, sparse and other composite tensors count as their
            components.

    Returns:
        The structure.

    Raises:
        ValueError: If the number of leaves differs.
        TypeError: If `flat_sequence` is no sequence.

    Example:
        >>> tf.nest.pack_sequence_as({"b": [0, 0], "a": 0}, [1, 2, 3])
        {'b': [2, 3], 'a': 1}
    """
    if type(flat_sequence) is not list and type(flat_sequence) is not tuple:
        _require_sequence(flat_sequence)
    table = WITH_COMPOSITES if expand_composites else PLAIN
    container = table[type(structure)]
    if container is None:
        if len(flat_sequence) != 1:
            raise ValueError(
                f"pack_sequence_as: the target structure is a single leaf of type "
                f"{type(structure).__name__}, so flat_sequence must have one element, received "
                f"{len(flat_sequence)}: {flat_sequence}"
            )
        return flat_sequence[0]
    leaves = iter(flat_sequence)
    try:
        packed = _pack(structure, container, table, leaves.__next__)
    except StopIteration:
        _require_same_count(structure, flat_sequence, expand_composites)
        raise
    for _ in leaves:
        _require_same_count(structure, flat_sequence, expand_composites)
    return packed


def _pack(
    structure: Any, container: Container, table: ContainerTable, take: Callable[[], Any]
) -> Any:
    return container.rebuild(
        structure,
        [
            take() if (inner := table[type(child)]) is None else _pack(child, inner, table, take)
            for child in container.children(structure)
        ],
    )


def _require_sequence(flat_sequence: Any) -> None:
    is_text = isinstance(flat_sequence, str | bytes)
    if is_text or not isinstance(flat_sequence, Sequence):
        raise TypeError(
            f"pack_sequence_as expected a sequence of leaves, received {flat_sequence!r} of type "
            f"{type(flat_sequence).__name__}."
        )


def _require_same_count(structure: Any, flat_sequence: Any, expand_composites: bool) -> None:
    expected = len(flatten(structure, expand_composites))
    if expected != len(flat_sequence):
        raise ValueError(
            f"Could not pack sequence. Structure had {expected} atoms, but flat_sequence had "
            f"{len(flat_sequence)} items. Structure: {structure}, flat_sequence: {flat_sequence}."
        )


def map_structure(
    func: Callable[..., Any],
    *structure: Any,
    check_types: bool = True,
    expand_composites: bool = False,
    **unknown: Any,
) -> Any:
    """Apply `func` to corresponding leaves; the result is structured like the first argument.

    Args:
        func: Function of one leaf per structure.
        *structure: Structures of the same nesting.
        check_types: Whether the types of containers must agree.
        expand_composites: Whether ragged, sparse and other composite tensors count as their
            components.
        **unknown: Refused.

    Returns:
        The structure of the results.

    Raises:
        ValueError: If there is no structure, or the nesting differs.
        TypeError: If types differ, or `func` cannot be called.

    Example:
        >>> tf.nest.map_structure(lambda x, y: x + y, {"a": 1, "b": [2]}, {"a": 10, "b": [20]})
        {'a': 11, 'b': [22]}
    """
    if unknown or not structure or not callable(func):
        _reject_map("map_structure", func, structure, unknown)
    table = WITH_COMPOSITES if expand_composites else PLAIN
    first = structure[0]
    if len(structure) == 1:
        container = table[type(first)]
        return func(first) if container is None else _map(func, first, container, table)
    for other in structure[1:]:
        assert_same_structure(first, other, check_types, expand_composites)
    return _map_together(func, structure, table)


def _map(
    func: Callable[[Any], Any], structure: Any, container: Container, table: ContainerTable
) -> Any:
    return container.rebuild(
        structure,
        [
            func(child)
            if (inner := table[type(child)]) is None
            else _map(func, child, inner, table)
            for child in container.children(structure)
        ],
    )


def _map_together(
    func: Callable[..., Any], structures: tuple[Any, ...], table: ContainerTable
) -> Any:
    """Map `func` over structures known to be the same."""
    container = table[type(structures[0])]
    if container is None:
        return func(*structures)
    columns = [table[type(each)].children(each) for each in structures]  # type: ignore[union-attr]
    results = [
        func(*group) if table[type(group[0])] is None else _map_together(func, group, table)
        for group in zip(*columns)
    ]
    return container.rebuild(structures[0], results)


def _reject_map(name: str, func: Any, structures: tuple[Any, ...], unknown: dict[str, Any]) -> None:
    if not callable(func):
        raise TypeError(f"{name}: func must be callable, got: {func}")
    if not structures:
        raise ValueError(f"{name}: must provide at least one structure")
    raise ValueError(
        f"Only valid keyword arguments of {name} are `check_types` and `expand_composites`, "
        f"not: {', '.join(f'`{key}`' for key in unknown)}"
    )


@dataclass(slots=True)
class _Difference:
    """Where and how two structures differ."""

    error: type[Exception]
    reason: str
    path: list[Any] = field(default_factory=list)

    def explain(self, first: Any, second: Any) -> Exception:
        where = f" at {'/'.join(map(str, reversed(self.path)))}" if self.path else ""
        return self.error(
            f"The structures differ{where}: {self.reason}\n\n"
            f"First structure: {_describe(first)}\n{_outline(first)}\n\n"
            f"Second structure: {_describe(second)}\n{_outline(second)}"
        )


def assert_same_structure(
    nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Raise `ValueError` if the nesting differs, `TypeError` if the types of containers do.

    Mappings may be of different types but must have the same keys. `check_types=False` compares
    the nesting alone.

    Args:
        nest1: A structure.
        nest2: The structure to compare with.
        check_types: Whether the types of containers must agree.
        expand_composites: Whether ragged, sparse and other composite tensors count as their
            components.

    Returns:
        None.

    Example:
        >>> tf.nest.assert_same_structure([1, {"a": 2}], [3, {"a": 4}])
    """
    table = WITH_COMPOSITES if expand_composites else PLAIN
    difference = _difference(nest1, nest2, check_types, table)
    if difference is not None:
        raise difference.explain(nest1, nest2)


def _difference(
    first: Any, second: Any, check_types: bool, table: ContainerTable
) -> _Difference | None:
    one, two = table[type(first)], table[type(second)]
    if one is None or two is None:
        if one is two:
            return None
        nested, leaf = (second, first) if one is None else (first, second)
        return _Difference(
            ValueError,
            f'Substructure "{_describe(nested)}" is a sequence, '
            f'while substructure "{_describe(leaf)}" is not',
        )
    if one is not two or one.mapping or one.compatible is not None:
        difference = _container_difference(first, one, second, two, check_types)
        if difference is not None:
            return difference
    first_children, second_children = list(one.children(first)), list(two.children(second))
    for index, (child, other) in enumerate(zip(first_children, second_children)):
        if table[type(child)] is None and table[type(other)] is None:
            continue  # two leaves, the common case: saves the call
        difference = _difference(child, other, check_types, table)
        if difference is not None:
            difference.path.extend(reversed(list(one.steps(first))[index]))
            return difference
    if len(first_children) != len(second_children):
        return _Difference(
            ValueError,
            f"different numbers of elements, {len(first_children)} in "
            f"{_describe(first)}, {len(second_children)} in {_describe(second)}",
        )
    return None


def _container_difference(
    first: Any, one: Container, second: Any, two: Container, check_types: bool
) -> _Difference | None:
    """Return how the containers themselves differ, ignoring their children."""
    composites = (one.compatible is not None) + (two.compatible is not None)
    if composites == 2:
        # The description of a composite is compared with it, not the other way round.
        table, *both = (two, second, first) if two.describes else (one, first, second)
        if table.compatible(*both):  # type: ignore[misc]
            return None
    if composites == 2 or (composites == 1 and not check_types):
        return _Difference(
            ValueError,
            f"Incompatible composite tensors: {_describe(first)} vs. {_describe(second)}",
        )
    if not check_types:
        return None
    if one.family != two.family:
        return _Difference(
            TypeError,
            f"a {type(first).__name__} in the first and a {type(second).__name__} in the second, "
            f"which are different sequence types: {_describe(first)} and {_describe(second)}. "
            "Pass check_types=False to compare the nesting alone",
        )
    if one.mapping and first.keys() != second.keys():
        return _Difference(
            ValueError,
            "The two dictionaries don't have the same set of keys. First structure has keys "
            f"{list(first)}, while second structure has keys {list(second)}",
        )
    return None


def _describe(structure: Any) -> str:
    return f"type={type(structure).__name__} str={structure}"


def _outline(structure: Any) -> str:
    """Return the containers of a structure alone, every leaf a dot: `[., (., .)]`."""
    container = PLAIN[type(structure)]
    if container is None:
        return "."
    inner = [_outline(child) for child in container.children(structure)]
    match structure:
        case _ if container.mapping:
            pairs = zip(sorted_keys(structure), inner)
            text = "{" + ", ".join(f"{key!r}: {each}" for key, each in pairs) + "}"
            return text if type(structure) is dict else f"{type(structure).__name__}({text})"
        case tuple() if hasattr(structure, "_fields"):
            parts = (f"{name}={each}" for name, each in zip(structure._fields, inner))
            return f"{type(structure).__name__}({', '.join(parts)})"
        case tuple():
            return f"({inner[0]},)" if len(inner) == 1 else f"({', '.join(inner)})"
        case list():
            return f"[{', '.join(inner)}]"
    return f"{type(structure).__name__}({', '.join(inner)})"


def flatten_with_tuple_paths(
    structure: Any, expand_composites: bool = False
) -> list[tuple[tuple[Any, ...], Any]]:
    """Return `(path, leaf)` for each leaf, in the order of `flatten`; a path is a tuple of keys."""
    table = WITH_COMPOSITES if expand_composites else PLAIN
    pairs: list[tuple[tuple[Any, ...], Any]] = []

    def visit(path: tuple[Any, ...], value: Any) -> None:
        container = table[type(value)]
        if container is None:
            pairs.append((path, value))
            return
        for step, child in zip(container.steps(value), container.children(value)):
            visit(path + step, child)

    visit((), structure)
    return pairs


def flatten_with_joined_string_paths(
    structure: Any, separator: str = "/", expand_composites: bool = False
) -> list[tuple[str, Any]]:
    """Return `(path, leaf)` for each leaf, the path as one string: `"layers/0/kernel"`."""
    return [
        (separator.join(map(str, path)), leaf)
        for path, leaf in flatten_with_tuple_paths(structure, expand_composites)
    ]


def flatten_up_to(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> list[Any]:
    """Return the parts of `input_tree` at the leaves of `shallow_tree`."""
    table = WITH_COMPOSITES if expand_composites else PLAIN
    parts: list[Any] = []
    _collect_up_to(shallow_tree, input_tree, check_types, table, parts.append)
    return parts


def _collect_up_to(
    shallow: Any, tree: Any, check_types: bool, table: ContainerTable, add: Callable[[Any], None]
) -> None:
    outer = table[type(shallow)]
    if outer is None:
        add(tree)
        return
    inner = table[type(tree)]
    if inner is None:
        raise TypeError(
            f"The shallow structure has a {type(shallow).__name__} where the input has a leaf of "
            f"type {type(tree).__name__}."
        )
    if check_types and outer.family != inner.family:
        raise TypeError(
            f"The shallow structure has a {type(shallow).__name__} where the input has a "
            f"{type(tree).__name__}. Pass check_types=False to compare the nesting alone."
        )
    shallow_children, children = list(outer.children(shallow)), list(inner.children(tree))
    if len(shallow_children) != len(children):
        raise ValueError(
            f"The shallow structure has {len(shallow_children)} elements where the input has "
            f"{len(children)}; both numbers must be equal."
        )
    if outer.mapping and inner.mapping and shallow.keys() != tree.keys():
        missing = [key for key in shallow if key not in tree]
        raise ValueError(f"The shallow structure has keys that the input lacks: {missing}.")
    for shallow_child, child in zip(shallow_children, children):
        _collect_up_to(shallow_child, child, check_types, table, add)


def map_structure_up_to(
    shallow_tree: Any,
    func: Callable[..., Any],
    *inputs: Any,
    check_types: bool = True,
    expand_composites: bool = False,
    **unknown: Any,
) -> Any:
    """Apply `func` to the parts of the inputs at the leaves of `shallow_tree`."""
    if unknown or not inputs or not callable(func):
        _reject_map("map_structure_up_to", func, inputs, unknown)
    parts = [flatten_up_to(shallow_tree, each, check_types, expand_composites) for each in inputs]
    results = [func(*group) for group in zip(*parts)]
    return pack_sequence_as(shallow_tree, results, expand_composites)
