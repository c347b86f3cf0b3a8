"""Learning rate schedules.

In a graph they are tensors; eagerly, functions that compute the rate now.
"""

from __future__ import annotations

import math as python_math
from collections.abc import Callable
from typing import Any

from tapeflow import math
from tapeflow._src.api import arrays
from tapeflow._src.api.math.casting import cast
from tapeflow._src.api.random import stateful
from tapeflow._src.compat.v1.graphs import name_scope
from tapeflow._src.core import dispatch
from tapeflow._src.core.types import DTypeLike


def _decayed(name: str | None, default: str, rate: Callable[[], Any]) -> Any:
    """Return the rate as a tensor of the graph or, eagerly, a function that computes it."""
    if dispatch.current_graph() is None:
        return rate
    with name_scope(name, default, ()):
        return rate()


def _number(value: Any, dtype: DTypeLike | None = None) -> Any:
    value = value() if callable(value) else value
    tensor = dispatch.convert(value)
    return tensor if dtype is None else cast(tensor, dtype)


def _step_of(global_step: Any) -> Any:
    if global_step is None:
        raise ValueError("global_step is required: pass the variable that counts steps.")
    return global_step


def exponential_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """Return `learning_rate * decay_rate ** (global_step / decay_steps)`."""
    _step_of(global_step)

    def rate() -> Any:
        first = _number(learning_rate)
        turns = _number(global_step, first.dtype) / _number(decay_steps, first.dtype)
        turns = math.floor(turns) if staircase else turns
        return math.multiply(first, math.pow(_number(decay_rate, first.dtype), turns))

    return _decayed(name, "ExponentialDecay", rate)


def natural_exp_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """Return `learning_rate * exp(-decay_rate * global_step / decay_steps)`."""
    base = python_math.exp(-1.0)

    def rate() -> Any:
        first = _number(learning_rate)
        turns = _number(global_step, first.dtype) / _number(decay_steps, first.dtype)
        turns = math.floor(turns) if staircase else turns
        power = math.multiply(turns, _number(decay_rate, first.dtype))
        return math.multiply(first, math.pow(cast(base, first.dtype), power))

    _step_of(global_step)
    return _decayed(name, "ExponentialDecay", rate)


def inverse_time_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """Return `learning_rate / (1 + decay_rate * global_step / decay_steps)`."""
    _step_of(global_step)

    def rate() -> Any:
        first = _number(learning_rate)
        turns = _number(global_step, first.dtype) / _number(decay_steps, first.dtype)
        turns = math.floor(turns) if staircase else turns
        return first / (1 + math.multiply(_number(decay_rate, first.dtype), turns))

    return _decayed(name, "InverseTimeDecay", rate)


def piecewise_constant(x: Any, boundaries: Any, values: Any, name: str | None = None) -> Any:
    """Return `values[i]` where `boundaries[i - 1] < x <= boundaries[i]`."""
    edges = [_number(boundary) for boundary in boundaries]
    if len(edges) != len(values) - 1:
        raise ValueError(
            f"The length of boundaries must be one less than that of values, received "
            f"{len(edges)} and {len(values)}."
        )

    def rate() -> Any:
        step = _number(x)
        chosen = _number(values[0])
        for edge, value in zip(edges, values[1:]):
            above = math.greater(step, cast(edge, step.dtype))
            chosen = arrays.where(above, _number(value, chosen.dtype), chosen)
        return chosen

    return _decayed(name, "PiecewiseConstant", rate)


def polynomial_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    end_learning_rate: Any = 0.0001,
    power: Any = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> Any:
    """Decay from `learning_rate` to `end_learning_rate` in `decay_steps`, by a polynomial."""
    _step_of(global_step)

    def rate() -> Any:
        first = _number(learning_rate)
        dtype = first.dtype
        step, steps = _number(global_step, dtype), _number(decay_steps, dtype)
        last = _number(end_learning_rate, dtype)
        if cycle:
            turns = arrays.where(math.equal(step, 0.0), cast(1.0, dtype), math.ceil(step / steps))
            steps = math.multiply(steps, turns)
        else:
            step = math.minimum(step, steps)
        left = math.pow(1 - step / steps, _number(power, dtype))
        return math.add(math.multiply(first - last, left), last)

    return _decayed(name, "PolynomialDecay", rate)


def _cosine(done: Any) -> Any:
    """Compute the half-cosine decay from 1 to 0 as `done` goes from 0 to 1."""
    return 0.5 * (1.0 + math.cos(cast(python_math.pi, done.dtype) * done))


def cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    alpha: float = 0.0,
    name: str | None = None,
) -> Any:
    """Decay from `learning_rate` to `alpha * learning_rate` in `decay_steps`, by half a cosine."""
    _step_of(global_step)

    def rate() -> Any:
        first = _number(learning_rate)
        steps = _number(decay_steps, first.dtype)
        done = math.minimum(_number(global_step, first.dtype), steps) / steps
        return math.multiply(first, (1 - alpha) * _cosine(done) + alpha)

    return _decayed(name, "CosineDecay", rate)


def cosine_decay_restarts(
    learning_rate: Any,
    global_step: Any,
    first_decay_steps: Any,
    t_mul: float = 2.0,
    m_mul: float = 1.0,
    alpha: float = 0.0,
    name: str | None = None,
) -> Any:
    """Decay by cosine with restarts: periods grow by `t_mul`, rates by `m_mul`."""
    _step_of(global_step)

    def rate() -> Any:
        first = _number(learning_rate)
        dtype = first.dtype
        done = _number(global_step, dtype) / _number(first_decay_steps, dtype)
        if t_mul == 1.0:
            restarts = math.floor(done)
            done = done - restarts
        else:
            grown = math.log(1.0 - done * (1.0 - t_mul)) / python_math.log(t_mul)
            restarts = math.floor(grown)
            powers = math.pow(cast(t_mul, dtype), restarts)
            done = (done - (1.0 - powers) / (1.0 - t_mul)) / powers
        height = math.pow(cast(m_mul, dtype), restarts)
        return math.multiply(first, (1 - alpha) * height * _cosine(done) + alpha)

    return _decayed(name, "SGDRDecay", rate)


def linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    num_periods: float = 0.5,
    alpha: float = 0.0,
    beta: float = 0.001,
    name: str | None = None,
) -> Any:
    """Decay by `(alpha + linear) * cosine + beta`, with `num_periods` of the cosine."""
    _step_of(global_step)

    def rate() -> Any:
        first = _number(learning_rate)
        linear, done = _linear(global_step, decay_steps, first.dtype)
        wave = _cosine(done * (2.0 * num_periods))
        return math.multiply(first, (alpha + linear) * wave + beta)

    return _decayed(name, "LinearCosineDecay", rate)


def noisy_linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    initial_variance: float = 1.0,
    variance_decay: float = 0.55,
    num_periods: float = 0.5,
    alpha: float = 0.0,
    beta: float = 0.001,
    name: str | None = None,
) -> Any:
    """Apply `linear_cosine_decay` with normal noise of decreasing variance."""
    _step_of(global_step)

    def rate() -> Any:
        first = _number(learning_rate)
        linear, done = _linear(global_step, decay_steps, first.dtype)
        step = done * _number(decay_steps, first.dtype)
        variance = initial_variance / math.pow(1.0 + step, cast(variance_decay, first.dtype))
        noise = stateful.normal(linear.shape, stddev=math.sqrt(variance), dtype=first.dtype)
        wave = _cosine(done * (2.0 * num_periods))
        return math.multiply(first, (alpha + linear + noise) * wave + beta)

    return _decayed(name, "NoisyLinearCosineDecay", rate)


def _linear(global_step: Any, decay_steps: Any, dtype: DTypeLike) -> tuple[Any, Any]:
    """Return the remaining and the completed fraction of the decay."""
    steps = _number(decay_steps, dtype)
    done = math.minimum(_number(global_step, dtype), steps) / steps
    return 1.0 - done, done
