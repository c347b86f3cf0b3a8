"""Record the signatures of TensorFlow's ops as `src/tapeflow/_src/graph/op_defs.txt`.

Run where TensorFlow is installed, from the root of the repository:

    python -m tests.parity.record_op_defs [target]
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import op_def_pb2
from tensorflow.python.client import pywrap_tf_session

TARGET = Path(__file__).parents[2] / "src" / "tapeflow" / "_src" / "graph" / "op_defs.txt"
# Ops of particular machines, of compilers, and of what is no part of TensorFlow 2's public face.
OTHERS = (
    *("_", "Namespace>", "Experimental", "BoostedTrees", "Risc", "Xla"),
    *("Quantized", "UniformDequantize", "UniformQuantize", "UniformRequantize"),
    *("Collective", "Configure", "DTensor", "Infeed", "LoadTPU", "Nccl", "Outfeed", "Recv"),
    *("Retrieve", "Send", "Shutdown", "TPU", "Tpu"),
)
# Of those, what files hold for functions that were written in JAX.
KEPT = ("XlaCallModule",)
FLAGS = (
    "is_stateful",
    "is_commutative",
    "is_aggregate",
    "allows_uninitialized_input",
    "is_distributed_communication",
)
FIELDS = {"string": "s", "int": "i", "float": "f", "bool": "b"}


def dtype(number: int) -> str:
    name: str = tf.dtypes.as_dtype(number).name
    return name


def argument(arg: Any) -> str:
    kind = arg.type_attr or (f"{arg.type_list_attr}..." if arg.type_list_attr else dtype(arg.type))
    return f"{arg.number_attr}*{kind} {arg.name}" if arg.number_attr else f"{kind} {arg.name}"


def item(value: Any, kind: str) -> str:
    match kind:
        case "string":
            return json.dumps(value.decode())
        case "bool":
            return json.dumps(value)
        case "type":
            return dtype(value)
        case "float":
            return str(np.float32(value))
        case "shape":
            sizes = ("?" if dim.size == -1 else str(dim.size) for dim in value.dim)
            return "?" if value.unknown_rank else f"[{', '.join(sizes)}]"
    return str(value)


def default(value: Any, kind: str) -> str:
    if kind.startswith("list("):
        kind = kind[5:-1]
        items = getattr(value.list, FIELDS.get(kind, kind))
        return f"[{', '.join(item(i, kind) for i in items)}]"
    return item(getattr(value, FIELDS.get(kind, kind)), kind)


def attribute(attr: Any) -> str:
    text = f"{attr.type} {attr.name}"
    if attr.has_minimum:
        text += f" >= {attr.minimum}"
    allowed = attr.allowed_values.list
    if allowed.s or allowed.type:
        items = [*(item(s, "string") for s in allowed.s), *map(dtype, allowed.type)]
        text += f" in {{{', '.join(items)}}}"
    if attr.HasField("default_value") and attr.type != "tensor":
        text += f" = {default(attr.default_value, attr.type)}"
    return text


def line(op: Any) -> str:
    inputs, outputs = (", ".join(map(argument, args)) for args in (op.input_arg, op.output_arg))
    attrs = "".join(f"; {attribute(attr)}" for attr in op.attr)
    flags = "".join(f" #{flag.removeprefix('is_')}" for flag in FLAGS if getattr(op, flag))
    return f"{op.name}({inputs}) -> ({outputs}){attrs}{flags}"


def ops() -> Iterator[Any]:
    """The ops to keep, by name: deprecated ones stand in older graphs.

    Those on references are left out: TensorFlow 2 makes none.
    """
    data = pywrap_tf_session.TF_GetBuffer(pywrap_tf_session.TF_GetAllOpList())
    for op in sorted(op_def_pb2.OpList.FromString(data).op, key=lambda op: op.name):
        refers = any(arg.is_ref for arg in (*op.input_arg, *op.output_arg))
        holds = any(attr.default_value.list.tensor for attr in op.attr)
        other = op.name.startswith(OTHERS) and op.name not in KEPT
        if not (refers or holds or other):
            yield op


def main() -> None:
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET
    lines = [line(op) for op in ops()]
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(lines)} ops -> {target}")


if __name__ == "__main__":
    main()
