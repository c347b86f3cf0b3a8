"""Mutations of protobuf messages, and a watch over what a reader touches. See `fuzzing`."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tests.fuzzing import Mutation

_NUMBERS = (0, 1, 2, 3, 7, 9, 21, 22, 77, 101, -1, -2, 2**20, 2**31 - 1, 2**31, 2**40, 2**63 - 1)
_FLOATS = (0.0, -1.0, 1e38, float("inf"), float("nan"))
_TEXTS = ("", "x", "x:0", "x:y:0", "^x", "../x", "/etc/passwd", "__class__", "é", "a" * 300)
_OPS = (
    "ReadFile",
    "WriteFile",
    "PyFunc",
    "EagerPyFunc",
    "MatchingFiles",
    "PartitionedCall",
    "Fill",
    "Range",
    "Reshape",
    "While",
    "StatelessIf",
    "Const",
    "Placeholder",
    "Identity",
)


def message_mutation(message_class: Any) -> Mutation:
    """A mutation of serialized messages: one field, anywhere in it, becomes another."""

    def mutate(rng: random.Random, data: bytes, samples: Sequence[bytes]) -> bytes:
        message = message_class()
        try:
            message.ParseFromString(data)
        except Exception:  # mutated before: there is no message in it any more
            return data
        fields = list(_fields(message))
        if not fields:
            return data
        texts = [v for m, f in fields for v in _texts(m, f)]
        for _ in range(rng.choice((1, 1, 1, 2, 4))):
            holder, field = rng.choice(fields)
            try:
                _change(rng, holder, field, texts)
            except (TypeError, ValueError, KeyError, IndexError):
                continue  # part of what an earlier change removed, or out of the field's range
        try:
            result: bytes = message.SerializeToString()
        except ValueError:  # text with lone surrogates
            return data
        return result

    return mutate


def _fields(message: Any) -> Iterator[tuple[Any, Any]]:
    """All fields that are set, of the message and of those in it."""
    for field, value in message.ListFields():
        yield message, field
        if field.message_type is None:
            continue
        if field.message_type.GetOptions().map_entry:
            if field.message_type.fields_by_name["value"].message_type is not None:
                for key in value:
                    yield from _fields(value[key])
        elif field.is_repeated:
            for item in value:
                yield from _fields(item)
        else:
            yield from _fields(value)


def _texts(message: Any, field: Any) -> list[Any]:
    if field.type not in (field.TYPE_STRING, field.TYPE_BYTES):
        return []
    value = getattr(message, field.name)
    return list(value) if field.is_repeated else [value]


def _change(rng: random.Random, message: Any, field: Any, texts: Sequence[Any]) -> None:
    value = getattr(message, field.name)
    if rng.random() < 0.15:
        message.ClearField(field.name)
    elif field.message_type is not None and field.message_type.GetOptions().map_entry:
        keys = list(value)
        if keys and rng.random() < 0.5:
            del value[rng.choice(keys)]
    elif field.is_repeated:
        _change_list(rng, field, value, texts)
    elif field.message_type is not None:
        value.Clear()
    else:
        setattr(message, field.name, _scalar(rng, field, value, texts))


def _change_list(rng: random.Random, field: Any, value: Any, texts: Sequence[Any]) -> None:
    place = rng.randrange(len(value))
    how = rng.random()
    if how < 0.3:
        del value[place]
    elif field.message_type is not None:
        if how < 0.6:
            value.add().CopyFrom(rng.choice(value))
        else:
            other = rng.randrange(len(value))
            kept = type(value[place])()
            kept.CopyFrom(value[place])
            value[place].CopyFrom(value[other])
            value[other].CopyFrom(kept)
    elif how < 0.5:
        value.append(_scalar(rng, field, value[place], texts))
    else:
        value[place] = _scalar(rng, field, value[place], texts)


def _scalar(rng: random.Random, field: Any, value: Any, texts: Sequence[Any]) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return rng.choice((*_NUMBERS, value + 1, value - 1, value * 2))
    if isinstance(value, float):
        return rng.choice(_FLOATS)
    other = rng.choice([*texts, *_TEXTS, *_OPS])
    if isinstance(value, bytes):
        return other if isinstance(other, bytes) else other.encode()
    return other if isinstance(other, str) else other.decode(errors="replace")


# -- what a reader touches -------------------------------------------------------------------------


class Escaped(BaseException):
    """A reader did what a file may not ask for."""


_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_FORBIDDEN = (
    "subprocess",
    "socket.",
    "urllib",
    "ftplib",
    "os.system",
    "os.exec",
    "os.fork",
    "os.posix_spawn",
    "os.remove",
    "os.rename",
    "os.mkdir",
    "os.rmdir",
    "os.symlink",
    "os.link",
    "os.truncate",
    "os.chmod",
    "os.chown",
    "pickle.find_class",
    "shutil.",
)


class _Watch:
    folder: str | None = None
    installed = False


def _audit(event: str, arguments: Any) -> None:
    if _Watch.folder is None:
        return
    if event == "open":
        path, _, flags = arguments
        if isinstance(path, bytes | str):
            text = os.path.realpath(os.fsdecode(path))
            writes = isinstance(flags, int) and flags & _WRITING
            if writes or text.startswith("/etc/"):
                raise Escaped(f"open({text!r}, flags={flags})")
    elif event.startswith(_FORBIDDEN):
        raise Escaped(f"{event}{arguments!r}")


@contextmanager
def watched(folder: str) -> Iterator[None]:
    """A block in which no file is written, no process started and no connection made."""
    if not _Watch.installed:
        _Watch.installed = True
        sys.addaudithook(_audit)
    _Watch.folder = folder
    # A module that is loaded here for the first time is not compiled to a file.
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        yield
    finally:
        _Watch.folder = None
        sys.dont_write_bytecode = before
