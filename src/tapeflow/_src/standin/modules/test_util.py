"""`tensorflow.python.framework.test_util`: what tests of libraries use besides `tf.test`."""

from __future__ import annotations

import faulthandler
import functools
from collections.abc import Callable
from typing import Any

from tapeflow._src.core import dispatch
from tapeflow._src.graph.graph import Graph
from tapeflow.test import TestCase as TensorFlowTestCase
from tapeflow.test import TestCase as TestCase
from tapeflow.test import is_gpu_available as is_gpu_available

__all__ = [
    "InstallStackTraceHandler",
    "TensorFlowTestCase",
    "TestCase",
    "disable_cudnn_autotune",
    "enable_output_all_intermediates",
    "is_gpu_available",
    "run_all_in_graph_and_eager_modes",
    "run_deprecated_v1",
    "run_in_graph_and_eager_modes",
]

_Test = Callable[..., Any]


def InstallStackTraceHandler() -> None:
    """Show where a process is when a signal of the machine ends it."""
    if not faulthandler.is_enabled():
        faulthandler.enable()


def disable_cudnn_autotune(func: _Test) -> _Test:
    """Return the test: algorithms are not chosen by trying them."""
    return func


def enable_output_all_intermediates(func: _Test) -> _Test:
    """Return the test: what gradients use of loops and branches becomes an output of them."""
    return func


def run_in_graph_and_eager_modes(func: Any = None, **options: Any) -> Any:
    """Decorate a test that runs in a graph, then eagerly after another `setUp`."""
    if func is None:
        return functools.partial(run_in_graph_and_eager_modes, **options)

    @functools.wraps(func)
    def test(self: Any, *args: Any, **kwargs: Any) -> None:
        with Graph().as_default(), self.test_session():
            func(self, *args, **kwargs)
        self.tearDown()
        self.setUp()
        with dispatch.use_mode(dispatch.base_mode()):
            func(self, *args, **kwargs)

    return test


def run_all_in_graph_and_eager_modes(cls: type) -> type:
    """Decorate a class whose tests run in both modes."""
    for name, member in list(vars(cls).items()):
        if name.startswith("test") and callable(member) and name != "test_session":
            setattr(cls, name, run_in_graph_and_eager_modes(member))
    return cls


def run_deprecated_v1(func: _Test) -> _Test:
    """Decorate a test that runs in a graph."""

    @functools.wraps(func)
    def test(self: Any, *args: Any, **kwargs: Any) -> None:
        with Graph().as_default():
            func(self, *args, **kwargs)

    return test
