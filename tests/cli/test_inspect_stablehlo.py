"""`tapeflow inspect` of StableHLO files: what `jax.export` and `tapeflow convert` wrote."""

from __future__ import annotations

import json
from pathlib import Path

import jax
import jax.export
import jax.numpy as jnp
import pytest

import tapeflow as tf
from tapeflow._src.cli.inspect import describe
from tapeflow._src.cli.main import main
from tests.fuzzing import check


def artefact() -> bytes:
    def function(x: jax.Array, weights: dict[str, jax.Array], *, scale: jax.Array) -> dict:
        return {"y": x @ weights["w"] * scale, "n": (x.sum(),)}

    batch = jax.ShapeDtypeStruct(jax.export.symbolic_shape("b,3"), "float32")
    exported = jax.export.export(jax.jit(function), platforms=["cpu", "cuda"])
    weights = {"w": jnp.ones((3, 2), "float32")}
    return bytes(exported(batch, weights, scale=jnp.ones((), "float32")).serialize())


def test_signature_platforms_and_sizes(tmp_path: Path) -> None:
    path = tmp_path / "f.stablehlo"
    path.write_bytes(artefact())
    description = describe(str(path)).to_json()
    assert description["function"] == "function"
    assert (description["platforms"], description["devices"]) == (["cpu", "cuda"], 1)
    assert 0 < description["code"] < description["file"] == path.stat().st_size
    assert description["gradient"] is False
    columns = ("", "tensor", "dtype", "shape")
    assert [tuple(row[c] for c in columns) for row in description["signature"]] == [
        ("input", "args[0]", "float32", ["b", 3]),
        ("input", "args[1]['w']", "float32", [3, 2]),
        ("input", "kwargs['scale']", "float32", []),
        ("output", "result['n'][0]", "float32", []),
        ("output", "result['y']", "float32", ["b", 2]),
    ]


def test_what_convert_wrote(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    module = tf.Module()
    module.v = tf.Variable(tf.ones([2, 3]))
    spec = tf.TensorSpec([4, 2], tf.float32, "x")
    module.f = tf.function(lambda x: x @ module.v, input_signature=[spec])
    tf.saved_model.save(module, str(tmp_path / "m"), signatures=module.f)
    target = str(tmp_path / "m.stablehlo")
    assert main(["convert", str(tmp_path / "m"), target]) == 0
    capsys.readouterr()
    assert main(["inspect", target]) == 0
    text = capsys.readouterr().out
    assert "StableHLO file" in text and "[cpu]" in text
    assert main(["inspect", "--json", target]) == 0
    signature = json.loads(capsys.readouterr().out)["signature"]
    assert [(row[""], row["shape"]) for row in signature] == [("input", [4, 2]), ("output", [4, 3])]


def test_other_files_of_that_name_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "text.stablehlo"
    path.write_text("module @f {}")
    assert main(["inspect", str(path)]) == 1
    assert "no artefact of jax.export" in capsys.readouterr().err
    assert main(["convert", str(path), str(tmp_path / "m.keras")]) == 1
    assert "StableHLO file and holds no Keras model" in capsys.readouterr().err


def test_damaged_files(tmp_path: Path) -> None:
    path = tmp_path / "f.stablehlo"
    sample = artefact()
    path.write_bytes(sample)
    describe(str(path))  # JAX is imported before the children are forked

    def target(data: bytes) -> None:
        path.write_bytes(data)
        described = describe(str(path))
        described.to_text()
        json.dumps(described.to_json())

    check(target, [sample], count=60, seed=3, allowed=(OSError, ValueError))
