"""Readers of checkpoints and records as fuzz targets, and samples for them.

Besides what `tests.fuzzing` asks of every reader, a restore that raises must have changed nothing,
and one that returns must have restored what was written, or left what it did not find.
"""

from __future__ import annotations

import os
import random
import struct
import tempfile
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

import tapeflow as tf
from tapeflow._src.api.io.records import read_records
from tapeflow._src.checkpoint.bundle import data_name, index_name, write_bundle
from tapeflow._src.checkpoint.object_graph import OBJECT_GRAPH_KEY
from tapeflow._src.checkpoint.sorted_table import (
    decode_varint,
    encode_varint,
    read_table,
    write_table,
)
from tapeflow._src.core import protos
from tapeflow._src.core.crc32c import masked_crc32c
from tests import fuzzing

MEMORY = 256 << 20
SECONDS = 5.0
_FOOTER = 48


class Files:
    """A checkpoint in memory-backed files, one of which is replaced by the input."""

    def __init__(self) -> None:
        shared = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.folder = Path(tempfile.mkdtemp(prefix="fuzz-", dir=shared))
        self.prefix = str(self.folder / "ckpt")
        self.written = _objects(1)
        tf.train.Checkpoint(**self.written).write(self.prefix)
        self.index = Path(index_name(self.prefix))
        self.data = Path(data_name(self.prefix))
        self.whole_index = self.index.read_bytes()
        self.whole_data = self.data.read_bytes()
        self.table = dict(read_table(self.whole_index, "index"))

    def restore_whole(self) -> None:
        self.index.write_bytes(self.whole_index)
        self.data.write_bytes(self.whole_data)

    # -- targets -----------------------------------------------------------------------------

    def read_index(self, data: bytes) -> None:
        """The index file as it is."""
        self.index.write_bytes(data)
        self.check()

    def read_block(self, data: bytes) -> None:
        """The only block of the index, with checksums and a footer that are right."""
        self.index.write_bytes(table_of_block(data))
        self.check()

    def read_entry(self, data: bytes) -> None:
        """The entry of one tensor, chosen by the first byte."""
        names = sorted(self.table)
        name = names[data[0] % len(names)] if data else b""
        self.index.write_bytes(write_table(sorted({**self.table, name: data[1:]}.items())))
        self.check()

    def read_data(self, data: bytes) -> None:
        """The data file."""
        self.data.write_bytes(data)
        self.check()

    def read_graph(self, data: bytes) -> None:
        """The object graph, in files whose checksums are right."""
        reader = tf.train.load_checkpoint(self.sound)
        names = [n for n in reader.get_variable_to_shape_map() if n != OBJECT_GRAPH_KEY]
        tensors = [(name, np.asarray(reader.get_tensor(name))) for name in names]
        graph = np.empty((), object)
        graph[()] = data
        write_bundle(self.prefix, [*tensors, (OBJECT_GRAPH_KEY, graph)])
        self.check(values_may_move=True)

    def read_state(self, data: bytes) -> None:
        """The file `checkpoint`."""
        (self.folder / "checkpoint").write_bytes(data)
        try:
            tf.train.latest_checkpoint(str(self.folder))
            manager = tf.train.CheckpointManager(tf.train.Checkpoint(), str(self.folder), 2)
            list(manager.checkpoints)
        except ValueError as error:
            if "checkpoint state" not in str(error):
                raise

    def check(self, values_may_move: bool = False) -> None:
        """Restore, and read all tensors by name."""
        objects = _objects(0)
        before, after = _values(_objects(0)), _values(self.written)
        refused: BaseException | None = None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tf.train.Checkpoint(**objects).read(self.prefix).expect_partial()
        except BaseException as error:
            if _values(objects) != before:
                raise AssertionError("a failed restore has changed an object") from error
            if not _is_expected(error):
                raise
            refused = error if isinstance(error, tf.errors.OpError) else None
        else:
            for name, value in _values(objects).items():
                if value not in (before[name], after[name]) and not values_may_move:
                    raise AssertionError(f"{name} was restored as {value}")
        reader = tf.train.load_checkpoint(self.prefix)
        reader.get_variable_to_dtype_map()
        reader.debug_string()
        for name in reader.get_variable_to_shape_map():
            reader.get_tensor(name)
        if refused is not None:
            raise refused

    # -- samples -----------------------------------------------------------------------------

    @property
    def sound(self) -> str:
        """The prefix of a checkpoint that no input replaces."""
        prefix = str(self.folder / "sound")
        if not os.path.exists(index_name(prefix)):
            tf.train.Checkpoint(**self.written).write(prefix)
        return prefix

    def block(self) -> bytes:
        """The block of the index that has all entries."""
        at = len(self.whole_index) - _FOOTER
        for _ in range(2):
            _, at = decode_varint(self.whole_index, at)
        start, at = decode_varint(self.whole_index, at)
        size, _ = decode_varint(self.whole_index, at)
        # The block of handles has one, of the first block.
        _, at = decode_varint(self.whole_index, start)
        fresh, at = decode_varint(self.whole_index, at)
        _, at = decode_varint(self.whole_index, at)
        _, at = decode_varint(self.whole_index, at + fresh)
        size, _ = decode_varint(self.whole_index, at)
        return self.whole_index[:size]

    def entries(self) -> list[bytes]:
        names = sorted(self.table)
        return [bytes([number]) + self.table[name] for number, name in enumerate(names)]

    def graph(self) -> bytes:
        return bytes(tf.train.load_checkpoint(self.sound).get_tensor(OBJECT_GRAPH_KEY))

    def state(self) -> bytes:
        manager = tf.train.CheckpointManager(tf.train.Checkpoint(), str(self.folder / "m"), 3)
        for _ in range(3):
            manager.save()
        return (self.folder / "m" / "checkpoint").read_bytes()


def _objects(value: int) -> dict[str, tf.Variable | list[tf.Variable]]:
    return {
        "v": tf.Variable([float(value)] * 3),
        "i": tf.Variable([value] * 5, dtype=tf.int64),
        "s": tf.Variable([f"text {value}"] * 2),
        "list": [tf.Variable(float(value)), tf.Variable([[value, value]])],
        "b": tf.Variable(tf.fill([4], tf.cast(value, tf.bfloat16))),
    }


def _values(objects: dict[str, tf.Variable | list[tf.Variable]]) -> dict[str, object]:
    flat: dict[str, object] = {}
    for name, value in objects.items():
        for number, variable in enumerate(value if isinstance(value, list) else [value]):
            flat[f"{name}.{number}"] = variable.numpy().tolist()
    return flat


def _is_expected(error: BaseException) -> bool:
    if isinstance(error, tf.errors.OpError):
        return True
    # As in TensorFlow: shapes that do not fit, and checkpoints of TensorFlow 1.
    return type(error) is ValueError and str(error).startswith("Cannot restore the variable")


def table_of_block(block: bytes) -> bytes:
    """A table of one block, all checksums right."""

    def framed(data: bytes) -> bytes:
        return data + b"\0" + struct.pack("<I", masked_crc32c(data + b"\0"))

    restarts = struct.pack("<II", 0, 1)
    first = framed(block)
    meta = framed(restarts)
    handle = encode_varint(0) + encode_varint(len(block))
    key = b"\xff"
    entry = b"".join(map(encode_varint, (0, len(key), len(handle)))) + key + handle
    index = framed(entry + restarts)
    handles = (len(first), 8, len(first) + len(meta), len(entry) + 8)
    footer = b"".join(map(encode_varint, handles)).ljust(_FOOTER - 8, b"\0")
    return first + meta + index + footer + struct.pack("<Q", 0xDB4775248B80FB57)


def overwrite_field(rng: random.Random, data: bytes, samples: Sequence[bytes]) -> bytes:
    """Set a field of a tensor's entry to a number that is too large, negative or off by one."""
    message = protos.BundleEntryProto()
    try:
        message.ParseFromString(data[1:])
    except Exception:
        return data
    name = rng.choice(("dtype", "shard_id", "offset", "size", "crc32c", "dim"))
    small = rng.choice((-1, 0, 1, 2, 5, 7, 14, 23, 99, 2**31 - 1))
    large = rng.choice((small, small, 2**40, 2**62, 2**63 - 1, -(2**63)))
    if name == "dim":
        message.shape.dim.add(size=large)
    elif name in ("dtype", "shard_id"):
        setattr(message, name, small)
    else:
        setattr(message, name, large % 2**32 if name == "crc32c" else large)
    return data[:1] + message.SerializeToString()


# -- records -----------------------------------------------------------------------------------


def record_file(compression: str) -> Callable[[bytes], None]:
    """A target that reads a file of records."""
    shared = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    path = Path(tempfile.mkdtemp(prefix="fuzz-", dir=shared)) / "records"

    def target(data: bytes) -> None:
        path.write_bytes(data)
        for record in read_records(str(path), compression):
            if len(record) > len(data) * 1100 + 64:
                raise AssertionError(f"{len(data)} bytes became a record of {len(record)}")
        for record in tf.data.TFRecordDataset(str(path), compression):
            record.numpy()

    return target


def records(compression: str) -> list[bytes]:
    """Files of a few records."""
    plain = b"".join(map(fuzzing.as_record, (b"first", b"", b"x" * 300, bytes(range(256)))))
    wrap = {"": bytes, "ZLIB": fuzzing.as_zlib, "GZIP": fuzzing.as_gzip}[compression]
    return [wrap(plain), wrap(fuzzing.as_record(b"only")), b""]
