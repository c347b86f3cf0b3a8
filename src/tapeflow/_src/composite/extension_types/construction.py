"""Construction of values and specs of extension types, which are immutable afterwards.

A constructor, the user's own or one that takes the fields, sets the fields; then they are
converted and validated. Both values and specs keep their fields in `__dict__`.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from inspect import Parameter, Signature
from typing import Any

from tapeflow._src.composite.extension_types.fields import RESERVED_PREFIX, Context, converted
from tapeflow._src.composite.extension_types.plan import plan_of

# In the `__dict__` of an object while its constructor runs.
_UNFINISHED = f"{RESERVED_PREFIX}_unfinished"


def make_object(cls: type, fields: Mapping[str, Any]) -> Any:
    """Return an object with these fields.

    Its constructor, which may be the user's own, is not called.
    """
    instance: Any = object.__new__(cls)
    instance.__dict__.update(fields)
    return instance


def require_unfinished(owner: Any, declared: type, name: str, kind: str) -> None:
    """Raise AttributeError unless `name` is a field that a constructor is about to set."""
    if _UNFINISHED not in owner.__dict__ or name not in plan_of(declared).names:
        raise AttributeError(
            f"Cannot mutate attribute `{name}` of {kind}: extension types are immutable, and only "
            f"their own `__init__` sets fields."
        )


def _finish(instance: Any, declared: type, values: dict[str, Any], context: Context) -> None:
    """Convert and check the fields that a constructor has set."""
    instance.__dict__.clear()
    instance.__dict__.update(converted(plan_of(declared).fields, values, context))
    instance.__validate__()


def wrap_constructor(cls: Any, declared: type, context: Context) -> None:
    """Allow the user's constructor of `cls` to set fields of `declared`, and check them."""
    own = cls.__init__

    @functools.wraps(own)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        state = self.__dict__
        if _UNFINISHED in state:
            own(self, *args, **kwargs)  # called by the constructor of a subclass, which finishes
            return
        state[_UNFINISHED] = True
        own(self, *args, **kwargs)
        del state[_UNFINISHED]
        _finish(self, declared, dict(state), context)

    cls.__init__ = __init__


def add_constructor(cls: Any) -> None:
    """Add a constructor that takes the fields of an extension type."""

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        values = plan_of(cls).bind(args, kwargs)
        if _UNFINISHED in self.__dict__:
            self.__dict__.update(values)
        else:
            _finish(self, cls, values, Context.VALUE)

    _name(__init__, cls, plan_of(cls).signature)


def add_spec_constructor(cls: Any, declared: type) -> None:
    """Add a constructor that takes all fields of the type to a spec class."""
    names = [each.name for each in plan_of(declared).fields]
    parameters = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in names]
    signature = Signature(parameters, return_annotation=cls)

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        values = signature.bind(*args, **kwargs).arguments
        _finish(self, declared, values, Context.SPEC)

    _name(__init__, cls, signature)


def _name(constructor: Any, cls: Any, signature: Signature) -> None:
    """Make a function the constructor of a class, with the signature that it has in effect."""
    first = Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)
    constructor.__signature__ = signature.replace(
        parameters=[first, *signature.parameters.values()]
    )
    constructor.__qualname__ = f"{cls.__qualname__}.__init__"
    cls.__init__ = constructor
