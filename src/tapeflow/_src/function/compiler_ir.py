"""The compiled code of a function: `experimental_get_compiler_ir`, and exported artefacts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.resource import Cell
from tapeflow._src.core.shape import as_dims
from tapeflow._src.core.trace_type import TraceType
from tapeflow._src.executors.compiler import INSTALL
from tapeflow._src.function.concrete import ConcreteFunction
from tapeflow._src.function.trace_types import Structure
from tapeflow._src.function.variable_type import VariableSpec
from tapeflow._src.graph.body import Body

xla_text = LazyModule("tapeflow._src.executors.xla_text", "compiled functions", INSTALL)
xla_export = LazyModule("tapeflow._src.executors.xla_export", "StableHLO files", INSTALL)

STAGES = (
    "hlo",
    "hlo_serialized",
    "optimized_hlo",
    "optimized_hlo_serialized",
    "optimized_hlo_dot",
)


def compiler_ir(concrete: ConcreteFunction) -> Callable[..., Any]:
    """Return a function that returns the code of a trace at a stage of compilation."""
    _check_static(concrete)

    def get_ir(
        stage: str = "hlo", device_name: str | None = None, platform_name: str | None = None
    ) -> Any:
        if stage not in STAGES:
            raise ValueError(
                f"Invalid stage selected: {stage!r}. Valid values are: "
                f"{', '.join(map(repr, STAGES))}"
            )
        device = device_name or platform_name or "CPU"
        if "CPU" not in device.upper():
            raise ValueError(f"No matching device found for {device!r}")
        arrays = [
            _placeholder(leaf) for type_ in concrete.function_type.types for leaf in _leaves(type_)
        ]
        arrays += [tensor._array for tensor in concrete.captured_inputs]
        return xla_text.code(Body(concrete.graph), arrays, stage)

    return get_ir


def exported(concrete: ConcreteFunction) -> bytes:
    """Return a trace as a serialized `jax.export` artefact; captures become constants."""
    _check_static(concrete)
    captured = concrete.captured_inputs
    count = len(concrete.inputs) - len(captured)
    arrays = [
        np.broadcast_to(np.zeros((), t.dtype.np), t.static_shape) for t in concrete.inputs[:count]
    ]
    arrays += [tensor._array for tensor in captured]
    return bytes(xla_export.serialize(Body(concrete.graph), arrays, count))


def _check_static(concrete: ConcreteFunction) -> None:
    unknown = [t for t in concrete.inputs if t.static_shape is None or None in t.static_shape]
    if unknown:
        raise ValueError(
            f"Compiled code needs inputs of static shape, received {unknown}: call it on a "
            "concrete function with full shapes."
        )


def _leaves(type_: TraceType) -> Iterator[Any]:
    if isinstance(type_, Structure):
        for component in type_.components:
            yield from _leaves(component)
    elif isinstance(type_, VariableSpec):
        yield type_
    else:
        yield from type_.flatten()


def _placeholder(spec: Any) -> Any:
    """Return a placeholder of the spec's shape and dtype; the code does not depend on values."""
    dims: Any = as_dims(spec.shape)
    array = np.broadcast_to(np.zeros((), spec.dtype.np), dims)
    return Cell(array, spec.dtype, dims, "variable") if isinstance(spec, VariableSpec) else array
