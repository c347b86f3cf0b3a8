"""The data of a tape: which tensors it follows, and a record of every call that used one.

A record is stored under the token of its result (or the call, if that has several) and dies with
it: a branch whose results are unreachable is freed at once, with its residuals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any
from weakref import ref

from tapeflow._src.core.dtypes import FLOATING_COMPLEX
from tapeflow._src.core.registry import Op
from tapeflow._src.core.traits import SHAPE_ONLY
from tapeflow._src.eager.tensor import EagerTensor
from tapeflow._src.gradients.endings import ASSIGNMENT, INTEGER, NO_GRADIENT, PYTHON, Endings
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
        "endings",
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
        # Where paths end; None while none has.
        self.endings: Endings | None = None
        # Called with the weak reference when a token dies.
        entries = self.entries
        self._forget = lambda reference: entries.pop(reference, None)

    def clear(self) -> None:
        """Drop everything. Must be called, because the contents form reference cycles."""
        self.entries.clear()
        self.watched.clear()
        self._unowned_calls.clear()
        self.endings = None

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
            if SHAPE_ONLY not in op.traits:
                self._end(op, flat_inputs(op, inputs), outputs)
            return
        flat = flat_inputs(op, inputs) if op.has_lists else inputs
        tokens = list(map(_token_now, flat))
        watched = self.watched
        for token in tokens:
            if token is not None and (self in token.ledgers or token in watched):
                break
        else:
            if self.endings is not None:
                self.endings.follow(tokens, outputs)
            return
        if len(outputs) != 1:
            if outputs:
                record = file_call(op, inputs, attrs, outputs)
                self._file_parts(flat, outputs, *in_scope(self._scope_of, outputs[0], *record))
                self._end_parts(op, flat, outputs)
            return
        # Nearly every op has one result: `_file` is inlined here.
        output = outputs[0]
        array = output._array if type(output) is EagerTensor else output
        if array.dtype not in _DIFFERENTIABLE_ARRAYS:
            self._end(op, flat, outputs)
            return
        if self.endings is not None:
            self.endings.follow(tokens, outputs)
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

    # -- where paths end -----------------------------------------------------------------------

    def _end(self, op: Op, inputs: tuple[Any, ...], outputs: tuple[Any, ...]) -> None:
        """Note that an op has no gradient; graphs need no notes, they hold all operations."""
        tensor = outputs[0] if outputs else inputs[0]
        if type(tensor) is not EagerTensor or (op.effect == "writes" and len(inputs) < 2):
            return
        tokens = [t._id for t in inputs]
        if op.effect == "writes" and not outputs:
            handle = inputs[0]
            name = getattr(handle._array, "name", "")
            self.end_at(ASSIGNMENT, op.name, name, tokens[1:], (token_of(handle),))
            return
        kind = NO_GRADIENT if outputs and tensor.dtype in DIFFERENTIABLE else INTEGER
        detail = tensor.dtype.name if outputs else ""
        if self._is_followed(tokens):
            self.end_at(kind, op.name, detail, tokens, tokens_of_results(outputs))
        elif self.endings is not None:
            self.endings.follow(tokens, outputs)

    def _end_parts(self, op: Op, inputs: tuple[Any, ...], outputs: tuple[Any, ...]) -> None:
        """Note the integer results of an op that has others, too."""
        tokens = [t._id for t in inputs]
        if self.endings is not None:
            self.endings.follow(tokens, outputs)
        integers = [t for t in outputs if t.dtype not in DIFFERENTIABLE]
        if integers and type(integers[0]) is EagerTensor:
            detail = integers[0].dtype.name
            self.end_at(INTEGER, op.name, detail, tokens, [t._id for t in integers])

    def end_at(
        self,
        kind: str,
        op: str,
        detail: str,
        tokens: Sequence[Token | None],
        results: Iterable[Token] = (),
        body: Any = None,
    ) -> None:
        """Note that the paths through these tensors end in a call, if there are any."""
        start = [token for token in tokens if token is not None and self.follows(token)]
        if start:
            if self.endings is None:
                self.endings = Endings()
            self.endings.add(self, kind, op, detail, start, results, body)

    def left(self, tensor: Any, how: str) -> None:
        """Note that the value of a tensor becomes a NumPy array or a Python number."""
        self.end_at(PYTHON, how, "", (tensor._id,))

    def _is_followed(self, tokens: Iterable[Token | None]) -> bool:
        return any(map(self.follows, tokens))

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


class LedgerClass:
    """The class of the ledgers of new tapes."""

    current: type[Ledger] = Ledger
