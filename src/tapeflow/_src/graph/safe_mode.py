"""Restrictions on imported graphs: they compute, but neither call Python nor access files.

Ops declare their accesses (`Op.accesses`). Knows one import at a time, and what its caller allows;
refusals are collected, so that one error lists all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from tapeflow._src.core.errors import PermissionDeniedError
from tapeflow._src.core.registry import Op

_SHOWN = 20
_WORDS = {
    "files": "reads or writes files",
    "python": "calls Python functions",
    "native": "calls native functions of the process",
}


class Refusal(NamedTuple):
    """A node that may not be imported."""

    node: str
    op: str
    access: str
    function: str


class Guard:
    """Checks the nodes of one import. `safe` is False where everything is allowed.

    allowed: the kinds of access that are allowed in any case, such as "files".
    """

    def __init__(self, safe: bool = True, allowed: Iterable[str] = ()) -> None:
        self.safe = safe
        self.allowed = frozenset(allowed)
        self.refused: list[Refusal] = []
        # Tensors that hold the path of an asset, by identity; referenced, so that identities stay
        # unique. Those of branches and loops are others: what is passed to them changes per
        # iteration.
        self._assets: dict[int, Any] = {}

    def add_asset(self, tensor: Any) -> None:
        """Mark `tensor` as the path of a file that belongs to the model."""
        self._assets[id(tensor)] = tensor

    def check(
        self, node: Any, op: Op, attrs: dict[str, Any], operands: Sequence[Any], function: str
    ) -> None:
        """Record a node whose access is not allowed. `function`: the one that contains it."""
        access = op.access
        if not self.safe or access is None or access.what in self.allowed:
            return
        if access.when is not None and not access.when(**attrs):
            return
        if access.path is not None:
            path = operands[op.input_names.index(access.path)]
            if id(path) in self._assets:
                return
        if access.unless_empty is not None:
            name = operands[op.input_names.index(access.unless_empty)].static_value
            if name is not None and not name.item():
                return
        self.refused.append(Refusal(node.name, node.op, access.what, function))


def refusal(refused: Sequence[Refusal], where: str, repair: str) -> PermissionDeniedError:
    """Return the error for what was refused in `where`."""
    lines = [
        f"  node {r.node!r}: {r.op} {_WORDS[r.access]}"
        + (f" (in function {r.function!r})" if r.function else "")
        for r in dict.fromkeys(refused)
    ]
    if len(lines) > _SHOWN:
        lines[_SHOWN:] = [f"  … and {len(lines) - _SHOWN} more"]
    return PermissionDeniedError(
        None,
        None,
        f"{where} holds operations that safe mode refuses:\n"
        + "\n".join(lines)
        + f"\nIf you trust where it comes from, {repair}.",
    )
