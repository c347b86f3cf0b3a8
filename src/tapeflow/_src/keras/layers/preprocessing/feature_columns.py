"""`DenseFeatures` and `SequenceFeatures`: Keras 2's layers that evaluate `tf.feature_column`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow.__internal__ import feature_column as columns
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.initializers.lookup import KNOWN
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.saving.deserialization import in_safe_mode
from tapeflow._src.keras.saving.object_registration import known_objects
from tapeflow._src.keras.scopes import current_path, name_scope

# What a config must not make a layer read.
_PATHS = ("vocabulary_file", "ckpt_to_load_from")


class _State(columns.StateManager):
    """The state of columns, with values of checkpoints."""

    def restore_variable(
        self, feature_column: Any, name: str, checkpoint: str, tensor_name: Any
    ) -> None:
        value = tf.train.load_variable(checkpoint, tensor_name)
        self.get_variable(feature_column, name).assign(value)

    def tables(self) -> dict[str, dict[str, Any]]:
        """The tables by the names of their columns."""
        return {column.name: tables for column, tables in self._resources.items() if tables}

    def named_variables(self) -> dict[str, Any]:
        """The variables by the names that checkpoints have for them."""
        return {
            f"{column.name}/{name}": variable
            for column, variables in self._variables.items()
            for name, variable in variables.items()
        }


class FeaturesLayer(Layer):
    """Base class of feature column layers: the columns, sorted by name, and their state."""

    # The kind of the columns, and the method of theirs that computes the values of a batch.
    _kind: Any = columns.DenseColumn
    _method = "get_dense_tensor"

    def __init__(
        self,
        feature_columns: Any,
        trainable: bool = True,
        name: str | None = None,
        partitioner: Any = None,
        **kwargs: Any,
    ) -> None:
        if partitioner is not None:
            raise ValueError(
                f"{type(self).__name__}: variables are not partitioned here. Expected "
                f"`partitioner=None`, but received {partitioner!r}."
            )
        super().__init__(name=name, trainable=trainable, **kwargs)
        self._feature_columns = _sorted(feature_columns)
        for column in self._feature_columns:
            if not isinstance(column, self._kind):
                raise ValueError(
                    f"{type(self).__name__} expected columns of the kind {self._kind.__name__}: "
                    f"wrap a categorical column in an `embedding_column` or an "
                    f"`indicator_column`. Received: {column}"
                )
        self._state_manager = _State(self, self.trainable)
        self._allow_non_tensor_positional_args = True
        self.supports_jit = False
        self._values = [_function(column, self._method) for column in self._feature_columns]

    def build(self, input_shape: Any) -> None:
        for column in self._feature_columns:
            # Within the scope of the layer, and its own too: `add_weight` opens no further one.
            scope = column.name.replace("/", "_")
            with name_scope(scope, caller=self, override_parent=current_path()):
                column.create_state(self._state_manager)
        own = {id(variable) for variable in self._tpf_own_variables()}
        for variable in self._state_manager.named_variables().values():
            if id(variable) not in own:  # shared with another layer, which created it
                self._tpf_keep(variable)
                own.add(id(variable))

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        # The names that Keras 2 has for the variables and tables of columns.
        children = super()._trackable_children(save_type, **kwargs)
        own = {id(variable) for variable in self._tpf_own_variables()}
        children = {name: child for name, child in children.items() if id(child) not in own}
        children |= self._state_manager.named_variables()
        tables = self._state_manager.tables()
        return {**children, "_resources": tables} if tables else children

    def _cache(self, features: TensorLike) -> Any:
        if not isinstance(features, dict):
            raise ValueError(
                f"{type(self).__name__} expected a dict of features by name. Received: {features!r}"
            )
        return columns.FeatureTransformationCache(features)

    def _check_batches(self, tensors: list[Any]) -> None:
        sizes = {
            column.name: tensor.shape[0]
            for column, tensor in zip(self._feature_columns, tensors)
            if tensor.shape[0] is not None
        }
        if len(set(sizes.values())) > 1:
            raise ValueError(
                f"{type(self).__name__} '{self.name}': the features must have the same batch size. "
                f"Received the sizes {sizes}"
            )

    def _total(self) -> int:
        return sum(column.variable_shape.num_elements() for column in self._feature_columns)

    def get_config(self) -> dict[str, Any]:
        configs = [columns.serialize_feature_column(column) for column in self._feature_columns]
        return {**super().get_config(), "feature_columns": configs, "partitioner": None}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        if in_safe_mode() is not False:
            _refuse_paths(cls.__name__, config.get("feature_columns"))
        objects = {**KNOWN, **known_objects(custom_objects)}
        # Of both classes of this name, that of the columns: configs of TensorFlow mean it.
        objects.pop("TruncatedNormal", None)
        shared: dict[str, Any] = {}
        feature_columns = [
            columns.deserialize_feature_column(column, objects, shared)
            for column in config["feature_columns"]
        ]
        return cls(**{**config, "feature_columns": feature_columns})


class DenseFeatures(FeaturesLayer):
    """Evaluates feature columns, and joins what they compute to one matrix, sorted by name.

    The layer is called on a dict of features by name (Keras 2).

    Args:
        feature_columns: `numeric_column`, `bucketized_column`, `indicator_column`,
            `embedding_column` and `shared_embeddings` of `tf.feature_column`; one or a list.
        trainable: Whether the variables of columns are trained.
        partitioner: None: variables are not partitioned.

    Raises:
        ValueError: A column is of another kind, or two have the same name.

    Example:
        >>> FC = tf.feature_column
        >>> pet = FC.categorical_column_with_vocabulary_list("pet", ["cat", "dog"])
        >>> columns = [FC.numeric_column("age"), FC.indicator_column(pet)]
        >>> layer = tf.keras.layers.DenseFeatures(columns)
        >>> layer({"age": [[3.0], [8.0]], "pet": [["dog"], ["cat"]]}).numpy()
        array([[3., 0., 1.],
               [8., 1., 0.]], dtype=float32)
    """

    def call(self, features: Any, cols_to_output_tensors: Any = None, training: Any = None) -> Any:
        """Evaluate the columns.

        Args:
            features: Dict of features by name.
            cols_to_output_tensors: Dict that receives the part of each column; None for none.
            training: Whether the columns run as in training.

        Returns:
            A tensor of shape (batch, elements of all columns).

        Raises:
            ValueError: The features are no dict, or have several batch sizes.
        """
        cache = self._cache(features)
        outputs = []
        for column, values in zip(self._feature_columns, self._values):
            tensor = values(cache, self._state_manager, training)
            size = column.variable_shape.num_elements()
            outputs.append(tf.reshape(tensor, [tf.shape(tensor)[0], size]))
            if cols_to_output_tensors is not None:
                cols_to_output_tensors[column] = outputs[-1]
        self._check_batches(outputs)
        return tf.concat(outputs, -1)

    def compute_output_shape(self, input_shape: Any) -> tuple[int | None, ...]:
        """Return the batch size, and the number of all elements of the columns.

        Args:
            input_shape: Dict of the shapes of features, or one of the shapes.

        Returns:
            A tuple.
        """
        shapes = input_shape.values() if isinstance(input_shape, dict) else [input_shape]
        return (next(iter(shapes))[0], self._total())


class SequenceFeatures(FeaturesLayer):
    """Evaluates columns of sequences: returns them padded, and their lengths.

    The layer is called on a dict of features by name (Keras 2).

    Args:
        feature_columns: `sequence_numeric_column`, and `embedding_column` or `indicator_column` of
            `sequence_categorical_column_with_*`.
        trainable: Whether the variables of columns are trained.
        partitioner: None: variables are not partitioned.

    Raises:
        ValueError: A column is of another kind, or two have the same name.

    Example:
        >>> FC = tf.feature_column
        >>> layer = tf.keras.experimental.SequenceFeatures([FC.sequence_numeric_column("speed")])
        >>> values, lengths = layer({"speed": tf.sparse.from_dense([[1.0, 2.0], [3.0, 0.0]])})
        >>> values.shape, lengths.numpy()
        (TensorShape([2, 2, 1]), array([2, 1]))
    """

    _kind = columns.SequenceDenseColumn
    _method = "get_sequence_dense_tensor"

    def call(self, features: Any, training: Any = None) -> Any:
        """Evaluate the columns.

        Args:
            features: Dict of features by name.
            training: Whether the columns run as in training.

        Returns:
            A tensor of shape (batch, steps, elements), and the lengths of the sequences.
        """
        cache = self._cache(features)
        outputs, lengths = [], []
        for column, values in zip(self._feature_columns, self._values):
            tensor, length = values(cache, self._state_manager, training)
            size = column.variable_shape.num_elements()
            shape = tf.shape(tensor)
            outputs.append(tf.reshape(tensor, [shape[0], shape[1], size]))
            lengths.append(length)
        self._check_batches(lengths)
        for length in lengths[1:]:
            tf.debugging.assert_equal(lengths[0], length)
        return tf.concat(outputs, -1), lengths[0]


def _function(column: Any, method: str) -> Callable[[Any, Any, Any], Any]:
    """How a column is evaluated; some take `training` as well."""
    evaluate = getattr(column, method)
    if "training" in inspect.signature(evaluate).parameters:
        return lambda cache, state, training: evaluate(cache, state, training=training)
    return lambda cache, state, training: evaluate(cache, state)


def _sorted(feature_columns: Any) -> tuple[Any, ...]:
    """Sort columns by name; names must be unique."""
    if isinstance(feature_columns, columns.FeatureColumn):
        feature_columns = [feature_columns]
    if isinstance(feature_columns, dict):
        raise ValueError("Expected a list of feature columns. Received a dict.")
    unsorted = tuple(feature_columns)
    if not unsorted:
        raise ValueError("Expected at least one feature column. Received an empty list.")
    names: set[str] = set()
    for column in unsorted:
        if not isinstance(column, columns.FeatureColumn):
            raise ValueError(
                f"Expected feature columns. Received: {column!r} of type {type(column).__name__}"
            )
        if column.name in names:
            raise ValueError(
                f"Two columns are called '{column.name}'. Columns of one feature must differ in "
                f"their kind: drop one, or store the feature under a second name."
            )
        names.add(column.name)
    return tuple(sorted(unsorted, key=lambda column: column.name))


def _refuse_paths(layer: str, config: Any) -> None:
    """Raise a ValueError for a config that would have a file read."""
    if isinstance(config, dict):
        for key in _PATHS:
            if config.get(key) is not None:
                raise ValueError(
                    f"{layer}: a config cannot name files to be read. Received {key}="
                    f"{config[key]!r}. For a model that you trust, pass `safe_mode=False`, or "
                    f"create the columns in your program."
                )
        config = list(config.values())
    if isinstance(config, (list, tuple)):
        for item in config:
            _refuse_paths(layer, item)
