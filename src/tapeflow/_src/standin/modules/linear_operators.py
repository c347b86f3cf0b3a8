"""`tensorflow.python.ops.linalg`: linear operators beside the public classes."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.linalg.operators.spec import composite
from tapeflow._src.api.math.arithmetic import add_n
from tapeflow._src.standin.modules import type_spec_registry
from tapeflow.linalg import LinearOperator, LinearOperatorDiag, LinearOperatorFullMatrix


def make_composite_tensor(cls: Any, module_name: str = "tf.linalg") -> Any:
    """Declare that operators of a class consist of the tensors that they were created from."""
    cls = composite(cls)
    type_spec_registry.register(f"{module_name}.{cls.__name__}Spec")(cls._type_spec_class)
    return cls


def add_operators(
    operators: list[LinearOperator],
    operator_name: str | None = None,
    addition_tiers: Any = None,
    name: str | None = None,
) -> list[LinearOperator]:
    """Return the sum of operators: a diagonal if all of them are, else a whole matrix."""
    if len(operators) == 1:
        return list(operators)
    if all(isinstance(each, LinearOperatorDiag) for each in operators):
        return [LinearOperatorDiag(add_n([each.diag_part() for each in operators]))]
    return [LinearOperatorFullMatrix(add_n([each.to_dense() for each in operators]))]
