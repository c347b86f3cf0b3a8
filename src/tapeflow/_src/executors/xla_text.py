"""The compiler's input and output, as text or as a serialized module."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tapeflow._src.executors.xla import Executable
from tapeflow._src.graph.body import Body


class _Shown(Executable):
    """A program with the module that it was compiled from."""

    def _compiled(self, lowered: Any, device: Any) -> Any:
        self.lowered = lowered
        self.compiled = lowered.compile()
        return self.compiled

    @property
    def optimized(self) -> Any:
        """Return the optimised module."""
        return self.compiled.runtime_executable().hlo_modules()[0]


# By TensorFlow's names for the stages.
STAGES: dict[str, Callable[[_Shown], Any]] = {
    "hlo": lambda shown: shown.lowered.as_text(dialect="hlo"),
    "hlo_serialized": lambda shown: shown.lowered.compiler_ir(
        dialect="hlo"
    ).as_serialized_hlo_module_proto(),
    "optimized_hlo": lambda shown: shown.optimized.to_string(),
    "optimized_hlo_serialized": lambda shown: shown.optimized.as_serialized_hlo_module_proto(),
    # The compiler draws its input, not its output: the structure is the same.
    "optimized_hlo_dot": lambda shown: shown.lowered.compiler_ir(dialect="hlo").as_hlo_dot_graph(),
}


def code(body: Body, arrays: Sequence[Any], stage: str) -> Any:
    """Return the code of a body for arrays of these shapes, at one stage of compilation."""
    return STAGES[stage](_Shown(body, arrays))
