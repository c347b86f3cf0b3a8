"""`rejection_resample`: elements dropped at random until their classes have a given distribution.

With `p` the initial and `t` the target distribution, and `r = t / p`: an element of class `i` is
accepted with probability `(r_i - min r) / (max r - min r)`. What is accepted is mixed with elements
of the dataset as it is, of which a share of `min r` is taken: the classes of the mixture have the
distribution `t`, and fewer elements are dropped than without the mixing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.api.arrays.creation import one_hot
from tapeflow._src.api.math.reduction import reduce_max, reduce_min, reduce_sum
from tapeflow._src.api.random.stateless import stateless_uniform
from tapeflow._src.autograph.api import convert_entity
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.data.functions import Function
from tapeflow._src.ops.array.gather import gather_v2
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import less
from tapeflow._src.ops.math.extremes import maximum

# How often each class counts as seen before the first element, where the distribution is estimated.
_SMOOTHING = 10.0


def resampled(
    dataset: Any, class_func: Function, target_dist: Any, initial_dist: Any, seed: Any
) -> Any:
    """Return a dataset of pairs: the class of an element, and the element.

    Args:
        dataset: The dataset to choose from.
        class_func: Maps an element to the number of its class, an int32 or int64.
        target_dist: The probability that each class is to have.
        initial_dist: The probability of each class in `dataset`; estimated if it is None.
        seed: The seed of the random choices.
    """
    target = _distribution(target_dist, "target_dist")
    labelled = dataset.map(_with_class(class_func))
    if initial_dist is None:
        described = labelled.scan(*_estimate(target))
    else:
        initial = _distribution(initial_dist, "initial_dist")
        if not initial.shape.is_compatible_with(target.shape):
            raise ValueError(
                f"`initial_dist` and `target_dist` must have one probability for each class. "
                f"Received the shapes {initial.shape} and {target.shape}"
            )
        described = labelled.map(lambda label, element: (label, element, initial))
    seeds = dataset.random(seed).batch(2)

    def is_accepted(described: Any, seed: Any) -> Any:
        label, _, initial = described
        accepted, _ = _shares(initial, target)
        return less(_draw(seed, 0), gather_v2(accepted, label, dispatch.convert(0)))

    def choose(described: Any, seed: Any) -> Any:
        _, share = _shares(described[2], target)
        return cast(less(share, _draw(seed, 1)), DstT=dtypes.int64)

    accepted = dataset.zip(described, seeds).filter(is_accepted).map(lambda pair, _: pair[:2])
    choices = dataset.zip(described.repeat(), seeds).map(choose)
    return dataset.choose_from_datasets([labelled, accepted], choices)


def _distribution(values: Any, argument: str) -> Any:
    """Probabilities of classes as a vector of float32."""
    tensor = dispatch.convert(values)
    if tensor.shape.rank not in (None, 1):
        raise ValueError(
            f"`{argument}` must be a vector, with the probability of each class. Received the "
            f"shape {tensor.shape}"
        )
    return cast(tensor, DstT=dtypes.float32)


def _with_class(class_func: Function) -> Function:
    """Return a function from an element to its class and itself."""
    converted = convert_entity(class_func)

    def labelled(*element: Any) -> Any:
        label = dispatch.convert(converted(*element))
        if label.dtype not in (dtypes.int32, dtypes.int64) or label.shape.rank not in (None, 0):
            raise TypeError(
                f"`class_func` must return the number of a class, an int32 or int64 scalar. "
                f"Received a tensor of dtype {label.dtype.name} and shape {label.shape}"
            )
        return label, element[0] if len(element) == 1 else element

    return labelled


def _estimate(target: Any) -> tuple[Any, Function]:
    """Return the state and the step of a scan that adds the distribution seen so far."""

    def step(counts: Any, labelled: Any) -> Any:
        label, element = labelled
        counts = counts + one_hot(label, target.shape[0], dtype=dtypes.float32)
        return counts, (label, element, counts / reduce_sum(counts))

    if target.shape[0] is None:
        raise ValueError("`target_dist` must have a static number of classes.")
    return np.full(target.shape[0], _SMOOTHING, np.float32), step


def _shares(initial: Any, target: Any) -> tuple[Any, Any]:
    """Return the probability of acceptance by class, and the share of elements taken as is."""
    tiny = dispatch.convert(np.finfo(np.float32).tiny)
    ratios = target / maximum(initial, tiny)
    least = reduce_min(ratios)
    spread = reduce_max(ratios) - least
    return (ratios - least) / maximum(spread, tiny), least


def _draw(seed: Any, stream: int) -> Any:
    """Return one of the uniform numbers of a seed."""
    return stateless_uniform([2], seed)[stream]
