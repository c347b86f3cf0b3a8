"""What XLA is asked for depends on the machine and on the program."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.executors import xla_options

WHOLE_LOOPS = {"xla_cpu_multi_thread_eigen": False}


@pytest.mark.parametrize(("cores", "asked"), [(1, True), (2, True), (3, False), (64, False)])
def test_loops_are_split_where_there_are_cores(
    cores: int, asked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(xla_options, "cores", lambda: cores)
    assert xla_options.options("a program") == (WHOLE_LOOPS if asked else {})


def test_beside_onednn_there_is_no_other_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xla_options, "cores", lambda: 2)
    asked = xla_options.options("stablehlo.custom_call @tapeflow_onednn(%0)")
    assert asked == {**WHOLE_LOOPS, "xla_cpu_experimental_ynn_fusion_type": ""}


@pytest.mark.parametrize("cores", [2, 64])
def test_programs_compute_the_same(cores: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xla_options, "cores", lambda: cores)
    images = np.random.default_rng(0).normal(size=(2, 8, 8, 4)).astype(np.float32)
    filters = tf.ones([3, 3, 4, 4])

    def mean(x: Any) -> Any:
        return tf.reduce_mean(tf.nn.relu(tf.nn.conv2d(x, filters, 1, "SAME")), [1, 2])

    compiled = tf.function(mean, jit_compile=True)(images)
    np.testing.assert_allclose(compiled, mean(images), rtol=1e-5)


def test_there_is_a_core() -> None:
    assert xla_options.cores() >= 1
