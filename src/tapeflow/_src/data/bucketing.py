"""`bucket_by_sequence_length`: elements of about the same length go into one padded batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tapeflow._src.core import dispatch, dtypes, nest
from tapeflow._src.core.shape import TensorShape, as_shape
from tapeflow._src.core.spec import TensorSpec
from tapeflow._src.ops.array.gather import gather_v2
from tapeflow._src.ops.array.shape import static_ints
from tapeflow._src.ops.graph.checks import assert_op
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import less, less_equal
from tapeflow._src.ops.math.reduction import sum_

_TOO_LONG = (
    "pad_to_bucket_boundary=True needs a boundary for every length: add one to bucket_boundaries "
    "that is above the longest element, or drop longer ones."
)


class Padding(NamedTuple):
    """How the elements of a bucket are made equal."""

    shapes: Any
    values: Any
    to_boundary: bool
    none: bool


class Buckets:
    """The buckets: number `i` holds lengths from boundary `i - 1` to before boundary `i`."""

    def __init__(
        self,
        length: Callable[..., Any],
        boundaries: list[int],
        sizes: list[int],
        padding: Padding,
        drop_remainder: bool,
    ) -> None:
        if len(sizes) != len(boundaries) + 1:
            raise ValueError(
                f"There must be one batch size more than boundaries, for the lengths above the "
                f"last. Received {len(sizes)} bucket_batch_sizes and {len(boundaries)} "
                f"bucket_boundaries"
            )
        self._length = length
        self._boundaries = boundaries
        self._sizes = sizes
        self._padding = padding
        self._drop = drop_remainder

    def key(self, *element: Any) -> Any:
        """Return a function from an element to the index of its bucket."""
        length = cast(dispatch.convert(self._length(*element)), DstT=dtypes.int32)
        bounds = np.array(self._boundaries, np.int32)
        below = cast(less_equal(dispatch.convert(bounds), length), DstT=dtypes.int64)
        return sum_(below, static_ints((0,)))

    def size(self, bucket: Any) -> Any:
        """Return the batch size of a bucket."""
        sizes = dispatch.convert(np.array(self._sizes, np.int64))
        return gather_v2(sizes, bucket, dispatch.convert(0))

    def batch(self, bucket: Any, group: Any) -> Any:
        """Batch the elements collected in a bucket."""
        size = self.size(bucket)
        padding = self._padding
        if padding.none:
            return group.batch(size, drop_remainder=self._drop)
        shapes = padding.shapes
        if shapes is None:
            shapes = nest.map_structure(lambda spec: spec.shape, group.element_spec)
        if padding.to_boundary:
            shapes = self._to_boundary(bucket, shapes, group.element_spec)
        return group.padded_batch(size, shapes, padding.values, self._drop)

    def _to_boundary(self, bucket: Any, shapes: Any, spec: Any) -> Any:
        """Replace unknown sizes by the largest length of the bucket."""
        bounds = dispatch.convert(np.array([*self._boundaries, -1], np.int64))
        most = gather_v2(bounds, bucket, dispatch.convert(0)) - 1
        count = dispatch.convert(np.array(len(self._boundaries), np.int64))
        assert_op(less(bucket, count), [dispatch.convert(_TOO_LONG)])

        def filled(shape: Any) -> Any:
            sizes = as_shape(shape).as_list()
            return dispatch.convert([most if n is None else int(n) for n in sizes], dtypes.int64)

        if isinstance(spec, TensorSpec):
            return filled(shapes)
        flat = nest.flatten_up_to(spec, shapes, check_types=False)
        return nest.pack_sequence_as(
            spec, [s if isinstance(s, TensorShape) and not s.rank else filled(s) for s in flat]
        )
