"""The backward pass: from gradients of targets to gradients of sources, over a ledger."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from tapeflow._src.core import dispatch
from tapeflow._src.core.dtypes import variant
from tapeflow._src.gradients.endings import body_of, op_name
from tapeflow._src.gradients.ledger import Ledger
from tapeflow._src.gradients.token import Call, Token
from tapeflow._src.ops.indexed_slices import IndexedSlices, densify, join
from tapeflow._src.ops.math.arithmetic import add_n, add_v2

_SINGLE_INPUT = [True]


class Unpulled(NamedTuple):
    """A recorded call that passed no gradient on to some of its inputs, without its residuals.

    `body` is the graph it called, if it called one.
    """

    op: str
    inputs: list[Token]
    results: list[Token]
    body: Any


def backpropagate(
    ledger: Ledger,
    seeds: Iterable[tuple[Token, Any]],
    sources: set[Token],
    consume: bool,
    unpulled: list[Unpulled] | None = None,
) -> dict[Token, Any]:
    """Compute the gradients of the sources that the targets depend on, among others.

    `seeds` are the targets and their gradients. With `consume` the records are dropped as they are
    used, which frees what they saved. The calls through which no gradient went are added to
    `unpulled`, without results if the targets depend on them.
    """
    gradients: dict[Token, Any] = {}
    for token, gradient in seeds:
        present = gradients.get(token)
        gradients[token] = gradient if present is None else add_gradients(present, gradient)
    watched = ledger.watched
    # If every watched tensor is a source, gradients flow through everything that is followed.
    on_path = None if watched <= sources else _on_path(ledger, sources)
    entries = ledger.entries if consume else dict(ledger.entries)
    while entries:
        filed_under, (inputs, pull, payload) = entries.popitem()
        result = filed_under()
        if type(result) is Call:
            tokens, arrived = _upstream_gradients(result, gradients, sources)
            if not arrived:
                _note(unpulled, payload, inputs, tokens)
                continue
        else:
            # Nearly every op has one result: this case is written out.
            gradient = gradients.get(result) if result in sources else gradients.pop(result, None)
            if gradient is None:
                _note(unpulled, payload, inputs, (result,))
                continue
            tokens, arrived = (result,), (gradient,)
        if on_path is not None:
            needed = [token in on_path for token in inputs]
            if True not in needed:
                continue
        elif len(inputs) == 1:
            # It would not have been recorded if it were not needed.
            needed = _SINGLE_INPUT
        elif len(inputs) == 2:
            first, second = inputs
            needed = [
                ledger in first.ledgers or first in watched,
                ledger in second.ledgers or second in watched,
            ]
        else:
            needed = [ledger in token.ledgers or token in watched for token in inputs]
        pulled = pull(payload, arrived, needed, tokens)
        for token, gradient, is_needed in zip(inputs, pulled, needed):
            if is_needed and gradient is None:
                _note(unpulled, payload, [token], ())
            elif is_needed:
                present = gradients.get(token)
                gradients[token] = gradient if present is None else add_gradients(present, gradient)
    return gradients


def _note(
    unpulled: list[Unpulled] | None, payload: Any, inputs: list[Token], results: Iterable[Any]
) -> None:
    """Note a call through which no gradient went."""
    if unpulled is not None:
        living = [token for token in results if token is not None]
        unpulled.append(Unpulled(op_name(payload), inputs, living, body_of(payload)))


def _upstream_gradients(
    call: Call, gradients: dict[Token, Any], sources: set[Token]
) -> tuple[Any, Any]:
    """Return the tokens of a call's results and their upstream gradients; () if there are none."""
    tokens: list[Any] = call.living()
    arrived = [gradients.get(t) if t in sources else gradients.pop(t, None) for t in tokens]
    if all(gradient is None for gradient in arrived):
        return tokens, ()
    # Recorders of this pass must know the results whose gradients the rule receives.
    return (call.all() if dispatch.state.recorders else tokens), arrived


def _on_path(ledger: Ledger, sources: set[Token]) -> set[Token]:
    """Return the tensors that depend on a source: gradients need to flow only through them."""
    on_path = {token for token in sources if ledger.follows(token)}
    for filed_under, (inputs, _, _) in list(ledger.entries.items()):
        for token in inputs:
            if token in on_path:
                result = filed_under()
                tokens: Iterable[Any] = result.living() if type(result) is Call else (result,)
                on_path.update(tokens)
                break
    return on_path


def add_gradients(a: Any, b: Any) -> Any:
    """Sum two gradients: sparse while both are, lists element by element."""
    if a.dtype is variant:
        return add_n([a, b])
    if isinstance(a, IndexedSlices):
        return join(a, b) if isinstance(b, IndexedSlices) else add_v2(densify(a), b)
    return add_v2(a, densify(b) if isinstance(b, IndexedSlices) else b)
