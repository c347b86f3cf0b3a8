"""Long short-term memory over a whole sequence: one op, its gradient, and the gradient of that.

The inputs are projected beforehand, all steps in one product. With gates i, f, g, o (input, forget,
candidate, output) a step computes c' = f·c + i·g and h' = o·tanh(c'); where the mask is false both
states pass through. The backward op walks the steps in reverse and leaves the gradient of the
recurrent kernel to one product at the end.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from tapeflow._src.core.dtypes import FLOATING
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

_GATES = 4


@op(
    "_LSTMSequence",
    dtypes=FLOATING,
    outputs=("h", "c", "gates"),
    checked=True,
)
def lstm_sequence(xp, x, initial_h, initial_c, kernel, mask: Bool, *, masked=False):
    """Compute the states of all steps and the gates, time first, for projected inputs `x`."""
    if not x.shape[0]:
        return x[:, :, : initial_h.shape[1]], x[:, :, : initial_h.shape[1]], x
    units = initial_h.shape[1]

    def step(state, row):
        h, c = state
        z = row[0] + product(xp, h, kernel)
        squashed, g = sigmoid(xp, z), xp.tanh(z[:, 2 * units : 3 * units])
        i, f, o = squashed[:, :units], squashed[:, units : 2 * units], squashed[:, 3 * units :]
        new_c = f * c + i * g
        new_h = o * xp.tanh(new_c)
        if masked:
            new_h, new_c = xp.where(row[1], new_h, h), xp.where(row[1], new_c, c)
        return (new_h, new_c), (new_h, new_c, xp.concatenate([i, f, g, o], 1))

    rows = (x, mask[:, :, None]) if masked else (x,)
    _, outputs = xp.scan(step, (initial_h, initial_c), rows)
    return outputs


@lstm_sequence.infer
def _(x, initial_h, initial_c, kernel, mask, *, masked):
    steps, batch, units = check_sequence(
        x,
        kernel,
        {"initial_h": initial_h, "initial_c": initial_c},
        mask if masked else None,
        _GATES,
    )
    state = Spec((steps, batch, units), x.dtype)
    return state, state, Spec((steps, batch, None if units is None else _GATES * units), x.dtype)


@lstm_sequence.gradient
def _(dh=None, dc=None, dgates=None, *, initial_h, initial_c, kernel, mask, h, c, gates, masked):
    upstream = [or_empty(each, h) for each in (dh, dc, dgates)]
    inputs = (*upstream, initial_h, initial_c, kernel, mask, h, c, gates)
    return (*lstm_sequence_grad(*inputs, masked=masked), None)


@op(
    "_LSTMSequenceGrad",
    dtypes=FLOATING,
    outputs=("dx", "d_initial_h", "d_initial_c", "d_kernel"),
    checked=True,
)
def lstm_sequence_grad(
    xp, dh, dc, dgates, initial_h, initial_c, kernel, mask: Bool, h, c, gates, *, masked=False
):
    """Compute the gradients of `lstm_sequence` w.r.t. `x`, both initial states and the kernel.

    An upstream gradient without elements stands for zeros.
    """
    if not h.shape[0]:
        return gates, xp.zeros_like(initial_h), xp.zeros_like(initial_c), xp.zeros_like(kernel)
    optional = {"dh": dh, "dc": dc, "dgates": dgates}
    names = [name for name, value in optional.items() if value.shape[0]]
    rows = [gates, c, previous(xp, initial_c, c), *(optional[name] for name in names)]
    if masked:
        names.append("mask")
        rows.append(mask[:, :, None])
    transposed = xp.swapaxes(kernel, 0, 1)

    def step(state, row):
        dh, dc = state
        more = dict(zip(names, row[3:]))
        dh = dh + more["dh"] if "dh" in more else dh
        dc = dc + more["dc"] if "dc" in more else dc
        passed = dh, dc
        if masked:
            dh, dc = xp.where(more["mask"], dh, 0), xp.where(more["mask"], dc, 0)
        dz, dc = _step_gradient(xp, dh, dc, *row[:3], more.get("dgates"))
        dh = product(xp, dz, transposed)
        if masked:
            dh = dh + xp.where(more["mask"], 0, passed[0])
            dc = dc + xp.where(more["mask"], 0, passed[1])
        return (dh, dc), (dz,)

    zeros = xp.zeros_like(initial_h), xp.zeros_like(initial_c)
    (d_initial_h, d_initial_c), (dz,) = xp.scan(step, zeros, rows, reverse=True)
    return dz, d_initial_h, d_initial_c, summed_product(xp, previous(xp, initial_h, h), dz)


def _step_gradient(
    xp: ModuleType, dh: Any, dc: Any, gates: Any, c: Any, before: Any, dgates: Any
) -> Any:
    """Return the gradients w.r.t. the inputs of the gates, and w.r.t.

    The cell state `before`.
    """
    units = c.shape[1]
    i, f, g, o = (gates[:, k * units : (k + 1) * units] for k in range(_GATES))
    squashed = xp.tanh(c)
    dc = dc + dh * o * (1 - squashed * squashed)
    d = xp.concatenate([dc * g, dc * before, dc * i, dh * squashed], 1)
    slopes = xp.concatenate([i * (1 - i), f * (1 - f), 1 - g * g, o * (1 - o)], 1)
    return (d if dgates is None else d + dgates) * slopes, dc * f


@lstm_sequence_grad.infer
def _(dh, dc, dgates, initial_h, initial_c, kernel, mask, h, c, gates, *, masked):
    states = {"initial_h": initial_h, "initial_c": initial_c}
    _, batch, units = check_sequence(gates, kernel, states, mask if masked else None, _GATES)
    state = Spec((batch, units), h.dtype)
    return Spec(gates.shape, h.dtype), state, state, Spec(kernel.shape, h.dtype)


@lstm_sequence_grad.gradient
def _(u, v, w, y, *, dh, dc, dgates, initial_h, initial_c, kernel, mask, h, c, gates, masked):
    inputs = [dh, dc, dgates, initial_h, initial_c, kernel, h, c, gates]
    by = lstm_sequence_grad_vjp(inputs, [u, v, w, y], mask, masked=masked)
    return (*by[:6], None, *by[6:])


@op("_LSTMSequenceGradVjp", dtypes=FLOATING, outputs=MANY_OUTPUTS, grad=UNREGISTERED)
def lstm_sequence_grad_vjp(xp, inputs: Many, cotangents: Many, mask: Bool, *, masked=False):
    """Compute the gradients of `lstm_sequence_grad` w.r.t. all inputs but the mask."""
    constants = {6: mask}
    gradients = xp.vjp(lstm_sequence_grad.body, inputs, cotangents, constants, masked=masked)
    return list(gradients)


@lstm_sequence_grad_vjp.infer
def _(inputs, cotangents, mask, *, masked):
    return [Spec(each.shape, each.dtype) for each in inputs]
