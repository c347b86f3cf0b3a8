"""Results of ops in a block of `tf.device` for another device than the first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tapeflow._src.core import dispatch
from tapeflow._src.eager.packed_tensor import EAGER_TYPES


class Placer:
    """A recorder that notes the device on the results of all ops: only such blocks pay for it."""

    checks_numerics = False

    def __init__(self, device: str) -> None:
        self._device = device

    def place(self, tensors: Iterable[Any]) -> None:
        """Note the device on these tensors."""
        for tensor in tensors:
            if type(tensor) in EAGER_TYPES:
                tensor._device = self._device

    def record(
        self, op: Any, inputs: tuple[Any, ...], attrs: dict[str, Any], outputs: tuple[Any, ...]
    ) -> None:
        self.place(outputs)

    def variable_accessed(self, variable: Any) -> None:
        """Do nothing: reading a variable is an op as well."""

    def takes(self, tensors: Iterable[Any]) -> bool:
        return False

    def left(self, tensor: Any, how: str) -> None:
        """Ignore values that go to NumPy or Python."""

    def record_custom(
        self, pull: Callable[..., Any], inputs: tuple[Any, ...], outputs: tuple[Any, ...]
    ) -> None:
        """Do nothing: the ops of the call have been recorded."""


def placer_in_force() -> Placer | None:
    """Return the recorder of the innermost block for another device than the first, if any."""
    return next((r for r in reversed(dispatch.state.recorders) if type(r) is Placer), None)
