"""The owners of a function's names, and how its local functions use its variables."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from tapeflow._src.autograph.analysis.activity import FUNCTIONS, Function, inside, parameters


@dataclass(frozen=True)
class Closure:
    """The variables of the enclosing function that a local function reads and binds."""

    reads: frozenset[str]
    writes: frozenset[str]


@dataclass(frozen=True)
class Scope:
    """The names of a function."""

    parameters: frozenset[str]
    locals: frozenset[str]
    globals: frozenset[str]
    nonlocals: frozenset[str]
    # Variables that nested functions may read or bind at any later time.
    captured: frozenset[str]
    # Local functions by name: reading the name may lead to a call.
    closures: dict[str, Closure]

    @property
    def outside(self) -> frozenset[str]:
        """Variables that outlive the function."""
        return self.globals | self.nonlocals


def scope_of(function: Function) -> Scope:
    """Return the scope of a function or a lambda."""
    within = inside(function)
    return Scope(
        frozenset(parameters(function.args)),
        within.local_names,
        frozenset(within.activity.globals),
        frozenset(within.activity.nonlocals),
        frozenset(within.activity.captured),
        _closures(function),
    )


def _closures(function: Function) -> dict[str, Closure]:
    closures: dict[str, Closure] = {}
    for name, inner in _named_functions(function):
        within = inside(inner)
        reads, writes = within.free, within.outer_writes
        if name in closures:
            reads, writes = reads | closures[name].reads, writes | closures[name].writes
        closures[name] = Closure(reads, writes)
    return _through_each_other(closures)


def _named_functions(function: Function) -> Iterator[tuple[str, Function]]:
    for node in walk_body(function):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield node.name, node
            case ast.Assign(targets=targets, value=ast.Lambda() as value):
                for target in targets:
                    if isinstance(target, ast.Name):
                        yield target.id, value


def _through_each_other(closures: dict[str, Closure]) -> dict[str, Closure]:
    """Propagate uses: a local function that reads another's name may call it."""
    while True:
        grown = {
            name: Closure(
                closure.reads.union(*(closures[n].reads for n in closure.reads & closures.keys())),
                closure.writes.union(
                    *(closures[n].writes for n in closure.reads & closures.keys())
                ),
            )
            for name, closure in closures.items()
        }
        if grown == closures:
            return closures
        closures = grown


def walk_body(function: Function) -> Iterator[ast.AST]:
    """Yield the nodes of a function's body, without those of nested functions and classes."""
    waiting: list[ast.AST] = (
        [function.body] if isinstance(function, ast.Lambda) else [*reversed(function.body)]
    )
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            waiting.extend(reversed(list(ast.iter_child_nodes(node))))
