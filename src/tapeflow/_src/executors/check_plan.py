"""Which results of a graph need a check for NaN and infinity of their own.

Most do not. If a product is not finite, neither is its sum with a bias: the sum alone is checked,
and if it is bad, the first bad one of the results before it is blamed. The rectified sum is finite
if the sum is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeflow._src.core.dtypes import INTEGER, float32, float64
from tapeflow._src.core.dtypes import bool as bool_dtype
from tapeflow._src.core.traits import INHERITS_NUMERICS, KEEPS_FINITE
from tapeflow._src.executors.numeric_checks import (
    NotFinite,
    checked_kernel,
    checked_outputs,
    is_finite,
)
from tapeflow._src.graph.body import Body
from tapeflow._src.graph.operation import Operation
from tapeflow._src.graph.tensor import SymbolicTensor

# NaN and infinity in these operands (None: in any) make one in the result, if that has elements.
_PASSING_ON: dict[str, tuple[int, ...] | None] = {
    "AddN": None,
    "AddV2": None,
    "BiasAdd": None,
    "MatMul": None,
    "Mean": (0,),
    "Mul": None,
    "Neg": None,
    "ReluGrad": (0,),
    "Relu6Grad": (0,),
    "Reshape": (0,),
    "Square": None,
    "Sub": None,
    "Sum": (0,),
}
# Types without NaN and infinity.
_EXACT = INTEGER | {bool_dtype}


def _passed_on(node: Operation) -> Sequence[SymbolicTensor]:
    """Return the inputs whose NaN and infinity reach the result."""
    if node.type not in _PASSING_ON:
        return ()
    operands = _PASSING_ON[node.type]
    return node.inputs if operands is None else [node.inputs[i] for i in operands]


def flagged(body: Body) -> set[int]:
    """Return the tensors, by identity, whose values compiled code checks.

    If a value is not finite, neither is what is computed from it by an op of `_PASSING_ON`: the
    result of the last of these is checked, and the interpreter finds the first.
    """
    exempt = _kept_finite(body)
    passed_on: set[int] = set()
    checked: set[int] = set()
    for node in reversed(body.nodes()):
        outputs = _checked(node, exempt)
        checked.update(id(t) for t in outputs if id(t) not in passed_on)
        # What is not checked itself passes on what its readers do.
        if outputs or all(id(t) in passed_on for t in node.outputs):
            passed_on.update(map(id, _passed_on(node)))
    return checked


def _checked(node: Operation, exempt: set[int]) -> list[SymbolicTensor]:
    """Return the outputs that are checked, except for those in `exempt`."""
    outputs = [node.outputs[i] for i in checked_outputs(node.definition, node.outputs)]
    return [tensor for tensor in outputs if id(tensor) not in exempt]


def _kept_finite(body: Body) -> set[int]:
    """Return the tensors, by identity, that are finite if the checks before them succeed."""
    finite: set[int] = set()
    exempt: set[int] = set()
    for node in body.nodes():
        op = node.definition
        if op.is_constant:
            value = node.attrs["value"]
            is_finite_value = value.dtype == object or np.isfinite(value).all()
            results = node.outputs if is_finite_value else ()
        elif not {KEEPS_FINITE, INHERITS_NUMERICS}.isdisjoint(op.traits):
            is_kept = all(id(t) in finite or t.dtype in _EXACT for t in node.inputs)
            results = node.outputs if is_kept and not _narrows(node) else ()
            exempt.update(id(t) for t in results if KEEPS_FINITE in op.traits)
        else:
            results = tuple(node.outputs[i] for i in checked_outputs(op, node.outputs))
        finite.update(map(id, results))
    return exempt


def _narrows(node: Operation) -> bool:
    """Whether a cast may overflow."""
    if node.type != "Cast":
        return False
    source, target = node.inputs[0].dtype, node.outputs[0].dtype
    return target not in (float32, float64) or (source == float64 and target == float32)


class CheckPlan:
    """The checks of a body that an interpreter runs.

    Attributes:
        used_until: Which tensors must stay alive until which operation, by identity, has run: the
            inputs of operations that a later check may blame.
    """

    def __init__(self, body: Body) -> None:
        self._body = body
        self._deferred: list[Operation] = []
        self._unchecked: set[int] = set()
        self.used_until: dict[int, list[SymbolicTensor]] = {}
        self._defer(_kept_finite(body))

    def _defer(self, exempt: set[int]) -> None:
        """Leave checks to later operations, unless something is changed in between."""
        # For each tensor that is passed on: the operation that is checked in its stead.
        stands_in: dict[int, Operation] = {}
        for node in reversed(self._body.nodes()):
            op = node.definition
            if op.structure is not None or op.effect in ("writes", "io"):
                stands_in.clear()
                continue
            checked_at: Operation | None = node
            if _checked(node, exempt):
                later = [stands_in.get(id(t)) for t in node.outputs]
                if len(later) == 1 and later[0] is not None:
                    checked_at = later[0]
                    self._deferred.append(node)
                    self._unchecked.add(id(node))
                    self.used_until.setdefault(id(checked_at), []).extend(
                        (*node.inputs, *node.outputs)
                    )
            else:
                self._unchecked.add(id(node))
                checked_at = stands_in.get(id(node.outputs[0])) if node.outputs else None
            if checked_at is not None:
                for tensor in _passed_on(node):
                    stands_in.setdefault(id(tensor), checked_at)
        self._deferred.reverse()

    def kernel(self, node: Operation, kernel: Any) -> Any:
        """Return the kernel of an operation of the body, with a check if it needs one."""
        return kernel if id(node) in self._unchecked else checked_kernel(node, kernel)

    def first(self, error: NotFinite, value_of: Callable[[Any], Any]) -> NotFinite:
        """Return the first bad result: that of the error, or one that was not checked before it.

        Args:
            error: The check that failed.
            value_of: Returns the value of an operand, or None if it is no longer there.

        Returns:
            The error to report.
        """
        for node in self._deferred:
            value = value_of(node.outputs[0])
            if value is not None and not is_finite(value):
                inputs = [value_of(operand) for operand in node.operands]
                return NotFinite(node, 0, value, [v for v in inputs if v is not None])
        return error
