"""Where every op call goes: to the current mode, and to the active recorders.

This file knows that there are modes (eager, tracing, …) and recorders (tapes, accumulators);
it knows none of them. A mode pushes itself here; the tape registers itself as a recorder.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from tapeflow._src.core.composite import Composite, NotATensor
from tapeflow._src.core.thread_state import inherited


class Mode(Protocol):
    """A way to run an op call."""

    # The graph that calls are added to; None where they run.
    graph: Any

    def execute(
        self, op: Any, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None
    ) -> Any:
        """Run `op` and return a tensor, a tuple of tensors or None."""

    def convert(self, value: Any, dtype: Any, hint: Any, name: str | None) -> Any:
        """Convert `value` to a tensor of this mode."""


class Recorder(Protocol):
    """Called for every op call of this thread while it is active."""

    def record(
        self, op: Any, inputs: tuple[Any, ...], attrs: dict[str, Any], outputs: tuple[Any, ...]
    ) -> None: ...

    def variable_accessed(self, variable: Any) -> None: ...

    def takes(self, tensors: Iterable[Any]) -> bool:
        """Whether a call with these inputs would be recorded."""

    def record_custom(
        self, pull: Callable[..., Any], inputs: tuple[Any, ...], outputs: tuple[Any, ...]
    ) -> None:
        """Like `record`, for a call with a custom gradient: `pull(*gradients) -> gradients`."""

    def left(self, tensor: Any, how: str) -> None:
        """Called when the value of a tensor that a tape follows goes to NumPy or Python."""


_base_modes: list[Mode] = []
# The wrapper of every mode, and the base mode without it.
_wrappers: list[Callable[[Any], Mode]] = []
_bare_base: list[Mode] = []


class _ThreadState(threading.local):
    """The state of a thread. `threading.local` runs `__init__` once in each."""

    def __init__(self) -> None:
        self.mode: Any = _base_modes[0] if _base_modes else None
        self.recorders: tuple[Recorder, ...] = ()
        self.name_scope: str = ""
        self.device: str = ""
        # The device that the block of an operation requested, while it is replayed from a graph.
        self.requested_device: str = ""
        # Places new tensors on a mesh, in a block for one.
        self.placer: Any = None
        # The replica of a strategy that runs: functions have traces of their own for each.
        self.replica: Any = None


state = inherited(_ThreadState())


class _DeviceBlocks:
    """Whether any thread ever entered a block for a device or a mesh: `convert` asks often."""

    entered = False


device_blocks = _DeviceBlocks()


def set_base_mode(mode: Mode) -> None:
    """Make `mode` the one that runs when no other is pushed."""
    _bare_base[:] = [mode]
    _base_modes[:] = [mode]
    state.mode = mode


def base_mode() -> Mode:
    return _base_modes[0]


def wrap_modes(wrapper: Callable[[Any], Mode] | None) -> None:
    """Wrap modes in `wrapper` from now on, including the base mode; None ends it.

    The current modes of other threads are unchanged.
    """
    at_base = state.mode is _base_modes[0]
    _wrappers[:] = [] if wrapper is None else [wrapper]
    _base_modes[:] = [_wrapped(_bare_base[0])]
    state.mode = _base_modes[0] if at_base else _wrapped(state.mode)


def _wrapped(mode: Any) -> Any:
    return _wrappers[0](mode) if _wrappers else mode


@contextmanager
def use_mode(mode: Mode) -> Iterator[None]:
    """Run the block's ops in `mode`, in this thread."""
    previous = state.mode
    state.mode = _wrapped(mode)
    try:
        yield
    finally:
        state.mode = previous


def current_graph() -> Any:
    """Return the graph that is being built in this thread, or None if ops run at once."""
    return state.mode.graph


def plain_graph() -> Any:
    """Return the graph for sessions that is being built, around all functions; None if none is."""
    graph = state.mode.graph
    while graph is not None and graph.building_function:
        graph = graph.outer
    return graph


@contextmanager
def use_recorders(recorders: tuple[Recorder, ...]) -> Iterator[None]:
    """Use exactly `recorders` for the block's ops, in this thread."""
    previous = state.recorders
    state.recorders = recorders
    try:
        yield
    finally:
        state.recorders = previous


def add_recorder(recorder: Recorder) -> None:
    state.recorders = (*state.recorders, recorder)


def remove_recorder(recorder: Recorder) -> None:
    recorders = state.recorders
    if recorders and recorders[-1] is recorder:
        state.recorders = recorders[:-1]
    else:
        state.recorders = tuple(r for r in recorders if r is not recorder)


def variable_accessed(variable: Any) -> None:
    """Notify the recorders that `variable` is read."""
    for recorder in state.recorders:
        recorder.variable_accessed(variable)


def convert(value: Any, dtype: Any = None, hint: Any = None, name: str | None = None) -> Any:
    """Convert `value` to a tensor of the current mode; `dtype` is required, `hint` preferred."""
    result = state.mode.convert(value, dtype, hint, name)
    return _placed(result, value) if device_blocks.entered else result


def converter() -> Callable[[Any, Any, Any, str | None], Any]:
    """Return what converts values in this thread now: `convert`, or what it would call."""
    converting: Callable[..., Any] = convert if device_blocks.entered else state.mode.convert
    return converting


def _placed(result: Any, value: Any) -> Any:
    """Note the device of the block in force on a new eager tensor."""
    if state.mode.graph is None and result is not value and hasattr(type(result), "_device"):
        if state.placer is not None:
            state.placer.place(result)
        elif state.device:
            result._device = state.device
    return result


def constant(value: Any, dtype: Any, name: str | None) -> Any:
    """Create a tensor of `value`: like `convert`, unless the mode has constants of its own."""
    mode = state.mode
    make = getattr(mode, "constant", None)
    return convert(value, dtype, None, name) if make is None else make(value, dtype, name)


def embedded(tensor: Any, name: str) -> Any:
    """Return a tensor with a value; in a graph, a constant of that name that is not shared."""
    mode = state.mode
    embed = None if mode is _base_modes[0] else getattr(mode, "embed", None)
    return tensor if embed is None else embed(tensor, name)


def operand(value: Any, dtype: Any = None, hint: Any = None) -> Any:
    """Convert `value` to an operand: a tensor, or the composite that it is."""
    try:
        return state.mode.convert(value, dtype, hint, None)
    except NotATensor:
        if not isinstance(value, Composite):
            raise
        return value
