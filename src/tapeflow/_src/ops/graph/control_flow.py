"""The ops that hold functions: branches and loops, as nodes of a graph.

A function is anything with `inputs` and `outputs` of symbolic tensors (`graph.body.Body`);
executors turn these nodes into branches and loops of their own. Eagerly, Python's do.
"""

from __future__ import annotations

from typing import Any, NoReturn

from tapeflow._src.core.errors import UnimplementedError, fmt_shape
from tapeflow._src.core.infer import Shape
from tapeflow._src.core.registry import MANY_OUTPUTS, UNREGISTERED, Free, InferError, ManyFree, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import CONDITIONAL, LOOP, OWN_SCOPE, SWITCH


def _not_alone(name: str) -> NoReturn:
    raise UnimplementedError(
        None, None, f"{name} holds functions and runs only as a node of a graph, not by itself."
    )


def common_dims(shapes: list[Shape]) -> Shape:
    """Return the most specific shape that is compatible with all shapes."""
    first = shapes[0]
    for shape in shapes[1:]:
        if first is None or shape is None or len(first) != len(shape):
            return None
        first = tuple([a if a == b else None for a, b in zip(first, shape, strict=True)])
    return first


def _results(branches: Any) -> tuple[Spec, ...]:
    """Merge the specs of the branches' results, of which a branch may leave some undefined."""
    specs = []
    for outputs in zip(*(branch.outputs for branch in branches), strict=True):
        present = [t for t in outputs if t is not None]
        specs.append(Spec(common_dims([t.static_shape for t in present]), present[0].dtype))
    return tuple(specs)


def _check_arguments(branches: Any, arguments: Any) -> None:
    for branch in branches:
        if len(branch.inputs) != len(arguments):
            raise InferError(
                f"A branch takes {len(branch.inputs)} tensors, but there are {len(arguments)}"
            )


def _declare_if(name: str, effect: str | None) -> Any:
    @op(
        name,
        outputs=MANY_OUTPUTS,
        effect=effect,
        grad=UNREGISTERED,
        traits=(CONDITIONAL, OWN_SCOPE),
        display="cond",
    )
    def branch(
        xp, cond: Free, input: ManyFree, *, Tout=None, then_branch, else_branch, output_shapes=None
    ):
        """Return the results of one of two functions."""
        _not_alone(name)

    @branch.infer
    def _(cond, input, *, Tout, then_branch, else_branch, output_shapes):
        if cond.shape:
            raise InferError(f"The condition must be a scalar, got shape {fmt_shape(cond.shape)}")
        _check_arguments((then_branch, else_branch), input)
        return _results((then_branch, else_branch))

    return branch


def _declare_case(name: str, effect: str | None) -> Any:
    @op(
        name,
        outputs=MANY_OUTPUTS,
        effect=effect,
        grad=UNREGISTERED,
        traits=(SWITCH, OWN_SCOPE),
        display="switch_case",
    )
    def choose(xp, branch_index: Free, input: ManyFree, *, Tout=None, branches, output_shapes=None):
        """Return the results of one of several functions; of the last for an index out of range."""
        _not_alone(name)

    @choose.infer
    def _(branch_index, input, *, Tout, branches, output_shapes):
        if branch_index.shape:
            raise InferError(
                f"The branch index must be a scalar, got shape {fmt_shape(branch_index.shape)}"
            )
        _check_arguments(branches, input)
        return _results(branches)

    return choose


def _declare_while(name: str, effect: str | None) -> Any:
    @op(
        name,
        outputs=MANY_OUTPUTS,
        effect=effect,
        grad=UNREGISTERED,
        traits=(LOOP, OWN_SCOPE),
        display="while",
    )
    def loop(xp, input: ManyFree, *, cond, body, output_shapes=None, parallel_iterations=10):
        """Run `body` while `cond` holds; returns the final loop variables."""
        _not_alone(name)

    @loop.infer
    def _(input, *, cond, body, output_shapes, parallel_iterations):
        _check_arguments((cond, body), input)
        # What the loop only reads stays as it is; the rest has the shape that holds throughout.
        return tuple(
            argument if result is variable else Spec(variable.static_shape, variable.dtype)
            for argument, variable, result in zip(input, body.inputs, body.outputs, strict=True)
        )

    return loop


# Those with an effect read or change something that is not among their inputs.
if_ = _declare_if("If", "reads")
stateless_if = _declare_if("StatelessIf", None)
case = _declare_case("Case", "reads")
stateless_case = _declare_case("StatelessCase", None)
while_ = _declare_while("While", "reads")
stateless_while = _declare_while("StatelessWhile", None)
BRANCHES = frozenset({if_, stateless_if, case, stateless_case})
LOOPS = frozenset({while_, stateless_while})
