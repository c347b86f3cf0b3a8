"""`tf.OptionalSpec`, and what of `tf.experimental` needs another runtime."""

from __future__ import annotations

from pathlib import Path

import pytest

import tapeflow as tf

Optional = tf.experimental.Optional
SCALAR = tf.TensorSpec([], tf.int32)


def test_specs_of_optionals() -> None:
    spec = tf.OptionalSpec(SCALAR)
    assert repr(spec) == "OptionalSpec(TensorSpec(shape=(), dtype=tf.int32, name=None),)"
    assert tf.OptionalSpec.from_value(Optional.from_value(1)) == spec
    assert tf.type_spec_from_value(Optional.from_value({"a": 1})) == tf.OptionalSpec({"a": SCALAR})
    assert Optional.from_value(Optional.from_value(1)).element_spec == spec
    long, any_length = (tf.OptionalSpec(tf.TensorSpec([n], tf.int32)) for n in (3, None))
    assert long.is_subtype_of(any_length) and not any_length.is_subtype_of(long)
    short = tf.OptionalSpec(tf.TensorSpec([2], tf.int32))
    assert long.most_specific_common_supertype([short]) == any_length


def test_optionals_of_a_signature() -> None:
    function = tf.function(lambda o: o.get_value() + 1, input_signature=[tf.OptionalSpec(SCALAR)])
    assert int(function(Optional.from_value(4))) == 5
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not have a value"):
        function(Optional.empty(SCALAR))


def test_optionals_of_branches_and_structures() -> None:
    chosen = tf.cond(
        tf.constant(False), lambda: Optional.from_value(1), lambda: Optional.empty(SCALAR)
    )
    assert not bool(chosen.has_value()) and not tf.is_tensor(chosen)
    value = Optional.from_value({"a": tf.ragged.constant([[1], [2, 3]]), "b": (1,)}).get_value()
    assert value["a"].to_list() == [[1], [2, 3]] and int(value["b"][0]) == 1


def test_what_compiled_plugins_would_do(tmp_path: Path) -> None:
    tf.experimental.enable_strict_mode()
    with pytest.raises(FileNotFoundError, match="does not exist"):
        tf.experimental.register_filesystem_plugin(str(tmp_path / "none.so"))
    (tmp_path / "some.so").write_bytes(b"")
    with pytest.raises(tf.errors.UnimplementedError, match="compiled runtime"):
        tf.experimental.register_filesystem_plugin(str(tmp_path / "some.so"))
    params = tf.experimental.tensorrt.ConversionParams(precision_mode="FP16")
    assert (params.precision_mode, params.max_workspace_size_bytes) == ("FP16", 1 << 30)
    with pytest.raises(RuntimeError, match="TensorRT support"):
        tf.experimental.tensorrt.Converter(conversion_params=params)
