"""The backward pass: from gradients of targets to gradients of sources, over a ledger."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tapeflow._src.core import dispatch
from tapeflow._src.core.dtypes import variant
from tapeflow._src.gradients.ledger import Ledger
from tapeflow._src.gradients.token import Call, Token
from tapeflow._src.ops.indexed_slices import IndexedSlices, densify, join
from tapeflow._src.ops.math.arithmetic import add_n, add_v2

_THE_ONLY_ONE = [True]


def backpropagate(
    ledger: Ledger, seeds: Iterable[tuple[Token, Any]], sources: set[Token], consume: bool
) -> dict[Token, Any]:
    """The gradients of the sources that the targets depend on, among others.

    `seeds` are the targets and their gradients. With `consume` the records are dropped as they
    are used, and what they keep is freed.
    """
    gradients: dict[Token, Any] = {}
    for token, gradient in seeds:
        present = gradients.get(token)
        gradients[token] = gradient if present is None else add_gradients(present, gradient)
    watched = ledger.watched
    # Where every watched tensor is a source, gradients need to flow through all that is followed.
    wanted = None if watched <= sources else _wanted(ledger, sources)
    entries = ledger.entries if consume else dict(ledger.entries)
    while entries:
        filed_under, (inputs, pull, payload) = entries.popitem()
        result = filed_under()
        if type(result) is Call:
            tokens, arrived = _arrived(result, gradients, sources)
            if not arrived:
                continue
        else:
            # Nearly every op has one result: this case is written out.
            gradient = gradients.get(result) if result in sources else gradients.pop(result, None)
            if gradient is None:
                continue
            tokens, arrived = (result,), (gradient,)
        if wanted is not None:
            needed = [token in wanted for token in inputs]
            if True not in needed:
                continue
        elif len(inputs) == 1:
            # It would not have been filed if it were not needed.
            needed = _THE_ONLY_ONE
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
            if is_needed and gradient is not None:
                present = gradients.get(token)
                gradients[token] = gradient if present is None else add_gradients(present, gradient)
    return gradients


def _arrived(call: Call, gradients: dict[Token, Any], sources: set[Token]) -> tuple[Any, Any]:
    """The tokens of a call's results, and the gradients that came for them; () if none did."""
    tokens: list[Any] = call.living()
    arrived = [gradients.get(t) if t in sources else gradients.pop(t, None) for t in tokens]
    if all(gradient is None for gradient in arrived):
        return tokens, ()
    # Whoever records the pass must know the results that the gradient is given.
    return (call.all() if dispatch.state.recorders else tokens), arrived


def _wanted(ledger: Ledger, sources: set[Token]) -> set[Token]:
    """The tensors that depend on a source: only through them do gradients need to flow."""
    wanted = {token for token in sources if ledger.follows(token)}
    for filed_under, (inputs, _, _) in list(ledger.entries.items()):
        for token in inputs:
            if token in wanted:
                result = filed_under()
                found: Iterable[Any] = result.living() if type(result) is Call else (result,)
                wanted.update(found)
                break
    return wanted


def add_gradients(a: Any, b: Any) -> Any:
    """Their sum, sparse while both are, of lists element by element."""
    if a.dtype is variant:
        return add_n([a, b])
    if isinstance(a, IndexedSlices):
        return join(a, b) if isinstance(b, IndexedSlices) else add_v2(densify(a), b)
    return add_v2(a, densify(b) if isinstance(b, IndexedSlices) else b)
