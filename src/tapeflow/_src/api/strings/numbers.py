"""Numbers in strings: read, written, and the buckets of strings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeflow._src.api.strings.arguments import as_text
from tapeflow._src.api.strings.rows import as_strings
from tapeflow._src.composite.ragged.tensor import RaggedTensor
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.ops.strings import hash as hashes
from tapeflow._src.ops.strings import numbers as ops


def as_string(
    input: Any,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
    name: str | None = None,
) -> Tensor:
    """Numbers as text; `fill` is what C's `printf` takes as a flag: `0`, a blank, `-` or `+`."""
    return ops.as_string(
        input if isinstance(input, RaggedTensor) else dispatch.convert(input),
        precision=precision,
        scientific=scientific,
        shortest=shortest,
        width=width,
        fill=as_text(fill, "fill"),
        name=name,
    )


def to_number(input: Any, out_type: Any = dtypes.float32, name: str | None = None) -> Tensor:
    """The numbers that strings spell."""
    return ops.string_to_number(as_strings(input), out_type=out_type, name=name)


def to_hash_bucket(input: Any, num_buckets: int, name: str | None = None) -> Tensor:
    """The bucket of each string, by the oldest of the hash functions; prefer the fast one."""
    return hashes.string_to_hash_bucket(as_strings(input), num_buckets=num_buckets, name=name)


def to_hash_bucket_fast(input: Any, num_buckets: int, name: str | None = None) -> Tensor:
    """The bucket of each string, by FarmHash's fingerprint."""
    return hashes.string_to_hash_bucket_fast(as_strings(input), num_buckets=num_buckets, name=name)


def to_hash_bucket_strong(
    input: Any, num_buckets: int, key: Sequence[int], name: str | None = None
) -> Tensor:
    """The bucket of each string, by SipHash with a key of two numbers."""
    return hashes.string_to_hash_bucket_strong(
        as_strings(input), num_buckets=num_buckets, key=tuple(key), name=name
    )
