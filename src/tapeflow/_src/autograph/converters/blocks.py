"""What the blocks of a statement share with the function around them, and how it is written down.

Variables are handed to an operator as `lambda: (x, y)`: the operator takes the cells of the
function's variables from the closure of the lambda, so a variable may be without a value.
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
    """The variables and places that the blocks of a statement change."""

    # All variables that are the function's, not the block's own.
    variables: frozenset[str]
    # Those whose values count after the statement, or in the next iteration.
    live: frozenset[str]
    globals: frozenset[str]
    places: dict[str, ast.expr]


def state_of(
    statement: Statement, changing: Sequence[ast.AST], scope: Scope, live: Liveness
) -> State:
    """The state of a statement. `changing` is what becomes functions: its blocks and targets."""
    found = activity(changing)
    called = [scope.closures[name].writes for name in found.reads & scope.closures.keys()]
    writes = frozenset(found.writes).union(*called)
    after, head = live.after[statement], live.head[statement]
    lasting = after if isinstance(statement, ast.If) else head
    shared = writes & (after | head | scope.captured | scope.outside)
    return State(
        variables=shared - scope.globals,
        live=shared & lasting - scope.globals,
        globals=writes & scope.globals,
        places=_lasting_places(found.places, writes),
    )


def _lasting_places(places: dict[str, ast.expr], writes: frozenset[str]) -> dict[str, ast.expr]:
    """The places that are the same before and after: all they are made of stays as it is."""
    return {
        text: node
        for text, node in places.items()
        if not any(
            (isinstance(part, ast.Name) and part.id in writes)
            or (part is not node and isinstance(part, ast.expr) and ast.unparse(part) in places)
            for part in ast.walk(node)
        )
    }


class Frame:
    """The function being rewritten, and the block in it that is written at the moment."""

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
        # The variables that the functions written into this block take from around them.
        self._taken: set[str] = set()

    def state(self, statement: Statement, changing: Sequence[ast.AST]) -> State:
        """What the blocks of a statement change."""
        return state_of(statement, changing, self._scope, self._live)

    def rewritten(self, block: Block) -> Block:
        """The statements of a block, rewritten."""
        done = [new for statement in block for new in self._rewrite(statement, self)]
        return done or [ast.copy_location(ast.Pass(), block[0])]

    def outermost(self, block: Block, known: set[str], at: ast.AST) -> Block:
        """A block with the variables declared that only functions written into it bind.

        known: the variables that need no declaration.
        """
        outer, self._taken = self._taken, set()
        new = self.rewritten(block)
        missing = self._taken - known - activity(new).writes
        self._taken = outer
        return owned(missing, at) + new

    def function(
        self, name: str, block: Block, state: State, parameter: str | None = None
    ) -> ast.FunctionDef:
        """A block as a function that shares the state with the functions around it."""
        writes = activity(block).writes
        outer = writes & state.variables
        known = outer | self._scope.globals | ({parameter} if parameter else set())
        body = self.outermost(block, known, block[0])
        self._taken |= state.variables
        (function,) = statements(
            "def NAME(ITEM): BODY" if parameter else "def NAME(): BODY",
            block[0],
            NAME=self.context.block(name),
            ITEM=parameter,
            BODY=shared(writes & state.globals, outer, block[0]) + body,
        )
        return function  # type: ignore[return-value]

    def keywords(self, state: State, at: ast.AST) -> list[ast.keyword]:
        """The arguments by which an operator is told of the state."""
        found = []
        if state.variables:
            variables = expression("lambda: NAMES", at, NAMES=names(sorted(state.variables), at))
            found.append(ast.keyword("variables", variables))
        if state.live:
            live: list[ast.expr] = [ast.Constant(name) for name in sorted(state.live)]
            found.append(ast.keyword("live", ast.Tuple(live, ast.Load())))
        if state.places or state.globals:
            found.append(ast.keyword("places", self._places(state, at)))
        for name in state.live & self.context.results:
            found.append(ast.keyword("result", ast.Constant(name)))
        return found

    def _places(self, state: State, at: ast.AST) -> ast.expr:
        found: list[ast.expr] = [
            expression("ag__.item(NAME, globals(), NAME)", at, NAME=ast.Constant(name))
            for name in sorted(state.globals)
        ]
        for text, node in sorted(state.places.items()):
            parts: dict[str, ast.expr] = {"LABEL": ast.Constant(text)}
            if isinstance(node, ast.Attribute):
                parts |= {
                    "BASE": _loaded(node.value),
                    "KEY": ast.Constant(self.context.mangled(node.attr)),
                }
                found.append(expression("ag__.attribute(LABEL, BASE, KEY)", at, **parts))
            elif isinstance(node, ast.Subscript):
                parts |= {"BASE": _loaded(node.value), "KEY": _loaded(node.slice)}
                found.append(expression("ag__.item(LABEL, BASE, KEY)", at, **parts))
        return expression("lambda: PLACES", at, PLACES=ast.Tuple(found, ast.Load()))


def _loaded(node: ast.expr) -> ast.expr:
    """A copy of a part of a target, which is itself only read."""
    return copy.deepcopy(node)


def shared(globals_: Iterable[str], nonlocals: Iterable[str], at: ast.AST) -> Block:
    """Say whose the variables are that a function binds."""
    found: Block = []
    if globals_:
        found.append(ast.Global(sorted(globals_)))
    if nonlocals:
        found.append(ast.Nonlocal(sorted(nonlocals)))
    return [ast.copy_location(each, at) for each in found]


def owned(variables: Iterable[str], at: ast.AST) -> Block:
    """Make variables local to a function that does not bind them itself."""
    return [
        each for name in sorted(variables) for each in statements("NAME: object", at, NAME=name)
    ]
