"""Objects with named children, which checkpoints and SavedModels traverse.

An object is identified by the names on the path to it, so a tree of objects can be restored by a
program that rebuilds it, also piece by piece: stored values of a child that does not exist yet are
deferred at the parent until a child of that name is assigned. Lists, dicts and tuples are children,
too; one that a checkpoint has more items for is wrapped to notice additions.
"""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Protocol

CHECKPOINT = "checkpoint"
SAVED_MODEL = "savedmodel"
GENERIC_OBJECT = "_generic_user_object"
_UNTRACKED = ("__class__", "__dict__", "__weakref__")
_function_types: list[type] = []


class Restoration(Protocol):
    """A checkpoint that is being restored."""

    def place(self, value: Any, node: int) -> Any:
        """Restore `value` from a node; return it, or the container that replaces it."""


class StoredObject(Protocol):
    """An object in a checkpoint: its number, and the numbers of its children by name."""

    number: int
    children: dict[str, int]

    def child(self, name: str) -> StoredObject:
        """Return the child of that name."""


class Trackable:
    """An object that checkpoints know: it may have children, and values of its own."""

    # The values are listed together under this name, if not each under its own.
    _tpf_checkpoint_attribute: str | None = None
    # Every object has the attribute: Keras 3 saves attributes that a new object does not have, and
    # would treat the children as further layers.
    _tpf_named_children: Mapping[str, Any] = MappingProxyType({})

    def _trackable_children(self, save_type: str = CHECKPOINT, **kwargs: Any) -> dict[str, Any]:
        """Return the children by name."""
        return dict(self.__dict__.get("_tpf_named_children", ()))

    def _track_trackable(self, trackable: Any, name: str, overwrite: bool = False) -> Any:
        """Make an object the child of that name; libraries use it for children that are no
        attributes.

        Raises:
            ValueError: there is another child of that name, and it is not to be replaced.
        """
        children = self.__dict__.setdefault("_tpf_named_children", {})
        if not overwrite and children.get(name, trackable) is not trackable:
            raise ValueError(f"There is a child {name!r} already: {children[name]!r}.")
        waiting = self.__dict__.get("_tpf_waiting")
        children[name] = trackable if waiting is None else waiting.placed(name, trackable)
        return trackable

    def _add_variable_with_custom_getter(
        self,
        name: str,
        shape: Any = None,
        dtype: Any = None,
        initializer: Any = None,
        getter: Callable[..., Any] | None = None,
        overwrite: bool = False,
        **kwargs_for_getter: Any,
    ) -> Any:
        """Create a variable with a function of a library as the child of that name."""
        if getter is None:
            raise ValueError(f"Expected a getter for the variable {name!r}, received None.")
        variable = getter(
            name=name, shape=shape, dtype=dtype, initializer=initializer, **kwargs_for_getter
        )
        if overwrite and not isinstance(variable, Trackable):
            return variable
        return self._track_trackable(variable, name, overwrite)

    def _lookup_dependency(self, name: str, cached_dependencies: Any = None) -> Any:
        """Return the child of that name, or None."""
        children = self._trackable_children() if cached_dependencies is None else None
        return (cached_dependencies or children or {}).get(name)

    def _handle_deferred_dependencies(self, name: str, trackable: Any) -> None:
        """Restore the deferred values of a child of that name."""
        waiting = self.__dict__.get("_tpf_waiting")
        if waiting is not None:
            waiting.placed(name, trackable)

    @property
    def _setattr_tracking(self) -> bool:
        """Whether attributes become children; libraries switch it off temporarily."""
        return bool(getattr(self, "_self_setattr_tracking", True))

    @_setattr_tracking.setter
    def _setattr_tracking(self, value: bool) -> None:
        self._self_setattr_tracking = value

    def _maybe_initialize_trackable(self) -> None:
        """Do nothing: children are always tracked."""

    @property
    def _object_identifier(self) -> str:
        """The kind of object that SavedModels store."""
        return GENERIC_OBJECT

    @property
    def _self_unconditional_dependency_names(self) -> dict[str, Any]:
        """The children by name, in the form that libraries read."""
        return self._trackable_children()

    def _delete_tracking(self, name: str) -> None:
        """Stop tracking the child of that name; the attribute stays."""
        self.__dict__.get("_tpf_named_children", {}).pop(name, None)
        untrack(self, [name])

    def _no_dependency(self, value: Any) -> Any:
        """Return the value of an untracked attribute; classes that wrap attributes mark it."""
        return value

    def _tpf_children_in(self, stored: StoredObject) -> dict[str, Any]:
        """Return the children by the names in a checkpoint, which may be of another version.

        stored: the checkpoint's entry for this object.
        """
        return self._trackable_children()

    def _tpf_saved_children(self) -> dict[str, Any]:
        """Return the children by the names that checkpoints are written with."""
        return self._trackable_children()

    def _tpf_slot(self, name: str, variable: Any) -> Any:
        """Return the slot of that name for a variable, as of optimizers; else None."""
        return None

    def _tpf_save_model(self, export_dir: Any, signatures: Any, options: Any) -> bool:
        """Save itself as a SavedModel with a layout of its own; return whether it has one."""
        return False

    def _serialize_to_tensors(self) -> dict[str, Any]:
        """Return the values that are saved, by name."""
        return {}

    def _tpf_check_restored(self, restored_tensors: dict[str, Any]) -> None:
        """Raise if `_restore_from_tensors` could not restore these values."""

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> Any:
        """Restore saved values."""
        raise NotImplementedError(
            f"{type(self).__name__} has values in the checkpoint, but no _restore_from_tensors."
        )


class Waiting:
    """Deferred restorations of children that do not exist yet, by name, the latest last."""

    __slots__ = ("_deferred",)

    def __init__(self) -> None:
        self._deferred: dict[str, list[tuple[Restoration, int]]] = {}

    def add(self, name: str, restoration: Restoration, node: int) -> None:
        self._deferred.setdefault(name, []).append((restoration, node))

    def placed(self, name: str, value: Any) -> Any:
        """Restore `value`, which is about to become the child of that name.

        A value that cannot be a child, such as None, leaves the restorations deferred.
        """
        if not is_tracked(value):
            return value
        for restoration, node in self._deferred.get(name, ()):
            value = restoration.place(value, node)
        # Only now: values that could not be restored stay deferred.
        self._deferred.pop(name, None)
        return value


class NoDependency:
    """The value of an attribute that checkpoints do not follow."""

    def __init__(self, value: Any) -> None:
        self.value = value


class AutoTrackable(Trackable):
    """Tracks those of its attributes that can be children."""

    def _no_dependency(self, value: Any) -> Any:
        return NoDependency(value)

    def __setattr__(self, name: str, value: Any) -> None:
        if type(value) is NoDependency:
            untrack(self, [name])
            super().__setattr__(name, value.value)
            return
        if "_tpf_untracked" in self.__dict__:
            track_again(self, name)
        waiting = self.__dict__.get("_tpf_waiting")
        if waiting is not None:
            value = waiting.placed(name, value)
        super().__setattr__(name, value)

    def _trackable_children(self, save_type: str = CHECKPOINT, **kwargs: Any) -> dict[str, Any]:
        children = super()._trackable_children(save_type, **kwargs)
        attributes = vars(self).items()
        own = {name: value for name, value in attributes if is_tracked(value)}
        for name in ("_tpf_named_children", *vars(self).get("_tpf_untracked", ())):
            own.pop(name, None)
        functions = _functions(self) if save_type == SAVED_MODEL else {}
        return {**children, **own, **functions}


def register_function_type(cls: type) -> None:
    """Register a class whose attributes are children in SavedModels, though not in checkpoints."""
    _function_types.append(cls)


def _functions(value: Any) -> dict[str, Any]:
    """Return the functions among the attributes of an object and of its class, by name."""
    functions = {}
    # A property that warns or fails does not concern the saver.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in dir(value):
            if name in _UNTRACKED:
                continue
            try:
                attribute = getattr(value, name, None)
            except Exception:
                continue
            if isinstance(attribute, tuple(_function_types)):
                functions[name] = attribute
    return functions


def untrack(value: Any, names: Iterable[str]) -> None:
    """Stop tracking attributes."""
    if isinstance(value, AutoTrackable):
        value.__dict__.setdefault("_tpf_untracked", set()).update(names)


def track_again(value: Any, name: str) -> None:
    """Track an attribute again, if it can be a child."""
    value.__dict__.get("_tpf_untracked", set()).discard(name)


class ListWrapper(list[Any]):
    """A list for which a checkpoint has more items: they are restored as they are added."""

    def __init__(self, items: Iterable[Any] = ()) -> None:
        super().__init__(items)
        self._tpf_waiting = Waiting()

    def append(self, item: Any) -> None:
        super().append(self._tpf_waiting.placed(str(len(self)), item))

    def extend(self, items: Iterable[Any]) -> None:
        for item in items:
            self.append(item)

    def __iadd__(self, items: Iterable[Any]) -> ListWrapper:  # type: ignore[misc]
        self.extend(items)
        return self

    def __repr__(self) -> str:
        return f"ListWrapper({super().__repr__()})"


class DictWrapper(dict[Any, Any]):
    """A dict for which a checkpoint has more values: they are restored as they are added."""

    def __init__(self, *items: Any, **more: Any) -> None:
        super().__init__(*items, **more)
        self._tpf_waiting = Waiting()

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, self._tpf_waiting.placed(key, value))

    def update(self, *items: Any, **more: Any) -> None:
        for key, value in dict(*items, **more).items():
            self[key] = value

    def setdefault(self, key: Any, default: Any = None) -> Any:
        if key not in self:
            self[key] = default
        return self[key]

    def __repr__(self) -> str:
        return f"DictWrapper({super().__repr__()})"


_DICTS = (dict, OrderedDict, DictWrapper)


def is_tracked(value: Any) -> bool:
    """Whether a value can be the child of an object."""
    cls = type(value)
    if cls is list or cls in _DICTS or issubclass(cls, (Trackable, ListWrapper)):
        return True
    return isinstance(value, tuple) and any(map(is_tracked, value))


def children_of(value: Any, save_type: str = CHECKPOINT, **kwargs: Any) -> dict[str, Any]:
    """Return the children of an object or a container, by name.

    kwargs: what classes of libraries expect: for a SavedModel, the `cache` of the save.
    """
    if isinstance(value, Trackable):
        return value._trackable_children(save_type, **kwargs)
    return items_of(value)


def items_of(value: Any) -> dict[str, Any]:
    """Return the children of a container, by key or position."""
    if isinstance(value, Mapping):
        return {k: v for k, v in value.items() if isinstance(k, str) and is_tracked(v)}
    if not isinstance(value, (list, tuple)):
        return {}
    by_field = zip(getattr(value, "_fields", ()), value)
    numbered = ((str(index), item) for index, item in enumerate(value))
    return {name: item for name, item in (*by_field, *numbered) if is_tracked(item)}


def children_in(value: Any, stored: StoredObject) -> dict[str, Any]:
    """Return the children of an object or a container, by their names in a checkpoint."""
    return value._tpf_children_in(stored) if isinstance(value, Trackable) else children_of(value)


def saved_children_of(value: Any) -> dict[str, Any]:
    """Return the children of an object or a container, by the names to write them under."""
    return value._tpf_saved_children() if isinstance(value, Trackable) else children_of(value)


def lost_keys(value: Any) -> list[Any]:
    """Return the keys of a dict under which children cannot be saved, because they are no text."""
    if not isinstance(value, Mapping):
        return []
    return [key for key, item in value.items() if not isinstance(key, str) and is_tracked(item)]


def wrapped(value: Any) -> Any:
    """Wrap a plain list or dict; return anything else unchanged."""
    if type(value) is list:
        return ListWrapper(value)
    return DictWrapper(value) if type(value) in (dict, OrderedDict) else value


def waiting_room(value: Any) -> tuple[Any, Waiting | None]:
    """Return what defers restorations for children of `value`, and it or its new wrapper."""
    value = wrapped(value)
    if isinstance(value, AutoTrackable):
        room = value.__dict__.get("_tpf_waiting")
        if room is None:
            room = Waiting()
            object.__setattr__(value, "_tpf_waiting", room)
        return value, room
    return value, getattr(value, "_tpf_waiting", None)


def replace_child(parent: Any, name: str, child: Any) -> None:
    """Replace a container by its wrapper."""
    if isinstance(parent, dict):
        dict.__setitem__(parent, name, child)
    elif isinstance(parent, list):
        list.__setitem__(parent, int(name), child)
    elif isinstance(parent, AutoTrackable):
        object.__setattr__(parent, name, child)
