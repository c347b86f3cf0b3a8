"""How a block is left: by running off its end, or by `return`, `break`, `continue`, `raise`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

LOOPS = (ast.For, ast.While)
_OTHER_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """Yield the lists of statements that a statement of this function contains."""
    if isinstance(statement, _OTHER_SCOPES):
        return
    for name in ("body", "orelse", "finalbody"):
        block = getattr(statement, name, None)
        if block:
            yield block
    for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield part.body


def contains_return(code: ast.stmt | Sequence[ast.stmt]) -> bool:
    """Whether the function may return from inside."""
    if isinstance(code, ast.stmt):
        return isinstance(code, ast.Return) or any(map(contains_return, blocks(code)))
    return any(map(contains_return, code))


def contains_exit(code: ast.stmt | Sequence[ast.stmt], kind: type[ast.stmt]) -> bool:
    """Whether the enclosing loop may be left from inside by a statement of that kind."""
    if isinstance(code, kind):
        return True
    if isinstance(code, LOOPS):
        return contains_exit(code.orelse, kind)
    if isinstance(code, ast.stmt):
        return any(contains_exit(block, kind) for block in blocks(code))
    return any(contains_exit(statement, kind) for statement in code)


def is_endless(loop: ast.While) -> bool:
    """Whether the test of a loop is always true: `while True`."""
    return isinstance(loop.test, ast.Constant) and bool(loop.test.value)


def falls_through(block: Sequence[ast.stmt]) -> bool:
    """Whether the end of a block may be reached; conservatively, yes."""
    return all(map(_can_complete, block))


def _can_complete(statement: ast.stmt) -> bool:
    match statement:
        case ast.Return() | ast.Raise() | ast.Break() | ast.Continue():
            return False
        case ast.If(body=body, orelse=orelse):
            return falls_through(body) or falls_through(orelse)
        case ast.Try() | ast.TryStar():
            regular = statement.body + statement.orelse
            ends = [regular, *(handler.body for handler in statement.handlers)]
            return falls_through(statement.finalbody) and any(map(falls_through, ends))
        case ast.While(body=body) if is_endless(statement):
            return contains_exit(body, ast.Break)
    # A context manager may swallow the exception that would have left the block.
    return True
