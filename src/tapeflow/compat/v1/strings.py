"""`tf.compat.v1.strings`: strings, with signatures of TensorFlow 1 where they differ."""

from __future__ import annotations

from typing import Any

from tapeflow import strings as _strings
from tapeflow._src.compat.v1.aliases import aliases as _aliases
from tapeflow._src.compat.v1.legacy import reduce_join as reduce_join
from tapeflow._src.compat.v1.legacy import string_length as length  # noqa: F401
from tapeflow._src.compat.v1.legacy import string_to_hash_bucket as to_hash_bucket  # noqa: F401
from tapeflow._src.compat.v1.legacy import string_to_number as to_number  # noqa: F401
from tapeflow._src.compat.v1.legacy import substr as substr
from tapeflow._src.core.dispatch import convert as _convert


def split(
    input: Any = None,
    sep: Any = None,
    maxsplit: int = -1,
    result_type: str = "SparseTensor",
    source: Any = None,
    name: str | None = None,
) -> Any:
    """Split strings at a separator; the parts as a SparseTensor or as a "RaggedTensor"."""
    if (input is None) == (source is None):
        raise ValueError("split: expected one of 'input' and 'source', which are the same.")
    strings = _convert(source if input is None else input)
    if result_type not in ("SparseTensor", "RaggedTensor"):
        raise ValueError(
            f"split: expected result_type 'SparseTensor' or 'RaggedTensor', received "
            f"{result_type!r}."
        )
    if result_type == "SparseTensor" and strings.shape.rank == 0:
        strings = strings[None]
    parts = _strings.split(strings, sep, maxsplit, name)
    return parts.to_sparse() if result_type == "SparseTensor" else parts


__getattr__, __dir__ = _aliases(__name__, globals())
