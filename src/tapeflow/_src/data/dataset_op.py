"""`@dataset_op`: declares an op that returns a dataset; the stage remembers the call.

The calls that a stage was made by are its description: a graph is built from them, which travels
to other processes (`graphs.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tapeflow._src.backends import numpy as xp
from tapeflow._src.core.registry import Op, op
from tapeflow._src.data.stage import A_DATASET, HOST, Stage


class Origin(NamedTuple):
    """The call of an op that made a stage: its inputs are arrays, stages and resources."""

    op: Op
    inputs: tuple[Any, ...]
    attrs: dict[str, Any]


def dataset_op(name: str, *, effect: str | None = None) -> Callable[[Callable[..., Stage]], Op]:
    """Declare an op whose body returns the stage of a dataset."""

    def declare(body: Callable[..., Stage]) -> Op:
        declared: Op = op(name, infer=A_DATASET, grad=None, host=HOST, effect=effect)(body)

        @declared.kernel("numpy")
        def run(xp: Any, *inputs: Any, **attrs: Any) -> Stage:
            stage = body(xp, *inputs, **attrs)
            stage.origin = Origin(declared, inputs, attrs)
            return stage

        return declared

    return declare


def rebuilt(stage: Stage, replaced: dict[int, Stage]) -> Stage:
    """Return a stage that reads others in the place of some, which are named by their ids.

    The calls that made it are repeated.
    """
    rebuilt_by_id: dict[int, Stage] = dict(replaced)

    def again(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [again(item) for item in value]
        if not isinstance(value, Stage) or value.origin is None:
            return rebuilt_by_id.get(id(value), value)
        if id(value) not in rebuilt_by_id:
            call: Origin = value.origin
            rebuilt_by_id[id(value)] = call.op.run(
                xp, *[again(v) for v in call.inputs], **call.attrs
            )
        return rebuilt_by_id[id(value)]

    result: Stage = again(stage)
    return result
