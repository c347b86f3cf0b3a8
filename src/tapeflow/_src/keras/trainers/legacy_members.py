"""Methods of models that only Keras 2 has."""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.argument_errors import keywords_of, suggestion
from tapeflow._src.keras.trainers.data_adapters.py_dataset import PyDataset


class LegacyTraining:
    """Members of models that Keras 2 has and Keras 3 dropped."""

    def reset_states(self) -> None:
        """Reset the states of all stateful layers."""
        model: Any = self
        for layer in model._flatten_layers(include_self=False):
            if getattr(layer, "stateful", False) and hasattr(layer, "reset_state"):
                layer.reset_state()

    def fit_generator(self, generator: Any, steps_per_epoch: Any = None, **kwargs: Any) -> Any:
        """Train on the batches of a generator, as `fit` does."""
        model: Any = self
        # Of what comes here, only a `PyDataset` can be shuffled.
        kwargs.setdefault("shuffle", isinstance(generator, PyDataset))
        return model.fit(generator, steps_per_epoch=steps_per_epoch, **kwargs)

    def evaluate_generator(self, generator: Any, steps: Any = None, **kwargs: Any) -> Any:
        """Evaluate the batches of a generator, as `evaluate` does."""
        model: Any = self
        return model.evaluate(generator, steps=steps, **kwargs)

    def predict_generator(self, generator: Any, steps: Any = None, **kwargs: Any) -> Any:
        """Predict for the batches of a generator, as `predict` does."""
        model: Any = self
        return model.predict(generator, steps=steps, **kwargs)


# Of Keras 2, which are settings of a `PyDataset` in Keras 3.
_QUEUE = ("max_queue_size", "workers", "use_multiprocessing")


def apply_queue_arguments(data: Any, arguments: dict[str, Any], method: Any) -> None:
    """Set `workers` and its kin on a `PyDataset`; other data is read by one thread, in order.

    Raises:
        ValueError: if there are other arguments.
    """
    unknown = [name for name in arguments if name not in _QUEUE]
    if unknown:
        raise ValueError(
            f"Argument(s) not recognized by `{method.__name__}`: {', '.join(map(repr, unknown))}. "
            f"{suggestion(unknown, (*keywords_of(method), *_QUEUE))}"
        )
    if isinstance(data, PyDataset):
        for name, value in arguments.items():
            setattr(data, name, value)
