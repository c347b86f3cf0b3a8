"""Methods of `tf.data.Dataset` that create one: from tensors, Python, files and other datasets."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tapeflow._src.core import dispatch, dtypes, nest
from tapeflow._src.core.shape import as_dims
from tapeflow._src.data import combining, random_numbers, sampling, sources
from tapeflow._src.data import from_generator as generating
from tapeflow._src.data.files import matching_files
from tapeflow._src.data.options import Options
from tapeflow._src.data.recipe import Recipe

if TYPE_CHECKING:
    from tapeflow._src.data.dataset import Dataset

Function = Callable[..., Any]


class Creation:
    """Creates datasets; `Dataset` is the only subclass."""

    @staticmethod
    @abstractmethod
    def _made(recipe: Recipe, options: Options | None = None) -> Dataset:
        """Create a dataset."""

    # -- sources -----------------------------------------------------------------------------

    @classmethod
    def from_tensors(cls, tensors: Any, name: str | None = None) -> Dataset:
        """Create a dataset with one element.

        Args:
            tensors: The element: a tensor, or a structure of tuples and dicts of tensors.

        Returns:
            A dataset of one element.

        Example:
            >>> dataset = tf.data.Dataset.from_tensors([1, 2, 3])
            >>> [element.numpy().tolist() for element in dataset]
            [[1, 2, 3]]
        """
        return cls._made(sources.from_tensors(tensors, name))

    @classmethod
    def from_tensor_slices(cls, tensors: Any, name: str | None = None) -> Dataset:
        """Create a dataset of the slices of tensors along their first axis.

        Args:
            tensors: A tensor, or a structure of tuples and dicts of tensors, whose first axes have
                the
                same size. Lists are converted to tensors.

        Returns:
            A dataset with one element per slice, each in the structure of `tensors`.

        Raises:
            ValueError: If the tensors have no axes, or the sizes of their first axes differ.

        Example:
            >>> features, labels = [[1.0, 2.0], [3.0, 4.0]], ["a", "b"]
            >>> dataset = tf.data.Dataset.from_tensor_slices((features, labels))
            >>> for feature, label in dataset:
            ...     print(feature.numpy(), label.numpy())
            [1. 2.] b'a'
            [3. 4.] b'b'
        """
        return cls._made(sources.from_tensor_slices(tensors, name))

    @classmethod
    def from_generator(
        cls,
        generator: Function,
        output_types: Any = None,
        output_shapes: Any = None,
        args: Any = None,
        output_signature: Any = None,
        name: str | None = None,
    ) -> Dataset:
        """Create a dataset of the elements that `generator(*args)` yields.

        The generator runs in Python, and anew for each iteration over the dataset.

        Args:
            generator: Function that returns an iterable; it is called with `args` as NumPy values.
            output_types: Structure of dtypes, if there is no `output_signature`.
            output_shapes: Structure of shapes that belong to `output_types`; unknown by default.
            args: Tensors to pass to the generator.
            output_signature: Structure of `tf.TypeSpec` of an element.

        Returns:
            A dataset of unknown cardinality.

        Raises:
            TypeError: If `generator` is not callable, or there is neither a signature nor types.

        Example:
            >>> def squares(count):
            ...     for number in range(count):
            ...         yield number * number
            >>> dataset = tf.data.Dataset.from_generator(
            ...     squares, args=[4], output_signature=tf.TensorSpec([], tf.int32)
            ... )
            >>> [int(number) for number in dataset]
            [0, 1, 4, 9]
        """
        recipe = generating.from_generator(
            generator, output_types, output_shapes, args, output_signature, name
        )
        return cls._made(recipe)

    @classmethod
    def range(cls, *args: Any, **kwargs: Any) -> Dataset:
        """Create a dataset of `range(stop)`, `range(start, stop)` or `range(start, stop, step)`.

        Args:
            *args: The bounds and the step, as for Python's `range`.
            **kwargs: `output_type`, the dtype (int64 by default), and `name`.

        Returns:
            A dataset of scalars.

        Example:
            >>> [int(number) for number in tf.data.Dataset.range(1, 10, 3)]
            [1, 4, 7]
        """
        output_type, name = kwargs.get("output_type"), kwargs.get("name")
        return cls._made(sources.range_of(args, output_type, name))

    @classmethod
    def counter(
        cls, start: Any = 0, step: Any = 1, dtype: Any = dtypes.int64, name: str | None = None
    ) -> Dataset:
        """Create an infinite dataset of the numbers `start, start + step, …`.

        Args:
            start: The first number.
            step: The difference of neighbours.
            dtype: The dtype of the numbers.

        Returns:
            An infinite dataset of scalars.

        Example:
            >>> [int(number) for number in tf.data.Dataset.counter(5, step=-1).take(3)]
            [5, 4, 3]
        """
        first, apart = dispatch.convert(start, dtype), dispatch.convert(step, dtype)
        ticks = cls.from_tensors(0).repeat()
        return ticks.scan(first, lambda number, _: (number + apart, number), name)

    @classmethod
    def random(
        cls,
        seed: Any = None,
        rerandomize_each_iteration: bool | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Create an infinite dataset of random int64 numbers of 32 bits.

        Args:
            seed: Seed of the numbers; with None, that of `tf.random.set_seed`, or a random one.
            rerandomize_each_iteration: Whether each iteration draws other numbers.

        Returns:
            An infinite dataset of int64 scalars.

        Example:
            >>> numbers = tf.data.Dataset.random(seed=7).take(2)
            >>> [int(n) for n in numbers] == [int(n) for n in numbers]
            True
        """
        return cls._made(random_numbers.random(seed, rerandomize_each_iteration, name))

    @classmethod
    def list_files(
        cls,
        file_pattern: Any,
        shuffle: bool | None = None,
        seed: Any = None,
        name: str | None = None,
    ) -> Dataset:
        """Create a dataset of the files that match a glob pattern, or any of several.

        Args:
            file_pattern: Pattern, list of patterns, or string tensor.
            shuffle: False for sorted names; otherwise their order is random.
            seed: Seed of the order.

        Returns:
            A dataset of file names, scalars of dtype string.

        Raises:
            tf.errors.InvalidArgumentError: If no file matches.

        Example:
            >>> for number in (1, 2):
            ...     tf.io.write_file(f"part-{number}.txt", "text")
            >>> for name in tf.data.Dataset.list_files("part-*.txt", shuffle=False):
            ...     print(name.numpy())
            b'part-1.txt'
            b'part-2.txt'
        """
        names = matching_files(file_pattern)
        dataset = cls.from_tensor_slices(names, name)
        return dataset if shuffle is False else dataset.shuffle(len(names), seed)

    # -- several datasets --------------------------------------------------------------------

    @classmethod
    def zip(cls, *args: Any, datasets: Any = None, name: str | None = None) -> Dataset:
        """Zip datasets: elements are taken from all of them at once, until one ends.

        Args:
            *args: The datasets, or one tuple or dict of datasets.
            datasets: The same as a keyword argument.

        Returns:
            A dataset whose elements have the structure of the argument.

        Raises:
            TypeError: If there is no dataset, or a list of them.

        Example:
            >>> letters = tf.data.Dataset.from_tensor_slices(["a", "b", "c"])
            >>> pairs = tf.data.Dataset.zip(tf.data.Dataset.range(2), letters)
            >>> [(int(number), letter.numpy()) for number, letter in pairs]
            [(0, b'a'), (1, b'b')]
        """
        if not args and datasets is None:
            raise TypeError("`zip` needs at least one dataset.")
        if args and datasets is not None:
            raise TypeError(
                "Pass datasets to `zip` as positional arguments or as `datasets=`, not as both."
            )
        structure = datasets if datasets is not None else args[0] if len(args) == 1 else args
        if any(isinstance(each, list) for each in (structure, *args)):
            raise TypeError(
                "`zip` takes datasets in tuples or dicts, not in a list: write `zip((a, b))` or "
                "`zip(a, b)`."
            )
        recipe = combining.zip_(structure, name)
        return cls._made(recipe, merged_options(nest.flatten(structure)))

    @classmethod
    def choose_from_datasets(
        cls,
        datasets: Sequence[Dataset],
        choice_dataset: Dataset,
        stop_on_empty_dataset: bool = True,
    ) -> Dataset:
        """Interleave datasets in the order that a dataset of indices specifies.

        Args:
            datasets: The datasets, with elements of compatible structures.
            choice_dataset: Dataset of int64 scalars: the indices of the datasets to take from.
            stop_on_empty_dataset: Whether to stop when a chosen dataset has ended; otherwise it is
                skipped.

        Returns:
            A dataset of the chosen elements.

        Raises:
            TypeError: If `choice_dataset` does not hold int64 scalars.
            ValueError: If `datasets` is empty.

        Example:
            >>> a, b = tf.data.Dataset.range(3), tf.data.Dataset.range(10, 13)
            >>> order = tf.data.Dataset.from_tensor_slices(np.array([0, 1, 1, 0]))
            >>> chosen = tf.data.Dataset.choose_from_datasets([a, b], order)
            >>> [int(number) for number in chosen]
            [0, 10, 11, 1]
        """
        recipe = combining.choose(datasets, choice_dataset, stop_on_empty_dataset)
        return cls._made(recipe, merged_options(datasets))

    @classmethod
    def sample_from_datasets(
        cls,
        datasets: Sequence[Dataset],
        weights: Any = None,
        seed: Any = None,
        stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: bool | None = None,
    ) -> Dataset:
        """Interleave datasets at random.

        Args:
            datasets: The datasets, with elements of compatible structures.
            weights: Probability of each dataset, a list or tensor, or a dataset of such vectors,
                one for each choice; uniform by default.
            seed: Seed of the choices.
            stop_on_empty_dataset: Whether to stop when a chosen dataset has ended; otherwise it is
                skipped, and the others are used up.
            rerandomize_each_iteration: Whether each iteration makes other choices.

        Returns:
            A dataset of the sampled elements.

        Example:
            >>> a, b = tf.data.Dataset.range(3), tf.data.Dataset.range(10, 13)
            >>> mixed = tf.data.Dataset.sample_from_datasets([a, b], weights=[0.5, 0.5], seed=1)
            >>> sorted(int(number) for number in mixed)
            [0, 1, 2, 10, 11, 12]
        """
        if len(datasets) == 1:
            return datasets[0]
        seeds = cls.random(seed, rerandomize_each_iteration).batch(2, drop_remainder=True)
        if hasattr(weights, "_variant_tensor"):
            spec = weights.element_spec
            sampling.require_weights(len(datasets), spec.dtype, as_dims(spec.shape))
            choices = cls.zip((weights, seeds)).map(sampling.choose)
        else:
            vector = sampling.as_weights(len(datasets), weights)
            chosen = sampling.nonzero(vector)
            if not chosen:
                return datasets[0].take(0)
            if len(chosen) == 1:
                return datasets[chosen[0]]
            if len(chosen) < len(datasets):
                datasets = [datasets[index] for index in chosen]
                vector = dispatch.convert(vector.static_value[chosen])
            choices = seeds.map(sampling.chooser(vector))
        return cls.choose_from_datasets(datasets, choices, stop_on_empty_dataset)


def merged_options(datasets: Sequence[Any]) -> Options:
    """Return the options of several datasets; those of later ones override."""
    merged = Options()
    for dataset in datasets:
        merged = merged.merge(dataset._options)
    return merged
