"""`RNN`: a cell run over the steps of sequences."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.layers.rnn import loop
from tapeflow._src.keras.layers.rnn.cell import batch_of
from tapeflow._src.keras.layers.rnn.dropout_rnn_cell import DropoutRNNCell
from tapeflow._src.keras.layers.rnn.stacked_rnn_cells import StackedRNNCells, takes_constants
from tapeflow._src.keras.saving.deserialization import located, member, read_object
from tapeflow._src.keras.saving.registry import CELL
from tapeflow._src.keras.saving.serialization import serialize_keras_object
from tapeflow._src.keras.variables import Variable

_FLAGS = (
    *("return_sequences", "return_state", "go_backwards", "stateful", "unroll"),
    "zero_output_for_mask",
)


class RNN(Layer):
    """Runs a recurrent cell, or a stack of cells, over the steps of sequences.

    Inputs have the shape (batch, steps, ...); outputs are those of the last step, or of all steps
    with `return_sequences`. Ragged inputs are accepted. As in Keras 2, `time_major=True` expects
    (steps, batch, ...), and `layer([sequences, state, ...])` passes initial states.

    Args:
        cell: A cell, or a list of cells to stack. A cell has `call(inputs, states) -> (output,
            new_states)` and `state_size`, an integer or a list of integers.
        return_sequences: Whether to return the outputs of all steps instead of the last.
        return_state: Whether to return the final states, too.
        go_backwards: Whether to process the steps in reverse.
        stateful: Whether each batch continues from the final states of the one before it.
        unroll: Whether to unroll the loop over the steps, which must then be static.
        zero_output_for_mask: Whether masked steps output zeros instead of the output before.

    Call arguments:
        sequences: Tensor of shape (batch, steps, features), or a ragged tensor.
        initial_state: State, or list of states, before the first step; zeros if None.
        mask: Boolean tensor of shape (batch, steps); masked steps leave the states as they are.
        training: Whether dropout is active.
        constants: Tensors that the cell receives at each step (Keras 2).

    Raises:
        ValueError: The cell has no `call` or `state_size`, or a stateful layer has no static batch
            size.

    Example:
        >>> cells = [tf.keras.layers.LSTMCell(4), tf.keras.layers.LSTMCell(2)]
        >>> tf.keras.layers.RNN(cells)(tf.ones((3, 5, 8))).shape
        TensorShape([3, 2])
    """

    _tpf_builds_nothing = False

    def __init__(
        self,
        cell: Any,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        zero_output_for_mask: bool = False,
        **kwargs: Any,
    ) -> None:
        if isinstance(cell, (list, tuple)):
            cell = StackedRNNCells(cell)
        for name, purpose in (("call", "a method"), ("state_size", "an attribute")):
            if name not in dir(cell):
                raise ValueError(
                    f"The cell of an RNN layer needs {purpose} `{name}`. Received: cell={cell} "
                    f"of type {type(cell).__name__}"
                )
        # Of Keras 2: the order of axes, and how many of a list of inputs are constants.
        self.time_major = kwargs.pop("time_major", False)
        self._tpf_num_constants = kwargs.pop("num_constants", 0)
        super().__init__(**kwargs)
        self.cell = cell
        self.return_sequences = return_sequences
        self.return_state = return_state
        self.go_backwards = go_backwards
        self.stateful = stateful
        self.unroll = unroll
        self.zero_output_for_mask = zero_output_for_mask
        self.supports_masking = True
        self._tpf_memory = _Memory()
        self.state_size = cell.state_size
        # Whether a cell has one state, which it may take and return outside of a list.
        self._tpf_single_state = not isinstance(self.state_size, (list, tuple))

    # -- shapes ------------------------------------------------------------------------------

    def _tpf_batch_and_steps(self, shape: Any) -> tuple[Any, Any]:
        return (shape[1], shape[0]) if self.time_major else (shape[0], shape[1])

    def compute_output_shape(self, sequences_shape: Any, initial_state_shape: Any = None) -> Any:
        """Return the shape of the outputs, and with `return_state` of the states.

        Args:
            sequences_shape: Shape of the sequences with the batch axis.
            initial_state_shape: Ignored: it follows from the cell.

        Returns:
            A tuple, or with `return_state` a tuple of the shapes of the output and of each state.

        Example:
            >>> layer = tf.keras.layers.LSTM(4, return_sequences=True)
            >>> layer.compute_output_shape((None, 5, 8))
            (None, 5, 4)
        """
        batch, steps = self._tpf_batch_and_steps(_first_shape(sequences_shape))
        states = _map_sizes(lambda size: _state_shape(batch, size), self.state_size)
        sizes = getattr(self.cell, "output_size", None)
        if sizes is None:
            sizes = self.state_size if self._tpf_single_state else self.state_size[0]

        def output_shape(size: Any) -> tuple[Any, ...]:
            row = _state_shape(batch, size)
            if not self.return_sequences:
                return row
            return (steps, *row) if self.time_major else (batch, steps, *row[1:])

        outputs = _map_sizes(output_shape, sizes)
        if not self.return_state:
            return outputs
        return (outputs, *([states] if self._tpf_single_state else states))

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        masks = tf.nest.flatten(mask)
        mask = masks[0] if masks and self.return_sequences else None
        if not self.return_state:
            return mask
        return [mask, *(None for _ in tf.nest.flatten(self.state_size))]

    def build(self, sequences_shape: Any, initial_state_shape: Any = None) -> None:
        """Build the cell for the features of a step, and create the states of a stateful layer.

        Args:
            sequences_shape: Shape of the sequences with the batch axis, or a structure of shapes.
            initial_state_shape: Ignored: it follows from the cell.

        Raises:
            ValueError: The layer is stateful and the batch size is not static.
        """

        def step_shape(shape: Any) -> tuple[Any, ...]:
            batch, _ = self._tpf_batch_and_steps(shape)
            return (batch, *shape[2:])

        cell = self.cell
        if isinstance(cell, Layer) and not cell.built:
            cell.build(_map_sizes(step_shape, sequences_shape, leaf=_is_shape))
            cell.built = True
        if self.stateful and self.states is None:
            self._tpf_create_states(self._tpf_batch_and_steps(_first_shape(sequences_shape))[0])

    # -- states ------------------------------------------------------------------------------

    @property
    def states(self) -> Any:
        """The variables of a stateful layer that is built; they are not among its weights."""
        return self._tpf_memory.states

    @states.setter
    def states(self, value: Any) -> None:
        self._tpf_memory.states = value

    def get_initial_state(self, batch_size: Any = None, *, inputs: Any = None) -> Any:
        """The states before the first step: those of the cell, or zeros.

        Args:
            batch_size: The number of rows, or inputs that have as many.
            inputs: Inputs that have as many rows, as in Keras 2.

        Returns:
            A list of tensors.

        Example:
            >>> states = tf.keras.layers.LSTM(4).get_initial_state(batch_size=2)
            >>> [state.shape for state in states]
            [TensorShape([2, 4]), TensorShape([2, 4])]
        """
        rows = batch_of(inputs if batch_size is None else batch_size, None)
        of_cell = getattr(self.cell, "get_initial_state", None)
        if of_cell is not None:
            states = of_cell(batch_size=rows)
        else:
            states = _map_sizes(
                lambda size: tf.zeros(_state_shape(rows, size), self.compute_dtype), self.state_size
            )
        return states if isinstance(states, (list, tuple)) else [states]

    def _tpf_create_states(self, batch: int | None) -> None:
        if batch is None:
            raise ValueError(
                f"Layer '{self.name}' has `stateful=True`, so its state has a row for each row of "
                f"a batch, and the batch size must be known. Use `Input(batch_shape=(32, ...))` or "
                f"`batch_shape=` on the first layer."
            )
        with tf.init_scope():
            initial = self.get_initial_state(batch)
            self.states = tf.nest.map_structure(
                lambda value: Variable(
                    tf.cast(value, self.variable_dtype), trainable=False, name="rnn_state"
                ),
                list(initial),
            )

    def reset_state(self) -> None:
        """Set the states of a stateful layer back to their initial values."""
        if self.states is not None:
            first = tf.nest.flatten(self.states)[0]
            initial = self.get_initial_state(first.shape[0])
            for variable, value in zip(tf.nest.flatten(self.states), tf.nest.flatten(initial)):
                variable.assign(tf.cast(value, variable.dtype))

    def reset_states(self, states: Any = None) -> None:
        """Set the states of a stateful layer to `states`, or back to their initial values.

        Args:
            states: A value for each state; None for the initial values, as `reset_state`.

        Raises:
            ValueError: The layer is not stateful or not built, or the number of states is another.
        """
        if states is None:
            self.reset_state()
            return
        if self.states is None:
            raise ValueError(
                f"Layer '{self.name}' keeps no state between batches. Create it with "
                f"`stateful=True`, and build it, to set one."
            )
        values = tf.nest.flatten(states)
        variables = tf.nest.flatten(self.states)
        if len(values) != len(variables):
            raise ValueError(
                f"Layer '{self.name}' has {len(variables)} states. Received {len(values)}."
            )
        for variable, value in zip(variables, values):
            variable.assign(value)

    # -- calling -----------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        args, kwargs = with_named_states(args, kwargs, self._tpf_num_constants)
        return super().__call__(*args, **kwargs)

    def call(
        self,
        sequences: Any,
        initial_state: Any = None,
        mask: Any = None,
        training: Any = False,
        constants: Any = None,
    ) -> Any:
        """Run the cell over `sequences`.

        Args:
            sequences: Tensor of shape (batch, steps, ...), or a ragged tensor.
            initial_state: State, or list of states, before the first step; zeros if None.
            mask: Boolean tensor of shape (batch, steps); masked steps leave states as they are.
            training: Whether the cell runs as in training.
            constants: A tensor or a list of them that the cell gets at each step, as the argument
                `constants` of its `call` (Keras 2).
        """
        lengths = None
        if isinstance(sequences, tf.RaggedTensor):
            sequences, mask, lengths = _padded(sequences)
        mask = tf.nest.flatten(mask)[0] if mask is not None else None
        if not self.time_major:
            sequences = tf.nest.map_structure(_swapped, sequences)
            mask = None if mask is None else _swapped(mask)
        rows = tf.nest.flatten(sequences)[0]
        states = self._tpf_starting_states(initial_state, rows)
        for cell in getattr(self.cell, "cells", [self.cell]):
            if isinstance(cell, DropoutRNNCell):
                cell.reset_dropout_mask()
                cell.reset_recurrent_dropout_mask()
        if training:
            self._tpf_draw_patterns(sequences, states)
        if constants is None:
            last, outputs, states = self.inner_loop(sequences, states, mask, training)
        else:
            constants = list(constants) if isinstance(constants, (list, tuple)) else [constants]
            last, outputs, states = self._tpf_loop(
                sequences, states, mask, training, constants=self._tpf_checked(constants)
            )
        # A cell may compute in another dtype.
        last, outputs, states = tf.nest.map_structure(
            self._tpf_in_own_dtype, (last, outputs, states)
        )
        if self.stateful:
            for variable, value in zip(tf.nest.flatten(self.states), tf.nest.flatten(states)):
                variable.assign(tf.cast(value, variable.dtype))
        result = last
        if self.return_sequences:
            swap = tf.identity if self.time_major else _swapped
            result = tf.nest.map_structure(swap, outputs)
            if lengths is not None:
                result = self._tpf_ragged(result, lengths)
        return (result, *states) if self.return_state else result

    def _tpf_ragged(self, outputs: Any, lengths: TensorLike) -> Any:
        """The outputs of ragged sequences, in the order of the steps taken."""
        if self.go_backwards:
            outputs = tf.reverse_sequence(tf.reverse(outputs, [1]), lengths, seq_axis=1)
        return tf.RaggedTensor.from_tensor(outputs, lengths)

    def _tpf_in_own_dtype(self, x: Any) -> Any:
        if x is None or not x.dtype.is_floating or x.dtype.name == self.compute_dtype:
            return x
        return tf.cast(x, self.compute_dtype)

    def _tpf_checked(self, constants: list[Any]) -> list[Any]:
        """The constants of a call; ValueError if the cell does not take any."""
        if not takes_constants(self.cell):
            raise ValueError(
                f"Layer '{self.name}' received `constants`, but `call` of its cell "
                f"{type(self.cell).__name__} has no argument `constants`."
            )
        return constants

    def _tpf_starting_states(self, initial_state: Any, rows: Any) -> Any:
        if initial_state is not None:
            states = tf.nest.flatten(initial_state)
        elif self.stateful:
            held = tf.nest.flatten(self.states)[0].shape[0]
            if rows.shape[1] not in (None, held):
                raise ValueError(
                    f"Layer '{self.name}' is stateful and was built for a batch size of {held}. "
                    f"Received inputs with a batch size of {rows.shape[1]}."
                )
            states = tf.nest.map_structure(lambda v: v.value(), self.states)
        else:
            size = rows.shape[1] if rows.shape[1] is not None else tf.shape(rows)[1]
            states = self.get_initial_state(size)
        expected = len(tf.nest.flatten(self.state_size))
        if len(tf.nest.flatten(states)) != expected:
            raise ValueError(
                f"Layer '{self.name}' has {expected} states of sizes {self.state_size}. Received "
                f"an `initial_state` of {len(tf.nest.flatten(states))}."
            )
        if initial_state is not None:
            structure = _map_sizes(lambda size: 0, self.state_size)
            structure = [structure] if self._tpf_single_state else structure
            states = tf.nest.pack_sequence_as(structure, states)
        return tf.nest.map_structure(lambda state: tf.cast(state, self.compute_dtype), states)

    def _tpf_draw_patterns(self, sequences: Any, states: Any) -> None:
        """Draw the patterns of dropout here: what a loop's body draws cannot leave it."""
        cell = self.cell
        if isinstance(cell, DropoutRNNCell):
            cell.get_dropout_mask(tf.nest.flatten(sequences)[0][0])
            cell.get_recurrent_dropout_mask(tf.nest.flatten(states)[0])
        elif isinstance(cell, StackedRNNCells):
            cell.draw_patterns(sequences[0], states)

    def inner_loop(
        self, sequences: TensorLike, initial_state: Any, mask: TensorLike, training: Any = False
    ) -> Any:
        """Run the cell over time-major `sequences`.

        Args:
            sequences: Tensor of shape (steps, batch, ...).
            initial_state: States before the first step.
            mask: Boolean tensor of shape (steps, batch); None for no mask.
            training: Whether the cell runs as in training.

        Returns:
            The last output, all outputs in time-major order, and the last states.
        """
        return self._tpf_loop(sequences, initial_state, mask, training)

    def _tpf_loop(
        self,
        sequences: TensorLike,
        initial_state: Any,
        mask: TensorLike,
        training: Any,
        **kwargs: Any,
    ) -> Any:
        """The loop of single steps, each of which gets `kwargs`."""
        cell = self.cell
        if isinstance(cell, Layer) and cell._tpf_heeds_training:
            kwargs["training"] = training

        def step(inputs: Any, states: Any) -> tuple[Any, Any]:
            output, new_states = cell(inputs, states, **kwargs)
            if not isinstance(new_states, (list, tuple)):
                new_states = [new_states]
            return output, tf.nest.pack_sequence_as(states, tf.nest.flatten(new_states))

        return loop.run(
            step,
            sequences,
            initial_state,
            mask=mask,
            go_backwards=self.go_backwards,
            unroll=self.unroll,
            zero_output_for_mask=self.zero_output_for_mask,
            return_all=self.return_sequences,
        )

    def get_config(self) -> dict[str, Any]:
        config = {**super().get_config(), **{name: getattr(self, name) for name in _FLAGS}}
        if self.time_major:
            config["time_major"] = True
        if self._tpf_num_constants:
            config["num_constants"] = self._tpf_num_constants
        config["cell"] = serialize_keras_object(self.cell)
        return config

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        cell = member(config, "cell", dict)
        with located(".cell"):
            cell = read_object(cell, CELL, custom_objects)
        return cls(**{**config, "cell": cell})


def with_named_states(
    args: tuple[Any, ...], kwargs: dict[str, Any], constant_count: int
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call in which a list has states and constants after the sequences.

    A tuple is one input of several sequences.
    """
    if len(args) != 1 or type(args[0]) is not list:
        return args, kwargs
    inputs, kwargs = list(args[0]), dict(kwargs)
    if constant_count and kwargs.get("constants") is None:
        kwargs["constants"] = inputs[-constant_count:]
        del inputs[-constant_count:]
    if len(inputs) > 1 and kwargs.get("initial_state") is None:
        kwargs["initial_state"] = inputs[1:]
    return (inputs[0],), kwargs


class _Memory:
    """Holds what lasts from batch to batch, out of sight of those who collect weights."""

    states: Any = None


def _swapped(x: Any) -> Any:
    """A tensor with its first two axes swapped."""
    return tf.transpose(x, (1, 0, *range(2, x.shape.rank)))


def _padded(sequences: Any) -> tuple[Any, Any, Any]:
    """Ragged sequences padded, with the mask and the lengths of what is not padding."""
    lengths = sequences.row_lengths()
    dense = sequences.to_tensor()
    return dense, tf.sequence_mask(lengths, tf.shape(dense)[1]), lengths


def _state_shape(batch: Any, size: Any) -> tuple[Any, ...]:
    if isinstance(size, tf.TensorShape):
        return (batch, *size)
    return (batch, size)


def _is_shape(value: Any) -> bool:
    return isinstance(value, tf.TensorShape) or all(
        size is None or isinstance(size, int) for size in value
    )


def _first_shape(shapes: Any) -> Any:
    while not _is_shape(shapes):
        shapes = next(iter(shapes.values())) if isinstance(shapes, dict) else shapes[0]
    return shapes


def _map_sizes(function: Any, sizes: Any, leaf: Any = None) -> Any:
    """`function` of each size in a structure: a list or tuple holds several."""
    if leaf(sizes) if leaf else not isinstance(sizes, (list, tuple, dict)):
        return function(sizes)
    if isinstance(sizes, dict):
        return {name: _map_sizes(function, size, leaf) for name, size in sizes.items()}
    return [_map_sizes(function, size, leaf) for size in sizes]
