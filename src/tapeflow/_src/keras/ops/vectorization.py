"""`vectorize`: a function of single elements or vectors, applied to whole tensors."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.ops.axes import sizes
from tapeflow._src.keras.ops.promotion import to_tensor

_ARGUMENT = re.compile(r"\(([\w\s,]*)\)")


def _core_ranks(signature: str) -> tuple[list[int], list[int]]:
    """The numbers of axes of inputs and outputs in a signature such as `(n),(m)->()`."""
    inputs, arrow, outputs = signature.partition("->")
    if not arrow or not _ARGUMENT.search(inputs):
        raise ValueError(
            f"`signature` must look like '(n),(m)->(k)'. Received: signature={signature!r}"
        )

    def ranks(text: str) -> list[int]:
        return [
            len([d for d in core_dims.split(",") if d.strip()])
            for core_dims in _ARGUMENT.findall(text)
        ]

    return ranks(inputs), ranks(outputs)


def vectorize(
    pyfunc: Callable[..., Any], *, excluded: Any = None, signature: str | None = None
) -> Callable[..., Any]:
    """Returns a function that applies `pyfunc` over all leading axes of its arguments.

    Args:
        pyfunc: Function of tensors.
        excluded: Positions and names of arguments that are passed on whole.
        signature: Axes of single arguments and results, such as `(n),(n)->()`; None for scalars.

    Returns:
        A function of the same arguments. All leading axes broadcast, and must be of known size.

    Raises:
        ValueError: `pyfunc` is not callable, or `signature` is malformed.

    Example:
        >>> norm = tf.keras.ops.vectorize(lambda x: tf.reduce_sum(x * x), signature="(n)->()")
        >>> norm([[3.0, 4.0], [1.0, 0.0]]).numpy().tolist()
        [25.0, 1.0]
    """
    if not callable(pyfunc):
        raise ValueError(f"`pyfunc` must be callable. Received: pyfunc={pyfunc!r}")
    left_out = set(excluded or ())
    inputs = None if signature is None else _core_ranks(signature)[0]

    @functools.wraps(pyfunc)
    def vectorized(*args: Any, **kwargs: Any) -> Any:
        named = {key: value for key, value in kwargs.items() if key not in left_out}
        fixed = {key: value for key, value in kwargs.items() if key in left_out}
        places = [place for place in range(len(args)) if place not in left_out]
        tensors = [to_tensor(args[place]) for place in places]
        tensors += [to_tensor(value) for value in named.values()]
        ranks = inputs or [0] * len(tensors)
        if len(ranks) != len(tensors):
            raise ValueError(f"`signature` names {len(ranks)} arguments. Received: {len(tensors)}")

        def single(*elements: Any) -> Any:
            filled = list(args)
            for place, element in zip(places, elements):
                filled[place] = element
            rest = dict(zip(named, elements[len(places) :]))
            return pyfunc(*filled, **rest, **fixed)

        return _over_leading_axes(single, tensors, ranks)

    return vectorized


def _over_leading_axes(function: Any, tensors: list[Any], ranks: list[int]) -> Any:
    """`function` mapped over what remains of the tensors' axes before the last `ranks`."""
    splits = [tensor.shape.rank - rank for tensor, rank in zip(tensors, ranks)]
    batch: Any = tf.TensorShape([])
    for tensor, split in zip(tensors, splits):
        batch = tf.broadcast_static_shape(batch, tensor.shape[:split])
    shape = batch.as_list()
    if not shape:
        return function(*tensors)
    if None in shape:
        raise ValueError(f"`vectorize` needs known sizes of leading axes. Received: {batch}")
    flat = [
        tf.reshape(tf.broadcast_to(t, [*shape, *sizes(t)[split:]]), [-1, *sizes(t)[split:]])
        for t, split in zip(tensors, splits)
    ]
    results = tf.vectorized_map(lambda elements: function(*elements), tuple(flat))
    return tf.nest.map_structure(lambda r: tf.reshape(r, [*shape, *sizes(r)[1:]]), results)
