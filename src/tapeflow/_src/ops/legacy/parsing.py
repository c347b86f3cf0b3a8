"""Examples parsed by ops that know no ragged features; names of files in parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.core.dtypes import string
from tapeflow._src.core.infer import require_rank
from tapeflow._src.core.registry import (
    MANY_OUTPUTS,
    UNREGISTERED,
    Index,
    InferError,
    Many,
    ManyFree,
    op,
)
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.io.examples import HOST, STRING, parse_example_v2
from tapeflow._src.ops.legacy.renaming import infer, run

_NONE = np.array([], object)
_NO_RAGGED: dict[str, Any] = {"ragged_value_types": (), "ragged_split_types": ()}


def _names(keys: Any) -> np.ndarray:
    """Return names that are separate inputs as one array."""
    array = np.empty(len(keys), object)
    array[:] = [key if isinstance(key, bytes) else str(key).encode() for key in keys]
    return array


def _strings(count: int) -> Spec:
    return Spec((count,), string)


@op("ParseExample", dtypes=STRING, outputs=MANY_OUTPUTS, grad=UNREGISTERED, host=HOST, checked=True)
def parse_example(
    xp,
    serialized,
    names,
    sparse_keys: Many,
    dense_keys: Many,
    dense_defaults: ManyFree,
    *,
    sparse_types,
    dense_shapes,
):
    """Parse a batch of examples into the components of sparse and dense tensors."""
    sparse, dense = (_names([key.item() for key in keys]) for keys in (sparse_keys, dense_keys))
    attrs = {"num_sparse": len(sparse), "sparse_types": sparse_types, "dense_shapes": dense_shapes}
    inputs = (serialized, names, sparse, dense, _NONE, dense_defaults)
    return run(parse_example_v2, xp, *inputs, **attrs, **_NO_RAGGED)


@parse_example.infer
def _(serialized, names, sparse_keys, dense_keys, dense_defaults, *, sparse_types, dense_shapes):
    require_rank(serialized, 1, "serialized")
    for key in (*sparse_keys, *dense_keys):
        require_rank(key, 0, "keys")
    keys = (_strings(len(sparse_keys)), _strings(len(dense_keys)), _strings(0))
    attrs = {"num_sparse": len(sparse_keys), "sparse_types": sparse_types}
    return infer(
        parse_example_v2,
        *(serialized, names, *keys, dense_defaults),
        **attrs,
        **_NO_RAGGED,
        dense_shapes=dense_shapes,
    )


@op(
    "ParseSingleExample",
    dtypes=STRING,
    outputs=MANY_OUTPUTS,
    grad=UNREGISTERED,
    host=HOST,
    checked=True,
)
def parse_single_example(
    xp,
    serialized,
    dense_defaults: ManyFree,
    *,
    num_sparse,
    sparse_keys,
    dense_keys,
    sparse_types,
    dense_shapes,
):
    """Parse one example into the components of sparse and dense tensors."""
    attrs = {"num_sparse": num_sparse, "sparse_types": sparse_types, "dense_shapes": dense_shapes}
    inputs = (serialized, _NONE, _names(sparse_keys), _names(dense_keys), _NONE, dense_defaults)
    return run(parse_example_v2, xp, *inputs, **attrs, **_NO_RAGGED)


@parse_single_example.infer
def _(
    serialized, dense_defaults, *, num_sparse, sparse_keys, dense_keys, sparse_types, dense_shapes
):
    require_rank(serialized, 0, "serialized")
    keys = (_strings(len(sparse_keys)), _strings(len(dense_keys)), _strings(0))
    attrs = {"num_sparse": num_sparse, "sparse_types": sparse_types, "dense_shapes": dense_shapes}
    inputs = (serialized, _strings(0), *keys, dense_defaults)
    return infer(parse_example_v2, *inputs, **attrs, **_NO_RAGGED)


# -- files in parts ----------------------------------------------------------------------------


def _scalars(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Spec:
    for name, spec in zip(op.input_names, specs, strict=True):
        if spec.shape not in (None, ()):
            raise InferError(f"{name} must be a scalar, got a tensor of rank {len(spec.shape)}")
    return Spec((), string)


def _text(value: bytes) -> np.ndarray:
    array = np.empty((), object)
    array[()] = value
    return array


@op("ShardedFilename", infer=_scalars, dtypes=STRING, grad=UNREGISTERED, host=HOST, checked=True)
def sharded_filename(xp, basename, shard: Index, num_shards: Index):
    """Return the name of one shard of a file."""
    return _text(basename.item() + b"-%05d-of-%05d" % (int(shard), int(num_shards)))


@op("ShardedFilespec", infer=_scalars, dtypes=STRING, grad=UNREGISTERED, host=HOST, checked=True)
def sharded_filespec(xp, basename, num_shards: Index):
    """Return a pattern for the names of all shards of a file."""
    return _text(basename.item() + b"-?????-of-%05d" % int(num_shards))
