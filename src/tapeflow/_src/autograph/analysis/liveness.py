"""Liveness: which variables' values are still needed at a point of a function.

It analyses structured code: `break`, `continue` and the `return`s inside branches and loops have
been rewritten before, so a block is only left early by a `return` at its end or an exception.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from tapeflow._src.autograph.analysis.activity import activity
from tapeflow._src.autograph.analysis.notes import exit_flag_of, options_of
from tapeflow._src.autograph.analysis.scopes import Scope

Names = frozenset[str]
_NONE: Names = frozenset()


class Liveness:
    """The variables live after each statement (`after`), and where its blocks begin (`head`).

    For a loop, `head` is what is live at the beginning of every iteration, and at the end of the
    last one.
    """

    def __init__(self, body: Sequence[ast.stmt], scope: Scope) -> None:
        self.after: dict[ast.stmt, Names] = {}
        self.head: dict[ast.stmt, Names] = {}
        self._scope = scope
        self._block(body, scope.outside, _NONE)

    def _reads(self, *code: ast.AST) -> Names:
        """Return the variables read, including by calls of local functions."""
        names = set(activity(code).reads)
        for name in names & self._scope.closures.keys():
            names |= self._scope.closures[name].reads
        return frozenset(names)

    def _block(self, block: Sequence[ast.stmt], live: Names, escape: Names) -> Names:
        """Return the live variables before a block. `escape`: those that an exception needs."""
        for statement in reversed(block):
            self.after[statement] = live
            live = self._before(statement, live, escape) | escape
        return live

    def _before(self, statement: ast.stmt, live: Names, escape: Names) -> Names:
        match statement:
            case ast.If(test=test, body=body, orelse=orelse):
                either = self._block(body, live, escape) | self._block(orelse, live, escape)
                self.head[statement] = either
                return self._binding((test,), either)
            case ast.While():
                return self._while(statement, live, escape)
            case ast.For():
                return self._for(statement, live, escape)
            case ast.With(items=items, body=body):
                # The context manager may swallow an exception: then what follows runs.
                return self._binding(items, self._block(body, live, escape | live))
            case ast.Try() | ast.TryStar():
                return self._try(statement, live, escape)
            case ast.Match(subject=subject, cases=cases):
                ends = [self._case(case, live, escape) for case in cases]
                return self._binding((subject,), live.union(*ends))
            case ast.Return():
                return self._scope.outside | self._reads(statement)
            case ast.Raise():
                return self._scope.outside | escape | self._reads(statement)
        return self._binding((statement,), live)

    def _binding(self, code: Iterable[ast.AST], live: Names) -> Names:
        """Return what is live before code that completes: what it binds need not be defined."""
        code = tuple(code)
        return (live - activity(code).writes) | self._reads(*code)

    def _case(self, case: ast.match_case, live: Names, escape: Names) -> Names:
        inner = self._block(case.body, live, escape)
        guard = _NONE if case.guard is None else self._reads(case.guard)
        # The pattern may fail halfway: nothing it binds is certain to be bound.
        return (inner - activity(case.pattern).writes) | guard | self._reads(case.pattern)

    def _while(self, loop: ast.While, live: Names, escape: Names) -> Names:
        head = live | self._reads(loop.test) | _needed_by_notes(loop)
        while True:
            before = self._binding((loop.test,), self._block(loop.body, head, escape) | live)
            if before <= head:
                break
            head |= before
        self.head[loop] = head
        return head

    def _for(self, loop: ast.For, live: Names, escape: Names) -> Names:
        head = live | _needed_by_notes(loop)
        while True:
            before = self._binding((loop.target,), self._block(loop.body, head, escape))
            if before <= head:
                break
            head |= before
        self.head[loop] = head
        return head | self._reads(loop.iter)

    def _try(self, statement: ast.Try | ast.TryStar, live: Names, escape: Names) -> Names:
        finally_ = self._block(statement.finalbody, live, escape)
        guard = (escape | finally_) if statement.finalbody else escape
        handlers: Names = _NONE
        for handler in statement.handlers:
            inner = self._block(handler.body, finally_, guard)
            free = inner - ({handler.name} if handler.name else _NONE)
            caught = _NONE if handler.type is None else self._reads(handler.type)
            handlers |= free | caught
        after = self._block(statement.orelse, finally_, guard)
        return self._block(statement.body, after, guard | handlers)


def _needed_by_notes(loop: ast.stmt) -> Names:
    until = exit_flag_of(loop)
    return activity(options_of(loop)).reads | ({until} if until else set())  # type: ignore[return-value]
