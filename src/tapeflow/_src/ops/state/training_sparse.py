"""Steps of optimizers for some rows of a variable: `grad` has a row for each of `indices`.

A row named twice is updated twice, one after the other; so these run on the host.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.core.dtypes import FLOATING_COMPLEX
from tapeflow._src.core.errors import InvalidArgumentError, fmt_shape
from tapeflow._src.core.registry import UNREGISTERED, Index, Op, Resource, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.state import training
from tapeflow._src.ops.state.variables import changed_in_place, checked_rows, current, set_items

_HOST = "rows that are named twice are updated one after the other"


def _no_outputs(op: Any, specs: Any, attrs: Any) -> tuple[Spec, ...]:
    return ()


def _sparse_step(name: str) -> Callable[[Callable[..., Any]], Op]:
    return op(
        name,
        infer=_no_outputs,
        outputs=(),
        effect="writes",
        dtypes=FLOATING_COMPLEX,
        grad=UNREGISTERED,
        host=_HOST,
    )


class _Rows:
    """Some rows of a variable, as a cell of their own."""

    def __init__(self, cell: Any, rows: Any) -> None:
        self.name, self.value_dtype = cell.name, cell.value_dtype
        self.array = current(cell)[rows]


def _rounds(indices: Any) -> Iterator[np.ndarray]:
    """Yield positions in `indices`, in rounds in which no row repeats."""
    order = np.argsort(indices, kind="stable")
    ordered = indices[order]
    first = np.searchsorted(ordered, ordered)
    turn = np.arange(len(indices)) - first
    for i in range(int(turn.max()) + 1 if len(turn) else 0):
        yield order[turn == i]


def _by_rows(
    xp: ModuleType, dense: Op, cells: Any, indices: Any, grad: Any, *rest: Any, **attrs: Any
):
    """Run `dense` on the rows; `rest` are its inputs behind the cells, with None for the rows."""
    if indices.ndim != 1 or grad.shape[:1] != indices.shape:
        raise InvalidArgumentError(
            None,
            None,
            f"grad must have a row for each of the indices, a vector: got "
            f"{fmt_shape(grad.shape)} and {fmt_shape(indices.shape)}",
        )
    checked_rows(cells[0], indices)
    for positions in _rounds(indices):
        rows = indices[positions]
        parts = [_Rows(cell, rows) for cell in cells]
        inputs = (grad[positions] if value is None else value for value in rest)
        dense.body(xp, *parts, *inputs, **attrs)
        for cell, part in zip(cells, parts, strict=True):
            changed_in_place(cell, set_items, rows, part.array)


@_sparse_step("ResourceSparseApplyProximalGradientDescent")
def sparse_apply_proximal_gradient_descent(
    xp, var: Resource, alpha, l1, l2, grad, indices: Index, *, use_locking=False
):
    """Take a gradient step, then apply the proximal operator."""
    dense = training.apply_proximal_gradient_descent
    _by_rows(xp, dense, (var,), indices, grad, alpha, l1, l2, None)


@_sparse_step("ResourceSparseApplyMomentum")
def sparse_apply_momentum(
    xp,
    var: Resource,
    accum: Resource,
    lr,
    grad,
    indices: Index,
    momentum,
    *,
    use_locking=False,
    use_nesterov=False,
):
    """Accumulate the gradient in `accum`, and update `var` with it."""
    cells, attrs = (var, accum), {"use_nesterov": use_nesterov}
    _by_rows(xp, training.apply_momentum, cells, indices, grad, lr, None, momentum, **attrs)


@_sparse_step("ResourceSparseApplyKerasMomentum")
def sparse_apply_keras_momentum(
    xp,
    var: Resource,
    accum: Resource,
    lr,
    grad,
    indices: Index,
    momentum,
    *,
    use_locking=False,
    use_nesterov=False,
):
    """Like `sparse_apply_momentum`, with the learning rate inside the accumulator."""
    cells, attrs = (var, accum), {"use_nesterov": use_nesterov}
    _by_rows(xp, training.apply_keras_momentum, cells, indices, grad, lr, None, momentum, **attrs)


@_sparse_step("ResourceSparseApplyAdagrad")
def sparse_apply_adagrad(
    xp,
    var: Resource,
    accum: Resource,
    lr,
    grad,
    indices: Index,
    *,
    use_locking=False,
    update_slots=True,
):
    """Take a step over the root of the sum of squares."""
    cells, attrs = (var, accum), {"update_slots": update_slots}
    _by_rows(xp, training.apply_adagrad, cells, indices, grad, lr, None, **attrs)


@_sparse_step("ResourceSparseApplyAdagradV2")
def sparse_apply_adagrad_v2(
    xp,
    var: Resource,
    accum: Resource,
    lr,
    epsilon,
    grad,
    indices: Index,
    *,
    use_locking=False,
    update_slots=True,
):
    """Take a step over the root of the sum of squares plus `epsilon`."""
    cells, attrs = (var, accum), {"update_slots": update_slots}
    _by_rows(xp, training.apply_adagrad_v2, cells, indices, grad, lr, epsilon, None, **attrs)


@_sparse_step("ResourceSparseApplyProximalAdagrad")
def sparse_apply_proximal_adagrad(
    xp, var: Resource, accum: Resource, lr, l1, l2, grad, indices: Index, *, use_locking=False
):
    """Like `sparse_apply_adagrad`, followed by the proximal operator."""
    dense = training.apply_proximal_adagrad
    _by_rows(xp, dense, (var, accum), indices, grad, lr, l1, l2, None)


@_sparse_step("ResourceSparseApplyAdadelta")
def sparse_apply_adadelta(
    xp,
    var: Resource,
    accum: Resource,
    accum_update: Resource,
    lr,
    rho,
    epsilon,
    grad,
    indices: Index,
    *,
    use_locking=False,
):
    """Take a step over the root mean square of gradients, scaled by that of updates."""
    cells = (var, accum, accum_update)
    _by_rows(xp, training.apply_adadelta, cells, indices, grad, lr, rho, epsilon, None)


@_sparse_step("ResourceSparseApplyRMSProp")
def sparse_apply_rms_prop(
    xp,
    var: Resource,
    ms: Resource,
    mom: Resource,
    lr,
    rho,
    momentum,
    epsilon,
    grad,
    indices: Index,
    *,
    use_locking=False,
):
    """Take a step over the root mean square, with momentum."""
    rates = (lr, rho, momentum, epsilon)
    _by_rows(xp, training.apply_rms_prop, (var, ms, mom), indices, grad, *rates, None)


@_sparse_step("ResourceSparseApplyCenteredRMSProp")
def sparse_apply_centered_rms_prop(
    xp,
    var: Resource,
    mg: Resource,
    ms: Resource,
    mom: Resource,
    lr,
    rho,
    momentum,
    epsilon,
    grad,
    indices: Index,
    *,
    use_locking=False,
):
    """Take a step over the standard deviation of gradients, with momentum."""
    rates = (lr, rho, momentum, epsilon)
    dense = training.apply_centered_rms_prop
    _by_rows(xp, dense, (var, mg, ms, mom), indices, grad, *rates, None)


@_sparse_step("ResourceSparseApplyFtrl")
def sparse_apply_ftrl(
    xp,
    var: Resource,
    accum: Resource,
    linear: Resource,
    grad,
    indices: Index,
    lr,
    l1,
    l2,
    lr_power,
    *,
    use_locking=False,
    multiply_linear_by_lr=False,
):
    """Follow the regularized leader: produces sparse weights."""
    cells, rates = (var, accum, linear), (lr, l1, l2, lr_power)
    attrs = {"multiply_linear_by_lr": multiply_linear_by_lr}
    _by_rows(xp, training.apply_ftrl, cells, indices, grad, None, *rates, **attrs)


@_sparse_step("ResourceSparseApplyFtrlV2")
def sparse_apply_ftrl_v2(
    xp,
    var: Resource,
    accum: Resource,
    linear: Resource,
    grad,
    indices: Index,
    lr,
    l1,
    l2,
    l2_shrinkage,
    lr_power,
    *,
    use_locking=False,
    multiply_linear_by_lr=False,
):
    """Like `sparse_apply_ftrl`, with an L2 shrinkage of each gradient."""
    cells, rates = (var, accum, linear), (lr, l1, l2, l2_shrinkage, lr_power)
    attrs = {"multiply_linear_by_lr": multiply_linear_by_lr}
    _by_rows(xp, training.apply_ftrl_v2, cells, indices, grad, None, *rates, **attrs)
