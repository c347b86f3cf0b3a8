"""Tables in SavedModels: functions that make, fill, save and restore one, where it is loaded."""

from __future__ import annotations

import copy
import uuid
from typing import Any

from tapeflow._src.api.lookup.initializers import TextFileInitializer
from tapeflow._src.api.lookup.mutable import MutableHashTable
from tapeflow._src.api.lookup.tables import LookupTable, StaticHashTable
from tapeflow._src.checkpoint.assets import Asset
from tapeflow._src.checkpoint.resources import done, life_functions, traced
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.spec import TensorSpec
from tapeflow._src.core.trackable import CHECKPOINT, Trackable
from tapeflow._src.ops.state import lookup as ops
from tapeflow._src.ops.strings.text import string_join

SAVE, RESTORE = "_save_entries", "_restore_entries"


class SavedFile(Trackable):
    """Stands for an initializer that reads a file: in a SavedModel that is an asset."""

    def __init__(self, initializer: TextFileInitializer) -> None:
        self.asset = Asset(initializer._filename)
        self.initializer = copy.copy(initializer)
        self.initializer._filename = self.asset.asset_path

    def _trackable_children(self, save_type: str = CHECKPOINT, **kwargs: Any) -> dict[str, Any]:
        return {"_filename": self.asset}


def table_children(table: LookupTable) -> dict[str, Any]:
    """Return the children of a table in a SavedModel."""
    if isinstance(table, StaticHashTable):
        initializer: Any = table._initializer
        if isinstance(initializer, TextFileInitializer):
            initializer = SavedFile(initializer)
        fill = getattr(initializer, "initializer", initializer)
        return {"_initializer": initializer, **_functions(table, lambda: fill.initialize(table))}
    children = _functions(table, lambda: None)
    if isinstance(table, MutableHashTable) and table._tpf_checkpoint_attribute is not None:
        children[SAVE] = traced(lambda checkpoint_key: _saved(table, checkpoint_key), _KEY)
        children[RESTORE] = traced(lambda restored: _restored(table, restored), _entries(table))
    return children


_KEY = TensorSpec([], dtypes.string, "checkpoint_key")


def _entries(table: MutableHashTable) -> list[TensorSpec]:
    shape = [None, *table._default.shape]
    return [TensorSpec([None], table.key_dtype), TensorSpec(shape, table.value_dtype)]


def _functions(table: LookupTable, fill: Any) -> dict[str, Any]:
    # Tables of one name are one table, wherever they are loaded.
    name = f"{table.name}_{uuid.uuid4().hex}"
    return life_functions(lambda: _make(table, name), fill, lambda: None)


def _make(table: LookupTable, name: str) -> Any:
    """Return the op that makes a table like this one, as part of a graph."""
    attrs = {"key_dtype": table.key_dtype, "value_dtype": table.value_dtype, "shared_name": name}
    if isinstance(table, StaticHashTable):
        return ops.hash_table_v2(**attrs)
    shape = tuple(table._default.shape)
    if shape:
        return ops.mutable_hash_table_of_tensors_v2(**attrs, value_shape=shape)
    return ops.mutable_hash_table_v2(**attrs)


def _saved(table: MutableHashTable, key: Any) -> list[dict[str, Any]]:
    """Return the saved form of a table: names of tensors, their slices, and their values."""
    keys, values = table.export()
    no_slice = dispatch.convert("", dtypes.string)
    return [
        {"name": string_join([key, dispatch.convert(end)]), "slice_spec": no_slice, "tensor": value}
        for end, value in (("-keys", keys), ("-values", values))
    ]


def _restored(table: MutableHashTable, restored: list[Any]) -> Any:
    ops.lookup_table_import_v2(table.resource_handle, *restored)
    return done()
