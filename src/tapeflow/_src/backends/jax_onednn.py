"""oneDNN inside compiled code: the plans of `backends.onednn` as XLA custom calls.

What to compute is part of the compiled program as text, so that a program cached on disk runs in
another process. The first call with a text creates the plan; later calls reuse it.
"""

from __future__ import annotations

import ast
import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import jax
import numpy as np

from tapeflow._src.backends import jax_ffi, onednn
from tapeflow._src.backends.jax_device import on_processors
from tapeflow._src.backends.onednn_conv import Direction, Geometry, prepare
from tapeflow._src.backends.onednn_library import DataType
from tapeflow._src.backends.onednn_norm import (
    RectifiedPlan,
    SummedPlan,
    backward_plan,
    forward_plan,
    signs_size,
)
from tapeflow._src.backends.onednn_plan import PLAN_CAPACITY, Plan, data_type, num_threads
from tapeflow._src.backends.onednn_pool import (
    Window,
    prepare_backward,
    prepare_forward,
    prepare_training,
)
from tapeflow._src.core.types import Array

TARGET = "tapeflow_onednn"
# A plan (None if there is nothing to compute), and the positions of its buffers among the operands
# and results of a call.
Planned = tuple[Plan | RectifiedPlan | SummedPlan | None, tuple[int, ...]]


_lock = threading.Lock()
_answer: list[bool] = []


_onednn_disabled = ContextVar("avoiding", default=False)


@contextmanager
def avoided() -> Iterator[None]:
    """Avoid oneDNN in traces of the block: for programs that run elsewhere."""
    token = _onednn_disabled.set(True)
    try:
        yield
    finally:
        _onednn_disabled.reset(token)


_sharing = ContextVar("sharing", default=1)


@contextmanager
def shared_by(programs: int) -> Iterator[None]:
    """Trace the block for so many programs that run at once: each uses its part of the threads."""
    token = _sharing.set(programs)
    try:
        yield
    finally:
        _sharing.reset(token)


def available() -> bool:
    """Whether compiled code can call oneDNN: the library is available and code runs on this CPU."""
    if _onednn_disabled.get():
        return False
    with _lock:
        if not _answer:
            usable = onednn.available() and on_processors()
            if usable:
                jax_ffi.register(TARGET, _run)
            _answer.append(usable)
    return _answer[0]


def _run(spec: bytes, addresses: list[int]) -> None:
    plan, order = _planned(spec, num_threads())
    if plan is not None:
        plan.run(*[addresses[index] for index in order])


@functools.lru_cache(PLAN_CAPACITY)
def _planned(spec: bytes, threads: int) -> Planned:
    """Return the plan of `spec`, and which of the call's buffers it takes, in its order."""
    sharing, kind, *arguments = ast.literal_eval(spec.decode())
    return _KINDS[kind](max(1, threads // sharing), *arguments)


def _spec(*parts: Any) -> str:
    """Return what `_planned` reads: how many programs share the threads, kind, arguments."""
    return repr((_sharing.get(), *parts))


def _call(operands: list[Any], shapes: list[tuple[int, ...]], dtype: Any, *spec: Any) -> list[Any]:
    results = [jax.ShapeDtypeStruct(shape, dtype) for shape in shapes]
    return jax_ffi.call(TARGET, operands, results, _spec(*spec))


# -- convolutions ------------------------------------------------------------------------------

# The positions of input, filter and result among the operands and the one result of the call.
_CONV_ORDER: dict[Direction, tuple[int, ...]] = {
    "forward": (0, 1, 2),
    "backward_data": (2, 1, 0),
    "backward_weights": (0, 2, 1),
}


def takes_conv(dtype: Any, geometry: Geometry) -> bool:
    """Whether there is something to compute, in a dtype that oneDNN supports."""
    if not (available() and onednn.supports(np.dtype(dtype))):
        return False
    return 0 not in (*geometry.x, *geometry.w, *geometry.output_shape())


def conv(direction: Direction, first: Any, second: Any, geometry: Geometry) -> Any:
    """Compute one of the three convolutions; the operands are the two known ones of x, w and y."""
    shapes = {
        "forward": geometry.output_shape,
        "backward_data": lambda: geometry.x,
        "backward_weights": lambda: geometry.w,
    }
    dtype = np.dtype(first.dtype)
    spec = ("conv", direction, tuple(geometry), dtype.name)
    return _call([first, second], [shapes[direction]()], dtype, *spec)[0]


def _conv_plan(
    threads: int, direction: Direction, geometry: tuple[Any, ...], dtype: str
) -> Planned:
    kind = data_type("conv", np.dtype(dtype))
    _, plan = prepare(direction, Geometry(*geometry), kind, threads)
    return plan, _CONV_ORDER[direction]


# -- pools -------------------------------------------------------------------------------------


def takes_pool(dtype: Any, window: Window) -> bool:
    """Whether every window covers some input, as oneDNN requires, in a supported dtype."""
    if dtype != np.float32 or not available():
        return False
    pads = zip(window.ksize, window.before, window.after)
    padded_out = any(max(low, high) >= k for k, low, high in pads)
    return not padded_out and 0 not in (*window.x, *window.output_shape())


def pool(x: Array, window: Window) -> Any:
    """Compute the maximum or the mean of each window."""
    return _call([x], [window.output_shape()], x.dtype, "pool", tuple(window))[0]


def max_pool_gradient(x: Array, dy: Any, window: Window) -> Any:
    """Compute the gradient of max pooling with respect to `x`."""
    return _call([x, dy], [window.x], x.dtype, "pool gradient", tuple(window), (2, 1, 0))[0]


def max_pool_argmax(x: Array, window: Window) -> tuple[Any, Any]:
    """Compute max pooling and the argmax positions, for `max_pool_gradient_at`."""
    size = prepare_training(window, DataType.float32, num_threads()).places_size
    results = [
        jax.ShapeDtypeStruct(window.output_shape(), x.dtype),
        jax.ShapeDtypeStruct((size,), np.uint8),
    ]
    y, positions = jax_ffi.call(TARGET, [x], results, _spec("pool places", tuple(window)))
    return y, positions


def max_pool_gradient_at(dy: Any, positions: Any, window: Window) -> Any:
    """Compute the gradient of max pooling from the argmax positions."""
    return _call([dy, positions], [window.x], dy.dtype, "pool gradient at", tuple(window))[0]


def avg_pool_gradient(dy: Any, window: Window) -> Any:
    """Compute the gradient of average pooling with respect to the input."""
    return _call([dy], [window.x], dy.dtype, "pool gradient", tuple(window), (1, 0))[0]


def _pool_plan(threads: int, window: tuple[Any, ...]) -> Planned:
    _, plan = prepare_forward(Window(*window), DataType.float32, threads)
    return plan, (0, 1)


def _pool_gradient_plan(threads: int, window: tuple[Any, ...], order: tuple[int, ...]) -> Planned:
    _, plan = prepare_backward(Window(*window), DataType.float32, threads)
    return plan, order


def _pool_argmax_plan(threads: int, window: tuple[Any, ...]) -> Planned:
    return prepare_training(Window(*window), DataType.float32, threads).forward, (0, 1, 2)


def _pool_gradient_at_plan(threads: int, window: tuple[Any, ...]) -> Planned:
    return prepare_training(Window(*window), DataType.float32, threads).backward, (2, 0, 1)


# -- batch normalization -----------------------------------------------------------------------


def takes_norm(x: Array) -> bool:
    """Whether oneDNN is faster."""
    return x.dtype == np.float32 and onednn.batch_norm_pays(x.shape) and available()


def batch_norm(x: Array, scale: Any, offset: Any, epsilon: float) -> list[Any]:
    """Return normalised `x`, and the mean and biased variance of each channel."""
    rows, channels = x.size // x.shape[-1], x.shape[-1]
    shapes = [x.shape, scale.shape, scale.shape]
    return _call([x, scale, offset], shapes, x.dtype, "norm", rows, channels, epsilon)


def batch_norm_gradient(
    x: Array, dy: Any, scale: Any, mean: Any, variance: Any, epsilon: float
) -> list[Any]:
    """Return the gradients with respect to `x`, scale and offset."""
    rows, channels = x.size // x.shape[-1], x.shape[-1]
    shapes = [x.shape, scale.shape, scale.shape]
    operands = [x, dy, scale, mean, variance]
    return _call(operands, shapes, x.dtype, "norm gradient", rows, channels, epsilon)


def batch_norm_relu(x: Array, scale: Any, offset: Any, epsilon: float) -> list[Any]:
    """Fused batch normalisation and ReLU; also returns which values were positive."""
    rows, channels = x.size // x.shape[-1], x.shape[-1]
    like = [(x.shape, x.dtype), (scale.shape, x.dtype), (scale.shape, x.dtype)]
    like.append(((signs_size(rows, channels, epsilon),), np.dtype(np.uint8)))
    results = [jax.ShapeDtypeStruct(*one) for one in like]
    spec = _spec("norm relu", rows, channels, epsilon)
    return jax_ffi.call(TARGET, [x, scale, offset], results, spec)


def batch_norm_add_relu(
    x: Array, scale: Any, offset: Any, side_input: Any, epsilon: float
) -> list[Any]:
    """Fused batch normalisation, residual add and ReLU."""
    rows, channels = x.size // x.shape[-1], x.shape[-1]
    shapes = [x.shape, scale.shape, scale.shape]
    operands = [x, scale, offset, side_input]
    return _call(operands, shapes, x.dtype, "norm add relu", rows, channels, epsilon)


def batch_norm_relu_gradient(
    x: Array, dy: Any, scale: Any, mean: Any, variance: Any, signs: Any, epsilon: float
) -> list[Any]:
    """Return the fused gradients with respect to `x`, scale and offset."""
    rows, channels = x.size // x.shape[-1], x.shape[-1]
    shapes = [x.shape, scale.shape, scale.shape]
    operands = [x, dy, scale, mean, variance, signs]
    return _call(operands, shapes, x.dtype, "norm relu gradient", rows, channels, epsilon)


def _norm_plan(threads: int, rows: int, channels: int, epsilon: float) -> Planned:
    return forward_plan(rows, channels, epsilon, threads), (0, 1, 2, 4, 5, 3)


def _norm_gradient_plan(threads: int, rows: int, channels: int, epsilon: float) -> Planned:
    return backward_plan(rows, channels, epsilon, threads), tuple(range(8))


def _norm_relu_plan(threads: int, rows: int, channels: int, epsilon: float) -> Planned:
    return RectifiedPlan(rows, channels, epsilon, threads), (0, 1, 2, 4, 5, 3, 6)


def _norm_add_relu_plan(threads: int, rows: int, channels: int, epsilon: float) -> Planned:
    return SummedPlan(rows, channels, epsilon, threads), (0, 1, 2, 5, 6, 4, 3)


def _norm_relu_gradient_plan(threads: int, rows: int, channels: int, epsilon: float) -> Planned:
    plan = backward_plan(rows, channels, epsilon, threads, rectified=True)
    return plan, (0, 1, 2, 3, 4, 6, 7, 8, 5)


_KINDS: dict[str, Callable[..., Planned]] = {
    "conv": _conv_plan,
    "pool": _pool_plan,
    "pool gradient": _pool_gradient_plan,
    "pool places": _pool_argmax_plan,
    "pool gradient at": _pool_gradient_at_plan,
    "norm": _norm_plan,
    "norm gradient": _norm_gradient_plan,
    "norm relu": _norm_relu_plan,
    "norm add relu": _norm_add_relu_plan,
    "norm relu gradient": _norm_relu_gradient_plan,
}
