"""What the curves measure: one step for each library, curve and size.

A step is None where a library has nothing that corresponds: JAX and PyTorch have no Keras here, and
PyTorch traces nothing by default.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.cases import Case, Step, normal

PREFIX = "curve/"
Make = Callable[[Any, int], Step | None]
WIDTH = 256
REPEAT = 0.02  # seconds of a repeat: there are many points


@dataclass(frozen=True)
class Curve:
    """One quantity over sizes. `once`: each call does everything anew.

    `peers_until`: the largest size of which the peers are capable, or take no minutes for.
    """

    title: str
    sizes: tuple[int, ...]
    make: Make
    once: bool = False
    warm: float = 0.0
    peers_until: int | None = None


CURVES: dict[str, Curve] = {}


def curve(
    title: str,
    sizes: tuple[int, ...],
    *,
    once: bool = False,
    warm: float = 0.0,
    peers_until: int | None = None,
) -> Callable[[Make], Make]:
    def register(make: Make) -> Make:
        CURVES[make.__name__] = Curve(title, sizes, make, once, warm, peers_until)
        return make

    return register


def curve_case(name: str) -> Case:
    """Return the case named `curve/NAME/SIZE`."""
    _, key, size = name.split("/")
    chosen = CURVES[key]

    def prepare(module: Any) -> Step:
        step = chosen.make(module, int(size))
        if step is None:
            raise LookupError(f"{module.__name__} has no {key}")
        return step

    calls = 1 if chosen.once else None
    return Case(chosen.title, 1.0, prepare, calls, chosen.warm, repeat=REPEAT)


def is_measured(key: str, module: str, size: int = 0) -> bool:
    """Whether a library takes part in a curve, and at this size."""
    limit = CURVES[key].peers_until
    if module != "tapeflow" and limit is not None and size > limit:
        return False
    if module == "torch":
        return key in {"add", "exp", "total", "dense"}
    return module != "jax" or key in {"add", "exp", "total", "dense", "trace", "compilation"}


ELEMENTS = tuple(10**k for k in range(9))


def _array(module: Any, values: np.ndarray) -> Any:
    if module.__name__ == "torch":
        return module.from_numpy(values.copy())
    return module.numpy.asarray(values) if module.__name__ == "jax" else module.constant(values)


def _finished(module: Any, compute: Step) -> Step:
    """Return `compute`, waiting for its result where the library returns before it is there."""
    if module.__name__ == "jax":
        return lambda: module.block_until_ready(compute())
    return compute


@curve("a + b of n floats, eager", ELEMENTS, warm=1.0)
def add(module: Any, size: int) -> Step:
    a, b = (_array(module, normal(size)) for _ in range(2))
    return _finished(module, lambda: a + b)


@curve("exp of n floats, eager", ELEMENTS, warm=1.0)
def exp(module: Any, size: int) -> Step:
    a = _array(module, normal(size))
    function = module.numpy.exp if module.__name__ == "jax" else module.exp
    return _finished(module, lambda: function(a))


@curve("sum of n floats, eager", ELEMENTS, warm=1.0)
def total(module: Any, size: int) -> Step:
    a = _array(module, normal(size))
    name = module.__name__
    function = (
        module.sum if name == "torch" else module.numpy.sum if name == "jax" else module.reduce_sum
    )
    return _finished(module, lambda: function(a))


@curve(f"layer of {WIDTH} units for a batch of n, function", (1, 8, 64, 512, 4096), warm=1.0)
def dense(module: Any, size: int) -> Step:
    x, w, b = (_array(module, normal(*s)) for s in ((size, WIDTH), (WIDTH, WIDTH), (WIDTH,)))
    name = module.__name__
    relu = module.relu if name == "torch" else module.nn.relu

    def layer(x: Any) -> Any:
        return relu(x @ w + b)

    compiled = layer
    if name != "torch":
        compiled = module.jit(layer) if name == "jax" else module.function(layer)
    return _finished(module, lambda: compiled(x))


NODES = (10, 100, 1000, 10_000)


def _chain(sin: Callable[[Any], Any], count: int) -> Callable[[Any], Any]:
    def chain(x: Any) -> Any:
        for _ in range(count // 2):
            x = sin(x) + x
        return x

    return chain


@curve("definition and first call of a function of n operations", NODES, once=True)
def trace(module: Any, size: int) -> Step:
    """For JAX, tracing and lowering: its first call compiles."""
    x = _array(module, normal(10))
    if module.__name__ == "jax":
        return lambda: module.jit(_chain(module.numpy.sin, size)).lower(x)
    return lambda: module.function(_chain(module.sin, size))(x)


@curve("the same, compiled (`jit_compile=True`)", NODES[:3], once=True)
def compilation(module: Any, size: int) -> Step:
    x = _array(module, normal(10))

    def once() -> object:
        # Another function each time: compilers cache what they have seen, on disk, too.
        factor = random.uniform(1.0, 2.0)
        if module.__name__ == "jax":
            scaled = module.jit(lambda x: _chain(module.numpy.sin, size)(x * factor))
            return module.block_until_ready(scaled(x))
        chain = _chain(module.sin, size)
        return module.function(lambda x: chain(x * factor), jit_compile=True)(x)

    return once


LAYERS = (10, 100, 500, 1000)


def _model(keras: Any, count: int) -> Any:
    layers = [keras.layers.Dense(8, activation="relu") for _ in range(count)]
    return keras.Sequential([keras.Input((8,)), *layers])


# Keras on TensorFlow exceeds Python's recursion limit at 1,000 layers.
@curve("making a Sequential model of n layers", LAYERS, once=True, peers_until=500)
def model(module: Any, size: int) -> Step:
    return lambda: len(_model(module.keras, size).weights)


@curve("first training step of a model of n layers", LAYERS, once=True, peers_until=100)
def first_step(module: Any, size: int) -> Step:
    x, y = normal(16, 8), normal(16, 8)

    def once() -> object:
        made = _model(module.keras, size)
        made.compile("sgd", "mse")
        return made.train_on_batch(x, y)

    return once


@curve("iterating over n elements of a dataset", (1, 100, 10_000, 1_000_000), once=True)
def dataset(module: Any, size: int) -> Step:
    numbers = module.data.Dataset.range(size).batch(100)

    def once() -> object:
        last = None
        for batch in numbers:
            last = batch
        return last

    return once
