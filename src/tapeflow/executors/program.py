"""`Program`: a body made ready to run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeflow.executors.interpreter import Interpreter
from tapeflow.graph.body import Body


class Program:
    """Runs a body on arrays. It is rendered at its first call."""

    __slots__ = ("_interpreter", "body")

    def __init__(self, body: Body, jit_compile: bool | None = None) -> None:
        self.body = body
        self._interpreter: Interpreter | None = None

    @property
    def interpreter(self) -> Interpreter:
        if self._interpreter is None:
            self._interpreter = Interpreter(self.body)
        return self._interpreter

    def __call__(self, arrays: Sequence[Any]) -> tuple[Any, ...]:
        return self.interpreter(arrays)
