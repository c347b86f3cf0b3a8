"""Checkpoints of TensorFlow 1, which hold variables by their own names and know no objects."""

from __future__ import annotations

from typing import Any

from tapeflow._src.checkpoint.bundle import BundleReader
from tapeflow._src.checkpoint.values import (
    Values,
    in_graphs,
    load_in_session,
    read_values,
    restore_all,
)
from tapeflow._src.core.trackable import Trackable
from tapeflow._src.eager.variable import Variable


class NameStatus:
    """The result of restoring variables by name."""

    def __init__(self, lost: list[Variable], pending: list[tuple[Variable, Values]]) -> None:
        self._lost = lost
        self._pending = pending

    def assert_consumed(self) -> NameStatus:
        """Raise AssertionError unless all variables were found; the checkpoint may hold more."""
        if self._lost:
            lines = [f"    {v!r}: [{v._shared_name!r}]" for v in self._lost]
            raise AssertionError(
                "These variables were not restored, the checkpoint lacks the names in brackets:\n"
                + "\n".join(lines)
            )
        return self

    def assert_existing_objects_matched(self) -> NameStatus:
        """Raise AssertionError unless all variables were found."""
        return self.assert_consumed()

    def assert_nontrivial_match(self) -> NameStatus:
        """Like `assert_consumed`."""
        return self.assert_consumed()

    def expect_partial(self) -> NameStatus:
        return self

    def initialize_or_restore(self, session: Any = None) -> None:
        """Restore the variables of a graph in a session; other values are restored at once."""
        self.run_restore_ops(session)

    def run_restore_ops(self, session: Any = None) -> None:
        """Restore the variables of a graph in a session; other values are restored at once."""
        load_in_session(self._pending, session)


def restore_by_name(reader: BundleReader, objects: list[Any]) -> NameStatus:
    """Restore the variables among `objects` by name from a checkpoint."""
    lost = []
    restored: list[tuple[Trackable, Values]] = []
    for value in objects:
        if not isinstance(value, Variable):
            continue
        if value._shared_name in reader.entries:
            restored.append(
                (value, read_values(reader, value, {"VARIABLE_VALUE": value._shared_name}))
            )
        else:
            lost.append(value)
    restore_all(restored)
    return NameStatus(lost, in_graphs(restored))
