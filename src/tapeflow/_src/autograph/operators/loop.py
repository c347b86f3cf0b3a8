"""A loop that is being staged: the state carried between iterations.

Iterables receive it, too (see `iteration`): they call `prepare`, then `going` and `step` inside a
loop of the graph, then `finish`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tapeflow._src.autograph.operators import staging
from tapeflow._src.autograph.operators.lists import GrowingList
from tapeflow._src.autograph.operators.logical import assert_stmt
from tapeflow._src.autograph.operators.loop_checks import (
    checked_leaf,
    invariants_of,
    relaxed,
    require_same_structure,
    shape_of,
)
from tapeflow._src.autograph.operators.variables import UNDEFINED, State
from tapeflow._src.core import dispatch, nest
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.ops.math.logical import logical_not

# Errors of the first iteration that may be due to a variable without a value.
_UNDEFINED_ERRORS = (NameError, TypeError, ValueError, KeyError, AttributeError)


class Loop:
    """The variables of a loop as a flat list of tensors, and its body as a function of them."""

    def __init__(
        self,
        state: State,
        body: Callable[..., None],
        result: str | None,
        lists: Sequence[str],
        options: dict[str, Any],
        *,
        until: Callable[[], Any] | None = None,
        target: str | None = None,
    ) -> None:
        self._state = state
        self._body = body
        self._until = until
        self._result = result
        self._target = target
        self.maximum_iterations = options.get("maximum_iterations")
        self._names = [slot.name for slot in state.live]
        self._before = state.save()
        self._values = state.read()
        self._invariants = invariants_of(options.get("shape_invariants"), self._values)
        self._lists = [p for p, n in enumerate(self._names) if n in lists and self._is_list(p)]
        # Variables that only the loop assigns: a flag records whether it has run.
        self._late: list[str] = []

    @property
    def may_break(self) -> bool:
        """Whether the loop may be left by `break` or `return`."""
        return self._until is not None

    # -- before the loop ---------------------------------------------------------------------

    def begin_with(self, value: Any) -> None:
        """Set the value that the target has in a loop without iterations."""
        if self._target is not None:
            position = self._names.index(self._target)
            if self._values[position] is UNDEFINED:
                self._values[position] = value

    def prepare(self, *, item: Callable[[], tuple[Any, ...]], sure: bool = False) -> list[Any]:
        """Return the initial loop variables, as tensors.

        item: creates the arguments of the body, to trace one iteration: that finds variables
        without a value. sure: whether there is at least one iteration.
        """
        missing = [p for p, v in enumerate(self._values) if v is UNDEFINED or v is None]
        growing = {p: GrowingList(self._values[p]) for p in self._lists}
        if missing or growing:
            first, problem = self._first_iteration(item, growing)
            for position in missing:
                self._fill(position, first[position] if first else UNDEFINED, problem)
            for position, seen in growing.items():
                self._values[position] = seen.staged(self._names[position], problem)
        if sure:
            self._late = []
        leaves = [leaf for value in self._values for leaf in nest.flatten(value)]
        tensors = [staging.as_tensor(leaf) for leaf in leaves if staging.can_be_staged(leaf)]
        return [dispatch.convert(False), *tensors] if self._late else tensors

    def _is_list(self, position: int) -> bool:
        return type(self._values[position]) is list

    def _first_iteration(
        self, item: Callable[[], tuple[Any, ...]], growing: dict[int, Any]
    ) -> tuple[list[Any], str]:
        """Return the values after one iteration, or why it cannot be traced."""
        with staging.scratch():
            placeholders = [
                growing.get(position) or nest.map_structure(staging.unknown, value)
                for position, value in enumerate(self._values)
            ]
            self._state.restore(self._before)
            self._state.write(placeholders)
            try:
                self._body(*item())
                return self._state.read(), ""
            except _UNDEFINED_ERRORS as error:
                return [], (
                    "\nAutoGraph tried to initialize it before the loop, which failed with "
                    f"{type(error).__name__}: {error}"
                )
            finally:
                self._state.restore(self._before)

    def _fill(self, position: int, first: Any, problem: str) -> None:
        """Return an initial value for a variable without one, replaced before it is read."""
        name, value = self._names[position], self._values[position]
        if problem:
            need = "must be defined" if value is UNDEFINED else "is not allowed to be None"
            raise ValueError(f"'{name}' {need} before the loop{problem}")
        if first is value:
            return
        if not any(map(staging.can_be_staged, nest.flatten(first))):
            raise ValueError(
                f"'{name}' must be defined before the loop: in the loop it becomes {first!r}, "
                f"which is not a tensor, so nothing can stand for it should the loop not run."
            )
        self._values[position] = staging.zeros_like(first)
        if self._invariants[position] is None:
            self._invariants[position] = relaxed(first)
        # The return value is only read if the flag says that the function returns.
        if name != self._result:
            self._late.append(name)

    def shape_invariants(self, *extra: Any) -> list[Any] | None:
        """Return the invariants for the list of `prepare`, if any; `extra` ones go first."""
        if all(invariant is None for invariant in self._invariants):
            return None
        invariants: list[Any] = [*extra, *([TensorShape([])] if self._late else [])]
        for name, value, invariant in zip(self._names, self._values, self._invariants):
            leaves = nest.flatten(value)
            shapes = leaves if invariant is None else nest.flatten_up_to(value, invariant)
            for leaf, shape in zip(leaves, shapes, strict=True):
                if staging.can_be_staged(leaf):
                    invariants.append(shape_of(name, leaf, None if invariant is None else shape))
        return invariants

    # -- in the loop -------------------------------------------------------------------------

    def enter(self, leaves: Sequence[Any]) -> list[Any]:
        """Set the variables to the values of this iteration."""
        values = self._unflattened(leaves)
        self._state.restore(self._before)
        self._state.write(values)
        return values

    def _unflattened(self, leaves: Sequence[Any]) -> list[Any]:
        remaining = iter(leaves[1:] if self._late else leaves)

        def leaf_of(leaf: Any) -> Any:
            return next(remaining) if staging.can_be_staged(leaf) else leaf

        return [nest.map_structure(leaf_of, value) for value in self._values]

    def going(self, leaves: Sequence[Any]) -> Any:
        """Whether the loop has not been left by `break`; None if there is none in it."""
        if self._until is None:
            return None
        self.enter(leaves)
        return logical_not(staging.condition(self._until(), "break"))

    def step(self, leaves: Sequence[Any], *item: Any, any_shape: bool = False) -> list[Any]:
        """Return the values after an iteration that begins with these.

        any_shape: the caller ensures that changing shapes are not treated as static.
        """
        entry = self.enter(leaves)
        self._body(*item)
        flat: list[Any] = [dispatch.convert(True)] if self._late else []
        exits = self._state.read()
        for name, before, after, invariant in zip(self._names, entry, exits, self._invariants):
            require_same_structure(name, before, after)
            for first, last in zip(nest.flatten(before), nest.flatten(after), strict=True):
                tensor = checked_leaf(name, first, last, invariant is not None, any_shape)
                if tensor is not None:
                    flat.append(tensor)
        return flat

    # -- after the loop ----------------------------------------------------------------------

    def finish(self, leaves: Sequence[Any]) -> None:
        """Set the variables to their final values."""
        if self._late:
            names = ", ".join(self._late)
            assert_stmt(
                leaves[0],
                lambda: (
                    f"the loop did not run even once, and {names} is only assigned inside of it"
                ),
            )
        self._state.settle(self._unflattened(leaves))
