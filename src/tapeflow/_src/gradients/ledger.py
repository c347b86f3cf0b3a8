"""The data of a tape: which tensors it follows, and a record of every call that used one.

A record is stored under the token of its result (or the call, if that has several) and dies with
it: a branch whose results are unreachable is freed at once, with its residuals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any
from weakref import ref

from tapeflow._src.core.dtypes import FLOATING_COMPLEX
from tapeflow._src.core.registry import Op
from tapeflow._src.eager.tensor import EagerTensor
from tapeflow._src.gradients.naming import ScopeOf, in_scope, tape_scope
from tapeflow._src.gradients.record import (
    DIFFERENTIABLE,
    Pull,
    file_call,
    filled,
    flat_inputs,
    spec_of,
)
from tapeflow._src.gradients.token import Call, PartToken, Token, token_of, tokens_of_results

_token_now = attrgetter("_id")
# The dtypes of tensors, and those of the arrays in them.
_DIFFERENTIABLE_ARRAYS = DIFFERENTIABLE | {dtype.np for dtype in FLOATING_COMPLEX}

# The tokens of the inputs, the pull function, its payload.
Record = tuple[list[Token], Pull, tuple[Any, ...]]


class Ledger:
    """The records of one tape, in order, and the tokens it watches."""

    __slots__ = (
        "_forget",
        "_scope_of",
        "_unowned_calls",
        "entries",
        "variables",
        "watch_accessed",
        "watched",
    )

    def __init__(self, watch_accessed: bool = True, scope_of: ScopeOf = tape_scope) -> None:
        self.entries: dict[Any, Record] = {}
        self.watched: set[Token] = set()
        self.variables: dict[Token, Any] = {}
        self.watch_accessed = watch_accessed
        # The scope of gradients that become part of a graph.
        self._scope_of = scope_of
        # Calls that are not referenced by their results.
        self._unowned_calls: list[Call] = []
        # Called with the weak reference when a token dies.
        entries = self.entries
        self._forget = lambda reference: entries.pop(reference, None)

    def clear(self) -> None:
        """Drop everything. Must be called, because the contents form reference cycles."""
        self.entries.clear()
        self.watched.clear()
        self._unowned_calls.clear()

    # -- following ---------------------------------------------------------------------------

    def watch_variable(self, variable: Any) -> None:
        token = token_of(variable.handle)
        self.watched.add(token)
        self.variables[token] = variable

    def variable_accessed(self, variable: Any) -> None:
        """Watch a trainable variable that is read."""
        if self.watch_accessed and variable.trainable:
            handle = variable.handle
            token = handle._id or token_of(handle)
            self.watched.add(token)
            self.variables[token] = variable

    def follows(self, token: Token | None) -> bool:
        """Whether the tensor is watched or depends on one that is."""
        return token is not None and (self in token.ledgers or token in self.watched)

    def takes(self, tensors: Iterable[Any]) -> bool:
        """Whether a call with these inputs is recorded."""
        return any(self.follows(tensor._id) for tensor in tensors)

    # -- recording ---------------------------------------------------------------------------

    def record(
        self, op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], outputs: tuple[Any, ...]
    ) -> None:
        """Record an op call, if one of its inputs is followed."""
        if op.gradient_rule is None:
            return
        flat = flat_inputs(op, inputs) if op.has_lists else inputs
        tokens = list(map(_token_now, flat))
        watched = self.watched
        for token in tokens:
            if token is not None and (self in token.ledgers or token in watched):
                break
        else:
            return
        if len(outputs) != 1:
            if outputs:
                record = file_call(op, inputs, attrs, outputs)
                self._file_parts(flat, outputs, *in_scope(self._scope_of, outputs[0], *record))
            return
        # Nearly every op has one result: `_file` is inlined here.
        output = outputs[0]
        array = output._array if type(output) is EagerTensor else output
        if array.dtype not in _DIFFERENTIABLE_ARRAYS:
            return
        if not all(tokens):
            tokens = [token_of(t) for t in flat]
        token = output._id
        if token is None:
            token = output._id = Token()
            token.ledgers = (self,)
        else:
            token.ledgers += (self,)
        pull, payload = file_call(op, inputs, attrs, outputs)
        if array is output:
            pull, payload = in_scope(self._scope_of, output, pull, payload)
        self.entries[ref(token, self._forget)] = (tokens, pull, payload)

    def record_custom(
        self, pull: Callable[..., Any], inputs: tuple[Any, ...], outputs: tuple[Any, ...]
    ) -> None:
        """Record a call with a custom gradient: `pull(*gradients) -> gradients`."""
        payload = (pull, [spec_of(o) for o in outputs])
        if len(outputs) == 1:
            self._file(inputs, outputs[0], _pull_custom, payload)
        else:
            self._file_parts(inputs, outputs, _pull_custom, payload)

    def _file(
        self, inputs: tuple[Any, ...], output: Any, pull: Pull, payload: tuple[Any, ...]
    ) -> None:
        if output.dtype not in DIFFERENTIABLE:
            return
        tokens = list(map(_token_now, inputs))
        if None in tokens:
            tokens = [token_of(t) for t in inputs]
        token = output._id
        if token is None:
            token = output._id = Token()
            token.ledgers = (self,)
        else:
            token.ledgers += (self,)
        self.entries[ref(token, self._forget)] = (tokens, pull, payload)

    def _file_parts(
        self,
        inputs: tuple[Any, ...],
        outputs: tuple[Any, ...],
        pull: Pull,
        payload: tuple[Any, ...],
    ) -> None:
        """Record a call with several results for as long as one of them lives."""
        every = tokens_of_results(outputs)
        results = [
            token
            for token, output in zip(every, outputs, strict=True)
            if output.dtype in DIFFERENTIABLE
        ]
        if results:
            call = self._call(every)
            for holder in (call, *results):
                holder.ledgers += (self,)
            tokens = [token_of(t) for t in inputs]
            self.entries[ref(call, self._forget)] = (tokens, pull, payload)

    def _call(self, tokens: list[Any]) -> Call:
        """Return the call with these results."""
        first = tokens[0]
        if type(first) is PartToken and first.call.has_results(len(tokens)):
            return first.call
        # A node of a graph that got more outputs since its results got their tokens.
        call = Call.of(tokens)
        self._unowned_calls.append(call)
        return call


def _pull_custom(payload: Any, gradients: Any, needed: list[bool], tokens: Any) -> Any:
    pull, specs = payload
    return pull(*filled(gradients, specs))
