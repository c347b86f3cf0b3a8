"""How far the outputs, or the features, of a student are from those of its teacher."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.losses.lookup import KNOWN
from tapeflow._src.keras.saving.deserialization import located, read_object
from tapeflow._src.keras.saving.registry import LOSS
from tapeflow.keras import losses
from tapeflow.keras.saving import serialize_keras_object


def as_losses(structure: Any, owner: str) -> Any:
    """A structure of losses, with names looked up; one of them at least must not be None."""
    chosen = tf.keras.tree.map_structure(
        lambda item: losses.get(item) if isinstance(item, str) else item, structure
    )
    if all(loss is None for loss in tf.keras.tree.flatten(chosen)):
        raise ValueError(f"{owner}: `loss` needs at least one entry that is not None.")
    return chosen


def total(function: Any, structure: Any, teacher: Any, student: Any) -> Any:
    """The sum of what a function of a loss and two outputs computes, over a structure."""
    values = tf.keras.tree.map_structure(
        lambda loss, ours, theirs: 0.0 if loss is None else function(loss, ours, theirs),
        structure,
        teacher,
        student,
    )
    return tf.add_n([tf.convert_to_tensor(value) for value in tf.keras.tree.flatten(values)])


class DistillationLoss:
    """Base class of losses that a `Distiller` minimizes besides the loss of the student.

    A subclass defines `compute_loss`, and may check models and outputs first.
    """

    teacher_layer_name: str | None = None
    student_layer_name: str | None = None

    def compute_loss(self, teacher_outputs: Any, student_outputs: Any, **kwargs: Any) -> Any:
        """Return the loss of a batch, a scalar.

        Args:
            teacher_outputs: Outputs of the teacher, a tensor or a structure of them.
            student_outputs: Outputs of the student.
            **kwargs: Accepted for subclasses.
        """
        raise NotImplementedError(f"{type(self).__name__} must define `compute_loss`.")

    def validate_outputs(self, teacher_outputs: Any, student_outputs: Any) -> None:
        """Raise a ValueError unless outputs can be compared.

        Args:
            teacher_outputs: Outputs of the teacher.
            student_outputs: Outputs of the student.
        """
        tf.keras.tree.assert_same_structure(teacher_outputs, student_outputs)

    def validate_model_compatibility(self, teacher: Any, student: Any) -> None:
        """Raise a ValueError unless the loss can be computed for two models.

        Args:
            teacher: The model that teaches.
            student: The model that learns.
        """

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Create the loss that `get_config` described.

        Args:
            config: The dict.
        """
        with located(".loss"):
            loss = read_object(config.get("loss"), LOSS, named=KNOWN, required=False)
        return cls(**{**config, "loss": loss})


class FeatureDistillation(DistillationLoss):
    """Compares the outputs of a layer of the teacher with those of a layer of the student.

    Args:
        loss: the name of a loss or a loss, or a structure of them like that of the outputs.
        teacher_layer_name: the layer of the teacher; None compares the outputs of the models.
        student_layer_name: the layer of the student.

    >>> hidden = keras.distillation.FeatureDistillation("mse")
    >>> float(hidden.compute_loss(tf.zeros([2, 3]), tf.ones([2, 3])))
    1.0
    """

    def __init__(
        self,
        loss: Any = "mse",
        teacher_layer_name: str | None = None,
        student_layer_name: str | None = None,
    ) -> None:
        self.teacher_layer_name = teacher_layer_name
        self.student_layer_name = student_layer_name
        self.loss = as_losses(loss, "FeatureDistillation")

    def validate_model_compatibility(self, teacher: Any, student: Any) -> None:
        for role, model, layer in (
            ("teacher", teacher, self.teacher_layer_name),
            ("student", student, self.student_layer_name),
        ):
            names = (self.teacher_layer_name, self.student_layer_name)
            if names != (None, None) and getattr(model, "inputs", None) is None:
                raise ValueError(
                    f"FeatureDistillation reads layers of Functional and Sequential models only, "
                    f"but the {role} '{model.name}' has no symbolic inputs. Leave out the layer "
                    f"names to compare the outputs of the models."
                )
            if layer is not None:
                try:
                    model.get_layer(name=layer)
                except ValueError as error:
                    raise ValueError(f"FeatureDistillation, {role} model: {error}") from error

    def validate_outputs(self, teacher_outputs: Any, student_outputs: Any) -> None:
        super().validate_outputs(teacher_outputs, student_outputs)
        try:
            tf.keras.tree.assert_same_structure(self.loss, teacher_outputs)
        except ValueError as error:
            raise ValueError(
                f"FeatureDistillation: `loss` must have the structure of the outputs. {error}"
            ) from error

    def compute_loss(self, teacher_outputs: Any, student_outputs: Any, **kwargs: Any) -> Any:
        def mean(loss: Any, teacher: Any, student: Any) -> Any:
            return tf.reduce_mean(loss(teacher, student))

        return total(mean, self.loss, teacher_outputs, student_outputs)

    def get_config(self) -> dict[str, Any]:
        """Return the arguments that create the loss again."""
        return {
            "loss": serialize_keras_object(self.loss),
            "teacher_layer_name": self.teacher_layer_name,
            "student_layer_name": self.student_layer_name,
        }


class LogitsDistillation(DistillationLoss):
    """Compares the logits of both models, divided by a temperature.

    Args:
        temperature: above 1 it softens the distributions, so that small probabilities count.
        loss: the name of a loss or a loss, or a structure of them like that of the outputs. Of a
            `KLDivergence` object both sides are the softmax of the logits, and the value is
            multiplied by the square of the temperature. As in Keras, losses by name, the default
            too, are computed from the scaled logits themselves.

    >>> soft = keras.distillation.LogitsDistillation(2.0, keras.losses.KLDivergence())
    >>> float(soft.compute_loss(tf.ones([2, 3]), tf.ones([2, 3])))
    0.0
    """

    def __init__(self, temperature: float = 3.0, loss: Any = "kl_divergence") -> None:
        self.temperature = temperature
        self.loss = as_losses(loss, "LogitsDistillation")
        if not isinstance(temperature, (int, float)) or temperature <= 0.0:
            raise ValueError(
                f"LogitsDistillation: `temperature` must be a positive number. Received: "
                f"{temperature!r}"
            )

    def compute_loss(self, teacher_outputs: Any, student_outputs: Any, **kwargs: Any) -> Any:
        def softened(loss: Any, teacher: Any, student: Any) -> Any:
            teacher = tf.convert_to_tensor(teacher) / self.temperature
            student = tf.convert_to_tensor(student) / self.temperature
            if not isinstance(loss, losses.KLDivergence):
                return tf.reduce_mean(loss(teacher, student))
            divergence = loss(tf.nn.softmax(teacher), tf.nn.softmax(student))
            # Its gradients shrink with the square of the temperature.
            return tf.reduce_mean(divergence) * self.temperature**2

        return total(softened, self.loss, teacher_outputs, student_outputs)

    def get_config(self) -> dict[str, Any]:
        """Return the arguments that create the loss again."""
        return {"temperature": self.temperature, "loss": serialize_keras_object(self.loss)}
