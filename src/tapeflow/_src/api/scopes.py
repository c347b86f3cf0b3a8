"""`tf.name_scope`, `tf.device` and related context managers."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tapeflow._src.core import devices, dispatch
from tapeflow._src.core.log import logger, warn_first
from tapeflow._src.eager.placement import Placer
from tapeflow._src.eager.tensor import DEVICE
from tapeflow._src.graph.graph import FuncGraph, Graph
from tapeflow._src.graph.mode import TracingMode


class name_scope:
    """Prefix names created in the block with `name/`; a trailing `/` re-enters a scope.

    Args:
        name: The name.

    Example:
        >>> with tf.Graph().as_default(), tf.name_scope("layer"):
        ...     name = tf.constant(1, name="one").name
        >>> name
        'layer/one:0'
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ValueError(f"The name of a name_scope must be a string, received {name!r}.")
        self._name = name
        self._outer: list[str] = []

    @property
    def name(self) -> str:
        return self._name

    def __enter__(self) -> str:
        outer = dispatch.state.name_scope
        graph = dispatch.current_graph()
        if graph is not None:
            scope = graph.names.scope(outer, self._name)
        elif not self._name or self._name.endswith("/"):
            scope = self._name
        else:
            scope = f"{outer}{self._name}/"
        self._outer.append(outer)
        dispatch.state.name_scope = scope
        return scope

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        dispatch.state.name_scope = self._outer.pop()


def get_current_name_scope() -> str:
    """Return the current name scope, without a trailing slash.

    Returns:
        A string, empty outside of scopes.

    Example:
        >>> with tf.name_scope("a"), tf.name_scope("b"):
        ...     print(tf.get_current_name_scope())
        a/b
    """
    return dispatch.state.name_scope.rstrip("/")


_ANY_DEVICE = devices.DeviceSpec()


class device:
    """Place the ops of the block on `device_name`.

    A device that is not there is replaced by one that is, with a warning; it is an error after
    `tf.config.set_soft_device_placement(False)`. Eager ops run on the processor, also in a block
    for an accelerator, which compiled functions use: that is a warning, and `tensor.device` says
    where a value is.

    Args:
        device_name: A name such as "/device:CPU:0", a `tf.DeviceSpec` or a
            `tf.config.LogicalDevice`; parts that it leaves out are those of the outer block. None
            for no preference.

    Raises:
        RuntimeError: For a function, which `tf.Graph.device` takes.
        InvalidArgumentError: For a device of another process, and for one that is not there if
            it must not be replaced.

    Example:
        >>> with tf.device("/CPU:0"):
        ...     x = tf.constant([1, 2])
        >>> x.device
        '/job:localhost/replica:0/task:0/device:CPU:0'
    """

    def __init__(self, device_name: Any) -> None:
        if callable(device_name):
            raise RuntimeError("tf.device does not support functions.")
        self._spec = None if device_name is None else devices.parse(device_name)
        # The settings before and after each entry of the block, and the recorder of its ops.
        self._entered: list[tuple[str, str, Placer | None]] = []

    def __enter__(self) -> device:
        outer = dispatch.state.device
        chosen = ""
        if self._spec is not None:
            merged = devices.parse(outer).make_merged_spec(self._spec) if outer else self._spec
            chosen = merged.to_string()
            # A graph records the requested device; graphs of sessions may be for other processes.
            if dispatch.plain_graph() is None or not devices.of_other_process(merged):
                resolved = devices.resolve(merged)
                chosen = resolved if executing_eagerly() and merged != _ANY_DEVICE else chosen
        placer = None
        if chosen not in ("", DEVICE) and executing_eagerly():
            if devices.on_host(chosen):
                placer = Placer(chosen)
                dispatch.add_recorder(placer)
            else:
                # Values outside of compiled functions lie in the memory of the host.
                warn_first(
                    chosen,
                    1,
                    "tf.device(%r): eager operations run on the processor, as tensor.device says. "
                    "Compiled functions (tf.function), MirroredStrategy, tf.experimental.dtensor "
                    "and keras.distribution use accelerators.",
                    chosen,
                )
        self._entered.append((outer, chosen, placer))
        dispatch.state.device = chosen
        dispatch.device_blocks.entered = True
        return self

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        outer, chosen, placer = self._entered.pop()
        if placer is not None:
            dispatch.remove_recorder(placer)
        if dispatch.state.device != chosen:
            raise RuntimeError(
                "Device scopes must be left in the reverse order of entering them; use `with "
                "tf.device(...)`."
            )
        dispatch.state.device = outer


@contextmanager
def control_dependencies(control_inputs: Any) -> Iterator[None]:
    """Run the ops of the block after `control_inputs`; implied in eager mode.

    Args:
        control_inputs: Tensors and operations; None removes outer dependencies.

    Returns:
        A context manager.

    Example:
        >>> @tf.function
        ... def f(v, x):
        ...     with tf.control_dependencies([v.assign(x)]):
        ...         return v.read_value()
        >>> float(f(tf.Variable(1.0), tf.constant(2.0)))
        2.0
    """
    if callable(control_inputs):
        control_inputs = [control_inputs()]
    items = [] if control_inputs is None else list(control_inputs)
    graph = dispatch.current_graph()
    if graph is None or graph.building_function:
        items = [item for item in items if not callable(item)] + [
            called for item in items if callable(item) and (called := item()) is not None
        ]
    if graph is None:
        yield
    else:
        with graph.control_dependencies(None if control_inputs is None else items):
            yield


@contextmanager
def init_scope() -> Iterator[None]:
    """Lift the ops of the block out of all functions that are being traced.

    That is eagerly, or in the graph that the functions are called in, if that is no function's.

    Returns:
        A context manager.

    Example:
        >>> @tf.function
        ... def f():
        ...     with tf.init_scope():
        ...         return tf.executing_eagerly()
        >>> f()
        <tf.Tensor: shape=(), dtype=bool, numpy=True>
    """
    graph = _surrounding_graph()
    if graph is None:
        with dispatch.use_mode(dispatch.base_mode()), dispatch.use_recorders(()):
            yield
    else:
        within = dispatch.use_mode(TracingMode(graph))
        with within, dispatch.use_recorders(()), graph.control_dependencies(None):
            yield


def _surrounding_graph() -> Graph | None:
    """Return the graph around all functions being traced, or None."""
    graph: Graph | None = dispatch.current_graph()
    while isinstance(graph, FuncGraph):
        graph = graph.outer
    return graph


def inside_function() -> bool:
    """Return whether a function is being traced; a `tf.Graph` of its own is no function.

    Returns:
        A bool.

    Example:
        >>> tf.inside_function()
        False
    """
    graph: Graph | None = dispatch.current_graph()
    return graph is not None and graph.building_function


def executing_eagerly() -> bool:
    """Return whether ops run at once, rather than being traced into a graph.

    Returns:
        A bool.

    Example:
        >>> tf.executing_eagerly()
        True
    """
    return dispatch.state.mode is dispatch.base_mode()


def get_logger() -> logging.Logger:
    """Return the library's logger.

    Returns:
        A `logging.Logger`.

    Example:
        >>> tf.get_logger().name
        'tapeflow'
    """
    return logger
