"""The fingerprint of a dataset: equal for datasets that are made by the same ops and values."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from tapeflow._src.composite.ragged.variants import RaggedValue
from tapeflow._src.core import dtypes, protos
from tapeflow._src.core.infer import fixed
from tapeflow._src.core.registry import Variant, op
from tapeflow._src.core.variants import VariantArray
from tapeflow._src.data.stage import HOST, Stage
from tapeflow._src.graph.body import Body
from tapeflow._src.graph.serialize import Library, write_function


def fingerprint(stage: Stage) -> int:
    """Return 64 bits that depend on the ops, functions and values that make a dataset."""
    digest = _Digest()
    digest.add(stage)
    return int.from_bytes(digest.hash.digest()[:8], "little")


class _Digest:
    def __init__(self) -> None:
        self.hash = hashlib.sha256()
        self._seen: dict[int, int] = {}

    def add(self, value: Any) -> None:
        """Add a value, with what makes it."""
        match value:
            case Stage():
                self._add_stage(value)
            case Body():
                self.hash.update(_function(value))
            case np.ndarray() if value.dtype == object:
                self.add(list(value.shape))
                self.add(value.ravel().tolist())
            case np.ndarray() | np.generic():
                self.hash.update(f"{value.dtype}{value.shape}".encode() + value.tobytes())
            case RaggedValue():
                self.add([*value.splits, value.values])
            case VariantArray():
                self.add(list(value.items.ravel()))
            case list() | tuple():
                self.hash.update(f"[{len(value)}".encode())
                for item in value:
                    self.add(item)
            case dict():
                self.add([item for pair in sorted(value.items()) for item in pair])
            case None | bool() | int() | float() | str() | bytes() | dtypes.DType():
                self.hash.update(repr(value).encode())
            case _:  # Python functions and resources: what they are called
                name = getattr(value, "__qualname__", type(value).__qualname__)
                self.hash.update(name.encode())

    def _add_stage(self, stage: Stage) -> None:
        if id(stage) in self._seen:
            self.hash.update(f"#{self._seen[id(stage)]}".encode())
            return
        self._seen[id(stage)] = len(self._seen)
        self.hash.update(type(stage).__name__.encode())
        if stage.origin is not None:
            self.hash.update(stage.origin.op.name.encode())
            self.add(stage.origin.inputs)
            self.add({k: v for k, v in stage.origin.attrs.items() if k != "metadata"})


def _function(body: Body) -> bytes:
    message, holder = protos.FunctionDef(), protos.GraphDef()
    outputs: Any = body.outputs
    write_function(message, body, outputs, Library(holder.library).name_of)
    data: bytes = message.SerializeToString(deterministic=True)
    return data + holder.SerializeToString(deterministic=True)


@op("DatasetFingerprint", infer=fixed((), dtypes.uint64), grad=None, host=HOST)
def dataset_fingerprint(xp, input_dataset: Variant):
    """Return the fingerprint of a dataset."""
    return np.array(fingerprint(input_dataset), np.uint64)
