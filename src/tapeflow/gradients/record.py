"""What a tape keeps of one op call: exactly what its gradient names, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

from tapeflow.core import dispatch, dtypes
from tapeflow.core.registry import GradientRule, Op, Undeclared
from tapeflow.eager.tensor import identity
from tapeflow.ops.array import fill, shape_of, static_ints, sum_to, sum_to_dims
from tapeflow.ops.indexed_slices import IndexedSlices, densify

DIFFERENTIABLE = dtypes.FLOATING_COMPLEX | {dtypes.resource, dtypes.variant}


class Record:
    """One call on a tape: which tensors went in and came out, by number, and how to go back."""

    __slots__ = ("input_ids", "output_ids", "output_specs")

    def __init__(
        self,
        input_ids: list[int | None],
        output_ids: list[int | None],
        output_specs: list[tuple[Any, Any]] | None,
    ) -> None:
        self.input_ids = input_ids
        self.output_ids = output_ids
        # Shapes and dtypes: zeros are made for the outputs that nothing depends on.
        self.output_specs = output_specs

    def pull(self, gradients: list[Any], needed: list[bool]) -> list[Any]:
        """The gradients of the inputs, in their order, from those of the outputs."""
        raise NotImplementedError("A record says how to go back.")

    def filled(self, gradients: list[Any]) -> list[Any]:
        """`gradients` as tensors, with zeros where no gradient arrived."""
        result = []
        for i, gradient in enumerate(gradients):
            if gradient is None and self.output_specs is not None:
                shape, dtype = self.output_specs[i]
                zero_dtype = dtype if dtype in DIFFERENTIABLE else dtypes.float32
                gradient = fill(shape, dispatch.convert(0, zero_dtype))
            result.append(densify(gradient))
        return result


class OpRecord(Record):
    """A call of a declared op."""

    __slots__ = ("attrs", "input_shapes", "op", "saved")

    def __init__(
        self,
        op: Op,
        inputs: tuple[Any, ...],
        attrs: dict[str, Any],
        outputs: tuple[Any, ...],
        input_ids: list[int | None],
        output_ids: list[int | None],
    ) -> None:
        specs = [(shape_of(o), o.dtype) for o in outputs] if len(outputs) > 1 else None
        super().__init__(input_ids, output_ids, specs)
        self.op = op
        self.attrs = attrs
        rule = op.gradient_rule
        self.saved = () if type(rule) is Undeclared else _save(rule, inputs, outputs)
        self.input_shapes: list[Any] | None = None
        if op.broadcasts:
            result = outputs[0]._dims
            dims = [t._dims for t in inputs]
            if result is None or None in result or any(d != result for d in dims):
                self.input_shapes = [
                    shape_of(t) if d is None or None in d else d
                    for t, d in zip(inputs, dims, strict=True)
                ]

    def pull(self, gradients: list[Any], needed: list[bool]) -> list[Any]:
        op, rule = self.op, self.op.gradient_rule
        if type(rule) is Undeclared:
            raise LookupError(
                f"No gradient defined for operation {op.name!r}. Declare one with "
                f"@tf.RegisterGradient({op.name!r}), or wrap the call in tf.stop_gradient if it "
                f"should be a constant."
            )
        keywords = dict(zip(_saved_names(rule), self.saved, strict=True))
        for name in rule.attrs:
            keywords[name] = self.attrs[name]
        if rule.wants_attrs:
            keywords["attrs"] = self.attrs
        if rule.wants_needed:
            keywords["needed"] = needed
        gradients = self.filled(gradients)
        if op.outputs_are_list:
            result = rule.fn(gradients, **keywords)
        else:
            result = rule.fn(*gradients, **keywords)
        flat = self._flat(result)
        if self.input_shapes is not None:
            flat = [_unbroadcast(g, s) for g, s in zip(flat, self.input_shapes, strict=True)]
        return flat

    def _flat(self, result: Any) -> list[Any]:
        """One gradient per input, lists of inputs written out, `None` for those left out."""
        if type(result) is not tuple:
            result = (result,)
        if self.op.has_lists:
            result = list(chain.from_iterable(r if type(r) is list else (r,) for r in result))
        missing = len(self.input_ids) - len(result)
        return [*result, *[None] * missing]


class CustomRecord(Record):
    """A call whose gradient is a function of the user's."""

    __slots__ = ("backward",)

    def __init__(
        self,
        backward: Callable[..., list[Any]],
        outputs: tuple[Any, ...],
        input_ids: list[int | None],
        output_ids: list[int | None],
    ) -> None:
        super().__init__(input_ids, output_ids, [(shape_of(o), o.dtype) for o in outputs])
        self.backward = backward

    def pull(self, gradients: list[Any], needed: list[bool]) -> list[Any]:
        return self.backward(*self.filled(gradients))


def _save(rule: GradientRule, inputs: tuple[Any, ...], outputs: tuple[Any, ...]) -> list[Any]:
    saved = [inputs[i] for _, i in rule.inputs]
    if rule.outputs:
        saved += [outputs[i] for _, i in rule.outputs]
    if rule.shapes:
        saved += [_shapes_of(inputs[i]) for _, i in rule.shapes]
    if rule.dtypes:
        saved += [inputs[i].dtype for _, i in rule.dtypes]
    return saved


def _shapes_of(value: Any) -> Any:
    """The shape of an input, or the shapes of a list of them."""
    return [shape_of(t) for t in value] if type(value) is tuple else shape_of(value)


def _saved_names(rule: GradientRule) -> list[str]:
    return [name for name, _ in chain(rule.inputs, rule.outputs, rule.shapes, rule.dtypes)]


def _unbroadcast(gradient: Any, shape: Any) -> Any:
    if gradient is None:
        return None
    gradient = densify(gradient)
    return sum_to_dims(gradient, shape) if type(shape) is tuple else sum_to(gradient, shape)


def make_record(
    op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], outputs: tuple[Any, ...], tracked: set
) -> Record | None:
    """The record of a call, or None if nothing tracked went into it. Outputs become tracked."""
    flat = (
        tuple(chain.from_iterable(v if type(v) is tuple else (v,) for v in inputs))
        if op.has_lists
        else inputs
    )
    for tensor in flat:
        if tensor._id in tracked:
            break
    else:
        return None
    output_ids = _track(outputs, tracked)
    if output_ids is None:
        return None
    input_ids = [t._id if t._id in tracked else None for t in flat]
    return OpRecord(op, inputs, attrs, outputs, input_ids, output_ids)


def make_custom_record(
    backward: Callable[..., list[Any]],
    inputs: tuple[Any, ...],
    outputs: tuple[Any, ...],
    tracked: set,
) -> Record | None:
    """As `make_record`, for a function with a gradient of its own."""
    input_ids = [t._id if t._id in tracked else None for t in inputs]
    if not any(input_ids):
        return None
    output_ids = _track(outputs, tracked)
    return None if output_ids is None else CustomRecord(backward, outputs, input_ids, output_ids)


def _track(outputs: tuple[Any, ...], tracked: set) -> list[int | None] | None:
    """Number and track the outputs that can have a gradient; None if there are none."""
    ids: list[int | None] = []
    any_tracked = False
    for tensor in outputs:
        if tensor.dtype in DIFFERENTIABLE:
            number = identity(tensor)
            tracked.add(number)
            ids.append(number)
            any_tracked = True
        else:
            ids.append(None)
    return ids if any_tracked else None
