"""`tf.CriticalSection`: mutual exclusion of functions."""

from __future__ import annotations

import threading
from collections.abc import Callable
from itertools import count
from typing import Any

from tapeflow._src.core import dispatch

_numbers = count()


class CriticalSection:
    """Execute functions one at a time.

    Eagerly, threads wait for each other. In a graph the operations of a function run in program
    order among all others of the call.

    Args:
        name: A name for it.
        shared_name: Critical sections with the same one exclude each other.
        critical_section_def: Must be None.
        import_scope: Accepted for compatibility.

    Raises:
        ValueError: If there is a `critical_section_def`.

    Example:
        >>> section = tf.CriticalSection()
        >>> v = tf.Variable(1)
        >>> int(section.execute(lambda: v.assign_add(1)))
        2
    """

    _shared: dict[str, threading.RLock] = {}

    def __init__(
        self,
        name: str | None = None,
        shared_name: str | None = None,
        critical_section_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        if critical_section_def is not None:
            raise ValueError("critical_section_def is not supported: expected None.")
        self._name = name or f"critical_section_{next(_numbers)}"
        if shared_name is None:
            self._lock = threading.RLock()
        else:
            self._lock = self._shared.setdefault(shared_name, threading.RLock())

    @property
    def name(self) -> str:
        """The name of the critical section."""
        return self._name

    def execute(
        self,
        fn: Callable[[], Any],
        exclusive_resource_access: bool = True,
        name: str | None = None,
    ) -> Any:
        """Call `fn()` while no other function of this critical section runs; return its result.

        Args:
            fn: A function without arguments.
            exclusive_resource_access: Makes no difference.
            name: Makes no difference.

        Raises:
            TypeError: If `fn` cannot be called.

        Example:
            >>> v = tf.Variable(0)
            >>> section = tf.CriticalSection()
            >>> section.execute(lambda: v.assign_add(1)).numpy()
            np.int32(1)
        """
        if not callable(fn):
            raise TypeError(f"fn must be callable, received {type(fn).__name__}.")
        if dispatch.state.mode is not dispatch.base_mode():
            return fn()
        with self._lock:
            return fn()
