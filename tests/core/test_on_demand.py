"""Modules that speed kernels up are loaded by the first call that is worth it, and no earlier."""

from __future__ import annotations

import subprocess
import sys

import pytest

DRAWS, STRINGS = "tapeflow._src.executors.draws", "tapeflow._src.executors.string_programs"
LARGE, MANY = "tf.ones([300, 300])", "tf.constant([b'ab'] * 5000)"


@pytest.mark.parametrize(
    ("call", "module"),
    [
        (f"tf.nn.dropout({LARGE}, 0.5)", DRAWS),
        ("tf.keras.initializers.GlorotUniform()([300, 300])", DRAWS),
        ("tf.random.poisson([5000], 3.0)", DRAWS),
        (f"tf.keras.layers.Hashing(10)({MANY})", STRINGS),
        (f"tf.strings.to_hash_bucket_fast({MANY}, 10)", STRINGS),
    ],
)
def test_the_first_large_call_loads_what_compiles(call: str, module: str) -> None:
    code = f"import sys, tapeflow as tf\nprint({module!r} in sys.modules)\n"
    code += f"{call}\nprint({module!r} in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


def test_small_calls_load_nothing() -> None:
    calls = "tf.nn.dropout(tf.ones([3]), 0.5), tf.strings.to_hash_bucket_fast(['a'], 10)"
    code = f"import sys, tapeflow as tf\n{calls}\n"
    code += f"print({DRAWS!r} in sys.modules, {STRINGS!r} in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
