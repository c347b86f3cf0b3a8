"""When a traced function may create variables: in its first trace only.

A variable created by a function outlives the call, so it is created once. The first trace is
discarded if it created any, and the function is traced again with the variables in place.
"""

from __future__ import annotations


class VariableCreation:
    """Called for each variable that a trace is about to create; raises where none is allowed."""

    __slots__ = ("_refusal", "count")

    def __init__(self, refusal: str | None = None) -> None:
        self._refusal = refusal
        self.count = 0

    def __call__(self) -> None:
        if self._refusal is not None:
            raise ValueError(self._refusal)
        self.count += 1


NOT_IN_LATER_TRACE = (
    "tf.function: a tf.Variable was created again on a later call. Variables must be singletons, "
    "created once: outside of the function, or on its first call only."
)
NOT_IN_SECOND_TRACE = (
    "A function decorated with tf.function tried to create variables on a call after the first. "
    "Create them outside of the function, or on its first call."
)
