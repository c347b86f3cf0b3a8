"""Flattening, packing, mapping and traversing nested structures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow._src.keras.tree.nodes import nodes


class MAP_TO_NONE:
    """Returned by the function of `traverse` to put None in the place of a subtree."""


def is_nested(structure: Any) -> bool:
    """Return whether `structure` is a container rather than a leaf.

    Args:
        structure: Anything.

    Returns:
        A boolean. Lists, tuples, dicts and registered containers are nested; strings, arrays and
        tensors are leaves.

    Example:
        >>> tf.keras.tree.is_nested([1, 2]), tf.keras.tree.is_nested("ab")
        (True, False)
    """
    return nodes[type(structure)] is not None


def flatten(structure: Any) -> list[Any]:
    """Return the leaves of a structure, dicts in the order of their sorted keys.

    Args:
        structure: A nested structure, or a leaf.

    Returns:
        A list; None counts as a leaf.

    Example:
        >>> tf.keras.tree.flatten({"b": [1, 2], "a": None})
        [None, 1, 2]
    """
    leaves: list[Any] = []
    _collect(structure, leaves.append)
    return leaves


def _collect(structure: Any, add: Callable[[Any], None]) -> None:
    node = nodes[type(structure)]
    if node is None:
        add(structure)
    else:
        for child in node.children(structure):
            _collect(child, add)


def flatten_with_path(structure: Any) -> list[tuple[tuple[Any, ...], Any]]:
    """Return `(path, leaf)` for each leaf; a path is the tuple of keys that lead to it.

    Args:
        structure: A nested structure, or a leaf.

    Returns:
        A list of pairs, in the order of `flatten`.

    Example:
        >>> tf.keras.tree.flatten_with_path([{"a": 7}])
        [((0, 'a'), 7)]
    """
    pairs: list[tuple[tuple[Any, ...], Any]] = []

    def visit(path: tuple[Any, ...], value: Any) -> None:
        node = nodes[type(value)]
        if node is None:
            pairs.append((path, value))
        else:
            for key, child in zip(node.keys(value), node.children(value)):
                visit((*path, key), child)

    visit((), structure)
    return pairs


def pack_sequence_as(structure: Any, flat_sequence: Any) -> Any:
    """Return a structure like `structure` with other leaves: the inverse of `flatten`.

    Args:
        structure: A nested structure.
        flat_sequence: Its new leaves, in the order of `flatten`.

    Returns:
        A structure.

    Raises:
        TypeError: `flat_sequence` is not iterable.
        ValueError: Its length is not the number of leaves.

    Example:
        >>> tf.keras.tree.pack_sequence_as({"b": 0, "a": (0, 0)}, [1, 2, 3])
        {'b': 3, 'a': (1, 2)}

        Raises:
        TypeError: `flat_sequence` is not iterable.
        ValueError: its length is not the number of leaves.
    """
    leaves = list(flat_sequence)
    number = len(flatten(structure))
    if number != len(leaves):
        raise ValueError(
            f"pack_sequence_as: the structure has {number} leaves, and flat_sequence "
            f"{len(leaves)} elements. Received: structure={structure}, flat_sequence={leaves}"
        )
    following = iter(leaves)
    return map_structure(lambda _: next(following), structure)


def map_structure(func: Callable[..., Any], *structures: Any, none_is_leaf: bool = True) -> Any:
    """Apply `func` to the leaves of structures that are nested alike.

    Args:
        func: Function of one argument per structure.
        *structures: One structure, or several that are nested alike.
        none_is_leaf: False leaves None where it stands, without calling `func`.

    Returns:
        A structure of the results, with the containers of the first one.

    Raises:
        TypeError: `func` is not callable.
        ValueError: There is no structure, or they are not nested alike.

    Example:
        >>> tf.keras.tree.map_structure(lambda a, b: a + b, [1, (2,)], [10, (20,)])
        [11, (22,)]
    """
    _require_function(func)
    if not structures:
        raise ValueError("map_structure needs at least one structure to map over. Received none.")
    if len(structures) == 1:
        return _map_one(func, structures[0], none_is_leaf)
    return _map_many(func, structures, none_is_leaf)


def _map_one(func: Callable[[Any], Any], structure: Any, none_is_leaf: bool) -> Any:
    if structure is None and not none_is_leaf:
        return None
    node = nodes[type(structure)]
    if node is None:
        return func(structure)
    children = [_map_one(func, child, none_is_leaf) for child in node.children(structure)]
    return node.rebuild(structure, children)


def _map_many(func: Callable[..., Any], structures: tuple[Any, ...], none_is_leaf: bool) -> Any:
    first, *others = structures
    node = nodes[type(first)]
    if node is not None:
        groups = zip(node.children(first), *(_matching_children(first, each) for each in others))
        children = [_map_many(func, group, none_is_leaf) for group in groups]
        return node.rebuild(first, children)
    if any(nodes[type(each)] is not None for each in others):
        raise ValueError(
            f"The structures are not nested alike: the first has a leaf where another has a "
            f"container. Received: {structures}"
        )
    if none_is_leaf or all(each is not None for each in structures):
        return func(*structures)
    if any(each is not None for each in structures):
        raise ValueError(f"None stands in some of the structures only. Received: {structures}")
    return None


def map_structure_up_to(shallow_structure: Any, func: Callable[..., Any], *structures: Any) -> Any:
    """Apply `func` to the parts of structures that stand where `shallow_structure` has leaves.

    Args:
        shallow_structure: A structure that says where to stop.
        func: Function of one argument per structure.
        *structures: Structures that are nested alike down to there.

    Returns:
        A structure of the results, with the containers of `shallow_structure`.

    Raises:
        TypeError: `func` is not callable.
        ValueError: There is no structure, or one is not nested so far.

    Example:
        >>> tf.keras.tree.map_structure_up_to([None, None], len, [[1, 1], [2, 2, 2]])
        [2, 3]
    """
    _require_function(func)
    if not structures:
        raise ValueError(
            "map_structure_up_to needs at least one structure to map over. Received none."
        )

    def visit(shallow: Any, parts: tuple[Any, ...]) -> Any:
        node = nodes[type(shallow)]
        if node is None:
            return func(*parts)
        groups = zip(*(_matching_children(shallow, each) for each in parts))
        children = [visit(*pair) for pair in zip(node.children(shallow), groups)]
        return node.rebuild(shallow, children)

    return visit(shallow_structure, structures)


def _matching_children(like: Any, other: Any) -> list[Any]:
    """The children of `other` in the order of those of `like`, a container of the same kind."""
    node, matched = nodes[type(like)], nodes[type(other)]
    problem = difference(like, other)
    if problem or node is None or matched is None:
        raise ValueError(
            f"The structures are not nested alike: {problem}. Received: {like} and {other}"
        )
    if node.is_dict:
        return [other[key] for key in node.keys(like)]
    return matched.children(other)


def difference(first: Any, second: Any) -> str | None:
    """Say how two containers differ, their children aside; None if they do not."""
    one, two = nodes[type(first)], nodes[type(second)]
    if one is None and two is None:
        return None
    if one is None or two is None or one.kind is not two.kind:
        return f"{type(first).__name__} in one, {type(second).__name__} in the other"
    if one.is_dict:
        if first.keys() != second.keys():
            return f"the keys {list(first)} in one, {list(second)} in the other"
    elif len(one.children(first)) != len(two.children(second)):
        ours, theirs = len(one.children(first)), len(two.children(second))
        return f"{ours} elements in one, {theirs} in the other"
    return None


def traverse(func: Callable[[Any], Any], structure: Any, top_down: bool = True) -> Any:
    """Call `func` on every subtree, depth first, and return the structure it makes.

    Args:
        func: Function of a subtree: it returns None to keep it (and, top down, to go on into it),
            something else to put that in its place, or `MAP_TO_NONE` to put None there.
        structure: A nested structure, or a leaf.
        top_down: Whether `func` sees containers before their children.

    Returns:
        A structure.

    Raises:
        TypeError: `func` is not callable.

    Example:
        >>> tf.keras.tree.traverse(lambda x: x + 1 if isinstance(x, int) else None, [1, (2, "a")])
        [2, (3, 'a')]
    """
    _require_function(func)

    def visit(value: Any) -> Any:
        if top_down:
            result = func(value)
            if result is None:
                return children_of(value)
        else:
            value = children_of(value)
            result = func(value)
            if result is None:
                return value
        return None if result is MAP_TO_NONE else result

    def children_of(value: Any) -> Any:
        node = nodes[type(value)]
        if node is None:
            return value
        return node.rebuild(value, [visit(child) for child in node.children(value)])

    return visit(structure)


def lists_to_tuples(structure: Any) -> Any:
    """Return the structure with tuples in the place of its lists.

    Args:
        structure: A nested structure, or a leaf.

    Returns:
        A structure.

    Example:
        >>> tf.keras.tree.lists_to_tuples([1, [2], {"a": [3]}])
        (1, (2,), {'a': (3,)})
    """
    return traverse(
        lambda value: tuple(value) if isinstance(value, list) else None, structure, top_down=False
    )


def map_shape_structure(func: Callable[[Any], Any], structure: Any) -> Any:
    """Apply `func` to the shapes of a structure: lists and tuples of ints and Nones.

    Args:
        func: Function of a shape.
        structure: A nested structure of shapes.

    Returns:
        A structure of the results.

    Raises:
        TypeError: `func` is not callable.

    Example:
        >>> tf.keras.tree.map_shape_structure(len, {"a": (None, 3), "b": [(2,)]})
        {'a': 2, 'b': [1]}
    """
    _require_function(func)

    def visit(value: Any) -> Any:
        node = nodes[type(value)]
        if node is None or _is_shape(value):
            return func(value)
        return node.rebuild(value, [visit(child) for child in node.children(value)])

    return visit(structure)


def _is_shape(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(
        size is None or isinstance(size, int) for size in value
    )


def _require_function(func: Any) -> None:
    if not callable(func):
        raise TypeError(
            f"`func` must be callable. Received: {func!r} of type {type(func).__name__}"
        )
