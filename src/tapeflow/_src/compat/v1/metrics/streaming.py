"""Base of streaming metrics: local variables, collections and matching shapes."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from tapeflow import math
from tapeflow._src.api import arrays
from tapeflow._src.api.math.casting import cast
from tapeflow._src.compat.v1.graphs import GraphKeys, add_to_collections
from tapeflow._src.compat.v1.variable_scope import variable_scope
from tapeflow._src.compat.v1.variables import Variable
from tapeflow._src.core import dispatch
from tapeflow._src.core.dtypes import float32
from tapeflow._src.core.types import DTypeLike, ShapeLike, TensorLike

_SHARED = ("metrics_collections", "updates_collections", "name")
_COLLECTIONS = [GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES]


def metric(build: Callable[..., tuple[Any, Any]]) -> Callable[..., tuple[Any, Any]]:
    """Declare a metric: `build` returns its value and the op that counts a batch.

    The public function has the arguments of `build`, and at the end those of all metrics:
    `metrics_collections`, `updates_collections`, and `name`, the scope of its variables, which is
    called like `build` by default. Eagerly, where no op is run again, it raises RuntimeError.
    """
    return metric_with(dict.fromkeys(_SHARED), build)


def metric_with(
    after: dict[str, str | None], build: Callable[..., tuple[Any, Any]]
) -> Callable[..., tuple[Any, Any]]:
    """Declare a metric in which some of the arguments of all metrics come after others.

    Args:
        after: The shared arguments in order, each with the argument that it follows, or None for
            the last one.
        build: As for `metric`.
    """
    signature = _with_shared(inspect.signature(build), after)

    @functools.wraps(build)
    def function(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        arguments = signature.bind(*args, **kwargs).arguments
        collections, updates, name = (arguments.pop(each, None) for each in _SHARED)
        if getattr(dispatch.state.mode, "graph", None) is None:
            raise RuntimeError(
                f"tf.compat.v1.metrics.{build.__name__} belongs to graphs: it returns an op that "
                "counts a batch whenever it is run. Eagerly, use tf.keras.metrics."
            )
        with variable_scope(name, build.__name__):
            value, update = build(**arguments)
        if collections:
            add_to_collections(collections, value)
        if updates:
            add_to_collections(updates, update)
        return value, update

    function.__signature__ = signature  # type: ignore[attr-defined]
    return function


def _with_shared(signature: inspect.Signature, after: dict[str, str | None]) -> inspect.Signature:
    parameters = list(signature.parameters.values())
    for name, previous in after.items():
        parameter = inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None)
        names = [each.name for each in parameters]
        index = len(names) if previous is None else names.index(previous) + 1
        parameters.insert(index, parameter)
    return signature.replace(parameters=parameters)


def counter(name: str, shape: ShapeLike = (), dtype: DTypeLike = float32) -> Any:
    """Return a local variable that is zero at first."""
    return Variable(
        lambda: arrays.zeros(shape, dtype), trainable=False, collections=_COLLECTIONS, name=name
    )


def add(variable: Any, amount: Any) -> Any:
    """Return the value of a variable after the amount was added, whenever that runs."""
    return arrays.convert_to_tensor(variable.assign_add(cast(amount, variable.dtype)))


def aligned(labels: Any, predictions: Any, weights: Any = None) -> tuple[Any, Any, Any]:
    """Return all as tensors, without a last axis of size 1 that another one lacks."""
    labels, predictions = dispatch.convert(labels), dispatch.convert(predictions)
    labels, predictions = _of_one_rank(labels, predictions)
    if weights is None:
        return labels, predictions, None
    weights = cast(dispatch.convert(weights), float32)
    if weights.shape.rank:
        weights = _of_one_rank(weights, predictions)[0]
        if weights.shape.rank == predictions.shape.rank - 1:
            weights = arrays.expand_dims(weights, -1)
    return labels, predictions, weights


def _of_one_rank(a: Any, b: Any) -> tuple[Any, Any]:
    if a.shape.rank is None or b.shape.rank is None:
        return a, b
    if a.shape.rank == b.shape.rank + 1 and a.shape[-1] == 1:
        return arrays.squeeze(a, -1), b
    if b.shape.rank == a.shape.rank + 1 and b.shape[-1] == 1:
        return a, arrays.squeeze(b, -1)
    return a, b


def weights_of(values: TensorLike, weights: Any) -> Any:
    """Return weights in the shape of the values."""
    return math.multiply(cast(dispatch.convert(weights), float32), arrays.ones_like(values))


def mean_of(values: TensorLike, weights: Any = None) -> tuple[Any, Any]:
    """Return the weighted mean of all values of all batches, and the op that counts a batch."""
    values = cast(dispatch.convert(values), float32)
    total, count = counter("total"), counter("count")
    if weights is None:
        present = cast(arrays.size(values), float32)
    else:
        weights = weights_of(values, weights)
        values = math.multiply(values, weights)
        present = math.reduce_sum(weights)
    update = math.divide_no_nan(add(total, math.reduce_sum(values)), add(count, present))
    return math.divide_no_nan(total.read_value(), count.read_value()), update
