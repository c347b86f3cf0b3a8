"""`Atomic`: the graph of a concrete function as a function that takes its captures as arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tapeflow._src.function.interfaces import AtomicFunction


class Atomic(AtomicFunction):
    """Runs one graph. It holds no external tensors: they are passed at each call."""

    def __init__(
        self, signature: Any, captures: int, run: Callable[[Sequence[Any]], Any], name: str
    ) -> None:
        self._signature = signature
        self._captures = captures
        self._run = run
        self.name = name

    @property
    def function_type(self) -> Any:
        """The parameters, their types, and the type of the result."""
        return self._signature.function_type

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._captures:
            raise ValueError(
                f"{self.name} takes {self._captures} tensors from outside: pass them with "
                f"call_with_captures(args, kwargs, captures), or call the ConcreteFunction."
            )
        return self.call_with_captures(args, kwargs, ())

    def call_with_captures(self, args: Any, kwargs: Any, captures: Any) -> Any:
        """Run the graph with these arguments and captures."""
        if len(captures) != self._captures:
            raise ValueError(
                f"{self.name} takes {self._captures} tensors from outside, got {len(captures)}."
            )
        return self._run([*self._signature.flatten(tuple(args), dict(kwargs)), *captures])

    def __repr__(self) -> str:
        return f"<AtomicFunction {self.name}{self.function_type}>"
