"""What ops make of ragged tensors: a table of ragged forms, by the op's name.

A form is given the op, the inputs as the caller gave them and the attributes. Ops that work element
by element need no form of their own: they share one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow.core.registry import Op

Form = Callable[..., Any]

_FORMS: dict[str, Form] = {}
_ELEMENT_WISE = "every op that works element by element"


def form(*names: str) -> Callable[[Form], Form]:
    """Declare what these ops make of ragged tensors: `fn(op, *inputs, **attributes)`."""

    def declare(fn: Form) -> Form:
        for name in names:
            _FORMS[name] = fn
        return fn

    return declare


def element_wise_form(fn: Form) -> Form:
    """Declare what ops that work element by element make of ragged tensors."""
    return form(_ELEMENT_WISE)(fn)


def form_of(op: Op) -> Form | None:
    """What is declared for an op, if anything is."""
    found = _FORMS.get(op.name)
    return _FORMS[_ELEMENT_WISE] if found is None and is_element_wise(op) else found


def is_element_wise(op: Op) -> bool:
    """Whether each element of the result comes from one of each input, repeated where short."""
    if op.name in _ALSO:
        return True
    return (op.broadcasts or (op.keeps_shape and op.arity == 1)) and op.name not in _BUT


_ALSO = frozenset(
    {
        "Angle",
        "ApproximateEqual",
        "AsString",
        "Bitcast",
        "Bucketize",
        "Cast",
        "ComplexAbs",
        "DecodeBase64",
        "DecodeCompressed",
        "EncodeBase64",
        "Equal",
        "Imag",
        "NotEqual",
        "PopulationCount",
        "Real",
        "RegexFullMatch",
        "RegexReplace",
        "StaticRegexFullMatch",
        "StaticRegexReplace",
        "StringLength",
        "StringLower",
        "StringStrip",
        "StringToHashBucket",
        "StringToHashBucketFast",
        "StringToHashBucketStrong",
        "StringToNumber",
        "StringUpper",
        "Substr",
        "UnicodeScript",
        "UnicodeTranscode",
    }
)
_BUT = frozenset(
    {
        "BandedTriangularSolve",
        "BatchMatMulV2",
        "BatchMatMulV3",
        "MatrixTriangularSolve",
        "RandomShuffle",
        "SoftmaxCrossEntropyWithLogits",
    }
)
