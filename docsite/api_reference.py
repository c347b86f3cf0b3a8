"""Make the pages of the API reference from the running library, one per public namespace.

A definition is documented in full under one name, its main one, and listed with its signature and
summary under the others.
"""

from __future__ import annotations

import enum
import inspect
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from types import ModuleType
from typing import Any

import tapeflow
from docsite.docstrings import summary, to_markdown
from tests.public_api import ENGINE, NAMESPACES, comes_from_base, constructor, is_ours, signature
from tests.public_api import names as names_of

# Interfaces of TensorFlow 1 and the raw ops: listed, but without headings of their own.
LISTED = ("tf.compat", "tf.raw_ops")
HIDDEN = ("tf.__internal__", "tf.keras.src")
WIDTH = 88


@dataclass
class Namespace:
    """A public module, and what it offers except for other modules."""

    path: str
    module: ModuleType
    members: dict[str, Any] = field(default_factory=dict)
    children: list[str] = field(default_factory=list)

    @property
    def page(self) -> str:
        return f"api/{self.path}.md"

    @property
    def is_listed_only(self) -> bool:
        return self.path.startswith(LISTED)


def walk(path: str, module: ModuleType) -> Iterator[Namespace]:
    """Yield a namespace and those below it."""
    space = Namespace(path, module)
    below = []
    for name in names_of(module):
        value = getattr(module, name)
        here = f"{path}.{name}"
        if not inspect.ismodule(value):
            space.members[name] = value
        elif here in NAMESPACES and not here.startswith(HIDDEN):
            space.children.append(here)
            below.append((here, value))
    yield space
    for here, value in below:
        yield from walk(here, value)


class Reference:
    """All namespaces, and the main name of everything in them."""

    def __init__(self) -> None:
        self.spaces = {space.path: space for space in walk("tf", tapeflow)}

    @cached_property
    def paths(self) -> dict[int, list[str]]:
        """Map the identity of each class and function to its names, the main one first."""
        paths: dict[int, list[str]] = defaultdict(list)
        for space in self.spaces.values():
            for name, value in space.members.items():
                if callable(value):
                    paths[id(value)].append(f"{space.path}.{name}")
        return {key: sorted(same, key=_preference) for key, same in paths.items()}

    def main_path(self, path: str, value: Any) -> str:
        return self.paths[id(value)][0] if callable(value) else path

    def link(self, path: str) -> str:
        """Return the address of a name's full description, relative to the pages of the API."""
        return f"{path.rpartition('.')[0]}.md#{path}"

    def pages(self) -> dict[str, str]:
        """Return the Markdown of every page by its path in the documentation."""
        pages = {space.page: "\n".join(self._page(space)) for space in self.spaces.values()}
        pages["api/index.md"] = "\n".join(self._index())
        return pages

    def _index(self) -> Iterator[str]:
        yield "# API reference\n"
        yield (
            "Every public name, made from the docstrings of this version. A name that stands in "
            "several namespaces is described under one of them, and the others refer to it.\n"
        )
        yield "| namespace | names | what it holds |\n|---|---:|---|"
        for space in self.spaces.values():
            text = summary(_about(space.module)).replace("|", "\\|")
            yield f"| [`{space.path}`]({space.path}.md) | {len(space.members)} | {text} |"

    def _page(self, space: Namespace) -> Iterator[str]:
        if space.is_listed_only:
            yield "---\nsearch:\n  exclude: true\n---\n"
        yield f"# {space.path}\n"
        yield to_markdown(_about(space.module))
        if space.children:
            yield "Below: " + ", ".join(f"[`{c}`]({c}.md)" for c in space.children) + "\n"
        full, other, constants = [], [], []
        for name, value in space.members.items():
            path = f"{space.path}.{name}"
            if not callable(value):
                constants.append((path, value))
            elif space.is_listed_only or self.main_path(path, value) != path:
                other.append((path, value))
            else:
                full.append((path, value))
        for path, value in full:
            yield from self._entry(path, value)
        if other:
            title = "Names" if space.is_listed_only else "Names described elsewhere"
            yield f"## {title}\n"
            yield "| name | |\n|---|---|"
            yield from (self._row(path, value) for path, value in other)
            yield ""
        if constants:
            yield "## Constants\n"
            yield from (f"- `{path}`: {_constant(value)}" for path, value in constants)

    def _row(self, path: str, value: Any) -> str:
        main = self.main_path(path, value)
        text = summary(inspect.getdoc(value) or "").replace("|", "\\|")
        elsewhere = f" See [`{main}`]({self.link(main)})." if not main.startswith(LISTED) else ""
        shown = f"`{path}`" if elsewhere else f"`{_call(path, value).replace('|', ' or ')}`"
        return f'| <span id="{path}"></span>{shown} | {text}{elsewhere} |'

    def _entry(self, path: str, value: Any) -> Iterator[str]:
        """Describe one function or class, with its members."""
        kind = "class" if inspect.isclass(value) else "function"
        yield f"## {path} {{ #{path} .api-{kind} }}\n"
        yield _signature_block(_call(path, value), kind)
        others = [p for p in self.paths[id(value)][1:] if not p.startswith("tf.compat")]
        if others:
            yield "Also " + ", ".join(f"`{other}`" for other in others) + ".\n"
        yield from _description(value, path)
        if inspect.isclass(value):
            yield from self._inherited(path, value)
            yield from _members(path, value, self._public_bases(value))

    def _public_bases(self, cls: type) -> list[type]:
        """Return the bases that have full entries: what they define is described with them."""
        return [
            base
            for base in cls.__mro__[1:]
            if id(base) in self.paths and not self.paths[id(base)][0].startswith(LISTED)
        ]

    def _inherited(self, path: str, cls: type) -> Iterator[str]:
        bases = [self.paths[id(base)][0] for base in self._public_bases(cls)]
        if bases:
            links = ", ".join(f"[`{base}`]({self.link(base)})" for base in bases)
            yield f"Inherits from {links}.\n"


def _about(module: ModuleType) -> str:
    """Return the docstring of a namespace, without one that only repeats its name."""
    text = module.__doc__ or ""
    return "" if text.startswith("The public namespace") else text


def _preference(path: str) -> tuple[bool, bool, int, str]:
    """Prefer names that have full entries, Keras' own namespaces for Keras, then short names."""
    aliases = ("tf.losses", "tf.metrics", "tf.optimizers", "tf.initializers", "tf.experimental")
    return path.startswith(LISTED), path.startswith(aliases), len(path), path


def _call(path: str, value: Any) -> str:
    if inspect.isclass(value):
        return path if issubclass(value, BaseException) else path + constructor(value)
    return path + signature(value)


def _signature_block(call: str, kind: str) -> str:
    """Return the call as code, with one parameter a line where it is long."""
    name, parenthesis, rest = call.partition("(")
    prefix = "class " if kind == "class" else ""
    if len(prefix + call) > WIDTH and parenthesis:
        parameters = _split(rest[: rest.rindex(")")])
        call = f"{name}(\n" + "".join(f"    {p},\n" for p in parameters) + ")"
    # Searched are names and descriptions: code would make the index four times as large.
    return f"``` {{ .python data-search-exclude }}\n{prefix}{call}\n```\n"


def _split(parameters: str) -> list[str]:
    """Split at commas outside of brackets and quotes."""
    parts, depth, quote, current = [], 0, "", ""
    for character in parameters:
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        depth += 0 if quote else (character in "([{") - (character in ")]}")
        if character == "," and not depth and not quote:
            parts.append(current.strip())
            current = ""
        else:
            current += character
    return [*parts, current.strip()] if current.strip() else parts


def _description(value: Any, path: str) -> Iterator[str]:
    text = vars(value).get("__doc__") if inspect.isclass(value) else inspect.getdoc(value)
    if text:
        yield to_markdown(text)
    if inspect.isclass(value) and issubclass(value, enum.Enum):
        yield "Members: " + ", ".join(f"`{member.name}`" for member in value) + "\n"


def _members(path: str, cls: type, bases: list[type]) -> Iterator[str]:
    """Describe methods under headings of their own, and list properties; not those of `bases`."""
    if issubclass(cls, BaseException):
        return
    methods, properties = [], []
    for name in sorted({n for base in cls.__mro__ if is_ours(base) for n in vars(base)}):
        member = inspect.getattr_static(cls, name)
        if name.startswith("_") or name in ENGINE or comes_from_base(cls, name, member):
            continue
        if any(inspect.getattr_static(base, name, None) is member for base in bases):
            continue
        if isinstance(member, staticmethod | classmethod):
            methods.append((name, signature(getattr(cls, name))))
        elif inspect.isfunction(member):
            methods.append((name, signature(member, skip_first=True)))
        elif isinstance(member, property):
            properties.append((name, summary(member.__doc__ or "")))
    if properties:
        yield "**Properties**\n"
        yield from (f"- `{name}`" + (f": {text}" if text else "") for name, text in properties)
        yield ""
    short = path.rpartition(".")[2]
    for name, parameters in methods:
        yield f"### {short}.{name} {{ #{path}.{name} .api-method }}\n"
        yield _signature_block(f"{name}{parameters}", "method")
        text = inspect.getdoc(getattr(cls, name))
        if text:
            yield to_markdown(text)


def _constant(value: Any) -> str:
    shown = repr(value)
    return f"`{shown}`" if len(shown) < 60 and "0x" not in shown else f"a `{type(value).__name__}`"
