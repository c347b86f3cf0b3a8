"""When a traced function may make variables: while it is traced for the first time, and then never.

A variable made by a function outlives the call, so it is made once. The first trace is thrown away
if it made any, and the function traced again: that trace must find the variables in place.
"""

from __future__ import annotations


class VariableCreation:
    """Told of each variable a trace is about to make; refuses where none may be made."""

    __slots__ = ("_refusal", "count")

    def __init__(self, refusal: str | None = None) -> None:
        self._refusal = refusal
        self.count = 0

    def __call__(self) -> None:
        if self._refusal is not None:
            raise ValueError(self._refusal)
        self.count += 1


NOT_ALONE = (
    "tf.function: a tf.Variable was created again on a later call. Variables must be singletons, "
    "created once: outside of the function, or on its first call only."
)
TOO_LATE = (
    "A function decorated with tf.function tried to create variables on a call after the first. "
    "Create them outside of the function, or on its first call."
)
