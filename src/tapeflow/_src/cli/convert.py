"""`tapeflow convert SOURCE TARGET`: writes a model or its weights in another format."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.checkpoint.bundle import BundleReader, write_bundle
from tapeflow._src.checkpoint.files import write_file
from tapeflow._src.checkpoint.readers import checkpoint_path
from tapeflow._src.checkpoint.safetensors import SafetensorsReader, write_safetensors
from tapeflow._src.cli import file_kinds
from tapeflow._src.function.compiler_ir import exported
from tapeflow._src.saved_model.save import VARIABLES

NAME = "convert"
HELP = (
    "Convert a model or its weights. The ending of TARGET selects the format: .keras, .h5, "
    ".weights.h5, .safetensors, .stablehlo, .ckpt (a checkpoint), or none (a SavedModel folder)."
)
Tensors = Iterator[tuple[str, np.ndarray]]
# What checkpoints hold besides tensors of the user: the graph of objects.
_INTERNAL = "_CHECKPOINTABLE_OBJECT_GRAPH"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the subcommand."""
    parser.add_argument("source", help="a SavedModel, checkpoint, .keras, .h5 or .safetensors file")
    parser.add_argument("target", help="the file or folder to write")
    signature = "the signature of a SavedModel (.stablehlo)"
    parser.add_argument("--signature", default="serving_default", help=signature)
    parser.add_argument("--unsafe", action="store_true", help="load lambdas of Keras files, too")
    parser.add_argument(
        "--shape",
        action="append",
        default=[],
        metavar="NAME=1,224,224,3",
        help="the static shape of an input whose size is not known (.stablehlo)",
    )


def run(options: argparse.Namespace) -> int:
    """Write `options.target` from `options.source`."""
    for path in (options.target, f"{options.target}.index"):
        if os.path.exists(path):
            raise ValueError(f"{path} exists; name another target, or remove it.")
    source = Source(options.source, options.signature, not options.unsafe)
    _writer(options.target)(source, options.target, options)
    print(f"wrote {options.target}")
    return 0


@dataclass
class Source:
    """The input of a conversion: a Keras model, a SavedModel, or tensors by name."""

    path: str
    signature: str
    safe_mode: bool

    def __post_init__(self) -> None:
        self.kind = file_kinds.file_kind(self.path)

    def model(self) -> Any:
        """Return the Keras model.

        Raises:
            ValueError: if the source holds none.
        """
        models = (file_kinds.KERAS, file_kinds.KERAS_FOLDER, file_kinds.HDF5)
        if self.kind in models or self._is_keras_folder():
            return tf.keras.models.load_model(self.path, compile=True, safe_mode=self.safe_mode)
        raise ValueError(
            f"{self.path} is a {self.kind} and holds no Keras model, so it can be converted to "
            f".safetensors, a checkpoint or (a SavedModel) .stablehlo only."
        )

    def _is_keras_folder(self) -> bool:
        metadata = os.path.join(self.path, "keras_metadata.pb")
        return self.kind == file_kinds.SAVED_MODEL and os.path.isfile(metadata)

    def tensors(self) -> Tensors:
        """Yield the tensors of the source with their names."""
        if self.kind == file_kinds.SAFETENSORS:
            yield from SafetensorsReader(self.path).tensors()
        elif self.kind == file_kinds.CHECKPOINT:
            yield from _of_checkpoint(checkpoint_path(self.path.removesuffix(".index")))
        elif self.kind == file_kinds.SAVED_MODEL:
            yield from _of_checkpoint(os.path.join(self.path, VARIABLES))
        else:
            for variable in self.model().variables:
                yield variable.path, variable.numpy()

    def function(self) -> tuple[Any, list[Any]]:
        """Return a function of tensors, and the specs of its arguments."""
        if self.kind == file_kinds.SAVED_MODEL:
            options = tf.saved_model.LoadOptions(safe_mode=self.safe_mode)
            loaded = tf.saved_model.load(self.path, options=options)
            return _signature_function(loaded, self.signature, self.path)
        model = self.model()
        specs = [tf.TensorSpec(each.shape, each.dtype, each.name) for each in model.inputs]
        return lambda *x: model(x[0] if len(x) == 1 else list(x), training=False), specs


def _of_checkpoint(prefix: str) -> Tensors:
    reader = BundleReader(prefix)
    for name in reader.entries:
        if name and name != _INTERNAL and reader.dtype(name) is not tf.string:
            yield name, reader.read(name)


def _signature_function(loaded: Any, name: str, path: str) -> tuple[Any, list[Any]]:
    if name not in loaded.signatures:
        raise ValueError(
            f"{path} has no signature {name!r}; it has {sorted(loaded.signatures)} (--signature)."
        )
    signature = loaded.signatures[name]
    specs = list(signature.structured_input_signature[1].values())
    return lambda *x: signature(**{s.name: each for s, each in zip(specs, x, strict=True)}), specs


# -- writers -------------------------------------------------------------------------------------


def _writer(target: str) -> Callable[[Source, str, argparse.Namespace], None]:
    for ending, write in _WRITERS.items():
        if target.endswith(ending):
            return write
    if os.path.splitext(target)[1]:
        raise ValueError(
            f"The ending of {target} is none of {', '.join(_WRITERS)}; without an ending, a "
            f"SavedModel folder is written."
        )
    return _write_saved_model


def _write_model(source: Source, target: str, options: argparse.Namespace) -> None:
    source.model().save(target)


def _write_weights(source: Source, target: str, options: argparse.Namespace) -> None:
    source.model().save_weights(target)


def _write_saved_model(source: Source, target: str, options: argparse.Namespace) -> None:
    source.model().save(target)


def _write_safetensors(source: Source, target: str, options: argparse.Namespace) -> None:
    write_safetensors(target, source.tensors(), {"format": "tapeflow"})


def _write_checkpoint(source: Source, target: str, options: argparse.Namespace) -> None:
    if source.kind in (file_kinds.SAFETENSORS, file_kinds.CHECKPOINT, file_kinds.SAVED_MODEL):
        write_bundle(target, source.tensors())
    else:
        tf.train.Checkpoint(source.model()).write(target)


def _write_stablehlo(source: Source, target: str, options: argparse.Namespace) -> None:
    function, specs = source.function()
    shapes = dict(_shape_argument(each) for each in options.shape)
    static = [_static_spec(spec, shapes) for spec in specs]
    concrete = tf.function(function).get_concrete_function(*static)
    write_file(target, exported(concrete))


def _shape_argument(text: str) -> tuple[str, list[int]]:
    name, _, sizes = text.partition("=")
    try:
        return name, [int(size) for size in sizes.split(",") if size]
    except ValueError:
        raise ValueError(f"--shape {text}: expected NAME=1,224,224,3.") from None


def _static_spec(spec: Any, shapes: dict[str, list[int]]) -> Any:
    shape = tf.TensorShape(shapes.get(spec.name, spec.shape))
    if not shape.is_fully_defined():
        raise ValueError(
            f"The input {spec.name!r} has the shape {spec.shape}; StableHLO needs static sizes: "
            f"pass --shape {spec.name}=..."
        )
    if not shape.is_compatible_with(spec.shape):
        raise ValueError(f"--shape {spec.name}: {shape} does not fit its shape {spec.shape}.")
    return tf.TensorSpec(shape, spec.dtype, spec.name)


def _refuse_onnx(source: Source, target: str, options: argparse.Namespace) -> None:
    raise NotImplementedError(
        "ONNX files are not written by this command: tf2onnx calls TensorFlow's graph optimizer "
        "and its table of API definitions, which Tapeflow does not have. Write a SavedModel "
        "folder, which tf2onnx reads where TensorFlow is installed, or .stablehlo."
    )


_WRITERS: dict[str, Callable[[Source, str, argparse.Namespace], None]] = {
    ".weights.h5": _write_weights,
    ".keras": _write_model,
    ".h5": _write_model,
    ".safetensors": _write_safetensors,
    ".stablehlo": _write_stablehlo,
    ".ckpt": _write_checkpoint,
    ".onnx": _refuse_onnx,
}
