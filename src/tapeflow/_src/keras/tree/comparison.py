"""Comparing the nesting of two structures."""

from __future__ import annotations

from typing import Any

from tapeflow._src.internal.user_warnings import warn_user
from tapeflow._src.keras.tree.nodes import nodes
from tapeflow._src.keras.tree.walks import difference, flatten_with_path


def assert_same_structure(a: Any, b: Any, check_types: bool | None = None) -> None:
    """Raise ValueError unless two structures are nested alike, in containers of the same types.

    `dict`, `OrderedDict` and `defaultdict` match if they have the same keys. `check_types` has no
    effect any more.

    Args:
        a: One structure.
        b: The other.
        check_types: Accepted with a DeprecationWarning.

    Returns:
        None.

    Raises:
        ValueError: They are not nested alike.

    Example:
        >>> tf.keras.tree.assert_same_structure([(1, 2)], [(3, 4)])
    """
    if check_types is not None:
        repair = "" if check_types else " To ignore types, call `keras.tree.assert_same_paths`."
        warn_user(f"`check_types` is ignored: remove it.{repair}", DeprecationWarning)
    _compare((), a, b)


def _compare(path: tuple[Any, ...], a: Any, b: Any) -> None:
    problem = difference(a, b)
    if problem:
        where = f" at {path}" if path else ""
        raise ValueError(
            f"The structures are not nested alike{where}: {problem}. Received: {a} and {b}"
        )
    node, other = nodes[type(a)], nodes[type(b)]
    if node is None or other is None:
        return
    children = [b[key] for key in node.keys(a)] if node.is_dict else other.children(b)
    for key, first, second in zip(node.keys(a), node.children(a), children):
        _compare((*path, key), first, second)


def assert_same_paths(a: Any, b: Any) -> None:
    """Raise ValueError unless two structures have leaves at the same paths, whatever their types.

    Args:
        a: One structure.
        b: The other.

    Returns:
        None.

    Raises:
        ValueError: The paths differ.

    Example:
        >>> tf.keras.tree.assert_same_paths([1, (2, 3)], (1, [2, 3]))
    """
    ours = {path for path, _ in flatten_with_path(a)}
    theirs = {path for path, _ in flatten_with_path(b)}
    if ours != theirs:
        raise ValueError(
            f"The structures have leaves at different paths: {sorted(map(str, ours - theirs))} "
            f"are only in the first, {sorted(map(str, theirs - ours))} only in the second."
        )
