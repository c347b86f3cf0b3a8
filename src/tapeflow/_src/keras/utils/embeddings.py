"""Embeddings carried over to another vocabulary."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.keras import initializers


def warmstart_embedding_matrix(
    base_vocabulary: Any,
    new_vocabulary: Any,
    base_embeddings: Any,
    new_embeddings_initializer: Any = "uniform",
) -> Any:
    """Return embeddings for a new vocabulary: old rows for known terms, new ones for the others.

    Args:
        base_vocabulary: the terms of the rows of `base_embeddings`: a list, tuple, array or
            tensor, or the path of a file with a term on each line.
        new_vocabulary: the terms of the rows of the result, in the same forms.
        base_embeddings: a matrix.
        new_embeddings_initializer: makes the rows of terms that are new.

    Returns:
        A matrix with a row for each term of `new_vocabulary`.

    Raises:
        ValueError: A vocabulary is empty, or of another type.

    Example:
        >>> tf.keras.utils.warmstart_embedding_matrix(
        ...     ["a", "b"], ["b", "c"], np.array([[1.0, 1.0], [2.0, 2.0]], "float32"), "zeros"
        ... ).numpy()
        array([[2., 2.],
               [0., 0.]], dtype=float32)
    """
    known = {term: row for row, term in enumerate(_terms(base_vocabulary))}
    terms = _terms(new_vocabulary)
    base = np.asarray(base_embeddings)
    make = initializers.get(new_embeddings_initializer)
    matrix = np.array(make(shape=(len(terms), base.shape[1]), dtype=base.dtype.name))
    for row, term in enumerate(terms):
        if term in known:
            matrix[row] = base[known[term]]
    return tf.constant(matrix)


def _terms(vocabulary: Any) -> list[Any]:
    if isinstance(vocabulary, str):
        with open(vocabulary, encoding="utf-8") as file:
            terms: list[Any] = file.read().splitlines()
    elif isinstance(vocabulary, (np.ndarray, tuple, list)) or tf.is_tensor(vocabulary):
        terms = np.asarray(vocabulary).tolist()
    else:
        raise ValueError(
            f"A vocabulary must be a list, tuple, array, tensor or the path of a file. Received: "
            f"{type(vocabulary).__name__}"
        )
    if not terms:
        raise ValueError("A vocabulary must have at least one term. Received an empty one.")
    return [term.decode() if isinstance(term, bytes) else term for term in terms]
