"""`LateEntries`: what a lookup table is filled with once a vocabulary is known."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike


class LateEntries(tf.lookup.KeyValueTensorInitializer):
    """The entries of a table that come later: looking something up before that raises."""

    def __init__(self, key_dtype: str, value_dtype: str) -> None:
        super().__init__([], [], key_dtype, value_dtype)
        self._dtypes = key_dtype, value_dtype
        self._has_entries = False

    def initialize(self, table: Any) -> None:
        """Put the entries into a table, if they are there."""
        if self._has_entries:
            super().initialize(table)

    def fill(self, table: Any, keys: Any, values: TensorLike) -> None:
        """Take the entries, and put them into the table."""
        super().__init__(keys, values, *self._dtypes)
        self._has_entries = True
        self.initialize(table)
