"""`tensorflow.python.eager.context`: how ops run now."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tapeflow import config
from tapeflow._src.api.scopes import executing_eagerly as executing_eagerly
from tapeflow._src.core import dispatch, protos
from tapeflow._src.core.devices import DeviceSpec, placement
from tapeflow._src.core.random_state import determinism_required, require_determinism, set_seed
from tapeflow._src.graph.graph import Graph
from tapeflow._src.graph.mode import TracingMode

GRAPH_MODE, EAGER_MODE = 0, 1


def is_op_determinism_enabled() -> bool:
    """Whether ops must be deterministic."""
    return determinism_required()


def disable_op_determinism() -> None:
    """Allow ops to be nondeterministic again."""
    require_determinism(False)


def async_wait() -> None:
    """Return: results are complete when an op returns."""


@contextmanager
def eager_mode() -> Iterator[None]:
    """Run ops of the block at once."""
    with dispatch.use_mode(dispatch.base_mode()):
        yield


def num_gpus() -> int:
    """Return how many GPUs there are."""
    return len(config.list_physical_devices("GPU"))


def get_device_name() -> str:
    """Return the device of the block in force."""
    return str(dispatch.state.device)


class Context:
    """The execution context of the process."""

    executing_eagerly = staticmethod(executing_eagerly)
    num_gpus = staticmethod(num_gpus)

    @property
    def device_name(self) -> str:
        """The device of the block in force."""
        return get_device_name()

    @property
    def device_spec(self) -> DeviceSpec:
        """The device of the block in force, in parts."""
        return DeviceSpec.from_string(get_device_name())

    def ensure_initialized(self) -> None:
        """Return: nothing is set up later."""

    def clear_kernel_cache(self) -> None:
        """Return: eager ops call their bodies, so that no kernel is cached."""

    def in_graph_mode(self) -> bool:
        """Whether a graph is being built."""
        return isinstance(dispatch.state.mode, TracingMode)


_CONTEXT = Context()


def _reset_context() -> None:
    """Undo what was configured for the process: one logical processor, no global seed."""
    placement.logical_cpus, placement.soft, placement.in_use = 1, True, False
    set_seed(None)


def context() -> Context:
    """Return the context of the process."""
    return _CONTEXT


def get_config() -> Any:
    """Return the configuration of sessions of this process."""
    return protos.ConfigProto(allow_soft_placement=config.get_soft_device_placement())


def ensure_initialized() -> None:
    """Return: nothing is set up later."""


@contextmanager
def graph_mode() -> Iterator[None]:
    """Put ops of the block into a new graph."""
    with Graph().as_default():
        yield
