"""Random programs: straight-line code, branches, loops, state, random numbers and gradients.

A program is text, so that it can be printed, shortened, and run under TensorFlow unchanged. While
it is composed each statement is run eagerly, which tells the dtype and shape of its result.
"""

from __future__ import annotations

import linecache
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np

import tapeflow
from tests.conformance.random_statements import (
    ANY,
    DRAWN,
    INTEGER,
    MOVED,
    ORDERED,
    PAIRS,
    REAL,
    REDUCED,
    UNARY,
    Template,
)

Perturb = Callable[[Any], Any]
SHAPES = [(), (1,), (3,), (3,), (2, 3), (2, 3), (3, 1), (17,), (0,), (2, 1, 3)]
# How often values of each dtype are inputs.
WEIGHTS = {"float32": 8, "float64": 3, "int32": 4, "bool": 2}
SPECIAL = {
    "float16": [65504.0, 6e-8, 6.1e-5],
    "bfloat16": [3.3e38, 1e-40, 1.2e-38],
    "float32": [3.4e38, 1e-45, 1.2e-38, 1e-40],
    "float64": [1.7e308, 5e-324, 2.3e-308, 1e-310],
}
# The largest number of each dtype, and its cube root.
LARGEST = {"65504.0": "40.0", "3.3e+38": "7e+12", "3.4e+38": "7e+12", "1.7e+308": "5e+102"}
INDENT = "        "


@dataclass(frozen=True)
class Statement:
    """Lines that compute the value of one name."""

    name: str
    lines: tuple[str, ...]

    @property
    def uses(self) -> frozenset[str]:
        return frozenset(re.findall(r"\b[avs]\d+\b", "\n".join(self.lines)))


@dataclass(frozen=True)
class RandomProgram:
    """Inputs and state by their names, the statements, and the names of what is returned."""

    seed: int
    inputs: dict[str, str]
    states: dict[str, str]
    statements: tuple[Statement, ...]
    returned: tuple[str, ...]
    host: bool = False

    @property
    def text(self) -> str:
        state = [f"    {name} = {made}" for name, made in self.states.items()]
        body = [INDENT + line for statement in self.statements for line in statement.lines]
        arguments = ", ".join(self.inputs)
        values = "".join(f"{made}, " for made in self.inputs.values())
        return "\n".join(
            [
                "def make(tf, _):",
                f"    tf.random.set_seed({self.seed % 1000})",
                *state,
                f"    def f({arguments}):",
                *body,
                f"{INDENT}return [{', '.join(self.returned)}]",
                f"    return f, ({values})",
                "",
            ]
        )

    @property
    def branches(self) -> bool:
        """Whether AutoGraph has something to convert."""
        return any(
            line.startswith(("if ", "for ", "while "))
            for statement in self.statements
            for line in statement.lines
        )

    @property
    def features(self) -> frozenset[str]:
        """The functions, methods and constructs of Python in it."""
        body = "\n".join(line for statement in self.statements for line in statement.lines)
        return frozenset(re.findall(r"tf\.[\w.]+|\.\w+\(|\b(?:if|while|for)\b|\*\*", body))

    @property
    def alone(self) -> bool:
        """Whether it must not share a function: its streams follow from seeds of ops."""
        return self.host or "tf.random.uniform" in self.text or "tf.random.normal" in self.text

    def with_smaller_numbers(self) -> RandomProgram:
        """The program with the cube root of each dtype's largest number in its place."""
        return replace(
            self,
            inputs={name: _smaller(made) for name, made in self.inputs.items()},
            states={name: _smaller(made) for name, made in self.states.items()},
        )

    def without(self, name: str) -> RandomProgram:
        """The program without a statement and all that need its value."""
        gone = {name}
        kept = []
        for statement in self.statements:
            if statement.name in gone or statement.uses & gone:
                gone.add(statement.name)
            else:
                kept.append(statement)
        used = frozenset().union(*(statement.uses for statement in kept)) if kept else frozenset()
        returned = tuple(n for n in self.returned if n not in gone)
        return replace(
            self,
            statements=tuple(kept),
            returned=returned,
            inputs={k: v for k, v in self.inputs.items() if k in used or k in returned},
            states={k: v for k, v in self.states.items() if k in used or k == "generator"},
        )


def _smaller(text: str) -> str:
    for largest, root in LARGEST.items():
        text = text.replace(largest, root)
    return text


@lru_cache(maxsize=4096)
def load(text: str) -> Any:
    """The `make` of a program, with a source that AutoGraph can read."""
    name = f"<random program {hash(text):x}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    namespace: dict[str, Any] = {"inf": float("inf"), "nan": float("nan")}
    exec(compile(text, name, "exec"), namespace)
    return namespace["make"]


def literal(rng: random.Random, dtype: str, shape: tuple[int, ...]) -> str:
    """A constant of the dtype, about a fourth of it special values."""
    values = ", ".join(_element(rng, dtype) for _ in range(int(np.prod(shape))))
    return f"tf.constant([{values}], tf.{dtype}, shape={list(shape)})"


def _element(rng: random.Random, dtype: str) -> str:
    special = rng.random() < 0.25
    if dtype == "bool":
        return str(rng.random() < 0.5)
    if dtype.startswith("complex"):
        part = "float32" if dtype == "complex64" else "float64"
        return f"complex({_element(rng, part)}, {_element(rng, part)})"
    if dtype in INTEGER:
        kind = np.iinfo(dtype)
        low = -9 if kind.min else 0
        choices = [int(kind.min), int(kind.max), 0, 1, int(kind.max) // 2 + 1]
        return str(rng.choice(choices) if special else rng.randint(low, 9))
    if special:
        edge = rng.choice(SPECIAL[dtype])
        choices = ["nan", "inf", "-inf", "0.0", "-0.0", "1.0", "-1.0", repr(edge), repr(-edge)]
        return rng.choice(choices)
    return repr(round(rng.gauss(0, 2), 3))


@dataclass
class _Composer:
    """Adds statements to a program, each tried eagerly."""

    rng: random.Random
    inputs: dict[str, str] = field(default_factory=dict)
    states: dict[str, str] = field(default_factory=dict)
    statements: list[Statement] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)
    host: bool = False
    failed: bool = False

    def add_input(self, dtype: str, shape: tuple[int, ...]) -> str:
        name = f"a{len(self.inputs)}"
        self.inputs[name] = literal(self.rng, dtype, shape)
        self.values[name] = eval(self.inputs[name], self._scope())
        return name

    def _scope(self) -> dict[str, Any]:
        constants = {"tf": tapeflow, "inf": float("inf"), "nan": float("nan")}
        return {**constants, "_": lambda value: value, **self.values}

    def pick(self, dtypes: Any, shape: Any = None) -> str:
        """A value of one of the dtypes (and of a shape): mostly one that is there already."""
        fitting = [
            name
            for name, value in self.values.items()
            if name != "generator"
            and value.dtype.name in dtypes
            and (shape is None or tuple(value.shape) == shape)
        ]
        if fitting and self.rng.random() < 0.85:
            return self.rng.choice(fitting[-6:])
        dtype = self.rng.choices(list(dtypes), [WEIGHTS.get(d, 1) for d in dtypes])[0]
        return self.add_input(dtype, self.rng.choice(SHAPES) if shape is None else shape)

    def expression(self, template: Template, x: str) -> str:
        """The template filled in, `x` being its first operand."""
        rng, value = self.rng, self.values[x]
        dtype, shape = value.dtype.name, tuple(value.shape)
        text, slots = template.text, {"x": x}
        rank = len(shape)
        if "{y}" in text:
            fits = shape if rng.random() < 0.8 else ()
            slots["y"] = self.pick([dtype], fits)
        if "{p}" in text:
            slots["p"] = self.pick(["bool"], shape)
        if "{i}" in text:
            slots["i"] = self.pick(["int32", "int64"], (shape[0],) if rank else (3,))
        slots["one_axis"] = str(rng.randrange(-rank, rank)) if rank else "0"
        slots["axis"] = rng.choice(["None", slots["one_axis"]])
        slots["k"] = str(rng.choice([0, 1, 2, 2, 3]))
        slots["c"] = rng.choice(["2", "-1", "3", "0.5", "0.1", "1e3", "0", "-0.5"])
        slots["d"] = rng.choice(ANY)
        filled = text.format(**slots)
        return f"_({filled})" if template.inexact else filled

    def runs(self, expression: str, **names: Any) -> bool:
        """Whether an expression can be computed: branches that are not taken are traced too."""
        try:
            return eval(expression, {**self._scope(), **names}) is not None
        except Exception:
            return False

    def add(self, *lines: str) -> None:
        """Append the lines as a statement, named `{n}` in them, if they run eagerly."""
        name = f"v{len(self.statements)}"
        statement = Statement(name, tuple(line.replace("{n}", name) for line in lines))
        scope = self._scope()
        try:
            exec("\n".join(statement.lines), scope)
        except Exception:
            # Few programs fail, and those at their end.
            if self.rng.random() > 0.1:
                return
            self.failed = True
        else:
            if scope[name] is None or scope[name].dtype.name not in ANY:
                return
            if int(np.prod(scope[name].shape)) > 300:
                return
            self.values[name] = scope[name]
        self.statements.append(statement)
        self.host = self.host or any(word in line for word in _ON_HOST for line in lines)


_ON_HOST = ("boolean_mask", "tf.math.segment_")


def compose(seed: int) -> RandomProgram:
    """The program of a seed."""
    rng = random.Random(seed)
    composer = _Composer(rng)
    for _ in range(rng.randint(1, 3)):
        composer.add_input(
            rng.choices(ANY, [WEIGHTS.get(d, 1) for d in ANY])[0], rng.choice(SHAPES)
        )
    wanted = rng.randint(2, 8)
    for _ in range(4 * wanted):
        if len(composer.statements) >= wanted or composer.failed:
            break
        rng.choices(_STEPS, _STEP_WEIGHTS)[0](composer)
    used = frozenset().union(
        *(statement.uses - {statement.name} for statement in composer.statements)
    )
    names = [statement.name for statement in composer.statements]
    returned = tuple(n for n in names if n not in used or rng.random() < 0.2)
    return RandomProgram(
        seed,
        composer.inputs,
        composer.states,
        tuple(composer.statements),
        returned,
        composer.host,
    )


@lru_cache
def representative(seeds: range, count: int) -> list[int]:
    """The seeds of a few programs that together contain most of what all of them do."""
    programs = [compose(seed) for seed in seeds]
    seen: frozenset[str] = frozenset()
    chosen: list[int] = []
    for _ in range(count):
        best = max(programs, key=lambda p: len(p.features - seen) / (1 + len(p.statements)))
        programs.remove(best)
        seen |= best.features
        chosen.append(best.seed)
    return chosen


def _simple(composer: _Composer, templates: list[Template]) -> None:
    template = composer.rng.choice(templates)
    dtypes = template.dtypes
    if composer.rng.random() < 0.02:
        dtypes = tuple(ANY)  # perhaps one that the op does not take
    composer.add("{n} = " + composer.expression(template, composer.pick(dtypes)))


def _smooth(composer: _Composer) -> tuple[str, Template]:
    """A value of a float dtype, and a template that keeps its dtype and shape."""
    template = composer.rng.choice([t for t in UNARY if t.differentiable])
    return composer.pick([d for d in template.dtypes if d in REAL]), template


def _renamed(text: str, old: str, new: str) -> str:
    return re.sub(rf"\b{old}\b", new, text)


def _loop(composer: _Composer) -> None:
    x, template = _smooth(composer)
    step = _renamed(composer.expression(template, x), x, "{n}")
    if not composer.runs(composer.expression(template, x)):
        return
    count = composer.rng.choice([0, 1, 3])
    style = composer.rng.randrange(4)
    # Eagerly the name would stand for the variable itself, and see later assignments.
    start = f"tf.identity({x})" if x in composer.states else x
    if style == 0:
        lines = [f"{{n}} = {start}", f"for {{n}}_i in tf.range({count}):", f"    {{n}} = {step}"]
    elif style == 1:
        lines = [
            f"{{n}} = {start}",
            "{n}_i = tf.constant(0)",
            f"while {{n}}_i < {count} and not tf.reduce_any(tf.math.is_nan({{n}})):",
            f"    {{n}} = {step}",
            "    {n}_i += 1",
        ]
    elif style == 2:
        lines = [
            f"{{n}} = {start}",
            "for {n}_i in tf.range(5):",
            f"    if {{n}}_i >= {count}:",
            "        break",
            f"    {{n}} = {step}",
        ]
    else:
        once = step.replace("{n}", "w")
        lines = [
            f"{{n}} = tf.while_loop(lambda i, w: i < {count}, "
            f"lambda i, w: (i + 1, {once}), (tf.constant(0), {x}))[1]"
        ]
    composer.add(*lines)


def _branch(composer: _Composer) -> None:
    x, template = _smooth(composer)
    first = composer.expression(template, x)
    dtype = composer.values[x].dtype.name
    others = [t for t in UNARY if t.differentiable and dtype in t.dtypes]
    second = composer.expression(composer.rng.choice(others), x)
    if not (composer.runs(first) and composer.runs(second)):
        return
    test = composer.pick(["bool"])
    style = composer.rng.randrange(3)
    if style == 0:
        condition = f"if tf.reduce_all({test}):"
        composer.add(condition, f"    {{n}} = {first}", "else:", f"    {{n}} = {second}")
    elif style == 1:
        composer.add(f"{{n}} = tf.cond(tf.reduce_any({test}), lambda: {first}, lambda: {second})")
    else:
        index = composer.pick(["int32"], ())
        composer.add(f"{{n}} = tf.switch_case({index}, [lambda: {first}, lambda: {second}])")


def _gradient(composer: _Composer) -> None:
    rng = composer.rng
    pool = [t for t in UNARY + PAIRS + REDUCED + MOVED if t.differentiable]
    template = rng.choice(pool)
    x = composer.pick([d for d in template.dtypes if d in REAL] or REAL)
    inner = _renamed(composer.expression(template, x), x, "{n}_x")
    lines = [f"{{n}}_x = _({x})", "with tf.GradientTape() as {n}_t:", "    {n}_t.watch({n}_x)"]
    lines.append(f"    {{n}}_y = {inner}")
    if rng.random() < 0.5:
        outer = rng.choice([t for t in UNARY if t.differentiable])
        if composer.values[x].dtype.name in outer.dtypes:
            filled = _renamed(composer.expression(outer, x), x, "{n}_y")
            lines.append(f"    {{n}}_y = {filled}")
    if rng.random() < 0.3:
        lines.append("    {n}_y = {n}_y * " + rng.choice(["0.0", "inf", "nan", "-2.0"]))
    gradient = "{n}_t.gradient({n}_y, {n}_x, unconnected_gradients='zero')"
    lines.append(f"{{n}} = tf.convert_to_tensor({gradient})")
    composer.add(*lines)


def _state(composer: _Composer) -> None:
    rng = composer.rng
    names = [name for name in composer.states if name.startswith("s")]
    if not names or rng.random() < 0.2:
        name = f"s{len(names)}"
        dtype = rng.choice(["float32", "float32", "float64", "int32", "int64"])
        made = f"tf.Variable({literal(rng, dtype, (3,))})"
        composer.states[name] = made
        composer.values[name] = eval(made, composer._scope())
    else:
        name = rng.choice(names)
    x = composer.pick([composer.values[name].dtype.name], (3,))
    change = rng.choice(
        [
            f"{name}.assign({x})",
            f"{name}.assign_add({x})",
            f"{name}.assign_sub({x})",
            f"{name}.scatter_nd_update([[1]], {x}[:1])",
            f"{name}.scatter_nd_add([[2]], {x}[1:2])",
            f"{name}[1].assign({x}[0])",
        ]
    )
    composer.add(change, f"{{n}} = _({name} * tf.cast(1, {name}.dtype))")


def _draw(composer: _Composer) -> None:
    template = composer.rng.choice(DRAWN)
    if "generator" in template and "generator" not in composer.states:
        composer.states["generator"] = "tf.random.Generator.from_seed(7)"
        composer.values["generator"] = tapeflow.random.Generator.from_seed(7)
    x = composer.pick(ORDERED) if "{x}" in template else ""
    k = composer.rng.randrange(4)
    # Two ops of one seed go on from each other eagerly, and each by itself in a function.
    fresh = k + 4 * len(composer.statements)
    composer.add("{n} = _(" + template.format(k=k, fresh=fresh, x=x) + ")")


_STEPS: list[Callable[[_Composer], None]] = [
    lambda c: _simple(c, UNARY),
    lambda c: _simple(c, PAIRS),
    lambda c: _simple(c, REDUCED),
    lambda c: _simple(c, MOVED),
    _loop,
    _branch,
    _gradient,
    _state,
    _draw,
]
_STEP_WEIGHTS = [24, 24, 12, 16, 4, 5, 9, 3, 2]
