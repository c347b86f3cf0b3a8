"""Mutated files of the kinds that `tapeflow inspect` describes: nothing but our own errors."""

from __future__ import annotations

import json
import struct
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import h5py
import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.checkpoint.safetensors import SafetensorsReader, write_safetensors
from tapeflow._src.cli.inspect import describe
from tapeflow._src.core import protos
from tapeflow._src.core.lazy import load_all
from tests.fuzzing import as_gzip, as_record, check, run
from tests.fuzzing_protos import message_mutation, watched
from tests.saved_model.test_saved_model import module

# The kinds of errors that `describe` declares, besides those of `tf.errors`.
ALLOWED = (OSError, ValueError)
MEMORY = 1 << 28
SIZES = [pytest.param(60, id="sample"), pytest.param(5000, id="large", marks=pytest.mark.slow)]


def describing(path: Path, writes: bool = False) -> Callable[[bytes], None]:
    """A target; `writes` if weights are copied out of the file into a temporary one."""

    def target(data: bytes) -> None:
        path.write_bytes(data)
        with nullcontext() if writes else watched(str(path)):
            described = describe(str(path))
            described.to_text()
            json.dumps(described.to_json())

    return target


def safetensors(folder: Path) -> bytes:
    path = folder / "a.safetensors"
    arrays = {"w": np.ones([2, 3], "f"), "b": np.zeros([0], "i8"), "s": np.array(True)}
    write_safetensors(path, arrays.items(), {"format": "pt"})
    return path.read_bytes()


@pytest.mark.parametrize("count", SIZES)
def test_safetensors(count: int, tmp_path: Path) -> None:
    path = tmp_path / "b.safetensors"
    describes = describing(path)

    def target(data: bytes) -> None:
        describes(data)
        dict(SafetensorsReader(path).tensors())

    def with_length(data: bytes) -> bytes:
        return struct.pack("<Q", min(len(data), max(0, len(data) - 40))) + data[8:]

    check(target, [safetensors(tmp_path)], count, seed=21, allowed=ALLOWED, memory=MEMORY,
          wrap=with_length)  # fmt: skip


def header(entry: object) -> bytes:
    text = json.dumps(entry).encode()
    return struct.pack("<Q", len(text)) + text


@pytest.mark.parametrize(
    "entry",
    [
        [],
        {"__metadata__": 3},
        {"__metadata__": [[1, 2]]},
        {"w": None},
        {"w": {"dtype": "F32", "shape": [2**40, 2**40], "data_offsets": [0, 2**82]}},
        {"w": {"dtype": "F32", "shape": [0, 2**70], "data_offsets": [0, 0]}},
        {"w": {"dtype": "F32", "shape": [0] * 1000, "data_offsets": [0, 0]}},
        {"w": {"dtype": "F32", "shape": [10**4000] * 500 + [0], "data_offsets": [0, 0]}},
        {"w": {"dtype": "F32", "shape": [True], "data_offsets": [0, 4]}},
        {"w": {"dtype": [], "shape": [], "data_offsets": [0, 4]}},
        {"w": {"dtype": "F32", "shape": 3, "data_offsets": {}}},
    ],
    ids=range(11),
)
def test_headers_of_safetensors_that_cannot_be(entry: object, tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"

    def target(data: bytes) -> None:
        path.write_bytes(data)
        with pytest.raises(tf.errors.DataLossError, match=r"a\.safetensors"):
            dict(SafetensorsReader(path).tensors())

    report = run(target, [header(entry)], allowed=(), seconds=10.0, memory=MEMORY)
    assert not report.findings, str(report)


@pytest.mark.parametrize("count", SIZES)
@pytest.mark.parametrize("compressed", [False, True])
def test_records(compressed: bool, count: int, tmp_path: Path) -> None:
    feature = tf.train.Feature(float_list=tf.train.FloatList(value=[1.0, 2.0]))
    example = tf.train.Example(features=tf.train.Features(feature={"x": feature}))
    sample = as_record(example.SerializeToString()) * 2
    wrap = (lambda data: as_gzip(as_record(data))) if compressed else as_record
    check(describing(tmp_path / "a.tfrecord"), [as_gzip(sample) if compressed else sample],
          count, seed=22, allowed=ALLOWED, memory=MEMORY, wrap=wrap)  # fmt: skip


def event(**fields: object) -> bytes:
    return protos.Event(**fields).SerializeToString()


@pytest.mark.parametrize("count", SIZES)
def test_events(count: int, tmp_path: Path) -> None:
    value = protos.Summary.Value(tag="loss", simple_value=0.5)
    samples = [event(wall_time=1.7e9, step=3, summary=protos.Summary(value=[value]))]
    records = [as_record(sample) for sample in samples]
    check(describing(tmp_path / "a.tfevents.1"), records, count // 2, seed=23, allowed=ALLOWED,
          memory=MEMORY)  # fmt: skip
    messages = describing(tmp_path / "b.tfevents.1")
    check(lambda data: messages(as_record(data)), samples, count // 2, seed=24, allowed=ALLOWED,
          memory=MEMORY, extra=[message_mutation(protos.Event)])  # fmt: skip


@pytest.mark.parametrize("wall_time", [float("nan"), float("inf"), -1e300, 1e18])
def test_events_at_no_time_of_any_calendar(wall_time: float, tmp_path: Path) -> None:
    path = tmp_path / "a.tfevents.1"
    path.write_bytes(as_record(event(wall_time=wall_time)))
    described = describe(str(path))
    assert described.facts["from"] == f"{wall_time} s" and described.facts["events"] == 1


def test_a_record_that_is_no_event_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "a.tfevents.1"
    path.write_bytes(as_record(event(wall_time=1.0)) + as_record(b"\xff\xff\xff"))
    described = describe(str(path))
    assert described.facts["from"] == time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(1.0))
    assert "damaged after event 1" in described.warnings[0]


@pytest.mark.parametrize("count", SIZES)
@pytest.mark.parametrize("name", ["a.keras", "a.h5", "a.weights.h5"])
def test_keras_files(name: str, count: int, tmp_path: Path) -> None:
    load_all("tapeflow.keras")
    layers = [tf.keras.Input((3,)), tf.keras.layers.Dense(2, name="head")]
    model = tf.keras.Sequential(layers, name="small")
    path = str(tmp_path / name)
    (model.save_weights if "weights" in name else model.save)(path)
    sample = Path(path).read_bytes()
    check(describing(Path(path), writes=True), [sample], count // 2, seed=25, allowed=ALLOWED,
          memory=MEMORY)  # fmt: skip


def test_groups_in_circles_and_very_deep_ones_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "circle.h5"
    with h5py.File(path, "w") as file:
        group = file.create_group("a")
        group["again"] = group
    with pytest.raises(ValueError, match=r"circle\.h5.*another place"):
        describe(str(path))
    deep = tmp_path / "deep.h5"
    with h5py.File(deep, "w") as file:
        group = file
        for _ in range(300):
            group = group.create_group("a")
    with pytest.raises(ValueError, match=r"deep\.h5.*deep"):
        describe(str(deep))


@pytest.mark.parametrize("count", SIZES)
def test_saved_models(count: int, tmp_path: Path) -> None:
    made = module(v=tf.Variable([1.0, 2.0]))
    made.f = tf.function(lambda x: x * made.v, input_signature=[tf.TensorSpec([None, 2])])
    tf.saved_model.save(made, tmp_path, signatures=made.f)
    path = tmp_path / "saved_model.pb"
    check(describing(path), [path.read_bytes()], count, seed=26, allowed=ALLOWED, memory=MEMORY,
          extra=[message_mutation(protos.SavedModel)])  # fmt: skip
