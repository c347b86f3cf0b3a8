"""Names that programs refer to: they exist, and say why they cannot be used."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import tapeflow as tf


def test_build_info_says_there_is_no_gpu_library() -> None:
    assert tf.sysconfig.get_build_info()["is_cuda_build"] is False
    assert tf.sysconfig.CXX11_ABI_FLAG == 1 and tf.__git_version__ == tf.version.GIT_VERSION
    with pytest.raises(NotImplementedError, match="headers"):
        tf.sysconfig.get_include()


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda: tf.load_op_library("ops.so"), "tf.numpy_function"),
        (lambda: tf.load_library("folder"), "tf.load_library"),
        (lambda: tf.lite.TFLiteConverter.from_keras_model(None), "tapeflow convert"),
        (lambda: tf.lite.Interpreter("model.tflite"), "tf.lite.Interpreter"),
        (lambda: tf.lite.TargetSpec(), "tf.lite.TargetSpec"),
        (lambda: tf.tpu.experimental.Topology(), "TPUStrategy"),
        (lambda: tf.config.experimental_connect_to_cluster(None), "MultiWorker"),
        (lambda: tf.config.experimental_connect_to_host("localhost"), "MultiWorker"),
        (
            lambda: tf.data.experimental.distributed_save(
                tf.data.Dataset.range(2), "folder", "localhost:1"
            ),
            "dataset.shard",
        ),
        (
            lambda: tf.data.experimental.get_model_proto(iter(tf.data.Dataset.range(2))),
            "tf.profiler.experimental",
        ),
    ],
)
def test_use_is_refused_with_what_to_do_instead(function: Any, words: str) -> None:
    with pytest.raises(NotImplementedError, match=words):
        function()


def test_classes_serve_isinstance_and_subclasses() -> None:
    class Mine(tf.lite.TFLiteConverter):
        pass

    assert not isinstance(1, tf.lite.Interpreter)
    assert not isinstance(1, tf.types.experimental.distributed.PerReplica)
    assert issubclass(Mine, tf.lite.TFLiteConverter)
    assert tf.tpu.XLAOptions().use_spmd_for_xla_partitioning
    with pytest.raises(tf.errors.NotFoundError, match="TPUs not found"):
        tf.tpu.experimental.initialize_tpu_system()


def test_critical_sections_exclude_threads() -> None:
    section = tf.CriticalSection(name="mine", shared_name="one")
    other = tf.CriticalSection(shared_name="one")
    value = tf.Variable(0)

    def add() -> Any:
        read = value.read_value()
        return value.assign(read + 1)

    threads = [
        threading.Thread(target=lambda s=s: [s.execute(add) for _ in range(50)])
        for s in (section, other)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert value.numpy() == 100 and section.name == "mine"
    assert tf.function(lambda: section.execute(add))().numpy() == 101
    with pytest.raises(TypeError, match="callable"):
        section.execute(3)
