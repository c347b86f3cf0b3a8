"""Gated recurrent units over a whole sequence: one op, its gradient, and the gradient of that.

The inputs are projected beforehand, all steps in one product. With gates z (update) and r (reset)
and the candidate a, a step computes h' = z·h + (1 - z)·a. The reset gate is applied to the
recurrent projection of the candidate (`reset_after`), or to the state before it is projected;
`inner` is what it was applied to, or its result.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from tapeflow._src.core.dtypes import FLOATING
from tapeflow._src.core.infer import merge_shape, require_rank
from tapeflow._src.core.registry import MANY_OUTPUTS, UNREGISTERED, Bool, Many, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.nn.recurrent import (
    check_sequence,
    or_empty,
    previous,
    product,
    sigmoid,
    summed_product,
)

_GATES = 3


@op("_GRUSequence", dtypes=FLOATING, outputs=("h", "gates", "inner"), checked=True)
def gru_sequence(xp, x, initial_h, kernel, bias, mask: Bool, *, reset_after=True, masked=False):
    """Compute the states of all steps, the gates and the inner values, for projected inputs `x`."""
    units = initial_h.shape[1]
    if not x.shape[0]:
        return x[:, :, :units], x, x[:, :, :units]
    both = slice(0, 2 * units)

    def step(state, row):
        (h,), now = state, row[0]
        if reset_after:
            recurrent = product(xp, h, kernel) + bias
            squashed = sigmoid(xp, now[:, both] + recurrent[:, both])
            inner = recurrent[:, 2 * units :]
            candidate = xp.tanh(now[:, 2 * units :] + squashed[:, units:] * inner)
        else:
            squashed = sigmoid(xp, now[:, both] + product(xp, h, kernel[:, both]))
            inner = squashed[:, units:] * h
            candidate = xp.tanh(now[:, 2 * units :] + product(xp, inner, kernel[:, 2 * units :]))
        update = squashed[:, :units]
        new = update * h + (1 - update) * candidate
        if masked:
            new = xp.where(row[1], new, h)
        return (new,), (new, xp.concatenate([squashed, candidate], 1), inner)

    rows = (x, mask[:, :, None]) if masked else (x,)
    _, outputs = xp.scan(step, (initial_h,), rows)
    return outputs


def _check(x: Spec, initial_h: Spec, kernel: Spec, bias: Spec, mask: Spec | None) -> Any:
    steps, batch, units = check_sequence(x, kernel, {"initial_h": initial_h}, mask, _GATES)
    require_rank(bias, 1, "bias")
    wide = None if units is None else _GATES * units
    merge_shape((wide,), bias.shape, "bias must have one value for each column of kernel")
    return steps, batch, units


@gru_sequence.infer
def _(x, initial_h, kernel, bias, mask, *, reset_after, masked):
    steps, batch, units = _check(x, initial_h, kernel, bias, mask if masked else None)
    state = Spec((steps, batch, units), x.dtype)
    return state, Spec((steps, batch, None if units is None else _GATES * units), x.dtype), state


@gru_sequence.gradient
def _(
    dh=None,
    dgates=None,
    dinner=None,
    *,
    initial_h,
    kernel,
    bias,
    mask,
    h,
    gates,
    inner,
    reset_after,
    masked,
):
    upstream = [or_empty(each, h) for each in (dh, dgates, dinner)]
    inputs = (*upstream, initial_h, kernel, bias, mask, h, gates, inner)
    return (*gru_sequence_grad(*inputs, reset_after=reset_after, masked=masked), None)


@op(
    "_GRUSequenceGrad",
    dtypes=FLOATING,
    outputs=("dx", "d_initial_h", "d_kernel", "d_bias"),
    checked=True,
)
def gru_sequence_grad(
    xp,
    dh,
    dgates,
    dinner,
    initial_h,
    kernel,
    bias,
    mask: Bool,
    h,
    gates,
    inner,
    *,
    reset_after=True,
    masked=False,
):
    """Compute the gradients of `gru_sequence` w.r.t.

    `x`, the initial state, the kernel and the bias.

    An upstream gradient without elements stands for zeros.
    """
    if not h.shape[0]:
        return gates, xp.zeros_like(initial_h), xp.zeros_like(kernel), xp.zeros_like(bias)
    optional = {"dh": dh, "dgates": dgates, "dinner": dinner}
    names = [name for name, value in optional.items() if value.shape[0]]
    before = previous(xp, initial_h, h)
    rows = [gates, inner, before, *(optional[name] for name in names)]
    if masked:
        names.append("mask")
        rows.append(mask[:, :, None])
    transposed = xp.swapaxes(kernel, 0, 1)
    step_gradient = _reset_after if reset_after else _reset_before

    def step(state, row):
        more = dict(zip(names, row[3:]))
        dh = state[0] + more["dh"] if "dh" in more else state[0]
        passed = dh
        if masked:
            dh = xp.where(more["mask"], dh, 0)
        extra = more.get("dgates"), more.get("dinner")
        dx, recurrent, dh = step_gradient(xp, dh, *row[:3], *extra, transposed)
        if masked:
            dh = dh + xp.where(more["mask"], 0, passed)
        return (dh,), (dx, recurrent)

    (d_initial,), (dx, recurrent) = xp.scan(step, (xp.zeros_like(initial_h),), rows, reverse=True)
    if reset_after:
        d_bias = xp.sum(recurrent, (0, 1)).astype(bias.dtype)
        return dx, d_initial, summed_product(xp, before, recurrent), d_bias
    parts = summed_product(xp, before, recurrent), summed_product(xp, inner, dx[..., -h.shape[2] :])
    return dx, d_initial, xp.concatenate(parts, 1), xp.zeros_like(bias)


def _common(xp: ModuleType, dh: Any, gates: Any, before: Any, dgates: Any) -> Any:
    """Return the parts of the gates, and the gradients w.r.t. the inputs of z, of a and of r."""
    units = before.shape[1]
    z, r, a = (gates[:, k * units : (k + 1) * units] for k in range(_GATES))
    dz, dr, da = dh * (before - a), 0, dh * (1 - z)
    if dgates is not None:
        more = [dgates[:, k * units : (k + 1) * units] for k in range(_GATES)]
        dz, dr, da = dz + more[0], more[1], da + more[2]
    return z, r, dz * z * (1 - z), dr, da * (1 - a * a)


def _reset_after(
    xp: ModuleType,
    dh: Any,
    gates: Any,
    inner: Any,
    before: Any,
    dgates: Any,
    dinner: Any,
    transposed: Any,
) -> Any:
    z, r, dz, dr, da = _common(xp, dh, gates, before, dgates)
    dr = (dr + da * inner) * r * (1 - r)
    d_inner = da * r if dinner is None else da * r + dinner
    recurrent = xp.concatenate([dz, dr, d_inner], 1)
    dx = xp.concatenate([dz, dr, da], 1)
    return dx, recurrent, dh * z + product(xp, recurrent, transposed)


def _reset_before(
    xp: ModuleType,
    dh: Any,
    gates: Any,
    inner: Any,
    before: Any,
    dgates: Any,
    dinner: Any,
    transposed: Any,
) -> Any:
    z, r, dz, dr, da = _common(xp, dh, gates, before, dgates)
    units = before.shape[1]
    d_inner = product(xp, da, transposed[2 * units :])
    d_inner = d_inner if dinner is None else d_inner + dinner
    dr = (dr + d_inner * before) * r * (1 - r)
    recurrent = xp.concatenate([dz, dr], 1)
    dh = dh * z + d_inner * r + product(xp, recurrent, transposed[: 2 * units])
    return xp.concatenate([dz, dr, da], 1), recurrent, dh


@gru_sequence_grad.infer
def _(dh, dgates, dinner, initial_h, kernel, bias, mask, h, gates, inner, *, reset_after, masked):
    _, batch, units = _check(gates, initial_h, kernel, bias, mask if masked else None)
    state = Spec((batch, units), h.dtype)
    return Spec(gates.shape, h.dtype), state, Spec(kernel.shape, h.dtype), Spec(bias.shape, h.dtype)


@gru_sequence_grad.gradient
def _(
    u,
    v,
    w,
    y,
    *,
    dh,
    dgates,
    dinner,
    initial_h,
    kernel,
    bias,
    mask,
    h,
    gates,
    inner,
    reset_after,
    masked,
):
    inputs = [dh, dgates, dinner, initial_h, kernel, bias, h, gates, inner]
    attrs = {"reset_after": reset_after, "masked": masked}
    by = gru_sequence_grad_vjp(inputs, [u, v, w, y], mask, **attrs)
    return (*by[:6], None, *by[6:])


@op("_GRUSequenceGradVjp", dtypes=FLOATING, outputs=MANY_OUTPUTS, grad=UNREGISTERED)
def gru_sequence_grad_vjp(
    xp, inputs: Many, cotangents: Many, mask: Bool, *, reset_after=True, masked=False
):
    """Compute the gradients of `gru_sequence_grad` w.r.t. all inputs but the mask."""
    attrs = {"reset_after": reset_after, "masked": masked}
    return list(xp.vjp(gru_sequence_grad.body, inputs, cotangents, {6: mask}, **attrs))


@gru_sequence_grad_vjp.infer
def _(inputs, cotangents, mask, *, reset_after, masked):
    return [Spec(each.shape, each.dtype) for each in inputs]
