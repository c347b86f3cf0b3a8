"""`TensorBoard`: training as event files, which TensorBoard shows."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.internal.events import EventFile, SharedWriter
from tapeflow._src.internal.files import write_file
from tapeflow._src.internal.user_warnings import warn_user
from tapeflow._src.keras.callbacks.callback import Callback
from tapeflow._src.keras.callbacks.worker_files import WorkerFolder
from tapeflow._src.keras.config import image_data_format
from tapeflow._src.keras.layers.core.embedding import Embedding


class TensorBoard(Callback):
    """Writes losses and metrics, and optionally weights and the graph, for TensorBoard.

    With another `update_freq` than `"epoch"`, summaries that the model writes in its steps
    (`tf.summary.scalar` and others) go to the same files, every so many batches.

    With several workers, the files are those of the chief.

    Args:
        log_dir: Folder; files are written below `train` and `validation`.
        histogram_freq: Number of epochs between histograms of the weights; 0 for none.
        write_graph: Whether the graph of layers is written.
        write_images: Whether weights are written as images, too.
        write_steps_per_second: Whether the speed of training is written.
        update_freq: `"epoch"`, `"batch"`, or a number of batches between which results are written.
        profile_batch: Batch, or the first and the last of the batches (`"2,4"` or `(2, 4)`), to
            profile; batches are counted from 1, and 0 is none.
        embeddings_freq: Number of epochs between weights for the projector; 0 for none.
        embeddings_metadata: File of labels of embeddings, or a dict of them by the name of the
            layer.

    Raises:
        ValueError: `profile_batch` or `embeddings_metadata` is invalid.

    Example:
        >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        >>> model.compile("sgd", "mse")
        >>> board = tf.keras.callbacks.TensorBoard("logs", histogram_freq=1)
        >>> history = model.fit(np.ones((8, 2)), np.ones((8, 1)), verbose=0, callbacks=[board])
        >>> tf.io.gfile.listdir("logs")
        ['train']
    """

    def __init__(
        self,
        log_dir: Any = "logs",
        histogram_freq: int = 0,
        write_graph: bool = True,
        write_images: bool = False,
        write_steps_per_second: bool = False,
        update_freq: Any = "epoch",
        profile_batch: Any = 0,
        embeddings_freq: int = 0,
        embeddings_metadata: Any = None,
    ) -> None:
        super().__init__()
        self.log_dir = os.fspath(log_dir)
        self.histogram_freq = histogram_freq
        self.write_graph = write_graph
        self.write_images = write_images
        self.write_steps_per_second = write_steps_per_second
        self.update_freq = 1 if update_freq == "batch" else update_freq
        self.embeddings_freq = embeddings_freq
        self.embeddings_metadata = embeddings_metadata
        self._profiled = _profiled_batches(profile_batch)
        self._profiling = False
        self._graph_due = False
        self._files: dict[str, EventFile] = {}
        self._folder = WorkerFolder(self.log_dir)
        self._batches = {"train": 0, "validation": 0}
        self._writers: dict[str, SharedWriter] = {}
        # The number of the batch for functions, which are traced once; created in `set_model`.
        self._batch_variables: dict[str, Any] = {}
        self._blocks: list[ExitStack] = []
        self._batch_start = self._epoch_start = 0.0
        self._steps_before = 0

    def set_model(self, model: Any) -> None:
        super().set_model(model)
        self._files, self._writers = {}, {}
        self._folder.open(getattr(model, "distribute_strategy", None))
        while self._blocks:  # of a training that was interrupted
            self._leave_writer()
        if self.update_freq != "epoch":
            self._batch_variables = {kind: tf.Variable(0, dtype="int64") for kind in self._batches}
        self._graph_due = self.write_graph
        if self.write_graph:
            self._write_config()
        if self.embeddings_freq:
            self._write_projector_config()

    @property
    def summary(self) -> Any:
        """The module `tf.summary`."""
        return tf.summary

    def _file(self, kind: str) -> EventFile:
        if kind not in self._files:
            self._files[kind] = EventFile(os.path.join(self._folder.path, kind))
        return self._files[kind]

    def _write_config(self) -> None:
        if not isinstance(self.model, tf.keras.Sequential) and not hasattr(
            self.model, "operations"
        ):
            return
        try:
            config = self.model.to_json()
        except (NotImplementedError, TypeError, ValueError) as error:
            warn_user(f"TensorBoard: the config of the model is left out: {error}")
            return
        value = np.array(config.encode(), object)
        self._file("train").tensor("keras", value, 0, "graph_keras_model", content=b"1")

    def _write_graph(self) -> None:
        """Write the graph of a training step, unless it runs eagerly."""
        self._graph_due = False
        functions: list[Any] = getattr(self.model.train_function, "concrete_functions", list)()
        if functions:
            self._file("train").graph(functions[0].graph)

    def _write_projector_config(self) -> None:
        lines = []
        labels = self.embeddings_metadata
        by_layer = dict(labels) if isinstance(labels, dict) else {}
        for layer in self.model.layers:
            if not isinstance(layer, Embedding):
                continue
            path = by_layer.pop(layer.name, None) if isinstance(labels, dict) else labels
            name = "layer_with_weights-0/embeddings/.ATTRIBUTES/VARIABLE_VALUE"
            lines += ["embeddings {", f'  tensor_name: "{name}"']
            lines += [f'  metadata_path: "{path}"'] if path is not None else []
            lines.append("}")
        if by_layer:
            raise ValueError(
                "TensorBoard: expected the names of Embedding layers in `embeddings_metadata`, "
                f"received others: {sorted(by_layer)}"
            )
        path = os.path.join(self._folder.path, "projector_config.pbtxt")
        write_file(path, "\n".join([*lines, ""]).encode())

    # -- training ------------------------------------------------------------------------------

    def on_train_begin(self, logs: Any = None) -> None:
        self._batches["train"] = 0
        self._enter_writer("train")

    def on_train_end(self, logs: Any = None) -> None:
        self._leave_writer()
        if self._profiling:
            self._stop_profile()
        if any(writer.used for writer in self._writers.values()):
            # They were traced with these files: another training may have others.
            self.model.train_function = self.model.test_function = None
        for file in self._files.values():
            file.close()
        self._folder.close()

    def _enter_writer(self, kind: str) -> None:
        """Have `tf.summary` write to the files of this callback."""
        if self.update_freq == "epoch":
            return
        if kind not in self._writers:
            self._writers[kind] = SharedWriter(self._file(kind))
        batch, frequency = self._batch_variables[kind], self.update_freq
        block = ExitStack()
        block.enter_context(self._writers[kind].as_default(batch))
        block.enter_context(tf.summary.record_if(lambda: tf.equal(batch % frequency, 0)))
        self._blocks.append(block)

    def _leave_writer(self) -> None:
        if self._blocks:
            self._blocks.pop().close()

    def _count(self, kind: str) -> None:
        self._batches[kind] += 1
        if self._batch_variables:
            self._batch_variables[kind].assign(self._batches[kind])

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        self._count("train")
        if self._profiled[1] and self._batches["train"] == self._profiled[0]:
            self._start_profile()
        self._batch_start = time.perf_counter()

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        if self._graph_due:
            self._write_graph()
        if self._is_due("train"):
            self._write_batch(logs)
        if self._profiling and self._batches["train"] >= self._profiled[1]:
            self._stop_profile()

    def _write_batch(self, logs: Any) -> None:
        file, step = self._file("train"), self._batches["train"]
        if self.write_steps_per_second:
            seconds = max(time.perf_counter() - self._batch_start, 1e-9)
            file.scalar("batch_steps_per_second", 1 / seconds, step)
        for name, value in (logs or {}).items():
            file.scalar(f"batch_{name}", value, step)

    def _start_profile(self) -> None:
        try:
            tf.profiler.experimental.start(os.path.join(self._folder.path, "train"))
        except tf.errors.AlreadyExistsError as error:
            warn_user(f"TensorBoard: no batches are profiled. {error}")
            return
        tf.summary.trace_on()
        self._profiling = True

    def _stop_profile(self) -> None:
        self._profiling = False
        step = self._profiled[1]
        with SharedWriter(self._file("train")).as_default():
            tf.summary.trace_export(f"batch_{step}", step=step)
        tf.profiler.experimental.stop()

    def _is_due(self, kind: str) -> bool:
        return self.update_freq != "epoch" and self._batches[kind] % self.update_freq == 0

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        if self.write_steps_per_second:
            self._steps_before = self._steps()
            self._epoch_start = time.perf_counter()

    def _steps(self) -> int:
        return int(np.asarray(self.model.optimizer.iterations))

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        results = dict(logs or {})
        if results:
            results |= self._learning_rates()
            if self.write_steps_per_second:
                seconds = max(time.perf_counter() - self._epoch_start, 1e-9)
                results["steps_per_second"] = (self._steps() - self._steps_before) / seconds
        for name, value in results.items():
            kind = "validation" if name.startswith("val_") else "train"
            self._file(kind).scalar(f"epoch_{name.removeprefix('val_')}", value, epoch)
        if self.histogram_freq and epoch % self.histogram_freq == 0:
            self._write_weights(epoch)
        if self.embeddings_freq and epoch % self.embeddings_freq == 0:
            folder = os.path.join(self._folder.path, "train")
            tf.io.gfile.makedirs(folder)
            self.model.save_weights(
                os.path.join(folder, f"keras_embedding.ckpt-{epoch}.weights.h5")
            )
        for file in self._files.values():
            file.flush()

    def _learning_rates(self) -> dict[str, float]:
        optimizer = self.model.optimizer
        optimizer = getattr(optimizer, "inner_optimizer", optimizer)
        if hasattr(optimizer, "optimizers"):
            return {
                f"learning_rate_{each.name}": float(each.learning_rate)
                for each in optimizer.optimizers
            }
        rate = getattr(optimizer, "learning_rate", None)
        return {} if rate is None else {"learning_rate": float(rate)}

    def _write_weights(self, epoch: int) -> None:
        file = self._file("train")
        for layer in self.model.layers:
            for weight in layer.weights:
                name, value = weight.path.replace(":", "_"), weight.numpy()
                file.histogram(f"{name}/histogram", value, epoch)
                picture = _picture(value) if self.write_images else None
                if picture is not None:
                    file.images(f"{name}/image", picture, epoch)

    # -- evaluation ----------------------------------------------------------------------------

    def on_test_begin(self, logs: Any = None) -> None:
        self._enter_writer("validation")

    def on_test_batch_begin(self, batch: int, logs: Any = None) -> None:
        self._count("validation")

    def on_test_end(self, logs: Any = None) -> None:
        self._leave_writer()
        if getattr(self.model, "optimizer", None) is None:
            return
        for name, value in (logs or {}).items():
            tag = f"evaluation_{name}_vs_iterations"
            self._file("validation").scalar(tag, value, self._steps())
        self._file("validation").flush()


def _profiled_batches(profile_batch: Any) -> tuple[int, int]:
    """Return the first and the last batch to profile; 0 and 0 for none."""
    parts = profile_batch.split(",") if isinstance(profile_batch, str) else profile_batch
    parts = parts if isinstance(parts, (list, tuple)) else (parts,)
    try:
        start, stop = (int(part) for part in (*parts, *parts)[: max(2, len(parts))])
    except (TypeError, ValueError):
        start, stop = 1, 0
    if start < 0 or stop < start:
        raise ValueError(
            f"`profile_batch` must be a number of a batch, or two of them in order. Received: "
            f"{profile_batch!r}"
        )
    return start, stop


def _picture(value: np.ndarray) -> Any:
    """A weight as gray images, [images, height, width, 1]; None if it cannot be one."""
    value = np.squeeze(value).astype("float32")
    if value.ndim == 1:
        return value.reshape(1, -1, 1, 1)
    if value.ndim == 2:
        value = value.T if value.shape[0] > value.shape[1] else value
        return value[None, :, :, None]
    if value.ndim == 3:
        value = value.transpose(2, 0, 1) if image_data_format() == "channels_last" else value
        return value[..., None]
    return value if value.ndim == 4 and value.shape[-1] in (1, 3, 4) else None
