"""Transformations of one dataset, as methods of `tf.data.Dataset`.

Each is implemented in one file of this folder: the stage that runs, its op, and the arguments of
the op.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tapeflow._src.core import dtypes
from tapeflow._src.data import (
    batching,
    caching,
    filtering,
    fingerprints,
    flattening,
    mapping,
    padding,
    prefetching,
    ragged_batching,
    resampling,
    selecting,
    shuffling,
    sparse_batching,
    unbatching,
)
from tapeflow._src.data import ignore_errors as ignoring
from tapeflow._src.data import scan as accumulating
from tapeflow._src.data.recipe import DatasetLike, Recipe

if TYPE_CHECKING:
    from tapeflow._src.data.dataset import Dataset

Function = Callable[..., Any]


class Transformations(DatasetLike):
    """Turns a dataset into another one; `Dataset` is the only subclass."""

    @abstractmethod
    def _then(self, recipe: Recipe) -> Dataset:
        """Create a dataset derived from this one."""

    # -- one element after the other ---------------------------------------------------------

    def map(
        self,
        map_func: Function,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        synchronous: bool | None = None,
        use_unbounded_threadpool: bool = False,
        name: str | None = None,
    ) -> Dataset:
        """Apply `map_func` to each element; the components of a tuple are its arguments."""
        if num_parallel_calls is not None and synchronous:
            raise ValueError(
                "`synchronous=True` means one call after another: leave it or `num_parallel_calls` "
                "out."
            )
        return self._then(mapping.map_(self, map_func, num_parallel_calls, deterministic, name))

    def filter(self, predicate: Function, name: str | None = None) -> Dataset:
        """Keep the elements for which `predicate` returns True."""
        return self._then(filtering.filter_(self, predicate, name))

    def flat_map(self, map_func: Function, name: str | None = None) -> Dataset:
        """Map each element to a dataset and concatenate the results."""
        return self._then(flattening.flat_map(self, map_func, name))

    def interleave(
        self,
        map_func: Function,
        cycle_length: Any = None,
        block_length: Any = None,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Map elements to datasets and interleave `cycle_length` of them in blocks."""
        recipe = flattening.interleave(
            self, map_func, cycle_length, block_length, num_parallel_calls, deterministic, name
        )
        return self._then(recipe)

    def scan(self, initial_state: Any, scan_func: Function, name: str | None = None) -> Dataset:
        """Map elements by a stateful function `(state, element) -> (state, output)`."""
        return self._then(accumulating.scan(self, initial_state, scan_func, name))

    def _scan(self, state: Any, step: Function, spec: Any) -> Dataset:
        """Implement `scan` for a state of which only `spec` is known."""
        return self._then(accumulating.scan(self, state, step, None, spec))

    def take_while(self, predicate: Function, name: str | None = None) -> Dataset:
        """Keep the elements before the first for which `predicate` returns False."""
        return self._then(filtering.take_while(self, predicate, name))

    def rejection_resample(
        self,
        class_func: Function,
        target_dist: Any,
        initial_dist: Any = None,
        seed: Any = None,
        name: str | None = None,
    ) -> Dataset:
        """Resample so that classes have the target distribution; elements are (class, element)."""
        return resampling.resampled(self, class_func, target_dist, initial_dist, seed)

    def unique(self, name: str | None = None) -> Dataset:
        """Remove duplicate elements."""
        return self._then(filtering.unique(self, name))

    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> Dataset:
        """Skip elements that raise errors."""
        return self._then(ignoring.ignore_errors(self, log_warning, name))

    # -- in batches --------------------------------------------------------------------------

    def batch(
        self,
        batch_size: Any,
        drop_remainder: Any = False,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Combine `batch_size` consecutive elements into batches."""
        return self._then(
            batching.batch(self, batch_size, drop_remainder, num_parallel_calls, name)
        )

    def padded_batch(
        self,
        batch_size: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: Any = False,
        name: str | None = None,
    ) -> Dataset:
        """Pad elements to `padded_shapes`, by default the largest, and batch them."""
        recipe = padding.padded_batch(
            self, batch_size, padded_shapes, padding_values, drop_remainder, name
        )
        return self._then(recipe)

    def ragged_batch(
        self,
        batch_size: Any,
        drop_remainder: Any = False,
        row_splits_dtype: Any = dtypes.int64,
        name: str | None = None,
    ) -> Dataset:
        """Combine elements of different sizes into ragged batches."""
        ragged = self._then(ragged_batching.as_ragged(self, row_splits_dtype))
        return ragged.batch(batch_size, drop_remainder, name=name)

    def sparse_batch(self, batch_size: Any, row_shape: Any, name: str | None = None) -> Dataset:
        """Combine elements of different sizes into sparse batches of row shape `row_shape`."""
        return self._then(sparse_batching.sparse_batch(self, batch_size, row_shape, name))

    def unbatch(self, name: str | None = None) -> Dataset:
        """Split each element into its slices along the first axis."""
        return self._then(unbatching.unbatch(self, name))

    def rebatch(
        self, batch_size: Any, drop_remainder: Any = False, name: str | None = None
    ) -> Dataset:
        """Change the batch size of a batched dataset."""
        return self._then(unbatching.rebatch(self, batch_size, drop_remainder, name))

    # -- all of them, otherwise --------------------------------------------------------------

    def shuffle(
        self,
        buffer_size: Any,
        seed: Any = None,
        reshuffle_each_iteration: bool | None = True,
        name: str | None = None,
    ) -> Dataset:
        """Shuffle elements by drawing each from a buffer of `buffer_size` elements."""
        return self._then(
            shuffling.shuffle(self, buffer_size, seed, reshuffle_each_iteration, name)
        )

    def repeat(self, count: Any = None, name: str | None = None) -> Dataset:
        """Repeat the dataset `count` times, without end by default."""
        return self._then(selecting.repeat(self, count, name))

    def take(self, count: Any, name: str | None = None) -> Dataset:
        """Keep the first `count` elements; all if it is -1."""
        return self._then(selecting.take(self, count, name))

    def skip(self, count: Any, name: str | None = None) -> Dataset:
        """Skip the first `count` elements; all if it is -1."""
        return self._then(selecting.skip(self, count, name))

    def shard(self, num_shards: Any, index: Any, name: str | None = None) -> Dataset:
        """Keep the elements whose index modulo `num_shards` is `index`."""
        return self._then(selecting.shard(self, num_shards, index, name))

    def cache(self, filename: Any = "", name: str | None = None) -> Dataset:
        """Cache the elements after the first iteration."""
        return self._then(caching.cache(self, filename, name))

    def fingerprint(self) -> Any:
        """Return 64 bits, equal for datasets that are made by the same ops and values."""
        return fingerprints.dataset_fingerprint(self._variant_tensor)

    def prefetch(self, buffer_size: Any, name: str | None = None) -> Dataset:
        """Produce up to `buffer_size` elements ahead, in a background thread."""
        return self._then(prefetching.prefetch(self, buffer_size, name))
