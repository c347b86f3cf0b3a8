"""`FunctionSpec`: the declared signature of a function, as in `Function.function_spec`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from tapeflow._src.core import nest
from tapeflow._src.function.function_type import FunctionType
from tapeflow._src.function.signature import Binder


class FunctionSpec:
    """The parameters of a function, their default values, and its input signature."""

    def __init__(
        self, function: Callable[..., Any], binder: Binder, name: str, jit_compile: bool | None
    ) -> None:
        self._function = function
        self._binder = binder
        self.name = name
        self.jit_compile = jit_compile

    @property
    def function_type(self) -> FunctionType:
        return self._binder.function_type

    @property
    def default_values(self) -> dict[str, Any]:
        return dict(self._binder.defaults)

    @property
    def fullargspec(self) -> inspect.FullArgSpec:
        return inspect.getfullargspec(self._function)

    @property
    def arg_names(self) -> list[str]:
        return list(self.fullargspec.args)

    @property
    def input_signature(self) -> tuple[Any, ...] | None:
        return self._binder.input_signature

    @property
    def flat_input_signature(self) -> tuple[Any, ...] | None:
        signature = self._binder.input_signature
        return None if signature is None else tuple(nest.flatten(signature))

    def signature_summary(self, default_values: bool = False) -> str:
        """Return the parameters as text, one per line."""
        summary = self.function_type.pretty(())
        if default_values:
            lines = [f"  {name}: {value!r}" for name, value in self.default_values.items()]
            summary += "\nDefaults:\n" + ("\n".join(lines) or "  None")
        return summary
