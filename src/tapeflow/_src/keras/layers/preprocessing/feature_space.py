"""The features of a `FeatureSpace` and crosses of them."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.layers.preprocessing.categories import check_option
from tapeflow._src.keras.saving.deserialization import fail, member, read_object
from tapeflow._src.keras.saving.registry import LAYER
from tapeflow._src.keras.saving.serialization import serialize_keras_object


class _Spec:
    """Base class of objects serialized as a dict of class and config."""

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        return cls(**config)

    @classmethod
    def from_serialized(cls, serialized: dict[str, Any]) -> Any:
        """Read what `serialize_keras_object` has written; nothing but this class is created."""
        name = member(serialized, "class_name", str)
        if name != cls.__name__:
            raise fail(f"Expected the config of a {cls.__name__}, but received that of a {name}.")
        return cls.from_config(member(serialized, "config", dict))


class Cross(_Spec):
    """The combination of features, hashed into `crossing_dim` buckets."""

    def __init__(self, feature_names: Any, crossing_dim: int, output_mode: str = "one_hot") -> None:
        check_option("FeatureSpace.cross", "output_mode", output_mode, ("int", "one_hot"))
        self.feature_names = tuple(feature_names)
        self.crossing_dim = crossing_dim
        self.output_mode = output_mode

    @property
    def name(self) -> str:
        """The names of the features, joined."""
        return "_X_".join(self.feature_names)

    def get_config(self) -> dict[str, Any]:
        return {
            "feature_names": self.feature_names,
            "crossing_dim": self.crossing_dim,
            "output_mode": self.output_mode,
        }


class Feature(_Spec):
    """A column: its dtype, the layer that preprocesses it, and how the result is encoded."""

    def __init__(self, dtype: Any, preprocessor: Any, output_mode: str) -> None:
        check_option(
            "FeatureSpace.feature", "output_mode", output_mode, ("int", "one_hot", "float")
        )
        if isinstance(preprocessor, dict):
            preprocessor = read_object(preprocessor, LAYER)
        self.dtype = dtype
        self.preprocessor = preprocessor
        self.output_mode = output_mode

    def get_config(self) -> dict[str, Any]:
        return {
            "dtype": self.dtype,
            "preprocessor": serialize_keras_object(self.preprocessor),
            "output_mode": self.output_mode,
        }


class TFDConcat(Layer):
    """Joins encoded features along an axis."""

    def __init__(self, axis: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, xs: Any) -> Any:
        return tf.concat([tf.cast(x, self.compute_dtype) for x in xs], axis=self.axis)


class TFDIdentity(Layer):
    """A feature as it is."""

    def call(self, x: Any) -> Any:
        return x
