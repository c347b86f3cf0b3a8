"""Explain why a gradient is None, once per line of the user's code that gets one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tapeflow._src.core.log import warn_first
from tapeflow._src.core.source import user_location
from tapeflow._src.core.tensor import acts_as_variable
from tapeflow._src.eager.variable import Variable
from tapeflow._src.gradients.ledger import Ledger
from tapeflow._src.gradients.record import DIFFERENTIABLE
from tapeflow._src.gradients.token import Token

_DISCONNECTED = (
    "What goes through NumPy or Python numbers (x.numpy(), float(x)), integers or "
    "tf.stop_gradient, or is computed outside the tape's block, is a constant to it"
)
_UNUSED = f"no recorded operation leads from it to the target. {_DISCONNECTED}"
_CONSTANT = f"the target was not computed from anything that the tape watches. {_DISCONNECTED}"
_TENSOR = (
    "the tape does not watch it. Call tape.watch(x) before computing with the tensor, or make it a "
    "tf.Variable"
)
_FROZEN = "it is not trainable, so the tape does not watch it. Call tape.watch(variable)"
_NOT_WATCHED = "the tape was made with watch_accessed_variables=False. Call tape.watch(variable)"
_UNREAD = "it was not read while the tape recorded"


class Unconnected:
    """The state of a tape that explains missing gradients, saved before its records are dropped."""

    __slots__ = ("_accessed", "_followed", "_has_target", "_target_followed")

    def __init__(
        self, ledger: Ledger, seeds: Iterable[tuple[Token, Any]], missing: set[Token]
    ) -> None:
        targets = [token for token, _ in seeds]
        self._accessed = ledger.watch_accessed
        self._has_target = bool(targets)
        self._target_followed = any(map(ledger.follows, targets))
        self._followed = {token for token in missing if ledger.follows(token)}

    def warn(
        self, sources: Sequence[Any], tokens: Sequence[Token], gradients: Sequence[Any]
    ) -> None:
        """Warn why these gradients are None, unless a dtype warning has said so."""
        location = user_location()
        if location is None or not self._has_target:
            return
        reasons: dict[str, list[str]] = {}
        for i, (source, token, gradient) in enumerate(zip(sources, tokens, gradients, strict=True)):
            if gradient is not None or _has_other_warning(source):
                continue
            reasons.setdefault(self._reason(source, token), []).append(_name(i, source))
        if reasons:
            explanation = "; ".join(f"{', '.join(names)}: {why}" for why, names in reasons.items())
            warn_first(
                f"None {location.file}:{location.line}",
                1,
                "%s: no gradient for %s.",
                location,
                explanation,
            )

    def _reason(self, source: Any, token: Token) -> str:
        if source.dtype not in DIFFERENTIABLE:
            return f"it is {source.dtype.name}; only floating-point numbers have gradients"
        if token in self._followed:
            return _UNUSED if self._target_followed else _CONSTANT
        if not isinstance(source, Variable):
            return _TENSOR
        if not source.trainable:
            return _FROZEN
        return _UNREAD if self._accessed else _NOT_WATCHED


def _has_other_warning(source: Any) -> bool:
    """Whether the dtype warning covers it, or the library that wraps the variable does."""
    if isinstance(source, Variable):
        return False
    return acts_as_variable(source) or source.dtype not in DIFFERENTIABLE


def _name(index: int, source: Any) -> str:
    if isinstance(source, Variable):
        return f"variable {source.name!r}"
    return f"source {index} (shape {source.shape}, {source.dtype.name})"
