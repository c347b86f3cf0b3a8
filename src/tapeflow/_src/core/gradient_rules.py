"""`GradientRule`: the gradient of an op, and the residuals it needs of a call."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tapeflow._src.core.registry import Op


def named(fn: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Name a function that was declared as `_`, also in its code.

    Tracebacks and profiles show the name in the code.
    """
    if fn.__name__ == "_":
        fn.__name__ = fn.__qualname__ = name
        fn.__code__ = fn.__code__.replace(co_name=name, co_qualname=name)
    return fn


class GradientRule:
    """A gradient function; its keyword-only parameters declare the residuals that tapes save.

    A parameter may be the name of an input, an attribute or an output (`output` when there is one),
    `shape_of_<input>`, `dtype_of_<input>`, `attrs` (all attributes), or `needed`: which inputs need
    a gradient. A positional parameter with the default None, the upstream gradient of an output, is
    None when nothing depends on that output; others then receive zeros.
    """

    __slots__ = (
        "attrs",
        "dtypes",
        "fn",
        "keeps_all_inputs",
        "keeps_more",
        "names",
        "outputs",
        "saved_inputs",
        "shapes",
        "takes_attrs",
        "takes_needed",
        "takes_none",
    )

    def __init__(self, op: Op, fn: Callable[..., Any]) -> None:
        names = fn.__code__.co_varnames
        first = fn.__code__.co_argcount
        requested = names[first : first + fn.__code__.co_kwonlyargcount]
        inputs, outputs, attrs, shapes, dtypes = [], [], [], [], []
        for name in requested:
            if name in op.input_names:
                inputs.append((name, op.input_names.index(name)))
            elif name in op.attr_names:
                attrs.append(name)
            elif name in op.output_names:
                outputs.append((name, op.output_names.index(name)))
            elif name.startswith("shape_of_") and name[9:] in op.input_names:
                shapes.append((name, op.input_names.index(name[9:])))
            elif name.startswith("dtype_of_") and name[9:] in op.input_names:
                dtypes.append((name, op.input_names.index(name[9:])))
            elif name not in ("needed", "attrs"):
                raise TypeError(
                    f"The gradient of {op.name} asks for {name!r}, which is no input, attribute or "
                    f"output of it: {(*op.input_names, *op.attr_names, *op.output_names)}."
                )
        self.fn = fn
        self.outputs = tuple(outputs)
        self.attrs = tuple(attrs)
        self.shapes = tuple(shapes)
        self.dtypes = tuple(dtypes)
        self.takes_needed = "needed" in requested
        self.takes_none = fn.__defaults__ is not None
        self.takes_attrs = "attrs" in requested
        # The residuals, in this order, and the positions of the inputs among them in a call.
        self.names = tuple(name for name, _ in (*inputs, *outputs, *shapes, *dtypes))
        self.saved_inputs = tuple(i for _, i in inputs)
        self.keeps_all_inputs = self.saved_inputs == tuple(range(len(op.input_names)))
        self.keeps_more = bool(outputs or shapes or dtypes)
