"""What converters of one function share: fresh names, options, and what its names stand for."""

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
    # The globals of the function. Its closure is not consulted: others with the same code share
    # the conversion.
    namespace: Mapping[str, Any]
    used: set[str]
    # Names that are bound in the function or around it: they are not global.
    bound: set[str]
    # Generators among the functions inside: they stay as they are.
    generators: set[ast.AST]
    # The class in whose body the function stands.
    class_name: str | None = None
    # The functions made for the blocks of control flow.
    blocks: set[str] = field(default_factory=set)
    # The variables that hold what a function will return.
    results: set[str] = field(default_factory=set)

    def fresh(self, name: str) -> str:
        """`name`, or `name_1`, …: one that the function does not use."""
        candidate, count = name, 0
        while candidate in self.used:
            count += 1
            candidate = f"{name}_{count}"
        self.used.add(candidate)
        return candidate

    def block(self, name: str) -> str:
        """A fresh name for the function that a block becomes."""
        candidate = self.fresh(name)
        self.blocks.add(candidate)
        return candidate

    def value_of(self, node: ast.expr) -> Any:
        """What a global name, or an attribute of a module, stands for now, or MISSING."""
        match node:
            case ast.Name(id=name) if name not in self.bound:
                return self.namespace.get(name, getattr(builtins, name, MISSING))
            case ast.Attribute(value=value, attr=attribute):
                module = self.value_of(value)
                if isinstance(module, ModuleType):
                    return getattr(module, attribute, MISSING)
        return MISSING

    def mangled(self, name: str) -> str:
        """An attribute's name as it is in the class: `__x` is `_Class__x`."""
        if self.class_name is None or not name.startswith("__") or name.endswith("__"):
            return name
        return f"_{self.class_name.lstrip('_')}{name}"


def bound_names(tree: ast.AST) -> set[str]:
    """Every name that is bound somewhere in a tree, in whatever scope."""
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                found.add(name)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.AsyncFunctionDef(name=name):
                found.add(name)
            case ast.alias():
                found.add((node.asname or node.name).partition(".")[0])
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                found.add(name)
            case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                found.add(name)
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                found.update(names)
    return found


def used_names(tree: ast.AST) -> set[str]:
    """Every name in a tree: a new variable must not be called by one of them."""
    read = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return read | bound_names(tree)
