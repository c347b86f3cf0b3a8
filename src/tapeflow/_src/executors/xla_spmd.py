"""Ops and programs on the devices of a mesh: XLA partitions one program for all of them.

Operands that are not on the mesh are replicated. The layouts of the results are those that XLA's
partitioner propagates; variables keep theirs. What XLA cannot compile, such as strings, is computed
on the host from the global values, and the results are replicated.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import numpy as np

from tapeflow._src.backends import jax_processes, jax_sharding
from tapeflow._src.core import dispatch
from tapeflow._src.core.device_mesh import Mesh
from tapeflow._src.core.errors import OpError
from tapeflow._src.core.log import logger
from tapeflow._src.core.registry import Op
from tapeflow._src.core.resource import Cell, mesh_value
from tapeflow._src.core.tensor_layout import Layout
from tapeflow._src.eager.dtensor import DTensor, default_mesh, mesh_in, tensors_in
from tapeflow._src.eager.mode import EAGER
from tapeflow._src.eager.tensor import EagerTensor
from tapeflow._src.executors.packed_values import as_objects
from tapeflow._src.executors.signatures import signature
from tapeflow._src.executors.xla import CannotCompileError, Executable, Failed
from tapeflow._src.executors.xla_options import compiled, options
from tapeflow._src.executors.xla_trace import LIST_ROWS
from tapeflow._src.graph.body import Body
from tapeflow._src.graph.compilability import STATIC, cannot
from tapeflow._src.graph.graph import FuncGraph
from tapeflow._src.graph.mode import TracingMode

# Programs that are remembered for eager ops; all are forgotten when there are more.
CACHED_OPS = 2048


class MeshExecutable(Executable):
    """A body compiled for the devices of a mesh.

    layouts: those of the inputs; None for inputs that are replicated.
    """

    def __init__(
        self,
        body: Body,
        arrays: Sequence[Any],
        layouts: Sequence[Layout | None],
        mesh: Mesh,
        list_rows: int = LIST_ROWS,
    ) -> None:
        self._device_mesh = mesh
        self._layouts = layouts
        self._shardings: list[Any] = []
        self._program: Any = None
        super().__init__(body, arrays, list_rows)
        # All arguments of NumPy are placed on the mesh before a call.
        self._large = list(range(len(self._shardings)))
        self._on_devices = True
        self._scopes = [partial(jax.enable_x64, True)]
        program, self._program = self._program, None
        shared = jax_sharding.mesh_of(mesh)
        if jax_processes.spans(shared):
            self._call = jax_processes.callable_of(program, self._call, shared, body.name)

    def _sharding(self, index: int, array: Any) -> Any:
        layout = self._layouts[index]
        rank = len(array.shape)
        return jax_sharding.sharding_of(layout or Layout.replicated(self._device_mesh, rank))

    def _samples(self, arrays: Sequence[Any]) -> list[Any]:
        layout = self._layout
        samples = layout.samples(arrays)
        indices = [*layout.plain, *layout.variables]
        self._shardings = [self._sharding(i, sample) for i, sample in zip(indices, samples)]
        whole = jax_sharding.sharding_of(Layout.replicated(self._device_mesh, 1))
        shardings = self._shardings + [whole] * len(layout.streams)
        return [
            jax.ShapeDtypeStruct(sample.shape, sample.dtype, sharding=sharding)
            for sample, sharding in zip(samples, shardings, strict=True)
        ]

    def _jitted(self, donated: tuple[int, ...]) -> Any:
        return jax.jit(self._on_mesh, donate_argnums=donated, keep_unused=True)

    def _on_mesh(self, *arguments: Any) -> tuple[Any, ...]:
        """Trace the program, whose arguments have layouts."""
        indices = [*self._layout.plain, *self._layout.variables]
        layouts = [
            self._layouts[i] or Layout.replicated(self._device_mesh, argument.ndim)
            for i, argument in zip(indices, arguments)
        ]
        with jax_sharding.tracing(zip(arguments, layouts)):
            return self._function(*arguments)

    def _device_for(self, program: Any) -> Any:
        return jax_sharding.mesh_of(self._device_mesh).devices.flat[0]

    def _compiled(self, lowered: Any, device: Any) -> Any:
        program = compiled(lowered, options(lowered.as_text()))
        self._program = program
        return program

    def _updated(self, index: int, value: Any) -> Any:
        # What lay on no mesh is replicated, in this call and in all that follow.
        layout = self._layouts[index] or Layout.replicated(self._device_mesh, value.ndim)
        return jax_sharding.constrained(value, layout)

    def _as_argument(self, array: Any, index: int) -> Any:
        return jax_sharding.placed(array, self._shardings[index], may_alias=False)

    def _fetched(self, results: list[Any]) -> list[Any]:
        return results


class MeshProgram:
    """A body that runs on meshes: an executable for each combination of shapes and layouts."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self._compilable = not cannot(body)
        self._executables: dict[Any, MeshExecutable] = {}

    def __call__(self, tensors: Sequence[Any], mesh: Mesh) -> list[Any] | None:
        """Return the results as tensors on the mesh; None if it cannot be compiled."""
        here = [type(t) is DTensor and t._layout.mesh == mesh for t in tensors]
        arrays = [stored(t) if on else t._array for t, on in zip(tensors, here)]
        layouts = [t._layout if on else None for t, on in zip(tensors, here)]
        described = _signature(arrays)
        if described is None or not self._compilable:
            return None
        key = described, mesh, tuple(layouts)
        executable = self._executables.get(key)
        if executable is None:
            try:
                executable = MeshExecutable(self.body, arrays, layouts, mesh)
            except CannotCompileError as error:
                logger.debug("%s is not compiled for a mesh: %s", self.body.name, error)
                if error.cause is None:
                    self._compilable = False
                return None
            self._executables[key] = executable
        try:
            return [_tensor(value, mesh) for value in executable(arrays)]
        except Failed:
            return None  # the kernels on the host raise the error, with its reason


def stored(tensor: Any) -> Any:
    """Return the array behind a tensor as it is stored, on a mesh or on the host."""
    return tensor.value_on_mesh if type(tensor) is DTensor else tensor._array


def _signature(arrays: Sequence[Any]) -> Any:
    """Return shapes and dtypes, and which variables are aliases; None for other values."""
    parts: list[Any] = []
    aliases: dict[int, int] = {}
    for array in arrays:
        value = mesh_value(array) if isinstance(array, Cell) else array
        if isinstance(value, jax.Array):
            part: Any = value.shape, value.dtype
        else:
            part = None if value is None else signature([value])
        if part is None:
            return None
        alias = aliases.setdefault(id(array), len(aliases)) if isinstance(array, Cell) else None
        parts.append((part, alias))
    return tuple(parts)


def _tensor(value: Any, mesh: Mesh) -> Any:
    """Return a result of a program as a tensor on the mesh."""
    if isinstance(value, jax.Array):
        layout = jax_sharding.layout_of(value, mesh)
        if value.sharding != jax_sharding.sharding_of(layout):
            value = jax_sharding.put(value, layout)
        return DTensor(value, layout)
    if isinstance(value, np.ndarray):
        whole = Layout.replicated(mesh, value.ndim)
        is_text = value.dtype.kind in "OSU"
        return DTensor(value if is_text else jax_sharding.put(value, whole), whole)
    return EagerTensor(value)  # a handle, or a list


# -- functions -------------------------------------------------------------------------------------


def run_program(program: Any, tensors: Sequence[Any], mesh: Mesh) -> list[Any]:
    """Run the program of a function on a mesh."""
    sharded = program.on_mesh
    if sharded is None:
        # The interpreter's body is the optimised one.
        sharded = program.on_mesh = MeshProgram(program.interpreter.body)
    results = sharded(tensors, mesh)
    if results is None:
        results = [
            _tensor(as_objects(a), mesh) for a in program.interpreter([t._array for t in tensors])
        ]
    return results


def mesh_of_call(tensors: Sequence[Any]) -> Mesh | None:
    """Return the mesh that a function runs on: that of its inputs, or of the block around it."""
    mesh = mesh_in(tensors)
    return default_mesh() if mesh is None else mesh


# -- eager ops -------------------------------------------------------------------------------------

_ops: dict[Any, MeshProgram] = {}


def run(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
    """Run an eager op on the mesh of its inputs; NotImplemented if they lie on none."""
    mesh = mesh_in(inputs)
    if mesh is None:
        return NotImplemented
    dynamic = (value for value, kind in zip(inputs, op.kinds) if kind not in STATIC)
    tensors = list(tensors_in(dynamic))
    program = _program(op, inputs, attrs)
    results = None if program is None else program(tensors, mesh)
    if results is None:
        return _on_host(op, inputs, attrs, mesh)
    outputs = tuple(results)
    if op.effect == "writes" or outputs:
        for recorder in dispatch.state.recorders:
            recorder.record(op, inputs, attrs, outputs)
    if not op.single_output:
        return outputs or None
    return outputs[0] if outputs else None


def _program(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> MeshProgram | None:
    """Return the program of an op for operands of these shapes; None if they are no numbers."""
    try:
        key = (op, *map(_key_of, inputs, op.kinds), *attrs.items())
        program = _ops.get(key)
    except TypeError:  # an attribute that cannot be hashed
        return None
    if program is None:
        if len(_ops) >= CACHED_OPS:
            _ops.clear()
        try:
            body = _body(op, inputs, attrs)
        except (ValueError, TypeError, OpError):
            return None  # refused: the kernel on the host says why
        program = _ops[key] = MeshProgram(body)
    return program


def _key_of(operand: Any, kind: str) -> Any:
    if type(operand) is tuple or type(operand) is list:
        return tuple([_key_of(item, kind) for item in operand])
    if kind in STATIC:
        return operand._array.tobytes(), operand.static_shape, operand.dtype
    value = stored(operand)
    if isinstance(value, Cell):
        return value.value_dtype, value.shape
    return operand.static_shape, operand.dtype


def _body(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Body:
    """Return the graph of one op."""
    graph = FuncGraph(op.name, outer=None)

    def operand(value: Any, kind: str) -> Any:
        if type(value) is tuple or type(value) is list:
            return [operand(item, kind) for item in value]
        if kind in STATIC:
            return graph.constant(value._array, value.dtype)
        return graph.argument(value.dtype, value.static_shape, "operand")

    with dispatch.use_mode(TracingMode(graph)), dispatch.use_recorders(()):
        outputs = op(*[operand(v, k) for v, k in zip(inputs, op.kinds)], **attrs)
    if outputs is None or (op.single_output and not hasattr(outputs, "dtype")):
        tensors: tuple[Any, ...] = ()
    else:
        tensors = (outputs,) if op.single_output else tuple(outputs)
    return Body(graph, tensors)


def _on_host(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], mesh: Mesh) -> Any:
    """Run an op on the host, from the global values."""
    plain = tuple(
        tuple(map(_plain, value)) if type(value) is tuple or type(value) is list else _plain(value)
        for value in inputs
    )
    with dispatch.use_recorders(()):
        result = EAGER.execute(op, plain, attrs)
    if result is None:
        outputs: tuple[Any, ...] = ()
    else:
        results = result if isinstance(result, (tuple, list)) else (result,)
        outputs = tuple(_tensor(each._array, mesh) for each in results)
    for recorder in dispatch.state.recorders:
        recorder.record(op, inputs, attrs, outputs)
    if result is None:
        return None
    return outputs if isinstance(result, (tuple, list)) else outputs[0]


def _plain(tensor: Any) -> Any:
    if type(tensor) is not DTensor:
        return tensor
    return EagerTensor(tensor._array)
