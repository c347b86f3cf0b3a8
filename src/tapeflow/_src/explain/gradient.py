"""`tf.explain.gradient`: why a gradient is None or zero, and the path it takes otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

import numpy as np

from tapeflow._src.core import dispatch, nest
from tapeflow._src.core.call_sites import CallSite
from tapeflow._src.core.tensor import Tensor, acts_as_variable, handle_in
from tapeflow._src.eager.variable import Variable
from tapeflow._src.explain.eager_paths import path_in_records, steps_of, vanishing
from tapeflow._src.gradients.backprop import Unpulled, backpropagate
from tapeflow._src.gradients.endpoints import parts_of, seeds
from tapeflow._src.gradients.explanation import GradientExplanation
from tapeflow._src.gradients.graph_paths import find_path
from tapeflow._src.gradients.ledger import Ledger
from tapeflow._src.gradients.lined_ledger import record_lines, stop_lines
from tapeflow._src.gradients.record import DIFFERENTIABLE
from tapeflow._src.gradients.tape import GradientTape
from tapeflow._src.gradients.token import Token, token_of
from tapeflow._src.gradients.unconnected import Unconnected, label_of, matcher, source_names
from tapeflow._src.graph.tensor import SymbolicTensor

_numbers = count()


def gradient(tape: GradientTape, target: Any, source: Any) -> Any:
    """Explain the gradient of `target` with respect to `source`.

    Says why the gradient is `None` or zero, with the line that is the cause and what to write
    instead, or shows the path through which it flows. Operations inside called `tf.function`s are
    looked up in their graphs.

    Args:
        tape: The tape: before `tape.gradient`, after it, or while it records. After the gradients
            of a non-persistent tape were taken, it explains those that were `None`.
        target: The tensor, or structure of tensors, to be differentiated.
        source: A tensor or variable, or a structure of them.

    Returns:
        A `GradientExplanation`, in the structure of `source`. Its fields are `reason`, `message`,
        `repair`, `location`, `line`, `op` and `path`; it prints as text and shows as a table in
        notebooks.

    Example:
        >>> w = tf.Variable([1.0, 2.0])
        >>> with tf.GradientTape() as tape:
        ...     y = tf.cast(tf.argmax(w * 2.0), tf.float32)
        >>> why = tf.explain.gradient(tape, y, w)
        >>> why.reason, why.op
        ('integer', 'ArgMax')
        >>> [step.op for step in why.path]
        ['ReadVariableOp', 'Mul', 'ArgMax']
    """
    site = CallSite.now()
    flat = nest.flatten(source)
    for item in flat:
        if not isinstance(item, (Tensor, Variable)) and not acts_as_variable(item):
            raise TypeError(
                "tf.explain.gradient expects tensors or variables as sources, received "
                f"{type(item).__name__}: {item!r}."
            )
    names = source_names(site, "gradient", 2, len(flat))
    targets = [part for item in nest.flatten(target) for part in parts_of(item)]
    explained = [
        _explain(tape, targets, item, label_of(i, item, names[i]), names[i], site)
        for i, item in enumerate(flat)
    ]
    return nest.pack_sequence_as(source, explained)


@contextmanager
def record() -> Iterator[None]:
    """Let tapes that are entered in this block keep the line of every operation.

    A tape notes lines by itself where a path ends, and graphs hold them anyway. With the lines of
    all eager operations, `tf.explain.gradient` shows them for the whole path. Looking up a line
    takes about a microsecond per operation.

    Yields:
        None.

    Example:
        >>> x = tf.Variable(3.0)
        >>> with tf.explain.record(), tf.GradientTape() as tape:
        ...     y = x * x
        >>> path = tf.explain.gradient(tape, y, x).path
        >>> path[-1].op, path[-1].location is not None
        ('Mul', True)
    """
    request = f"tf.explain.record {next(_numbers)}"
    record_lines(request)
    try:
        yield
    finally:
        stop_lines(request)


def _explain(
    tape: GradientTape, targets: list[Any], source: Any, label: str, name: str, site: Any
) -> GradientExplanation:
    token = _token(source)
    ledger = tape._ledger
    if ledger is None:
        unconnected = tape._unconnected
        if unconnected is not None and token in unconnected.missing:
            explained: GradientExplanation = unconnected.explain(source, token, label, site, name)
            return explained
        return _used(label)
    tensors = [tape._as_target(t) for t in targets]
    if any(isinstance(t, SymbolicTensor) for t in tensors):
        return _in_graph(ledger, tensors, source, token, label, name, site)
    differentiable = [t for t in tensors if t.dtype in DIFFERENTIABLE]
    unpulled: list[Unpulled] = []
    with dispatch.use_recorders(()):
        start = seeds(differentiable, ())
        result = backpropagate(ledger, start, {token}, False, unpulled).get(token)
    if result is None or source.dtype not in DIFFERENTIABLE:
        return Unconnected(ledger, tensors, {token}, unpulled).explain(
            source, token, label, site, name
        )
    return _connected(ledger, tensors, token, label, result)


def _token(source: Any) -> Token:
    handle = source.handle if isinstance(source, Variable) else handle_in(source)
    return token_of(source if handle is None else handle)


def _in_graph(
    ledger: Ledger,
    targets: list[Any],
    source: Any,
    token: Token,
    label: str,
    name: str,
    site: Any,
) -> GradientExplanation:
    """Explain a gradient while a function is traced."""
    symbolic = [t for t in targets if isinstance(t, SymbolicTensor)]
    steps = find_path(symbolic, matcher(source))
    flows = steps is not None and all(
        step.kind is None and ledger.follows(step.output._id) for step in steps
    )
    if not flows or not ledger.follows(token):
        return Unconnected(ledger, targets, {token}, []).explain(source, token, label, site, name)
    message = f"it flows through {len(steps or ())} operations"
    return GradientExplanation("connected", label, message, path=steps_of(steps or []))


def _connected(
    ledger: Ledger, targets: list[Any], token: Token, label: str, result: Any
) -> GradientExplanation:
    path = path_in_records(ledger, [token_of(t) for t in targets], token)
    values = np.asarray(getattr(result, "values", result))
    if values.size and not values.any():
        ended = vanishing(ledger, targets, token)
        if ended is not None:
            where = f", {ended.location.short()}" if ended.location else ""
            message = f"it is zero from {ended.op}{where} on: the derivative there is zero"
            repair = "look at the inputs of that operation: a flat region, or saturated values"
            return GradientExplanation(
                "zero", label, message, repair, ended.location, ended.op, path
            )
    message = f"it flows through {len(path)} operations"
    return GradientExplanation("connected", label, message, path=path)


def _used(label: str) -> GradientExplanation:
    return GradientExplanation(
        "used",
        label,
        "the tape has been used: its records were dropped when the gradients were computed, and "
        "the gradient of this source was not None then",
        "Use tf.GradientTape(persistent=True), or call tf.explain.gradient before tape.gradient",
    )
