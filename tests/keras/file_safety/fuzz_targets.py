"""What is fuzzed of Keras' files: archives, configs and files of weights.

python -m tests.keras.file_safety.fuzz_targets 10000 [seed]     # so many inputs for each target
"""

from __future__ import annotations

import contextlib
import copy
import io
import json
import os
import random
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.core import protos
from tapeflow._src.core.lazy import load_all
from tapeflow._src.keras.saving import limits
from tests import fuzzing
from tests.fuzzing_protos import message_mutation, watched
from tests.keras.file_safety.samples import GOLDEN, same_state, state_of

keras = tf.keras
ALLOWED = (ValueError, TypeError, NotImplementedError, OSError)
SCRATCH = Path(tempfile.gettempdir()) / f"tapeflow-fuzz-{os.getpid()}"
_PARENT = os.getpid()

# -- what must not happen ------------------------------------------------------------------------

_FORBIDDEN = ("os.system", "os.exec", "os.posix_spawn", "os.fork", "os.spawn", "subprocess.Popen")
_FORBIDDEN += ("marshal.loads", "pickle.find_class", "socket.", "ctypes.dlopen", "urllib.Request")
_FORBIDDEN += ("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "shutil.")
_FORBIDDEN += ("os.putenv", "os.chmod", "os.chown", "os.truncate", "os.kill", "webbrowser.")
_IMPORTS = "<frozen importlib._bootstrap_external>"
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def _is_own(path: Any) -> bool:
    return str(path).startswith(tempfile.gettempdir())


class ForbiddenAction(BaseException):
    """A file made the program do what no file may."""


class _Watch:
    """Raises when an input runs code, starts a process, or touches other files or the network."""

    def __init__(self) -> None:
        self.active = False
        self.installed = False

    def __enter__(self) -> None:
        # In the children only: a hook cannot be removed.
        if not self.installed and os.getpid() != _PARENT:
            sys.addaudithook(self._seen)
            self.installed = True
        self.active = True

    def __exit__(self, *error: Any) -> None:
        self.active = False

    def _seen(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.active:
            return
        if event == "marshal.loads" and sys._getframe(1).f_code.co_filename == _IMPORTS:
            return  # the compiled file of a module, whose name is checked below
        if event.startswith(_FORBIDDEN):
            raise ForbiddenAction(f"{event} {arguments!r:.200}")
        if event == "import" and not str(arguments[0]).startswith("tapeflow"):
            raise ForbiddenAction(f"import of {arguments[0]}")
        if event == "open" and (arguments[2] or 0) & _WRITING and not _is_own(arguments[0]):
            raise ForbiddenAction(f"opens {arguments[0]} for writing")
        if event == "compile" and "tapeflow" not in str(arguments[1]):
            raise ForbiddenAction(f"compiles {arguments!r:.200}")


_watch = _Watch()


def _quietly(function: Callable[[], Any]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with _watch, limits.variable_budget(64 * limits.MEBIBYTE):
            return function()


def _file(name: str, data: bytes) -> str:
    SCRATCH.mkdir(exist_ok=True)
    path = SCRATCH / f"{os.getpid()}{name}"
    path.write_bytes(data)
    return str(path)


# -- samples -------------------------------------------------------------------------------------


def archives() -> list[bytes]:
    """Models as Keras 3, Keras 2 and this library write them."""
    names = ("keras_line", "keras_toy", "keras_branches", "keras2_branches", "keras2_line")
    return [(GOLDEN / f"{name}.keras").read_bytes() for name in names]


def _small() -> Any:
    keras.utils.set_random_seed(3)
    model = keras.Sequential(
        [keras.Input((4,)), keras.layers.Dense(3), keras.layers.BatchNormalization()]
    )
    model.compile("adam", "mse")
    model.fit(np.ones((4, 4)), np.ones((4, 3)), verbose=0)
    return model


def _weights_of(model: Any) -> bytes:
    path = _file(".weights.h5", b"")
    model.save_weights(path)
    return Path(path).read_bytes()


_SHAPES = {1: (6, 3), 2: (6, 6, 3), 3: (6, 6, 6, 3)}
_ARGUMENTS: dict[str, dict[str, Any]] = {
    "Embedding": {"input_dim": 5, "output_dim": 2},
    "EinsumDense": {"equation": "ab,bc->ac", "output_shape": 4},
    "Reshape": {"target_shape": (3, 6)},
    "Permute": {"dims": (2, 1)},
    "RepeatVector": {"n": 2},
    "Rescaling": {"scale": 2.0},
    "Activation": {"activation": "relu"},
    "GroupNormalization": {"groups": 3},
    "Dense": {"units": 2},
    **{name: {"units": 2} for name in ("LSTM", "GRU", "SimpleRNN")},
}


def _layers() -> Iterator[Any]:
    """Models of one layer each."""
    for name in dir(keras.layers):
        found = getattr(keras.layers, name)
        if not isinstance(found, type) or not issubclass(found, keras.layers.Layer):
            continue
        arguments = _ARGUMENTS.get(name, {})
        if "Conv" in name:
            arguments = {"kernel_size": 2}
            if not name.startswith("Depthwise"):
                arguments["filters"] = 2
        elif "Dropout" in name or name == "GaussianNoise":
            arguments = {"stddev" if name == "GaussianNoise" else "rate": 0.5}
        rank = next((n for n in _SHAPES if f"{n}D" in name), 1)
        shape = (3,) if name in ("EinsumDense", "RepeatVector") else _SHAPES[rank]
        try:
            model = keras.Sequential([keras.Input(shape), found(**arguments)])
        except (TypeError, ValueError, NotImplementedError):
            continue  # abstract classes, layers of several inputs
        yield model


def configs() -> list[bytes]:
    """The configs of models in files, of models of each layer, and of compiled models."""
    samples = []
    for data in archives():
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            samples.append(archive.read("config.json"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        samples += [model.to_json().encode() for model in _layers()]
        for number, optimizer in enumerate(("adam", "adafactor", "ftrl", "muon", "lamb")):
            model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
            model.compile(optimizer, _LOSSES[number], metrics=_METRICS[number])
            samples.append(model.to_json().encode())
    return samples


_LOSSES = [keras.losses.Huber(), "mse", keras.losses.Dice(), keras.losses.CTC(), "bce"]
_METRICS: list[Any] = [
    ["mae", keras.metrics.AUC()],
    [keras.metrics.MeanIoU(3), keras.metrics.F1Score()],
    [keras.metrics.PrecisionAtRecall(0.5)],
    [keras.metrics.Precision(thresholds=[0.2, 0.4], top_k=2)],
    [keras.metrics.TopKCategoricalAccuracy()],
]

# -- mutations of configs ------------------------------------------------------------------------

_NAMES = [name for name in dir(keras.layers) if name[0].isupper()]
_NAMES += ["Adam", "Huber", "MeanIoU", "AUC", "L2", "MaxNorm", "HeNormal", "Constant", "function"]
_NAMES += ["__lambda__", "__tensor__", "__numpy__", "__slice__", "__bytes__", "__keras_tensor__"]
_NAMES += ["load_model", "system", "enable_unsafe_deserialization", "Functional", "Model", "Add"]
_MODULES = ["keras", "keras.layers", "keras.losses", "keras.metrics", "keras.optimizers", "os"]
_MODULES += ["keras.src.models.functional", "keras.src.ops.numpy", "builtins", "keras.models"]
_MODULES += ["keras.initializers", "keras.models.model_files.os", "tapeflow", "subprocess", "", "."]
_VALUES: list[Any] = [None, True, False, 0, 1, -1, 2, 3, 7, 1000, 2**31 - 1, 2**31, 2**40, 2**63]
_VALUES += [
    2**64,
    -(2**40),
    10**30,
    0.5,
    -1.5,
    1e300,
    float("nan"),
    float("inf"),
    "",
    "a",
    "x" * 300,
]
_VALUES += ["float32", "float16", "mixed_float16", "string", "int8", "same", "valid", "relu", "mse"]
_VALUES += [
    "channels_first",
    "ones",
    "sum",
    "\x00",
    "../../x",
    "/etc/passwd",
    "http://127.0.0.1:9/",
]
_VALUES += [
    [],
    {},
    [None],
    [1, 2],
    [[1], [2, 3]],
    [2**40, 2**40],
    [0],
    [-1],
    [None, 4],
    ["x", 0, 0],
]
_VALUES += [[0] * 70, {"a": 1}, {"class_name": "Dense"}, {"class_name": "Dense", "config": None}]
_HOSTILE = [
    {"module": "os", "class_name": "function", "config": "system", "registered_name": "system"},
    {"module": "builtins", "class_name": "eval", "config": {}, "registered_name": "eval"},
    {"class_name": "__lambda__", "config": {"value": ["4wAAAA==", None, None]}},
    {"class_name": "__numpy__", "config": {"value": [[1], [2]], "dtype": "object"}},
    {"class_name": "__tensor__", "config": {"value": [1], "dtype": "S99999999"}},
    {"module": "keras.initializers", "class_name": "Constant", "config": {"value": [1, 2]}},
    {"module": "keras.layers", "class_name": "Dense", "config": {"units": 2**40}},
]


def _nodes(tree: Any) -> list[tuple[Any, Any]]:
    """All places of a config: containers with keys."""
    places, stack = [], [tree]
    while stack:
        each = stack.pop()
        keys = list(each) if isinstance(each, dict) else range(len(each))
        for key in keys:
            places.append((each, key))
            if isinstance(each[key], (dict, list)):
                stack.append(each[key])
    return places


def _deep(rng: random.Random) -> Any:
    value: Any = copy.deepcopy(rng.choice(_VALUES))
    for _ in range(rng.choice((5, 100, 200, 390))):
        value = [value] if rng.random() < 0.5 else {"config": value, "class_name": "Sequential"}
    return value


def _replacement(rng: random.Random, key: Any, places: list[tuple[Any, Any]]) -> Any:
    if key == "class_name" and rng.random() < 0.8:
        return rng.choice(_NAMES)
    if key == "module" and rng.random() < 0.8:
        return rng.choice(_MODULES)
    chance = rng.random()
    if chance < 0.6:
        return copy.deepcopy(rng.choice(_VALUES))
    if chance < 0.7:
        return copy.deepcopy(rng.choice(_HOSTILE))
    if chance < 0.72:
        return _deep(rng)
    container, other = rng.choice(places)
    return copy.deepcopy(container[other])


def mutate_config(rng: random.Random, data: bytes, samples: Sequence[bytes]) -> bytes:
    """Change a config in one to three places, so that it is JSON still."""
    if rng.random() < 0.01:
        return data.replace(b"null", b"[" * 5000 + b"]" * 5000, 1)
    try:
        tree = json.loads(data)
        return json.dumps(_changed(rng, tree, _nodes(tree))).encode()
    except (ValueError, TypeError, RecursionError, KeyError, IndexError):
        return b"[" * 100000


def _changed(rng: random.Random, tree: Any, places: list[tuple[Any, Any]]) -> Any:
    for _ in range(rng.choice((1, 1, 2, 3)) if places else 0):
        container, key = rng.choice(places)
        chance = rng.random()
        if chance < 0.7:
            container[key] = _replacement(rng, key, places)
        elif chance < 0.85 and isinstance(container, dict):
            container.pop(key, None)
        elif isinstance(container, list):
            container.insert(rng.randrange(len(container) + 1), _replacement(rng, None, places))
        else:
            container[rng.choice(_NAMES + ["name", "axis", "seed"])] = copy.deepcopy(
                rng.choice(_VALUES)
            )
        places = _nodes(tree)
    return tree


def mutate_members(rng: random.Random, data: bytes, samples: Sequence[bytes]) -> bytes:
    """Change a member of an archive, which stays a valid one, or the list of its members."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = [(name, archive.read(name)) for name in archive.namelist()]
    except Exception:  # whatever: it is damaged already
        return data
    number = rng.randrange(len(parts)) if parts else 0
    name, content = parts.pop(number) if parts else ("config.json", b"")
    choice = rng.random()
    if choice < 0.5:
        content = rng.choice(fuzzing.MUTATIONS)(rng, content, [content])
    elif choice < 0.7:
        name = rng.choice(
            ("../x", "/etc/x", "a\\..\\x", "assets/../../x", "config.json", "C:x", "/")
        )
    elif choice < 0.8:
        parts.append((name, content))
    stream = io.BytesIO()
    method = rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with zipfile.ZipFile(stream, "w", method) as archive:
            for each in (*parts, (name, content)) if choice < 0.9 else parts:
                archive.writestr(*each)
    return stream.getvalue()


# -- targets -------------------------------------------------------------------------------------


def read_archive(data: bytes) -> None:
    """Load the bytes as a `.keras` file."""
    path = _file(".keras", data)
    _quietly(lambda: keras.models.load_model(path))


def read_config(data: bytes) -> None:
    """Read the bytes as a config, alone and in an archive with weights of another model."""
    text = data.decode("utf-8", "replace")
    _quietly(lambda: keras.models.model_from_json(text))


def read_config_in_archive(data: bytes) -> None:
    """Read the bytes as the config of an archive; the weights beside it may fit or not."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("config.json", data)
        archive.writestr("model.weights.h5", _WEIGHTS)
    read_archive(stream.getvalue())


class ReadWeights:
    """Loads bytes into a compiled model, which must stay as it is if that fails."""

    def __init__(self, name: str = ".weights.h5", **arguments: Any) -> None:
        self.model = _small()
        self.name = name
        self.arguments = arguments
        path = _file(name, b"")
        self.model.save_weights(path)
        self.sample = Path(path).read_bytes()
        self.state = state_of(self.model)

    def __call__(self, data: bytes) -> None:
        path = _file(self.name, data)
        try:
            _quietly(lambda: self.model.load_weights(path, **self.arguments))
        except ALLOWED:
            if not same_state(self.model, self.state):
                raise AssertionError("a load that failed has changed the model") from None
            raise
        finally:
            for variable, value in zip(
                [*self.model.variables, *self.model.optimizer.variables], self.state
            ):
                variable.assign(value)


def legacy_models() -> list[bytes]:
    """A model in an HDF5 file of Keras 2."""
    path = _file(".h5", b"")
    _small().save(path)
    return [Path(path).read_bytes()]


def read_legacy_model(data: bytes) -> None:
    """Load the bytes as a model in HDF5."""
    path = _file(".h5", data)
    _quietly(lambda: keras.models.load_model(path))


def edit_weights(data: bytes) -> None:
    """Open the bytes in an editor of weights."""
    path = _file(".weights.h5", data)

    def edit() -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            keras.saving.KerasFileEditor(path).summary()

    _quietly(edit)


class ReadFolder:
    """Loads a SavedModel of Keras 2 whose notes on objects are replaced by the input."""

    def __init__(self) -> None:
        SCRATCH.mkdir(exist_ok=True)
        self.folder = SCRATCH / "saved_model"
        _small().save(self.folder, save_format="tf")
        self.notes = self.folder / "keras_metadata.pb"
        self.sample = self.notes.read_bytes()

    def __call__(self, data: bytes) -> None:
        self.notes.write_bytes(data)
        # The functions of the model are read as well, whose signatures are named tuples: Python
        # compiles these itself, from names that it has checked.
        with warnings.catch_warnings(), watched(str(self.folder)):
            warnings.simplefilter("ignore")
            keras.models.load_model(self.folder)


def mutate_notes(rng: random.Random, data: bytes, samples: Sequence[bytes]) -> bytes:
    """Change the config of an object in the notes of a SavedModel."""
    try:
        message = protos.SavedMetadata.FromString(data)
        node = rng.choice(message.nodes)
        node.metadata = mutate_config(rng, node.metadata.encode(), samples).decode()
        return bytes(message.SerializeToString())
    except Exception:  # whatever: it is damaged already
        return data


_WEIGHTS = b""
_settings: dict[str, Any] = {"allowed": ALLOWED, "seconds": 5.0, "memory": 1 << 29}


def prepare() -> None:
    """Load what the targets use, so that no input is blamed for an import."""
    global _WEIGHTS
    for package in ("tapeflow.keras", "tapeflow._src.keras.models", "tapeflow._src.core"):
        load_all(package)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with zipfile.ZipFile(io.BytesIO(archives()[0])) as archive:
            _WEIGHTS = archive.read("model.weights.h5")
        for sample in archives():
            read_archive(sample) if b"tf_keras" not in sample else None


def fuzz_archives(count: int, seed: int = 1) -> fuzzing.Report:
    return fuzzing.run(
        read_archive,
        fuzzing.mutations(archives(), count, seed, extra=(mutate_members,)),
        **_settings,
    )


def fuzz_configs(count: int, seed: int = 2) -> fuzzing.Report:
    inputs = _config_inputs(count, seed)
    return fuzzing.run(read_config, inputs, shorten=False, **_settings)


def fuzz_configs_in_archives(count: int, seed: int = 3) -> fuzzing.Report:
    inputs = _config_inputs(count, seed)
    return fuzzing.run(read_config_in_archive, inputs, shorten=False, **_settings)


def _config_inputs(count: int, seed: int) -> Iterator[bytes]:
    rng, samples = random.Random(seed), configs()
    for _ in range(count):
        data = rng.choice(samples)
        yield mutate_config(rng, data, samples)


def fuzz_weights(count: int, seed: int = 4) -> fuzzing.Report:
    target = ReadWeights()
    return fuzzing.run(target, fuzzing.mutations([target.sample], count, seed), **_settings)


def fuzz_legacy_models(count: int, seed: int = 5) -> fuzzing.Report:
    inputs = fuzzing.mutations(legacy_models(), count, seed)
    return fuzzing.run(read_legacy_model, inputs, **_settings)


def fuzz_legacy_weights(count: int, seed: int = 6) -> fuzzing.Report:
    target = ReadWeights(".h5", by_name=bool(seed % 2))
    return fuzzing.run(target, fuzzing.mutations([target.sample], count, seed), **_settings)


def fuzz_indices(count: int, seed: int = 7) -> fuzzing.Report:
    target = ReadWeights(".weights.json")
    inputs = fuzzing.mutations([target.sample], count, seed, extra=[mutate_config])
    return fuzzing.run(target, inputs, **_settings)


def fuzz_editors(count: int, seed: int = 8) -> fuzzing.Report:
    inputs = fuzzing.mutations([_weights_of(_small())], count, seed)
    return fuzzing.run(edit_weights, inputs, **_settings)


def fuzz_folders(count: int, seed: int = 9) -> fuzzing.Report:
    target = ReadFolder()
    extra = [mutate_notes, message_mutation(protos.SavedMetadata)]
    inputs = fuzzing.mutations([target.sample], count, seed, extra=extra)
    return fuzzing.run(target, inputs, **{**_settings, "seconds": 20.0})


TARGETS = {
    "archives": fuzz_archives,
    "configs": fuzz_configs,
    "configs in archives": fuzz_configs_in_archives,
    "weights": fuzz_weights,
    "legacy models": fuzz_legacy_models,
    "legacy weights": fuzz_legacy_weights,
    "indices": fuzz_indices,
    "editors": fuzz_editors,
    "folders": fuzz_folders,
}


if __name__ == "__main__":
    prepare()
    seeded = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    chosen = {
        name: each for name, each in TARGETS.items() if len(sys.argv) < 4 or name == sys.argv[3]
    }
    many = {
        name: lambda count, each=each, number=number: each(count, 10 * seeded + number)
        for number, (name, each) in enumerate(chosen.items())
    }
    sys.exit(fuzzing.main(int(sys.argv[1]), many))
