"""Hooks that a library such as Keras registers with `tf`, and queries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from tapeflow._src.api.scopes import get_current_name_scope
from tapeflow._src.core import dispatch, probes
from tapeflow._src.core.devices import DeviceSpec
from tapeflow._src.core.thread_state import inherited as inherited
from tapeflow.config import list_physical_devices

# Registers a method that profiles show.
register_probe = probes.register
_registered: dict[str, Callable[..., Any]] = {}


def register_call_context_function(func: Callable[..., Any]) -> None:
    """Register the function that returns which layer is being called."""
    _registered["call_context"] = func


def register_clear_session_function(func: Callable[..., Any]) -> None:
    """Register the function that forgets the state of the library."""
    _registered["clear_session"] = func


def register_get_session_function(func: Callable[..., Any]) -> None:
    """Register the function that returns the session of the library."""
    _registered["get_session"] = func


def register_load_model_function(func: Callable[..., Any]) -> None:
    """Register the function that loads models of the library."""
    _registered["load_model"] = func


def registered_function(kind: str) -> Callable[..., Any] | None:
    """Return the function that a library has registered."""
    return _registered.get(kind)


def get_name_scope() -> str:
    """Return the name scope in force, without the slash at its end."""
    return get_current_name_scope()


def execute_fn_for_device(
    device_branch_fns: Mapping[str, Callable[[], Any]],
    default_fn: Callable[[], Any],
    name: str = "execute_fn",
) -> Any:
    """Call the function for the kind of device in use."""
    requested = DeviceSpec.from_string(str(dispatch.state.device or "")).device_type
    kind = requested or ("GPU" if list_physical_devices("GPU") else "CPU")
    branches = {key.upper(): function for key, function in device_branch_fns.items()}
    return branches.get(kind.upper(), default_fn)()


_load_options: list[Any] = []


@contextmanager
def load_context(load_options: Any) -> Iterator[None]:
    """Apply options for loading in a block."""
    _load_options.append(load_options)
    try:
        yield
    finally:
        _load_options.pop()
