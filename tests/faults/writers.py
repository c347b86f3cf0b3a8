"""Everything that writes files, each as a writer of generations that can be read back.

Every value of a generation is the number of that generation, so that a mixture of two shows.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.api.io.records import read_records
from tapeflow._src.checkpoint.safetensors import SafetensorsReader, write_safetensors

_COUNT, _SIZE = 6, 10_000


class Writer:
    """Writes generations of something into a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()

    def write(self, generation: int) -> None:
        """Write one generation over the ones before."""
        raise NotImplementedError

    def read(self) -> set[int]:
        """The generations that the values read are of."""
        raise NotImplementedError

    def files(self) -> set[str]:
        """All files of the folder."""
        paths = self.folder.rglob("*")
        return {str(path.relative_to(self.folder)) for path in paths if path.is_file()}

    def files_of(self, generation: int) -> set[str]:
        """The files that this generation has besides those of the first."""
        return set()


def _generations(arrays: Any) -> set[int]:
    return {int(value) for array in arrays for value in np.unique(np.asarray(array))}


class CheckpointWrite(Writer):
    """`Checkpoint.write` over one prefix."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.variables = [tf.Variable(np.full(_SIZE, -1.0)) for _ in range(_COUNT)]
        self.checkpoint = tf.train.Checkpoint(list=self.variables)

    def assign(self, generation: int) -> None:
        for variable in self.variables:
            variable.assign(np.full(_SIZE, generation, float))

    def write(self, generation: int) -> None:
        self.assign(generation)
        self.checkpoint.write(str(self.folder / "ckpt"))

    def latest(self) -> str:
        return str(self.folder / "ckpt")

    def read(self) -> set[int]:
        self.assign(-1)
        self.checkpoint.read(self.latest()).expect_partial()
        return _generations(self.variables)


class CheckpointSave(CheckpointWrite):
    """`Checkpoint.save`: numbered files, and the state file."""

    def write(self, generation: int) -> None:
        self.assign(generation)
        self.checkpoint.save_counter.assign(generation)
        self.checkpoint.save(str(self.folder / "ckpt"))

    def latest(self) -> str:
        path = tf.train.latest_checkpoint(str(self.folder))
        if path is None:
            raise AssertionError("there is no latest checkpoint")
        return path

    def files(self) -> set[str]:
        # Each generation has files of its own, whole ones.
        return {name for name in super().files() if not name.endswith((".index", "of-00001"))}


class ManagerSave(CheckpointWrite):
    """`CheckpointManager.save`, which deletes old checkpoints, too."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.manager = tf.train.CheckpointManager(self.checkpoint, str(folder), 2)

    def write(self, generation: int) -> None:
        # As a program that was started again does.
        self.manager = tf.train.CheckpointManager(self.checkpoint, str(self.folder), 2)
        self.assign(generation)
        self.manager.save(checkpoint_number=generation)

    def latest(self) -> str:
        path = tf.train.latest_checkpoint(str(self.folder))
        if path is None:
            raise AssertionError("there is no latest checkpoint")
        return path

    def files_of(self, generation: int) -> set[str]:
        kept = [Path(path).name for path in self.manager.checkpoints]
        return {f"{name}.{end}" for name in kept for end in ("index", "data-00000-of-00001")}


class SavedModel(Writer):
    """`tf.saved_model.save` over a model: variables, a constant in a graph, and an asset."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.model = folder / "model"

    def write(self, generation: int) -> None:
        source = self.folder.parent / "asset"
        source.write_text(str(generation))
        module = tf.Module()
        module.variables_ = [tf.Variable(np.full(_SIZE, generation)) for _ in range(_COUNT)]
        module.asset = tf.saved_model.Asset(str(source))
        module.constant = tf.function(lambda: tf.constant(generation), input_signature=[])
        tf.saved_model.save(module, str(self.model))

    def read(self) -> set[int]:
        loaded = tf.saved_model.load(str(self.model))
        asset = int(Path(loaded.asset.asset_path.numpy().decode()).read_text())
        return _generations([*loaded.variables_, loaded.constant(), asset])


class KerasModel(Writer):
    """`model.save` over a `.keras` file."""

    name = "model.keras"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        layers = [tf.keras.layers.Dense(100) for _ in range(3)]
        self.model = tf.keras.Sequential([tf.keras.Input((100,)), *layers])

    def assign(self, generation: int) -> None:
        for variable in self.model.variables:
            variable.assign(np.full(variable.shape, generation, "f"))

    def write(self, generation: int) -> None:
        self.assign(generation)
        self.model.save(self.folder / self.name)

    def read(self) -> set[int]:
        return _generations(tf.keras.models.load_model(self.folder / self.name).variables)


class KerasWeights(KerasModel):
    """`model.save_weights` over a `.weights.h5` file."""

    name = "model.weights.h5"

    def write(self, generation: int) -> None:
        self.assign(generation)
        self.model.save_weights(self.folder / self.name)

    def read(self) -> set[int]:
        self.assign(-1)
        self.model.load_weights(self.folder / self.name)
        return _generations(self.model.variables)


class KerasShards(KerasWeights):
    """`model.save_weights` over several files and their index."""

    name = "model.weights.json"

    def write(self, generation: int) -> None:
        self.assign(generation)
        self.model.save_weights(self.folder / self.name, max_shard_size=5e-5)


class KerasEditor(KerasWeights):
    """`KerasFileEditor.save`."""

    def write(self, generation: int) -> None:
        path = self.folder / self.name
        if not path.exists():
            super().write(generation)
        editor = tf.keras.saving.KerasFileEditor(path)
        for name, layer in editor.weights_dict["layers"].items():
            arrays = {key: np.full_like(array, generation) for key, array in layer.items()}
            editor.add_weights(f"layers/{name}", arrays)
        editor.save(path)


class KerasPrefix(KerasWeights):
    """`model.save_weights` over a checkpoint."""

    name = "weights"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.model.compile("sgd", "mse")


class KerasLegacyModel(KerasModel):
    """`model.save` over an HDF5 file."""

    name = "model.h5"


class KerasFolder(KerasModel):
    """`model.save` over a folder with the parts of a `.keras` file."""

    name = "model"

    def write(self, generation: int) -> None:
        self.assign(generation)
        self.model.save(self.folder / self.name, zipped=False)


class KerasSavedModel(KerasModel):
    """`model.save` over a SavedModel."""

    name = "model"

    def write(self, generation: int) -> None:
        self.assign(generation)
        self.model.save(self.folder / self.name, save_format="tf")

    def read(self) -> set[int]:
        model = tf.keras.models.load_model(self.folder / self.name, compile=False)
        return _generations(model.variables)


class KerasBackup(KerasModel):
    """`BackupAndRestore`, after each epoch."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.model.compile("sgd", "mse")

    def callback(self) -> Any:
        callback = tf.keras.callbacks.BackupAndRestore(self.folder / "backup")
        callback.set_model(self.model)
        return callback

    def write(self, generation: int) -> None:
        self.assign(generation)
        self.callback().on_epoch_end(generation)

    def files(self) -> set[str]:
        # Names with numbers: as many of each kind as after the first epoch.
        kinds = Counter(re.sub("[0-9]+", "#", name) for name in super().files())
        return {f"{kind} {number}" for kind, count in kinds.items() for number in range(count)}

    def read(self) -> set[int]:
        self.assign(-1)
        self.callback().on_train_begin()
        epoch = self.model._initial_epoch - 1
        return _generations([*self.model.variables, epoch])


class SessionSaver(Writer):
    """`compat.v1.train.Saver.save`: a checkpoint, the graph, and the state file."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        v1 = tf.compat.v1
        with tf.Graph().as_default():
            self.value = v1.placeholder(tf.float32, [])
            self.variables = [v1.get_variable(f"v{n}", [_SIZE]) for n in range(_COUNT)]
            self.assigned = [v.assign(tf.fill([_SIZE], self.value)) for v in self.variables]
            self.saver = v1.train.Saver()
            self.session = v1.Session()

    def assign(self, generation: int) -> None:
        self.session.run(self.assigned, {self.value: generation})

    def write(self, generation: int) -> None:
        self.assign(generation)
        self.saver.save(self.session, str(self.folder / "ckpt"))

    def read(self) -> set[int]:
        self.assign(-1)
        path = tf.train.latest_checkpoint(str(self.folder))
        with tf.Graph().as_default():
            tf.compat.v1.train.import_meta_graph(f"{path}.meta")
        self.saver.restore(self.session, path)
        return _generations(self.session.run(self.variables))


class Safetensors(Writer):
    """What `tapeflow convert` writes for a `.safetensors` target."""

    def write(self, generation: int) -> None:
        tensors = ((f"v{n}", np.full(_SIZE, generation)) for n in range(_COUNT))
        write_safetensors(str(self.folder / "a.safetensors"), tensors, {})

    def read(self) -> set[int]:
        tensors = dict(SafetensorsReader(str(self.folder / "a.safetensors")).tensors())
        if len(tensors) != _COUNT:
            raise AssertionError(f"{sorted(tensors)} were read")
        return _generations(tensors.values())


class Picture(Writer):
    """`keras.utils.save_img`."""

    def write(self, generation: int) -> None:
        pixels = np.full((100, 100, 3), generation % 256, "uint8")
        tf.keras.utils.save_img(self.folder / "a.png", pixels, scale=False)

    def read(self) -> set[int]:
        return _generations([tf.keras.utils.load_img(self.folder / "a.png")])


class Records(Writer):
    """`TFRecordWriter`: what was flushed stays, and a torn end is noticed."""

    compression = ""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.path = str(folder / "records")
        self.stream: Any = None

    def write(self, generation: int) -> None:
        if self.stream is None or generation == 0:
            # The file is begun again: what a killed writer has left of it is read before.
            self.stream = tf.io.TFRecordWriter(self.path, self.compression)
            self.first = generation
        self.stream.write(str(generation).encode() * 1000)
        self.stream.flush()

    def read(self) -> set[int]:
        values: list[int] = []
        try:
            for record in read_records(self.path, self.compression):
                if len(record) % 1000 or record != record[: len(record) // 1000] * 1000:
                    raise AssertionError(f"a record has {record[:20]!r}...")
                values.append(int(record[: len(record) // 1000]))
        except tf.errors.DataLossError:
            values.append(values.pop())
        if values != list(range(self.first, self.first + len(values))):
            raise AssertionError(f"records {values} are not in order")
        self.stream = None
        return set(values[-1:])


class ZlibRecords(Records):
    compression = "ZLIB"


class SavedDataset(Writer):
    """`Dataset.save` over a folder, in two shards."""

    _RUN = re.compile(r"[0-9]+/[0-9]{8}\.shard/00000000\.snapshot")

    def write(self, generation: int) -> None:
        values = np.full((_COUNT, _SIZE), generation)
        dataset = tf.data.Dataset.from_tensor_slices((np.arange(_COUNT), values))
        dataset.save(str(self.folder), shard_func=lambda number, _: number % 2)

    def read(self) -> set[int]:
        loaded = list(tf.data.Dataset.load(str(self.folder)))
        if len(loaded) != _COUNT:
            raise AssertionError(f"{len(loaded)} of {_COUNT} elements were read")
        if sorted(int(number) for number, _ in loaded) != list(range(_COUNT)):
            raise AssertionError("elements are missing")
        return _generations(value for _, value in loaded)

    def files(self) -> set[str]:
        # Each generation has a run of its own, a whole one. Folders of others would count, too.
        names = {path.name for path in self.folder.iterdir() if not path.name.isdigit()}
        return names | {name for name in super().files() if not self._RUN.fullmatch(name)}


WRITERS: dict[str, Callable[[Path], Writer]] = {
    "checkpoint-write": CheckpointWrite,
    "checkpoint-save": CheckpointSave,
    "checkpoint-manager": ManagerSave,
    "saved-model": SavedModel,
    "keras-model": KerasModel,
    "keras-weights": KerasWeights,
    "keras-shards": KerasShards,
    "keras-editor": KerasEditor,
    "keras-prefix": KerasPrefix,
    "keras-h5": KerasLegacyModel,
    "keras-folder": KerasFolder,
    "keras-saved-model": KerasSavedModel,
    "keras-backup": KerasBackup,
    "session-saver": SessionSaver,
    "safetensors": Safetensors,
    "picture": Picture,
    "dataset-save": SavedDataset,
    "records": Records,
    "records-zlib": ZlibRecords,
}
