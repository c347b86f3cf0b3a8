"""Programs with many parts of the language: traced, they give what they give run eagerly."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

PROGRAMS: list[Any] = []


def program(*calls: Any) -> Callable[[Any], Any]:
    """A program, and the arguments of the calls to make of it: tuples, or single numbers."""

    def register(function: Any) -> Any:
        for call in calls:
            arguments = call if isinstance(call, tuple) else (call,)
            PROGRAMS.append(pytest.param(function, arguments, id=f"{function.__name__}{arguments}"))
        return function

    return register


def values(result: Any) -> Any:
    return tf.nest.map_structure(lambda t: t if t is None else np.asarray(t).tolist(), result)


def run(function: Any, arguments: Any) -> Any:
    tensors = [tf.constant(a) if isinstance(a, int | float | list) else a for a in arguments]
    try:
        return values(function(*tensors))
    except tf.errors.OpError as error:
        return type(error)


@program(3, -3)
def annotated_variable_of_a_branch(x: Any) -> Any:
    if x > 0:
        y: Any = x * 2
    else:
        y = x
    return y


@program(3, -3)
def walrus_in_conditions(x: Any) -> Any:
    if (y := x * 2) > 0:
        y += 1
    count = 0
    while (z := y - count) > 0:
        count += 2
    return y, z, count


@program(3, 30)
def walrus_in_a_loop_that_is_left(x: Any) -> Any:
    while (y := x * 2) < 100 and y != 14:
        x = y + 1
        if x > 40:
            break
        if x > 20:
            continue
        x = x + 1
    else:
        x = -x
    return x, y


@program(5)
def walrus_in_operands(x: Any) -> Any:
    flag = True
    if flag and (y := x + 1) is not None:
        x = y
    return x


@program(1, -1)
def nested_functions_with_defaults(x: Any) -> Any:
    def scale(v: Any, by: int = 3, *more: int, plus: Any = x, **rest: int) -> Any:
        if v > 0:
            return v * by + sum(more) + plus
        return v - sum(rest.values())

    return scale(x), scale(x, 4, 5, 6), scale(x, plus=10, a=1, b=2), scale(*[x], **{"by": 7})


@program(4, 7)
def recursion_on_a_python_number(x: Any) -> Any:
    def power(base: Any, n: int) -> Any:
        if n == 0:
            return base * 0 + 1
        half = power(base, n // 2)
        return half * half * base if n % 2 else half * half

    return power(x, 5)


@program((3, 5), (5, 3), (-1, -1))
def closures_share_variables(a: Any, b: Any) -> Any:
    best = a
    history = []

    def consider(value: Any) -> None:
        nonlocal best
        if value > best:
            best = value
        history.append(best)

    for each in [b, a + 1, b - 1]:
        consider(each)
    return best, history


Pair = collections.namedtuple("Pair", "low high")


@program([3, 1, 2])
def named_tuples_in_loops(x: Any) -> Any:
    pair = Pair(x[0], x[0])
    for item in x:
        pair = Pair(min(pair.low, item), max(pair.high, item))
    return pair


@dataclasses.dataclass
class Account:
    balance: Any
    log: Any = None

    def move(self, amount: Any) -> Any:
        if self.balance + amount >= 0:
            self.balance = self.balance + amount
            return True
        return False

    @property
    def rich(self) -> Any:
        return self.balance > 5


@program((3, -5), (3, 4))
def objects_that_change(start: Any, amount: Any) -> Any:
    account = Account(start)
    moved = account.move(amount)
    if account.rich:
        account.balance -= 1
    return account.balance, moved


@program(3)
def dictionaries_in_loops(n: Any) -> Any:
    state = {"a": 0, "b": [1, 2]}
    for i in tf.range(n):
        state = {"a": state["a"] + i, "b": [state["b"][1], state["b"][0] + 1]}
    table = {"x": 0}
    while table["x"] < n:
        table["x"] += 2
    return state, table


@program((2, 3))
def loops_in_loops(a: Any, b: Any) -> Any:
    total = 0
    for i in tf.range(a):
        for j in range(3):
            k = 0
            while k < b:
                k += 1
                if k == 2:
                    continue
                if j == 1:
                    break
                total += i * j + k
    return total


@program(0, 1, 5)
def else_of_loops(n: Any) -> Any:
    found = 0
    for i in tf.range(n):
        if i == 3:
            found = i
            break
    else:
        found = -1
    return found


@program((0, 4), (7, 4), (3, 4))
def early_returns(x: Any, n: Any) -> Any:
    if x == 0:
        return -1
    for i in tf.range(n):
        if i == x:
            return i * 100
        for j in tf.range(i):
            if j * i == x - 1:
                return j
    with contextlib.nullcontext():
        if x > 5:
            return x
    return 0


@program(3, 20)
def returns_from_endless_loops(x: Any) -> Any:
    while True:
        x = x * 2
        if x > 100:
            return x, True


@program(3, 20, 2000)
def returns_from_loops_in_endless_loops(x: Any) -> Any:
    n = 0
    while True:
        for i in tf.range(5):
            n += 1
            if n * i > x:
                return n
        if n > 100:
            return -n


@program(1, 30)
def returns_from_blocks_in_endless_loops(x: Any) -> Any:
    while 1:
        try:
            x = x + 1
            if x > 5:
                with contextlib.nullcontext():
                    return x
        finally:
            x = x + 10


@program(3, -3)
def endless_loops_in_branches(x: Any) -> Any:
    if x > 0:
        while True:
            x += 1
            if x % 7 == 0:
                return x
    return -x


@program(2, -2)
def exceptions(x: Any) -> Any:
    log = []
    try:
        log.append("try")
        if x > 0:
            x = x + 1
        {}["missing"]
    except KeyError as error:
        log.append(str(error))
        x = x * 2
    else:
        x = x * 100
    finally:
        x = x - 1
    return x, len(log)


@program(2)
def suppressed_exceptions(x: Any) -> Any:
    y = x
    with contextlib.suppress(ZeroDivisionError):
        y = y + 1
        y = y / 0 if y is None else y + 1 // 0
        y = y + 100
    return y


@program(3, -3)
def match_statements(x: Any) -> Any:
    for shape in [("point",), ("circle", 2), {"size": 3}]:
        match shape:
            case ("point",):
                x = x + 1
            case ("circle", radius) if radius > 1:
                x = x * radius if x > 0 else x
            case {"size": size, **rest}:
                x = x - size - len(rest)
    return x


@program([1.0, 2.0, 3.0])
def comprehensions(x: Any) -> Any:
    rows = [r * i for i, r in enumerate([x, x + 1]) if i or x is not None]
    table = {name: (v if v > 1 else -v) for name, v in zip("ab", [x[0], x[1]])}
    return rows, table, [y for z in rows for y in [z[0], z[1]]], sum(v for v in table.values())


@program(2, -2)
def lambdas(x: Any) -> Any:
    functions = [lambda v: v if v > 0 else -v, lambda v, n=3: v * n, lambda: x]
    y = functions[0](x) + functions[1](x) + functions[2]()
    apply = lambda f, *args: f(*args)  # noqa: E731
    return y, apply(lambda a, b: a if a > b else b, x, 1)


@program((1, 2), (2, 1))
def swaps_and_unpacking(a: Any, b: Any) -> Any:
    if a > b:
        a, b = b, a
    first, *middle, last = [a, b, a + b, b - a]
    (c, d), e = (first, last), middle
    return c, d, e


@program(2, -2)
def deleting(x: Any) -> Any:
    y, z = x + 1, x
    if x > 0:
        y = y * 2
        del z
    z = y
    del y
    return z


@program(4)
def annotations(n: Any) -> Any:
    total: int = 0
    last: Any
    for i in tf.range(n):
        step: Any = i * 2
        total = total + step
        last = step
    return total, last


@program(3)
def formatted_strings(x: Any) -> Any:
    name = "pos" if isinstance(x, tf.Tensor) else "none"
    return len(f"{name}:{'yes' if name else 'no'!r}"), x


@program(2, 20)
def functions_as_values(x: Any) -> Any:
    steps = {"double": lambda v: v * 2, "decrease": functools.partial(lambda k, v: v - k, 3)}
    for name in ("double", "decrease", "double"):
        if x < 15:
            x = steps[name](x)
    return x


class Counter:
    total = 0

    def __init__(self, step: int) -> None:
        self.step = step

    def __call__(self, x: Any) -> Any:
        return self.add(x) if x > 0 else self.sub(x)

    def add(self, x: Any) -> Any:
        for _ in range(self.step):
            x = x + 1
        return x

    @staticmethod
    def sub(x: Any) -> Any:
        while x < -1:
            x = x + 1
        return x


class Doubler(Counter):
    def add(self, x: Any) -> Any:
        x = super().add(x)
        if x > 5:
            x = super().add(x)
        return x * 2


@program(2, 5, -5)
def methods(x: Any) -> Any:
    return Counter(2)(x), Doubler(2)(x), Counter.sub(x)


@program(3)
def local_classes(x: Any) -> Any:
    class Local(Counter):
        factor = 3

        def add(self, x: Any) -> Any:
            return super().add(x) * self.factor if x > 0 else x

    return Local(1)(x)


def twice(function: Any) -> Any:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        return function(result, **kwargs) if result > 0 else result

    return wrapper


@twice
def shrink(x: Any, by: int = 1) -> Any:
    if x > 10:
        return x - by * 10
    return x - by


@program(25, 12, 1)
def decorators(x: Any) -> Any:
    return shrink(x), shrink(x, by=2)


@program((10, 3), (10, 0))
def conditions_that_must_be_lazy(x: Any, n: Any) -> Any:
    if n != 0 and x // n > 2:
        return x // n
    return x if n == 0 or x % n == 0 else -x


@program([5, 3, 9, 1])
def insertion_sort(x: Any) -> Any:
    array = tf.TensorArray(tf.int32, len(x), clear_after_read=False).unstack(x)
    for i in tf.range(1, len(x)):
        value = array.read(i)
        j = i - 1
        while j >= 0 and array.read(j) > value:
            array = array.write(j + 1, array.read(j))
            j -= 1
        array = array.write(j + 1, value)
    return array.stack()


@program(27)
def collatz(n: Any) -> Any:
    steps = 0
    largest = n
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        if n > largest:
            largest = n
        steps += 1
    return steps, largest


@program(2.0, 9.0)
def newton(x: Any) -> Any:
    guess = x
    for _ in tf.range(50):
        better = (guess + x / guess) / 2
        if abs(better - guess) < 1e-4:
            break
        guess = better
    return tf.round(guess * 100)


@program(6)
def primes(n: Any) -> Any:
    found = []
    candidate = 2
    while len(found) < n:
        for p in found:
            if candidate % p == 0:
                break
        else:
            found.append(candidate)
        candidate += 1
    return tf.stack(found)


@program(30)
def fizz_buzz(n: Any) -> Any:
    total = 0
    for i in tf.range(1, n + 1):
        if i % 3 == 0 and i % 5 == 0:
            total += 15
        elif i % 3 == 0:
            total += 3
        elif i % 5 == 0:
            total += 5
        else:
            continue
        if total > 60:
            break
    return total


@pytest.mark.parametrize(("function", "arguments"), PROGRAMS)
def test_traced_as_eager(function: Any, arguments: Any) -> None:
    traced = tf.function(function, jit_compile=False)
    assert run(traced, arguments) == run(function, arguments)
