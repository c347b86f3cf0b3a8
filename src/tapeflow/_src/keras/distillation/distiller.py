"""`Distiller`: a model that trains a student on labels and on what a teacher predicts."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.models.model import Model
from tapeflow._src.keras.saving.deserialization import located, member, read_object
from tapeflow._src.keras.saving.registry import DISTILLATION_LOSS, LAYER
from tapeflow.keras import losses, metrics
from tapeflow.keras.saving import serialize_keras_object

_FINAL = "final_output"


class Distiller(Model):
    """Trains a student on labels and, at the same time, to resemble a teacher.

    The loss is `student_loss_weight` times the student's own, and the remaining share times the
    weighted sum of the distillation losses. The distiller predicts what the student predicts.

    Args:
        teacher: a trained model; it is frozen.
        student: the model to train, with the inputs and outputs of the teacher.
        distillation_losses: a `DistillationLoss`, or a list of them.
        distillation_loss_weights: a number for each of the list; 1 by default.
        student_loss_weight: between 0 and 1.

    >>> def new_model():
    ...     return keras.Sequential([keras.Input((4,)), keras.layers.Dense(2)])
    >>> distiller = keras.distillation.Distiller(
    ...     new_model(), new_model(), keras.distillation.LogitsDistillation(temperature=2.0)
    ... )
    >>> distiller.compile("sgd", "mse")
    >>> history = distiller.fit(tf.ones([4, 4]), tf.ones([4, 2]), verbose=0)
    >>> sorted(history.history)
    ['distillation_loss', 'loss', 'student_loss', 'total_loss']
    """

    def __init__(
        self,
        teacher: Any,
        student: Any,
        distillation_losses: Any,
        distillation_loss_weights: Any = None,
        student_loss_weight: float = 0.5,
        name: str | None = "distiller",
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        _check_models(teacher, student)
        _check_share(student_loss_weight)
        self.teacher = teacher
        self.student = student
        self.student_loss_weight = student_loss_weight
        several = isinstance(distillation_losses, (list, tuple))
        if distillation_losses is None:
            raise ValueError(
                "Distiller: `distillation_losses` must be a DistillationLoss or a list of them. "
                "Received: None"
            )
        self.distillation_losses = distillation_losses if several else [distillation_losses]
        weights = distillation_loss_weights if several else None
        self.distillation_loss_weights = weights or [1.0] * len(self.distillation_losses)
        if len(self.distillation_loss_weights) != len(self.distillation_losses):
            raise ValueError(
                f"Distiller: expected one of `distillation_loss_weights` for each of the "
                f"{len(self.distillation_losses)} losses. Received: {weights}"
            )
        for loss in self.distillation_losses:
            loss.validate_model_compatibility(teacher, student)
        self._teacher_feature_extractor = _extractor(
            teacher, self._layer_names("teacher_layer_name")
        )
        self._student_feature_extractor = _extractor(
            student, self._layer_names("student_layer_name")
        )
        self.teacher.trainable = False
        self._student_loss: Any = None
        self.student_loss_tracker = metrics.Mean(name="student_loss")
        self.distillation_loss_tracker = metrics.Mean(name="distillation_loss")
        self.total_loss_tracker = metrics.Mean(name="total_loss")

    def _layer_names(self, attribute: str) -> list[str]:
        names = [getattr(loss, attribute, None) for loss in self.distillation_losses]
        return list(dict.fromkeys(name for name in names if name))

    def compile(  # type: ignore[override]
        self, optimizer: Any = "adam", loss: Any = None, metrics: Any = None, **kwargs: Any
    ) -> None:
        """Prepare training; `loss` is that of the student on labels.

        Args:
            optimizer: An optimizer, or its name.
            loss: Loss of the student, its name, or a structure of them like that of the outputs.
            metrics: List of metrics of the student.
            **kwargs: Arguments of `Model.compile`.

        Raises:
            ValueError: `loss` is None, or `metrics` not a list.
        """
        if loss is None:
            raise ValueError("Distiller: `loss` must be the loss of the student. Received: None")
        if metrics is not None and not isinstance(metrics, (list, tuple)):
            raise ValueError(f"Distiller: `metrics` must be a list. Received: {metrics!r}")
        self._student_loss = tf.keras.tree.map_structure(losses.get, loss)
        super().compile(optimizer=optimizer, loss=None, metrics=metrics, **kwargs)

    def get_compile_config(self) -> dict[str, Any] | None:
        """Return the arguments of `compile`; the loss is that of the student."""
        config = super().get_compile_config()
        return config and {**config, "loss": serialize_keras_object(self._student_loss)}

    def compile_from_config(self, config: dict[str, Any]) -> None:
        """Compile, unless a config has no loss of the student: files of Keras have none.

        Args:
            config: The dict of `get_compile_config`.
        """
        if config.get("loss") is not None:
            super().compile_from_config(config)

    def call(self, inputs: Any, training: Any = None, **kwargs: Any) -> Any:
        """Return what the student predicts.

        Args:
            inputs: Inputs of the student.
            training: Whether it is training.
            **kwargs: Arguments of the student.
        """
        return self.student(inputs, training=training, **kwargs)

    def compute_loss(
        self,
        x: Any = None,
        y: Any = None,
        y_pred: Any = None,
        sample_weight: Any = None,
        training: bool = True,
    ) -> Any:
        """Return the weighted sum of the student's loss and of the distillation losses.

        Args:
            x: Inputs of the batch.
            y: Labels; None for no loss of the student.
            y_pred: Predictions of the student; None computes them.
            sample_weight: Accepted; not used.
            training: Whether it is training.
        """
        if y_pred is None:
            y_pred = self(x, training=training)
        share = self.student_loss_weight
        student_loss: Any = 0.0
        distillation_loss: Any = 0.0
        if share > 0.0 and y is not None:
            student_loss = self._loss_of_student(y, y_pred)
        if share < 1.0:
            distillation_loss = self._loss_of_distillation(x, y_pred)
        loss = share * student_loss + (1.0 - share) * distillation_loss
        self.student_loss_tracker.update_state(student_loss)
        self.distillation_loss_tracker.update_state(distillation_loss)
        self.total_loss_tracker.update_state(loss)
        return loss

    def _loss_of_student(self, y: Any, y_pred: Any) -> Any:
        values = tf.keras.tree.map_structure(
            lambda loss, labels, outputs: tf.reduce_mean(loss(labels, outputs)),
            self._student_loss,
            y,
            y_pred,
        )
        return tf.add_n(tf.keras.tree.flatten(values))

    def _loss_of_distillation(self, x: Any, y_pred: Any) -> Any:
        if self._teacher_feature_extractor is None:
            taught = {_FINAL: self.teacher(x, training=False)}
        else:
            taught = self._teacher_feature_extractor(x, training=False)
        learned = {_FINAL: y_pred}
        if self._student_feature_extractor is not None:
            learned = self._student_feature_extractor(x, training=True)
        total: Any = 0.0
        for loss, weight in zip(self.distillation_losses, self.distillation_loss_weights):
            teacher, student = taught[_FINAL], y_pred
            if getattr(loss, "teacher_layer_name", None) is not None:
                teacher = taught[loss.teacher_layer_name]
                student = learned[loss.student_layer_name or _FINAL]
            loss.validate_outputs(teacher, student)
            value = tf.convert_to_tensor(loss.compute_loss(teacher, student))
            if value.shape.rank != 0:
                raise ValueError(
                    f"{type(loss).__name__}.compute_loss must return a scalar. Received the shape "
                    f"{value.shape}"
                )
            total = total + weight * value
        return total

    def reset_metrics(self) -> None:
        """Reset all metrics, those of the losses too."""
        super().reset_metrics()
        self.student_loss_tracker.reset_state()
        self.distillation_loss_tracker.reset_state()
        self.total_loss_tracker.reset_state()

    def get_config(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "teacher": serialize_keras_object(self.teacher),
            "student": serialize_keras_object(self.student),
            "distillation_losses": [serialize_keras_object(x) for x in self.distillation_losses],
            "distillation_loss_weights": self.distillation_loss_weights,
            "student_loss_weight": self.student_loss_weight,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        given = dict(config)
        for role in ("teacher", "student"):
            with located(f".{role}"):
                given[role] = read_object(member(config, role, dict), LAYER, custom_objects)
        given["distillation_losses"] = []
        for number, loss in enumerate(member(config, "distillation_losses", list, tuple)):
            with located(f".distillation_losses[{number}]"):
                loss = read_object(loss, DISTILLATION_LOSS, custom_objects)
            given["distillation_losses"].append(loss)
        return cls(**given)


def _check_share(share: Any) -> None:
    if not isinstance(share, (int, float)) or not 0.0 <= share <= 1.0:
        raise ValueError(
            f"Distiller: `student_loss_weight` must be a number between 0 and 1. Received: "
            f"{share!r}"
        )


def _check_models(teacher: Any, student: Any) -> None:
    """Raise a ValueError unless two models take and return the same kinds of tensors."""
    for role, model in (("teacher", teacher), ("student", student)):
        if not isinstance(model, Model):
            raise ValueError(
                f"Distiller: the {role} must be a keras.Model. Received: {type(model).__name__}"
            )
    for side in ("inputs", "outputs"):
        taught, learned = getattr(teacher, side, None), getattr(student, side, None)
        if taught is None or learned is None:
            return
        tf.keras.tree.map_structure(
            lambda a, b, side=side: _check_alike(a, b, side), taught, learned
        )


def _check_alike(teacher: Any, student: Any, side: str) -> None:
    shapes = tuple(teacher.shape), tuple(student.shape)
    alike = len(shapes[0]) == len(shapes[1]) and all(
        a == b or a is None or b is None for a, b in zip(*shapes)
    )
    if not alike or teacher.dtype != student.dtype:
        raise ValueError(
            f"Distiller: the {side} of teacher and student must agree. Received the shape "
            f"{shapes[0]} of dtype {teacher.dtype} for the teacher, and {shapes[1]} of dtype "
            f"{student.dtype} for the student."
        )


def _extractor(model: Any, names: list[str]) -> Any:
    """A model that returns the outputs of layers by name, and the final output; None for none."""
    if not names:
        return None
    if getattr(model, "inputs", None) is None:
        raise ValueError(
            f"Distiller: model '{model.name}' has no symbolic inputs, so that its layers {names} "
            f"cannot be read."
        )
    final = model.layers[-1].output if isinstance(model, tf.keras.Sequential) else model.output
    outputs = {_FINAL: final} | {name: model.get_layer(name=name).output for name in names}
    return tf.keras.Model(model.inputs, outputs, name=f"{model.name}_multi_feature_extractor")
