"""Datasets as GraphDefs: the ops that make them, which run again where the bytes are read.

A graph holds what the calls of `dataset_op` were given: constants, functions as FunctionDefs, and
further datasets. Reading one runs no Python code of the bytes; a guard says which accesses of ops
are allowed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.composite.ragged.variants import RaggedValue, ragged_tensor_to_variant
from tapeflow._src.core import dispatch, dtypes, protos
from tapeflow._src.core.errors import FailedPreconditionError, invalid
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.variants import VariantArray
from tapeflow._src.data.dummy_resources import (
    IterationCounter,
    MemoryCache,
    SeedGenerator,
    dummy_iteration_counter,
    dummy_memory_cache,
    dummy_seed_generator,
)
from tapeflow._src.data.functions import program_of
from tapeflow._src.data.stage import Stage
from tapeflow._src.graph.body import Body
from tapeflow._src.graph.deserialize import import_nodes
from tapeflow._src.graph.graph import FuncGraph, Graph
from tapeflow._src.graph.mode import TracingMode
from tapeflow._src.graph.safe_mode import Guard, refusal
from tapeflow._src.ops.array.shape import identity
from tapeflow._src.ops.array.stacking import pack

protobuf = LazyModule("google.protobuf.message", "datasets that are sent to other processes")

# The node whose output is the dataset.
_RESULT = "dataset"
_RESOURCES = {
    SeedGenerator: dummy_seed_generator,
    MemoryCache: dummy_memory_cache,
    IterationCounter: dummy_iteration_counter,
}


def to_graph_def(stage: Stage) -> Any:
    """Return the graph that makes a dataset."""
    graph = Graph()
    with dispatch.use_mode(TracingMode(graph)), dispatch.use_recorders(()):
        identity(_Builder().tensor(stage), name=_RESULT)
    return graph.as_graph_def()


def to_bytes(stage: Stage) -> bytes:
    """Serialize a dataset; equal datasets have equal bytes."""
    data: bytes = to_graph_def(stage).SerializeToString(deterministic=True)
    return data


def from_bytes(data: bytes, guard: Guard) -> Stage:
    """Make the dataset that `to_bytes` returned the graph of."""
    try:
        message = protos.GraphDef.FromString(data)
    except protobuf.DecodeError as error:
        raise invalid(f"The bytes of a dataset are no GraphDef: {error}") from error
    graph = FuncGraph(_RESULT)
    done = import_nodes(graph, message, "", {}, guard)
    if guard.refused:
        raise refusal(guard.refused, "the dataset", "a dataset without these operations")
    if _RESULT not in done:
        raise invalid(f"Expected a node {_RESULT!r} in the graph of a dataset, received none.")
    (stage,) = program_of(Body(graph, done[_RESULT].outputs, ()))(())
    if not isinstance(stage, Stage):
        raise invalid(f"Expected the graph of a dataset. Received one of {type(stage).__name__}")
    return stage


class _Builder:
    """Repeats the calls that made stages, in the graph that is being built."""

    def __init__(self) -> None:
        self._tensors: dict[int, Any] = {}

    def tensor(self, value: Any) -> Any:
        """Return the symbolic tensor of an input of such a call."""
        match value:
            case list() | tuple():
                return [self.tensor(item) for item in value]
            case Stage():
                if id(value) not in self._tensors:
                    self._tensors[id(value)] = self._dataset(value)
                return self._tensors[id(value)]
            case RaggedValue():
                return ragged_tensor_to_variant(value.splits, value.values, batched_input=False)
            case VariantArray() if value.ndim == 1 and value.size:
                return pack([self.tensor(item) for item in value.items])
            case np.ndarray() | np.generic():
                return dispatch.convert(value, dtypes.FROM_NUMPY[value.dtype])
        make = _RESOURCES.get(type(value))
        if make is None:
            raise FailedPreconditionError(
                None,
                None,
                f"A dataset with a {type(value).__name__} cannot be written as a graph: variables "
                f"and other resources belong to one process. Pass their values to the dataset.",
            )
        return make()

    def _dataset(self, stage: Stage) -> Any:
        origin = stage.origin
        if origin is None:
            raise FailedPreconditionError(
                None, None, f"A dataset of {type(stage).__name__} has no form as a graph."
            )
        access = origin.op.access
        if access is not None and access.what == "python":
            raise FailedPreconditionError(
                None,
                None,
                f"{origin.op.name} calls a Python function of this process, so that the dataset "
                f"cannot be written as a graph. Use TensorFlow ops, or write the elements to files "
                f"with Dataset.save.",
            )
        return origin.op(*[self.tensor(value) for value in origin.inputs], **origin.attrs)
