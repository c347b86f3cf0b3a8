"""Which names a piece of a function reads and binds, taking nested scopes into account.

Local variables of nested functions and of comprehensions are not listed. A target such as
`self.total` or `table[key]` is identified by its text.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass
class Activity:
    """The uses of names in a piece of code."""

    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)
    # Names declared without a value (`x: int`): they are local, but nothing is bound.
    declared: set[str] = field(default_factory=set)
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)
    # Names that nested functions capture, and those of them that they bind.
    captured: set[str] = field(default_factory=set)
    bound_inside: set[str] = field(default_factory=set)
    # `self.total = …`, `table[key] = …`: the target by its text.
    targets: dict[str, ast.expr] = field(default_factory=dict)


def activity(code: ast.AST | Sequence[ast.AST]) -> Activity:
    """Return the uses of names in a node, or in a list of them."""
    collector = _Collector()
    for node in [code] if isinstance(code, ast.AST) else code:
        collector.visit(node)
    return collector.activity


def parameters(arguments: ast.arguments) -> list[str]:
    """Return the names of all parameters, in the order of the code object's variables."""
    positional = [*arguments.posonlyargs, *arguments.args]
    extra = [arguments.vararg, arguments.kwarg]
    every = [*positional, *arguments.kwonlyargs, *(a for a in extra if a is not None)]
    return [each.arg for each in every]


@dataclass(frozen=True)
class Inside:
    """The uses of names by a function, seen from outside it and from inside."""

    activity: Activity
    local_names: frozenset[str]
    # The names it captures, including built-in and global ones.
    free: frozenset[str]
    # The names of enclosing functions that it binds, itself or through others.
    outer_writes: frozenset[str]


def inside(function: Function) -> Inside:
    """Return the uses of names in a function."""
    names = activity(function.body)
    bound = names.writes | names.declared | set(parameters(function.args))
    own = bound - names.globals - names.nonlocals
    free = (names.reads | names.nonlocals) - own - names.globals
    writes = (names.bound_inside | (names.nonlocals & names.writes)) - own
    return Inside(names, frozenset(own), frozenset(free), frozenset(writes))


def is_assignable(node: ast.expr) -> bool:
    """Whether a target can be read and written again: names, attributes and items of them."""
    match node:
        case ast.Name():
            return True
        case ast.Attribute(value=value):
            return is_assignable(value)
        case ast.Subscript(value=value, slice=index):
            return is_assignable(value) and _is_index(index)
    return False


def _is_index(node: ast.expr) -> bool:
    match node:
        case ast.Constant():
            return True
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
            return True
    return is_assignable(node)


class _Collector(ast.NodeVisitor):
    """Fills an `Activity`. `hidden` are the variables of enclosing comprehensions."""

    def __init__(self) -> None:
        self.activity = Activity()
        self.hidden: set[str] = set()

    def _read(self, names: Iterable[str]) -> None:
        self.activity.reads.update(name for name in names if name not in self.hidden)

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Store):
            self._read([node.id])
        if not isinstance(node.ctx, ast.Load) and node.id not in self.hidden:
            self.activity.writes.add(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self._assignable(node)
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self._assignable(node)
        self.generic_visit(node)

    def _assignable(self, node: ast.Attribute | ast.Subscript) -> None:
        if not isinstance(node.ctx, ast.Load) and is_assignable(node):
            self.activity.targets[ast.unparse(node)] = node

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.generic_visit(node)
        if isinstance(node.target, ast.Name):
            self._read([node.target.id])

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        # The annotation of a variable inside a function is not evaluated.
        if isinstance(node.target, ast.Name) and node.value is None:
            self.activity.declared.add(node.target.id)
            return
        self.visit(node.target)
        if node.value is not None:
            self.visit(node.value)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        # Inside a comprehension as well, this binds a variable of the function.
        self.activity.writes.add(node.target.id)
        self.visit(node.value)

    def visit_Global(self, node: ast.Global) -> None:
        self.activity.globals.update(node.names)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self.activity.nonlocals.update(node.names)

    def visit_alias(self, node: ast.alias) -> None:
        self.activity.writes.add((node.asname or node.name).partition(".")[0])

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name is not None:
            self.activity.writes.add(node.name)
        self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        if node.name is not None:
            self.activity.writes.add(node.name)
        self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        if node.name is not None:
            self.activity.writes.add(node.name)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest is not None:
            self.activity.writes.add(node.rest)
        self.generic_visit(node)

    # -- scopes inside -----------------------------------------------------------------------

    def _function(self, node: Function) -> None:
        for default in [*node.args.defaults, *node.args.kw_defaults]:
            if default is not None:
                self.visit(default)
        within = inside(node)
        self._capture(within.free, within.outer_writes)

    def _capture(self, free: Set[str], bound: Set[str]) -> None:
        self._read(free)
        self.activity.captured.update(free - self.hidden)
        self.activity.bound_inside.update(bound - self.hidden)

    def _definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.activity.writes.add(node.name)
        for decorator in node.decorator_list:
            self.visit(decorator)
        self._function(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._definition(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._definition(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._function(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.activity.writes.add(node.name)
        for part in [*node.decorator_list, *node.bases, *node.keywords]:
            self.visit(part)
        body = activity(node.body)
        self._read(body.reads)
        self._capture(body.captured, body.bound_inside)

    def _comprehension(self, generators: list[ast.comprehension], *results: ast.expr) -> None:
        self.visit(generators[0].iter)
        outer = self.hidden
        self.hidden = outer | {name for each in generators for name in activity(each.target).writes}
        for index, each in enumerate(generators):
            if index:
                self.visit(each.iter)
            for condition in each.ifs:
                self.visit(condition)
        for result in results:
            self.visit(result)
        self.hidden = outer

    def visit_ListComp(self, node: ast.ListComp) -> None:
        self._comprehension(node.generators, node.elt)

    def visit_SetComp(self, node: ast.SetComp) -> None:
        self._comprehension(node.generators, node.elt)

    def visit_DictComp(self, node: ast.DictComp) -> None:
        self._comprehension(node.generators, node.key, node.value)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> None:
        self._comprehension(node.generators, node.elt)
        # It may run later, as a function may.
        self.activity.captured |= activity(ast.ListComp(node.elt, node.generators)).reads
