"""Lists, dicts and tuples as attributes of layers: they know the variables of what they hold."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from tapeflow._src.core.trackable import (
    CHECKPOINT,
    DictWrapper,
    ListWrapper,
    NoDependency,
    Trackable,
    is_tracked,
    items_of,
)
from tapeflow._src.eager.variable import Variable


class TrackableDataStructure(Trackable):
    """A container that stands for what it holds: modules, layers, variables and containers."""

    def _trackable_children(self, save_type: str = CHECKPOINT, **kwargs: Any) -> dict[str, Any]:
        return items_of(self)

    @property
    def _values(self) -> list[Any]:
        """The items; those of a dict in the order of the keys."""
        if isinstance(self, dict):
            return [self[key] for key in sorted(self, key=str)]
        return list(self)  # type: ignore[call-overload, no-any-return]

    @property
    def trainable(self) -> bool:
        """Whether the variables are trained."""
        return bool(getattr(self, "_self_trainable", True))

    @trainable.setter
    def trainable(self, value: bool) -> None:
        self._self_trainable = bool(value)
        for item in self._values:
            if hasattr(item, "trainable") and not isinstance(item, Variable):
                item.trainable = value

    def _gathered(self, attribute: str, predicate: Callable[[Variable], bool]) -> list[Any]:
        variables = []
        for item in self._values:
            if isinstance(item, Variable):
                variables += [item] if predicate(item) else []
            elif hasattr(type(item), attribute):
                variables += getattr(item, attribute)
        return variables

    @property
    def trainable_weights(self) -> list[Any]:
        """The variables that are trained."""
        return (
            self._gathered("trainable_variables", lambda v: v.trainable) if self.trainable else []
        )

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The variables that are not trained."""
        if not self.trainable:
            return self._gathered("variables", lambda v: True)
        return self._gathered("non_trainable_variables", lambda v: not v.trainable)

    @property
    def weights(self) -> list[Any]:
        """All variables, those that are trained first."""
        return self.trainable_weights + self.non_trainable_weights

    trainable_variables, variables = trainable_weights, weights
    non_trainable_variables = non_trainable_weights

    @property
    def losses(self) -> list[Any]:
        """The losses of the layers that it holds."""
        return [loss for item in self._values for loss in getattr(item, "losses", ())]

    @property
    def updates(self) -> list[Any]:
        """The updates of the layers that it holds."""
        return [each for item in self._values for each in getattr(item, "updates", ())]


class List(TrackableDataStructure, ListWrapper):
    """A list whose items are wrapped, too."""

    def __init__(self, items: Any = ()) -> None:
        super().__init__(map(wrap_or_unwrap, items))

    def append(self, item: Any) -> None:
        """Add an item."""
        super().append(wrap_or_unwrap(item))

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, wrap_or_unwrap(value))

    def insert(self, index: Any, item: Any) -> None:
        """Add an item before another."""
        super().insert(index, wrap_or_unwrap(item))

    def __copy__(self) -> List:
        return List(self)


class Mapping(TrackableDataStructure, DictWrapper):
    """A dict whose values are wrapped, too."""

    def __init__(self, *items: Any, **more: Any) -> None:
        values = dict(*items, **more)
        super().__init__({key: wrap_or_unwrap(value) for key, value in values.items()})

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, wrap_or_unwrap(value))

    def __copy__(self) -> Mapping:
        return Mapping(self)


class Tuple(TrackableDataStructure, tuple[Any, ...]):
    """A tuple that holds something to track."""

    def __copy__(self) -> Tuple:
        return self


def wrap_or_unwrap(value: Any) -> Any:
    """Return a container that knows its variables; the value of a NoDependency."""
    if isinstance(value, NoDependency):
        return value.value
    kind = type(value)
    if kind is list:
        return List(value)
    if kind in (dict, OrderedDict):
        return Mapping(value)
    if kind is tuple and is_tracked(value):
        return Tuple(map(wrap_or_unwrap, value))
    return value
