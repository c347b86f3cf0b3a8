"""`tf.Module`: a container of variables and modules."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from typing import Any

from tapeflow._src.api.scopes import name_scope
from tapeflow._src.core import nest
from tapeflow._src.core.trackable import AutoTrackable
from tapeflow._src.core.types import TensorLike
from tapeflow._src.eager.variable import Variable

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def _snake_case(name: str) -> str:
    return _CAMEL.sub("_", name).lower()


class Module(AutoTrackable):
    """A named container of variables, other modules and functions on them.

    Variables and modules are collected from attributes and from lists, tuples and dicts in them.

    Example:
        >>> class Dense(tf.Module):
        ...     def __init__(self, units):
        ...         super().__init__()
        ...         self.w = tf.Variable(tf.ones([2, units]), name="w")
        ...     def __call__(self, x):
        ...         return x @ self.w
        >>> layer = Dense(3)
        >>> layer(tf.ones([1, 2])).numpy()
        array([[2., 2., 2.]], dtype=float32)
        >>> [variable.name for variable in layer.trainable_variables]
        ['w:0']
    """

    # Attributes that are not looked into; a subclass may name its own.
    _TF_MODULE_IGNORED_PROPERTIES: frozenset[str] = frozenset()

    def __init__(self, name: str | None = None) -> None:
        if name is None:
            name = _snake_case(type(self).__name__)
        if not name.isidentifier():
            raise ValueError(
                f"{name!r} is not a valid module name: it must be a Python identifier, such as "
                "'my_layer'."
            )
        self._name = name
        with name_scope(name) as scope:
            self._scope_name = scope

    @property
    def name(self) -> str:
        """The name of the module; the class name in snake case by default."""
        return self._name

    @property
    def name_scope(self) -> name_scope:
        """The name scope of the module."""
        return name_scope(self._scope_name)

    @property
    def variables(self) -> tuple[Any, ...]:
        """All variables of this module and its submodules."""
        return tuple(self._flatten(predicate=_is_variable, expand_composites=True))

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """The trainable variables."""
        return tuple(self._flatten(predicate=_is_trainable, expand_composites=True))

    @property
    def non_trainable_variables(self) -> tuple[Any, ...]:
        """The variables that are not trainable."""
        return tuple(self._flatten(predicate=_is_not_trainable, expand_composites=True))

    @property
    def submodules(self) -> tuple[Module, ...]:
        """The modules contained in this one, at any depth."""
        return tuple(self._flatten(predicate=_is_module))

    def _flatten(
        self,
        recursive: bool = True,
        predicate: Callable[[Any], bool] | None = None,
        attribute_traversal_key: Callable[[str], Any] | None = None,
        with_path: bool = False,
        expand_composites: bool = False,
    ) -> Iterator[Any]:
        """Yield attributes that satisfy `predicate`, by name, then those of submodules."""
        accept = predicate or (lambda value: True)
        seen = {id(self)}
        waiting: list[tuple[tuple[Any, ...], Any]] = [((), self)]
        while waiting:
            path, module = waiting.pop(0)
            inner = []
            for key, leaf in _leaves(module, attribute_traversal_key, expand_composites):
                if id(leaf) in seen and not with_path:
                    continue
                seen.add(id(leaf))
                if accept(leaf):
                    yield ((*path, *key), leaf) if with_path else leaf
                if recursive and _is_module(leaf):
                    inner.append(((*path, *key), leaf))
            # A module's own modules come before its siblings.
            waiting = inner + waiting

    @classmethod
    def with_name_scope(cls, method: Callable[..., Any]) -> Callable[..., Any]:
        """Decorate a method to run in the module's name scope.

        Args:
            method: The method.

        Returns:
            The decorated method.

        Example:
            >>> class Scale(tf.Module):
            ...     @tf.Module.with_name_scope
            ...     def __call__(self, x):
            ...         if not hasattr(self, "w"):
            ...             self.w = tf.Variable(2.0, name="w")
            ...         return self.w * x
            >>> scale = Scale(name="scale")
            >>> scale(3.0).numpy(), scale.w.name
            (np.float32(6.0), 'scale/w:0')
        """

        @functools.wraps(method)
        def scoped(self: Module, *args: Any, **kwargs: Any) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return scoped


def _is_variable(value: TensorLike) -> bool:
    return isinstance(value, Variable)


def _is_trainable(value: Any) -> bool:
    return _is_variable(value) and bool(value.trainable)


def _is_not_trainable(value: Any) -> bool:
    return _is_variable(value) and not value.trainable


def _is_module(value: TensorLike) -> bool:
    return isinstance(value, Module)


def _leaves(
    module: Any, key: Callable[[str], Any] | None, expand_composites: bool
) -> Iterator[tuple[tuple[Any, ...], Any]]:
    attributes = vars(module)
    ignored = module._TF_MODULE_IGNORED_PROPERTIES
    for name in sorted(attributes, key=key):
        if name in ignored:
            continue
        try:
            paths_and_leaves = nest.flatten_with_tuple_paths(
                attributes[name], expand_composites=expand_composites
            )
        except Exception as error:
            raise ValueError(
                f"Error processing property {name!r} of {module!r}: {error}"
            ) from error
        for path, leaf in paths_and_leaves:
            yield (name, *path), leaf
