"""`break`, `continue` and the `else` of loops, lowered to flags.

What follows a branch that always leaves the iteration becomes the other branch, as for `return`;
otherwise it is guarded by the flags. A `while` loop tests the flag, a `for` loop stores its name. A
test that binds a variable moves into the body, where the variable belongs to the function.
"""

from __future__ import annotations

import ast
import copy

from tapeflow._src.autograph.analysis.exits import blocks, contains_exit, falls_through, is_endless
from tapeflow._src.autograph.analysis.notes import note
from tapeflow._src.autograph.converters.context import Context
from tapeflow._src.autograph.converters.functions import Converter, binds
from tapeflow._src.autograph.converters.templates import expression, locate, statements
from tapeflow._src.autograph.errors import UnsupportedFeature

Block = list[ast.stmt]


def convert(tree: ast.AST, context: Context) -> ast.AST:
    """Rewrite the loops of a tree, inner ones first."""
    return _Loops(context).visit(tree)


class _Loops(Converter):
    def visit_While(self, node: ast.While) -> Block:
        self.generic_visit(node)
        lowering = _Lowering(node, self.context)
        before, after = lowering.body()
        if binds(node.test):
            before += self._binding_test(node, lowering.breaks)
        elif lowering.breaks:
            parts = {"FLAG": lowering.breaks, "TEST": node.test}
            text = "not FLAG" if is_endless(node) else "not FLAG and TEST"
            node.test = expression(text, node.test, **parts)
        return [*before, node, *after]

    def _binding_test(self, node: ast.While, breaks: str | None) -> Block:
        """Move a test that binds a variable (`:=`) to a statement before the loop, and in it."""
        going, test = self.context.fresh("going"), node.test
        parts = {"GOING": going, "TEST": copy.deepcopy(test)}
        again = statements("GOING = TEST", test, **parts)
        if breaks:
            template = "if FLAG: GOING = False\nelse: BLOCK"
            again = statements(template, test, FLAG=breaks, GOING=going, BLOCK=again)
        node.test = locate(ast.Name(going, ast.Load()), test)
        node.body = node.body + again
        return statements("GOING = TEST", test, GOING=going, TEST=test)

    def visit_For(self, node: ast.For) -> Block:
        self.generic_visit(node)
        lowering = _Lowering(node, self.context)
        before, after = lowering.body()
        note(node, until=lowering.breaks)
        return [*before, node, *after]


class _Lowering:
    """The lowering of one loop, whose inner loops are done."""

    def __init__(self, loop: ast.For | ast.While, context: Context) -> None:
        self._loop = loop
        has_break = contains_exit(loop.body, ast.Break)
        self.breaks = context.fresh("break_") if has_break else None
        self._context = context
        self._continues: str | None = None

    def body(self) -> tuple[Block, Block]:
        """Rewrite the loop's body; return the statements before and after the loop."""
        loop = self._loop
        if self.breaks or contains_exit(loop.body, ast.Continue):
            loop.body = self._block(loop.body, tail=True) or [locate(ast.Pass(), loop)]
            if self._continues:
                loop.body = self._set(self._continues, "False", loop) + loop.body
        before = self._set(self.breaks, "False", loop) if self.breaks else []
        after, loop.orelse = loop.orelse, []
        if self.breaks and after:
            after = statements("if not FLAG: BLOCK", loop, FLAG=self.breaks, BLOCK=after)
        return before, after

    def _set(self, flag: str, value: str, at: ast.AST) -> Block:
        return statements(f"FLAG = {value}", at, FLAG=flag)

    def _block(self, block: Block, *, tail: bool) -> Block:
        """Lower the exits of a block. tail: whether the iteration ends where the block ends."""
        done: Block = []
        for position, statement in enumerate(block):
            rest = block[position + 1 :]
            match statement:
                case ast.Break():
                    return done + self._set(str(self.breaks), "True", statement)
                case ast.Continue():
                    return done + ([] if tail else self._skip(statement))
                case ast.If() if self._leaves(statement):
                    absorbed = self._absorb(statement, rest, tail=tail)
                    if absorbed is not None:
                        return [*done, absorbed]
            if not self._leaves(statement):
                done.append(statement)
                continue
            if not rest:
                return [*done, self._inside(statement, tail=tail)]
            guard = self._guard_of(statement)
            done.append(self._inside(statement, tail=False))
            inner = self._block(rest, tail=tail) or [locate(ast.Pass(), statement)]
            return done + statements("if not GUARD: BLOCK", rest[0], GUARD=guard, BLOCK=inner)
        return done

    def _skip(self, statement: ast.stmt) -> Block:
        return self._set(self._continue_flag(), "True", statement)

    def _continue_flag(self) -> str:
        if self._continues is None:
            self._continues = self._context.fresh("continue_")
        return self._continues

    def _leaves(self, code: ast.stmt) -> bool:
        return contains_exit(code, ast.Break) or contains_exit(code, ast.Continue)

    def _absorb(self, statement: ast.If, rest: Block, *, tail: bool) -> ast.If | None:
        if not falls_through(statement.body):
            body, orelse = statement.body, statement.orelse + rest
        elif statement.orelse and not falls_through(statement.orelse):
            body, orelse = statement.body + rest, statement.orelse
        else:
            return None
        statement.body = self._block(body, tail=tail) or [locate(ast.Pass(), statement)]
        statement.orelse = self._block(orelse, tail=tail)
        return statement

    def _guard_of(self, statement: ast.stmt) -> ast.expr:
        """Return the flag that is set if the iteration was left inside the statement."""
        flags = [self.breaks] if contains_exit(statement, ast.Break) else []
        if contains_exit(statement, ast.Continue):
            flags.append(self._continue_flag())
        loaded: list[ast.expr] = [ast.Name(str(flag), ast.Load()) for flag in flags]
        if len(loaded) == 1:
            return loaded[0]
        return ast.BoolOp(ast.Or(), loaded)

    def _inside(self, statement: ast.stmt, *, tail: bool) -> ast.stmt:
        if isinstance(statement, ast.Try | ast.TryStar):
            # After the block, the `else` and `finally` blocks run.
            tail = False
            self._refuse_in_finally(statement)
            if self._leaves_block(statement.body) and statement.orelse:
                guard = self._guard_of(statement)
                inner = self._block(statement.orelse, tail=False)
                statement.orelse = statements(
                    "if not GUARD: BLOCK", statement.orelse[0], GUARD=guard, BLOCK=inner
                )
        for block in blocks(statement):
            block[:] = self._block(block, tail=tail) or [locate(ast.Pass(), statement)]
        return statement

    def _leaves_block(self, block: Block) -> bool:
        return any(map(self._leaves, block))

    def _refuse_in_finally(self, statement: ast.Try | ast.TryStar) -> None:
        if self._leaves_block(statement.finalbody):
            raise UnsupportedFeature(
                "break and continue inside `finally` cannot be converted", statement.finalbody[0]
            )
