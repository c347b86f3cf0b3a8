"""Whether every operation of the process promotes dtypes, Python numbers being weak."""

from __future__ import annotations

from typing import Any

from tapeflow.core.dtypes import DType
from tapeflow.experimental.numpy.lattice import PromoMode


class _State:
    mode = PromoMode.NONE


state = _State()


def enabled() -> bool:
    """Whether every operation promotes."""
    return state.mode in (PromoMode.SAFE, PromoMode.ALL)


def result_type(*values: Any) -> DType:
    """The dtype that operands have together."""
    raise NotImplementedError(f"{state.mode} has no dtype for {values}.")


def weaken(tensor: Any) -> Any:
    """`tensor`, giving way to dtypes that others insist on."""
    raise NotImplementedError(f"{state.mode} has no weak form of {tensor}.")
