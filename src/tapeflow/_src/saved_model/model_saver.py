"""Functions in the graph of a SavedModel that save and restore its variables and tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tapeflow._src.checkpoint.object_graph import OBJECT_GRAPH_KEY
from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import DType
from tapeflow._src.saved_model.model_graph import GraphWriter

_STRING = dtypes.string.as_datatype_enum
_RESOURCE = dtypes.resource.as_datatype_enum


class Stored(NamedTuple):
    """A variable, or a table of two tensors: its handle, and what is saved of it."""

    handle: str
    keys: tuple[str, ...]
    dtypes: tuple[DType, ...]


def write_saver(meta: Any, writer: GraphWriter, stored: Sequence[Stored], graph: bytes) -> None:
    """Add a call that saves all values under a prefix, and one that restores them.

    graph: the graph of objects, which is saved with them.
    """
    fed = writer.placeholder("saver_filename", dtypes.string, ())
    functions = meta.graph_def.library.function

    def call(name: str, fill: Callable[[GraphWriter], list[str]]) -> str:
        _write_function(functions.add(), f"__inference__traced_{name}", len(stored), fill)
        takes = [dtypes.string, *[dtypes.resource] * len(stored)]
        inputs = [fed, *(entry.handle for entry in stored)]
        return writer.call(f"__inference__traced_{name}", inputs, takes, [dtypes.string])

    saver = meta.saver_def
    saver.filename_tensor_name = f"{fed}:0"
    saver.save_tensor_name = f"{call('save', lambda inner: _saving(inner, stored, graph))}:0"
    saver.restore_op_name = call("restore", lambda inner: _restoring(inner, stored))
    saver.version = 2


def _write_function(
    function: Any, name: str, handles: int, fill: Callable[[GraphWriter], list[str]]
) -> None:
    """Return a function of a prefix and handles that returns the prefix when it is done."""
    signature = function.signature
    signature.name = name
    signature.input_arg.add(name="file_prefix", type=_STRING)
    for i in range(handles):
        signature.input_arg.add(name=f"handle_{i}", type=_RESOURCE)
    signature.output_arg.add(name="done", type=_STRING)
    signature.is_stateful = True
    inner = GraphWriter(function.node_def)
    effects = fill(inner)
    after = [f"^{name}" for name in effects]
    inner.add("Identity", "Identity", ["file_prefix", *after], T=(dtypes.string, "type"))
    function.ret["done"] = "Identity:output:0"
    for name in effects:
        function.control_ret[name] = name
        signature.control_output.append(name)


def _named(inner: GraphWriter, keys: Sequence[str]) -> list[str]:
    """Return the prefix, the names of tensors, and the parts of them that are meant: all."""
    names = np.array([key.encode() for key in keys], object)
    parts = np.array([b""] * len(keys), object)
    return [
        "file_prefix",
        f"{inner.constant(names, dtypes.string, 'tensor_names')}:output:0",
        f"{inner.constant(parts, dtypes.string, 'shape_and_slices')}:output:0",
    ]


def _saving(inner: GraphWriter, stored: Sequence[Stored], graph: bytes) -> list[str]:
    tensors = []
    for i, entry in enumerate(stored):
        handle = f"handle_{i}"
        if len(entry.keys) == 1:
            read = inner.add("ReadVariableOp", "Read", [handle], dtype=(entry.dtypes[0], "type"))
            tensors.append(f"{read}:value:0")
        else:
            kinds = {"Tkeys": (entry.dtypes[0], "type"), "Tvalues": (entry.dtypes[1], "type")}
            export = inner.add("LookupTableExportV2", "Export", [handle], **kinds)
            tensors += [f"{export}:keys:0", f"{export}:values:0"]
    objects = inner.constant(np.array(graph, object), dtypes.string, "objects")
    keys = [*(key for entry in stored for key in entry.keys), OBJECT_GRAPH_KEY]
    kinds_saved = [*(dtype for entry in stored for dtype in entry.dtypes), dtypes.string]
    inputs = [*_named(inner, keys), *tensors, f"{objects}:output:0"]
    return [inner.add("SaveV2", "SaveV2", inputs, dtypes=(kinds_saved, "list(type)"))]


def _restoring(inner: GraphWriter, stored: Sequence[Stored]) -> list[str]:
    if not stored:
        return []
    keys = [key for entry in stored for key in entry.keys]
    kinds = [dtype for entry in stored for dtype in entry.dtypes]
    restore = inner.add("RestoreV2", "RestoreV2", _named(inner, keys), dtypes=(kinds, "list(type)"))
    effects, at = [], 0
    for i, entry in enumerate(stored):
        inputs = [f"handle_{i}", *(f"{restore}:tensors:{at + k}" for k in range(len(entry.keys)))]
        at += len(entry.keys)
        if len(entry.keys) == 1:
            attrs = {"dtype": (entry.dtypes[0], "type")}
            effects.append(inner.add("AssignVariableOp", "Assign", inputs, **attrs))
        else:
            attrs = {"Tin": (entry.dtypes[0], "type"), "Tout": (entry.dtypes[1], "type")}
            effects.append(inner.add("LookupTableImportV2", "Import", inputs, **attrs))
    return effects
