"""The syntax tree of a function: from its file, a notebook cell, the shell, or `exec`.

A whole file is parsed, so every node knows its line. Text from elsewhere is accepted only if it
compiles to the function's code.
"""

from __future__ import annotations

import ast
import copy
import linecache
import os
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType, FrameType, FunctionType
from typing import Any

from tapeflow._src.autograph.errors import SourceNotFound

Node = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
# The flags of `from __future__ import …`, which text run by `exec` inherits.
FUTURES = 0x1FF0000
_CACHED_SOURCES = 8
_parsed: dict[str, tuple[list[str], dict[tuple[int, str], list[Definition]]]] = {}


@dataclass(frozen=True)
class Definition:
    """A function in a file, and the class whose body contains it."""

    node: Node
    class_name: str | None


def definition_of(function: FunctionType) -> Definition:
    """Return the definition of a function; its tree is a copy that may be changed."""
    candidates = _candidates(function)
    if len(candidates) > 1:
        candidates = _at_same_columns(candidates, function.__code__)
    if not candidates:
        raise SourceNotFound(
            f"the source code of {function.__qualname__} is not available: "
            f"{_explanation(function.__code__)}"
        )
    first = candidates[0]
    if any(ast.dump(each.node) != ast.dump(first.node) for each in candidates[1:]):
        raise SourceNotFound(
            f"line {function.__code__.co_firstlineno} of {function.__code__.co_filename} holds "
            f"several lambdas that cannot be told apart; put them on lines of their own"
        )
    return Definition(copy.deepcopy(first.node), first.class_name)


def _explanation(code: CodeType) -> str:
    name = code.co_filename
    if name.startswith("<"):
        return (
            f"it was compiled from text ({name}) that is not there any more. Define the function "
            f"in a file or a notebook, or keep the text in `linecache`"
        )
    return f"there is no such function in line {code.co_firstlineno} of {name}, or no such file"


def _candidates(function: FunctionType) -> list[Definition]:
    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    definitions = _definitions(code.co_filename, lines, code) if lines else []
    if definitions or not code.co_filename.startswith("<"):
        return definitions
    for text in _texts(function):
        if _compiles_to(text, code):
            return _matching(_index(ast.parse(text)), code)
    return []


def _definitions(filename: str, lines: list[str], code: CodeType) -> list[Definition]:
    cached = _parsed.get(filename)
    if cached is None or (cached[0] is not lines and cached[0] != lines):
        try:
            cached = lines, _index(ast.parse("".join(lines)))
        except SyntaxError:
            return []
        _parsed.pop(filename, None)
        _parsed[filename] = cached
        if len(_parsed) > _CACHED_SOURCES:
            del _parsed[next(iter(_parsed))]
    return _matching(cached[1], code)


def _index(tree: ast.Module) -> dict[tuple[int, str], list[Definition]]:
    """Return all functions by their first line, including decorators, and name."""
    by_position: dict[tuple[int, str], list[Definition]] = {}
    waiting: list[tuple[ast.AST, str | None]] = [(tree, None)]
    while waiting:
        node, class_name = waiting.pop()
        if isinstance(node, ast.Lambda):
            by_position.setdefault((node.lineno, "<lambda>"), []).append(
                Definition(node, class_name)
            )
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            line = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            by_position.setdefault((line, node.name), []).append(Definition(node, class_name))
        elif isinstance(node, ast.ClassDef):
            class_name = node.name
        waiting.extend((child, class_name) for child in ast.iter_child_nodes(node))
    return by_position


def _matching(index: dict[tuple[int, str], list[Definition]], code: CodeType) -> list[Definition]:
    """Return the functions in the right line, with the right name and parameters."""
    parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return [
        each
        for each in index.get((code.co_firstlineno, code.co_name), [])
        if _argument_names(each.node.args, each.class_name) == list(parameters)
    ]


def _argument_names(arguments: ast.arguments, class_name: str | None) -> list[str]:
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    prefix = f"_{(class_name or '').lstrip('_')}"
    private = [a.arg.startswith("__") and not a.arg.endswith("__") for a in every]
    return [prefix + a.arg if p and class_name else a.arg for a, p in zip(every, private)]


def _at_same_columns(candidates: list[Definition], code: CodeType) -> list[Definition]:
    """Return those at the columns of the code; the innermost, if nested."""
    columns = [(s, e) for _, _, s, e in code.co_positions() if s is not None and e]
    around = [
        each
        for each in candidates
        if isinstance(each.node, ast.Lambda)
        and all(each.node.col_offset <= s and e <= _end(each.node) for s, e in columns)
    ]
    if not columns or not around:
        # Python 3.12 does not record where a constant comes from.
        return [each for each in candidates if _lambda_compiles_to(each.node, code)] or candidates
    return [min(around, key=lambda each: _end(each.node) - each.node.col_offset)]


def _lambda_compiles_to(node: Any, code: CodeType) -> bool:
    """Whether a lambda by itself compiles to that code."""
    compiled = compile(ast.Expression(node), code.co_filename, "eval", dont_inherit=True)
    return any(
        (constant.co_code, constant.co_consts) == (code.co_code, code.co_consts)
        for constant in compiled.co_consts
        if isinstance(constant, CodeType)
    )


def _end(node: Node) -> int:
    return node.end_col_offset or 0


# -- text without a file -----------------------------------------------------------------------


def _texts(function: FunctionType) -> Iterator[str]:
    """Yield texts from which the function may have been compiled, the likeliest first."""
    code = function.__code__
    mark = "lambda" if code.co_name == "<lambda>" else code.co_name
    for text in _strings(function):
        if mark in text:
            yield text
    if code.co_filename == "<stdin>":
        yield from _redirected()
        yield from _typed(mark, code.co_firstlineno)


def _strings(function: FunctionType) -> Iterator[str]:
    """Yield strings in reach: the text of `python -c`, and the locals of running functions."""
    original: list[str] = sys.orig_argv
    if "-c" in original[:-1]:
        yield original[original.index("-c") + 1]
    yield from _values(function.__globals__)
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        yield from (value for value in frame.f_code.co_consts if isinstance(value, str))
        yield from _values(frame.f_locals)
        frame = frame.f_back


def _values(namespace: dict[str, Any]) -> list[str]:
    return [value for value in list(namespace.values()) if isinstance(value, str)]


def _redirected() -> Iterator[str]:
    """Return the program of `python < program.py`, without moving the position in it."""
    try:
        status = os.fstat(0)
        if stat.S_ISREG(status.st_mode) and hasattr(os, "pread"):
            yield os.pread(0, status.st_size, 0).decode()
    except (OSError, UnicodeDecodeError):
        return


def _typed(mark: str, line: int) -> Iterator[str]:
    """Yield what was typed into the shell, the latest first."""
    readline = sys.modules.get("readline")
    if readline is None:
        return
    count = readline.get_current_history_length()
    history = [readline.get_history_item(number) or "" for number in range(1, count + 1)]
    for position in reversed(range(len(history))):
        if mark not in history[position]:
            continue
        start = max(0, position - line + 1)
        for end in range(position + 1, min(len(history), position + 400) + 1):
            yield "\n".join(history[start:end]) + "\n"


def _compiles_to(text: str, code: CodeType) -> bool:
    flags = code.co_flags & FUTURES
    try:
        compiled = compile(text, code.co_filename, "exec", flags=flags, dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    waiting = [compiled]
    while waiting:
        candidate = waiting.pop()
        if candidate == code:
            return True
        waiting.extend(each for each in candidate.co_consts if isinstance(each, CodeType))
    return False
