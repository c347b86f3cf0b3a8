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

from tapeflow._src.core.removed_names import CONTRIB, REMOVED

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
    if name in REMOVED:
        legacy = f"; the name of TensorFlow 1 is tf.{_V1}{name}" if f"{_V1}{name}" in names else ""
        return f"TensorFlow 2 does not have it. Use {REMOVED[name]}{legacy}."
    v1 = name if f"{_V1}{name}" in names else name.removeprefix("keras.")
    if f"{_V1}{v1}" in names:
        return f"It belongs to TensorFlow 1: use tf.{_V1}{v1}."
    if name.partition(".")[0] == "contrib":
        return _contrib_hint(name)
    space, _, own = name.rpartition(".")
    candidates = {*siblings, *names.spaces.get(space, ())}
    similar = difflib.get_close_matches(own, candidates, 1, _SIMILARITY)
    if not similar:
        elsewhere = sorted(f"tf.{s}.{own}" for s, has in names.spaces.items() if s and own in has)
        public = [each for each in elsewhere if ".compat." not in each and ".raw_ops." not in each]
        return f"Did you mean {min(public, key=len)}?" if public and len(own) > 2 else ""
    return f"Did you mean tf.{space}.{similar[0]}?" if space else f"Did you mean tf.{similar[0]}?"


def _contrib_hint(name: str) -> str:
    part = name.split(".")[1] if "." in name else ""
    ended = "tf.contrib ended with TensorFlow 1"
    if part in CONTRIB:
        return f"{ended}. Use {CONTRIB[part]}."
    return (
        f"{ended}; its parts became packages of their own. Layers, RNNs and losses are in "
        "tf.keras, slim is the package tf_slim, seq2seq and crf are in tensorflow_addons."
    )


class MissingNameError(AttributeError):
    """AttributeError of a namespace; the hint is looked up when the message is shown.

    Most such errors are never shown: `hasattr` and `getattr` with a default raise them, too.
    """

    def __init__(self, module: str, name: str, siblings: Collection[str] = ()) -> None:
        super().__init__(module, name, siblings, name=name)

    def __str__(self) -> str:
        module, name, siblings = self.args
        return _message(f"module {module!r} has no attribute {name!r}", module, name, siblings)


class MissingImportError(ImportError):
    """ImportError of `from module import name`, with the hint of a MissingNameError."""

    def __init__(self, module: str, name: str, siblings: Collection[str] = ()) -> None:
        super().__init__(module, name, siblings, name=module, path=None)

    def __str__(self) -> str:
        module, name, siblings = self.args
        return _message(f"cannot import name {name!r} from {module!r}", module, name, siblings)


def _message(fact: str, module: str, name: str, siblings: Collection[str]) -> str:
    space = module.partition(".")[2]
    sentence = hint(f"{space}.{name}" if space else name, siblings)
    if not sentence and not name.startswith("_"):
        sentence = "TensorFlow 2.21 does not have it either."
    return f"{fact}. {sentence}" if sentence else fact
