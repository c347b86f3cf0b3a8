"""Constant folding: what depends only on constants is computed once, now."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.backends import numpy as xp
from tapeflow._src.backends.numpy import silence, unsilence
from tapeflow._src.core.infer import element_count
from tapeflow._src.core.registry import Op
from tapeflow._src.core.traits import FOLDS_ON_HOST, PLACES, SOURCE, UNSPECIFIED
from tapeflow._src.graph.operation import Operation
from tapeflow._src.passes.facts import HANDLES
from tapeflow._src.passes.rewriting import Call, Results, Rewrite, Rule

# Larger results are computed when the graph runs, unless the operands are as large.
_LARGEST = 2**14
# Larger constants are not folded, because that would delay the first call.
_LARGEST_OPERANDS = 2**20
_UNFOLDABLE = frozenset({PLACES, SOURCE, UNSPECIFIED})


def rules(op: Op) -> tuple[Rule, ...]:
    if op.effect is not None or op.holds_bodies or not _UNFOLDABLE.isdisjoint(op.traits):
        return ()
    return (fold,) if op.host is None or FOLDS_ON_HOST in op.traits else ()


def fold(at: Rewrite, call: Call) -> Results | None:
    """Return the results as constants, if every operand is one, or tracing knows the results."""
    specs = call.specs
    if not specs:
        return None
    for spec in specs:
        if spec.value is None:
            break
    else:
        return [at.constant(s.value, s.dtype, call.node) for s in specs]
    for tensor in call.inputs:
        if not tensor.op.definition.is_constant:
            return None
    if any(spec.dtype in HANDLES for spec in specs) or not _is_small(call):
        return None
    results = _computed(call)
    if results is None:
        return None
    return [at.constant(r, s.dtype, call.node) for r, s in zip(results, specs, strict=True)]


def _is_small(call: Call) -> bool:
    operand_size = sum(tensor.static_value.size for tensor in call.inputs)
    if operand_size > _LARGEST_OPERANDS:
        return False
    for spec in call.specs:
        count = element_count(spec.shape)
        if count is not None and count > max(operand_size, _LARGEST):
            return False
    return True


def _computed(call: Call) -> list[Any] | None:
    """Run the kernel; None if it fails, so that the error is raised when the graph runs."""
    arrays = [
        [t.static_value for t in v] if type(v) is tuple else v.static_value for v in call.operands
    ]
    attrs = {key: value for key, value in call.attrs.items() if key[0] != "_"}
    token = silence()
    try:
        result = call.op.kernels["numpy"](xp, *arrays, **attrs)
    except Exception:
        return None
    finally:
        unsilence(token)
    values = [result] if call.op.single_output else list(result)
    arrays = [r if type(r) is np.ndarray else _as_array(r) for r in values]
    return arrays if all(map(_fits, arrays, call.specs)) else None


def _as_array(value: Any) -> Any:
    return np.array(value, object) if type(value) is bytes else np.asarray(value)


def _fits(array: Any, spec: Any) -> bool:
    return array.dtype == spec.dtype.np and (
        spec.shape is None
        or (
            len(spec.shape) == array.ndim
            and all(n is None or n == m for n, m in zip(spec.shape, array.shape, strict=True))
        )
    )


def is_finite(node: Operation) -> bool:
    """Whether an operation is no constant, or one of finite numbers."""
    value = node.attrs.get("value") if node.definition.is_constant else None
    if not isinstance(value, np.ndarray) or value.dtype.kind != "f":
        return True
    return bool(np.isfinite(value).all())
