"""What is said of inputs of wrong dtypes while a function is traced: by TensorFlow's signatures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeflow.core.dtypes import DType
from tapeflow.core.registry import Op
from tapeflow.graph.op_defs import Argument, OpSignature, signature_of


def dtype_message(op: Op, dtypes: Sequence[Any]) -> str | None:
    """Why `op` does not take inputs of these dtypes, a tuple of them for a list; None if it does.

    As files know the op: an input is of a dtype of its own, or of one that an attribute names.
    """
    signature = signature_of(op.name)
    if signature is None or len(signature.inputs) != len(dtypes):
        return None
    known: dict[str, tuple[str, DType]] = {}
    for argument, given in zip(signature.inputs, dtypes):
        found = _wrong(op.name, signature, argument, given, known)
        if found is not None:
            return found
    return None


def _wrong(
    name: str,
    signature: OpSignature,
    argument: Argument,
    given: Any,
    known: dict[str, tuple[str, DType]],
) -> str | None:
    many = type(given) is tuple
    dtypes: tuple[DType, ...] = given if many else (given,)
    texts = f"[{', '.join(d.name for d in dtypes)}]"
    listed = f"Tensors in list passed to {argument.name!r} of {name!r} Op have types {texts} that"
    single = f"Input {argument.name!r} of {name!r} Op has type {dtypes[0].name if dtypes else ''}"
    if argument.dtype is not None:
        if all(d is argument.dtype for d in dtypes):
            return None
        expected = argument.dtype.name
        if many:
            return f"{listed} do not match expected type {expected}."
        return f"{single} that does not match expected type of {expected}."
    if not argument.type_attr or not dtypes:
        return None
    if any(d is not dtypes[0] for d in dtypes):
        return f"{listed} don't all match."
    first = known.setdefault(argument.type_attr, (argument.name, dtypes[0]))
    if first[1] is not dtypes[0]:
        if many:
            return f"{listed} do not match type {first[1].name} of argument {first[0]!r}."
        return f"{single} that does not match type {first[1].name} of argument {first[0]!r}."
    allowed = next(a.allowed for a in signature.attributes if a.name == argument.type_attr)
    if allowed and dtypes[0] not in allowed:
        return (
            f"Value passed to parameter {argument.name!r} has DataType {dtypes[0].name} not in "
            f"list of allowed values: {', '.join(d.name for d in allowed)}"
        )
    return None
