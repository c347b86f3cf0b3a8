"""The outputs of a model by name or place: which loss, metric, target or weight is for which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tapeflow as tf


class Outputs:
    """The outputs that a model has given, in order, with names where they have some."""

    def __init__(self, y_pred: Any, output_names: Sequence[str] | None) -> None:
        self.structure = y_pred
        self.output_names = output_names
        self.predictions = tf.nest.flatten(y_pred)
        self.count = len(self.predictions)
        if output_names is not None and len(output_names) != self.count:
            self.output_names = None
        self.by_key = isinstance(y_pred, dict) and len(y_pred) == self.count
        # Whether there are structures inside of the structure of outputs.
        self.nested = isinstance(y_pred, (list, tuple, dict)) and len(y_pred) != self.count
        self.names: list[str] | None = None
        if self.by_key:
            self.names = sorted(y_pred)
        elif output_names is not None and len(output_names) == self.count:
            self.names = list(output_names)

    def order(self) -> list[int]:
        """Return the outputs in the order of the model's output names, for what is reported."""
        if not self.by_key or sorted(self.output_names or ()) != self.names:
            return list(range(self.count))
        return [self.names.index(name) for name in self.output_names or ()]

    def name(self, index: int) -> str | None:
        """The name of an output; one alone needs none."""
        return None if self.names is None or self.count == 1 else self.names[index]

    def described(self, index: int) -> str:
        """An output as messages name it."""
        return f"'{self.names[index]}'" if self.names else f"number {index}"

    def aligned(self, structure: Any, what: str, with_loss: Sequence[int] = ()) -> list[Any]:
        """Targets or weights in the order of the outputs; None for each if there are none.

        There may also be targets only for the outputs `with_loss`.
        """
        if structure is None:
            return [None] * self.count
        if _same_structure(structure, self.structure):
            return tf.nest.flatten(structure)
        if isinstance(structure, dict) and not self.nested:
            return self._by_name(structure, what)
        if isinstance(structure, (list, tuple, dict)):
            leaves = tf.nest.flatten(structure)
        else:
            leaves = [structure]
        if len(leaves) == self.count:
            return leaves
        if what == "sample_weight" and len(leaves) == 1:
            return leaves * self.count
        if len(leaves) == len(with_loss):
            by_place = dict(zip(with_loss, leaves))
            return [by_place.get(index) for index in range(self.count)]
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


def _same_structure(first: Any, second: Any) -> bool:
    """Whether two structures agree in keys and lengths; lists and tuples are alike."""
    if isinstance(first, dict) or isinstance(second, dict):
        return (
            isinstance(first, dict)
            and isinstance(second, dict)
            and first.keys() == second.keys()
            and all(_same_structure(value, second[key]) for key, value in first.items())
        )
    if isinstance(first, (list, tuple)) and isinstance(second, (list, tuple)):
        return len(first) == len(second) and all(map(_same_structure, first, second))
    return not isinstance(first, (list, tuple)) and not isinstance(second, (list, tuple))


def classification(target: Any, prediction: Any, name: str) -> str:
    """Return which kind of classification the shapes of targets and predictions fit."""
    target_rank = None if target is None else _rank(target)
    rank = _rank(prediction)
    if target_rank is None or rank is None:
        raise ValueError(
            f"'{name}' needs targets and static ranks to choose a classification. Pass one of "
            f"'binary_{name}', 'categorical_{name}' or 'sparse_categorical_{name}'."
        )
    target_last = target.shape[-1] if target_rank else None
    last = prediction.shape[-1] if rank else None
    if last == 1:
        return "binary"
    if target_rank < rank or (target_last == 1 and last and last > 1):
        return "sparse_categorical"
    return "categorical"


def _rank(value: Any) -> int | None:
    """Return the static rank: of a tensor, whose shape may be unknown, or of an array."""
    shape = value.shape
    return len(shape) if isinstance(shape, tuple) else shape.rank
