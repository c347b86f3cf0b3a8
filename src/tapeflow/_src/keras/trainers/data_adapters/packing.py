"""Inputs, targets and weights of samples as one value, and apart again."""

from __future__ import annotations

from typing import Any


def unpack_x_y_sample_weight(data: Any) -> tuple[Any, Any, Any]:
    """Return inputs, targets and weights of samples; None for those that are missing.

    `train_step`s of your own receive batches as datasets yield them.

    Args:
        data: Inputs, or a tuple or list of inputs and optionally targets and weights.

    Returns:
        A tuple `(x, y, sample_weight)`.

    Raises:
        ValueError: The tuple has more than three parts.

    Example:
        >>> tf.keras.utils.unpack_x_y_sample_weight((1, 2))
        (1, 2, None)
    """
    if isinstance(data, list):
        data = tuple(data)
    if not isinstance(data, tuple):
        return data, None, None
    if len(data) in (1, 2, 3):
        x, y, sample_weight = (*data, None, None)[:3]
        return x, y, sample_weight
    raise ValueError(
        f"A batch is the inputs x, or a tuple of x, optionally targets y, and optionally "
        f"sample weights. Received a tuple of {len(data)} parts: {data}. Yield (x, y) or "
        f"(x, y, sample_weight), with several inputs or targets as lists or dicts within them."
    )


def pack_x_y_sample_weight(x: Any, y: Any = None, sample_weight: Any = None) -> Any:
    """Pack values that `unpack_x_y_sample_weight` takes apart again.

    Args:
        x: Inputs.
        y: Targets; None for none.
        sample_weight: Weights of samples; None for none.

    Returns:
        A tuple, or `x` itself if it is alone and neither a list nor a tuple.

    Example:
        >>> tf.keras.utils.pack_x_y_sample_weight("inputs", "targets")
        ('inputs', 'targets')
    """
    if y is None:
        return (x,) if isinstance(x, (list, tuple)) else x
    return (x, y) if sample_weight is None else (x, y, sample_weight)
