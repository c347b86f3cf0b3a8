"""`tf.debugging.set_log_device_placement`: log the device of every op."""

from __future__ import annotations

import sys
from typing import Any

from tapeflow._src.api.debugging.observer import Observer
from tapeflow._src.core import devices, dispatch
from tapeflow._src.eager.tensor import EagerTensor


class _Placements(Observer):
    def record(
        self, op: Any, inputs: tuple[Any, ...], attrs: dict[str, Any], outputs: tuple[Any, ...]
    ) -> None:
        # Assignments have no outputs.
        if any(isinstance(tensor, EagerTensor) for tensor in (outputs or inputs)[:1]):
            self.see(op, inputs, outputs)

    def see(self, op: Any, inputs: tuple[Any, ...], outputs: tuple[Any, ...]) -> None:
        device = dispatch.state.device or (outputs or inputs)[0].device
        if dispatch.state.requested_device:
            # Where it is not there, the call has warned.
            requested = devices.parse(dispatch.state.requested_device)
            device = (devices.matching(requested) or [device])[0]
        print(f"Executing op {op.name} in device {device}", file=sys.stderr)


_placements = _Placements()


def set_log_device_placement(enabled: bool) -> None:
    """Set whether the device of every op that runs is written to standard error.

    Args:
        enabled: A bool.

    Returns:
        None.
    """
    if enabled:
        _placements.start()
    else:
        _placements.stop()


def get_log_device_placement() -> bool:
    """Return whether the devices of ops are written to standard error.

    Returns:
        A bool.

    Example:
        >>> tf.debugging.get_log_device_placement()
        False
    """
    return _placements in dispatch.state.recorders
