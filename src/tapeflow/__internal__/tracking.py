"""Objects that checkpoints know: for libraries whose classes are no `tf.Module`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow.core.trackable import AutoTrackable as AutoTrackable
from tapeflow.core.trackable import DictWrapper as DictWrapper
from tapeflow.core.trackable import ListWrapper as ListWrapper
from tapeflow.core.trackable import Trackable as Trackable
from tapeflow.core.trackable import waiting_room as _waiting_room


def no_automatic_dependency_tracking(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return the method: children are those attributes that can be, whoever sets them."""
    return method


def wrap(value: Any) -> Any:
    """Return a container as checkpoints know it, other values as they are."""
    return _waiting_room(value)[0] if type(value) in (list, dict) else value


def sticky_attribute_assignment(trackable: Any, name: str, value: Any) -> Any:
    """Return the value that becomes an attribute; the object tracks it by itself."""
    return value
