"""The public namespace `tf.keras.optimizers.legacy`: names of Keras 2, which say what to do."""

from __future__ import annotations

from typing import Any


class LegacyOptimizerWarning:
    """Raises an error that says that optimizers of Keras 2 are not here."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise ImportError(
            "Keras 3 has no `keras.optimizers.legacy`: use the optimizer of the same name in "
            "`keras.optimizers`."
        )


Adagrad = Adam = Ftrl = Optimizer = RMSprop = SGD = LegacyOptimizerWarning
