"""Stores of the variables that `tf.compat.v1.get_variable` shares by name."""

from __future__ import annotations

from tapeflow._src.compat.v1.variable_store import VariableStore as VariableStore
from tapeflow._src.compat.v1.variable_store import entered_store as entered_store
from tapeflow._src.compat.v1.variable_store import use_store as use_store
