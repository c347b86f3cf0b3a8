"""Warns when a list or dict that a function read while it was traced has changed since.

A trace holds the values that Python had then. The names that a function reads from its module and
its closure are looked at once, when it is traced; a function that reads no list or dict is called
as before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tapeflow._src.core.log import warn_first

_CONTAINERS = (list, dict, set)
# Only so many calls and elements are checked: the mistake shows early.
_CALLS = 200
_ELEMENTS = 32

Run = Callable[[Any], Any]


def watched(function: Any, run: Run) -> Run:
    """Return `run`, checking before early calls that the lists which `function` reads are as now.

    Args:
        function: the Python function that was traced.
        run: runs the trace.
    """
    before = {name: (value, _snapshot(value)) for name, value in _containers(function)}
    if not before:
        return run
    calls = 0

    def check_and_run(flat: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls <= _CALLS:
            for name, (value, snapshot) in before.items():
                if _snapshot(value) != snapshot:
                    calls = _CALLS
                    _warn(function, name, value)
        return run(flat)

    return check_and_run


def _containers(function: Any) -> Iterator[tuple[str, Any]]:
    """Yield the lists, dicts and sets that a function reads from its module and its closure."""
    code = getattr(function, "__code__", None)
    if code is None:
        return
    for name, cell in zip(code.co_freevars, function.__closure__ or ()):
        try:
            value = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
        if type(value) in _CONTAINERS:
            yield name, value
    for name in code.co_names:
        value = function.__globals__.get(name)
        if type(value) in _CONTAINERS:
            yield name, value


def _snapshot(value: Any) -> tuple[Any, ...]:
    """Return a fingerprint of a container: its size and the identity of its elements."""
    elements = value.values() if type(value) is dict else value
    return len(value), *(id(element) for element, _ in zip(elements, range(_ELEMENTS)))


def _warn(function: Any, name: str, value: Any) -> None:
    label = getattr(function, "__qualname__", repr(function))
    warn_first(
        f"changed {label} {name}",
        1,
        "%r has changed since %r was traced, which read it then: this call still uses the old "
        "elements. Pass it as an argument, or keep what changes in a tf.Variable.",
        name,
        label,
    )
