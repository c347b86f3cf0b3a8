"""`pad_sequences`: sequences of several lengths as one array."""

from __future__ import annotations

from typing import Any

import numpy as np

_ENDS = ("pre", "post")


def pad_sequences(
    sequences: Any,
    maxlen: int | None = None,
    dtype: Any = "int32",
    padding: str = "pre",
    truncating: str = "pre",
    value: Any = 0.0,
) -> np.ndarray:
    """Return an array with a row for each sequence, padded or truncated to one length.

    Args:
        sequences: a list of lists or arrays; their steps may be numbers or arrays of one shape.
        maxlen: the length; by default that of the longest sequence.
        dtype: that of the array; `object` for strings of any length.
        padding: "pre" or "post": the end at which values are added.
        truncating: "pre" or "post": the end at which steps are removed.
        value: what is added.

    Returns:
        An array of shape (sequences, length, ...).

    Raises:
        ValueError: The sequences are not such a list, or `padding` or `truncating` has another
            value.

    Example:
        >>> tf.keras.utils.pad_sequences([[1], [2, 3, 4]], maxlen=2)
        array([[0, 1],
               [3, 4]], dtype=int32)
        >>> tf.keras.utils.pad_sequences([[1], [2, 3, 4]], padding="post", value=9)
        array([[1, 9, 9],
               [2, 3, 4]], dtype=int32)
    """
    if not hasattr(sequences, "__len__"):
        raise ValueError(f"`sequences` must be a list of sequences. Received: {sequences}")
    for name, end in (("truncating", truncating), ("padding", padding)):
        if end not in _ENDS:
            raise ValueError(f"`{name}` must be 'pre' or 'post'. Received: {name}={end!r}")
    for each in sequences:
        if not hasattr(each, "__len__"):
            raise ValueError(f"`sequences` must consist of lists or arrays. Received: {each!r}")
    lengths = [len(each) for each in sequences]
    size = max(lengths, default=0) if maxlen is None else maxlen
    step_shape = next((np.shape(each)[1:] for each in sequences if len(each)), ())
    if isinstance(value, str) and not _holds_strings(dtype):
        raise ValueError(
            f"`value` is a string, but `dtype` is {dtype!r}: pass dtype=object for strings."
        )
    result = np.full((len(sequences), size, *step_shape), value, dtype=dtype)
    for row, each in zip(result, sequences):
        if not len(each) or not size:
            continue
        steps = np.asarray(each[-size:] if truncating == "pre" else each[:size], dtype=dtype)
        if steps.shape[1:] != step_shape:
            raise ValueError(
                f"All steps must have the shape {step_shape}. Received a sequence with steps of "
                f"shape {steps.shape[1:]}"
            )
        row[slice(len(steps)) if padding == "post" else slice(-len(steps), None)] = steps
    return result


def _holds_strings(dtype: Any) -> bool:
    return np.dtype(dtype) == object or np.issubdtype(np.dtype(dtype), np.str_)
