"""Batch rules of the ops that draw random numbers: one draw for all members, which so differ."""

from __future__ import annotations

from typing import Any

from tapeflow.gradients.batching_shapes import batch_into, batch_out_of, move_axis
from tapeflow.gradients.vectorize import Batch, rule_for
from tapeflow.ops.array import static_ints


def _sizes(shape: Any) -> tuple[int, ...]:
    return tuple(int(n) for n in shape._static)


@rule_for("RandomStandardNormal", "RandomUniform", "RandomUniformInt", "TruncatedNormal")
def _(batch: Batch, shape: Any, *bounds: Any, **attrs: Any) -> Any:
    if shape._static is None or any(batch.has(bound) for bound in bounds):
        return NotImplemented
    return batch.op(static_ints((batch.size, *_sizes(shape))), *bounds, **attrs)


@rule_for("RandomGamma", "RandomPoissonV2")
def _(batch: Batch, shape: Any, rates: Any, **attrs: Any) -> Any:
    """What is drawn for each rate has the shape, and the axes of the rates come last."""
    if shape._static is None:
        return NotImplemented
    sizes = _sizes(shape)
    if not batch.has(rates):
        return batch.op(static_ints((batch.size, *sizes)), rates, **attrs)
    return move_axis(batch.op(shape, batch.values(rates), **attrs), len(sizes), 0)


@rule_for("Multinomial")
def _(batch: Batch, logits: Any, num_samples: Any, **attrs: Any) -> Any:
    drawn = batch.op(batch_into(batch.values(logits), 0), num_samples, **attrs)
    return batch_out_of(drawn, 0, batch.size)
