"""The record of one op call: the residuals that its gradient names, and the pull function.

Payloads are plain tuples, because one is created for every op call on a tape.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from operator import attrgetter
from typing import Any

from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.gradient_rules import GradientRule
from tapeflow._src.core.registry import Op, Undeclared
from tapeflow._src.eager.tensor import EagerTensor
from tapeflow._src.gradients.token import Token
from tapeflow._src.ops.array.common import fill, identity, shape_of, sum_to, sum_to_dims
from tapeflow._src.ops.indexed_slices import IndexedSlices, densify
from tapeflow._src.ops.state.variables import read_variable

DIFFERENTIABLE = dtypes.FLOATING_COMPLEX | {dtypes.resource, dtypes.variant}

# Their gradient is the upstream gradient, sparse or not.
_PASS_THROUGH = frozenset({identity, read_variable})

_dtype_of = attrgetter("dtype")

Tensors = tuple[Any, ...]
Gradients = Sequence[Any]
# (payload, gradients of the outputs, which inputs need one, tokens of the outputs) -> gradients
Pull = Callable[[Any, Gradients, list[bool], Sequence[Token | None]], Gradients]
OpPayload = tuple[Op, Any, dict[str, Any], tuple[Any, ...], Any, Any]


class CallPull:
    """The gradient function of a call of a graph; `label` says what was called."""

    __slots__ = ()

    @property
    def label(self) -> str:
        """How explanations refer to the call."""
        raise NotImplementedError(f"{type(self).__name__} has no label.")

    @property
    def graph_body(self) -> Any:
        """The body that was called."""
        raise NotImplementedError(f"{type(self).__name__} has no body.")

    def __call__(self, *gradients: Any) -> list[Any]:
        """Return the gradients w.r.t. the inputs of the call."""
        raise NotImplementedError(f"{type(self).__name__} does not say how to differentiate.")


def _saved_outputs(op: Op, rule: GradientRule, outputs: Tensors) -> Sequence[Any]:
    # A record must not keep its own results alive, because it lives as long as they do.
    if not rule.outputs:
        return ()
    if op.outputs_are_list:
        return [[o._twin() for o in outputs] for _ in rule.outputs]
    return [outputs[i]._twin() for _, i in rule.outputs]


def _saved_shapes(rule: GradientRule, inputs: Tensors) -> Sequence[Any]:
    if not (rule.shapes or rule.dtypes):
        return ()
    shapes = [_map_inputs(shape_of, inputs[i]) for _, i in rule.shapes]
    return shapes + [_map_inputs(_dtype_of, inputs[i]) for _, i in rule.dtypes]


def _map_inputs(function: Any, value: Any) -> Any:
    """Apply a function to an input, or to each of a list of inputs."""
    return [function(t) for t in value] if type(value) is tuple else function(value)


def flat_inputs(op: Op, inputs: Tensors) -> Tensors:
    """Return the inputs of a call, with lists flattened."""
    if not op.has_lists:
        return inputs
    return tuple(chain.from_iterable(v if type(v) is tuple else (v,) for v in inputs))


def spec_of(tensor: Any) -> tuple[Any, Any]:
    """Return shape and dtype of the zero gradient for an output that nothing depends on."""
    dims = tensor.static_shape
    return (shape_of(tensor) if dims is None or None in dims else dims), tensor.dtype


def file_call(
    op: Op, inputs: Tensors, attrs: dict[str, Any], outputs: Tensors
) -> tuple[Pull, tuple[Any, ...]]:
    """Return the pull function of a call and its payload: only the residuals are saved."""
    rule = op.gradient_rule
    if type(rule) is not GradientRule:
        if type(rule) is Undeclared:
            return pull_undeclared, (op,)
        registered: tuple[Pull, tuple[Any, ...]] = rule.record(op, inputs, attrs, outputs)
        return registered
    if op in _PASS_THROUGH:
        return pass_through, (op,)
    if rule.keeps_all_inputs:
        saved = inputs
    else:
        saved = tuple([inputs[i] for i in rule.saved_inputs]) if rule.saved_inputs else ()
    if rule.keeps_more:
        saved = (*saved, *_saved_outputs(op, rule, outputs), *_saved_shapes(rule, inputs))
    shapes = _shapes_before_broadcasting(inputs, outputs[0]) if op.broadcasts else None
    specs = None if op.single_output else list(map(spec_of, outputs))
    return pull_op, (op, rule, attrs, saved, shapes, specs)


def _shapes_before_broadcasting(inputs: Tensors, output: Any) -> list[Any] | None:
    """Return the shapes of the inputs, static or as tensors; None if they equal the output's."""
    if type(output) is EagerTensor:
        # Nearly every recorded op passes here: properties would take longer than all the rest.
        shape = output._array.shape
        for tensor in inputs:
            if tensor._array.shape != shape:
                return [t._array.shape for t in inputs]
        return None
    dims = output.static_shape
    if dims is not None and None not in dims and all(t.static_shape == dims for t in inputs):
        return None
    return [None if _spans(t, inputs, dims) else shape_of(t) for t in inputs]


def _spans(tensor: Any, inputs: Tensors, dims: Any) -> bool:
    """Whether a tensor surely has the shape of the result, although that is partly unknown.

    No other input can then broadcast it: where its size is unknown, they have size one or none.
    """
    own = tensor.static_shape
    if own is None or dims is None or len(own) != len(dims):
        return False
    for axis in range(1, len(own) + 1):
        if own[-axis] is None:
            for other in inputs:
                sizes = other.static_shape
                if sizes is None or (
                    other is not tensor and axis <= len(sizes) and sizes[-axis] != 1
                ):
                    return False
        elif own[-axis] != dims[-axis]:
            return False
    return True


def pull_op(
    payload: OpPayload, gradients: Gradients, needed: list[bool], tokens: Sequence[Token | None]
) -> Gradients:
    """Compute input gradients from output gradients, with these tokens."""
    op, rule, attrs, saved, shapes, specs = payload
    keywords = dict(zip(rule.names, saved)) if saved else {}
    for name in rule.attrs:
        keywords[name] = attrs[name]
    if rule.outputs and dispatch.state.recorders:
        _revive_outputs(keywords, rule, tokens)
    if rule.takes_attrs:
        keywords["attrs"] = attrs
    if rule.takes_needed:
        keywords["needed"] = needed
    if specs is not None:
        if not rule.takes_none:
            gradients = filled(gradients, specs)
        if op.outputs_are_list:
            gradients = (gradients,)
    elif isinstance(gradients[0], IndexedSlices):
        gradients = (densify(gradients[0]),)
    result = rule.fn(*gradients, **keywords)
    if type(result) is not tuple or len(result) != len(needed) or op.has_lists:
        result = flatten_result(op, result, len(needed))
    if shapes is not None:
        return [
            _unbroadcast(g, s) if n and g is not None and s is not None else g
            for g, s, n in zip(result, shapes, needed)
        ]
    return result


def pass_through(payload: Any, gradients: Gradients, needed: Any, tokens: Any) -> Gradients:
    """Return the upstream gradient: the rule of ops that return their only input."""
    return gradients


def _revive_outputs(keywords: dict[str, Any], rule: GradientRule, tokens: Sequence[Any]) -> None:
    """Identify the saved outputs among the keywords for the recorders of this pass."""
    for name, i in rule.outputs:
        saved = keywords[name]
        if type(saved) is list:
            keywords[name] = revived(saved, tokens)
        else:
            (keywords[name],) = revived([saved], tokens[i : i + 1])


def revived(twins: Sequence[Any], tokens: Sequence[Token | None]) -> list[Any]:
    """Return saved outputs as the tensors that tapes know them as."""
    tensors = [twin._twin() for twin in twins]
    for tensor, token in zip(tensors, tokens, strict=True):
        tensor._id = token
    return tensors


def filled(gradients: Gradients, specs: Sequence[tuple[Any, Any]]) -> list[Any]:
    """Return `gradients` as tensors, with zeros for None."""
    return [
        zeros(*spec) if g is None else densify(g) for g, spec in zip(gradients, specs, strict=True)
    ]


def zeros(shape: Any, dtype: Any) -> Any:
    """Return zeros for an output of that shape and dtype that nothing depends on."""
    return fill(shape, dispatch.convert(0, dtype if dtype in DIFFERENTIABLE else dtypes.float32))


def flatten_result(op: Op, result: Any, count: int) -> Gradients:
    """Return one gradient per input, lists flattened, `None` for those left out."""
    if type(result) is not tuple:
        result = (result,)
    if op.has_lists:
        result = tuple(chain.from_iterable(r if type(r) is list else (r,) for r in result))
    if len(result) > count:
        raise ValueError(
            f"The gradient of {op.name} gives {len(result)} gradients for {count} inputs."
        )
    return (*result, *(None,) * (count - len(result)))


def _unbroadcast(gradient: Any, shape: Any) -> Any:
    """Sum a gradient to `shape` if the input was broadcast."""
    if type(shape) is not tuple:
        return sum_to(densify(gradient), shape)
    if gradient.static_shape == shape and None not in shape:
        return gradient
    return sum_to_dims(densify(gradient), shape)


def pull_undeclared(
    payload: tuple[Op], gradients: Gradients, needed: list[bool], tokens: Any
) -> Gradients:
    """Raise for an op without a gradient."""
    (op,) = payload
    raise LookupError(
        f"gradient registry has no entry for: {op.name}. Declare a gradient with "
        f"@tf.RegisterGradient({op.name!r}), or wrap the call in tf.stop_gradient if its result is "
        f"to count as a constant."
    )
