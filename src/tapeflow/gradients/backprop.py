"""The backward pass: from gradients of targets to gradients of sources, over a ledger."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from weakref import ref

from tapeflow.gradients.ledger import Ledger
from tapeflow.gradients.token import PartToken, Token
from tapeflow.ops.arithmetic import add_v2
from tapeflow.ops.indexed_slices import IndexedSlices, densify, join


def backpropagate(
    ledger: Ledger, seeds: Iterable[tuple[Token, Any]], sources: set[Token], consume: bool
) -> dict[Token, Any]:
    """The gradients of the sources that the targets depend on, among others.

    `seeds` are the targets and their gradients. With `consume` the records are dropped as they
    are used, and what they keep is freed.
    """
    gradients: dict[Token, Any] = {}
    for target, gradient in seeds:
        _accumulate(gradients, target, gradient)
    watched, wanted = ledger.watched, _wanted(ledger, sources)
    entries = ledger.entries if consume else dict(ledger.entries)
    while entries:
        filed_under, (inputs, outputs, pull, payload) = entries.popitem()
        if outputs is None:
            # Nearly every op has one result: this case is written out.
            token = filed_under()
            gradient = gradients.get(token) if token in sources else gradients.pop(token, None)
            if gradient is None:
                continue
            tokens, arrived = (token,), (gradient,)
        else:
            tokens, arrived = _arrived(outputs, gradients, sources)
            if not arrived:
                continue
        if wanted is None:
            needed = [ledger in token.ledgers or token in watched for token in inputs]
        else:
            needed = [token in wanted for token in inputs]
        if True not in needed:
            continue
        result = pull(payload, arrived, needed, tokens)
        for token, gradient, is_needed in zip(inputs, result, needed, strict=True):
            if is_needed and gradient is not None:
                _accumulate(gradients, token, gradient)
    return gradients


def _arrived(
    outputs: list[Any], gradients: dict[Token, Any], sources: set[Token]
) -> tuple[Any, Any]:
    """The tokens of a call's results, and the gradients that came for them; () if none did."""
    tokens = [reference and reference() for reference in outputs]
    arrived = [gradients.get(t) if t in sources else gradients.pop(t, None) for t in tokens]
    if all(g is None for g in arrived):
        return tokens, ()
    for place, reference in enumerate(outputs):
        if reference is not None and tokens[place] is None:
            tokens[place] = _made_again(tokens, place)
    return tokens, arrived


def _made_again(tokens: list[Any], place: int) -> Token | None:
    """A token for a result that nobody holds any more, if there are other tapes.

    The gradient function may be given that result; what it computes of it the other tapes, which
    have recorded the call too, must be able to follow.
    """
    sibling = next(token for token in tokens if token is not None)
    if len(sibling.ledgers) < 2:
        return None
    token = PartToken()
    token.call, token.ledgers = sibling.call, sibling.ledgers
    for ledger in sibling.ledgers:
        filed = ledger.entries.get(ref(sibling.call))
        if filed is not None:
            filed[1][place] = ref(token)
    return token


def _wanted(ledger: Ledger, sources: set[Token]) -> set[Token] | None:
    """The tensors that depend on a source: only through them do gradients need to flow.

    None stands for all that the ledger follows.
    """
    if ledger.watched <= sources:
        return None
    wanted = {token for token in sources if ledger.follows(token)}
    for filed_under, (inputs, outputs, _, _) in list(ledger.entries.items()):
        for token in inputs:
            if token in wanted:
                wanted.update([filed_under()] if outputs is None else [r() for r in outputs if r])
                break
    return wanted


def _accumulate(gradients: dict[Token, Any], token: Token, gradient: Any) -> None:
    if token in gradients:
        gradient = add_gradients(gradients[token], gradient)
    gradients[token] = gradient


def add_gradients(a: Any, b: Any) -> Any:
    """Their sum, sparse while both are."""
    if isinstance(a, IndexedSlices) and isinstance(b, IndexedSlices):
        return join(a, b)
    return add_v2(densify(a), densify(b))
