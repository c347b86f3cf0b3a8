"""One step of recurrent networks as one op."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.core.dtypes import float16, float32
from tapeflow._src.core.infer import merge_shape, require_rank
from tapeflow._src.core.registry import UNREGISTERED, op
from tapeflow._src.core.spec import Spec


def _sigmoid(xp: ModuleType, x: Any) -> Any:
    return (1 / (1 + xp.exp(-x))).astype(x.dtype)


def _check(x: Spec, state: Spec, weights: dict[str, tuple[Spec, int]]) -> Any:
    """Return the shape of the state; raise InferError unless the weights match."""
    require_rank(x, 2, "x")
    require_rank(state, 2, "the state")
    batch, inputs = x.shape or (None, None)
    rows, size = state.shape or (None, None)
    merge_shape((batch,), (rows,), "x and the state must have as many rows")
    for name, (spec, gates) in weights.items():
        wide = None if size is None else gates * size
        total = None if inputs is None or size is None else inputs + size
        expected = (wide,) if name.startswith("b") else (total, wide)
        require_rank(spec, len(expected), name)
        merge_shape(expected, spec.shape, f"{name} has a wrong shape")
    return (batch if rows is None else rows, size)


@op(
    "GRUBlockCell",
    dtypes=frozenset({float32}),
    outputs=("r", "u", "c", "h"),
    grad=UNREGISTERED,
    checked=True,
)
def gru_block_cell(xp, x, h_prev, w_ru, w_c, b_ru, b_c):
    """Compute one step of a gated recurrent unit: two gates, the candidate, and the next state."""
    size = h_prev.shape[1]
    gates = _sigmoid(xp, xp.matmul(xp.concatenate([x, h_prev], 1), w_ru) + b_ru)
    r, u = gates[:, :size], gates[:, size:]
    c = xp.tanh(xp.matmul(xp.concatenate([x, h_prev * r], 1), w_c) + b_c)
    return r, u, c, u * h_prev + (1 - u) * c


@gru_block_cell.infer
def _(x, h_prev, w_ru, w_c, b_ru, b_c):
    weights = {"w_ru": (w_ru, 2), "w_c": (w_c, 1), "b_ru": (b_ru, 2), "b_c": (b_c, 1)}
    return (Spec(_check(x, h_prev, weights), x.dtype),) * 4


@op(
    "LSTMBlockCell",
    dtypes=frozenset({float16, float32}),
    outputs=("i", "cs", "f", "o", "ci", "co", "h"),
    grad=UNREGISTERED,
    checked=True,
)
def lstm_block_cell(
    xp,
    x,
    cs_prev,
    h_prev,
    w,
    wci,
    wcf,
    wco,
    b,
    *,
    forget_bias=1.0,
    cell_clip=3.0,
    use_peephole=False,
):
    """Compute one step of an LSTM: gates, the cell before and after its activation, the state."""
    size, kind = cs_prev.shape[1], x.dtype
    mixed = (xp.matmul(xp.concatenate([x, h_prev], 1), w) + b).astype(kind)
    i, ci, f, o = (mixed[:, n * size : (n + 1) * size] for n in range(4))
    f = f + np.asarray(forget_bias, kind)
    if use_peephole:
        i, f = i + cs_prev * wci, f + cs_prev * wcf
    i, f, ci = _sigmoid(xp, i), _sigmoid(xp, f), xp.tanh(ci)
    cs = ci * i + cs_prev * f
    if cell_clip > 0:
        cs = xp.clip(cs, np.asarray(-cell_clip, kind), np.asarray(cell_clip, kind))
    o = _sigmoid(xp, o + cs * wco if use_peephole else o)
    co = xp.tanh(cs)
    return tuple(part.astype(kind) for part in (i, cs, f, o, ci, co, co * o))


@lstm_block_cell.infer
def _(x, cs_prev, h_prev, w, wci, wcf, wco, b, *, forget_bias, cell_clip, use_peephole):
    shape = _check(x, cs_prev, {"w": (w, 4), "b": (b, 4)})
    shape = merge_shape(shape, h_prev.shape, "h_prev and cs_prev must have one shape")
    for name, spec in (("wci", wci), ("wcf", wcf), ("wco", wco)):
        require_rank(spec, 1, name)
        merge_shape(shape[1:] if shape else None, spec.shape, f"{name} has a wrong size")
    return (Spec(shape, x.dtype),) * 7
