"""TensorFlow 1's functions of datasets and iterators."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import nest


def get_output_classes(dataset_or_iterator: Any) -> Any:
    """Return the classes of the parts of an element."""
    return nest.map_structure(lambda spec: spec.value_type, dataset_or_iterator.element_spec)


def get_output_shapes(dataset_or_iterator: Any) -> Any:
    """Return the static shapes of the parts of an element."""
    return nest.map_structure(lambda spec: spec.shape, dataset_or_iterator.element_spec)


def get_output_types(dataset_or_iterator: Any) -> Any:
    """Return the dtypes of the parts of an element."""
    return nest.map_structure(lambda spec: spec.dtype, dataset_or_iterator.element_spec)
