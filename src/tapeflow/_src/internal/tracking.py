"""Objects that checkpoints know: for libraries whose classes are no `tf.Module`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, NoReturn

from tapeflow._src.checkpoint.object_graph import ObjectGraph as _ObjectGraph
from tapeflow._src.core.reference import Reference as _Reference
from tapeflow._src.core.trackable import AutoTrackable as AutoTrackable
from tapeflow._src.core.trackable import DictWrapper as DictWrapper
from tapeflow._src.core.trackable import ListWrapper as ListWrapper
from tapeflow._src.core.trackable import NoDependency as _NoDependency
from tapeflow._src.core.trackable import Trackable as Trackable
from tapeflow._src.core.trackable import track_again as _track_again
from tapeflow._src.core.trackable import untrack as _untrack
from tapeflow._src.internal.data_structures import TrackableDataStructure as TrackableDataStructure
from tapeflow._src.internal.data_structures import wrap_or_unwrap as _wrap_or_unwrap
from tapeflow._src.internal.decorator import make_decorator as _make_decorator


@contextmanager
def no_automatic_dependency_tracking_scope(obj: Any) -> Iterator[None]:
    """Exclude the attributes that the block sets on an object from its children."""
    before = dict(getattr(obj, "__dict__", {}))
    was = getattr(obj, "_self_setattr_tracking", True)
    obj._self_setattr_tracking = False
    try:
        yield
    finally:
        obj._self_setattr_tracking = was
        now = getattr(obj, "__dict__", {})
        _untrack(obj, [name for name in now if before.get(name, obj) is not now[name]])


def no_automatic_dependency_tracking(method: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a method: the attributes that it sets are not tracked as children."""

    @functools.wraps(method)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        with no_automatic_dependency_tracking_scope(self):
            return method(self, *args, **kwargs)

    return _make_decorator(method, call)


def wrap(value: Any) -> Any:
    """Return a container as checkpoints know it, other values as they are."""
    return _wrap_or_unwrap(value)


def sticky_attribute_assignment(trackable: Any, name: str, value: Any) -> Any:
    """Return the value that becomes an attribute: containers are wrapped, and tracked again."""
    if isinstance(value, _NoDependency):
        _untrack(trackable, [name])
        return value.value
    _track_again(trackable, name)
    waiting = getattr(trackable, "__dict__", {}).get("_tpf_waiting")
    value = _wrap_or_unwrap(value)
    return value if waiting is None else waiting.placed(name, value)


class DelegatingTrackableMixin:
    """Stands for another object in checkpoints."""

    def __init__(self, trackable_obj: Any) -> None:
        self._trackable = trackable_obj

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        return self._trackable._trackable_children(save_type, **kwargs)  # type: ignore[no-any-return]

    def _track_trackable(self, trackable: Any, name: str, overwrite: bool = False) -> Any:
        return self._trackable._track_trackable(trackable, name, overwrite)

    def _serialize_to_tensors(self) -> Any:
        return self._trackable._serialize_to_tensors()

    def _restore_from_tensors(self, restored_tensors: Any) -> Any:
        return self._trackable._restore_from_tensors(restored_tensors)

    def _tpf_children_in(self, stored: Any) -> Any:
        return self._trackable._tpf_children_in(stored)

    def _tpf_slot(self, name: str, variable: Any) -> Any:
        return self._trackable._tpf_slot(name, variable)


class TrackableReference(NamedTuple):
    """A child and its name."""

    name: str
    ref: Any


class ObjectGraphView:
    """The objects that hang together with a root."""

    def __init__(self, root: Any, attached_dependencies: Any = None) -> None:
        self.root = root
        self._attached = {each.name: each.ref for each in attached_dependencies or ()}

    def breadth_first_traversal(self) -> tuple[list[Any], Any]:
        """Return all objects, the root first, and the references on the way to each of them."""
        graph = _ObjectGraph(self.root, self._attached, strict=False)
        return [node.value for node in graph.nodes], references_by_object(graph)


def references_by_object(graph: _ObjectGraph) -> _PathsByIdentity:
    """Return the references on the way to each object of a graph."""
    paths = _PathsByIdentity()
    for node in graph.nodes:
        references, at = [], graph.nodes[0]
        for name in node.path:
            at = graph.nodes[at.children[name]]
            references.append(TrackableReference(name, at.value))
        paths[node.value] = tuple(references)
    return paths


class _PathsByIdentity:
    """References by the identity of objects, which may not be hashable."""

    def __init__(self) -> None:
        self._paths: dict[_Reference, tuple[TrackableReference, ...]] = {}

    def __setitem__(self, key: Any, value: tuple[TrackableReference, ...]) -> None:
        self._paths[_Reference(key)] = value

    def __getitem__(self, key: Any) -> tuple[TrackableReference, ...]:
        return self._paths[_Reference(key)]

    def __contains__(self, key: Any) -> bool:
        return _Reference(key) in self._paths


class CheckpointInitialValueCallable:
    """The value that a checkpoint has for a variable that is not there yet. A name for isinstance:
    here such values are assigned when the variable becomes a child."""

    def __init__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(
            "Variables are restored when they are assigned to an attribute: create the variable "
            "with an initial value of its own."
        )


class CheckpointInitialValue(CheckpointInitialValueCallable):
    """The same as a tensor."""


_session_providers: list[Callable[[], Any]] = []


def register_session_provider(session_provider: Callable[[], Any]) -> None:
    """Register who knows the session that graphs run in."""
    _session_providers.append(session_provider)


def saveable_objects_from_trackable(obj: Any, tf1_saver: bool = False) -> dict[str, Any]:
    """Return who saves each of the values that an object has, by name."""
    return {name: functools.partial(_Saveable, obj, name) for name in obj._serialize_to_tensors()}


class _SaveSpec(NamedTuple):
    """A tensor that is saved."""

    tensor: Any
    name: str


class _Saveable:
    """One value of an object: how it is read and written."""

    def __init__(self, obj: Any, key: str, name: str = "") -> None:
        self.name, self._object, self._key = name, obj, key

    @property
    def specs(self) -> list[_SaveSpec]:
        """The tensors to save."""
        return [_SaveSpec(self._object._serialize_to_tensors()[self._key], self.name)]

    def restore(self, restored_tensors: Any, restored_shapes: Any) -> Any:
        """Take over values."""
        return self._object._restore_from_tensors({self._key: restored_tensors[0]})


def streaming_restore(status: Any, session: Any = None) -> None:
    """Restore the variables of a graph in a session, now and as they are created."""
    status.initialize_or_restore(session)
