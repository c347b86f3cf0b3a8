"""`tf.random.Generator`: random numbers with an explicit state."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow._src.api.random.algorithm import Algorithm, algorithm_id, unsupported
from tapeflow._src.api.random.stateful import is_standard, require_float, scaled, uniform_interval
from tapeflow._src.api.random.stateless import uniform_from
from tapeflow._src.core import dispatch, dtypes, nest, random_state
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.replicas import replicas
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.trackable import AutoTrackable
from tapeflow._src.core.types import DTypeLike, ShapeLike, TensorLike
from tapeflow._src.eager.replication import VariableAggregation, VariableSynchronization
from tapeflow._src.eager.variable import Variable
from tapeflow._src.ops.array.filling import zeros_like
from tapeflow._src.ops.array.joining import concat_v2
from tapeflow._src.ops.array.shape import reshape, scalar_int, static_ints
from tapeflow._src.ops.array.stacking import pack, unpack
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.product import prod
from tapeflow._src.ops.random import generator as ops
from tapeflow._src.ops.random import stateless as stateless_ops
from tapeflow._src.ops.random.stateful import non_deterministic_ints

_COUNTER_SIZES = {
    Algorithm.PHILOX.value: 2,
    Algorithm.THREEFRY.value: 1,
    Algorithm.AUTO_SELECT.value: 2,
}
_WORD = 2**64


def _counter_size(alg: int) -> int:
    if alg not in _COUNTER_SIZES:
        raise ValueError(unsupported(alg))
    return _COUNTER_SIZES[alg]


def _wrapped(value: int) -> int:
    """Reinterpret an integer of up to 64 bits as signed."""
    return (value + _WORD // 2) % _WORD - _WORD // 2


def _state_tensor(value: TensorLike) -> Any:
    """Convert `value` to int64; integers that are too large keep their bits."""
    if any(isinstance(leaf, (Tensor, Variable)) for leaf in nest.flatten(value)):
        return cast(dispatch.convert(value), DstT=dtypes.int64)
    leaves = np.array(value, object)
    wrapped = [_wrapped(int(leaf)) for leaf in leaves.reshape(-1)]
    return dispatch.convert(np.array(wrapped, np.int64).reshape(leaves.shape))


@scoped("random_generator")
def _state_variable(state: Any) -> Variable:
    shared: dict[str, Any] = {}
    if replicas.strategy() is not None:
        # Each replica moves its own state on; checkpoints have that of the first.
        shared["synchronization"] = VariableSynchronization.ON_READ
        shared["aggregation"] = VariableAggregation.ONLY_FIRST_REPLICA
    return Variable(state, dtype=dtypes.int64, trainable=False, name="StateVar", **shared)


def _joined_state(key: Any, counter: Any, alg: int) -> Any:
    counter, key = _state_tensor(counter), _state_tensor(key)
    counter.shape.assert_is_compatible_with([_counter_size(alg)])
    key.shape.assert_is_compatible_with([])
    return concat_v2([counter, reshape(key, static_ints((1,)))], scalar_int(0))


def create_rng_state(seed: Any, alg: Any) -> Any:
    """Create the state of a generator from a seed.

    Args:
        seed: An integer, or a vector up to the size of the state: longer ones are cut off, shorter
            ones get zeros in front. No bits are scrambled.
        alg: The algorithm: "philox", "threefry" or "auto_select", or a `tf.random.Algorithm`.

    Returns:
        An int64 tensor of rank 1.

    Example:

        >>> tf.random.create_rng_state(1, "philox").numpy().tolist()
        [1, 0, 0]
    """
    length = _counter_size(algorithm_id(alg)) + 1
    if isinstance(seed, int):
        return _state_tensor([seed >> 64 * i & (_WORD - 1) for i in range(length)])
    words = reshape(_state_tensor(seed), static_ints((-1,)))[:length]
    missing = length - words.static_shape[0]
    return concat_v2([np.zeros(missing, np.int64), words], scalar_int(0))


class Generator(AutoTrackable):
    """A random-number generator: an algorithm and a state, which is a variable.

    Every call returns numbers and moves the state on, so that the next one returns others. Create
    one with `from_seed`, `from_state`, `from_key_counter` or `from_non_deterministic_state`.
    Checkpoints save the state.

    One that is created in the scope of a strategy has a stream for each replica, which depends on
    the state and on the index of the replica only: a checkpoint continues the streams, also of
    another number of replicas.

    Args:
        copy_from: A generator whose algorithm and current state are copied; instead of the others.
        state: The state: integers, or a variable, which is shared.
        alg: "philox", "threefry" or "auto_select", or a `tf.random.Algorithm`.

    Raises:
        ValueError: The arguments are not one of both combinations.

    Example:

        >>> generator = tf.random.Generator.from_seed(1)
        >>> first = generator.normal((2,))
        >>> bool(tf.reduce_all(first == generator.normal((2,))))
        False
        >>> generator.reset_from_seed(1)
        >>> bool(tf.reduce_all(first == generator.normal((2,))))
        True
    """

    def __init__(self, copy_from: Any = None, state: Any = None, alg: Any = None) -> None:
        if copy_from is not None:
            if state is not None or alg is not None:
                raise ValueError("Generator: give either `copy_from`, or `state` and `alg`.")
            state, alg = copy_from.state.read_value(), copy_from.algorithm
        elif state is None or alg is None:
            raise ValueError(
                "Generator: give both `state` and `alg`, or call Generator.from_seed(seed)."
            )
        self._alg = algorithm_id(alg)
        if not isinstance(state, Variable):
            state = _state_tensor(state)
        state.shape.assert_is_compatible_with([_counter_size(int(self._alg)) + 1])
        self._strategy = replicas.strategy()
        if isinstance(state, Variable):
            self._state_var = state
        else:
            self._state_var = _state_variable(state)

    # -- making one --------------------------------------------------------------------------

    @classmethod
    def from_state(cls, state: Any, alg: Any) -> Generator:
        """Create a generator with that state; a variable is shared, not copied.

        Args:
            state: The state: integers or a variable.
            alg: "philox", "threefry" or "auto_select", or a `tf.random.Algorithm`.

        Returns:
            A generator.

        Example:

            >>> generator = tf.random.Generator.from_state([0, 0, 1], "philox")
            >>> generator.state.numpy().tolist()
            [0, 0, 1]
        """
        return cls(alg=alg, state=state)

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> Generator:
        """Create a generator from a seed.

        Args:
            seed: An integer, or a vector up to the size of the state.
            alg: "philox", "threefry" or "auto_select", or a `tf.random.Algorithm`. Philox by
                default.

        Returns:
            A generator.

        Example:

            >>> tf.random.Generator.from_seed(5).state.numpy().tolist()
            [5, 0, 0]
        """
        alg = Algorithm.PHILOX if alg is None else alg
        return cls(state=create_rng_state(seed, alg), alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """Create a generator with a random state.

        Args:
            alg: "philox", "threefry" or "auto_select", or a `tf.random.Algorithm`. Philox by
                default.

        Returns:
            A generator.

        Raises:
            RuntimeError: Determinism is required.
        """
        if random_state.determinism_required():
            raise RuntimeError(
                "from_non_deterministic_state needs determinism to be off. Use "
                "Generator.from_seed, or do not call tf.config.experimental.enable_op_determinism."
            )
        alg = algorithm_id(Algorithm.PHILOX if alg is None else alg)
        length = static_ints((_counter_size(alg) + 1,))
        return cls(state=non_deterministic_ints(length, dtype=dtypes.int64), alg=alg)

    @classmethod
    def from_key_counter(cls, key: Any, counter: Any, alg: Any) -> Generator:
        """Create a generator from a key (an integer) and a counter (a vector).

        Args:
            key: An integer: generators of different keys have different streams.
            counter: Integers: the position in the stream.
            alg: "philox", "threefry" or "auto_select", or a `tf.random.Algorithm`.

        Returns:
            A generator.

        Example:

            >>> generator = tf.random.Generator.from_key_counter(7, [0, 0], "philox")
            >>> generator.key.numpy()
            np.int64(7)
        """
        alg = algorithm_id(alg)
        return cls(state=_joined_state(key, counter, alg), alg=alg)

    # -- its state ---------------------------------------------------------------------------

    @property
    def state(self) -> Variable:
        """The variable that holds the state: the counter, then the key."""
        return self._state_var

    @property
    def algorithm(self) -> Any:
        """The id of the algorithm (see `tf.random.Algorithm`)."""
        return self._alg

    @property
    def key(self) -> Any:
        """The key: the part of the state that distinguishes streams."""
        return self._state_var[-1]

    def reset(self, state: Any) -> None:
        """Set the state.

        Args:
            state: The new state, of the same size.

        Example:

            >>> generator = tf.random.Generator.from_seed(1)
            >>> generator.reset([0, 0, 9])
            >>> generator.state.numpy().tolist()
            [0, 0, 9]
        """
        state = _state_tensor(state)
        state.shape.assert_is_compatible_with([_counter_size(self._alg) + 1])
        self._state_var.assign(state)

    def reset_from_seed(self, seed: Any) -> None:
        """Set the state from a seed.

        Args:
            seed: An integer, or a vector up to the size of the state.

        Example:

            >>> generator = tf.random.Generator.from_seed(1)
            >>> generator.reset_from_seed(9)
            >>> generator.state.numpy().tolist()
            [9, 0, 0]
        """
        self._state_var.assign(create_rng_state(seed, self._alg))

    def reset_from_key_counter(self, key: Any, counter: Any) -> None:
        """Set the state from a key and a counter.

        Args:
            key: An integer.
            counter: Integers: the position in the stream.

        Example:

            >>> generator = tf.random.Generator.from_seed(1)
            >>> generator.reset_from_key_counter(key=9, counter=[0, 0])
            >>> generator.key.numpy()
            np.int64(9)
        """
        self._state_var.assign(_joined_state(key, counter, self._alg))

    def skip(self, delta: TensorLike) -> Any:
        """Advance the counter as if `delta` numbers had been drawn; return the state before.

        Args:
            delta: How many numbers to skip.

        Returns:
            An int64 tensor.

        Example:

            >>> generator = tf.random.Generator.from_seed(1)
            >>> generator.skip(5).numpy().tolist()
            [1, 0, 0]
        """
        delta = cast(dispatch.convert(delta), DstT=dtypes.uint64)
        return self._skipped(self._running()[1], delta, np.int32(self._alg))

    # -- replicas ----------------------------------------------------------------------------

    def _running(self) -> tuple[Any, tuple[Variable, ...]]:
        """Return the index of the replica that runs, and the states to move on.

        The index is None across replicas, where the states of all replicas move on.
        """
        state, own = self._state_var, self._strategy
        if own is None:
            return None, (state,)
        current = replicas.strategy()
        if current not in (None, own):
            raise RuntimeError(
                f"A tf.random.Generator that was created under {type(own).__name__} is used under "
                f"another strategy, {type(current).__name__}. Create one in the scope of the "
                "strategy that uses it; a checkpoint takes the state along."
            )
        index = None if current is None else replicas.index()
        return index, replicas.parts(state)

    def _skipped(self, states: Sequence[Variable], delta: Any, number: Any) -> Any:
        """Move these states on by `delta` numbers; return the first as it was before."""
        before = []
        for state in states:
            dispatch.variable_accessed(state)
            before.append(ops.rng_read_and_skip(state.handle, number, delta))
        return before[0]

    def _key_of_replica(self, key: Any, index: Any) -> Any:
        """Return the key of a replica's stream: that of the generator, hashed with the index."""
        if index is None:
            return key
        counter = pack([cast(index, DstT=dtypes.uint64), np.uint64(0)], axis=0)
        return stateless_ops.stateless_random_uniform_full_int_v2(
            static_ints((1,)), key, counter, scalar_int(self._alg), dtype=dtypes.uint64
        )

    # -- numbers -----------------------------------------------------------------------------

    def _key_counter_alg(self, shape: Any) -> tuple[Any, Any, Any]:
        """Return the arguments of a stateless op for a tensor of that shape."""
        replica, states = self._running()
        if dispatch.current_graph() is None:
            # The same without six ops, each of which costs as much as the numbers.
            outputs = dispatch.convert(np.uint64(math.prod(shape.numpy().tolist())))
            number = scalar_int(self._alg)
            state = self._skipped(states, outputs, number)
            numbers = state.numpy().view(np.uint64)
            split = _counter_size(self._alg)
            key = self._key_of_replica(dispatch.convert(numbers[split : split + 1]), replica)
            return key, dispatch.convert(numbers[:split]), number
        outputs = cast(prod(shape, static_ints((0,))), DstT=dtypes.uint64)
        state = self._skipped(states, outputs, np.int32(self._alg))
        words = cast(state, DstT=dtypes.uint64)
        counters = _counter_size(self._alg)
        key = self._key_of_replica(words[counters : counters + 1], replica)
        return key, words[:counters], self._alg

    @scoped("stateful_normal", names_result=True)
    def normal(
        self,
        shape: ShapeLike,
        mean: TensorLike = 0.0,
        stddev: Any = 1.0,
        dtype: DTypeLike = dtypes.float32,
        name: str | None = None,
    ) -> Any:
        """Draw numbers from a normal distribution.

        Args:
            shape: How many numbers to draw, as a shape.
            mean: The mean; a number or a tensor that broadcasts to `shape`.
            stddev: The standard deviation; likewise.
            dtype: A floating-point dtype; float32 by default.
            name: Name of the op in a graph.

        Returns:
            A tensor of shape `shape`.

        Example:

            >>> generator = tf.random.Generator.from_seed(1)
            >>> generator.normal((2, 3)).shape
            TensorShape([2, 3])
        """
        shape, dtype = _shape_tensor(shape), require_float(dtype, mean)
        drawn = self._key_counter_alg(shape)
        if is_standard(mean, stddev):
            return stateless_ops.stateless_random_normal_v2(shape, *drawn, dtype=dtype, name=name)
        numbers = stateless_ops.stateless_random_normal_v2(shape, *drawn, dtype=dtype)
        return scaled(numbers, mean, stddev, dtype, name)

    @scoped("truncated_normal", names_result=True)
    def truncated_normal(
        self,
        shape: ShapeLike,
        mean: TensorLike = 0.0,
        stddev: Any = 1.0,
        dtype: DTypeLike = dtypes.float32,
        name: str | None = None,
    ) -> Any:
        """Draw numbers from a normal distribution truncated at two standard deviations.

        Args:
            shape: How many numbers to draw, as a shape.
            mean: The mean; a number or a tensor that broadcasts to `shape`.
            stddev: The standard deviation; likewise.
            dtype: A floating-point dtype; float32 by default.
            name: Name of the op in a graph.

        Returns:
            A tensor of shape `shape`.

        Example:

            >>> generator = tf.random.Generator.from_seed(1)
            >>> bool(tf.reduce_all(tf.abs(generator.truncated_normal((100,))) <= 2.0))
            True
        """
        shape, dtype = _shape_tensor(shape), require_float(dtype, mean)
        drawn = self._key_counter_alg(shape)
        if is_standard(mean, stddev):
            return stateless_ops.stateless_truncated_normal_v2(
                shape, *drawn, dtype=dtype, name=name
            )
        numbers = stateless_ops.stateless_truncated_normal_v2(shape, *drawn, dtype=dtype)
        return scaled(numbers, mean, stddev, dtype, name)

    @scoped("stateful_uniform", names_result=True)
    def uniform(
        self,
        shape: ShapeLike,
        minval: TensorLike = 0,
        maxval: TensorLike | None = None,
        dtype: DTypeLike = dtypes.float32,
        name: str | None = None,
    ) -> Any:
        """Draw uniform numbers in `[minval, maxval)`; any integer if both are None.

        Args:
            shape: How many numbers to draw, as a shape.
            minval: The lower bound, included.
            maxval: The upper bound, excluded; 1 for floats by default.
            dtype: A floating-point or integer dtype; float32 by default.
            name: Name of the op in a graph.

        Returns:
            A tensor of shape `shape`.

        Raises:
            ValueError: Of integers, only one bound is passed.

        Example:

            >>> generator = tf.random.Generator.from_seed(1)
            >>> x = generator.uniform((1000,), 1, 7, dtype=tf.int32)
            >>> int(tf.reduce_min(x)), int(tf.reduce_max(x))
            (1, 6)
        """
        dtype = as_dtype(dtype)
        interval = uniform_interval(minval, maxval, dtype)
        shape = _shape_tensor(shape)
        return uniform_from(shape, *self._key_counter_alg(shape), interval, dtype, name)

    @scoped("stateful_uniform_full_int", names_result=True)
    def uniform_full_int(
        self, shape: ShapeLike, dtype: DTypeLike = dtypes.uint64, name: str | None = None
    ) -> Any:
        """Draw integers over the full range of their dtype.

        Args:
            shape: How many numbers to draw, as a shape.
            dtype: An integer dtype; uint64 by default.
            name: Name of the op in a graph.

        Returns:
            A tensor of shape `shape`.

        Example:

            >>> generator = tf.random.Generator.from_seed(1)
            >>> generator.uniform_full_int((2,)).dtype
            tf.uint64
        """
        shape, dtype = _shape_tensor(shape), as_dtype(dtype)
        return uniform_from(shape, *self._key_counter_alg(shape), None, dtype, name)

    @scoped("binomial", names_result=True)
    def binomial(
        self,
        shape: ShapeLike,
        counts: Any,
        probs: TensorLike,
        dtype: DTypeLike = dtypes.int32,
        name: str | None = None,
    ) -> Any:
        """Draw numbers from binomial distributions with `counts` trials of probability `probs`.

        Args:
            shape: How many numbers to draw, as a shape that ends with that of the parameters.
            counts: The numbers of trials.
            probs: The probabilities of success; both broadcast.
            dtype: The dtype of the result; int32 by default.
            name: Name of the op in a graph.

        Returns:
            A tensor of shape `shape`.

        Example:

            >>> generator = tf.random.Generator.from_seed(1)
            >>> generator.binomial((3,), counts=[10.0, 10.0, 10.0], probs=[0.0, 0.5, 1.0]).shape
            TensorShape([3])
        """
        arguments = np.int64(self._alg), _shape_tensor(shape), counts, probs
        drawn = []
        for state in self._running()[1]:
            dispatch.variable_accessed(state)
            drawn.append(
                ops.stateful_random_binomial(
                    state.handle, *arguments, dtype=as_dtype(dtype), name=name
                )
            )
        return drawn[0]

    # -- new ones from it --------------------------------------------------------------------

    def make_seeds(self, count: int = 1) -> Any:
        """Create seeds for stateless functions, one per column.

        Args:
            count: How many.

        Returns:
            An int64 tensor of shape `[2, count]`.

        Example:

            >>> tf.random.Generator.from_seed(1).make_seeds(3).shape
            TensorShape([2, 3])
        """
        keys = self.uniform_full_int([count], dtypes.int64)
        return pack([keys, zeros_like(keys)])

    def split(self, count: int = 1) -> list[Generator]:
        """Create new generators with independent streams.

        Args:
            count: How many.

        Returns:
            A list of generators.

        Example:

            >>> len(tf.random.Generator.from_seed(1).split(3))
            3
        """
        keys = self.uniform_full_int([count], dtypes.int64)
        counter = [0] * _counter_size(self._alg)
        return [
            Generator.from_key_counter(key, counter, self._alg) for key in unpack(keys, num=count)
        ]


def _shape_tensor(shape: ShapeLike) -> Any:
    return dispatch.convert(shape, None, dtypes.int32, "shape")


_lock = threading.Lock()
_global_generator: Generator | None = None


def get_global_generator() -> Generator:
    """Return the global generator, created from a random state when first needed.

    Returns:
        A `tf.random.Generator`.

    Raises:
        RuntimeError: Determinism is required and no generator has been set.

    Example:
        >>> tf.random.set_global_generator(tf.random.Generator.from_seed(1))
        >>> tf.random.get_global_generator().algorithm
        1
    """
    global _global_generator
    with _lock:
        if _global_generator is None:
            if random_state.determinism_required():
                raise RuntimeError(
                    "With determinism on, there is no global generator until one is set: pass "
                    "Generator.from_seed(...) to set_global_generator before get_global_generator."
                )
            _global_generator = Generator.from_non_deterministic_state()
        return _global_generator


def set_global_generator(generator: Generator) -> None:
    """Replace the global generator.

    Functions that were traced before keep using the former one.

    Args:
        generator: A `tf.random.Generator`.

    Example:

        >>> tf.random.set_global_generator(tf.random.Generator.from_seed(1))
        >>> tf.random.get_global_generator().normal((2,)).shape
        TensorShape([2])
    """
    global _global_generator
    with _lock:
        _global_generator = generator
