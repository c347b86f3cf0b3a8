"""`ignore_errors`: skip elements that raise errors."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core.errors import OpError
from tapeflow._src.core.log import logger
from tapeflow._src.core.registry import Variant
from tapeflow._src.data.dataset_op import dataset_op
from tapeflow._src.data.recipe import DatasetLike, Recipe, described, unchanged
from tapeflow._src.data.stage import Cursor, Element, Stage


class IgnoreErrors(Stage):
    """The elements of a stage that raise no error."""

    def __init__(self, source: Stage, log_warning: bool) -> None:
        self._source = source
        self._log = log_warning

    def cursor(self) -> Cursor:
        return _IgnoringCursor(self._source.cursor(), self._log)


class _IgnoringCursor(Cursor):
    def __init__(self, source: Cursor, log_warning: bool) -> None:
        self._source = source
        self._log = log_warning

    def __next__(self) -> Element:
        while True:
            try:
                return next(self._source)
            except OpError as error:
                if self._log:
                    logger.warning("Error raised with error message %s", error)

    def get_state(self) -> Any:
        return self._source.get_state()

    def set_state(self, state: Any) -> None:
        self._source.set_state(state)


@dataset_op("IgnoreErrorsDataset")
def ignore_errors_dataset(
    xp, input_dataset: Variant, *, output_types, output_shapes, log_warning=False
):
    """Return a dataset of the elements that can be made."""
    return IgnoreErrors(input_dataset, log_warning)


def ignore_errors(dataset: DatasetLike, log_warning: bool, name: str | None) -> Recipe:
    """Skip elements that raise errors."""
    variant = ignore_errors_dataset(
        dataset._variant_tensor, log_warning=log_warning, **described(dataset._layout), name=name
    )
    return unchanged("_IgnoreErrorsDataset", dataset, variant)
