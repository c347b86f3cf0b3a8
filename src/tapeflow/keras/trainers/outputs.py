"""The outputs of a model by name or place: which loss, metric, target or weight is for which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tapeflow as tf


class Outputs:
    """The outputs that a model has given, in order, with names where they have some."""

    def __init__(self, y_pred: Any, output_names: Sequence[str] | None) -> None:
        self.predictions = tf.nest.flatten(y_pred)
        self.count = len(self.predictions)
        self.by_key = isinstance(y_pred, dict) and len(y_pred) == self.count
        self.names: list[str] | None = None
        if self.by_key:
            self.names = sorted(y_pred)
        elif output_names is not None and len(output_names) == self.count:
            self.names = list(output_names)

    def name(self, place: int) -> str | None:
        """The name of an output; one alone needs none."""
        return None if self.names is None or self.count == 1 else self.names[place]

    def described(self, place: int) -> str:
        """An output as messages name it."""
        return f"'{self.names[place]}'" if self.names else f"number {place}"

    def aligned(self, structure: Any, what: str) -> list[Any]:
        """Targets or weights in the order of the outputs; None for each if there are none."""
        if structure is None:
            return [None] * self.count
        if isinstance(structure, dict):
            return self._by_name(structure, what)
        if isinstance(structure, (list, tuple)):
            leaves = tf.nest.flatten(structure)
        else:
            leaves = [structure]
        if len(leaves) == self.count:
            return leaves
        if what == "sample_weight" and len(leaves) == 1:
            return leaves * self.count
        names = f" {self.names}" if self.names else ""
        raise ValueError(
            f"y_true and y_pred have different structures: the model has {self.count} outputs"
            f"{names}, and there are {len(leaves)} of `{what}`."
        )

    def _by_name(self, structure: dict[str, Any], what: str) -> list[Any]:
        if self.count == 1 and len(structure) == 1:
            return tf.nest.flatten(structure)
        if self.names is None:
            raise ValueError(
                f"`{what}` is a dict with the keys {sorted(structure)}, but the outputs of the "
                f"model have no names. Pass a list of {self.count}."
            )
        unknown = sorted(set(structure) - set(self.names))
        if unknown:
            raise ValueError(
                f"`{what}` has the keys {unknown}, which no output of the model has. Its outputs "
                f"are {self.names}."
            )
        return [structure.get(name) for name in self.names]
