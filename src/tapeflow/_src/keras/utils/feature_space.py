"""`FeatureSpace`: the columns of a table preprocessed, crossed and joined by one layer."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import DTypeLike, TensorLike
from tapeflow._src.keras.config import standardize_dtype
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.layers.core.input_layer import Input
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.layers.preprocessing.categories import as_tensor, check_option
from tapeflow._src.keras.layers.preprocessing.category_encoding import CategoryEncoding
from tapeflow._src.keras.layers.preprocessing.discretization import Discretization
from tapeflow._src.keras.layers.preprocessing.feature_space import (
    Cross,
    Feature,
    TFDConcat,
    TFDIdentity,
)
from tapeflow._src.keras.layers.preprocessing.hashed_crossing import HashedCrossing
from tapeflow._src.keras.layers.preprocessing.hashing import Hashing
from tapeflow._src.keras.layers.preprocessing.index_lookup import IndexLookup
from tapeflow._src.keras.layers.preprocessing.integer_lookup import IntegerLookup
from tapeflow._src.keras.layers.preprocessing.normalization import Normalization
from tapeflow._src.keras.layers.preprocessing.rescaling import Rescaling
from tapeflow._src.keras.layers.preprocessing.string_lookup import StringLookup
from tapeflow._src.keras.layers.preprocessing.text_vectorization import TextVectorization
from tapeflow._src.keras.saving.serialization import serialize_keras_object
from tapeflow._src.keras.utils.naming import auto_name


class FeatureSpace(Layer):
    """Preprocesses the columns of structured data, and joins them to one vector for each row.

    It is called on a dict of columns, in datasets too; `get_inputs` and `get_encoded_features`
    are for functional models.

    Args:
        features: for each column, the name of a kind ("float", "float_normalized",
            "float_rescaled", "float_discretized", "integer_categorical", "string_categorical",
            "integer_hashed", "string_hashed"), or what one of the methods of that name returns.
        output_mode: "concat" for one tensor, "dict" for one for each feature.
        crosses: pairs of columns whose combinations are hashed, or results of `cross`.
        crossing_dim: how many buckets a cross has by default.
        hashing_dim: how many buckets a hashed feature has by default.
        num_discretization_bins: how many bins a discretized feature has by default.

    >>> data = {"age": [20.0, 40.0], "city": ["Rome", "Bern"]}
    >>> space = tf.keras.utils.FeatureSpace({"age": "float", "city": "string_categorical"})
    >>> space.adapt(data)
    >>> space(data).numpy()
    array([[20.,  0.,  1.,  0.],
           [40.,  0.,  0.,  1.]], dtype=float32)
    """

    def __init__(
        self,
        features: dict[str, Any],
        output_mode: str = "concat",
        crosses: Any = None,
        crossing_dim: int = 32,
        hashing_dim: int = 32,
        num_discretization_bins: int = 32,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        if not features:
            raise ValueError("FeatureSpace: `features` must name at least one feature.")
        check_option("FeatureSpace", "output_mode", output_mode, ("dict", "concat"))
        self.crossing_dim = crossing_dim
        self.hashing_dim = hashing_dim
        self.num_discretization_bins = num_discretization_bins
        self.features = {key: self._feature_of(key, value) for key, value in features.items()}
        self.crosses = [self._cross_of(each) for each in crosses or ()]
        self.crosses_by_name = {cross.name: cross for cross in self.crosses}
        self.output_mode = output_mode
        self.inputs = {
            key: Input(shape=(1,), dtype=feature.dtype, name=key)
            for key, feature in self.features.items()
        }
        self.preprocessors = {key: feature.preprocessor for key, feature in self.features.items()}
        self.crossers = {
            cross.name: HashedCrossing(cross.crossing_dim, name=cross.name)
            for cross in self.crosses
        }
        self.encoded_features: Any = None
        self.one_hot_encoders: dict[str, Any] = {}
        self.concat: Any = None
        self._is_adapted = False
        self._sublayers_built = False

    def _feature_of(self, name: str, feature: Any) -> Feature:
        if isinstance(feature, Feature):
            return feature
        if isinstance(feature, dict):
            return Feature.from_serialized(feature)
        sizes: dict[str, tuple[int, ...]] = {
            "float": (),
            "float_normalized": (),
            "float_rescaled": (),
            "float_discretized": (self.num_discretization_bins,),
            "integer_categorical": (),
            "string_categorical": (),
            "integer_hashed": (self.hashing_dim,),
            "string_hashed": (self.hashing_dim,),
        }
        if feature not in sizes:
            raise ValueError(
                f"FeatureSpace: the kind of feature '{name}' must be one of {sorted(sizes)}. "
                f"Received: {feature!r}"
            )
        return getattr(self, feature)(*sizes[feature], name=name)

    def _cross_of(self, cross: Any) -> Cross:
        if isinstance(cross, Cross):
            return cross
        if isinstance(cross, dict):
            return Cross.from_serialized(cross)
        if not self.crossing_dim:
            raise ValueError("FeatureSpace: `crosses` need a `crossing_dim` of at least 1.")
        unknown = [key for key in cross if key not in self.features]
        if unknown:
            raise ValueError(
                f"FeatureSpace: the cross {cross} has features that are not among `features`: "
                f"{unknown}"
            )
        return Cross(cross, self.crossing_dim)

    # -- kinds of features -------------------------------------------------------------------

    @classmethod
    def cross(cls, feature_names: Any, crossing_dim: int, output_mode: str = "one_hot") -> Cross:
        """Describe the combination of features, hashed into `crossing_dim` buckets.

        Args:
            feature_names: Names of the features.
            crossing_dim: Number of buckets.
            output_mode: "one_hot" for a vector, "int" for the number of the bucket.
        """
        return Cross(feature_names, crossing_dim, output_mode)

    @classmethod
    def feature(cls, dtype: DTypeLike, preprocessor: Any, output_mode: str) -> Feature:
        """Describe a feature with a layer of your own.

        Args:
            dtype: Dtype of the column.
            preprocessor: The layer.
            output_mode: "float", "int" or "one_hot".
        """
        return Feature(dtype, preprocessor, output_mode)

    @classmethod
    def float(cls, name: str | None = None) -> Feature:
        """Describe a number that is used as it is."""
        name = name or auto_name("float")
        return Feature("float32", TFDIdentity(dtype="float32", name=_layer(name)), "float")

    @classmethod
    def float_rescaled(
        cls, scale: TensorLike = 1.0, offset: TensorLike = 0.0, name: str | None = None
    ) -> Feature:
        """Describe a number that is scaled and shifted.

        Args:
            scale: Factor.
            offset: Offset, added after it.
            name: Name of the feature.
        """
        name = name or auto_name("float_rescaled")
        return Feature("float32", Rescaling(scale, offset, name=_layer(name)), "float")

    @classmethod
    def float_normalized(cls, name: str | None = None) -> Feature:
        """Describe a number that is normalized by mean and variance of the data."""
        name = name or auto_name("float_normalized")
        return Feature("float32", Normalization(axis=-1, name=_layer(name)), "float")

    @classmethod
    def float_discretized(
        cls,
        num_bins: int,
        bin_boundaries: Any = None,
        output_mode: str = "one_hot",
        name: str | None = None,
    ) -> Feature:
        """Describe a number that is replaced by the index of a bin.

        Args:
            num_bins: Number of bins.
            bin_boundaries: Boundaries of the bins; None learns them from the data.
            output_mode: "one_hot" for a vector, "int" for the index.
            name: Name of the feature.
        """
        name = name or auto_name("float_discretized")
        layer = Discretization(bin_boundaries, num_bins, name=_layer(name))
        return Feature("float32", layer, output_mode)

    @classmethod
    def integer_categorical(
        cls,
        max_tokens: int | None = None,
        num_oov_indices: int = 1,
        output_mode: str = "one_hot",
        name: str | None = None,
    ) -> Feature:
        """Describe an integer that is looked up in a vocabulary.

        Args:
            max_tokens: Size of the vocabulary at most; None for no limit.
            num_oov_indices: Number of indices for values that are not in it.
            output_mode: "one_hot" for a vector, "int" for the index.
            name: Name of the feature.
        """
        name = name or auto_name("integer_categorical")
        layer = IntegerLookup(max_tokens, num_oov_indices, name=_layer(name))
        return Feature("int32", layer, output_mode)

    @classmethod
    def string_categorical(
        cls,
        max_tokens: int | None = None,
        num_oov_indices: int = 1,
        output_mode: str = "one_hot",
        name: str | None = None,
    ) -> Feature:
        """Describe a string that is looked up in a vocabulary.

        Args:
            max_tokens: Size of the vocabulary at most; None for no limit.
            num_oov_indices: Number of indices for values that are not in it.
            output_mode: "one_hot" for a vector, "int" for the index.
            name: Name of the feature.
        """
        name = name or auto_name("string_categorical")
        layer = StringLookup(max_tokens, num_oov_indices, name=_layer(name))
        return Feature("string", layer, output_mode)

    @classmethod
    def string_hashed(
        cls, num_bins: int, output_mode: str = "one_hot", name: str | None = None
    ) -> Feature:
        """Describe a string that is hashed to the number of a bucket.

        Args:
            num_bins: Number of buckets.
            output_mode: "one_hot" for a vector, "int" for the number.
            name: Name of the feature.
        """
        name = name or auto_name("string_hashed")
        return Feature("string", Hashing(num_bins, name=_layer(name)), output_mode)

    @classmethod
    def integer_hashed(
        cls, num_bins: int, output_mode: str = "one_hot", name: str | None = None
    ) -> Feature:
        """Describe an integer that is hashed to the number of a bucket.

        Args:
            num_bins: Number of buckets.
            output_mode: "one_hot" for a vector, "int" for the number.
            name: Name of the feature.
        """
        name = name or auto_name("integer_hashed")
        return Feature("int32", Hashing(num_bins, name=_layer(name)), output_mode)

    # -- adapting ----------------------------------------------------------------------------

    def _list_adaptable_preprocessors(self) -> list[str]:
        return [key for key, layer in self.preprocessors.items() if _learns(layer)]

    def adapt(self, dataset: Any) -> None:
        """Adapt the layers that learn something of the data, each on its column.

        Args:
            dataset: a dataset of dicts, or a dict of arrays or lists.
        """
        if isinstance(dataset, dict):
            dataset = tf.data.Dataset.from_tensor_slices(dataset)
        if not isinstance(dataset, tf.data.Dataset):
            raise ValueError(
                f"FeatureSpace.adapt expected a dict of columns, or a dataset of such dicts. "
                f"Received: {type(dataset).__name__}"
            )
        for name in self._list_adaptable_preprocessors():
            column = dataset.map(lambda row, name=name: row[name])
            rank = column.element_spec.shape.rank
            if rank == 0:
                column = column.batch(32)
            if rank in (0, 1):
                column = column.map(lambda x: tf.expand_dims(x, -1))
            self.preprocessors[name].adapt(column)
        self._is_adapted = True
        self.get_encoded_features()
        self.built = True
        self._sublayers_built = True

    def get_inputs(self) -> dict[str, Any]:
        """Return the KerasTensors of the raw features."""
        self._require_built()
        return self.inputs

    def get_encoded_features(self) -> Any:
        """Return the KerasTensor, or the dict of them, of the preprocessed features."""
        self._require_adapted()
        if self.encoded_features is None:
            self.encoded_features = self._encoded(self.inputs)
        return self.encoded_features

    def _require_adapted(self) -> None:
        if not self._is_adapted:
            waiting = self._list_adaptable_preprocessors()
            if waiting:
                raise ValueError(
                    f"FeatureSpace '{self.name}' is not adapted yet, but its features {waiting} "
                    f"depend on data: call its method `adapt` first."
                )
            self._is_adapted = True

    def _require_built(self) -> None:
        if not self._sublayers_built:
            self._require_adapted()
            self.get_encoded_features()
            self._sublayers_built = True

    # -- calling -----------------------------------------------------------------------------

    def _encoded(self, features: dict[str, Any]) -> Any:
        """The features preprocessed, crossed, encoded and joined."""
        outputs = {key: self.preprocessors[key](features[key]) for key in self.features}
        crossed = {
            cross.name: self.crossers[cross.name]([outputs[key] for key in cross.feature_names])
            for cross in self.crosses
        }
        ordered = {key: outputs[key] for key in sorted(outputs)}
        ordered |= {key: crossed[key] for key in sorted(crossed)}
        if not self._sublayers_built:
            self._make_encoders(ordered)
        for key, encoder in self.one_hot_encoders.items():
            ordered[key] = encoder(ordered[key])
        if self.output_mode == "dict":
            return ordered
        if self.concat is None:
            self._require_numbers(ordered)
            self.concat = TFDConcat(axis=-1)
        return self.concat(list(ordered.values()))

    def _make_encoders(self, outputs: dict[str, Any]) -> None:
        for key, value in outputs.items():
            spec = self.features.get(key) or self.crosses_by_name[key]
            if spec.output_mode != "one_hot" or key in self.one_hot_encoders:
                continue
            dtype = standardize_dtype(tf.nest.flatten(value)[0].dtype)
            if not dtype.startswith("int"):
                raise ValueError(
                    f"Feature '{key}' with output_mode='one_hot' needs a preprocessor that returns "
                    f"integers. It returns {dtype}."
                )
            layer = self.preprocessors.get(key) or self.crossers[key]
            self.one_hot_encoders[key] = CategoryEncoding(_cardinality(key, layer), "multi_hot")

    def _require_numbers(self, outputs: dict[str, Any]) -> None:
        for key, value in outputs.items():
            dtype = standardize_dtype(value.dtype)
            if dtype.startswith("int") or dtype == "string":
                raise ValueError(
                    f"Feature '{key}' is not encoded (its dtype is {dtype}), so it cannot be "
                    f"joined with others: use output_mode='dict', or 'one_hot' for the feature."
                )

    def __call__(self, data: Any) -> Any:
        self._require_built()
        if not isinstance(data, dict):
            raise ValueError(
                f"A FeatureSpace is called on a dict of columns. Received: {data} (of type "
                f"{type(data).__name__})"
            )
        if any(isinstance(value, KerasTensor) for value in data.values()):
            return self._encoded(data)
        columns = {key: as_tensor(value) for key, value in data.items() if key in self.features}
        single = any(value.shape.rank == 0 for value in columns.values())
        for key, value in columns.items():
            if value.shape.rank == 0:
                columns[key] = tf.reshape(value, [1, 1])
            elif value.shape.rank == 1:
                columns[key] = tf.expand_dims(value, -1)
        outputs = self._encoded(columns)
        if not single:
            return outputs
        if self.output_mode == "concat":
            return tf.squeeze(outputs, axis=0)
        return {
            key: tf.squeeze(value, axis=0) if value.shape.rank == 2 else value
            for key, value in outputs.items()
        }

    # -- files -------------------------------------------------------------------------------

    def get_config(self) -> dict[str, Any]:
        return {
            "features": serialize_keras_object(self.features),
            "output_mode": self.output_mode,
            "crosses": serialize_keras_object(self.crosses),
            "crossing_dim": self.crossing_dim,
            "hashing_dim": self.hashing_dim,
            "num_discretization_bins": self.num_discretization_bins,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        return cls(**config)

    def get_build_config(self) -> dict[str, Any]:
        return {key: layer.get_build_config() for key, layer in self.preprocessors.items()}

    def build_from_config(self, config: dict[str, Any]) -> None:
        for key, inner in config.items():
            layer = self.preprocessors[key]
            if not layer.built and inner is not None:
                layer.build_from_config(inner)
        self._is_adapted = True

    def save(self, filepath: Any) -> None:
        """Write the layer, with what it has learned, to a `.keras` file.

        Args:
            filepath: Path of the file.
        """
        tf.keras.saving.save_model(self, filepath)

    def save_own_variables(self, store: Any) -> None:
        pass

    def load_own_variables(self, store: Any) -> None:
        pass


def _layer(name: str) -> str:
    return f"{name}_preprocessor"


def _learns(layer: Any) -> bool:
    """Whether a layer is to be adapted."""
    if isinstance(layer, Normalization) and layer.input_mean is not None:
        return False
    if isinstance(layer, TextVectorization) and layer._has_input_vocabulary:
        return False
    return hasattr(layer, "adapt")


def _cardinality(name: str, layer: Any) -> int:
    if isinstance(layer, IndexLookup):
        return layer.vocabulary_size()
    if isinstance(layer, CategoryEncoding):
        return layer.num_tokens
    if isinstance(layer, Discretization) and layer.num_bins is None:
        return len(layer.bin_boundaries) + 1
    if isinstance(layer, (Discretization, HashedCrossing, Hashing)):
        return layer.num_bins  # type: ignore[return-value]
    raise ValueError(
        f"Feature '{name}' with output_mode='one_hot' has a preprocessor of your own, "
        f"{type(layer).__name__}, whose number of categories is not known: use output_mode='int'."
    )
