"""The sentences of explanations: for each place where a path ends, the cause and the repair."""

from __future__ import annotations

from tapeflow._src.core.source import Location
from tapeflow._src.gradients.endings import ASSIGNMENT, INTEGER, PYTHON
from tapeflow._src.gradients.explanation import GradientExplanation, Step

_DIFFERENTIABLE_INSTEAD = {
    "ArgMax": "Use tf.nn.softmax for a soft choice, or tf.reduce_max for the value",
    "ArgMin": "Use tf.nn.softmax(-x) for a soft choice, or tf.reduce_min for the value",
    "TopKV2": "Use the values that tf.nn.top_k returns, not the indices",
    "Cast": "Keep the tensor floating-point until after the gradient",
}
_METHODS = {
    "AssignVariableOp": "assign",
    "AssignAddVariableOp": "assign_add",
    "AssignSubVariableOp": "assign_sub",
}
_IN_TENSORFLOW = (
    "Use tf functions on the tensor instead; for Python code, tf.py_function with "
    "tf.custom_gradient"
)


def ended(
    source: str,
    kind: str,
    op: str,
    detail: str,
    location: Location | None,
    path: tuple[Step, ...],
) -> GradientExplanation:
    """Return the explanation for a path that ends in a call of `op`."""
    where = f", {location.short()}" if location else ""
    if kind == PYTHON:
        reason, message = "python", f"its value goes to {_exit(op)}{where}, and is a constant then"
        repair = _IN_TENSORFLOW
    elif kind == ASSIGNMENT:
        method = _METHODS.get(op, op)
        variable = f" to variable {detail!r}" if detail else ""
        reason = "assignment"
        message = (
            f"its path to the target goes through {method}(){variable}{where}, and gradients do "
            "not pass through assignments"
        )
        repair = "Compute with the tensor itself (`b + a`), and assign the result afterwards"
    elif op == "StopGradient":
        reason, message = "stop_gradient", f"its path to the target ends at tf.stop_gradient{where}"
        repair = "Remove tf.stop_gradient to let the gradient pass"
    elif kind == INTEGER:
        reason = "integer"
        result = f"its result is {detail}" if detail else "its result is no floating-point tensor"
        message = f"its path to the target ends at {op}{where}: {result}, which has no gradient"
        repair = _DIFFERENTIABLE_INSTEAD.get(op, "Keep the computation floating-point")
    else:
        reason = "no gradient"
        message = f"its path to the target ends at {op}{where}: the op has no gradient"
        repair = _DIFFERENTIABLE_INSTEAD.get(
            op, "Replace the op by a differentiable one, or define its gradient: tf.custom_gradient"
        )
    return GradientExplanation(reason, source, message, repair, location, op, path)


def _exit(how: str) -> str:
    return "NumPy" if how == "NumPy" else f"Python through .{how}" if "numpy" in how else how


def rule_returned_none(source: str, op: str, path: tuple[Step, ...]) -> GradientExplanation:
    """Return the explanation for a gradient function that returned None for the input."""
    message = f"the gradient function of {op} returned None for the input that depends on it"
    repair = "Return a tensor for this input from the gradient function"
    return GradientExplanation("rule", source, message, repair, None, op, path)


def source_dtype(source: str, dtype: str) -> GradientExplanation:
    """Return the explanation for a source that is no floating-point tensor."""
    message = f"it is {dtype}; only floating-point numbers have gradients"
    repair = f"Convert it before the tape starts: tf.cast(x, tf.float32), or create it as {_FLOAT}"
    return GradientExplanation("source dtype", source, message, repair)


_FLOAT = "tf.Variable(3.0) rather than tf.Variable(3)"


def target_dtype(source: str, dtype: str, location: Location | None) -> GradientExplanation:
    """Return the explanation for a target that is no floating-point tensor."""
    where = f", {location.short()}," if location else ""
    message = f"the target{where} is {dtype}; only floating-point numbers have gradients"
    return GradientExplanation(
        "target dtype", source, message, "Differentiate a floating-point loss", location
    )


def unwatched_tensor(source: str) -> GradientExplanation:
    """Return the explanation for a tensor that the tape does not watch."""
    return GradientExplanation(
        "not watched",
        source,
        "the tape does not watch it",
        "Call tape.watch(x) before computing with the tensor, or make it a tf.Variable",
    )


def overwritten(source: str, name: str, location: Location) -> GradientExplanation:
    """Return the explanation for a name that held a variable and now holds a tensor."""
    code = location.code()
    message = (
        f"{name!r} was a tf.Variable until {location.short()} `{code}` bound the name to a tensor"
    )
    return GradientExplanation(
        "overwritten", source, message, _assign_instead(name, code), location
    )


def _assign_instead(name: str, code: str) -> str:
    """Return how to change the variable instead, for `x = x - ...`."""
    for sign, method in (("-", "assign_sub"), ("+", "assign_add")):
        head = f"{name} = {name} {sign} "
        if code.startswith(head):
            return f"Change the variable instead: {name}.{method}({code[len(head) :]})"
    value = code.partition("= ")[2]
    return f"Change the variable instead: {name}.assign({value or '...'})"


def not_trainable(source: str) -> GradientExplanation:
    """Return the explanation for a variable with trainable=False."""
    return GradientExplanation(
        "not trainable",
        source,
        "it is not trainable, so the tape does not watch it",
        "Call tape.watch(variable)",
    )


def not_accessed(source: str) -> GradientExplanation:
    """Return the explanation for a tape with watch_accessed_variables=False."""
    return GradientExplanation(
        "not watched",
        source,
        "the tape was made with watch_accessed_variables=False",
        "Call tape.watch(variable)",
    )


def unread(source: str) -> GradientExplanation:
    """Return the explanation for a variable that nothing read in the block of the tape."""
    return GradientExplanation(
        "not read",
        source,
        "it was not read while the tape recorded",
        "Compute with it inside `with tf.GradientTape() as tape:`",
    )


def outside(source: str, location: Location | None) -> GradientExplanation:
    """Return the explanation for a target that was computed outside the block of the tape."""
    if location is None:
        message = (
            "the target was not computed inside the tape's block from anything that the tape "
            "watches"
        )
    else:
        code = location.code()
        message = f"the target is computed outside the tape's block: {location.short()} `{code}`"
    return GradientExplanation(
        "outside",
        source,
        message,
        "Move the computation of the target into `with tf.GradientTape() as tape:`",
        location,
    )


def constant(source: str) -> GradientExplanation:
    """Return the explanation for a target that depends on nothing that the tape watches."""
    return GradientExplanation(
        "constant",
        source,
        "the target was not computed from anything that the tape watches",
        "Compute the target from the source, with tf functions, inside the tape's block",
    )


def unused(source: str, users: list[str]) -> GradientExplanation:
    """Return the explanation for a source that the target does not depend on."""
    if users:
        seen = ", ".join(dict.fromkeys(users))
        message = f"it is used by {seen}, but the target does not depend on the result"
    else:
        message = "no recorded operation uses it, so the target does not depend on it"
    return GradientExplanation(
        "unused", source, message, "Check that the target is computed from it"
    )
