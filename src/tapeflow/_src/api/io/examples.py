"""`tf.io.parse_example` and related functions: messages as dicts of tensors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tapeflow._src.api.io.composing import ragged_from, sparse_from
from tapeflow._src.api.io.features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
)
from tapeflow._src.api.io.requests import Requests, requests
from tapeflow._src.composite.ragged.tensor import RaggedTensor
from tapeflow._src.composite.sparse_tensor import SparseTensor
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.array.shape import ensure_shape
from tapeflow._src.ops.io.examples import parse_example_v2
from tapeflow._src.ops.io.sequences import parse_sequence_example_v2

Features = Mapping[str, Any]
_OF_EXAMPLES = (
    VarLenFeature,
    SparseFeature,
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
)
_OF_CONTEXTS = (VarLenFeature, FixedLenFeature, RaggedFeature)
_OF_LISTS = (VarLenFeature, FixedLenSequenceFeature, RaggedFeature)


def parse_example(
    serialized: Any, features: Features, example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """Parse serialized `tf.train.Example` messages into a dict of tensors.

    Args:
        serialized: A vector of strings.
        features: A dict from names to `FixedLenFeature`, `VarLenFeature`, `RaggedFeature`, …
        example_names: Names of the examples for error messages.
        name: Name of the op in a graph.

    Returns:
        A dict with a tensor, `tf.SparseTensor` or `tf.RaggedTensor` per feature.

    Raises:
        ValueError: If `features` is empty, or a description is not supported.
        tf.errors.InvalidArgumentError: If a message cannot be parsed, or lacks a required feature.

    Example:
        >>> def example(age):
        ...     feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[age]))
        ...     features = tf.train.Features(feature={"age": feature})
        ...     return tf.train.Example(features=features).SerializeToString()
        >>> features = {"age": tf.io.FixedLenFeature([], tf.int64)}
        >>> tf.io.parse_example([example(3), example(5)], features)["age"].numpy()
        array([3, 5])
    """
    if not features:
        raise ValueError(
            f"`features` must name at least one feature to parse. Received: {features!r}"
        )
    requested = requests(features, _OF_EXAMPLES)
    for key, allowed in requested.may_be_missing.items():
        if not allowed:
            raise ValueError(
                f"Feature '{key}': examples of a batch have different lengths and are padded, so "
                f"FixedLenSequenceFeature needs allow_missing=True."
            )
        requested.dense_shapes[key] = (None, *requested.dense_shapes[key])
    serialized = dispatch.convert(serialized, dtypes.string)
    if requested.ragged and serialized.shape.rank is None:
        raise ValueError(
            "To parse ragged features, the rank of `serialized` must be known. Set it with "
            "`serialized.set_shape(...)`."
        )
    parts = _Outputs(_parse_examples(serialized, requested, example_names, name, name=name))
    single = serialized.shape.rank == 0
    sparse, dense = parts.sparse(requested.sparse), parts.dense(requested.dense)
    ragged = parts.ragged(requested.ragged, single)
    return _composed(features, sparse, dense, ragged)


@scoped("ParseExample")
def _parse_examples(
    serialized: Any, requested: Requests, example_names: Any, op_name: str | None, name: str | None
) -> Any:
    return parse_example_v2(
        serialized,
        _strings(example_names or []),
        _strings(list(requested.sparse)),
        _strings(list(requested.dense)),
        _strings(list(requested.ragged)),
        [requested.default_of(key) for key in requested.dense],
        num_sparse=len(requested.sparse),
        sparse_types=tuple(requested.sparse.values()),
        ragged_value_types=tuple(kind for kind, _ in requested.ragged.values()),
        ragged_split_types=tuple(splits for _, splits in requested.ragged.values()),
        dense_shapes=tuple(requested.dense_shapes.values()),
        name=op_name,
    )


def parse_single_example(
    serialized: Any, features: Features, example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """Parse one serialized `tf.train.Example` into a dict of tensors.

    Args:
        serialized: A scalar string.
        features: A dict from names to `FixedLenFeature`, `VarLenFeature`, `RaggedFeature`, …
        example_names: Name of the example for error messages.

    Returns:
        A dict with a tensor, `tf.SparseTensor` or `tf.RaggedTensor` per feature.

    Raises:
        ValueError: If `features` is empty, or `serialized` is not a scalar.

    Example:
        >>> floats = tf.train.FloatList(value=[1.0, 2.0])
        >>> features = tf.train.Features(feature={"x": tf.train.Feature(float_list=floats)})
        >>> message = tf.train.Example(features=features).SerializeToString()
        >>> specs = {"x": tf.io.FixedLenFeature([2], tf.float32)}
        >>> tf.io.parse_single_example(message, specs)["x"].numpy()
        array([1., 2.], dtype=float32)
    """
    if not features:
        raise ValueError("Invalid argument: features cannot be empty.")
    return _parse_single(serialized, features, example_names, name, name=name)


@scoped("ParseSingleExample")
def _parse_single(
    serialized: Any, features: Features, example_names: Any, inner: str | None, name: str | None
) -> dict[str, Any]:
    return parse_example(_scalar(serialized), features, example_names, inner)


def _scalar(serialized: Any) -> Any:
    tensor = dispatch.convert(serialized, dtypes.string)
    if tensor.shape.rank not in (0, None):
        raise ValueError("Input serialized must be a scalar")
    return ensure_shape(tensor, shape=()) if tensor.shape.rank is None else tensor


def parse_sequence_example(
    serialized: Any,
    context_features: Features | None = None,
    sequence_features: Features | None = None,
    example_names: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Parse serialized `tf.train.SequenceExample` messages.

    Args:
        serialized: A vector of strings.
        context_features: A dict from names to features of the context.
        sequence_features: A dict from names to features of the feature lists.
        example_names: Names of the examples for error messages.
        name: Name of the op in a graph.

    Returns:
        Three dicts: the context, the feature lists, and the lengths of dense feature lists.

    Raises:
        ValueError: If no feature is named.

    Example:
        >>> def numbers(*values):
        ...     return tf.train.Feature(int64_list=tf.train.Int64List(value=values))
        >>> lists = tf.train.FeatureLists(
        ...     feature_list={"word": tf.train.FeatureList(feature=[numbers(4), numbers(7)])}
        ... )
        >>> message = tf.train.SequenceExample(feature_lists=lists).SerializeToString()
        >>> specs = {"word": tf.io.FixedLenSequenceFeature([], tf.int64)}
        >>> _, parsed, sizes = tf.io.parse_sequence_example([message], sequence_features=specs)
        >>> parsed["word"].numpy(), sizes["word"].numpy()
        (array([[4, 7]]), array([2]))
    """
    if not (context_features or sequence_features):
        raise ValueError(
            "Name at least one feature to parse, in `context_features` or `sequence_features`."
        )
    return _of_sequences(
        serialized, context_features, sequence_features, example_names, name, name=name
    )


def _sequence_features(
    serialized: Any,
    context_features: Features | None,
    sequence_features: Features | None,
    example_names: Any,
    op_name: str | None,
    name: str | None,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    context = requests(context_features, _OF_CONTEXTS)
    lists = requests(sequence_features, _OF_LISTS)
    for key in lists.dense:
        if lists.dense_defaults[key] is not None:
            raise ValueError(
                f"Value feature_list.dense_defaults[{key}] must be None, got "
                f"{lists.dense_defaults[key]!r}"
            )
    serialized = dispatch.convert(serialized, dtypes.string)
    outputs = _parse_sequences(serialized, context, lists, example_names, op_name, name=op_name)
    parts = _Outputs(outputs)
    single = serialized.shape.rank == 0
    parsed = parts.sparse(context.sparse), parts.dense(context.dense)
    of_context = (*parsed, parts.ragged(context.ragged, single))
    sparse, dense, lengths = (
        parts.sparse(lists.sparse),
        parts.dense(lists.dense),
        parts.dense(lists.dense),
    )
    rows, splits = parts.ragged_lists(lists.ragged)
    found_lists = _composed(sequence_features or {}, sparse, dense, rows)
    if not single:
        _share_out(found_lists, sequence_features or {}, splits)
    return _composed(context_features or {}, *of_context), found_lists, lengths


_of_sequences = scoped("ParseSequenceExample")(_sequence_features)
_of_one_sequence = scoped("ParseSingleSequenceExample")(_sequence_features)


def _share_out(lists: dict[str, Any], features: Features, splits: dict[str, Any]) -> None:
    """Partition the rows of ragged features by the message that they came from."""
    for key, feature in features.items():
        if isinstance(feature, RaggedFeature):
            cutting = [getattr(p, "key", None) for p in feature.partitions[:1]]
            outer = splits[next(filter(None, cutting), feature.value_key or key)]
            lists[key] = RaggedTensor.from_row_splits(lists[key], outer, validate=False)


@scoped("ParseSequenceExample")
def _parse_sequences(
    serialized: Any,
    context: Requests,
    lists: Requests,
    example_names: Any,
    op_name: str | None,
    name: str | None,
) -> Any:
    missing = [lists.may_be_missing[key] for key in lists.dense]
    return parse_sequence_example_v2(
        serialized,
        _strings(example_names or []),
        _strings(list(context.sparse)),
        _strings(list(context.dense)),
        _strings(list(context.ragged)),
        _strings(list(lists.sparse)),
        _strings(list(lists.dense)),
        _strings(list(lists.ragged)),
        dispatch.convert(missing, dtypes.bool),
        [context.default_of(key) for key in context.dense],
        Ncontext_sparse=len(context.sparse),
        context_sparse_types=tuple(context.sparse.values()),
        context_ragged_value_types=tuple(kind for kind, _ in context.ragged.values()),
        context_ragged_split_types=tuple(splits for _, splits in context.ragged.values()),
        context_dense_shapes=tuple(context.dense_shapes.values()),
        Nfeature_list_sparse=len(lists.sparse),
        Nfeature_list_dense=len(lists.dense),
        feature_list_dense_types=tuple(lists.dense.values()),
        feature_list_sparse_types=tuple(lists.sparse.values()),
        feature_list_ragged_value_types=tuple(kind for kind, _ in lists.ragged.values()),
        feature_list_ragged_split_types=tuple(splits for _, splits in lists.ragged.values()),
        feature_list_dense_shapes=tuple(lists.dense_shapes.values()),
        name=op_name,
    )


def parse_single_sequence_example(
    serialized: Any,
    context_features: Features | None = None,
    sequence_features: Features | None = None,
    example_name: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parse one serialized `tf.train.SequenceExample` into context and feature lists.

    Args:
        serialized: A scalar string.
        context_features: A dict from names to features of the context.
        sequence_features: A dict from names to features of the feature lists.
        example_name: Name of the example for error messages.

    Returns:
        Two dicts: the context and the feature lists.

    Raises:
        ValueError: If no feature is named, or `serialized` is not a scalar.

    Example:
        >>> def numbers(*values):
        ...     return tf.train.Feature(int64_list=tf.train.Int64List(value=values))
        >>> lists = tf.train.FeatureLists(
        ...     feature_list={"word": tf.train.FeatureList(feature=[numbers(4), numbers(7)])}
        ... )
        >>> message = tf.train.SequenceExample(feature_lists=lists).SerializeToString()
        >>> specs = {"word": tf.io.FixedLenSequenceFeature([], tf.int64)}
        >>> _, parsed = tf.io.parse_single_sequence_example(message, sequence_features=specs)
        >>> parsed["word"].numpy()
        array([4, 7])
    """
    if not (context_features or sequence_features):
        raise ValueError(
            "Name at least one feature to parse, in `context_features` or `sequence_features`."
        )
    names = None if example_name is None else [example_name]
    context, lists, _ = _of_one_sequence(
        _scalar(serialized), context_features, sequence_features, names, name, name=name
    )
    return context, lists


def _strings(value: TensorLike) -> Any:
    return dispatch.convert(value, dtypes.string)


class _Outputs:
    """Consumes the flat outputs of a parsing op from the front."""

    def __init__(self, outputs: Any) -> None:
        self._left = list(outputs)

    def _take(self, count: int) -> list[Any]:
        head, self._left = self._left[:count], self._left[count:]
        return head

    def sparse(self, names: Mapping[str, Any]) -> dict[str, Any]:
        indices, values, shapes = (self._take(len(names)) for _ in range(3))
        parts = zip(names, indices, values, shapes, strict=True)
        return {key: SparseTensor(i, v, s) for key, i, v, s in parts}

    def dense(self, names: Mapping[str, Any]) -> dict[str, Any]:
        return dict(zip(names, self._take(len(names)), strict=True))

    def ragged(self, names: Mapping[str, Any], single: bool) -> dict[str, Any]:
        values, splits = self._take(len(names)), self._take(len(names))
        if single:
            return dict(zip(names, values, strict=True))
        return {
            key: RaggedTensor.from_row_splits(v, s, validate=False)
            for key, v, s in zip(names, values, splits, strict=True)
        }

    def ragged_lists(self, names: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the rows of all lists, and their row splits by message."""
        values, outer, inner = (self._take(len(names)) for _ in range(3))
        rows = {
            key: RaggedTensor.from_row_splits(v, i, validate=False)
            for key, v, i in zip(names, values, inner, strict=True)
        }
        return rows, dict(zip(names, outer, strict=True))


def _composed(
    features: Features, sparse: dict[str, Any], dense: dict[str, Any], ragged: dict[str, Any]
) -> dict[str, Any]:
    """Return the results by requested name: sparse, then dense, then ragged."""
    result: dict[str, Any] = {}
    for key in sorted(features):
        if isinstance(features[key], VarLenFeature):
            result[key] = sparse[key]
        elif isinstance(features[key], SparseFeature):
            result[key] = sparse_from(features[key], sparse)
    result |= dense
    for key in sorted(features):
        if isinstance(features[key], RaggedFeature):
            result[key] = ragged_from(key, features[key], ragged)
    return result
