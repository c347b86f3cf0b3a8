"""`make_template`: a function whose first call creates variables that the others share."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from tapeflow._src.compat.v1.graphs import GraphKeys
from tapeflow._src.compat.v1.variable_scope import VariableScope, variable_scope
from tapeflow._src.compat.v1.variable_store import (
    VariableStore,
    current_store,
    entered_store,
    use_store,
)
from tapeflow._src.core.trackable import CHECKPOINT, Trackable


class _SharingStore(VariableStore):
    """The variables of one template that is called eagerly."""

    always_reuse = True


class Template(Trackable):
    """A function with a variable scope of its own."""

    def __init__(
        self,
        name: str,
        func: Callable[..., Any],
        create_scope_now: bool = False,
        unique_name: str | None = None,
        custom_getter: Any = None,
    ) -> None:
        if name is None:
            raise ValueError("make_template needs a name for the variable scope, received None.")
        self._func = func
        self._name = name
        self._unique_name = unique_name
        self._custom_getter = custom_getter
        self._sharing_store = _SharingStore()
        # Where the variables are: the template's own store, or that of the graph or layer around.
        self._store: VariableStore = self._sharing_store
        self._scope: VariableScope | None = None
        self._called = False
        if create_scope_now:
            with self._open() as self._scope:
                pass

    def _open(self) -> Any:
        return variable_scope(
            self._unique_name, self._name, custom_getter=self._custom_getter, reuse=None
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        around = entered_store() or current_store()
        self._store = self._sharing_store if around is None else around
        within = use_store(self._store) if around is None else nullcontext()
        if self._scope is None:
            with self._open() as self._scope, within:
                result = self._func(*args, **kwargs)
        else:
            reuse = True if self._called and not self._store.always_reuse else None
            with variable_scope(self._scope, reuse=reuse), within:
                result = self._func(*args, **kwargs)
        self._called = True
        return result

    # -- what it is --------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name that the template was created with."""
        return self._name

    @property
    def func(self) -> Callable[..., Any]:
        """The function."""
        return self._func

    @property
    def variable_scope(self) -> VariableScope | None:
        """The scope of the variables, None before the first call."""
        return self._scope

    @property
    def var_scope(self) -> VariableScope | None:
        """The same as `variable_scope`."""
        return self._scope

    @property
    def variable_scope_name(self) -> str | None:
        """The name of the scope with a slash at its end, None before the first call."""
        return None if self._scope is None else f"{self._scope.name}/"

    # -- variables ---------------------------------------------------------------------------

    def _by_name(self) -> dict[str, Any]:
        """Return the variables by their names inside of the scope."""
        start = self.variable_scope_name
        if start is None:
            return {}
        variables = self._store.variables_by_name.items()
        return {name.removeprefix(start): v for name, v in variables if name.startswith(start)}

    @property
    def variables(self) -> list[Any]:
        """All variables that the function has created."""
        return list(self._by_name().values())

    weights = variables

    @property
    def trainable_variables(self) -> list[Any]:
        """The variables that are trained."""
        return [variable for variable in self.variables if variable.trainable]

    trainable_weights = trainable_variables

    @property
    def non_trainable_variables(self) -> list[Any]:
        """The variables that are not trained."""
        return [variable for variable in self.variables if not variable.trainable]

    non_trainable_weights = non_trainable_variables

    @property
    def global_variables(self) -> list[Any]:
        """The variables that are saved."""
        return self._without(GraphKeys.LOCAL_VARIABLES)

    @property
    def local_variables(self) -> list[Any]:
        """The variables that are not saved."""
        global_ids = {id(variable) for variable in self.global_variables}
        return [variable for variable in self.variables if id(variable) not in global_ids]

    def _without(self, collection: str) -> list[Any]:
        local = (
            set() if self._scope is None else set(map(id, self._scope.get_collection(collection)))
        )
        return [variable for variable in self.variables if id(variable) not in local]

    def _trackable_children(self, save_type: str = CHECKPOINT, **kwargs: Any) -> dict[str, Any]:
        return self._by_name()


def make_template(
    name_: str,
    func_: Callable[..., Any],
    create_scope_now_: bool = False,
    unique_name_: str | None = None,
    custom_getter_: Any = None,
    **kwargs: Any,
) -> Template:
    """Wrap a function so that `get_variable` inside of it returns the same variables every time.

    Args:
        name_: The name of the variable scope; made unique if it repeats.
        func_: The function.
        create_scope_now_: Whether the scope is opened now rather than at the first call.
        unique_name_: A name for the scope that is used as it is.
        custom_getter_: A custom getter for `get_variable`.
        **kwargs: Arguments that `func_` is always called with.

    >>> def scaled(x):
    ...     return x * tf.compat.v1.get_variable("factor", initializer=2.0)
    >>> scale = tf.compat.v1.make_template("scale", scaled)
    >>> float(scale(1.0) + scale(2.0))
    6.0
    >>> len(scale.variables)
    1
    """
    func = functools.partial(func_, **kwargs) if kwargs else func_
    return Template(name_, func, create_scope_now_, unique_name_, custom_getter_)
