"""The interpreter: runs a graph's Python text on NumPy kernels, without compilation."""

from __future__ import annotations

import itertools
import linecache
from collections import deque
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any
from weakref import finalize

import numpy as np

from tapeflow._src.backends import numpy as xp
from tapeflow._src.backends.numpy import silence, unsilence
from tapeflow._src.core import interrupts, probes, random_state
from tapeflow._src.core.errors import OpError, UnimplementedError
from tapeflow._src.core.registry import Op
from tapeflow._src.eager.mode import check, explain
from tapeflow._src.executors.check_plan import CheckPlan
from tapeflow._src.executors.numeric_checks import NotFinite
from tapeflow._src.executors.packed_values import (
    packed_if_many,
    packing_results,
    string_kernel,
    tensors_to_pack,
)
from tapeflow._src.graph.body import Body, attributes
from tapeflow._src.graph.failures import located
from tapeflow._src.graph.operation import Operation
from tapeflow._src.graph.render import Rendered, render
from tapeflow._src.kernels.strings.packed import PackedStrings
from tapeflow._src.ops.graph.launch import xla_launch

_numbers = itertools.count()
_ndarray = np.ndarray

# Files of code that is gone. They leave `linecache` when the next one enters it, and not in a
# finalizer: that may run while `linecache.checkcache` reads the entries it has listed.
_unused_files: deque[str] = deque()


def _show_in_tracebacks(code: Any, text: str, filename: str) -> None:
    """Register the text of `code`, which tracebacks keep alive and show lines of."""
    while _unused_files:
        linecache.cache.pop(_unused_files.popleft(), None)
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    finalize(code, _unused_files.append, filename).atexit = False


def as_array(value: Any) -> Any:
    """Return a result as an array, also a 0-d one; handles and lists pass through."""
    if type(value) is _ndarray or type(value) is PackedStrings or hasattr(value, "value_dtype"):
        return value
    return np.array(value, object) if type(value) is bytes else np.asarray(value)


Kernels = Callable[[Operation], Any]


def kernel_of(node: Operation) -> Any:
    """Return the kernel of an operation, with checks that tracing could not perform."""
    op = node.definition
    checked = op.checked and not all(map(_is_static, node.inputs, flat_kinds(node)))
    kernel = checked_kernel(op) if checked else op.kernels["numpy"]
    return string_kernel(node, kernel, checked)


def _is_static(tensor: Any, kind: str) -> bool:
    """Whether tracing knew everything that the op's shape rule reads."""
    if kind in ("Static", "StaticT") and tensor.static_value is None:
        return False
    return tensor.static_shape is not None and None not in tensor.static_shape


def flat_kinds(node: Operation) -> list[str]:
    """Return the kind of each input, lists flattened."""
    kinds: list[str] = []
    for operand, kind in zip(node.operands, node.definition.kinds, strict=True):
        kinds.extend([kind] * (len(operand) if type(operand) is tuple else 1))
    return kinds


@cache
def checked_kernel(op: Op) -> Callable[..., Any]:
    """Return the op's kernel, preceded by its shape rule."""
    kernel = op.kernels["numpy"]

    def checked(xp: Any, *arrays: Any, **attrs: Any) -> Any:
        ruled = {key: attrs[key] for key in op.attr_names}
        check(op, list(arrays), ruled)
        return kernel(xp, *arrays, **attrs)

    return checked


def _draw(node: Operation) -> Callable[..., Any]:
    """Return where in its stream a call of a random operation starts. Each has its own stream."""
    op, attrs, stream = node.definition, attributes(node), node.attrs.get("_stream")

    def draw(*arrays: Any) -> Any:
        return random_state.next_counter(op, arrays, attrs, stream)

    return draw


class Interpreter:
    """Runs `body`: arrays in, a tuple of arrays out. Strings may be packed, in and out.

    kernels: maps operations to kernels. checks: which results are checked for NaN and infinity.
    loops: maps outermost loops to what may run some of their iterations.
    """

    def __init__(
        self,
        body: Body,
        kernels: Kernels = kernel_of,
        checks: CheckPlan | None = None,
        loops: Callable[[Operation], Any] | None = None,
    ) -> None:
        self.body = body
        self._kernels = kernels
        self._checks = checks
        self._packed = tensors_to_pack(body)
        # The inputs of which many strings are packed.
        self.packs = [i for i, tensor in enumerate(body.inputs) if id(tensor) in self._packed]
        self.rendered: Rendered = render(
            body,
            kernel=self._kernel,
            draw=_draw,
            used_until={} if checks is None else checks.used_until,
            loop=loops,
        )
        self.filename = f"<graph of {body.name} #{next(_numbers)}>"
        try:
            code = compile(self.rendered.text, self.filename, "exec")
        except (SyntaxError, RecursionError, MemoryError) as error:
            # Python's own limits: 20 nested loops, 100 levels of indentation.
            raise UnimplementedError(
                None,
                None,
                f"The branches and loops of {body.name!r} are nested too deeply to run: {error}.",
            ) from error
        namespace = {**self.rendered.names, "xp": xp, "as_array": as_array, "absent": None}
        for tensor in self._packed:
            name = self.rendered.variables.get(tensor)
            if name in self.rendered.names:  # a constant
                namespace[name] = packed_if_many(namespace[name])
        if body.changes_state:
            namespace[interrupts.MARK] = True
        exec(code, namespace)
        self._run: Callable[..., tuple[Any, ...]] = namespace[self.rendered.name]
        _show_in_tracebacks(self._run.__code__, self.rendered.text, self.filename)

    def _kernel(self, node: Operation) -> Any:
        kernel = self._kernels(node)
        op = node.definition
        if not op.takes_packed and any(id(tensor) in self._packed for tensor in node.outputs):
            kernel = packing_results(op, kernel)
        return kernel if self._checks is None else self._checks.kernel(node, kernel)

    @property
    def text(self) -> str:
        """The Python source that runs."""
        return self.rendered.text

    def with_kernels(self, wrap: Callable[[Operation, Any], Any]) -> Interpreter:
        """Return an interpreter of the same body that runs `wrap(node, kernel)` as kernels."""
        return Interpreter(self.body, lambda node: wrap(node, self._kernels(node)), self._checks)

    def __call__(self, arrays: Sequence[Any]) -> tuple[Any, ...]:
        if not interrupts.installed:
            interrupts.install()
        if self.packs:
            arrays = list(arrays)
            for index in self.packs:
                arrays[index] = packed_if_many(arrays[index])
        token = silence()
        try:
            return self._run(*arrays)
        except Exception as error:
            raise self._explained(error) from error
        finally:
            unsilence(token)
            if interrupts.pending:
                interrupts.deliver()

    def _explained(self, error: Exception) -> Exception:
        """Return the error with the failed op, its inputs, and the user's line."""
        traceback = error.__traceback__
        node_in_frame = None
        while traceback is not None:
            if traceback.tb_frame.f_code.co_filename == self.filename:
                node_in_frame = (traceback.tb_lineno, traceback.tb_frame)
            traceback = traceback.tb_next
        node = None if node_in_frame is None else self.rendered.nodes.get(node_in_frame[0])
        if node_in_frame is None or node is None or node.definition is xla_launch:
            return error  # what a compiled part says names its own operation
        frame = node_in_frame[1]
        if self._checks is not None and isinstance(error, NotFinite):
            bad = self._checks.first(error, lambda operand: self._value(operand, frame))
            node, error = bad.node, bad.error()
        arrays = [self._value(operand, frame) for operand in node.operands]
        if any(array is None for array in arrays):
            explained: Exception = error.named(node.type) if isinstance(error, OpError) else error
        else:
            explained = explain(node.definition, arrays, attributes(node), error)
        return located(explained, node)

    def _value(self, operand: Any, frame: Any) -> Any:
        if type(operand) is tuple:
            return [self._value(t, frame) for t in operand]
        if operand.op.definition.is_constant:
            return operand.op.attrs["value"]
        name = self.rendered.variables.get(id(operand))
        return frame.f_locals.get(name)


probes.register(Interpreter, "__call__", "interpreter", lambda self, arrays: self.body.name)
