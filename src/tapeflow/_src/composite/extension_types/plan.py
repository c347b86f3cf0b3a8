"""The fields and the constructor of an extension type, derived when its class is created.

Fields are the annotations of the class and of the extension types that it derives from, in that
order. A name that was not yet defined then is looked up again, until it is.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Iterator
from inspect import Parameter, Signature
from typing import Any

from tapeflow._src.composite.extension_types.fields import (
    NO_DEFAULT,
    RESERVED_PREFIX,
    Field,
    NoDefault,
    field,
    is_reserved,
)


class Plan:
    """The fields of a class, and how the constructor takes them.

    `resolved` says that all names in the annotations were defined.
    """

    __slots__ = ("_defaults", "_positional", "fields", "names", "resolved", "signature")

    def __init__(self, cls: type, fields: tuple[Field, ...], resolved: bool) -> None:
        parameters = list(_parameters(fields))
        self.fields = fields
        self.resolved = resolved
        self.names = frozenset(each.name for each in fields)
        self.signature = Signature(parameters, return_annotation=cls)
        by_place = Parameter.POSITIONAL_OR_KEYWORD
        self._positional = tuple(each.name for each in parameters if each.kind is by_place)
        self._defaults = {
            each.name: each.default for each in fields if each.default is not NO_DEFAULT
        }

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Return the value of each field.

        TypeError if the arguments are not those of the constructor.
        """
        values = dict(zip(self._positional, args))
        wrong = len(args) > len(self._positional) or not values.keys().isdisjoint(kwargs)
        bound = {**self._defaults, **values, **kwargs}
        if wrong or bound.keys() != self.names:
            # The wording of the error is Python's own.
            self.signature.bind(*args, **kwargs)
        return bound


# Where a class that was declared keeps its plan.
_PLAN = f"{RESERVED_PREFIX}_plan"


def declare(cls: type) -> None:
    """Declare fields from the annotations of a class.

    Raise ValueError if its body does not allow it.
    """
    _check_body(cls)
    setattr(cls, _PLAN, None)


def plan_of(cls: type) -> Plan:
    """Return the plan of a class that was declared."""
    plan: Plan | None = cls.__dict__[_PLAN]
    if plan is None or not plan.resolved:
        plan = _plan_for(cls, [base for base in reversed(cls.__mro__) if _PLAN in base.__dict__])
        setattr(cls, _PLAN, plan)
    return plan


def _plan_for(cls: type, bases: list[type]) -> Plan:
    """Return the plan of a class whose fields `bases` declare, the class itself last."""
    hints, resolved = _hints(cls, bases)
    fields = tuple(
        field(name, annotation, _default(name, bases)) for name, annotation in hints.items()
    )
    return Plan(cls, fields, resolved)


def _hints(cls: type, bases: list[type]) -> tuple[dict[str, Any], bool]:
    """Return the annotations of the fields, and whether all names in them are defined."""
    declared: dict[str, Any] = {}
    for base in bases:
        declared.update(inspect.get_annotations(base))
    try:
        # A class may speak of itself before it has a name in its module.
        hints = typing.get_type_hints(cls, localns={base.__name__: base for base in bases})
    except (NameError, AttributeError):
        return declared, False
    return {name: hints[name] for name in declared}, True


def _default(name: str, bases: list[type]) -> Any | NoDefault:
    for base in reversed(bases):
        if name in base.__dict__:
            return base.__dict__[name]
    return NO_DEFAULT


def _parameters(fields: tuple[Field, ...]) -> Iterator[Parameter]:
    """Return the parameters of the constructor: from a field without default after one with, by
    name.
    """
    kind: Any = Parameter.POSITIONAL_OR_KEYWORD
    had_default = False
    for each in fields:
        if each.default is NO_DEFAULT and had_default:
            kind = Parameter.KEYWORD_ONLY
        had_default = had_default or each.default is not NO_DEFAULT
        default = Parameter.empty if each.default is NO_DEFAULT else each.default
        yield Parameter(each.name, kind, default=default, annotation=each.annotation)


def _check_body(cls: type) -> None:
    annotations = inspect.get_annotations(cls)
    for name in (*cls.__dict__, *annotations):
        if (name != "Spec" or name in annotations) and is_reserved(name):
            raise _invalid(cls, f"Field '{name}' is reserved.")
    for name, value in cls.__dict__.items():
        if not (name in annotations or _is_no_field(name, value)):
            raise _invalid(cls, f"Field {name} is missing a type annotation.")


def _is_no_field(name: str, value: Any) -> bool:
    return (
        callable(value)
        or name == "Spec"
        or name.startswith("_abc_")
        or (name.startswith("__") and name.endswith("__"))
        or isinstance(value, (property, classmethod, staticmethod))
    )


def _invalid(cls: type, reason: str) -> ValueError:
    return ValueError(f"The field annotations for {cls.__name__} are invalid. {reason}")
