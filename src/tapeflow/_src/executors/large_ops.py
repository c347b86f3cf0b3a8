"""Eager calls with large operands: each runs in the way that was measured to be the fastest.

There are up to four: the op's NumPy kernel; for ops by elements or by rows the kernel on blocks,
on all cores; and the op compiled for the shapes of the call, by both of XLA's generators of code.
All compute the same up to rounding. A call (an op, its attributes, shapes and dtypes) tries NumPy's
ways first. Once they have taken about as long as compiling does, the op is compiled in the
background; no call waits. With determinism required only the kernel runs.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from tapeflow._src.backends import array_memory, blocks, heap
from tapeflow._src.backends import numpy as xp
from tapeflow._src.core import dispatch
from tapeflow._src.core.dtypes import FROM_NUMPY
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.log import logger
from tapeflow._src.core.random_state import determinism_required
from tapeflow._src.core.registry import Op
from tapeflow._src.core.traits import FOLDS, ROWS, TOTAL, TOTAL_ON_SHAPES
from tapeflow._src.eager import large
from tapeflow._src.eager.mode import specs_of
from tapeflow._src.executors import background, exiting
from tapeflow._src.executors.compiler import INSTALL
from tapeflow._src.executors.ways import Way, Ways
from tapeflow._src.graph.body import Body
from tapeflow._src.graph.compilability import STATIC
from tapeflow._src.graph.graph import FuncGraph
from tapeflow._src.graph.mode import TracingMode

_xla = LazyModule("tapeflow._src.executors.xla", "compiled ops", INSTALL)
_xla_loop_ops = LazyModule("tapeflow._src.executors.xla_loop_ops", "compiled ops", INSTALL)

# The time that a call takes in all until compiling pays; the latter if JAX is to be imported, too.
HOT_SECONDS = 0.05
HOT_SECONDS_WITHOUT_JAX = 0.3
# A call shorter than this is mostly overhead.
TRIVIAL_SECONDS = 7e-6
# Elements from which on results of kernels are aligned for compiled code.
ALIGNED = 1 << 16
# Calls that are remembered; all are forgotten when there are more.
CACHED_CALLS = 2048


class Call(Ways):
    """The ways to run an op with operands of certain shapes."""

    __slots__ = ("_kept", "key", "op", "seconds", "state")

    COUNTING, COMPILING, CHOOSING = range(3)

    def __init__(self, key: Any, op: Op, arrays: Sequence[Any], attrs: dict[str, Any]) -> None:
        self.key, self.op = key, op
        self.state = Call.COUNTING
        # Copies of what is not aligned take next to nothing where arrays are not huge.
        huge = max(array.size for array in _flat(arrays)) > ALIGNED
        ways: list[Way] = [partial(_by_aligned_kernel if huge else _by_kernel, op)]
        in_blocks = _in_blocks(op, arrays, attrs) or _by_rows(op, arrays) or _folded(op, arrays)
        if in_blocks is not None:
            ways.append(in_blocks)
        super().__init__(ways)
        self.seconds = 0.0
        # The size of the largest array of a call, if its memory is kept for the next one.
        self._kept = 0

    def run_on_trial(self, arrays: Sequence[Any], attrs: dict[str, Any]) -> Any:
        start = time.perf_counter()
        result = super().run_on_trial(arrays, attrs)
        self.seconds += time.perf_counter() - start
        if self.state == Call.COUNTING:
            if sum(self.runs) == 1:
                results = (result,) if self.op.single_output else result
                self._keep_memory([*arrays, *results])
            self._consider(arrays, attrs)
        elif self.state == Call.CHOOSING and self.all_tried():
            self.choose()
        return result

    def _keep_memory(self, arrays: Sequence[Any]) -> None:
        """Reuse the memory of arrays that the heap would map for one use only."""
        size = max(array.nbytes for array in _flat(arrays))
        if heap.keep(size):
            self._kept = size
            self.ways = [partial(_keeping_memory, size, way) for way in self.ways]

    def _consider(self, arrays: Sequence[Any], attrs: dict[str, Any]) -> None:
        """Compile another way as soon as that may pay; choose if it never will."""
        if min(self.runs) < 2:
            return
        hot = HOT_SECONDS if "jax" in sys.modules else HOT_SECONDS_WITHOUT_JAX
        if min(self.best) > TRIVIAL_SECONDS:
            if self.seconds > hot:
                self.state = Call.COMPILING
                background.compiler.submit(partial(self._compile, _stand_ins(arrays), attrs))
        elif self.all_tried():
            self.choose()

    def choose(self) -> None:
        super().choose()
        if len(self.ways) == 1:
            # There is nothing to compare with: a short kernel, whose calls need not be timed.
            _calls[self.key] = self.ways[0]
        logger.debug("%s takes %s s in its ways", self.op.name, self.best)

    def _compile(self, samples: list[Any], attrs: dict[str, Any]) -> None:
        programs: list[Way] = []
        try:
            for old_emitter in _emitters(self.op, samples):
                programs.append(_Program(self.op, samples, attrs, old_emitter))
        except Exception as error:
            logger.debug("%s has %d programs: %s", self.op.name, len(programs), error)
        if not programs:
            self.state = Call.CHOOSING
            return
        # The compiler took a core from the calls until now.
        ways = len(self.ways)
        new = len(programs)
        self.best, self.runs = [math.inf] * (ways + new), [1] * ways + [0] * new
        if self._kept:
            programs = [partial(_keeping_memory, self._kept, program) for program in programs]
        self.ways += programs
        self.state = Call.CHOOSING


def _keeping_memory(size: int, way: Way, arrays: Sequence[Any], attrs: dict[str, Any]) -> Any:
    with heap.reuse(size):
        return way(arrays, attrs)


def _by_kernel(op: Op, arrays: Sequence[Any], attrs: dict[str, Any]) -> Any:
    return op.run(xp, *arrays, **attrs)


def _by_aligned_kernel(op: Op, arrays: Sequence[Any], attrs: dict[str, Any]) -> Any:
    before = array_memory.align()
    try:
        return op.run(xp, *arrays, **attrs)
    finally:
        array_memory.restore(before)


def _in_blocks(op: Op, arrays: Sequence[Any], attrs: dict[str, Any]) -> Way | None:
    """Return the way to run an element-wise op on blocks, where there are several."""
    if not op.is_elementwise or op.has_lists or not op.single_output:
        return None
    if STATIC.intersection(op.kinds) or blocks.split(arrays) is None:
        return None
    (output,) = op.infer_outputs(specs_of(list(arrays)), attrs)
    if output.shape != np.broadcast_shapes(*[array.shape for array in arrays]):
        return None  # its elements have other sizes than those of its operands
    call = None
    if TOTAL in op.traits or TOTAL_ON_SHAPES in op.traits:
        call = blocks.single_call(op.run, [array.dtype for array in arrays], attrs)

    def run(arrays: Sequence[Any], attrs: dict[str, Any]) -> Any:
        before = array_memory.align()
        try:
            return blocks.run(op.run, arrays, attrs, call)
        finally:
            array_memory.restore(before)

    return run


def _by_rows(op: Op, arrays: Sequence[Any]) -> Way | None:
    """Return the way to run an op on blocks of rows, where there are several."""
    if ROWS not in op.traits or blocks.rows_of(arrays[0]) is None:
        return None

    def run(arrays: Sequence[Any], attrs: dict[str, Any]) -> Any:
        before = array_memory.align()
        try:
            return blocks.run_rows(op.run, arrays, attrs)
        finally:
            array_memory.restore(before)

    return run


def _folded(op: Op, arrays: Sequence[Any]) -> Way | None:
    """Return the way to run a reduction on parts, where there are several."""
    if FOLDS not in op.traits or not blocks.folds(*arrays):
        return None

    def run(arrays: Sequence[Any], attrs: dict[str, Any]) -> Any:
        return blocks.run_folded(op.run, *arrays, **attrs)

    return run


def _emitters(op: Op, arrays: Sequence[Any]) -> tuple[bool, ...]:
    """Return whether to compile an op by XLA's newer generator of code, or by the older one, too.

    Neither is the better one for all ops. The older one rounds sums of halves at each step, except
    in reductions, which add them up in single precision.
    """
    halves = any(a.dtype.itemsize == 2 and a.dtype.kind not in "iu" for a in _flat(arrays))
    is_exact = op.is_elementwise or FOLDS in op.traits
    return (False,) if halves and not is_exact else (False, True)


def _flat(arrays: Sequence[Any]) -> list[Any]:
    """Return all arrays, those of lists too."""
    flat: list[Any] = []
    for array in arrays:
        flat.extend(array if type(array) is list else (array,))
    return flat


def _stand_ins(arrays: Sequence[Any]) -> list[Any]:
    """Return arrays of the same shapes that take no memory; small ones themselves."""
    return [
        _stand_ins(array)
        if type(array) is list
        else array
        if array.size <= large.LARGE
        else np.broadcast_to(np.zeros((), array.dtype), array.shape)
        for array in arrays
    ]


class _Program:
    """An op compiled for operands like `samples`, with the values of those that decide shapes."""

    def __init__(
        self, op: Op, samples: list[Any], attrs: dict[str, Any], old_emitter: bool
    ) -> None:
        self._op = op
        self._static = [kind in STATIC for kind in op.kinds]
        self._has_static = any(self._static)
        graph = FuncGraph(op.name, outer=None)
        with dispatch.use_mode(TracingMode(graph)), dispatch.use_recorders(()):
            outputs = op(*self._operands(graph, samples), **attrs)
        tensors = (outputs,) if op.single_output else tuple(outputs)
        body, arguments = Body(graph, tensors), _flat(self._arguments(samples))
        self._run = _xla_loop_ops.op_executable(body, arguments, old_emitter)
        # For middling arrays most of the call is bookkeeping, by JAX and the executable.
        simple = op.single_output and not op.has_lists
        self._loop = self._run.loop if simple else None
        self._native = self._run.native if simple else None

    def _operands(self, graph: FuncGraph, samples: list[Any]) -> list[Any]:
        def operand(sample: Any, static: bool) -> Any:
            if type(sample) is list:
                return [operand(item, static) for item in sample]
            dtype = FROM_NUMPY[sample.dtype]
            if static:
                return graph.constant(sample, dtype)
            return graph.argument(dtype, sample.shape, "operand")

        return [operand(sample, static) for sample, static in zip(samples, self._static)]

    def _arguments(self, arrays: Sequence[Any]) -> Sequence[Any]:
        """Return the operands but those whose values the program is compiled for."""
        if not self._has_static:
            return arrays
        return [array for array, static in zip(arrays, self._static) if not static]

    @exiting.enters_xla
    def __call__(self, arrays: Sequence[Any], attrs: dict[str, Any]) -> Any:
        if background.forked:
            return _by_kernel(self._op, arrays, attrs)
        arguments = self._arguments(arrays)
        if self._loop is not None:
            return self._loop(arguments)
        if self._native is not None:
            if exiting.leaving:
                exiting.park()
            return np.asarray(self._native(*arguments)[0])
        try:
            results = self._run(_flat(arguments))
        except _xla.Failed:
            # The kernel raises the error, with its reason.
            return _by_kernel(self._op, arrays, attrs)
        return results[0] if self._op.single_output else results


_calls: dict[Any, Way] = {}


def run(op: Op, arrays: Sequence[Any], attrs: dict[str, Any]) -> Any:
    """Run a call with large operands in the fastest way."""
    # The keys of the most common calls without a loop: of 30 µs it takes one less.
    first, kinds = arrays[0], op.kinds
    key: Any
    if op.has_lists or kinds[0] in STATIC:
        key = _key(op, arrays, attrs)
    elif len(kinds) == 1:
        key = (op, first.shape, first.dtype, *attrs.values())
    elif len(kinds) == 2 and kinds[1] in STATIC:
        static = arrays[1]
        value = static.tobytes(), static.shape, static.dtype
        key = (op, first.shape, first.dtype, *value, *attrs.values())
    else:
        key = _key(op, arrays, attrs)
    try:
        call = _calls.get(key)
    except TypeError:  # an attribute that cannot be hashed
        return op.run(xp, *arrays, **attrs)
    if determinism_required():
        return op.run(xp, *arrays, **attrs)
    if call is None:
        if len(_calls) >= CACHED_CALLS:
            _calls.clear()
        numbers = all(map(_is_number, _flat(arrays)))
        call = _calls[key] = Call(key, op, arrays, attrs) if numbers else partial(_by_kernel, op)
    return call(arrays, attrs)


def _key(op: Op, arrays: Sequence[Any], attrs: dict[str, Any]) -> tuple[Any, ...]:
    """Return the op, shapes and dtypes of operands, or their values, and the attributes."""
    key: list[Any] = [op]
    for array, kind in zip(arrays, op.kinds):
        if type(array) is list:
            key += [item for part in array for item in (part.shape, part.dtype)]
        elif kind in STATIC:
            key += array.tobytes(), array.shape, array.dtype
        else:
            key += array.shape, array.dtype
    return (*key, *attrs.values())


def _is_number(array: Any) -> bool:
    """Whether compiled code can take an array of this dtype."""
    return array.dtype.kind not in "OSUT" and not array.dtype.fields
