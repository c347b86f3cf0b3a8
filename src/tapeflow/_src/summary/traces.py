"""`tf.summary.trace_on`: the graphs of functions that run, and a profile, for TensorBoard."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from tapeflow._src.core import dispatch, probes, protos
from tapeflow._src.core.log import logger
from tapeflow._src.ops.graph import summaries as ops
from tapeflow._src.summary import encoding
from tapeflow._src.summary.writer import emit
from tapeflow.profiler import experimental as profiling


class _Trace:
    """The functions that were called since the trace was started, in order."""

    def __init__(self, graph: bool, profiler: bool) -> None:
        self.graph = graph
        self.profiler = profiler
        self._graphs: dict[int, Any] = {}

    def start(self) -> None:
        if self.graph:
            probes.attach(self._observe)

    def stop(self) -> None:
        if self.graph:
            probes.detach(self._observe)

    def _observe(self, probe: probes.Probe, method: probes.Method) -> probes.Method | None:
        if probe.category != "call":
            return None

        def called(callee: Any, inputs: Any) -> Any:
            if dispatch.state.mode is dispatch.base_mode():
                self._graphs.setdefault(id(callee.graph), callee.graph)
            return method(callee, inputs)

        return called

    def run_metadata(self) -> Any:
        """Return the graphs as a `RunMetadata` message."""
        message = protos.RunMetadata()
        for graph in self._graphs.values():
            graph_def = graph._displayed_graph_def()
            functions = message.function_graphs.add()
            for copy in (
                functions.pre_optimization_graph,
                functions.post_optimization_graph,
                functions.partition_graphs.add(),
                message.partition_graphs.add(),
            ):
                copy.CopyFrom(graph_def)
        return message


class _Current:
    trace: _Trace | None = None


_current = _Current()
_lock = threading.RLock()


def _is_eager(what: str) -> bool:
    if dispatch.state.mode is dispatch.base_mode():
        return True
    logger.warning("tf.summary.%s is ignored while a graph is built: call it outside.", what)
    return False


def trace_on(graph: bool = True, profiler: bool = False, profiler_outdir: Any = None) -> None:
    """Record from now on which functions run, in all threads, until `trace_export`.

    Args:
        graph: Whether the graphs of functions are recorded.
        profiler: Whether a profile is recorded, too.
        profiler_outdir: The folder of the profile; without one there is none.

    Example:
        >>> import tempfile
        >>> import tapeflow as tf
        >>> double = tf.function(lambda x: 2 * x)
        >>> tf.summary.trace_on()
        >>> six = double(tf.constant(3))
        >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
        ...     tf.summary.trace_export("double", step=0)

    Returns:
        None.
    """
    if not _is_eager("trace_on"):
        return
    with _lock:
        if _current.trace is not None:
            logger.warning("tf.summary.trace_on: a trace is being recorded already.")
            return
        if profiler and profiler_outdir is None:
            logger.warning("tf.summary.trace_on: there is no profile without `profiler_outdir`.")
        elif profiler:
            profiling.start(profiler_outdir)
        trace = _Trace(graph, profiler and profiler_outdir is not None)
        trace.start()
        _current.trace = trace


def trace_export(name: str, step: Any = None, profiler_outdir: Any = None) -> None:
    """End the trace and write it with the writer in force.

    Args:
        name: The tag.
        step: The step; by default that of `as_default` or `set_step`.
        profiler_outdir: Accepted, without effect: `trace_on` takes the folder.

    Raises:
        ValueError: There is no trace, or no step.

    Returns:
        None.
    """
    if not _is_eager("trace_export"):
        return
    with _lock:
        trace = _current.trace
        if trace is None:
            raise ValueError(
                "tf.summary.trace_export: there is no trace. Call tf.summary.trace_on() before "
                "the functions run."
            )
        plugin = "graph_run_metadata" if trace.profiler else "graph_run_metadata_graph"
        about = encoding.metadata(plugin, b"1").SerializeToString()
        content = np.array(trace.run_metadata().SerializeToString(), object)
        emit(
            "trace_export",
            step,
            lambda handle, step: ops.write_summary(
                handle, step, dispatch.convert(content), name, about
            ),
        )
        if trace.profiler and profiler_outdir is not None:
            logger.warning("tf.summary.trace_export: `profiler_outdir` belongs to trace_on.")
        trace_off()


def trace_off() -> None:
    """End the trace and drop what it recorded; a profile is written all the same.

    Returns:
        None.
    """
    with _lock:
        trace, _current.trace = _current.trace, None
        if trace is not None:
            trace.stop()
            if trace.profiler:
                profiling.stop()
