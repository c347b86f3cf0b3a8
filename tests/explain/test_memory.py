"""`tf.explain.memory` lists what is alive, by size."""

from __future__ import annotations

import tracemalloc

import tapeflow as tf


def test_variables_and_tensors_are_listed_once() -> None:
    weights = tf.Variable(tf.fill([300, 100], 0.5), name="weights_of_memory")
    tensor = tf.fill([1000, 333], 0.25)
    view = tf.reshape(tensor, [333, 1000])
    explained = tf.explain.memory()
    (variable,) = [e for e in explained.of("variable") if e.name == "weights_of_memory"]
    assert (variable.bytes, variable.description) == (120000, "float32[300, 100]")
    same = [e for e in explained.of("tensor") if e.bytes == 1000 * 333 * 4]
    assert len(same) == 1
    assert view.shape == (333, 1000)
    sizes = [entry.bytes for entry in explained.entries]
    assert sizes == sorted(sizes, reverse=True)
    assert explained.total == sum(sizes)
    del weights


def test_what_died_is_not_listed() -> None:
    before = {e.bytes for e in tf.explain.memory().of("tensor")}
    tensor = tf.fill([1013, 331], 0.25)
    size = 1013 * 331 * 4
    assert size not in before
    assert size in {e.bytes for e in tf.explain.memory().of("tensor")}
    del tensor
    assert size not in {e.bytes for e in tf.explain.memory().of("tensor")}


def test_executables() -> None:
    doubled = tf.function(lambda x: x * 2.0, jit_compile=True)
    doubled(tf.ones([1000]))
    assert any(entry.bytes == 4000 for entry in tf.explain.memory().of("executable"))


def test_lines_while_tracemalloc_traces() -> None:
    tracemalloc.start(25)
    try:
        tensor = tf.fill([1019, 337], 0.5)
        (entry,) = [e for e in tf.explain.memory().of("tensor") if e.bytes == 1019 * 337 * 4]
    finally:
        tracemalloc.stop()
    assert entry.location is not None
    assert entry.location.file == __file__
    assert tensor.shape == (1019, 337)


def test_text_is_limited() -> None:
    tensors = [tf.fill([10], float(i)) for i in range(5)]
    explained = tf.explain.memory(limit=2)
    assert "smaller ones" in str(explained)
    assert len(str(explained).splitlines()) == 4
    assert "<pre>" in explained._repr_html_()
    assert len(tensors) == 5
