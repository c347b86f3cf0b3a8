"""Values that ops are given in place of tensors, and that answer for themselves."""

from typing import Any

from tapeflow.core.composite import Answering as Answering
from tapeflow.core.composite import not_a_tensor as not_a_tensor
from tapeflow.core.registry import find


def only_computes(op_name: str) -> bool:
    """Whether there is an op of this name that has no effect, and reaches no files or functions."""
    op = find(op_name)
    return op is not None and op.effect in (None, "random") and op.access is None


def add_dispatch_support(target: Any = None, iterable_parameters: Any = None) -> Any:
    """Decorate a function that may be given other values than tensors; ops ask them themselves."""
    return (lambda function: function) if target is None else target
