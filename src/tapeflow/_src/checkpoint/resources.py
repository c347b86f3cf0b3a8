"""Things with handles in SavedModels: functions of the model make and fill them where it is loaded.

Tables are such things, and so is what users derive from `TrackableResource`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow._src.api.scopes import init_scope
from tapeflow._src.core import dispatch
from tapeflow._src.core.trackable import SAVED_MODEL, AutoTrackable, children_of
from tapeflow._src.function.polymorphic import Function, Options

CREATE, INITIALIZE, DESTROY = "_create_resource", "_initialize", "_destroy_resource"


class TrackableResource(AutoTrackable):
    """An object with a handle that is not saved, but created anew.

    A subclass defines `_create_resource`, which returns the handle, and if needed `_initialize` and
    `_destroy_resource`; a SavedModel stores these as functions.

    Args:
        device: The device of the resource.
    """

    def __init__(self, device: str = "") -> None:
        self._resource_device = device
        self._resource_handle: Any = None

    def _create_resource(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__}._create_resource is not implemented.")

    def _initialize(self) -> None:
        """Initialize the resource; subclasses override it."""

    def _destroy_resource(self) -> None:
        """Destroy the resource; subclasses override it."""

    @property
    def resource_handle(self) -> Any:
        """The handle that ops take; it is created on first access."""
        if self._resource_handle is None:
            with init_scope():
                self._resource_handle = self._create_resource()
        return self._resource_handle

    @property
    def resource_device(self) -> str:
        return self._resource_device


def resource_children(resource: TrackableResource) -> dict[str, Any]:
    """Return the children of a resource in a SavedModel."""
    functions = life_functions(
        resource._create_resource, resource._initialize, resource._destroy_resource
    )
    return {**children_of(resource, SAVED_MODEL), **functions}


def life_functions(
    create: Callable[[], Any], initialize: Callable[[], Any], destroy: Callable[[], Any]
) -> dict[str, Any]:
    """Return the functions that create, initialize and destroy the resource."""

    def done_after(run: Callable[[], Any]) -> Any:
        run()
        return done()

    return {
        CREATE: traced(create),
        INITIALIZE: traced(lambda: done_after(initialize)),
        DESTROY: traced(lambda: done_after(destroy)),
    }


def traced(run: Callable[..., Any], *signature: Any) -> Function:
    """Return a function with one trace."""
    # A partial function has no code, by which frequent tracing would be noticed.
    whole = functools.partial(run)
    options = Options(input_signature=list(signature), autograph=False)
    function = Function(whole, "resource", options)
    function.get_concrete_function()
    return function


def done() -> Any:
    """Return the result of a function that is called for its effect."""
    return dispatch.convert(np.int32(1))
