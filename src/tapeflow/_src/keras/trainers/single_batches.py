"""`train_on_batch`, `test_on_batch` and `predict_on_batch`: steps that the user calls."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.internal.user_errors import folds_errors
from tapeflow._src.keras.trainers import steps as stepping
from tapeflow._src.keras.trainers.data_adapters.arrays import as_tensor
from tapeflow._src.keras.trainers.data_adapters.class_weights import weights_of_samples


class SingleBatches:
    """The part of a model that trains, evaluates or predicts one batch at a time."""

    @folds_errors
    def train_on_batch(
        self: Any,
        x: Any,
        y: Any = None,
        sample_weight: Any = None,
        class_weight: Any = None,
        return_dict: bool = False,
        *,
        reset_metrics: bool = True,
    ) -> Any:
        """Train on one batch; returns its results.

        Args:
            x: Inputs of the batch.
            y: Labels.
            sample_weight: Weights of the samples.
            class_weight: Dict of class index to weight, instead of `sample_weight`.
            return_dict: Whether to return a dict instead of a list.
            reset_metrics: False, as in Keras 2, for results of all batches so far.

        Returns:
            The loss, or a list of it and the metrics, or a dict by name.

        Raises:
            ValueError: The model is not compiled, or both kinds of weights are passed.

        Example:
            >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
            >>> model.compile("sgd", "mse")
            >>> list(model.train_on_batch(np.ones((8, 2)), np.ones((8, 1)), return_dict=True))
            ['loss']
        """
        self._assert_compile_called()
        if class_weight is not None:
            if sample_weight is not None:
                raise ValueError(
                    "Pass `class_weight` or `sample_weight`, not both: each weights the samples."
                )
            sample_weight = weights_of_samples(y, class_weight)
        if reset_metrics:
            self.reset_metrics()
        logs = self.make_train_function()(iter([_batch(x, y, sample_weight)]))
        logs = stepping.as_numbers(logs)
        return logs if return_dict else self._tpf_in_order(logs)

    @folds_errors
    def test_on_batch(
        self: Any,
        x: Any,
        y: Any = None,
        sample_weight: Any = None,
        return_dict: bool = False,
        *,
        reset_metrics: bool = True,
    ) -> Any:
        """Evaluate one batch; returns its results.

        Args:
            x: Inputs of the batch.
            y: Labels.
            sample_weight: Weights of the samples.
            return_dict: Whether to return a dict instead of a list.
            reset_metrics: False, as in Keras 2, for results of all batches so far.

        Returns:
            The loss, or a list of it and the metrics, or a dict by name.

        Raises:
            ValueError: The model is not compiled.
        """
        self._assert_compile_called()
        if reset_metrics:
            self.reset_metrics()
        logs = self.make_test_function()(iter([_batch(x, y, sample_weight)]))
        logs = stepping.as_numbers(logs)
        return logs if return_dict else self._tpf_in_order(logs)

    @folds_errors
    def predict_on_batch(self: Any, x: Any) -> Any:
        """Compute the outputs of the model for one batch, as NumPy arrays.

        Args:
            x: Inputs of the batch.
        """
        outputs = self.make_predict_function()(iter([(tf.nest.map_structure(as_tensor, x),)]))
        return tf.nest.map_structure(joined, *outputs)


def _batch(x: Any, y: Any, sample_weight: Any) -> Any:
    """Return arrays as one batch."""
    parts = [x, *([] if y is None else [y]), *([] if sample_weight is None else [sample_weight])]
    return tuple(tf.nest.map_structure(as_tensor, part) for part in parts)


def joined(*parts: Any) -> Any:
    """Concatenate the results of batches."""
    if isinstance(parts[0], tf.RaggedTensor):
        return tf.concat(list(parts), axis=0)
    if isinstance(parts[0], tf.SparseTensor):
        return tf.sparse.concat(0, list(parts))
    arrays = [np.asarray(part) for part in parts]
    varying = [
        axis
        for axis in range(1, arrays[0].ndim)
        if len({array.shape[axis : axis + 1] for array in arrays}) > 1
    ]
    if not varying or len({array.ndim for array in arrays}) > 1:
        return np.concatenate(arrays)
    # Sequences of other lengths in each batch: the last axis that varies is the last ragged one.
    ragged = [tf.RaggedTensor.from_tensor(array, ragged_rank=varying[-1]) for array in arrays]
    return tf.concat(ragged, axis=0)
