"""Targets as estimators receive them, and as models are trained on them."""

from __future__ import annotations

from typing import Any

import numpy as np


class Columns:
    """Numbers: a vector is one column."""

    def __init__(self, y: Any) -> None:
        self.rank = y.ndim

    def encode(self, y: Any) -> Any:
        """Return targets as a matrix."""
        return y.reshape(-1, 1) if y.ndim == 1 else y

    def decode(self, outputs: Any) -> Any:
        """Return predictions in the form of the targets."""
        if self.rank == 1 and outputs.ndim == 2:
            return np.squeeze(outputs, axis=1)
        return outputs


class Classes(Columns):
    """Classes: one-hot vectors, in the sorted order of the classes of each column."""

    def __init__(self, y: Any) -> None:
        super().__init__(y)
        self.classes = [np.unique(column) for column in self._columns(y)]

    def _columns(self, y: Any) -> Any:
        return super().encode(y).T

    def encode(self, y: Any) -> Any:
        blocks = []
        for column, classes in zip(self._columns(y), self.classes, strict=True):
            blocks.append((column[:, None] == classes[None, :]).astype("float64"))
        return np.concatenate(blocks, axis=1)

    def decode(self, outputs: Any) -> Any:
        """Return the class of the largest output."""
        edges = np.cumsum([len(classes) for classes in self.classes])[:-1]
        parts = np.split(outputs, edges, axis=1)
        columns = [c[np.argmax(part, axis=1)] for c, part in zip(self.classes, parts, strict=True)]
        return super().decode(np.stack(columns, axis=1))
