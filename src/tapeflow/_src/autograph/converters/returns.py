"""`return` inside branches and loops: a variable holds the value, returned at the end.

    if a:               if a:
        return b            retval_ = b
    return c            else:
                            retval_ = c
                        return retval_

What follows a branch that always returns becomes the other branch. Where a statement may or may not
return (a loop, a `with` block), a flag, `do_return`, records whether it did, and guards what
follows. A `return` outside branches and loops stays unchanged.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from tapeflow._src.autograph.analysis.exits import LOOPS, blocks, contains_return, falls_through
from tapeflow._src.autograph.converters.context import Context
from tapeflow._src.autograph.converters.functions import Converter
from tapeflow._src.autograph.converters.templates import locate, statements
from tapeflow._src.autograph.errors import UnsupportedFeature

Block = list[ast.stmt]
Lower = Callable[[Block], Block]


def convert(tree: ast.AST, context: Context) -> ast.AST:
    """Rewrite the functions that return from inside branches or loops."""
    return _Returns(context).visit(tree)


class _Returns(Converter):
    def function(self, node: ast.FunctionDef) -> None:
        if any(map(_returns_conditionally, node.body)):
            node.body = _Lowering(node, self.context).body()


def _returns_conditionally(statement: ast.stmt) -> bool:
    """Whether a `return` is in a branch or loop of the statement."""
    if isinstance(statement, (ast.If, ast.Match, *LOOPS)):
        return contains_return(statement)
    return any(_returns_conditionally(each) for block in blocks(statement) for each in block)


class _Lowering:
    """The lowering of one function."""

    def __init__(self, function: ast.FunctionDef, context: Context) -> None:
        self._function = function
        self._value = context.fresh("retval_")
        context.results.add(self._value)
        self._flag = context.fresh("do_return")
        self._flag_used = False

    def body(self) -> Block:
        body, _ = self._plain(self._function.body, last=True)
        if not self._flag_used:
            return body
        start = 1 if ast.get_docstring(self._function, clean=False) is not None else 0
        at = self._function.body[0]
        return body[:start] + statements("FLAG = False", at, FLAG=self._flag) + body[start:]

    # -- outside branches and loops: real returns are possible ---------------------------------

    def _plain(self, block: Block, *, last: bool) -> tuple[Block, bool]:
        """Return the block, and whether it may have set the flag instead of returning.

        last: whether the function ends where the block ends.
        """
        ends = last or not falls_through(block)
        done: Block = []
        for position, statement in enumerate(block):
            rest = block[position + 1 :]
            if isinstance(statement, ast.Return):
                return [*done, statement], False
            if not _returns_conditionally(statement):
                done.append(statement)
                continue
            if isinstance(statement, ast.With | ast.Try | ast.TryStar):
                flagged = self._plain_compound(statement, last=last and not rest)
                done.append(statement)
                if not flagged:
                    continue
                rest = self._unless_returned(rest, self._tail if ends else self._flagged, statement)
            else:
                whole = [statement, *rest]
                rest = self._tail(whole) if ends else self._flagged(whole)
            final = statements("return VALUE", statement, VALUE=self._value) if ends else []
            return done + rest + final, not ends
        return done, False

    def _plain_compound(self, statement: ast.With | ast.Try | ast.TryStar, *, last: bool) -> bool:
        if isinstance(statement, ast.With):
            statement.body, flagged = self._plain(statement.body, last=last)
            return flagged
        _refuse_in_finally(statement)
        after = bool(statement.orelse)
        statement.body, flagged = self._plain(statement.body, last=last and not after)
        anywhere = flagged
        for handler in statement.handlers:
            handler.body, flagged_there = self._plain(handler.body, last=last)
            anywhere |= flagged_there
        statement.orelse, flagged_there = self._plain(statement.orelse, last=last)
        if flagged and statement.orelse:
            statement.orelse = self._guard(statement.orelse, statement.orelse[0])
        return anywhere or flagged_there

    # -- where the function ends with the block: every path sets the value ----------------------

    def _tail(self, block: Block) -> Block:
        done: Block = []
        for position, statement in enumerate(block):
            rest = block[position + 1 :]
            if isinstance(statement, ast.Return):
                return done + self._keep(statement)
            if not contains_return(statement):
                done.append(statement)
                continue
            absorbed = _absorb(statement, rest, self._tail)
            if absorbed is not None:
                return [*done, absorbed]
            leaves = not falls_through([statement])
            inner = self._inside(statement, in_loop=False)
            if leaves:
                return [*done, inner]
            return [*done, inner, *self._unless_returned(rest, self._tail, statement)]
        if falls_through(done):
            at = block[-1] if block else self._function
            done += statements("VALUE = None", at, VALUE=self._value)
        return done

    def _unless_returned(self, rest: Block, lower: Lower, at: ast.stmt) -> Block:
        """Guard what follows `at`, which may have returned."""
        block = lower(rest) or [locate(ast.Pass(), at)]
        return self._guard(block, rest[0] if rest else at)

    def _guard(self, block: Block, at: ast.stmt) -> Block:
        self._flag_used = True
        return statements("if not FLAG: BLOCK", at, FLAG=self._flag, BLOCK=block)

    # -- where more may follow: a flag, whether the function has returned ----------------------

    def _flagged(self, block: Block) -> Block:
        done: Block = []
        for position, statement in enumerate(block):
            rest = block[position + 1 :]
            if isinstance(statement, ast.Return):
                return done + self._keep(statement) + self._raise_flag(statement)
            if not contains_return(statement):
                done.append(statement)
                continue
            absorbed = _absorb(statement, rest, self._flagged)
            if absorbed is not None:
                return [*done, absorbed]
            inner = self._inside(statement, in_loop=False)
            if not rest:
                return [*done, inner]
            return [*done, inner, *self._unless_returned(rest, self._flagged, statement)]
        return done

    def _in_loop(self, block: Block) -> Block:
        """Like `_flagged`, inside a loop: `break` leaves it, and what follows needs no guard."""
        done: Block = []
        for statement in block:
            if isinstance(statement, ast.Return):
                leave: Block = [locate(ast.Break(), statement)]
                return done + self._keep(statement) + self._raise_flag(statement) + leave
            if contains_return(statement):
                statement = self._inside(statement, in_loop=True)
                done.append(statement)
                if isinstance(statement, LOOPS):
                    done += statements("if FLAG: break", statement, FLAG=self._flag)
            else:
                done.append(statement)
        return done

    def _inside(self, statement: ast.stmt, *, in_loop: bool) -> ast.stmt:
        """Lower the blocks of a statement that may or may not return."""
        lower = self._in_loop if in_loop else self._flagged
        if isinstance(statement, LOOPS):
            statement.body = self._in_loop(statement.body)
            statement.orelse = lower(statement.orelse)
            return statement
        if isinstance(statement, ast.Try | ast.TryStar):
            _refuse_in_finally(statement)
            guarded = contains_return(statement.body) and not in_loop and statement.orelse
            if guarded:
                statement.orelse = self._guard(lower(statement.orelse), statement.orelse[0])
        for block in blocks(statement):
            block[:] = lower(block)
        return statement

    def _keep(self, statement: ast.Return) -> Block:
        value = statement.value or ast.Constant(None)
        return statements("VALUE = RESULT", statement, VALUE=self._value, RESULT=value)

    def _raise_flag(self, statement: ast.Return) -> Block:
        self._flag_used = True
        return statements("FLAG = True", statement, FLAG=self._flag)


def _absorb(statement: ast.stmt, rest: Block, lower: Lower) -> ast.If | None:
    """Move what follows an `if` with a branch that never ends into the other branch."""
    if not isinstance(statement, ast.If):
        return None
    if not falls_through(statement.body):
        body, orelse = statement.body, statement.orelse + rest
    elif statement.orelse and not falls_through(statement.orelse):
        body, orelse = statement.body + rest, statement.orelse
    else:
        return None
    statement.body = lower(body) or [locate(ast.Pass(), statement)]
    statement.orelse = lower(orelse)
    return statement


def _refuse_in_finally(statement: ast.Try | ast.TryStar) -> None:
    if contains_return(statement.finalbody):
        raise UnsupportedFeature(
            "a return statement inside `finally` cannot be converted", statement.finalbody[0]
        )
