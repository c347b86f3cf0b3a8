"""Describes SavedModels, checkpoints and safetensors files."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from math import prod
from typing import Any

from tapeflow._src.checkpoint.bundle import MODEL_JOURNAL, BundleReader
from tapeflow._src.checkpoint.readers import checkpoint_path
from tapeflow._src.checkpoint.safetensors import SafetensorsReader
from tapeflow._src.cli.description import Description, Size, Table, tensor_table
from tapeflow._src.core.atomic_files import one_generation
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.protos.values import shape_from_proto
from tapeflow._src.core.registry import find
from tapeflow._src.graph.deserialize import FUNCTION_CALLS
from tapeflow._src.saved_model.load import model_message
from tapeflow._src.saved_model.save import VARIABLES

_INTERNAL = ("_CHECKPOINTABLE_OBJECT_GRAPH",)
# Every SavedModel holds a graph that saves and restores it; loading does that without running it.
_SAVER = frozenset({"SaveV2", "RestoreV2", "MergeV2Checkpoints", "ShardedFilename"})


def checkpoint(path: str) -> Description:
    """Describe the checkpoint at a prefix, or the latest one in a folder."""
    prefix = checkpoint_path(path.removesuffix(".index"))
    tensors = _tensors(BundleReader(prefix))
    return Description(prefix, "checkpoint", {}, [tensor_table("tensors", tensors)])


def safetensors(path: str) -> Description:
    """Describe a safetensors file."""
    reader = SafetensorsReader(path)
    tensors = (
        (name, dtype.name, shape, prod(shape) * dtype.np.itemsize)
        for name, (dtype, shape, _) in reader.entries.items()
    )
    table = tensor_table("tensors", tensors)
    return Description(path, "safetensors file", dict(reader.metadata), [table])


def saved_model(path: str) -> Description:
    """Describe the SavedModel in a folder."""
    folder = path if os.path.isdir(path) else os.path.dirname(path)
    prefix = os.path.join(folder, VARIABLES)
    with one_generation(os.path.join(folder, MODEL_JOURNAL)) as location:
        message = model_message(folder, location)
        reader = (
            BundleReader(prefix, location) if os.path.isfile(location(f"{prefix}.index")) else None
        )
    result = Description(folder, "SavedModel")
    result.tables.append(_signatures(message))
    if reader is not None:
        result.tables.append(tensor_table("variables", _tensors(reader)))
    ops = Counter(node.op for meta in message.meta_graphs for node in _nodes(meta))
    unknown = _unknown(message, ops)
    result.tables.append(_ops(ops, unknown))
    result.tables.append(_functions(message))
    result.facts = {
        "tags": [list(meta.meta_info_def.tags) for meta in message.meta_graphs],
        "written by": [m.meta_info_def.tensorflow_version or "?" for m in message.meta_graphs],
        "objects": sum(len(meta.object_graph_def.nodes) for meta in message.meta_graphs),
        "functions": sum(len(meta.graph_def.library.function) for meta in message.meta_graphs),
        "nodes": sum(ops.values()),
        "assets": _assets(folder),
    }
    result.warnings = _op_warnings(unknown)
    return result


def _tensors(reader: BundleReader) -> Iterator[tuple[str, str, tuple[int, ...], int]]:
    for name in sorted(reader.entries):
        if name and name not in _INTERNAL:
            yield name, reader.dtype(name).name, reader.shape(name), reader.entry(name).size


def _signatures(message: Any) -> Table:
    rows = []
    for meta in message.meta_graphs:
        for name, signature in sorted(meta.signature_def.items()):
            for role, tensors in (("input", signature.inputs), ("output", signature.outputs)):
                for key, info in sorted(tensors.items()):
                    rows.append((name, role, key, _dtype_name(info.dtype), _shape(info)))
    return Table("signatures", ("signature", "", "tensor", "dtype", "shape"), rows)


def _dtype_name(number: int) -> str:
    try:
        return as_dtype(number).name
    except TypeError:
        return f"dtype {number}"


def _shape(info: Any) -> list[int | None] | None:
    dims = shape_from_proto(info.tensor_shape)
    return None if dims is None else list(dims)


def _nodes(meta: Any) -> Iterator[Any]:
    yield from meta.graph_def.node
    for function in meta.graph_def.library.function:
        yield from function.node_def


def _functions(message: Any) -> Table:
    rows = [
        (function.signature.name, len(function.node_def))
        for meta in message.meta_graphs
        for function in meta.graph_def.library.function
    ]
    rows.sort(key=lambda row: -row[1])
    return Table("functions", ("function", "nodes"), rows)


def _ops(counts: Counter[str], unknown: set[str]) -> Table:
    rows = [(op, count, _note(op, unknown)) for op, count in counts.most_common()]
    return Table("ops", ("op", "nodes", "note"), rows)


def _note(name: str, unknown: set[str]) -> str:
    op = find(name)
    if op is not None and op.access is not None:
        return f"reaches {op.access.what}: refused in safe mode"
    if name in unknown:
        return "not supported"
    return "for saving; not run" if name in _SAVER else ""


def _unknown(message: Any, counts: Counter[str]) -> set[str]:
    """Return the ops that are neither declared nor functions of the file."""
    own = {f.signature.name for m in message.meta_graphs for f in m.graph_def.library.function}
    return {op for op in counts if find(op) is None} - own - _SAVER - FUNCTION_CALLS


def _op_warnings(unknown: set[str]) -> list[str]:
    if not unknown:
        return []
    return [
        f"functions with these ops raise NotFoundError when called: {', '.join(sorted(unknown))}"
    ]


def _assets(folder: str) -> list[str]:
    below = os.path.join(folder, "assets")
    if not os.path.isdir(below):
        return []
    sizes = {name: os.path.getsize(os.path.join(below, name)) for name in os.listdir(below)}
    return [f"{name} ({Size(size)})" for name, size in sorted(sizes.items())]
