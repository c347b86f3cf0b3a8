"""`tf.lite`: names that programs refer to; converting to TensorFlow Lite is refused."""

from __future__ import annotations

from enum import Enum as _Enum
from typing import Any, NoReturn

from tapeflow._src.api.lite import experimental as experimental
from tapeflow._src.api.lite.experimental import REASON as _REASON
from tapeflow._src.core.refused import refused_class as _refused_class


class OpsSet(_Enum):
    """Sets of ops that a converted model may use.

    Example:
        >>> tf.lite.OpsSet.TFLITE_BUILTINS.value
        'TFLITE_BUILTINS'
    """

    TFLITE_BUILTINS = "TFLITE_BUILTINS"
    SELECT_TF_OPS = "SELECT_TF_OPS"
    TFLITE_BUILTINS_INT8 = "TFLITE_BUILTINS_INT8"
    EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8 = (
        "EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8"
    )
    EXPERIMENTAL_STABLEHLO_OPS = "EXPERIMENTAL_STABLEHLO_OPS"


class Optimize(_Enum):
    """The goal of optimizing a converted model.

    Example:
        >>> tf.lite.Optimize.DEFAULT.value
        'DEFAULT'
    """

    DEFAULT = "DEFAULT"
    OPTIMIZE_FOR_SIZE = "OPTIMIZE_FOR_SIZE"
    OPTIMIZE_FOR_LATENCY = "OPTIMIZE_FOR_LATENCY"
    EXPERIMENTAL_SPARSITY = "EXPERIMENTAL_SPARSITY"


class RepresentativeDataset:
    """Holds a function that yields samples of a model's inputs.

    Args:
        input_gen: The function.
    """

    def __init__(self, input_gen: Any) -> None:
        self.input_gen = input_gen


Interpreter = _refused_class("Interpreter", "tf.lite", _REASON)
TargetSpec = _refused_class("TargetSpec", "tf.lite", _REASON)


class TFLiteConverter:
    """Not available: see the message of the error that its methods raise."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._refuse()

    @staticmethod
    def _refuse() -> NoReturn:
        raise NotImplementedError(f"tf.lite.TFLiteConverter: {_REASON}")

    @classmethod
    def from_keras_model(cls, model: Any) -> NoReturn:
        """Raise NotImplementedError: models are not converted here.

        Args:
            model: The model.
        """
        cls._refuse()

    @classmethod
    def from_saved_model(
        cls, saved_model_dir: Any, signature_keys: Any = None, tags: Any = None
    ) -> NoReturn:
        """Raise NotImplementedError: models are not converted here.

        Args:
            saved_model_dir: The folder of the model.
            signature_keys: The signatures.
            tags: The tags of the graph.
        """
        cls._refuse()

    @classmethod
    def from_concrete_functions(cls, funcs: Any, trackable_obj: Any = None) -> NoReturn:
        """Raise NotImplementedError: models are not converted here.

        Args:
            funcs: The functions.
            trackable_obj: The object that they belong to.
        """
        cls._refuse()
