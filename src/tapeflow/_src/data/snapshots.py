"""`save` and `load`: the elements of a dataset in files, in the format of TensorFlow's snapshots.

    PATH/dataset_spec.pb                         the spec of an element
    PATH/snapshot.metadata                       which run is complete, and what it holds
    PATH/RUN/00000000.shard/00000000.snapshot    TFRecords, one for each tensor of an element

A run is a folder of its own with a random number for its name. It takes its place together with
the first two files, which say that it counts: readers see the dataset saved before, or the new
one. Runs saved before stay, as datasets that were loaded from them read them one element at a time.
"""

from __future__ import annotations

import os
import re
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

from tapeflow._src.api.elements import Layout
from tapeflow._src.api.io.records import TFRecordWriter, read_records
from tapeflow._src.api.structure_protos import decode, encode
from tapeflow._src.composite.ragged.tensor import RaggedTensorSpec
from tapeflow._src.composite.sparse_tensor import SparseTensorSpec
from tapeflow._src.core import dispatch, dtypes, protos
from tapeflow._src.core.atomic_files import file_transaction, one_generation
from tapeflow._src.core.errors import DataLossError, NotFoundError, invalid
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.paths import local_path, translated
from tapeflow._src.data.arguments import UNKNOWN
from tapeflow._src.data.functions import Call, Function, traced_on_elements
from tapeflow._src.data.recipe import DatasetLike
from tapeflow._src.data.snapshot_tensors import from_record, to_record
from tapeflow._src.data.sources import Elements
from tapeflow._src.data.stage import Cursor, Element, Stage
from tapeflow._src.eager.tensor import EagerTensor

protobuf = LazyModule("google.protobuf.message", "saved datasets")

_SPEC, _METADATA = "dataset_spec.pb", "snapshot.metadata"
_RUN = re.compile("[0-9]{1,20}")
_VERSION = 2
_COMPRESSIONS = {None: "", "NONE": "", "GZIP": "GZIP"}
# How long `load(..., wait=True)` sleeps before it looks for the files again, in seconds.
_PAUSE = 0.2


# -- writing ------------------------------------------------------------------------------------


def save(
    dataset: DatasetLike,
    path: Any,
    compression: str | None,
    shard_func: Function | None,
    checkpoint_args: Any,
) -> None:
    """Write all elements to a folder; `shard_func` returns the number of an element's shard."""
    kind = _compression(compression)
    if checkpoint_args is not None:
        raise NotImplementedError(
            "Dataset.save writes all elements in one go and keeps no checkpoints of its progress: "
            "leave `checkpoint_args` out."
        )
    if dispatch.state.mode is not dispatch.base_mode():
        raise NotImplementedError(
            "Dataset.save writes files when it is called, so it cannot be part of a tf.function: "
            "call it outside."
        )
    folder = local_path(path)
    layout = dataset._layout
    spec = encode(layout.spec).SerializeToString()
    run = str(secrets.randbits(64))
    with translated(folder), file_transaction(_journal(folder)) as transaction:
        with transaction.new_folder(os.path.join(folder, run)) as location:
            count = _write(dataset, location, kind, _sharding(shard_func, layout))
        metadata = protos.SnapshotMetadataRecord(
            run_id=run,
            creation_timestamp=time.time_ns() // 1000,
            version=_VERSION,
            dtype=_stored_types(layout),
            num_elements=count,
            finalized=True,
        )
        transaction.write(os.path.join(folder, _SPEC), spec)
        transaction.write(os.path.join(folder, _METADATA), metadata.SerializeToString())


def _write(dataset: DatasetLike, folder: str, kind: str, sharding: Callable[[Element], int]) -> int:
    """Write the elements to the shards of a run; returns how many there are."""
    specs = dataset._layout.carried
    writers: dict[int, TFRecordWriter] = {}
    count = 0
    with ExitStack() as stack:
        for element in dataset._variant_tensor._array.cursor():
            shard = sharding(element)
            if shard not in writers:
                name = os.path.join(folder, f"{shard:08d}.shard")
                os.makedirs(name)
                writer = TFRecordWriter(os.path.join(name, "00000000.snapshot"), kind)
                writers[shard] = stack.enter_context(writer)
            for array, spec in zip(element, specs):
                writers[shard].write(to_record(array, spec))
            count += 1
    return count


def _sharding(shard_func: Function | None, layout: Layout) -> Callable[[Element], int]:
    """Return a function from an element to the number of its shard."""
    if shard_func is None:
        return lambda element: 0
    function = traced_on_elements(shard_func, layout, "save")
    spec = function.layout.spec
    if getattr(spec, "dtype", None) is not dtypes.int64 or spec.shape.rank not in (None, 0):
        raise invalid(f"`shard_func` must return a scalar of dtype tf.int64. Received: {spec}")
    call = Call(function.body, [tensor._array for tensor in function.captured])
    return lambda element: int(call(element)[0])


def _stored_types(layout: Layout) -> list[int]:
    variants = (RaggedTensorSpec, SparseTensorSpec)
    stored = [dtypes.variant if isinstance(s, variants) else s.dtype for s in layout.carried]
    return [dtype.as_datatype_enum for dtype in stored]


def _compression(compression: str | None) -> str:
    if compression not in _COMPRESSIONS:
        raise ValueError(
            f'`compression` of a saved dataset must be None, "NONE" or "GZIP". Received: '
            f"{compression!r}"
        )
    return _COMPRESSIONS[compression]


def _journal(folder: str) -> str:
    return os.path.join(folder, "snapshot")


# -- reading ------------------------------------------------------------------------------------


class Snapshot(NamedTuple):
    """The contents of a folder: the spec of an element, and the number of elements per shard."""

    spec: Any
    size: int
    stages: list[Stage]

    def shards(self) -> Any:
        """Return the variant tensor of a dataset of the shards."""
        return _variant(Elements([(stage,) for stage in self.stages]))

    def in_turn(self) -> Any:
        """Return the variant tensor of a dataset of the elements of all shards."""
        return _variant(InTurn(self.stages))


def _variant(stage: Stage) -> Any:
    return EagerTensor(stage)  # type: ignore[arg-type]


def read(path: Any, element_spec: Any, compression: str | None, wait: bool) -> Snapshot:
    """Find what was saved to a folder; the elements are read when they are asked for."""
    kind = _compression(compression)
    folder = local_path(path)
    while wait and not os.path.exists(os.path.join(folder, _METADATA)):
        time.sleep(_PAUSE)
    if not os.path.isdir(folder):
        raise _missing(folder)
    with one_generation(_journal(folder)) as current:
        metadata = _message(current, folder, _METADATA, protos.SnapshotMetadataRecord)
        with _damage_reported(folder):
            if element_spec is None:
                element_spec = decode(_message(current, folder, _SPEC, protos.StructuredValue))
            layout = Layout(element_spec)
            stored = [dtypes.as_dtype(number) for number in metadata.dtype]
        if not _RUN.fullmatch(metadata.run_id):
            raise DataLossError(
                None,
                None,
                f"{folder}: {_METADATA} is damaged: expected the number of a run, received "
                f"{metadata.run_id!r}",
            )
        run = current(os.path.join(folder, metadata.run_id))
    if list(metadata.dtype) != _stored_types(layout):
        raise invalid(
            f"The dataset saved in {folder} has elements of dtypes {[d.name for d in stored]}. "
            f"Received an `element_spec` with {[dtype.name for dtype in layout.types]}"
        )
    with translated(run):
        names = sorted(name for name in os.listdir(run) if name.endswith(".shard"))
    shards: list[Stage] = [Shard(os.path.join(run, name), kind, layout) for name in names]
    return Snapshot(element_spec, metadata.num_elements, shards)


def _message(current: Callable[[str], str], folder: str, name: str, kind: Any) -> Any:
    """Read one of the files that describe a snapshot."""
    try:
        with open(current(os.path.join(folder, name)), "rb") as file:
            return kind.FromString(file.read())
    except FileNotFoundError as error:
        raise _missing(folder) from error
    except protobuf.DecodeError as error:
        raise DataLossError(None, None, f"{folder}: {name} is damaged: {error}") from error


@contextmanager
def _damage_reported(folder: str) -> Iterator[None]:
    """Turn the errors of a spec that is none into a DataLossError that names the folder."""
    try:
        yield
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise DataLossError(None, None, f"{folder}: {_SPEC} is damaged: {error}") from error


def _missing(folder: str) -> NotFoundError:
    return NotFoundError(
        None,
        None,
        f"No saved dataset was found in {folder}: expected the files {_SPEC} and {_METADATA}, "
        f"which `Dataset.save` writes.",
    )


class Shard(Stage):
    """The elements of the files of one shard."""

    def __init__(self, folder: str, kind: str, layout: Layout) -> None:
        self._folder = folder
        self._kind = kind
        self._specs = layout.carried

    def cursor(self) -> Cursor:
        return _ShardCursor(self.elements)

    def cardinality(self) -> int:
        return UNKNOWN

    def elements(self) -> Iterator[Element]:
        """Yield the elements."""
        with translated(self._folder):
            names = sorted(n for n in os.listdir(self._folder) if n.endswith(".snapshot"))
        for name in names:
            records = read_records(os.path.join(self._folder, name), self._kind)
            for first in records:
                rest = [record for _, record in zip(self._specs[1:], records)]
                element = [from_record(r, s) for r, s in zip([first, *rest], self._specs)]
                if len(element) < len(self._specs):
                    raise DataLossError(
                        None, None, f"{self._folder}: {name} ends within an element."
                    )
                yield tuple(element)


class _ShardCursor(Cursor):
    def __init__(self, elements: Callable[[], Iterator[Element]]) -> None:
        self._open = elements
        self._elements = elements()
        self._given = 0

    def __next__(self) -> Element:
        element = next(self._elements)
        self._given += 1
        return element

    def get_state(self) -> int:
        return self._given

    def set_state(self, state: int) -> None:
        self._elements, self._given = self._open(), 0
        self.skip(state)


class InTurn(Stage):
    """The elements of several stages, one of each in turn."""

    def __init__(self, stages: list[Stage]) -> None:
        self._stages = stages

    def cursor(self) -> Cursor:
        return _InTurnCursor([stage.cursor() for stage in self._stages])


class _InTurnCursor(Cursor):
    def __init__(self, cursors: list[Cursor]) -> None:
        self._cursors = cursors
        self._open = list(range(len(cursors)))
        self._next = 0  # position in `_open`

    def __next__(self) -> Element:
        while self._open:
            self._next %= len(self._open)
            element = next(self._cursors[self._open[self._next]], None)
            if element is not None:
                self._next += 1
                return element
            del self._open[self._next]
        raise StopIteration

    def get_state(self) -> Any:
        return [cursor.get_state() for cursor in self._cursors], list(self._open), self._next

    def set_state(self, state: Any) -> None:
        states, self._open, self._next = state
        for cursor, inner in zip(self._cursors, states, strict=True):
            cursor.set_state(inner)
