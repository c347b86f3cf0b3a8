"""Callbacks: when they are called, with what, and what each of Keras' own does."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

keras = tf.keras
X = np.random.RandomState(0).randn(50, 4).astype("float32")
Y = X[:, :3]
EVENTS = [
    f"on_{what}_{moment}"
    for what in ("train", "epoch", "train_batch", "test", "test_batch", "predict", "predict_batch")
    for moment in ("begin", "end")
]


def model(rate: float = 0.01, **kwargs: Any) -> Any:
    made = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(3)])
    made.compile(keras.optimizers.SGD(rate), "mse", **kwargs)
    return made


def listener(heard: list[Any]) -> Any:
    """A callback that notes what it is told."""

    def method(name: str) -> Any:
        def told(self: Any, *args: Any) -> None:
            shown = [{k: type(v).__name__ for k, v in a.items()} if a else a for a in args[-1:]]
            heard.append((name.removeprefix("on_"), *args[:-1], *shown))

        return told

    return type("Listener", (keras.callbacks.Callback,), {n: method(n) for n in EVENTS})()


def test_events_come_in_keras_order() -> None:
    heard: list[Any] = []
    trained, callback = model(), listener(heard)
    trained.fit(X, Y, batch_size=32, verbose=0, callbacks=[callback], validation_data=(X, Y))
    trained.predict(X[:40], verbose=0, callbacks=[callback])
    loss, both = {"loss": "float"}, {"loss": "float", "val_loss": "float"}
    assert heard == [
        ("train_begin", {}),
        ("epoch_begin", 0, {}),
        ("train_batch_begin", 0, {}),
        ("train_batch_end", 0, loss),
        ("train_batch_begin", 1, {}),
        ("train_batch_end", 1, loss),
        ("test_begin", {}),
        ("test_batch_begin", 0, {}),
        ("test_batch_end", 0, loss),
        ("test_batch_begin", 1, {}),
        ("test_batch_end", 1, loss),
        ("test_end", loss),
        ("epoch_end", 0, both),
        ("train_end", both),
        ("predict_begin", {}),
        ("predict_batch_begin", 0, {}),
        ("predict_batch_end", 0, {"outputs": "ndarray"}),
        ("predict_batch_begin", 1, {}),
        ("predict_batch_end", 1, {"outputs": "ndarray"}),
        ("predict_end", {}),
    ]
    assert callback.params == {"verbose": 0, "epochs": 1, "steps": 2}


def test_events_of_several_steps_at_once() -> None:
    heard: list[Any] = []
    trained = model(steps_per_execution=3)
    trained.fit(X, Y, batch_size=10, verbose=0, callbacks=[listener(heard)])
    batches = [event[:2] for event in heard if "batch" in event[0]]
    assert batches == [
        ("train_batch_begin", 0),
        ("train_batch_end", 2),
        ("train_batch_begin", 3),
        ("train_batch_end", 5),
    ]


def test_the_last_execution_of_an_epoch_is_complete() -> None:
    heard: list[Any] = []
    trained = model(steps_per_execution=2)
    # 10 batches: 3 executions of 2 steps in the first epoch leave 2 for the second.
    with pytest.warns(UserWarning, match="ran out"):
        trained.fit(
            X[:10],
            Y[:10],
            batch_size=1,
            steps_per_epoch=5,
            epochs=2,
            verbose=0,
            callbacks=[listener(heard)],
        )
    assert [event[1] for event in heard if event[0] == "train_batch_end"] == [1, 3, 5, 1, 3]
    assert int(trained.optimizer.iterations) == 10


def test_a_callback_stops_training_and_assigns_weights() -> None:
    class Stop(keras.callbacks.Callback):
        def on_batch_end(self, batch: int, logs: Any = None) -> None:
            if batch == 1:
                self.model.layers[0].kernel.assign(np.zeros([4, 3]))
                self.model.stop_training = True

    trained, seen = model(), []
    each = keras.callbacks.LambdaCallback(on_train_batch_end=lambda batch, logs: seen.append(batch))
    trained.fit(X, Y, batch_size=10, epochs=3, verbose=0, callbacks=[Stop(), each])
    assert seen == [0, 1]
    np.testing.assert_array_equal(trained.layers[0].kernel, np.zeros([4, 3]))


def test_history_is_returned_and_kept() -> None:
    trained, history = model(), keras.callbacks.History()
    assert trained.fit(X, Y, verbose=0, callbacks=history) is history is trained.history
    assert list(history.history) == ["loss"]


def told(callback: Any, logs: list[dict[str, Any]], rate: float = 0.5) -> tuple[Any, int]:
    """The model and the last epoch after a callback was told of epochs."""
    watched, epoch = model(rate), -1
    callback.set_model(watched)
    callback.on_train_begin()
    for epoch, each in enumerate(logs):
        callback.on_epoch_begin(epoch)
        watched.layers[0].kernel.assign(np.full([4, 3], epoch))
        callback.on_epoch_end(epoch, each)
        if watched.stop_training:
            break
    callback.on_train_end()
    return watched, epoch


def results(name: str, *values: float) -> list[dict[str, Any]]:
    return [{name: value} for value in values]


def test_early_stopping(capsys: pytest.CaptureFixture[str]) -> None:
    callback = keras.callbacks.EarlyStopping(patience=2, verbose=1, restore_best_weights=True)
    stopped, epoch = told(callback, results("val_loss", 3, 2, 2.5, 2.6, 1))
    assert (epoch, callback.stopped_epoch, callback.best, callback.best_epoch) == (3, 3, 2, 1)
    assert stopped.layers[0].kernel.numpy()[0, 0] == 1
    assert capsys.readouterr().out == (
        "Epoch 4: early stopping\nEarly stopping: restored the weights of epoch 2\n"
    )


@pytest.mark.parametrize(
    ("arguments", "values", "epoch"),
    [
        ({"patience": 1, "baseline": 0.1}, (0.3, 0.2, 0.2, 0.6, 1), 2),
        ({"patience": 1, "mode": "max"}, (1, 2, 3, 2, 9), 3),
        ({"patience": 1, "min_delta": 0.5}, (1, 0.8, 0.2), 1),
        ({"patience": 1, "start_from_epoch": 2}, (1, 2, 3, 4, 5), 3),
    ],
)
def test_when_it_stops_early(arguments: Any, values: Any, epoch: int) -> None:
    callback = keras.callbacks.EarlyStopping(**arguments)
    assert told(callback, results("val_loss", *values))[1] == epoch


def test_metrics_say_what_is_better() -> None:
    callback = keras.callbacks.EarlyStopping("val_accuracy", patience=1)
    trained = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(3)])
    trained.compile("sgd", "mse", metrics=["accuracy"])
    trained.fit(X, Y, verbose=0, epochs=2, validation_data=(X, Y), callbacks=[callback])
    assert callback.monitor_op is keras.ops.greater
    other = keras.callbacks.EarlyStopping("foo")
    with pytest.raises(ValueError, match="mode='max' or mode='min'"):
        told(other, results("foo", 1))
    with pytest.warns(UserWarning, match="'val_loss', which is not available"):
        told(keras.callbacks.EarlyStopping(), results("loss", 1))


def test_reduce_lr_on_plateau(capsys: pytest.CaptureFixture[str]) -> None:
    callback = keras.callbacks.ReduceLROnPlateau(patience=2, verbose=1, cooldown=1, min_lr=0.01)
    logs = results("val_loss", 3, 2, 2.5, 2.6, 2.7, 2.8, 2.9)
    told(callback, logs)
    rates = [each["learning_rate"] for each in logs]
    np.testing.assert_allclose(rates, [0.5, 0.5, 0.5, 0.5, 0.05, 0.05, 0.01], rtol=1e-6)
    assert "\nEpoch 4: ReduceLROnPlateau reducing learning rate to 0.05.\n" in (
        capsys.readouterr().out
    )
    with pytest.raises(ValueError, match=r"factor=1\.5"):
        keras.callbacks.ReduceLROnPlateau(factor=1.5)


def test_learning_rate_scheduler() -> None:
    logs = results("loss", 1, 1, 1)
    told(keras.callbacks.LearningRateScheduler(lambda epoch, rate: rate * 0.5), logs)
    assert [each["learning_rate"] for each in logs] == [0.25, 0.125, 0.0625]
    told(keras.callbacks.LearningRateScheduler(lambda epoch: 0.25 * epoch), logs)
    assert [each["learning_rate"] for each in logs] == [0, 0.25, 0.5]
    with pytest.raises(ValueError, match="must return a float"):
        told(keras.callbacks.LearningRateScheduler(lambda epoch: 3), logs)


def test_csv_logger(tmp_path: Path) -> None:
    file = tmp_path / "log.csv"
    logs: list[dict[str, Any]] = [{"b": 1, "a": 2.0}, {"a": 3.0}]
    told(keras.callbacks.CSVLogger(file), logs)
    assert file.read_text() == "epoch,a,b,val_a,val_b\n0,2.0,1,NA,NA\n1,3.0,NA,NA,NA\n"
    told(keras.callbacks.CSVLogger(file, separator=";", append=True), logs[:1])
    assert file.read_text().endswith("NA\n0;2.0;1;NA;NA\n")


def test_model_checkpoint(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = str(tmp_path / "w{epoch:02d}-{val_loss:.1f}.weights.h5")
    callback = keras.callbacks.ModelCheckpoint(
        name, save_weights_only=True, save_best_only=True, verbose=1
    )
    saved, _ = told(callback, results("val_loss", 3.0, 2.0, 2.5))
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "w01-3.0.weights.h5",
        "w02-2.0.weights.h5",
    ]
    assert "Epoch 3: val_loss did not improve from 2.00000\n" in capsys.readouterr().out
    saved.load_weights(tmp_path / "w02-2.0.weights.h5")
    assert saved.layers[0].kernel.numpy()[0, 0] == 1


def test_checkpoints_of_batches(tmp_path: Path) -> None:
    name = str(tmp_path / "w{epoch}-{batch}.weights.h5")
    callback = keras.callbacks.ModelCheckpoint(name, save_weights_only=True, save_freq=2)
    model().fit(X[:30], Y[:30], batch_size=10, epochs=3, verbose=0, callbacks=[callback])
    names = ["w1-2.weights.h5", "w2-1.weights.h5", "w2-3.weights.h5", "w3-2.weights.h5"]
    assert sorted(p.name for p in tmp_path.iterdir()) == names


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"filepath": "w.keras", "save_weights_only": True}, "end in `.weights.h5`"),
        ({"filepath": "w.keras", "save_freq": "z"}, "save_freq='z'"),
    ],
)
def test_checkpoints_that_are_refused(arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        keras.callbacks.ModelCheckpoint(**arguments)


@pytest.mark.parametrize("raises", [False, True])
def test_terminate_on_nan(raises: bool) -> None:
    targets = np.full_like(Y, math.nan)
    callback = keras.callbacks.TerminateOnNaN(raise_error=raises)
    if raises:
        with pytest.raises(RuntimeError, match="after batch 0"):
            model().fit(X, targets, verbose=0, callbacks=[callback])
    else:
        history = model().fit(X, targets, verbose=0, epochs=3, callbacks=[callback])
        assert history.epoch == [0]


def test_backup_and_restore(tmp_path: Path) -> None:
    class Interrupt(keras.callbacks.Callback):
        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
            if epoch == 1:
                raise KeyboardInterrupt

    folder = tmp_path / "backup"
    weights = model().get_weights()

    def trained(*others: Any) -> Any:
        made = model()
        made.set_weights(weights)
        backup = keras.callbacks.BackupAndRestore(folder)
        history = made.fit(
            X, Y, epochs=4, verbose=0, shuffle=False, callbacks=[backup, *others]
        ).history
        return history, made.get_weights()

    whole, at_the_end = trained()
    assert not folder.exists()
    with pytest.raises(KeyboardInterrupt):
        trained(Interrupt())
    rest, values = trained()
    np.testing.assert_allclose(rest["loss"], whole["loss"][2:], rtol=1e-5)
    for mine, wanted in zip(values, at_the_end, strict=True):
        np.testing.assert_allclose(mine, wanted, rtol=1e-5)


def test_swapped_averages_are_evaluated() -> None:
    made = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(3)])
    made.compile(keras.optimizers.SGD(0.1, use_ema=True, ema_momentum=0.5), "mse")
    swap = keras.callbacks.SwapEMAWeights()
    seen: list[Any] = []
    look = keras.callbacks.LambdaCallback(
        on_epoch_end=lambda epoch, logs: seen.append((made.get_weights()[0], logs["val_loss"]))
    )
    made.fit(X, Y, verbose=0, validation_data=(X, Y), callbacks=[swap, look])
    (weights, loss), average = seen[0], made.get_weights()[0]
    assert not np.allclose(weights, average)
    np.testing.assert_allclose(made.evaluate(X, Y, verbose=0), loss, rtol=1e-5)


def test_averages_of_several_optimizers_are_swapped() -> None:
    made = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(3)])
    kernel = keras.optimizers.SGD(0.1, use_ema=True, ema_momentum=0.5)
    bias = keras.optimizers.Adam(0.1, use_ema=True, ema_momentum=0.9)
    of_variables = keras.optimizers.OptimizerMap(kernel, {".*bias": bias})
    made.compile(keras.optimizers.MultiOptimizer(of_variables), "mse")
    raw: list[Any] = []
    look = keras.callbacks.LambdaCallback(
        on_train_batch_end=lambda batch, logs: raw.append(made.get_weights())
    )
    swap = keras.callbacks.SwapEMAWeights(swap_on_epoch=True)
    made.fit(X, Y, epochs=2, verbose=0, callbacks=[look, swap])
    for at, each in enumerate((kernel, bias)):
        (average,) = each._model_variables_moving_average
        np.testing.assert_array_equal(made.get_weights()[at], average)
        assert not np.allclose(raw[-1][at], average)


def test_a_backup_removes_only_what_it_wrote(tmp_path: Path) -> None:
    other = tmp_path / "thesis.npz"
    other.write_bytes(b"mine")
    backup = keras.callbacks.BackupAndRestore(tmp_path, delete_checkpoint=False)
    model().fit(X, Y, epochs=3, verbose=0, callbacks=[backup])
    names = {path.name for path in tmp_path.iterdir()}
    assert len(names) == 3 and "thesis.npz" in names
    model().fit(X, Y, epochs=4, verbose=0, callbacks=[keras.callbacks.BackupAndRestore(tmp_path)])
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.npz"]
    assert other.read_bytes() == b"mine"


@pytest.mark.parametrize("damage", ["values", "state", "shape"])
def test_a_damaged_backup_leaves_the_model_alone(tmp_path: Path, damage: str) -> None:
    backup = keras.callbacks.BackupAndRestore(tmp_path, delete_checkpoint=False)
    model().fit(X, Y, epochs=1, verbose=0, callbacks=[backup])
    state = tmp_path / "tapeflow-backup.json"
    values = tmp_path / "tapeflow-backup-0.npz"
    if damage == "values":
        values.write_bytes(values.read_bytes()[:-100])
    elif damage == "state":
        state.write_text('{"epoch": 1, "values": "../thesis.npz"}', encoding="utf-8")
    else:
        with np.load(values) as saved:
            arrays = dict(saved)
        arrays[max(arrays, key=int)] = np.zeros((3, 3, 3))
        np.savez(values, **arrays)
    made = model()
    before = made.get_weights()
    with pytest.raises(ValueError, match="tapeflow-backup"):
        made.fit(X, Y, verbose=0, callbacks=[keras.callbacks.BackupAndRestore(tmp_path)])
    assert all(map(np.array_equal, made.get_weights(), before))


def test_a_damaged_backup_falls_back_to_the_one_before(tmp_path: Path) -> None:
    def trained(epochs: int, **kwargs: Any) -> Any:
        backup = keras.callbacks.BackupAndRestore(tmp_path, double_checkpoint=True, **kwargs)
        made = model()
        made.set_weights(weights)
        made.fit(X, Y, epochs=epochs, verbose=0, shuffle=False, callbacks=[backup])
        return made.get_weights()

    weights = model().get_weights()
    expected = trained(3)
    trained(2, delete_checkpoint=False)
    state = json.loads((tmp_path / "tapeflow-backup.json").read_text(encoding="utf-8"))
    (tmp_path / state["values"]).write_bytes(b"0")
    with pytest.warns(UserWarning, match="resumes from the backup before"):
        resumed = trained(3)
    for received, wanted in zip(resumed, expected, strict=True):
        np.testing.assert_allclose(received, wanted, rtol=1e-5)


@pytest.mark.parametrize(
    "callback",
    [
        keras.callbacks.LearningRateScheduler(lambda epoch: 0.1, verbose=1),
        keras.callbacks.EarlyStopping("loss", restore_best_weights=True, verbose=1),
    ],
)
def test_messages_are_logged_without_interactive_logging(
    callback: Any, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    keras.config.disable_interactive_logging()
    try:
        with caplog.at_level("INFO", logger="tapeflow"):
            model().fit(X, Y, verbose=0, callbacks=[callback])
    finally:
        keras.config.enable_interactive_logging()
    assert caplog.messages and not capsys.readouterr().out


def test_a_comparison_set_by_a_subclass_decides_what_is_better() -> None:
    class Highest(keras.callbacks.EarlyStopping):  # type: ignore[misc, name-defined]
        def _set_monitor_op(self) -> None:
            self.monitor_op = np.greater

    callback = Highest("score", min_delta=0.5, patience=2)
    assert told(callback, results("score", 1.0, 2.0, 2.4, 2.2, 9.0))[1] == 3


@pytest.mark.parametrize(
    "callback",
    [
        keras.callbacks.EarlyStopping(monitor="nothing"),
        keras.callbacks.ReduceLROnPlateau(monitor="nothing"),
        keras.callbacks.ModelCheckpoint("unused.keras", monitor="nothing", save_best_only=True),
    ],
)
def test_a_monitor_of_unknown_direction_is_an_error(callback: Any) -> None:
    with pytest.raises(ValueError, match="nothing"):
        model().fit(X, Y, verbose=0, callbacks=[callback])
