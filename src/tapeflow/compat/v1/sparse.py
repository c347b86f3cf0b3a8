"""`tf.compat.v1.sparse`: sparse tensors, with signatures of TensorFlow 1 where they differ."""

from __future__ import annotations

from tapeflow import sparse as _sparse
from tapeflow._src.compat.v1.aliases import aliases as _aliases
from tapeflow._src.compat.v1.graphs import sparse_placeholder as placeholder  # noqa: F401
from tapeflow._src.compat.v1.reordered import reordered as _reordered

_REDUCED = "sp_input axis keepdims reduction_axes keep_dims"
_RENAMED = {"reduction_axes": "axis", "keep_dims": "keepdims"}
_SEGMENTS = "data indices segment_ids name num_segments sparse_gradient"

add = _reordered(_sparse.add, "a b threshold thresh", {"thresh": "threshold"})
concat = _reordered(
    _sparse.concat,
    "axis sp_inputs name expand_nonconcat_dim concat_dim expand_nonconcat_dims",
    {"concat_dim": "axis", "expand_nonconcat_dim": "expand_nonconcat_dims"},
)
reduce_max = _reordered(_sparse.reduce_max, _REDUCED, _RENAMED)
reduce_sum = _reordered(_sparse.reduce_sum, _REDUCED, _RENAMED)
reduce_max_sparse = _reordered(_sparse.reduce_max, _REDUCED, _RENAMED, output_is_sparse=True)
reduce_sum_sparse = _reordered(_sparse.reduce_sum, _REDUCED, _RENAMED, output_is_sparse=True)
segment_mean = _reordered(_sparse.segment_mean, _SEGMENTS)
segment_sqrt_n = _reordered(_sparse.segment_sqrt_n, _SEGMENTS)
segment_sum = _reordered(_sparse.segment_sum, _SEGMENTS)
split = _reordered(
    _sparse.split, "keyword_required sp_input num_split axis name split_dim", {"split_dim": "axis"}
)

__getattr__, __dir__ = _aliases(__name__, globals())
