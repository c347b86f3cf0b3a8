"""State shared by the converters of one function: fresh names, options, and name resolution."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from tapeflow._src.autograph.options import Options

MISSING = object()


@dataclass
class Context:
    """One conversion of one function."""

    options: Options
    # The globals of the function. Its closure is not consulted: other functions with the same code
    # share the conversion.
    namespace: Mapping[str, Any]
    used: set[str]
    # Names that are bound in the function or an enclosing one: they are not global.
    bound: set[str]
    # Nested generators, which stay unchanged.
    generators: set[ast.AST]
    # The class whose body contains the function.
    class_name: str | None = None
    # The functions generated for the blocks of control flow.
    blocks: set[str] = field(default_factory=set)
    # The variables that hold return values.
    results: set[str] = field(default_factory=set)

    def fresh(self, name: str) -> str:
        """Return `name`, or `name_1`, …: one that the function does not use."""
        candidate, count = name, 0
        while candidate in self.used:
            count += 1
            candidate = f"{name}_{count}"
        self.used.add(candidate)
        return candidate

    def block(self, name: str) -> str:
        """Return a fresh name for the function of a block."""
        candidate = self.fresh(name)
        self.blocks.add(candidate)
        return candidate

    def value_of(self, node: ast.expr) -> Any:
        """Return the current value of a global name or module attribute, or MISSING."""
        match node:
            case ast.Name(id=name) if name not in self.bound:
                return self.namespace.get(name, getattr(builtins, name, MISSING))
            case ast.Attribute(value=value, attr=attribute):
                module = self.value_of(value)
                if isinstance(module, ModuleType):
                    return getattr(module, attribute, MISSING)
        return MISSING

    def mangled(self, name: str) -> str:
        """Return an attribute's mangled name: `__x` is `_Class__x`."""
        if self.class_name is None or not name.startswith("__") or name.endswith("__"):
            return name
        return f"_{self.class_name.lstrip('_')}{name}"


def bound_names(tree: ast.AST) -> set[str]:
    """Return every name that is bound in a tree, in any scope."""
    bound = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                bound.add(name)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                bound.add(name)
            case ast.AsyncFunctionDef(name=name):
                bound.add(name)
            case ast.alias():
                bound.add((node.asname or node.name).partition(".")[0])
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                bound.add(name)
            case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                bound.add(name)
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                bound.update(names)
    return bound


def used_names(tree: ast.AST) -> set[str]:
    """Return every name in a tree, which a new variable must avoid."""
    read = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return read | bound_names(tree)
