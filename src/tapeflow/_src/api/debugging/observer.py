"""`Observer`: is told of every op that runs, and asks nothing of tapes.

While one is active in a thread, functions called there run operation by operation, as eager code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tapeflow._src.core import dispatch
from tapeflow._src.eager.tensor import EagerTensor


class Observer:
    """A recorder that looks at what ops give. Subclasses say what they do with it in `see`."""

    def see(self, op: Any, inputs: tuple[Any, ...], outputs: tuple[Any, ...]) -> None:
        """An op ran on `inputs` and gave `outputs`, which have values."""
        raise NotImplementedError(f"{type(self).__name__} does not say what it looks at.")

    def start(self) -> None:
        """Observe the ops of this thread from now on; starting twice is starting once."""
        if self not in dispatch.state.recorders:
            dispatch.add_recorder(self)

    def stop(self) -> None:
        """Observe no more."""
        dispatch.remove_recorder(self)

    # -- what recorders are told -------------------------------------------------------------

    def record(
        self, op: Any, inputs: tuple[Any, ...], attrs: dict[str, Any], outputs: tuple[Any, ...]
    ) -> None:
        if outputs and isinstance(outputs[0], EagerTensor):
            self.see(op, inputs, outputs)

    def variable_accessed(self, variable: Any) -> None:
        """Reading a variable is an op, too."""

    def takes(self, tensors: Iterable[Any]) -> bool:
        return False

    def record_custom(
        self, pull: Callable[..., Any], inputs: tuple[Any, ...], outputs: tuple[Any, ...]
    ) -> None:
        """A gradient of one's own computes nothing yet."""
