"""The state that the blocks of a statement share with the enclosing function, as code.

Variables are passed to an operator as `lambda: (x, y)`: the operator takes the cells of the
function's variables from the closure of the lambda, so a variable may be unbound.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from tapeflow._src.autograph.analysis.activity import activity
from tapeflow._src.autograph.analysis.liveness import Liveness
from tapeflow._src.autograph.analysis.scopes import Scope
from tapeflow._src.autograph.converters.context import Context
from tapeflow._src.autograph.converters.templates import expression, names, statements

Block = list[ast.stmt]
Statement = ast.If | ast.For | ast.While


@dataclass(frozen=True)
class State:
    """The variables and targets that the blocks of a statement change."""

    # All variables that belong to the function, not to the block.
    variables: frozenset[str]
    # Those that are live after the statement, or in the next iteration.
    live: frozenset[str]
    globals: frozenset[str]
    targets: dict[str, ast.expr]


def state_of(
    statement: Statement, changing: Sequence[ast.AST], scope: Scope, live: Liveness
) -> State:
    """Return the state of a statement. `changing`: its blocks and targets."""
    names = activity(changing)
    called = [scope.closures[name].writes for name in names.reads & scope.closures.keys()]
    writes = frozenset(names.writes).union(*called)
    after, head = live.after[statement], live.head[statement]
    lasting = after if isinstance(statement, ast.If) else head
    shared = writes & (after | head | scope.captured | scope.outside)
    return State(
        variables=shared - scope.globals,
        live=shared & lasting - scope.globals,
        globals=writes & scope.globals,
        targets=_lasting_targets(names.targets, writes),
    )


def _lasting_targets(targets: dict[str, ast.expr], writes: frozenset[str]) -> dict[str, ast.expr]:
    """Return the targets that denote the same object before and after the statement."""
    return {
        text: node
        for text, node in targets.items()
        if not any(
            (isinstance(part, ast.Name) and part.id in writes)
            or (part is not node and isinstance(part, ast.expr) and ast.unparse(part) in targets)
            for part in ast.walk(node)
        )
    }


class Frame:
    """The function being rewritten, and the current block in it."""

    def __init__(
        self,
        context: Context,
        scope: Scope,
        live: Liveness,
        rewrite: Callable[[ast.stmt, Frame], Block],
    ) -> None:
        self.context = context
        self._scope = scope
        self._live = live
        self._rewrite = rewrite
        # The variables that functions generated for this block capture.
        self._state_variables: set[str] = set()

    def state(self, statement: Statement, changing: Sequence[ast.AST]) -> State:
        """Return the state that the blocks of a statement change."""
        return state_of(statement, changing, self._scope, self._live)

    def rewritten(self, block: Block) -> Block:
        """Return the rewritten statements of a block."""
        done = [new for statement in block for new in self._rewrite(statement, self)]
        return done or [ast.copy_location(ast.Pass(), block[0])]

    def outermost(self, block: Block, declared: set[str], at: ast.AST) -> Block:
        """Return a block with declarations of variables that only generated functions bind.

        known: the variables that need no declaration.
        """
        outer, self._state_variables = self._state_variables, set()
        new = self.rewritten(block)
        missing = self._state_variables - declared - activity(new).writes
        self._state_variables = outer
        return owned(missing, at) + new

    def function(
        self, name: str, block: Block, state: State, parameter: str | None = None
    ) -> ast.FunctionDef:
        """Return a block as a function that shares the state with the enclosing functions."""
        writes = activity(block).writes
        outer = writes & state.variables
        declared = outer | self._scope.globals | ({parameter} if parameter else set())
        body = self.outermost(block, declared, block[0])
        self._state_variables |= state.variables
        (function,) = statements(
            "def NAME(ITEM): BODY" if parameter else "def NAME(): BODY",
            block[0],
            NAME=self.context.block(name),
            ITEM=parameter,
            BODY=shared(writes & state.globals, outer, block[0]) + body,
        )
        return function  # type: ignore[return-value]

    def keywords(self, state: State, at: ast.AST) -> list[ast.keyword]:
        """Return the keyword arguments that describe the state to an operator."""
        arguments = []
        if state.variables:
            variables = expression("lambda: NAMES", at, NAMES=names(sorted(state.variables), at))
            arguments.append(ast.keyword("variables", variables))
        if state.live:
            live: list[ast.expr] = [ast.Constant(name) for name in sorted(state.live)]
            arguments.append(ast.keyword("live", ast.Tuple(live, ast.Load())))
        if state.targets or state.globals:
            arguments.append(ast.keyword("slots", self._slots(state, at)))
        for name in state.live & self.context.results:
            arguments.append(ast.keyword("result", ast.Constant(name)))
        return arguments

    def _slots(self, state: State, at: ast.AST) -> ast.expr:
        targets: list[ast.expr] = [
            expression("ag__.item(NAME, globals(), NAME)", at, NAME=ast.Constant(name))
            for name in sorted(state.globals)
        ]
        for text, node in sorted(state.targets.items()):
            parts: dict[str, ast.expr] = {"LABEL": ast.Constant(text)}
            if isinstance(node, ast.Attribute):
                parts |= {
                    "BASE": _loaded(node.value),
                    "KEY": ast.Constant(self.context.mangled(node.attr)),
                }
                targets.append(expression("ag__.attribute(LABEL, BASE, KEY)", at, **parts))
            elif isinstance(node, ast.Subscript):
                parts |= {"BASE": _loaded(node.value), "KEY": _loaded(node.slice)}
                targets.append(expression("ag__.item(LABEL, BASE, KEY)", at, **parts))
        return expression("lambda: PLACES", at, PLACES=ast.Tuple(targets, ast.Load()))


def _loaded(node: ast.expr) -> ast.expr:
    """Return a copy of a part of a target in load context."""
    return copy.deepcopy(node)


def shared(globals_: Iterable[str], nonlocals: Iterable[str], at: ast.AST) -> Block:
    """Declare variables that a function binds as nonlocal or global."""
    declarations: Block = []
    if globals_:
        declarations.append(ast.Global(sorted(globals_)))
    if nonlocals:
        declarations.append(ast.Nonlocal(sorted(nonlocals)))
    return [ast.copy_location(each, at) for each in declarations]


def owned(variables: Iterable[str], at: ast.AST) -> Block:
    """Make variables local to a function that does not bind them itself."""
    return [
        each for name in sorted(variables) for each in statements("NAME: object", at, NAME=name)
    ]
