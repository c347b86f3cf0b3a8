"""Probes: methods that profilers observe, replaced only while one does.

A part registers its methods where they are defined; without observers they are the plain methods,
so that nothing is checked and nothing is paid. This file knows no part and no observer.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Method = Callable[..., Any]


@dataclass(frozen=True)
class Probe:
    """A method that can be observed.

    Args:
        owner: The class that defines it.
        attribute: Its name.
        category: What it does: "op", "function", "interpreter", "xla", "compile", ...
        label: Returns the name of a call from its arguments, the object first.
        details: Returns what is shown beside the name, or None if nothing is.
        subclasses: Whether the definitions of subclasses are observed, not the owner's own.
    """

    owner: type
    attribute: str
    category: str
    label: Callable[..., str]
    details: Callable[..., Any] | None = None
    subclasses: bool = False

    def owners(self) -> Iterator[type]:
        """Yield the classes whose definitions are observed."""
        if not self.subclasses:
            yield self.owner
            return
        waiting: list[type] = self.owner.__subclasses__()
        seen: set[type] = set()
        while waiting:
            cls = waiting.pop()
            if cls not in seen:
                seen.add(cls)
                waiting += cls.__subclasses__()
                if self.attribute in cls.__dict__:
                    yield cls


# Returns the method that replaces one, or None to leave it as it is.
Observer = Callable[[Probe, Method], Method | None]

_probes: list[Probe] = []
_observers: list[Observer] = []
# The plain methods of what is replaced now.
_plain: dict[tuple[type, str], Method] = {}
_lock = threading.RLock()


def register(
    owner: type,
    attribute: str,
    category: str,
    label: Callable[..., str],
    details: Callable[..., Any] | None = None,
    subclasses: bool = False,
) -> None:
    """Register a method; observers that are attached already see it, too."""
    probe = Probe(owner, attribute, category, label, details, subclasses)
    with _lock:
        _probes.append(probe)
        if _observers:
            _replace(probe)


def attach(observer: Observer) -> None:
    """Replace the registered methods by what the observer returns for them, in all threads."""
    with _lock:
        _observers.append(observer)
        for probe in _probes:
            _replace(probe)


def detach(observer: Observer) -> None:
    """Stop observing; with the last observer gone, the plain methods are back."""
    with _lock:
        _observers.remove(observer)
        for probe in _probes:
            _replace(probe)


def _replace(probe: Probe) -> None:
    for owner in probe.owners():
        key = owner, probe.attribute
        plain = _plain.setdefault(key, owner.__dict__[probe.attribute])
        method = plain
        for observer in _observers:
            method = observer(probe, method) or method
        setattr(owner, probe.attribute, method)
        if method is plain:
            del _plain[key]
