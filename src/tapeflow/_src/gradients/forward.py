"""`ForwardAccumulator`: forward-mode differentiation, Jacobian-vector products.

There is no second set of rules. The gradient of an op is linear in the upstream gradients, and the
transpose of that linear map takes tangents of the inputs to tangents of the outputs. So the
gradient is computed on a tape of its own, and differentiated w.r.t. the upstream gradients.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any
from weakref import WeakKeyDictionary

from tapeflow._src.core import dispatch, nest
from tapeflow._src.core.dtypes import variant
from tapeflow._src.core.registry import Op
from tapeflow._src.core.tensor import Tensor, tensor_in
from tapeflow._src.eager.variable import Variable
from tapeflow._src.gradients.backprop import backpropagate
from tapeflow._src.gradients.endpoints import UnconnectedGradients, warn_of_dtype
from tapeflow._src.gradients.ledger import Ledger
from tapeflow._src.gradients.record import DIFFERENTIABLE, file_call, flat_inputs
from tapeflow._src.gradients.token import Call, PartToken, Token, token_of, tokens_of_results
from tapeflow._src.ops.array.common import broadcast_to, ones_like, shape_of, zeros_like
from tapeflow._src.ops.indexed_slices import densify


class ForwardAccumulator:
    """Computes Jacobian-vector products in forward mode, while operations run.

    Efficient where there are few inputs and many outputs; `tf.GradientTape` is for few outputs.
    Accumulators nest with each other and with tapes.

    Args:
        primals: Tensors or variables, or a structure of them, to differentiate with respect to.
        tangents: The vector of the product: one tangent per primal, in the same structure. A
            tangent
            is broadcast to the shape of its primal.

    Raises:
        ValueError: If a primal is listed twice, or the structures differ.

    Example:
        >>> x = tf.constant([2.0, 3.0])
        >>> direction = tf.constant([1.0, 0.0])
        >>> with tf.autodiff.ForwardAccumulator(primals=x, tangents=direction) as accumulator:
        ...     y = tf.reduce_sum(x ** 2.0)
        >>> accumulator.jvp(y).numpy()
        np.float32(4.0)
    """

    def __init__(self, primals: Any, tangents: Any) -> None:
        self._recording = False
        # By token; the tangents of a call with several results by call and output index.
        self._tangents: WeakKeyDictionary[Token | Call, Any] = WeakKeyDictionary()
        nest.assert_same_structure(primals, tangents)
        for primal, tangent in zip(nest.flatten(primals), nest.flatten(tangents), strict=True):
            self._watch(primal, tangent)

    def _watch(self, primal: Any, tangent: Any) -> None:
        token = _token(primal)
        if primal.dtype not in DIFFERENTIABLE:
            warn_of_dtype("primal", primal)
        if self._tangent(token) is not None:
            raise ValueError(
                f"{primal!r} is listed twice among the primals: list it once, with the sum of its "
                "tangents."
            )
        tangent = dispatch.convert(tangent, primal.dtype)
        if tangent.static_shape != primal.static_shape:
            tangent = broadcast_to(tangent, shape_of(dispatch.convert(primal)))
        self._set_tangent(token, tangent)

    # -- recording ---------------------------------------------------------------------------

    def __enter__(self) -> ForwardAccumulator:
        if self._recording:
            raise ValueError("Accumulator is already recording.")
        self._recording = True
        dispatch.add_recorder(self)
        return self

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        self._recording = False
        dispatch.remove_recorder(self)

    def record(
        self, op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], outputs: tuple[Any, ...]
    ) -> None:
        """Compute the tangents of the outputs, if an input has one.

        The dispatcher calls this for every operation inside the context.

        Args:
            op: The op that ran.
            inputs: Its inputs.
            attrs: Its attributes.
            outputs: Its results.
        """
        if op.gradient_rule is None:
            return
        tangents = [self._tangent(t._id) for t in flat_inputs(op, inputs)]
        if all(tangent is None for tangent in tangents):
            return
        for token, tangent in _push(op, inputs, attrs, outputs, tangents, self._outer()):
            self._set_tangent(token, tangent)

    def _outer(self) -> tuple[Any, ...]:
        """Return the recorders that were entered before this one."""
        recorders = dispatch.state.recorders
        return recorders[: recorders.index(self)]

    def variable_accessed(self, variable: Any) -> None:
        """Ignore variable reads: variables are primals or they are not.

        Args:
            variable: The variable that was read.
        """

    def takes(self, tensors: Iterable[Any]) -> bool:
        """Return whether one of the tensors has a tangent.

        Args:
            tensors: Tensors that an operation is called with.
        """
        return any(self._tangent(t._id) is not None for t in tensors)

    def left(self, tensor: Any, how: str) -> None:
        """Ignore values that go to NumPy or Python.

        Args:
            tensor: The tensor whose value is taken.
            how: The way it is taken.
        """

    def record_custom(
        self, pull: Callable[..., Any], inputs: tuple[Any, ...], outputs: tuple[Any, ...]
    ) -> None:
        """Compute the tangents of those outputs that did not get one inside the function.

        Functions with a custom gradient are seen through, as in TensorFlow.

        Args:
            pull: The gradient function: cotangents of the outputs to cotangents of the inputs.
            inputs: The inputs of the call.
            outputs: Its results.
        """
        tangents = [self._tangent(t._id) for t in inputs]

        def pulled(duals: list[Any], tokens: Any) -> Any:
            return pull(*[d if d is not None else zeros_like(o) for d, o in zip(duals, outputs)])

        for token, tangent in _transposed(pulled, outputs, tangents, self._outer()):
            if self._tangent(token) is None:
                self._set_tangent(token, tangent)

    def _set_tangent(self, token: Token, tangent: Any) -> None:
        if isinstance(token, PartToken):
            self._tangents.setdefault(token.call, {})[token.index] = tangent
        else:
            self._tangents[token] = tangent

    def _tangent(self, token: Token | None) -> Any:
        if token is None:
            return None
        if isinstance(token, PartToken):
            return self._tangents.get(token.call, {}).get(token.index)
        return self._tangents.get(token)

    # -- results -----------------------------------------------------------------------------

    def jvp(self, primals: Any, unconnected_gradients: Any = UnconnectedGradients.NONE) -> Any:
        """Return the Jacobian-vector products for `primals`, in the same structure.

        Args:
            primals: Tensors computed inside the context, or a structure of them.
            unconnected_gradients: The result for a tensor that does not depend on the primals:
                None, or
                zeros with "zero".

        Example:
            >>> x = tf.constant(3.0)
            >>> with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
            ...     y, constant = x * x, tf.constant(1.0)
            >>> accumulator.jvp(y).numpy()
            np.float32(6.0)
            >>> print(accumulator.jvp(constant))
            None
        """
        zero = UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO

        def tangent_of(primal: Any) -> Any:
            tangent = self._tangent(_token(primal))
            return zeros_like(dispatch.convert(primal)) if tangent is None and zero else tangent

        return nest.map_structure(tangent_of, primals)


def _token(primal: Any) -> Token:
    primal = tensor_in(primal)
    if isinstance(primal, Tensor):
        return token_of(primal)
    if isinstance(primal, Variable):
        return token_of(primal.handle)
    raise AttributeError(
        f"{primal!r} of type {type(primal).__name__!r} is not a tf.Tensor or tf.Variable, so it "
        f"has no tangent. Convert it with tf.constant first."
    )


def _dual(output: Any) -> Any:
    return zeros_like(output) if output.dtype is variant else ones_like(output)


def _push(
    op: Op,
    inputs: tuple[Any, ...],
    attrs: dict[str, Any],
    outputs: tuple[Any, ...],
    tangents: list[Any],
    outer: tuple[Any, ...],
) -> list[tuple[Token, Any]]:
    """Return the tokens of the outputs with their tangents. `outer` recorders see the work."""

    def pulled(duals: list[Any], tokens: Any) -> Any:
        pull, payload = file_call(op, inputs, attrs, outputs)
        return pull(payload, duals, [tangent is not None for tangent in tangents], tokens)

    return _transposed(pulled, outputs, tangents, outer)


def _transposed(
    pulled: Callable[[list[Any], Any], Any],
    outputs: tuple[Any, ...],
    tangents: list[Any],
    outer: tuple[Any, ...],
) -> list[tuple[Token, Any]]:
    """Like `_push`, for a gradient function: `pulled(upstream gradients, their tokens)`."""
    if all(output.dtype not in DIFFERENTIABLE for output in outputs):
        return []
    tokens = tokens_of_results(outputs)
    ledger = Ledger(watch_accessed=False)
    with dispatch.use_recorders((*outer, ledger)):
        # Their values do not matter: the gradient is linear in them.
        duals = [_dual(o) if o.dtype in DIFFERENTIABLE else None for o in outputs]
        for dual in duals:
            if dual is not None:
                ledger.watched.add(token_of(dual))
        seeds = [
            (token_of(densify(p)), tangent)
            for p, tangent in zip(pulled(duals, tokens), tangents, strict=True)
            if p is not None and tangent is not None
        ]
    sources = {dual._id for dual in duals if dual is not None}
    with dispatch.use_recorders(outer):
        gradients = backpropagate(ledger, seeds, sources, consume=True)
    return [
        (token, gradients[dual._id])
        for token, dual in zip(tokens, duals, strict=True)
        if dual is not None and dual._id in gradients
    ]
