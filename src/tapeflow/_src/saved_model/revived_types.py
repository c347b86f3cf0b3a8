"""Classes of libraries in SavedModels: by which names files know them, and who makes them again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Setter = Callable[[Any, str, Any], None]


class VersionedTypeRegistration:
    """How objects of one version of a class are made and get their children."""

    def __init__(
        self,
        object_factory: Callable[[Any], Any],
        version: int,
        min_producer_version: int,
        min_consumer_version: int,
        bad_consumers: Sequence[int] | None = None,
        setter: Setter = setattr,
    ) -> None:
        self.object_factory = object_factory
        self.version = version
        self.min_producer_version = min_producer_version
        self.min_consumer_version = min_consumer_version
        self.bad_consumers = tuple(bad_consumers or ())
        self.setter = setter

    def reads(self, proto: Any) -> bool:
        """Whether objects of the version in a message can be made."""
        return proto.version.producer >= self.min_producer_version


_registered: dict[str, tuple[Callable[[Any], bool], list[VersionedTypeRegistration]]] = {}


def register_revived_type(
    identifier: str,
    predicate: Callable[[Any], bool],
    versions: Sequence[VersionedTypeRegistration],
) -> None:
    """Register the versions of a class under the name that files have for it.

    Raises:
        AssertionError: the name is registered already.
    """
    if identifier in _registered:
        raise AssertionError(f"Duplicate registrations for type {identifier!r}.")
    ordered = sorted(versions, key=lambda each: each.version, reverse=True)
    _registered[identifier] = (predicate, ordered)


def registered_identifiers() -> Sequence[str]:
    """Return the names under which classes are registered."""
    return list(_registered)


def registration_of(value: Any) -> tuple[str, VersionedTypeRegistration] | None:
    """Return the name and the newest version under which files know the class of an object."""
    for identifier, (predicate, versions) in _registered.items():
        if predicate(value):
            return identifier, versions[0]
    return None


def revived(proto: Any) -> tuple[Any, Setter] | None:
    """Return a new object for a message and the function that sets its children, or None."""
    versions = _readers(proto)
    return (versions[0].object_factory(proto), versions[0].setter) if versions else None


def get_setter(proto: Any) -> Setter | None:
    """Return the function that gives an object of a message its children, or None."""
    versions = _readers(proto)
    return versions[0].setter if versions else None


def _readers(proto: Any) -> list[VersionedTypeRegistration]:
    """Return the versions of a registered class that read a message, the newest first."""
    _, versions = _registered.get(proto.identifier, (None, ()))
    return [each for each in versions if each.reads(proto)]
