"""The parsing spec that columns require of `tf.io.parse_example`."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.feature_column.column import FeatureColumn


def make_parse_example_spec(feature_columns: Any) -> dict[str, Any]:
    """Return the features that columns read, as `tf.io.parse_example` takes them.

    Args:
        feature_columns: A list of feature columns.

    Returns:
        A dict from names to `tf.io.FixedLenFeature` and `tf.io.VarLenFeature`.

    Example:
        >>> age = tf.feature_column.numeric_column("age")
        >>> tf.feature_column.make_parse_example_spec([age])
        {'age': FixedLenFeature(shape=(1,), dtype=tf.float32, default_value=None)}
    """
    features: dict[str, Any] = {}
    for column in feature_columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(f"Expected feature columns. Received: {column!r}")
        for key, feature in column.parse_example_spec.items():
            if features.setdefault(key, feature) != feature:
                raise ValueError(
                    f"Columns read the feature '{key}' in two ways: {features[key]} and {feature}."
                )
    return features
