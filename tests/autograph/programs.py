"""Random small programs over whole numbers, as source text: they end, and use what is defined."""

from __future__ import annotations

import random

VARIABLES = ("a", "b", "c")


class Generator:
    """Writes a function `program(a, b, c, R)` that loops over `R(n)`: `range`, or `tf.range`."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._counter = 0

    def program(self) -> str:
        """The text of a program."""
        body = self._block(depth=0, in_loop=False, lines=self._random.randint(2, 5))
        ending = ["    return a * 10000 + b * 100 + c"]
        return "\n".join(["def program(a, b, c, R):", *_indented(body), *ending]) + "\n"

    def _block(self, depth: int, in_loop: bool, lines: int) -> list[str]:
        done: list[str] = []
        for _ in range(lines):
            done += self._statement(depth, in_loop)
        return done

    def _statement(self, depth: int, in_loop: bool) -> list[str]:
        simple = [self._assignment, self._assignment, self._swap]
        compound = [self._if, self._if_else, self._while, self._for, self._with, self._try]
        leave = [self._leave] if in_loop else []
        choices = simple + (compound if depth < 3 else []) + leave
        choices += [self._return] if depth else []
        return self._random.choice(choices)(depth, in_loop)

    def _variable(self) -> str:
        return self._random.choice(VARIABLES)

    def _value(self) -> str:
        left, right = self._variable(), self._random.choice([*VARIABLES, "1", "2", "3"])
        sign = self._random.choice("+-*")
        return f"({left} {sign} {right}) % 7"

    def _test(self) -> str:
        first = f"{self._variable()} {self._random.choice(['<', '>', '==', '!='])} "
        first += self._random.choice([*VARIABLES, "2", "4"])
        match self._random.randint(0, 5):
            case 0:
                return f"{first} and {self._variable()} > 1"
            case 1:
                return f"{first} or not {self._variable()} < 3"
            case 2:
                return f"0 <= {self._variable()} < {self._variable()}"
        return first

    def _assignment(self, depth: int, in_loop: bool) -> list[str]:
        match self._random.randint(0, 3):
            case 0:
                return [f"{self._variable()} += {self._random.randint(0, 3)}"]
            case 1:
                return [
                    f"{self._variable()} = {self._value()} if {self._test()} else {self._value()}"
                ]
        return [f"{self._variable()} = {self._value()}"]

    def _swap(self, depth: int, in_loop: bool) -> list[str]:
        return [f"{self._variable()}, {self._variable()} = {self._value()}, {self._value()}"]

    def _if(self, depth: int, in_loop: bool) -> list[str]:
        body = self._block(depth + 1, in_loop, self._random.randint(1, 2))
        return [f"if {self._test()}:", *_indented(body)]

    def _if_else(self, depth: int, in_loop: bool) -> list[str]:
        orelse = self._block(depth + 1, in_loop, self._random.randint(1, 2))
        return [*self._if(depth, in_loop), "else:", *_indented(orelse)]

    def _while(self, depth: int, in_loop: bool) -> list[str]:
        self._counter += 1
        count = f"n{self._counter}"
        body = self._block(depth + 1, True, self._random.randint(1, 3))
        limit = self._random.randint(1, 4)
        test = f"{count} < {limit}"
        if self._random.random() < 0.3:
            test += f" and ({self._test()})"
        lines = [f"{count} = a * 0", f"while {test}:", *_indented([f"{count} += 1", *body])]
        return lines + self._orelse(depth, in_loop)

    def _for(self, depth: int, in_loop: bool) -> list[str]:
        self._counter += 1
        index = f"i{self._counter}"
        body = self._block(depth + 1, True, self._random.randint(1, 3))
        use = [f"{self._variable()} = ({index} + {self._variable()}) % 7"]
        lines = [f"for {index} in R({self._random.randint(0, 3)}):", *_indented(use + body)]
        return lines + self._orelse(depth, in_loop)

    def _orelse(self, depth: int, in_loop: bool) -> list[str]:
        if self._random.random() > 0.25:
            return []
        return ["else:", *_indented(self._block(depth + 1, in_loop, 1))]

    def _with(self, depth: int, in_loop: bool) -> list[str]:
        body = self._block(depth + 1, in_loop, self._random.randint(1, 2))
        return ["with context():", *_indented(body)]

    def _try(self, depth: int, in_loop: bool) -> list[str]:
        body = self._block(depth + 1, in_loop, self._random.randint(1, 2))
        last = f"{self._variable()} = {self._value()}"
        lines = ["try:", *_indented(body), "except KeyError:", "    a = 1"]
        if self._random.random() < 0.5:
            lines += ["else:", *_indented([last])]
        return [*lines, "finally:", f"    {self._variable()} = {self._value()}"]

    def _leave(self, depth: int, in_loop: bool) -> list[str]:
        word = self._random.choice(["break", "continue"])
        return [f"if {self._test()}:", f"    {word}"]

    def _return(self, depth: int, in_loop: bool) -> list[str]:
        return [f"return {self._value()}"]


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]
