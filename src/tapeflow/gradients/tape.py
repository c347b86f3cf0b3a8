"""`GradientTape`: records what happens to watched tensors, and differentiates it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Any

from tapeflow.core import dispatch, nest
from tapeflow.core.log import logger, warn_first
from tapeflow.core.registry import Op
from tapeflow.core.tensor import Tensor
from tapeflow.eager.tensor import identity
from tapeflow.eager.variable import Variable
from tapeflow.gradients.backprop import backpropagate
from tapeflow.gradients.record import DIFFERENTIABLE, Record, make_custom_record, make_record
from tapeflow.ops.array import ones_like, zeros_like
from tapeflow.ops.indexed_slices import IndexedSlices


class UnconnectedGradients(Enum):
    """What stands for the gradient of a source that the target does not depend on."""

    NONE = "none"
    ZERO = "zero"


class GradientTape:
    """Records operations on watched tensors in its context, for differentiation.

    Trainable variables are watched when they are read, tensors when `watch` is called.
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._watch_accessed_variables = watch_accessed_variables
        self._recording = False
        self._clear()

    def _clear(self) -> None:
        self._records: list[Record] | None = []
        self._tracked: set[int] = set()
        self._variables: dict[int, Any] = {}

    # -- recording ---------------------------------------------------------------------------

    def __enter__(self) -> GradientTape:
        if self._recording:
            raise ValueError("Tape is still recording. This can happen if you try to re-enter it.")
        if not self._persistent or self._records is None:
            self._clear()
        self._start()
        return self

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        if self._recording:
            self._stop()

    def _start(self) -> None:
        self._recording = True
        dispatch.add_recorder(self)

    def _stop(self) -> None:
        if not self._recording:
            raise ValueError("Tape is not recording.")
        self._recording = False
        dispatch.remove_recorder(self)

    def record(
        self, op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], outputs: tuple[Any, ...]
    ) -> None:
        """Take note of an op call (called by the dispatcher)."""
        if op.gradient_rule is None:
            return
        record = make_record(op, inputs, attrs, outputs, self._tracked)
        if record is not None and self._records is not None:
            self._records.append(record)

    def record_custom(
        self, backward: Callable[..., list[Any]], inputs: tuple[Any, ...], outputs: tuple[Any, ...]
    ) -> None:
        """Take note of a call with a gradient function of its own."""
        record = make_custom_record(backward, inputs, outputs, self._tracked)
        if record is not None and self._records is not None:
            self._records.append(record)

    def variable_accessed(self, variable: Any) -> None:
        """Watch a trainable variable that is read (called by the variable)."""
        if self._watch_accessed_variables and variable.trainable:
            self._watch_variable(variable)

    def _watch_variable(self, variable: Any) -> None:
        number = identity(variable.handle)
        self._tracked.add(number)
        self._variables[number] = variable

    def watch(self, tensor: Any) -> None:
        """Record what happens to `tensor`: a tensor, a variable, or a structure of them."""
        for item in nest.flatten(tensor, expand_composites=True):
            if not isinstance(item, (Tensor, Variable)):
                raise ValueError(
                    f"Passed in object {item!r} of type {type(item).__name__!r}, not tf.Tensor or "
                    f"tf.Variable or ExtensionType. Convert it with tf.constant first."
                )
            if item.dtype not in DIFFERENTIABLE:
                warn_first(
                    "watch dtype",
                    5,
                    "The dtype of the watched tensor must be floating (e.g. tf.float32), got %r",
                    item.dtype,
                )
            if isinstance(item, Variable):
                self._watch_variable(item)
            else:
                self._tracked.add(identity(item))

    def watched_variables(self) -> tuple[Any, ...]:
        """The variables watched, in the order in which they were made."""
        return tuple(sorted(self._variables.values(), key=lambda v: v._creation_index))

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Record nothing in this block."""
        if not self._recording:
            raise RuntimeError("Cannot stop recording: the tape is not recording.")
        self._stop()
        try:
            yield
        finally:
            self._start()

    def reset(self) -> None:
        """Forget everything recorded and watched so far."""
        self._clear()

    # -- differentiating ---------------------------------------------------------------------

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> Any:
        """The gradient of `target` (or of the sum of several) by each of `sources`."""
        records = self._usable_records("gradient")
        zero = _wants_zero(unconnected_gradients)
        if target is None:
            raise TypeError(
                "Argument `target` should be a list or nested structure of Tensors, Variables or "
                "CompositeTensors to be differentiated, but received None."
            )
        targets = [self._as_target(t) for t in nest.flatten(target)]
        flat_sources = nest.flatten(sources)
        numbers = [_source_number(s) for s in flat_sources]
        seeds = _seeds(targets, output_gradients)
        found = backpropagate(
            records, seeds, {n for n in numbers if n is not None}, consume=not self._persistent
        )
        result = []
        for source, number in zip(flat_sources, numbers, strict=True):
            gradient = found.get(number) if number is not None else None
            if gradient is None and zero:
                gradient = zeros_like(dispatch.convert(source))
            result.append(gradient)
        if not self._persistent:
            self._records = None
            self._tracked = set()
        return nest.pack_sequence_as(sources, result)

    def _usable_records(self, method: str) -> list[Record]:
        if self._records is None:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients "
                "(or jacobians). Make the tape with persistent=True to use it again."
            )
        if self._recording:
            if not self._persistent:
                self._stop()
            else:
                logger.warning(
                    "Calling GradientTape.%s on a persistent tape inside its context records the "
                    "gradient computation on the tape too, which takes more time and memory. Do "
                    "it only to differentiate the gradients again.",
                    method,
                )
        return self._records

    def _as_target(self, target: Any) -> Any:
        """A target as a tensor; a variable is read, on the tape."""
        if isinstance(target, Variable):
            if self._recording:
                return target.value()
            with self._resumed():
                return target.value()
        if isinstance(target, IndexedSlices):
            return target.values
        tensor = target if isinstance(target, Tensor) else dispatch.convert(target)
        if tensor.dtype not in DIFFERENTIABLE:
            warn_first(
                "target dtype",
                5,
                "The dtype of the target tensor must be floating (e.g. tf.float32) when calling "
                "GradientTape.gradient, got %r",
                tensor.dtype,
            )
        return tensor

    @contextmanager
    def _resumed(self) -> Iterator[None]:
        self._start()
        try:
            yield
        finally:
            self._stop()


def _wants_zero(unconnected_gradients: Any) -> bool:
    try:
        return UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
    except ValueError:
        raise ValueError(
            f"Unknown value for unconnected_gradients: {unconnected_gradients!r}. "
            f"Use 'none', 'zero' or a tf.UnconnectedGradients."
        ) from None


def _source_number(source: Any) -> int | None:
    """The number of a source, or None if it never had one and so was never watched."""
    if isinstance(source, Variable):
        return identity(source.handle)
    if isinstance(source, IndexedSlices):
        return identity(source.values)
    if not isinstance(source, Tensor):
        raise ValueError(
            f"Passed in object {source!r} of type {type(source).__name__!r}, not tf.Tensor or "
            f"tf.Variable or ExtensionType."
        )
    if source.dtype not in DIFFERENTIABLE:
        warn_first(
            "source dtype",
            5,
            "The dtype of the source tensor must be floating (e.g. tf.float32) when calling "
            "GradientTape.gradient, got %r",
            source.dtype,
        )
    return source._id


def _seeds(targets: list[Any], output_gradients: Any) -> list[tuple[int, Any]]:
    """The targets' numbers with the gradients they start from: ones, unless given."""
    given = [None] * len(targets) if output_gradients is None else nest.flatten(output_gradients)
    if len(given) != len(targets):
        raise ValueError(f"There are {len(targets)} targets but {len(given)} output_gradients.")
    seeds = []
    for target, gradient in zip(targets, given, strict=True):
        if target._id is None or target.dtype not in DIFFERENTIABLE:
            continue
        if gradient is None:
            gradient = ones_like(target)
        elif not isinstance(gradient, IndexedSlices):
            gradient = dispatch.convert(gradient, None, target.dtype)
        seeds.append((target._id, gradient))
    return seeds
