"""Results of earlier steps about a loop, stored on its node.

`until`: the flag that a `for` loop has been left by `break`. `options`: the keyword arguments of
`set_loop_options` in the loop.
"""

from __future__ import annotations

import ast
from typing import Any


def exit_flag_of(loop: ast.AST) -> str | None:
    """Return the flag that ends the loop, if it contained a `break`."""
    name: str | None = getattr(loop, "until", None)
    return name


def options_of(loop: ast.AST) -> list[ast.keyword]:
    """Return the options of the loop."""
    options: list[ast.keyword] = getattr(loop, "options", [])
    return options


def note(loop: Any, *, until: str | None = None, options: list[ast.keyword] | None = None) -> None:
    """Store a result about a loop."""
    if until is not None:
        loop.until = until
    if options is not None:
        loop.options = options
