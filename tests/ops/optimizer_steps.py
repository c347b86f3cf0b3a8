"""Programs of three steps of each optimizer op: variables and numbers to start from, by name.

TensorFlow's results are recorded in `tests/golden/optimizer_steps.json`; from the root of the
repository, where TensorFlow is installed: `python -m tests.ops.optimizer_steps`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

GOLDEN = Path(__file__).parents[1] / "golden" / "optimizer_steps.json"
_START, _SMALL, _ZERO = [1.0, -2.0, 3.0, 0.5], [0.1] * 4, [0.0] * 4
_GRADIENT = [0.5, -1.0, 2.0, 0.0]
_RATE, _DRAWN = {"lr": 0.1}, {"l1": 0.2, "l2": 0.3}
_ADAM = {"beta1_power": 0.9, "lr": 0.1, "beta1": 0.9, "beta2": 0.99, "epsilon": 1e-3}
_MEANS = {"lr": 0.1, "rho": 0.9, "epsilon": 1e-3}
_SIGN = {"lr": 0.1, "sign_decay": 0.9, "beta": 0.9}
_FTRL = {"lr": 0.1, "l1": 0.2, "l2": 0.3, "lr_power": -0.5}

# The op, its variables, its numbers, and its attributes.
STEPS: list[tuple[str, dict[str, Any], dict[str, float], dict[str, Any]]] = [
    ("GradientDescent", {}, {"alpha": 0.1}, {}),
    ("ProximalGradientDescent", {}, {"alpha": 0.1, **_DRAWN}, {}),
    ("ProximalGradientDescent", {}, {"alpha": 0.1, "l1": 0.0, "l2": 0.3}, {}),
    ("Momentum", {"accum": _SMALL}, {**_RATE, "momentum": 0.9}, {}),
    ("Momentum", {"accum": _SMALL}, {**_RATE, "momentum": 0.9}, {"use_nesterov": True}),
    ("KerasMomentum", {"accum": _SMALL}, {**_RATE, "momentum": 0.9}, {}),
    ("KerasMomentum", {"accum": _SMALL}, {**_RATE, "momentum": 0.9}, {"use_nesterov": True}),
    ("Adam", {"m": _SMALL, "v": _SMALL}, {**_ADAM, "beta2_power": 0.99}, {}),
    ("Adam", {"m": _SMALL, "v": _ZERO}, {**_ADAM, "beta2_power": 0.99}, {"use_nesterov": True}),
    (
        "AdamWithAmsgrad",
        {"m": _SMALL, "v": _SMALL, "vhat": _ZERO},
        {**_ADAM, "beta2_power": 0.99},
        {},
    ),
    ("AdaMax", {"m": _SMALL, "v": _SMALL}, _ADAM, {}),
    ("AddSign", {"m": _SMALL}, {**_SIGN, "alpha": 1.0}, {}),
    ("PowerSign", {"m": _SMALL}, {**_SIGN, "logbase": 1.0}, {}),
    ("Adagrad", {"accum": _SMALL}, _RATE, {}),
    ("Adagrad", {"accum": _SMALL}, _RATE, {"update_slots": False}),
    ("AdagradV2", {"accum": _SMALL}, {**_RATE, "epsilon": 1e-3}, {}),
    ("ProximalAdagrad", {"accum": _SMALL}, {**_RATE, **_DRAWN}, {}),
    (
        "AdagradDA",
        {"gradient_accumulator": _SMALL, "gradient_squared_accumulator": _SMALL},
        {**_RATE, **_DRAWN},
        {},
    ),
    ("Adadelta", {"accum": _SMALL, "accum_update": _SMALL}, _MEANS, {}),
    ("RMSProp", {"ms": _SMALL, "mom": _SMALL}, {**_MEANS, "momentum": 0.5}, {}),
    (
        "CenteredRMSProp",
        {"mg": _ZERO, "ms": _SMALL, "mom": _ZERO},
        {**_MEANS, "momentum": 0.5},
        {},
    ),
    ("Ftrl", {"accum": _SMALL, "linear": _ZERO}, _FTRL, {}),
    ("Ftrl", {"accum": _SMALL, "linear": _ZERO}, _FTRL, {"multiply_linear_by_lr": True}),
    ("FtrlV2", {"accum": _SMALL, "linear": _ZERO}, {**_FTRL, "l2_shrinkage": 0.1}, {}),
]
DENSE_ONLY = {"GradientDescent", "Adam", "AdamWithAmsgrad", "AdaMax", "AddSign", "PowerSign"}
DENSE_ONLY |= {"AdagradDA"}
CASES = [
    (i, sparse)
    for i, (name, *_) in enumerate(STEPS)
    for sparse in ((False,) if name in DENSE_ONLY else (False, True))
]


def title(case: tuple[int, bool]) -> str:
    place, sparse = case
    name, _, numbers, attrs = STEPS[place]
    options = "".join(f",{k}={v}" for k, v in {**numbers, **attrs}.items() if k in ("l1", *attrs))
    return f"{'Sparse' if sparse else ''}Apply{name}{options}"


def variables(tf: Any, case: tuple[int, bool], dtype: str) -> dict[str, Any]:
    """The variables of a case, by the names of the op's inputs."""
    starts = {"var": _START, **STEPS[case[0]][1]}
    arrays = {name: np.array(start, dtype) for name, start in starts.items()}
    if case[1]:
        arrays = {name: np.stack([array, array, array]) for name, array in arrays.items()}
    return {name: tf.Variable(array) for name, array in arrays.items()}


def step(tf: Any, case: tuple[int, bool], held: dict[str, Any], dtype: str, turn: Any) -> None:
    """One step of a case."""
    place, sparse = case
    name, _, numbers, attrs = STEPS[place]
    given = {key: tf.constant(number, dtype) for key, number in numbers.items()}
    gradient = tf.constant(_GRADIENT, dtype)
    if sparse:
        # Row 2 is named twice, row 1 never.
        given["indices"] = tf.constant([2, 0, 2])
        gradient = tf.stack([gradient, 2 * gradient, -gradient])
    given["delta" if not sparse and name.endswith("GradientDescent") else "grad"] = gradient
    if name == "AdagradDA":
        given["global_step"] = tf.cast(turn, tf.int64) + 1
    handles = {key: variable.handle for key, variable in held.items()}
    op = getattr(tf.raw_ops, f"Resource{'Sparse' if sparse else ''}Apply{name}")
    op(**handles, **given, **attrs)


def results(tf: Any, case: tuple[int, bool], dtype: str = "float64") -> dict[str, Any]:
    """The variables after three steps."""
    held = variables(tf, case, dtype)
    for turn in range(3):
        step(tf, case, held, dtype, turn)
    return {name: variable.numpy().tolist() for name, variable in held.items()}


def main() -> None:
    import tensorflow as tf

    found = {title(case): results(tf, case) for case in CASES}
    lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in found.items())
    GOLDEN.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
