"""`GradientTape`: records operations on watched tensors, and differentiates them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, overload

from tapeflow._src.core import dispatch, nest
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.log import warn_first
from tapeflow._src.core.tensor import Tensor, TensorBase, acts_as_variable, tensor_in
from tapeflow._src.core.tracebacks import fold
from tapeflow._src.eager.variable import Variable
from tapeflow._src.gradients.backprop import Unpulled, backpropagate
from tapeflow._src.gradients.endpoints import (
    UnconnectedGradients,
    any_defines_components,
    is_zero_requested,
    packed_gradient,
    parts_of,
    seeds,
    source_gradient,
    source_token,
    values_of,
    warn_of_dtype,
)
from tapeflow._src.gradients.jacobian import (
    batch_jacobian_of,
    jacobian_of,
    require_rows,
    reshaped,
    row_seeds,
    rows_at_once,
    rows_one_by_one,
    unit_seeds,
)
from tapeflow._src.gradients.ledger import Ledger, LedgerClass
from tapeflow._src.gradients.record import DIFFERENTIABLE
from tapeflow._src.gradients.token import Token, token_of

# Needed only when a gradient is None.
unconnected = LazyModule("tapeflow._src.gradients.unconnected", "explanations of gradients")
_NONE = UnconnectedGradients.NONE
# The gradient w.r.t. such a source is returned as it is.
_SINGLE = (Tensor, Variable)


class NotRecordingError(RuntimeError, ValueError):
    """The tape is not recording. TensorFlow documents one of the bases and raises the other."""


class GradientTape:
    """Records operations on watched tensors in its context, for differentiation.

    Trainable variables are watched when they are read, tensors when `watch` is called. Tapes nest:
    a gradient computed inside another tape's context can be differentiated again.

    Args:
        persistent: Whether the tape can be used more than once. What it recorded is then held in
            memory until the tape is deleted.
        watch_accessed_variables: Whether trainable variables are watched automatically.

    Example:
        >>> x = tf.constant(3.0)
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> tape.gradient(y, x).numpy()
        np.float32(6.0)

        A second derivative:

        >>> with tf.GradientTape() as outer:
        ...     outer.watch(x)
        ...     with tf.GradientTape() as inner:
        ...         inner.watch(x)
        ...         y = x ** 3.0
        ...     first = inner.gradient(y, x)
        >>> outer.gradient(first, x).numpy()
        np.float32(18.0)
    """

    # Faster than a dictionary, which exists for attributes that users set.
    __slots__ = (
        "__dict__",
        "__weakref__",
        "_ledger",
        "_persistent",
        "_recording",
        "_unconnected",
        "_variables",
        "_watch_accessed_variables",
    )

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._watch_accessed_variables = watch_accessed_variables
        self._recording = False
        # None before the tape is first entered, and after a non-persistent tape is used.
        self._ledger: Ledger | None = None
        self._variables: dict[Token, Any] = {}
        # Set if some of the last gradients were None.
        self._unconnected: Any = None

    def __del__(self) -> None:
        if self._ledger is not None:
            self._ledger.clear()

    # -- recording ---------------------------------------------------------------------------

    def __enter__(self) -> GradientTape:
        if self._recording:
            raise ValueError(
                "The tape is still recording: a GradientTape cannot be entered twice at once. "
                "Create a second tape for nested contexts."
            )
        if self._ledger is None:
            self._ledger = LedgerClass.current(self._watch_accessed_variables)
            self._variables = self._ledger.variables
        self._recording = True
        dispatch.add_recorder(self._ledger)
        return self

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        if self._recording and self._ledger is not None:
            self._recording = False
            dispatch.remove_recorder(self._ledger)

    def watch(self, tensor: Any) -> None:
        """Record operations on `tensor` from now on.

        Args:
            tensor: A tensor, a variable, or a structure of them, of a floating-point or complex
                dtype.

        Raises:
            ValueError: If it is something else, such as a NumPy array.
            RuntimeError: Outside of the context.

        Example:
            >>> x = tf.constant([1.0, 2.0])
            >>> with tf.GradientTape() as tape:
            ...     tape.watch(x)
            ...     y = tf.reduce_sum(x * x)
            >>> tape.gradient(y, x).numpy()
            array([2., 4.], dtype=float32)
        """
        items = [tensor] if isinstance(tensor, Tensor) else nest.flatten(tensor, True)
        for item in items:
            if not isinstance(item, (Tensor, Variable)):
                raise ValueError(
                    f"tape.watch expects a tf.Tensor or tf.Variable, received {item!r} of type "
                    f"{type(item).__name__!r}: convert it with tf.constant first."
                )
        ledger = self._ledger
        if ledger is None:
            raise RuntimeError(
                "The tape is not in use: watch tensors inside `with tf.GradientTape() as tape:`, "
                "before its gradients are taken."
            )
        for item in items:
            if isinstance(item, Tensor):
                ledger.watched.add(item._id or token_of(item))
            else:
                ledger.watch_variable(item)
            if item.dtype not in DIFFERENTIABLE:
                warn_of_dtype("watched", item)

    def watched_variables(self) -> tuple[Any, ...]:
        """Return the watched variables, in order of creation.

        Example:
            >>> v, w = tf.Variable(1.0, name="v"), tf.Variable(2.0, name="w")
            >>> with tf.GradientTape() as tape:
            ...     y = w * 2.0
            >>> [variable.name for variable in tape.watched_variables()]
            ['w:0']
        """
        return tuple(sorted(self._variables.values(), key=lambda v: v._creation_index))

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Return a context in which nothing is recorded.

        Raises:
            RuntimeError: Outside of its context.

        Example:
            >>> x = tf.Variable(2.0)
            >>> with tf.GradientTape() as tape:
            ...     y = x * x
            ...     with tape.stop_recording():
            ...         unrecorded = y * 100.0
            >>> tape.gradient(y, x).numpy()
            np.float32(4.0)
        """
        self._require_recording("stop recording")
        self.__exit__(None, None, None)
        try:
            yield
        finally:
            self.__enter__()

    def reset(self) -> None:
        """Forget everything recorded and watched so far.

        Raises:
            RuntimeError: Outside of its context.

        Example:
            >>> x = tf.Variable(2.0)
            >>> with tf.GradientTape() as tape:
            ...     for power in (2.0, 3.0):
            ...         tape.reset()
            ...         y = x ** power
            >>> tape.gradient(y, x).numpy()
            np.float32(12.0)
        """
        self._require_recording("be reset")
        self.__exit__(None, None, None)
        if self._ledger is not None:
            self._ledger.clear()
            self._ledger = None
        self.__enter__()

    def _require_recording(self, what: str) -> None:
        if not self._recording:
            raise NotRecordingError(
                f"Tape is not recording: it can {what} only inside its `with` block."
            )

    # -- differentiating ---------------------------------------------------------------------

    @overload
    def gradient(
        self,
        target: Any,
        sources: TensorBase,
        output_gradients: Any = None,
        unconnected_gradients: Any = _NONE,
    ) -> Tensor: ...
    @overload
    def gradient(
        self,
        target: Any,
        sources: list[Any] | tuple[Any, ...],
        output_gradients: Any = None,
        unconnected_gradients: Any = _NONE,
    ) -> list[Any]: ...
    @overload
    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = _NONE,
    ) -> Any: ...
    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = _NONE,
    ) -> Any:
        """Compute the gradient of `target`, or of the sum of several, w.r.t. each of `sources`.

        Args:
            target: Tensor, or structure of tensors, computed in the context.
            sources: Tensors or variables, or a structure of them.
            output_gradients: Upstream gradients, one per target; ones by default.
            unconnected_gradients: "zero" for zeros instead of None without a dependency.

        Returns:
            Gradients in the structure of `sources`; `tf.IndexedSlices` for lookups of rows.

        Raises:
            RuntimeError: If a tape that is not persistent was used before.

        Example:
            >>> x = tf.Variable([2.0, 3.0])
            >>> with tf.GradientTape() as tape:
            ...     y = x * x
            >>> tape.gradient(y, x).numpy()
            array([4., 6.], dtype=float32)
        """
        single = isinstance(sources, Tensor)
        flat_sources = [sources] if single else nest.flatten(sources)
        if not single and any_defines_components(flat_sources):
            parts = [parts_of(s) for s in flat_sources]
            by_part = self.gradient(target, parts, output_gradients, unconnected_gradients)
            return nest.pack_sequence_as(sources, list(map(packed_gradient, flat_sources, by_part)))
        ledger = self._usable_ledger("gradient")
        zero = unconnected_gradients is not _NONE and is_zero_requested(unconnected_gradients)
        if isinstance(target, Tensor):
            upstream = () if output_gradients is None else nest.flatten(output_gradients)
            targets, start = [target], seeds([target], upstream)
        else:
            targets, start = self._seeds(target, output_gradients)
        if single:
            token = source_token(sources)
            gradient = self._backpropagate(ledger, targets, start, {token}).get(token)
            if gradient is not None:
                return gradient
            if not zero:
                self._warn_unconnected([sources], [token], [None])
            return source_gradient(None, sources, zero)
        tokens = [source_token(s) for s in flat_sources]
        gradients = self._backpropagate(ledger, targets, start, set(tokens))
        result = [
            gradient
            if (gradient := gradients.get(token)) is not None and isinstance(source, _SINGLE)
            else source_gradient(gradient, source, zero)
            for source, token in zip(flat_sources, tokens)
        ]
        if self._unconnected is not None and not zero:
            self._warn_unconnected(flat_sources, tokens, result)
        return nest.pack_sequence_as(sources, result)

    def _warn_unconnected(
        self, sources: list[Any], tokens: list[Token], gradients: list[Any]
    ) -> None:
        if self._unconnected is not None:
            self._unconnected.warn(sources, tokens, gradients)

    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """Compute the Jacobian of `target` with respect to each of `sources`.

        Args:
            target: Tensor computed in the context.
            sources: Tensors or variables, or a structure of them.
            unconnected_gradients: What to return for a source that the target does not depend on:
                None, or zeros with "zero".
            parallel_iterations: How many elements of the target are differentiated at once, which
                limits the memory used; all by default.
            experimental_use_pfor: False differentiates one element after the other, which needs a
                persistent tape.

        Returns:
            Tensors of shape `target.shape + source.shape`, in the structure of `sources`.

        Example:
            >>> x = tf.Variable([1.0, 2.0])
            >>> with tf.GradientTape() as tape:
            ...     y = x * x
            >>> tape.jacobian(y, x).numpy()
            array([[2., 0.],
                   [0., 4.]], dtype=float32)
        """
        ledger = self._usable_ledger("jacobian")
        zero = is_zero_requested(unconnected_gradients)
        self._require_persistent("jacobian", experimental_use_pfor)
        target = self._single("target", target)
        flat_sources = list(map(tensor_in, nest.flatten(sources)))
        rows = self._rows(
            ledger,
            target,
            unit_seeds(target),
            [source_token(s) for s in flat_sources],
            _checked_limit(parallel_iterations),
            experimental_use_pfor,
        )
        result = [
            jacobian_of(target, s, zero) if r is None else reshaped(r, target.static_shape)
            for s, r in zip(flat_sources, rows, strict=True)
        ]
        return nest.pack_sequence_as(sources, result)

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """Compute the stacked Jacobians of `target[i]` with respect to `source[i]`.

        It is cheaper than `jacobian` where examples of a batch do not influence each other.

        Args:
            target: Tensor of shape (batch, ...) computed in the context.
            source: Tensor or variable of shape (batch, ...).
            unconnected_gradients: What to return if the target does not depend on the source: None,
                or
                zeros with "zero".
            parallel_iterations: How many elements of a row are differentiated at once; all by
                default.
            experimental_use_pfor: False differentiates one element after the other, which needs a
                persistent tape.

        Returns:
            A tensor of shape `[batch] + target.shape[1:] + source.shape[1:]`.

        Example:
            >>> x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
            >>> with tf.GradientTape() as tape:
            ...     y = x * x
            >>> tape.batch_jacobian(y, x).numpy()
            array([[[2., 0.],
                    [0., 4.]],
            <BLANKLINE>
                   [[6., 0.],
                    [0., 8.]]], dtype=float32)
        """
        ledger = self._usable_ledger("batch_jacobian")
        zero = is_zero_requested(unconnected_gradients)
        self._require_persistent("batch_jacobian", experimental_use_pfor)
        target, source_tensor = self._single("target", target), self._single("source", source)
        require_rows(target, source_tensor)
        (rows,) = self._rows(
            ledger,
            target,
            row_seeds(target),
            [source_token(source)],
            _checked_limit(parallel_iterations),
            experimental_use_pfor,
        )
        return batch_jacobian_of(target, source_tensor, rows, zero)

    def _rows(
        self,
        ledger: Ledger,
        target: Any,
        units: Any,
        sources: list[Token],
        limit: int | None,
        at_once: bool,
    ) -> list[Any]:
        if not self._persistent:
            self._ledger = None
        try:
            if target.dtype not in DIFFERENTIABLE:
                return [None] * len(sources)
            if at_once or not len(units):
                return rows_at_once(ledger, token_of(target), units, sources, limit)
            return rows_one_by_one(ledger, token_of(target), units, sources)
        finally:
            if not self._persistent:
                ledger.clear()

    def _require_persistent(self, method: str, at_once: bool) -> None:
        if not at_once and not self._persistent:
            raise RuntimeError(
                f"{method} with experimental_use_pfor=False takes one gradient after the other, "
                "which needs GradientTape(persistent=True)."
            )

    def _single(self, role: str, value: Any) -> Any:
        """Return the single tensor that is the target or source of a Jacobian."""
        value = tensor_in(value)
        if isinstance(value, (Tensor, Variable)) or acts_as_variable(value):
            return self._as_target(value)
        raise AttributeError(
            f"The {role} of a jacobian is one tensor, got {type(value).__name__}. Take the "
            f"jacobian of each, with a tape made with persistent=True."
        )

    def _backpropagate(
        self, ledger: Ledger, targets: list[Any], start: Any, sources: set[Token]
    ) -> dict[Token, Any]:
        persistent = self._persistent
        if not persistent:
            self._ledger = None
        self._unconnected = None
        unpulled: list[Unpulled] = []
        try:
            gradients = backpropagate(ledger, start, sources, not persistent, unpulled)
            if not sources <= gradients.keys():
                missing = sources - gradients.keys()
                self._unconnected = unconnected.Unconnected(ledger, targets, missing, unpulled)
            return gradients
        except Exception as error:
            fold(error)
            raise
        finally:
            if not persistent:
                ledger.clear()

    def _usable_ledger(self, method: str) -> Ledger:
        if self._ledger is None:
            raise RuntimeError(
                "This tape has been used: a non-persistent GradientTape can compute gradients "
                "once. Create it with persistent=True to call it again, and delete it afterwards."
            )
        if self._recording:
            if not self._persistent:
                self.__exit__(None, None, None)
            else:
                warn_first(
                    f"{method} in context",
                    1,
                    "GradientTape.%s is called inside the context of a persistent tape, which "
                    "records the gradient computation too: that takes time and memory. Call it "
                    "after the context, unless you differentiate the gradients again.",
                    method,
                )
        return self._ledger

    def _seeds(self, target: Any, output_gradients: Any) -> tuple[list[Any], Any]:
        """Return a structure of targets as tensors, and their `seeds`; they may be no tensors."""
        if target is None:
            raise TypeError(
                "The target is None; expected a tensor, a variable or a structure of them. Does "
                "the function that computes the loss return it?"
            )
        parts = [part for each in nest.flatten(target) for part in parts_of(each)]
        upstream = [] if output_gradients is None else nest.flatten(output_gradients)
        of_parts = [part for gradient in upstream for part in parts_of(gradient)]
        tensors = list(map(self._as_target, parts))
        return tensors, seeds(tensors, of_parts)

    def _as_target(self, target: Any) -> Any:
        """Convert a target to a tensor; a variable is read, on the tape."""
        if not isinstance(target, Variable) and not acts_as_variable(target):
            return values_of(target, "target")
        if self._recording:
            return dispatch.convert(target)
        with self:
            return dispatch.convert(target)


def _checked_limit(parallel_iterations: int | None) -> int | None:
    if parallel_iterations is not None and parallel_iterations < 1:
        raise ValueError(f"parallel_iterations must be at least 1, got {parallel_iterations}.")
    return parallel_iterations
