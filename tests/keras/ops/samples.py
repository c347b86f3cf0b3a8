"""Calls of `keras.ops`, of which Keras' results are recorded in `tests/golden`.

A call is an expression on the arrays below. From the root of the repository, where TensorFlow is
installed, `python -m tests.keras.ops.samples` records them again.
"""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import numpy as np

from tests.keras.oracle import GOLDEN, plain

FILE = GOLDEN / "keras_ops.json"
DTYPES_FILE = GOLDEN / "keras_ops_dtypes.json"

ARRAYS: dict[str, Any] = {
    "a": np.array([[1.5, -2.0, 0.5], [0.0, 3.25, -1.0]], "float32"),
    "b": np.array([2.0, -1.0, 0.5], "float32"),
    "p": np.array([[0.5, 1.0, 2.0], [3.0, 4.5, 7.25]], "float32"),
    "u": np.array([[0.5, -0.25, 0.0], [0.75, -1.0, 1.0]], "float32"),
    "i": np.array([[3, -1, 4], [1, -5, 9]], "int32"),
    "j": np.array([2, 0, 1], "int32"),
    "n": np.array([[1.0, np.nan, -2.0], [np.inf, 4.0, np.nan]], "float32"),
    "c": np.array([[True, False, True], [False, False, True]]),
    "s": np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]], "float32"),
    "t": np.arange(24, dtype="float32").reshape(2, 3, 4),
    "z": np.array([1 + 2j, -0.5j, 3], "complex64"),
}
_UNARY = {
    "a": (
        "absolute abs arctan arcsinh cbrt ceil conj copy cos cosh deg2rad exp exp2 expm1 fabs "
        "floor isfinite isreal logical_not negative rad2deg ravel real round sign signbit sin "
        "sinc sinh square tan tanh trunc size flipud fliplr i0 angle argmax argmin "
        "count_nonzero nonzero transpose zeros_like ones_like empty_like all any amax amin "
        "cumprod cumsum mean median prod ptp std sum var sort argsort flip max min corrcoef"
    ),
    "p": ("log log10 log1p log2 reciprocal sqrt arccosh"),
    "u": ("arccos arcsin arctanh"),
    "n": (
        "isinf isnan isneginf isposinf nan_to_num nanmax nanmean nanmin nanprod nanstd nansum "
        "nanvar nanargmax nanargmin nancumsum nancumprod nanmedian"
    ),
    "i": ("bitwise_invert bitwise_not negative mean sum prod std sqrt exp sign max cumsum argmax"),
    "z": ("conjugate imag real angle absolute"),
    "s": ("slogdet diag trace tril triu"),
}
_BINARY = (
    "add arctan2 divide equal floor_divide fmax fmin fmod greater greater_equal heaviside hypot "
    "less less_equal logaddexp logaddexp2 logical_and logical_or logical_xor maximum minimum mod "
    "multiply not_equal nextafter subtract true_divide isclose divide_no_nan"
)
_INTEGERS = "bitwise_and bitwise_or bitwise_xor gcd lcm"
CALLS = [
    *(f"ops.{name}({array})" for array, names in _UNARY.items() for name in names.split()),
    *(f"ops.{name}(a, b)" for name in _BINARY.split()),
    *(f"ops.{name}(i, j)" for name in _INTEGERS.split()),
    *(
        "ops.add(a, 1)",
        "ops.add(i, 1.5)",
        "ops.multiply(2, a)",
        "ops.power(p, b)",
        "ops.power(i, 2)",
    ),
    *("ops.left_shift(i, j)", "ops.right_shift(i, 1)", "ops.bitwise_left_shift(i, 2)"),
    *("ops.bitwise_right_shift(i, j)", "ops.ldexp(a, j)", "ops.clip(a, -1.0, 2)"),
    *("ops.sum(t, axis=1)", "ops.sum(t, axis=(0, -1), keepdims=True)", "ops.mean(t, axis=-1)"),
    *(
        "ops.max(t, axis=2, initial=7.0)",
        "ops.min(t, axis=0, keepdims=True)",
        "ops.prod(a, axis=0)",
    ),
    *("ops.var(t, axis=(1, 2))", "ops.std(t, axis=0)", "ops.all(c, axis=1)", "ops.any(c, axis=0)"),
    *("ops.argmax(t, axis=1, keepdims=True)", "ops.argmin(a, axis=-1)", "ops.ptp(t, axis=1)"),
    *("ops.average(a, axis=1, weights=b)", "ops.average(p)", "ops.count_nonzero(c, axis=0)"),
    *("ops.cumsum(t, axis=2)", "ops.cumprod(a, axis=1)", "ops.median(t, axis=(0, 2))"),
    *("ops.quantile(t, [0.1, 0.75], axis=1)", "ops.quantile(a, 0.3, method='lower')"),
    *("ops.percentile(t, 40.0, axis=-1, keepdims=True)", "ops.nanquantile(n, 0.5, axis=0)"),
    *("ops.quantile(a, 0.4, axis=0, method='midpoint')", "ops.nanpercentile(n, 25.0)"),
    *("ops.nanmean(n, axis=1)", "ops.nanmax(n, axis=0)", "ops.nansum(n, axis=1, keepdims=True)"),
    *("ops.trapezoid(a)", "ops.trapezoid(a, dx=0.5, axis=0)", "ops.round(a, 1)"),
    *("ops.reshape(a, (3, 2))", "ops.reshape(t, (2, -1))", "ops.transpose(t, (2, 0, 1))"),
    *(
        "ops.squeeze(ops.expand_dims(a, (0, 2)))",
        "ops.expand_dims(a, -1)",
        "ops.moveaxis(t, 0, -1)",
    ),
    *("ops.swapaxes(t, 0, 2)", "ops.broadcast_to(b, (2, 3))", "ops.tile(a, (2, 1, 2))"),
    *("ops.repeat(a, 2, axis=1)", "ops.repeat(a, 2)", "ops.flip(t, axis=(0, 2))", "ops.roll(a, 1)"),
    *("ops.roll(t, 2, axis=1)", "ops.rot90(a)", "ops.rot90(t, k=3, axes=(1, 2))"),
    *("ops.pad(a, ((1, 0), (0, 2)))", "ops.pad(a, ((1, 1), (0, 2)), constant_values=5.0)"),
    *("ops.pad(a, ((1, 1), (1, 1)), mode='reflect')", "ops.view(a, 'int32')", "ops.ndim(a)"),
    *("ops.concatenate([a, p], axis=1)", "ops.concatenate([a, i])", "ops.append(a, b)"),
    *("ops.stack([a, p], axis=-1)", "ops.hstack([a, p])", "ops.vstack([a, p])"),
    *("ops.dstack([a, p])", "ops.split(t, 2, axis=2)", "ops.split(a, [1], axis=1)"),
    *("ops.array_split(b, 2)", "ops.hsplit(t, 3)", "ops.vsplit(t, 2)", "ops.dsplit(t, [1, 3])"),
    *("ops.meshgrid(b, p[0])", "ops.meshgrid(b, p[0], indexing='ij')", "ops.unstack(a, axis=1)"),
    *("ops.take(a, [0, -1], axis=1)", "ops.take(a, j)", "ops.take_along_axis(a, i * 0, axis=1)"),
    *("ops.where(c, a, p)", "ops.where(c, 1, 0.5)", "ops.where(c)", "ops.get_item(t, (0, 1))"),
    *("ops.select([a > 1, a < 0], [a, p], 9.0)", "ops.unravel_index(j, (2, 2))"),
    *("ops.diagonal(t, axis1=1, axis2=2)", "ops.diagonal(s, offset=1)", "ops.diag(b, k=1)"),
    *("ops.diagflat(a)", "ops.trace(s, offset=-1)", "ops.tril(s, k=-1)", "ops.triu(s, k=1)"),
    *(
        "ops.diff(a)",
        "ops.diff(t, n=2, axis=1)",
        "ops.sort(a, axis=0)",
        "ops.argsort(a, axis=None)",
    ),
    "ops.searchsorted(np.array([0.0, 1.0, 2.0], 'float32'), b)",
    *("ops.unique(j)", "ops.unique(i)", "ops.isin(i, [1, 4])", "ops.isin(a, b, invert=True)"),
    *("ops.allclose(a, a + 1e-9)", "ops.histogram(b, bins=4)", "ops.bincount(j)"),
    *("ops.bincount(j, weights=[0.5, 1.0, 2.0], minlength=5)", "ops.digitize(a, [0.0, 1.0])"),
    *("ops.matmul(a, s)", "ops.matmul(t, b[:1] * np.ones((4, 2), 'float32'))", "ops.matmul(i, j)"),
    *("ops.dot(a, b)", "ops.dot(t, ops.transpose(t, (0, 2, 1)))", "ops.vdot(a, p)"),
    *("ops.inner(a, b)", "ops.outer(a, b)", "ops.tensordot(a, t, axes=[[0, 1], [0, 1]])"),
    *("ops.einsum('ij,jk->ik', a, s)", "ops.einsum('ijk->ki', t)", "ops.kron(a, s)"),
    *("ops.cross(a, p)", "ops.correlate(b, p[0])", "ops.correlate(b, p[0], mode='same')"),
    *(
        "ops.correlate(b, p[1], mode='full')",
        "ops.vander(b)",
        "ops.vander(b, N=2, increasing=True)",
    ),
    *("ops.array(i, dtype='float32')", "ops.full_like(a, 2)", "ops.full((2,), 3)"),
    *("ops.zeros((2, 1))", "ops.ones((2,), 'int32')", "ops.arange(3)", "ops.arange(1, 4, 0.5)"),
    *("ops.linspace(0, 1, 5)", "ops.linspace(b, 2 * b, 3, axis=1)", "ops.logspace(0, 2, 3)"),
    *("ops.linspace(0.0, 1.0, 4, endpoint=False, retstep=True)", "ops.geomspace(1.0, 8.0, 4)"),
    *("ops.eye(3)", "ops.eye(2, 3, k=1)", "ops.identity(2)", "ops.tri(3, 2, k=-1)"),
    *(
        "ops.hamming(5)",
        "ops.hanning(4)",
        "ops.blackman(5)",
        "ops.bartlett(5)",
        "ops.kaiser(4, 5.0)",
    ),
    *("ops.cast(a, 'int32')", "ops.saturate_cast(300 * p, 'uint8')", "ops.stop_gradient(a)"),
    *(
        "ops.convert_to_tensor(i, dtype='float16')",
        "ops.shape(t)",
        "ops.slice(t, (0, 1, 1), (2, 1, 2))",
    ),
    *("ops.slice_update(a, (0, 1), p[:1, :2])", "ops.scatter([[1], [3]], b[:2], (5,))"),
    *("ops.scatter_update(b, [[0], [2]], p[0, :2])", "ops.scatter_update(b, [[1]], [3.0], 'add')"),
    *("ops.scatter_update(b, [[1], [1]], [3.0, 2.0], reduction='mul')",),
    *(
        "ops.cond(b[0] > 0, lambda: b, lambda: -b)",
        "ops.switch(1, [lambda x: x, lambda x: 2 * x], a)",
    ),
    *("ops.while_loop(lambda x: ops.sum(x) < 9, lambda x: x * 2, p[0])",),
    *("ops.fori_loop(0, 3, lambda k, x: x + 1.0, a)", "ops.map(lambda x: x * 2, t)"),
    *(
        "ops.scan(lambda x, y: (x + y, x * y), p[0], a)",
        "ops.vectorized_map(lambda x: x[0] * x, a)",
    ),
    *("ops.associative_scan(lambda x, y: x + y, t, axis=1)",),
    *("ops.associative_scan(lambda x, y: x * y, p, reverse=True)",),
]
WIDTHS = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "bfloat16"),
    *("float16", "float32", "float64"),
)
TYPED_BINARY = (
    *("add", "subtract", "multiply", "divide", "true_divide", "floor_divide", "mod"),
    *("power", "maximum", "minimum", "fmax", "fmin", "fmod", "arctan2", "equal", "less"),
    *("heaviside", "hypot", "logaddexp", "matmul", "dot", "inner", "outer", "tensordot"),
    *("where_", "append", "concatenate_", "stack_", "kron", "cross", "vdot"),
    *("bitwise_and", "isclose"),
)
TYPED_UNARY = (
    *("absolute", "fabs", "negative", "sign", "square", "sqrt", "exp", "expm1", "log"),
    *("log1p", "sin", "arctan", "cosh", "tanh", "floor", "ceil", "trunc", "round"),
    *("reciprocal", "sum", "prod", "mean", "var", "std", "max", "min", "cumsum"),
    *("cumprod", "argmax", "sort", "median", "average", "ptp", "isnan", "signbit"),
    *("cbrt", "deg2rad", "diff", "trace", "nansum", "nanmean", "corrcoef", "vander"),
    *("quantile_",),
)


def inputs_of(call: str) -> list[str]:
    """The names of the arrays in a call, in their order."""
    names = [node.id for node in ast.walk(ast.parse(call)) if isinstance(node, ast.Name)]
    return [name for name in ARRAYS if name in names]


def evaluate(ops: Any, call: str, values: dict[str, Any]) -> Any:
    """The result of a call on these values."""
    return eval(call, {"ops": ops, "np": np, **values})


def symbolic(keras: Any, call: str, unknown: bool) -> tuple[list[Any], Any]:
    """The inputs and the result of a call on KerasTensors, whose first axis may be unknown."""
    inputs = {}
    for name in inputs_of(call):
        array = ARRAYS[name]
        shape = ((None,) if unknown else array.shape[:1]) + array.shape[1:]
        inputs[name] = keras.Input(batch_shape=shape, dtype=array.dtype.name, name=name)
    return list(inputs.values()), evaluate(keras.ops, call, inputs)


def operations(keras: Any, call: str) -> Any:
    """What the config of a model of a call says of its operations, without their names."""
    layers = keras.Model(*symbolic(keras, call, unknown=False)).get_config()["layers"]
    found = []
    for layer in layers:
        if layer["class_name"] != "InputLayer":
            config = {key: item for key, item in layer["config"].items() if key != "name"}
            calls = [[len(node["args"]), sorted(node["kwargs"])] for node in layer["inbound_nodes"]]
            found.append([layer["module"], layer["class_name"], config, calls])
    return json.loads(json.dumps(found))


def shapes(keras: Any, call: str) -> Any:
    """Shapes and dtypes of a call on KerasTensors whose first axis is unknown."""
    outputs = symbolic(keras, call, unknown=True)[1]
    flat = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    return [[list(x.shape), x.dtype] for x in flat]


def _or_error(function: Any, *args: Any) -> Any:
    try:
        return function(*args)
    except Exception as error:
        return {"error": type(error).__name__}


def typed(ops: Any, name: str, *operands: Any) -> str:
    """The dtype of an op's result."""
    calls = {
        "where_": lambda x, y: ops.where(True, x, y),
        "concatenate_": lambda x, y: ops.concatenate([x, y]),
        "stack_": lambda x, y: ops.stack([x, y]),
        "quantile_": lambda x: ops.quantile(x, 0.5),
    }
    result = calls[name](*operands) if name in calls else getattr(ops, name)(*operands)
    return np.dtype(result.dtype.as_numpy_dtype).name


def typed_operand(ops: Any, name: str, op: str) -> Any:
    """An operand of a dtype; `int` and `float` are numbers of Python."""
    if name in ("int", "float"):
        return {"int": 2, "float": 2.0}[name]
    square = op in ("trace", "matmul", "corrcoef")
    return ops.ones((3, 3) if square else (3,), dtype=name)


def dtype_row(ops: Any, op: str) -> list[str]:
    """The dtypes of results for all dtypes of operands; an error is its class."""
    if op in TYPED_UNARY:
        pairs = [(name,) for name in WIDTHS]
    else:
        pairs = [(x, y) for x in WIDTHS for y in (*WIDTHS, "int", "float")]
    found = []
    for names in pairs:
        operands = [typed_operand(ops, name, op) for name in names]
        found.append(_or_error(typed, ops, op, *operands))
    return [item if isinstance(item, str) else "" for item in found]


def record(keras: Any) -> None:
    """Write what Keras computes."""
    recorded: dict[str, Any] = {}
    for call in CALLS:
        entry: dict[str, Any] = {}
        names = inputs_of(call)
        values = {name: keras.ops.convert_to_tensor(ARRAYS[name]) for name in names}
        entry["value"] = _or_error(evaluate, keras.ops, call, values)
        if not isinstance(entry["value"], dict):
            entry["value"] = plain(entry["value"])
        if names:
            entry["operations"] = _or_error(operations, keras, call)
            entry["shapes"] = _or_error(shapes, keras, call)
        recorded[call] = entry
    _write(FILE, recorded)
    rows = {
        op: " ".join(x or "-" for x in dtype_row(keras.ops, op))
        for op in TYPED_UNARY + TYPED_BINARY
    }
    tables = sorted(set(rows.values()))
    _write(
        DTYPES_FILE, {"tables": tables, "ops": {op: tables.index(row) for op, row in rows.items()}}
    )


def _write(file: Path, data: Any) -> None:
    file.write_text(
        json.dumps(data, separators=(",", ":"), sort_keys=True) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    import keras

    record(keras)
