"""Record how TensorFlow writes tensors and variables, as facts for `tests/core/test_repr.py`.

Run where TensorFlow is installed, from the root of the repository:

    python -m tests.parity.record_repr
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from tests.core.repr_cases import read

GOLDEN = Path(__file__).parents[1] / "golden" / "repr.json"

FLOATS = "[1.0, 0.1, 1 / 3, 3.14159265, -0.0, 0.0001, 0.00001, 100.0, 123.456, nan, -inf]"
SCALARS = ("1.0", "0.1", "1 / 3", "-0.0", "123456789.0", "1e10", "1e-5", "nan", "inf")
INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
SHAPES = ("10", "7", "6", "2, 3", "7, 7", "8, 1", "1, 1, 2", "2, 2, 2", "3, 1, 7", "2, 1, 2, 2")

TENSORS = [
    *(f"np.array({value}, '{dtype}')" for dtype in ("float32", "float64") for value in SCALARS),
    *(
        f"np.array({value}, {dtype})"
        for dtype in ("'float16'", "bfloat16")
        for value in SCALARS[:4]
    ),
    *(f"np.array({FLOATS}, '{dtype}')" for dtype in ("float16", "float32", "float64")),
    *(f"np.array({FLOATS}, {dtype})" for dtype in ("bfloat16", "float8_e4m3fn", "float8_e5m2")),
    "np.array([1e-8, 1.0, 1e10], 'float32')",
    "np.array([1e15, 1e16, 1e17, 0.1 + 0.2, 2.0**53], 'float64')",
    "np.array([16777216.0, 123456.7, 1e6, 1234567.0, 3.4e38, 1.17549435e-38], 'float32')",
    "np.arange(30, dtype='float32') * np.float32(1.1)",
    *(f"np.array({value}, '{dtype}')" for dtype in INTEGERS for value in ("7", "[0, 1, 100]")),
    "np.array([-(2**63), 2**63 - 1], 'int64')",
    "np.array([2**64 - 1], 'uint64')",
    "np.array([1, 2, 3], int4)",
    "np.array(3, uint4)",
    "np.array(True)",
    "np.array([True, False])",
    "np.array([[True], [False]])",
    *(f"np.array({value}, 'complex64')" for value in ("1 + 2j", "0.1j", "[1j, -0.5 + 1e-3j]")),
    *(f"np.array({value}, 'complex128')" for value in ("1 + 2j", "0.1j", "[[1j]]", "1e10 + 0.1j")),
    *(f"np.array({value!r}, object)" for value in (b"abc", b"", b"it's", b'a"b', b"a\nb", b"\xff")),
    "np.array([b'a', b'', b\"it's\", b'say \"hi\"'], object)",
    "np.array([[b'a'], [b'b\\n\\t\\\\']], object)",
    "np.array(['h\\u00e9'.encode(), b'\\xff\\x00\\x7f'], object)",
    "np.array([b'a' * 100, b'b' * 30], object)",
    "np.array([b'abc'] * 1500, object)",
    "np.zeros([0], 'int32')",
    "np.zeros([0], object)",
    "np.zeros([0, 3], 'float32')",
    "np.zeros([2, 0], 'float64')",
    "np.zeros([2, 3, 0], 'int64')",
    *(f"np.arange(np.prod([{shape}]), dtype='int32').reshape({shape})" for shape in SHAPES),
    "np.arange(1001, dtype='int32')",
    "np.arange(2500, dtype='int64').reshape(50, 50)",
    "np.ones([100, 11], 'float32')",
]
QUANTIZED = {
    "qint8": "np.array([-1, 127], 'int8')",
    "quint8": "np.array(200, 'uint8')",
    "qint16": "np.array([1, 2], 'int16')",
    "quint16": "np.array([1, 2], 'uint16')",
}
SUMMARIES = [
    ("np.arange(10, dtype='int32')", (-2, -1, 0, 1, 2, 4, 100)),
    ("np.arange(16, dtype='int32').reshape(4, 4)", (-1, 0, 1, 2)),
    ("np.arange(27, dtype='int32').reshape(3, 3, 3)", (0, 1)),
    ("np.array(5, 'int32')", (-1, 0, 1)),
]
VARIABLES = [
    ("Variable", "np.array(1.0, 'float32')", "()"),
    ("w", "np.array([1.0, 2.0], 'float32')", "(2,)"),
    ("scope/w", "np.array([[1, 2], [3, 4]], 'int32')", "(2, 2)"),
    ("s", "np.array([b'abc'], object)", "(1,)"),
    ("s", "np.array(b'abc', object)", "()"),
    ("b", "np.array(0.1, bfloat16)", "()"),
    ("long", "np.arange(2000, dtype='int32')", "(2000,)"),
    ("any", "np.array([1.0, 2.0], 'float32')", "(None,)"),
    ("any", "np.array(1.0, 'float32')", "None"),
    ("empty", "np.zeros([0], 'float32')", "(0,)"),
]
PRINTS = [
    "()",
    "('abc',)",
    "(1, 1.5, None, True, b'abc', 1 + 2j)",
    "('a', 1, T([1, 2]), [T([1, 2])])",
    "(T(b'abc'), T([b'abc']), [T(b'abc')], 'abc', ['abc'])",
    "([T([1, 2]), 'a', 1, 2.5, None],)",
    "({'b': [T([1, 2]), {'c': T(3)}], 'a': ('x', T(1.5))},)",
    "({2: T(1), 1: T(2), 10: T(3)},)",
    "((T(1),), (), [], {}, [[], T(1)])",
    "(Pair(T([1, 2]), 'y'), OrderedDict(z=T(1), a=2))",
    "(defaultdict(list, a=T(1)), {'a': T(1)}.values(), range(3))",
    "(np.arange(3), [np.arange(3)], np.float32(0.5), [np.eye(2)])",
    "('{} {x} %s', ['{}', T(1)], {'{}': T(1)})",
    "([\"it's\", 'a\"b', 'a\\nb', T(b'a\\nb')],)",
    "([T([[1, 2], [3, 4]])], {'k': T([[1, 2], [3, 4]])})",
    "([T(7)] * 13,)",
    "([T(7)] * 14,)",
    "({'k': [T(7)] * 14, 'j': T(1)},)",
    "({'k%02d' % i: T(i) for i in range(12)},)",
    "(list(range(30)),)",
    "(['x' * 40, T(1), 'y' * 40],)",
    "(['word ' * 30],)",
    "('word ' * 30,)",
    "({1, 2}, int, len)",
    "([[[[T([1, 2])]]]],)",
    "(T(np.arange(10.0)), [T(np.arange(10.0))])",
]
PRINT_OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("('a', 'b', T(1))", {"sep": ","}),
    ("('a',)", {"end": "!"}),
    ("(1, T([2, 3]))", {"sep": "\n", "end": ""}),
    ("({'a': T(np.arange(10))}, T(np.arange(10)))", {"summarize": -1}),
    ("([T(np.arange(10))], T(5), [5, 6, 7])", {"summarize": 1}),
]


def printed(*inputs: Any, **options: Any) -> str:
    with tempfile.NamedTemporaryFile() as file:
        tf.print(*inputs, output_stream=f"file://{file.name}", **options)
        return Path(file.name).read_bytes().decode("utf-8", "surrogateescape")


def tensor(array: np.ndarray[Any, Any], dtype: str | None = None) -> tf.Tensor:
    if dtype is not None:
        return tf.bitcast(tf.constant(array), dtype)
    if array.dtype.name in ("int4", "uint4"):
        return tf.cast(tf.constant(array.astype("int8")), array.dtype.name)
    return tf.constant(array)


def record_tensor(expression: str, dtype: str | None = None) -> dict[str, Any]:
    value = tensor(read(expression), dtype)
    found = {"array": expression, "dtype": value.dtype.name, "repr": repr(value), "str": str(value)}
    # TensorFlow prints a question mark for each complex number.
    return found if value.dtype.is_complex else {**found, "print": printed(value, end="")}


def record_variable(name: str, expression: str, shape: str) -> dict[str, Any]:
    variable = tf.Variable(tensor(read(expression)), name=name, shape=tf.TensorShape(read(shape)))
    return {
        "name": variable.name,
        "array": expression,
        "shape": shape,
        "dtype": variable.dtype.name,
        "repr": repr(variable),
    }


def record_print(expression: str, options: dict[str, Any]) -> dict[str, Any]:
    inputs = read(expression, T=tf.constant)
    return {"inputs": expression, "options": options, "print": printed(*inputs, **options)}


def main() -> None:
    tables = {
        "tensors": [record_tensor(expression) for expression in TENSORS]
        + [record_tensor(expression, dtype) for dtype, expression in QUANTIZED.items()],
        "summaries": [
            {
                "array": text,
                "summarize": n,
                "print": printed(tensor(read(text)), summarize=n, end=""),
            }
            for text, counts in SUMMARIES
            for n in counts
        ],
        "variables": [record_variable(*case) for case in VARIABLES],
        "prints": [record_print(expression, {}) for expression in PRINTS]
        + [record_print(*case) for case in PRINT_OPTIONS],
    }
    lines = [
        f'"{name}": [\n' + ",\n".join(json.dumps(row) for row in rows) + "\n]"
        for name, rows in tables.items()
    ]
    version = json.dumps(tf.__version__)
    GOLDEN.write_text(f'{{"version": {version},\n' + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"{sum(map(len, tables.values()))} texts -> {GOLDEN}")


if __name__ == "__main__":
    main()
