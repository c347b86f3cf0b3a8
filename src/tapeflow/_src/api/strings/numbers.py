"""Convert strings from and to numbers, and hash them to buckets."""

from __future__ import annotations

from collections.abc import Sequence

from tapeflow._src.api.strings.arguments import as_text
from tapeflow._src.api.strings.rows import as_strings
from tapeflow._src.composite.ragged.tensor import RaggedTensor
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import DTypeLike, TensorLike
from tapeflow._src.ops.strings import hash as hashes
from tapeflow._src.ops.strings import numbers as ops


def as_string(
    input: TensorLike,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
    name: str | None = None,
) -> Tensor:
    """Format numbers as strings.

    Args:
        input: Numbers or booleans, dense or ragged.
        precision: The number of decimals of floats; -1 for the default.
        scientific: Whether to use scientific notation.
        shortest: Whether to use the shorter of both notations.
        width: The least width, padded on the left.
        fill: A flag of C's `printf`: "0", " ", "-" or "+".
        name: Name of the op in a graph.

    Returns:
        A string tensor of the shape of `input`.

    Example:

        >>> tf.strings.as_string([1, 25]).numpy().tolist()
        [b'1', b'25']
        >>> tf.strings.as_string([3.14159], precision=2).numpy().tolist()
        [b'3.14']
    """
    return ops.as_string(
        input if isinstance(input, RaggedTensor) else dispatch.convert(input),
        precision=precision,
        scientific=scientific,
        shortest=shortest,
        width=width,
        fill=as_text(fill, "fill"),
        name=name,
    )


def to_number(
    input: TensorLike, out_type: DTypeLike = dtypes.float32, name: str | None = None
) -> Tensor:
    """Parse strings as numbers.

    Args:
        input: A string tensor, or ragged strings.
        out_type: float32 (the default), float64, int32 or int64.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape of `input`.

    Raises:
        InvalidArgumentError: A string is no number.

    Example:

        >>> tf.strings.to_number(["1.5", "-2"]).numpy().tolist()
        [1.5, -2.0]
    """
    return ops.string_to_number(as_strings(input), out_type=out_type, name=name)


def to_hash_bucket(input: TensorLike, num_buckets: int, name: str | None = None) -> Tensor:
    """Hash strings to buckets by the legacy hash; prefer `to_hash_bucket_fast`.

    Args:
        input: A string tensor, or ragged strings.
        num_buckets: The number of buckets.
        name: Name of the op in a graph.

    Returns:
        An int64 tensor of the shape of `input`, with values in `[0, num_buckets)`.

    Example:

        >>> tf.strings.to_hash_bucket(["a", "b"], 10).shape
        TensorShape([2])
    """
    return hashes.string_to_hash_bucket(as_strings(input), num_buckets=num_buckets, name=name)


def to_hash_bucket_fast(input: TensorLike, num_buckets: int, name: str | None = None) -> Tensor:
    """Hash strings to buckets by FarmHash.

    Fast and the same on every platform; not safe against inputs chosen to collide.

    Args:
        input: A string tensor, or ragged strings.
        num_buckets: The number of buckets.
        name: Name of the op in a graph.

    Returns:
        An int64 tensor of the shape of `input`, with values in `[0, num_buckets)`.

    Example:

        >>> tf.strings.to_hash_bucket_fast(["Hello", "TensorFlow"], 3).numpy().tolist()
        [0, 2]
    """
    return hashes.string_to_hash_bucket_fast(as_strings(input), num_buckets=num_buckets, name=name)


def to_hash_bucket_strong(
    input: TensorLike, num_buckets: int, key: Sequence[int], name: str | None = None
) -> Tensor:
    """Hash strings to buckets by SipHash with a key of two integers.

    Args:
        input: A string tensor, or ragged strings.
        num_buckets: The number of buckets.
        key: Two integers: who does not know them cannot construct collisions.
        name: Name of the op in a graph.

    Returns:
        An int64 tensor of the shape of `input`, with values in `[0, num_buckets)`.

    Example:

        >>> tf.strings.to_hash_bucket_strong(["a", "b"], 3, [1, 2]).numpy().tolist()
        [2, 1]
    """
    return hashes.string_to_hash_bucket_strong(
        as_strings(input), num_buckets=num_buckets, key=tuple(key), name=name
    )
