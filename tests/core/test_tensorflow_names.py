"""Missing names say what TensorFlow has and where it moved."""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import pickle
import pkgutil
import re
import sys

import pytest

import tapeflow as tf
from tapeflow._src.core.lazy import loaded
from tapeflow._src.core.removed_names import CONTRIB, REMOVED
from tapeflow._src.core.tensorflow_names import MissingNameError, hint, recorded
from tests.public_api import NAMESPACES

# Modules that are run or loaded by tools.
_TOOLS = {"tapeflow.__main__", "tapeflow.pytest_plugin", "tapeflow.run"}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("log", "tf.math.log"),
        ("Session", "tf.compat.v1.Session"),
        ("contrib", "ended with TensorFlow 1"),
        ("reduce_meen", "Did you mean tf.reduce_mean"),
    ],
)
def test_missing_root_names(name: str, words: str) -> None:
    with pytest.raises(AttributeError, match=words) as caught:
        getattr(tf, name)
    assert caught.value.name == name
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_names_that_tensorflow_has_and_we_do_not() -> None:
    assert "does not have it yet" in hint("tpu.XLAOptions")


def test_names_nobody_has() -> None:
    assert hint("qqqqqq") == ""


def test_moved_names_exist_here() -> None:
    missing = []
    for new in recorded().moved.values():
        value = tf
        for part in new.split("."):
            value = getattr(value, part, None)
        if value is None:
            missing.append(new)
    assert len(missing) <= 12, missing


def test_hasattr_reads_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tapeflow._src.core.tensorflow_names.recorded", None)
    assert not hasattr(tf, "no_such_name")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nn.rnn_cell", "tf.keras.layers"),
        ("image.resize_images", "tf.image.resize"),
        ("summary.FileWriter", "tf.summary.create_file_writer"),
        ("keras.layers.CuDNNLSTM", "tf.keras.layers.LSTM"),
        ("keras.losses.MSEe", "tf.keras.losses.MSE"),
        ("keras.losses.qqqq", "TensorFlow 2.21 does not have it either"),
        ("keras.losses.softmax_cross_entropy", "tf.compat.v1.losses.softmax_cross_entropy"),
        ("keras.metrics.Acuracy", "tf.keras.metrics.Accuracy"),
        ("keras.callbacks.EarlyStoping", "tf.keras.callbacks.EarlyStopping"),
        ("random.uniformm", "tf.random.uniform"),
        ("layers", "tf.keras.layers"),
        ("to_float", r"tf.cast\(x, tf.float32\)"),
        ("softmax_cross_entropy_with_logits", "tf.nn.softmax_cross_entropy_with_logits"),
    ],
)
def test_missing_names_of_namespaces(name: str, words: str) -> None:
    value = tf
    *path, last = name.split(".")
    for part in path:
        value = getattr(value, part)
    with pytest.raises(AttributeError, match=words):
        getattr(value, last)


def test_replacements_exist_here() -> None:
    for instead in [*REMOVED.values(), *CONTRIB.values()]:
        for name in re.findall(r"\btf\.([\w.]*\w)", instead):
            value: object = tf
            for part in name.split("."):
                value = getattr(value, part)


def test_parts_of_contrib() -> None:
    assert "tf_slim" in hint("contrib.slim.conv2d")
    assert "tf.data" in hint("contrib.data.Dataset")


def test_attributes_of_other_libraries() -> None:
    with pytest.raises(AttributeError, match=r"Use tf.stop_gradient\(x\)"):
        tf.constant(1.0).detach()
    with pytest.raises(AttributeError, match=r"Use dataset.element_spec"):
        _ = tf.data.Dataset.range(3).output_shapes


def _is_public(module: str) -> bool:
    return not module.startswith("tapeflow._src") and module not in _TOOLS


def test_every_public_module_explains_missing_names() -> None:
    modules = [
        info.name
        for info in pkgutil.walk_packages(tf.__path__, "tapeflow.", onerror=lambda name: None)
        if _is_public(info.name)
    ]
    assert len(modules) > 200
    for name in modules:
        with pytest.raises(MissingNameError, match="does not have it either"):
            _ = importlib.import_module(name).qqqqzz


@pytest.mark.parametrize("path", sorted(NAMESPACES))
def test_every_namespace_explains_missing_names(path: str) -> None:
    *parts, last = [*path.split(".")[1:], "qqqqzz"]
    value: object = tf
    for part in parts:
        if not hasattr(value, part):
            last = part
            break
        value = getattr(value, part)
    with pytest.raises(MissingNameError, match=r"TensorFlow 2\.21"):
        getattr(value, last)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("from tapeflow import log", "Use tf.math.log"),
        ("from tapeflow.keras.layers import CuDNNLSTM", "tf.keras.layers.LSTM"),
        ("from tapeflow.keras.layers import Dence", "Did you mean tf.keras.layers.Dense"),
        ("from tapeflow.signal import stfft", "Did you mean tf.signal.stft"),
        ("from tapeflow.raw_ops import MatMull", "Did you mean tf.raw_ops.MatMul"),
    ],
)
def test_missing_imports_say_the_same(statement: str, words: str) -> None:
    with pytest.raises(ImportError, match="cannot import name") as caught:
        exec(statement)
    assert words in str(caught.value)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_a_module_that_is_being_imported_is_not_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = importlib.machinery.ModuleSpec("tapeflow_partial", None)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "tapeflow_partial", module)
    assert loaded("tapeflow_partial") is module
    spec._initializing = True  # type: ignore[attr-defined]
    assert loaded("tapeflow_partial") is None
