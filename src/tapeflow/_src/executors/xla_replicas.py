"""Functions of replicas in compiled code: one program that all devices of a mesh run.

Everything around it, variables too, has the same value on all devices. What differs between
replicas comes from `ops.graph.replicas`: the number of the replica, and collectives.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
from jax.sharding import NamedSharding, PartitionSpec

from tapeflow._src.backends import jax_device
from tapeflow._src.backends.jax_flags import collect_failures, note, together
from tapeflow._src.backends.jax_onednn import shared_by
from tapeflow._src.backends.jax_replicas import AXIS, along_axis
from tapeflow._src.core import devices as device_names
from tapeflow._src.executors.xla_carried import Carried
from tapeflow._src.executors.xla_state import Box, random_nodes
from tapeflow._src.executors.xla_trace import Trace, is_static, traced
from tapeflow._src.graph.body import Body, bodies_of
from tapeflow._src.graph.operation import Operation
from tapeflow._src.ops.graph.replicas import on_replicas


def mesh_of(names: Sequence[str]) -> Any:
    """Return the mesh of these devices; None unless each is there, and only once."""
    specs = [device_names.parse(name) for name in names]
    if not names or not all(map(device_names.matching, specs)) or len(set(names)) < len(names):
        return None
    return jax_device.mesh(names, (len(names),), (AXIS,))


def mesh_in(body: Body) -> Any:
    """Return the mesh that a program of `body` is for, or None."""
    for node in body.nodes():
        if node.definition is on_replicas:
            mesh = mesh_of(node.attrs["devices"])
            if mesh is not None:
                return mesh
        for inner in bodies_of(node):
            mesh = mesh_in(inner)
            if mesh is not None:
                return mesh
    return None


def on_all_devices(mesh: Any) -> dict[str, Any]:
    """Return the arguments of `jax.jit` for a program whose values are the same on all devices."""
    everywhere = NamedSharding(mesh, PartitionSpec())
    return {"in_shardings": everywhere, "out_shardings": everywhere}


def replicated(
    trace: Trace, node: Operation, names: Sequence[str], values: list[Any]
) -> Sequence[Any]:
    """Run the function of one replica on each device, or that of all replicas on one."""
    single, whole = node.attrs["then_branch"], node.attrs["else_branch"]
    mesh = mesh_of(names)
    plain = all(isinstance(v, (Box, jax.Array)) or is_static(v) for v in values)
    # Random streams are those of the function of all replicas.
    if mesh is None or not plain or random_nodes(single):
        return trace.run(whole, values)
    return _OnMesh(trace, node, single, values).run(mesh)


class _OnMesh:
    """A body that each device of a mesh runs as one replica."""

    def __init__(self, trace: Trace, node: Operation, body: Body, values: list[Any]) -> None:
        self._trace = trace
        self._node = node
        self._body = body
        self._values = values
        self._carried = Carried(trace, (body,), values)
        self._dynamic = [i for i, value in enumerate(values) if not is_static(value)]
        self._can_fail = False

    def run(self, mesh: Any) -> Sequence[Any]:
        everywhere = PartitionSpec()
        program = jax.shard_map(
            self._program, mesh=mesh, in_specs=everywhere, out_specs=everywhere, check_vma=False
        )
        arguments = [
            value.array if isinstance(value, Box) else value
            for value in (self._values[i] for i in self._dynamic)
        ]
        with shared_by(mesh.size):
            outputs, state, wrong = program(*arguments)
        self._carried.put(state)
        if self._can_fail:
            note(wrong)
        return outputs

    def _program(self, *arguments: Any) -> Any:
        values = list(self._values)
        outside = [(value, value.array) for value in values if isinstance(value, Box)]
        try:
            for i, argument in zip(self._dynamic, arguments):
                value = values[i]
                if isinstance(value, Box):
                    value.array = argument
                else:
                    values[i] = argument
            with collect_failures() as failures, along_axis():
                results = self._trace.run(self._body, values)
                outputs = [traced(value, self._node) for value in results]
            self._can_fail = bool(failures)
            return outputs, self._carried.now(), jax.lax.pmax(together(failures), AXIS)
        finally:
            for box, array in outside:
                box.array = array
