"""The public names of TensorFlow 2.21, for hints on missing names.

`tensorflow_names.txt` is read when the first name is missing (`tests/parity/record_names.py`
records it). Names are without the leading `tf.`.
"""

from __future__ import annotations

import difflib
import functools
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

_FILE = Path(__file__).with_name("tensorflow_names.txt")
_V1 = "compat.v1."
_SIMILARITY = 0.75


@dataclass
class Names:
    """The names of each namespace, and where names of TensorFlow 1 are in TensorFlow 2."""

    spaces: dict[str, set[str]] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)

    def __contains__(self, name: str) -> bool:
        space, _, own = name.rpartition(".")
        return own in self.spaces.get(space, ())


@functools.cache
def recorded() -> Names:
    """Return all names, read from the file once."""
    names = Names()
    lines = iter(_FILE.read_text("utf-8").splitlines())
    for line in lines:
        if line == "moved:":
            break
        space, *own = line.split()
        names.spaces["" if space == "." else space] = set(own)
    names.moved = dict(line.split() for line in lines)
    return names


def hint(name: str, siblings: Collection[str] = ()) -> str:
    """Return a sentence on a name that does not exist here, or "" if nothing is known of it.

    Args:
        name: the name without `tf.`, such as "log" or "keras.layers.Dence".
        siblings: the names that its namespace has here.
    """
    names = recorded()
    if name in names:
        return f"TensorFlow 2.21 has tf.{name}; Tapeflow does not have it yet."
    if name in names.moved:
        return f"Use tf.{names.moved[name]}: that is its name in TensorFlow 2."
    if f"{_V1}{name}" in names:
        return f"It belongs to TensorFlow 1: use tf.{_V1}{name}."
    if name.partition(".")[0] == "contrib":
        return "tf.contrib ended with TensorFlow 1; its parts became packages of their own."
    space, _, own = name.rpartition(".")
    candidates = {*siblings, *names.spaces.get(space, ())}
    similar = difflib.get_close_matches(own, candidates, 1, _SIMILARITY)
    if not similar:
        return ""
    return f"Did you mean tf.{space}.{similar[0]}?" if space else f"Did you mean tf.{similar[0]}?"


class MissingNameError(AttributeError):
    """AttributeError of a namespace; the hint is looked up when the message is shown.

    Most such errors are never shown: `hasattr` and `getattr` with a default raise them, too.
    """

    def __init__(self, module: str, name: str, siblings: Collection[str] = ()) -> None:
        super().__init__(module, name, siblings, name=name)

    def __str__(self) -> str:
        module, name, siblings = self.args
        space = module.partition(".")[2]
        sentence = hint(f"{space}.{name}" if space else name, siblings)
        message = f"module {module!r} has no attribute {name!r}"
        return f"{message}. {sentence}" if sentence else message
