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
        """Apply `map_func` to each element; the components of a tuple are its arguments.

        The function is traced once, like a `tf.function`; wrap plain Python in `tf.py_function`.

        Args:
            map_func: Function of the components of an element, which returns the new element.
            num_parallel_calls: How many elements are computed at once; `tf.data.AUTOTUNE` lets the
                pipeline choose, None computes one after the other.
            deterministic: False allows elements to arrive in another order.
            synchronous: True insists on one call after the other.
            use_unbounded_threadpool: Accepted for compatibility.

        Returns:
            A dataset of the results.

        Raises:
            ValueError: If `synchronous=True` is combined with `num_parallel_calls`.

        Example:
            >>> dataset = tf.data.Dataset.from_tensor_slices(([1, 2], [10, 20]))
            >>> [int(total) for total in dataset.map(lambda x, y: x + y)]
            [11, 22]
        """
        if num_parallel_calls is not None and synchronous:
            raise ValueError(
                "`synchronous=True` means one call after another: leave it or `num_parallel_calls` "
                "out."
            )
        return self._then(mapping.map_(self, map_func, num_parallel_calls, deterministic, name))

    def filter(self, predicate: Function, name: str | None = None) -> Dataset:
        """Keep the elements for which `predicate` returns True.

        Args:
            predicate: Function of the components of an element that returns a bool scalar.

        Returns:
            A dataset of unknown cardinality.

        Example:
            >>> [int(x) for x in tf.data.Dataset.range(6).filter(lambda x: x % 2 == 0)]
            [0, 2, 4]
        """
        return self._then(filtering.filter_(self, predicate, name))

    def flat_map(self, map_func: Function, name: str | None = None) -> Dataset:
        """Map each element to a dataset and concatenate the results.

        Args:
            map_func: Function of the components of an element that returns a dataset.

        Returns:
            A dataset of the elements of all these datasets.

        Example:
            >>> rows = tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]])
            >>> flat = rows.flat_map(lambda row: tf.data.Dataset.from_tensor_slices(row))
            >>> [int(x) for x in flat]
            [1, 2, 3, 4]
        """
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
        """Map elements to datasets and interleave `cycle_length` of them in blocks.

        Args:
            map_func: Function of the components of an element that returns a dataset.
            cycle_length: How many datasets are read in turn; chosen automatically by default.
            block_length: How many elements are taken from a dataset before the next; 1 by default.
            num_parallel_calls: How many datasets are read at once; None reads in one thread.
            deterministic: False allows elements to arrive in another order.

        Returns:
            A dataset of the interleaved elements.

        Example:
            >>> def thrice(x):
            ...     return tf.data.Dataset.from_tensors(x).repeat(3)
            >>> numbers = tf.data.Dataset.range(1, 4)
            >>> [int(x) for x in numbers.interleave(thrice, cycle_length=2, block_length=2)]
            [1, 1, 2, 2, 1, 2, 3, 3, 3]
        """
        recipe = flattening.interleave(
            self, map_func, cycle_length, block_length, num_parallel_calls, deterministic, name
        )
        return self._then(recipe)

    def scan(self, initial_state: Any, scan_func: Function, name: str | None = None) -> Dataset:
        """Map elements by a stateful function `(state, element) -> (state, output)`.

        Args:
            initial_state: The first state: a tensor or a structure of tensors.
            scan_func: Function of a state and an element that returns the next state and an output.

        Returns:
            A dataset of the outputs.

        Example:
            >>> sums = tf.data.Dataset.range(5).scan(
            ...     np.int64(0), lambda total, x: (total + x, total + x)
            ... )
            >>> [int(x) for x in sums]
            [0, 1, 3, 6, 10]
        """
        return self._then(accumulating.scan(self, initial_state, scan_func, name))

    def _scan(self, state: Any, step: Function, spec: Any) -> Dataset:
        """Implement `scan` for a state of which only `spec` is known."""
        return self._then(accumulating.scan(self, state, step, None, spec))

    def take_while(self, predicate: Function, name: str | None = None) -> Dataset:
        """Keep the elements before the first for which `predicate` returns False.

        Args:
            predicate: Function of the components of an element that returns a bool scalar.

        Returns:
            A dataset of unknown cardinality.

        Example:
            >>> [int(x) for x in tf.data.Dataset.range(10).take_while(lambda x: x < 3)]
            [0, 1, 2]
        """
        return self._then(filtering.take_while(self, predicate, name))

    def rejection_resample(
        self,
        class_func: Function,
        target_dist: Any,
        initial_dist: Any = None,
        seed: Any = None,
        name: str | None = None,
    ) -> Dataset:
        """Resample so that classes have the target distribution; elements are (class, element).

        Elements are dropped at random, in proportion to how frequent their class is.

        Args:
            class_func: Maps an element to its class, an int32 scalar.
            target_dist: Probability of each class in the result.
            initial_dist: Probability of each class in this dataset; estimated by default.
            seed: Seed of the choices.

        Returns:
            A dataset of pairs of a class and an element.

        Example:
            >>> dataset = tf.data.Dataset.from_tensor_slices([0, 0, 0, 1] * 200)
            >>> balanced = dataset.rejection_resample(
            ...     lambda x: x, target_dist=[0.5, 0.5], initial_dist=[0.75, 0.25], seed=1
            ... )
            >>> labels = [int(label) for label, element in balanced]
            >>> 0.4 < sum(labels) / len(labels) < 0.6
            True
        """
        return resampling.resampled(self, class_func, target_dist, initial_dist, seed)

    def unique(self, name: str | None = None) -> Dataset:
        """Remove duplicate elements: the first of each is kept.

        Elements are scalars or vectors of dtype int32, int64 or string.

        Example:
            >>> dataset = tf.data.Dataset.from_tensor_slices([3, 1, 3, 2, 1])
            >>> [int(x) for x in dataset.unique()]
            [3, 1, 2]
        """
        return self._then(filtering.unique(self, name))

    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> Dataset:
        """Skip elements that raise errors.

        Args:
            log_warning: Whether to log each error that is skipped.

        Returns:
            A dataset of unknown cardinality.

        Example:
            >>> dataset = tf.data.Dataset.from_tensor_slices([1.0, 0.0, 2.0])
            >>> dataset = dataset.map(lambda x: tf.debugging.check_numerics(1.0 / x, "division"))
            >>> [float(x) for x in dataset.ignore_errors()]
            [1.0, 0.5]
        """
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
        """Combine `batch_size` consecutive elements into batches.

        Args:
            batch_size: Number of elements of a batch.
            drop_remainder: Whether to drop the last batch if it is not full, which makes the batch
                size static.
            num_parallel_calls: Accepted for compatibility.
            deterministic: Accepted for compatibility; batches keep their order.

        Returns:
            A dataset of elements with a further first axis.

        Raises:
            tf.errors.InvalidArgumentError: If `batch_size` is less than 1, or shapes of elements
                differ.

        Example:
            >>> [batch.numpy().tolist() for batch in tf.data.Dataset.range(5).batch(2)]
            [[0, 1], [2, 3], [4]]
        """
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
        """Pad elements to `padded_shapes`, by default the largest, and batch them.

        Args:
            batch_size: Number of elements of a batch.
            padded_shapes: Shape of each component; None or -1 stands for the largest of the batch.
            padding_values: Scalars to pad with; zeros or empty strings by default.
            drop_remainder: Whether to drop the last batch if it is not full.

        Returns:
            A dataset of padded batches.

        Raises:
            ValueError: If a rank is unknown and there are no `padded_shapes`, or they do not fit.
            TypeError: If components are not dense tensors, or values have another dtype.

        Example:
            >>> dataset = tf.data.Dataset.range(1, 4).map(lambda n: tf.fill([n], n))
            >>> dataset.padded_batch(3).get_single_element().numpy()
            array([[1, 0, 0],
                   [2, 2, 0],
                   [3, 3, 3]])
        """
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
        """Combine elements of different sizes into ragged batches.

        Args:
            batch_size: Number of elements of a batch.
            drop_remainder: Whether to drop the last batch if it is not full.
            row_splits_dtype: Dtype of row splits, int32 or int64.

        Returns:
            A dataset of `tf.RaggedTensor`; components of a static shape stay dense.

        Example:
            >>> dataset = tf.data.Dataset.range(1, 4).map(lambda n: tf.fill([n], n))
            >>> dataset.ragged_batch(3).get_single_element()
            <tf.RaggedTensor [[1], [2, 2], [3, 3, 3]]>
        """
        ragged = self._then(ragged_batching.as_ragged(self, row_splits_dtype))
        return ragged.batch(batch_size, drop_remainder, name=name)

    def sparse_batch(self, batch_size: Any, row_shape: Any, name: str | None = None) -> Dataset:
        """Combine elements of different sizes into sparse batches of row shape `row_shape`.

        Args:
            batch_size: Number of elements of a batch.
            row_shape: Shape that contains every element; the dense shape of a row.

        Returns:
            A dataset of `tf.SparseTensor`.

        Example:
            >>> dataset = tf.data.Dataset.range(1, 3).map(lambda n: tf.fill([n], n))
            >>> batch = dataset.sparse_batch(2, row_shape=[3]).get_single_element()
            >>> tf.sparse.to_dense(batch).numpy()
            array([[1, 0, 0],
                   [2, 2, 0]])
        """
        return self._then(sparse_batching.sparse_batch(self, batch_size, row_shape, name))

    def unbatch(self, name: str | None = None) -> Dataset:
        """Split each element into its slices along the first axis.

        Example:
            >>> dataset = tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]]).unbatch()
            >>> [int(x) for x in dataset]
            [1, 2, 3, 4]
        """
        return self._then(unbatching.unbatch(self, name))

    def rebatch(
        self, batch_size: Any, drop_remainder: Any = False, name: str | None = None
    ) -> Dataset:
        """Change the batch size of a batched dataset.

        Args:
            batch_size: The new batch size, or a vector of sizes that are used in turn.
            drop_remainder: Whether to drop the last batch if it is not full.

        Returns:
            A dataset of the same rows in batches of that size.

        Example:
            >>> dataset = tf.data.Dataset.range(6).batch(2).rebatch(3)
            >>> [batch.numpy().tolist() for batch in dataset]
            [[0, 1, 2], [3, 4, 5]]
        """
        return self._then(unbatching.rebatch(self, batch_size, drop_remainder, name))

    # -- all of them, otherwise --------------------------------------------------------------

    def shuffle(
        self,
        buffer_size: Any,
        seed: Any = None,
        reshuffle_each_iteration: bool | None = True,
        name: str | None = None,
    ) -> Dataset:
        """Shuffle elements by drawing each from a buffer of `buffer_size` elements.

        A buffer as large as the dataset shuffles it uniformly.

        Args:
            buffer_size: Number of elements of the buffer.
            seed: Seed of the order; with None, that of `tf.random.set_seed`, or a random one.
            reshuffle_each_iteration: Whether each iteration has another order.

        Returns:
            A dataset of the same elements.

        Example:
            >>> dataset = tf.data.Dataset.range(4).shuffle(4, seed=1)
            >>> sorted(int(x) for x in dataset)
            [0, 1, 2, 3]
        """
        return self._then(
            shuffling.shuffle(self, buffer_size, seed, reshuffle_each_iteration, name)
        )

    def repeat(self, count: Any = None, name: str | None = None) -> Dataset:
        """Repeat the dataset `count` times, without end by default.

        Args:
            count: Number of times; None or -1 for without end.

        Returns:
            A dataset of the repeated elements.

        Example:
            >>> [int(x) for x in tf.data.Dataset.range(2).repeat(3)]
            [0, 1, 0, 1, 0, 1]
        """
        return self._then(selecting.repeat(self, count, name))

    def take(self, count: Any, name: str | None = None) -> Dataset:
        """Keep the first `count` elements; all if it is -1.

        Args:
            count: Number of elements.

        Returns:
            A dataset of at most `count` elements.

        Example:
            >>> [int(x) for x in tf.data.Dataset.range(10).take(3)]
            [0, 1, 2]
        """
        return self._then(selecting.take(self, count, name))

    def skip(self, count: Any, name: str | None = None) -> Dataset:
        """Skip the first `count` elements; all if it is -1.

        Args:
            count: Number of elements.

        Returns:
            A dataset of the other elements.

        Example:
            >>> [int(x) for x in tf.data.Dataset.range(5).skip(3)]
            [3, 4]
        """
        return self._then(selecting.skip(self, count, name))

    def shard(self, num_shards: Any, index: Any, name: str | None = None) -> Dataset:
        """Keep the elements whose index modulo `num_shards` is `index`.

        Args:
            num_shards: Number of shards, for instance of workers.
            index: Which of them this is, counted from 0.

        Returns:
            A dataset of the elements of the shard.

        Raises:
            tf.errors.InvalidArgumentError: If `index` is not between 0 and `num_shards - 1`.

        Example:
            >>> [int(x) for x in tf.data.Dataset.range(7).shard(num_shards=3, index=1)]
            [1, 4]
        """
        return self._then(selecting.shard(self, num_shards, index, name))

    def cache(self, filename: Any = "", name: str | None = None) -> Dataset:
        """Cache the elements after the first iteration.

        Args:
            filename: Prefix of files to cache in; in memory by default.

        Returns:
            A dataset of the same elements; what comes before it runs once.

        Example:
            >>> dataset = tf.data.Dataset.range(3).map(lambda x: x * x).cache()
            >>> [int(x) for x in dataset], [int(x) for x in dataset]
            ([0, 1, 4], [0, 1, 4])
        """
        return self._then(caching.cache(self, filename, name))

    def fingerprint(self) -> Any:
        """Return 64 bits, equal for datasets that are made by the same ops and values.

        Example:
            >>> one, other = tf.data.Dataset.range(3), tf.data.Dataset.range(3)
            >>> bool(one.fingerprint() == other.fingerprint())
            True
        """
        return fingerprints.dataset_fingerprint(self._variant_tensor)

    def prefetch(self, buffer_size: Any, name: str | None = None) -> Dataset:
        """Produce up to `buffer_size` elements ahead, in a background thread.

        Args:
            buffer_size: Number of elements; `tf.data.AUTOTUNE` lets the pipeline choose.

        Returns:
            A dataset of the same elements.

        Example:
            >>> [int(x) for x in tf.data.Dataset.range(3).prefetch(tf.data.AUTOTUNE)]
            [0, 1, 2]
        """
        return self._then(prefetching.prefetch(self, buffer_size, name))
