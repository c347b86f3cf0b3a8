"""Messages about inputs of wrong dtypes while tracing, derived from TensorFlow's op signatures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeflow._src.core.dtypes import DType
from tapeflow._src.core.registry import Op, cast_hint
from tapeflow._src.graph.op_defs import Argument, OpSignature, signature_of


def dtype_message(op: Op, dtypes: Sequence[Any]) -> str | None:
    """Explain why `op` does not accept these dtypes (a tuple for a list); None if it does.

    By the op's signature in files: an input has a fixed dtype, or one that an attribute names.
    """
    signature = signature_of(op.name)
    if signature is None or len(signature.inputs) != len(dtypes):
        return None
    bound: dict[str, tuple[str, DType]] = {}
    for argument, received in zip(signature.inputs, dtypes):
        message = _wrong(op.name, signature, argument, received, bound)
        if message is not None:
            return message
    return None


def _wrong(
    name: str,
    signature: OpSignature,
    argument: Argument,
    operand: Any,
    bound: dict[str, tuple[str, DType]],
) -> str | None:
    dtypes: tuple[DType, ...] = operand if type(operand) is tuple else (operand,)
    received = f"{name}: {argument.name!r} has dtype {', '.join(d.name for d in dtypes)}"
    if argument.dtype is not None:
        if all(d is argument.dtype for d in dtypes):
            return None
        return f"{received}, expected {argument.dtype.name}."
    if not argument.type_attr or not dtypes:
        return None
    if any(d is not dtypes[0] for d in dtypes):
        return f"{received}, expected one dtype for all: use tf.cast."
    first = bound.setdefault(argument.type_attr, (argument.name, dtypes[0]))
    if first[1] is not dtypes[0]:
        return (
            f"{received}, expected the same as {first[0]!r}, {first[1].name}. "
            f"{cast_hint(first[0], first[1], argument.name, dtypes[0])}"
        )
    allowed = next(a.allowed for a in signature.attributes if a.name == argument.type_attr)
    if allowed and dtypes[0] not in allowed:
        return (
            f"{name}: {argument.name!r} does not support dtype {dtypes[0].name}; allowed values: "
            f"{', '.join(d.name for d in allowed)}"
        )
    return None
