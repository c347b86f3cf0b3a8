"""`if` statements and conditional expressions: run, or added to the graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tapeflow._src.autograph.operators import staging
from tapeflow._src.autograph.operators.lists import keeping
from tapeflow._src.autograph.operators.variables import UNDEFINED, Slot, State
from tapeflow._src.core import nest
from tapeflow._src.core.registry import cast_hint
from tapeflow._src.graph.control_flow import cond

Block = Callable[[], None]


def if_stmt(
    test: Any,
    body: Block,
    orelse: Block | None,
    *,
    variables: Callable[[], Any] | None = None,
    live: Sequence[str] = (),
    slots: Callable[[], Sequence[Slot]] | None = None,
    result: str | None = None,
) -> None:
    """Run `body` or `orelse`; stage both if `test` is symbolic.

    variables: a lambda whose closure holds the variables that the blocks share. live: those that
    are used afterwards. slots: other targets that the blocks assign to. result: the variable that
    holds the return value, if it is one of them.
    """
    if staging.is_staged(test):
        pred = staging.condition(test, "if statement")
        state = State(variables, live, slots)
        _Statement(state, body, orelse, result).stage(pred)
    elif test:
        body()
    elif orelse is not None:
        orelse()


class _Statement:
    """An `if` statement that is being staged."""

    def __init__(self, state: State, body: Block, orelse: Block | None, result: str | None) -> None:
        self._state = state
        self._before = state.save()
        self._blocks = {"main": body, "else": orelse}
        self._names = [slot.name for slot in state.live]
        self._result = None if result is None else self._names.index(result)

    def stage(self, pred: Any) -> None:
        merge = Merge(self._names, self._result)
        values = merge.staged(
            pred,
            lambda: self._branch("main", "else", merge),
            lambda: self._branch("else", "main", merge),
        )
        self._state.settle(values)

    def _branch(self, name: str, other: str, merge: Merge) -> list[Any]:
        """Return the live values after one of the blocks."""
        values = self._run(name)
        index = self._result
        if index is not None and values[index] is UNDEFINED:
            # The function does not return here; a flag records that, and this stands for its
            # result.
            if other in merge.results:
                result = merge.results[other][index]
            else:
                with staging.scratch():
                    result = self._run(other)[index]
            values[index] = UNDEFINED if result is UNDEFINED else staging.zeros_like(result)
        return values

    def _run(self, name: str) -> list[Any]:
        self._state.restore(self._before)
        block = self._blocks[name]
        if block is not None:
            with keeping(self._before):
                block()
        return self._state.read()


def if_exp(
    test: Any, body: Callable[[], Any], orelse: Callable[[], Any], text: str = "test"
) -> Any:
    """Evaluate `body() if test else orelse()`; both are staged if `test` is symbolic."""
    if not staging.is_staged(test):
        return body() if test else orelse()
    pred = staging.condition(test, "conditional expression")
    (value,) = Merge([text]).staged(pred, lambda: [body()], lambda: [orelse()])
    return value


class Merge:
    """Two branches that return values under the same names."""

    def __init__(self, names: Sequence[str], result: int | None = None) -> None:
        self._names = names
        self._result = result
        self.results: dict[str, list[Any]] = {}

    def staged(
        self, pred: Any, body: Callable[[], list[Any]], orelse: Callable[[], list[Any]]
    ) -> list[Any]:
        """Return the values after the branch that `pred` selects."""
        leaves = cond(pred, lambda: self._trace("main", body), lambda: self._trace("else", orelse))
        remaining = iter(leaves)

        def staged_leaf(leaf: Any) -> Any:
            return next(remaining) if staging.can_be_staged(leaf) else leaf

        return [
            value if value is UNDEFINED else nest.map_structure(staged_leaf, value)
            for value in self.results["main"]
        ]

    def _trace(self, name: str, branch: Callable[[], list[Any]]) -> list[Any]:
        """Trace the tensors of a branch; other values must be the same in both."""
        self.results[name] = values = branch()
        if len(self.results) == 2:
            for position in range(len(self._names)):
                self._require_alike(position)
        leaves = [leaf for v in values if v is not UNDEFINED for leaf in nest.flatten(v)]
        return [staging.as_tensor(leaf) for leaf in leaves if staging.can_be_staged(leaf)]

    def _require_alike(self, position: int) -> None:
        """Check that both branches assign values of one structure and one dtype."""
        name, is_result = self._names[position], position == self._result
        main, other = self.results["main"][position], self.results["else"][position]
        if main is UNDEFINED or other is UNDEFINED:
            if main is not other:
                branch = "main" if main is UNDEFINED else "else"
                raise ValueError(
                    f"'{name}' is used after the `if` and must be initialized in both branches, "
                    f"but the {branch} branch does not assign it. Assign it before the `if`, or in "
                    "both branches"
                )
            return
        try:
            nest.assert_same_structure(main, other, expand_composites=True)
        except (ValueError, TypeError) as error:
            if main is not None and other is not None:
                raise TypeError(
                    f"'{name}' must have the same structure after both branches, main and "
                    f"else:\n\n{error}"
                ) from error
        for first, second in zip(nest.flatten(main), nest.flatten(other)):
            _require_alike_leaves(name, is_result, first, second)


def _require_alike_leaves(name: str, is_result: bool, main: Any, other: Any) -> None:
    if main is None or other is None:
        if main is not other:
            branch = "main" if main is None else "else"
            if is_result:
                raise ValueError(
                    f"the {branch} branch has no return statement (it returns None), while the "
                    f"other returns {other if main is None else main}. Return a value in both."
                )
            raise ValueError(
                f"'{name}' is None after the {branch} branch, and a tensor after the other: assign "
                "a tensor in both."
            )
        return
    if not (staging.can_be_staged(main) and staging.can_be_staged(other)):
        if main is not other:
            raise TypeError(
                f"'{name}' is {main!r} in the main branch, but {other!r} in the else branch. "
                f"What depends on a condition in the graph must be a tensor, or a number or a "
                f"string that can become one."
            )
        return
    first, second = staging.dtype_of(main), staging.dtype_of(other)
    if first is not second:
        raise TypeError(
            f"'{name}' has dtype {first.name} after the main branch and {second.name} after the "
            f"else branch; both must be the same. {cast_hint(name, first, name, second)}"
        )
