"""Show a dataset in a notebook: its stages and the types of its elements."""

from __future__ import annotations

from html import escape
from typing import Any

from tapeflow._src.core.html import table
from tapeflow._src.data.stage import Stage, upstream


def stage_name(stage: Stage) -> str:
    """Return what a stage does, such as "Map" or "Batch"."""
    if stage.origin is None:
        return type(stage).__name__
    name: str = stage.origin.op.name
    return name.partition("Dataset")[0].removeprefix("Parallel") or name


def stage_spec(stage: Stage) -> str:
    """Return dtypes and shapes of the elements of a stage; "" if they are not declared."""
    attrs = {} if stage.origin is None else stage.origin.attrs
    types = attrs.get("output_types") or attrs.get("Toutput_types") or ()
    shapes = attrs.get("output_shapes") or ()
    return ", ".join(f"{dtype.name}{_shape(shape)}" for dtype, shape in zip(types, shapes))


def _shape(shape: Any) -> str:
    sizes = getattr(shape, "as_list", lambda: shape)()
    if sizes is None:
        return "[…]"
    return "[" + ", ".join("?" if size is None else str(size) for size in sizes) + "]"


def dataset_html(dataset: Any) -> str:
    """Return a table of the stages of a dataset, from the source on; nothing is read."""
    stage = getattr(dataset._variant_tensor, "_array", None)
    text = f"<p><code>{escape(repr(dataset))}</code></p>"
    if not isinstance(stage, Stage):
        return text
    rows = [
        (stage_name(each), _count(each.cardinality()), stage_spec(each))
        for each in reversed(upstream(stage))
    ]
    return text + table(("stage", "elements", "spec"), rows)


def _count(cardinality: int) -> str:
    return {-1: "infinite", -2: "unknown"}.get(cardinality, str(cardinality))
