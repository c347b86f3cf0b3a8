"""`Observer`: a recorder that is notified of every op that runs, without a tape.

While one is active in a thread, functions called there run operation by operation, as eager code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tapeflow._src.core import dispatch
from tapeflow._src.core.types import TensorLike
from tapeflow._src.eager.tensor import EagerTensor


class Observer:
    """Base class of recorders that inspect the results of ops; subclasses override `see`."""

    def see(self, op: Any, inputs: tuple[Any, ...], outputs: tuple[Any, ...]) -> None:
        """Handle an op that computed `outputs` from `inputs`; all have values."""
        raise NotImplementedError(f"{type(self).__name__} does not say what it looks at.")

    def start(self) -> None:
        """Observe the ops of this thread from now on; idempotent."""
        if self not in dispatch.state.recorders:
            dispatch.add_recorder(self)

    def stop(self) -> None:
        """Stop observing."""
        dispatch.remove_recorder(self)

    # -- notifications of recorders ----------------------------------------------------------

    def record(
        self, op: Any, inputs: tuple[Any, ...], attrs: dict[str, Any], outputs: tuple[Any, ...]
    ) -> None:
        if outputs and isinstance(outputs[0], EagerTensor):
            self.see(op, inputs, outputs)

    def variable_accessed(self, variable: Any) -> None:
        """Do nothing: reading a variable is an op as well."""

    def takes(self, tensors: Iterable[Any]) -> bool:
        return False

    def left(self, tensor: TensorLike, how: str) -> None:
        """Ignore values that go to NumPy or Python."""

    def record_custom(
        self, pull: Callable[..., Any], inputs: tuple[Any, ...], outputs: tuple[Any, ...]
    ) -> None:
        """Do nothing: a custom gradient has computed nothing yet."""
