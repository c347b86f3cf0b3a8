"""`tensorflow.python.framework.test_util`: what tests of libraries use besides `tf.test`."""

from __future__ import annotations

import faulthandler
import functools
import gc
from collections import Counter
from collections.abc import Callable
from typing import Any

from tapeflow import random as random_seed
from tapeflow._src.core import dispatch
from tapeflow._src.graph.graph import Graph
from tapeflow.test import TestCase as TensorFlowTestCase
from tapeflow.test import TestCase as TestCase
from tapeflow.test import is_gpu_available as is_gpu_available

__all__ = [
    "InstallStackTraceHandler",
    "TensorFlowTestCase",
    "TestCase",
    "assert_no_new_pyobjects_executing_eagerly",
    "disable_cudnn_autotune",
    "disable_mlir_bridge",
    "disable_xla",
    "enable_output_all_intermediates",
    "for_all_test_methods",
    "is_gpu_available",
    "is_mlir_bridge_enabled",
    "is_xla_enabled",
    "random_seed",
    "run_all_in_graph_and_eager_modes",
    "run_deprecated_v1",
    "run_gpu_only",
    "run_in_graph_and_eager_modes",
    "run_v1_only",
    "run_v2_only",
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


# -- conditions ----------------------------------------------------------------------------------


def is_xla_enabled() -> bool:
    """Return False: tests do not run as parts of compiled programs."""
    return False


def is_mlir_bridge_enabled() -> bool:
    """Return False: graphs are traced for XLA directly."""
    return False


def disable_xla(description: str) -> Callable[[_Test], _Test]:
    """Decorate a test that is skipped where tests are compiled: it runs."""
    return lambda func: func


def disable_mlir_bridge(description: str) -> Callable[[_Test], _Test]:
    """Decorate a test that is skipped where graphs are compiled through MLIR: it runs."""
    return lambda func: func


def run_gpu_only(func: _Test) -> _Test:
    """Decorate a test that needs a GPU: it is skipped."""
    return _skipped("There is no GPU.", func)


def run_v1_only(reason: str | None = None, func: Any = None) -> Any:
    """Decorate a test, or a class of tests, that needs the behaviour of TensorFlow 1."""
    skip = functools.partial(_skipped, reason or "The behaviour is that of TensorFlow 2.")
    return skip if func is None else skip(func)


def run_v2_only(func: Any = None, reason: str | None = None) -> Any:
    """Decorate a test, or a class of tests, that needs the behaviour of TensorFlow 2: it runs."""
    return (lambda inner: inner) if func is None else func


def _skipped(reason: str, target: Any) -> Any:
    if isinstance(target, type):
        return for_all_test_methods(functools.partial, _skipped, reason)(target)

    @functools.wraps(target)
    def test(self: Any, *args: Any, **kwargs: Any) -> None:
        self.skipTest(reason)

    return test


# -- classes of tests, and leaks -----------------------------------------------------------------


def for_all_test_methods(
    decorator: Callable[..., Callable[[_Test], _Test]], *args: Any, **kwargs: Any
) -> Callable[[type], type]:
    """Return a decorator of a class that decorates each test with `decorator(*args, **kwargs)`."""

    def decorate(cls: type) -> type:
        for name in dir(cls):
            member = getattr(cls, name)
            if name.startswith("test") and callable(member) and name != "test_session":
                setattr(cls, name, decorator(*args, **kwargs)(member))
        return cls

    return decorate


def assert_no_new_pyobjects_executing_eagerly(
    warmup_iters: int = 2,
) -> Callable[[_Test], _Test]:
    """Decorate a test that must leave no objects behind when it runs again, eagerly."""
    runs = 12

    def decorate(func: _Test) -> _Test:
        @functools.wraps(func)
        def test(self: Any, *args: Any, **kwargs: Any) -> None:
            with dispatch.use_mode(dispatch.base_mode()):
                for _ in range(warmup_iters):
                    func(self, *args, **kwargs)
                counts = [_live_objects()]
                for _ in range(2):
                    for _ in range(runs):
                        func(self, *args, **kwargs)
                    counts.append(_live_objects())
            # What a cache or another thread adds once is no leak.
            added = (counts[1] - counts[0]) & (counts[2] - counts[1])
            leaked = {name: count for name, count in added.items() if count >= runs}
            if leaked:
                self.fail(f"{runs} runs left objects behind, by type: {leaked}")

        return test

    return decorate


def _live_objects() -> Counter[str]:
    gc.collect()
    return Counter(type(each).__qualname__ for each in gc.get_objects())
