"""Vocabularies as programs and files have them, brought into one form: lists of bytes or integers.

A path is read only if the program passes it: a config that has one is refused.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.saving.deserialization import in_safe_mode

FILE = "vocabulary.txt"


class _Configs(threading.local):
    with_vocabularies = False


configs = _Configs()


@contextmanager
def vocabularies_in_configs() -> Iterator[None]:
    """Have configs hold adapted vocabularies: for files that have no other part for them."""
    before, configs.with_vocabularies = configs.with_vocabularies, True
    try:
        yield
    finally:
        configs.with_vocabularies = before


def is_path(vocabulary: Any) -> bool:
    """Whether a vocabulary is passed as the name of a file."""
    return isinstance(vocabulary, (str, os.PathLike))


def refuse_paths(layer: str, config: dict[str, Any]) -> None:
    """Raise a ValueError for a config that would have a file read."""
    if is_path(config.get("vocabulary")):
        raise ValueError(
            f"{layer}: a config cannot name a file to read the vocabulary from. Expected a list of "
            f"terms, but received the path {config['vocabulary']!r}. If the file is yours, call "
            f"`layer.set_vocabulary(path)` after loading."
        )


def read_file(path: Any, strings: bool) -> list[Any]:
    """Return the terms of a file with one of them in each line."""
    path = os.fspath(path)
    if in_safe_mode():
        raise ValueError(
            f"A layer that is being loaded asks for the vocabulary file '{path}', which is not in "
            f"the archive, so it is refused. For a model that you trust, pass `safe_mode=False`."
        )
    if not tf.io.gfile.exists(path):
        raise ValueError(f"There is no vocabulary file at {path}.")
    with tf.io.gfile.GFile(path, "rb") as file:
        lines = file.read().split(b"\n")
    if lines and not lines[-1]:
        lines.pop()
    lines = [line.removesuffix(b"\r") for line in lines]
    return lines if strings else [int(line) for line in lines]


def write_asset(directory: Any, terms: list[Any]) -> None:
    """Write all terms, the special ones first, as an asset of an archive."""
    lines = [str(term) for term in terms]
    broken = next((line for line in lines if "\n" in line), None)
    if broken is not None:
        raise ValueError(
            f"The vocabulary cannot be saved: files have one term in each line, but the term "
            f"{broken!r} contains a line break."
        )
    Path(directory, FILE).write_bytes("\n".join(lines).encode())


def read_asset(directory: Any, strings: bool) -> list[Any]:
    """Read the terms of an asset of an archive."""
    path = Path(directory, FILE)
    if not path.is_file():
        raise ValueError(f"The assets of a lookup layer have no file `{FILE}`.")
    lines = path.read_bytes().decode().split("\n")
    while lines and not lines[-1]:
        lines.pop()
    if strings:
        return lines
    try:
        return [int(line) for line in lines]
    except ValueError as error:
        raise ValueError(f"Expected one integer in each line of `{FILE}`: {error}") from None


def as_terms(vocabulary: Any, strings: bool) -> list[Any]:
    """Return a list, array or tensor of terms as bytes or integers."""
    if isinstance(vocabulary, tf.Tensor):
        vocabulary = np.asarray(vocabulary)
    terms = vocabulary.tolist() if isinstance(vocabulary, np.ndarray) else list(vocabulary)
    return [as_term(term, strings) for term in terms]


def as_term(term: Any, strings: bool) -> Any:
    """Return one term as bytes or as an integer."""
    if not strings:
        return int(term)
    return term if isinstance(term, bytes) else str(term).encode()


def by_index(terms: Any, indices: Any, start: int, reserved: Any) -> list[Any]:
    """The terms of a table in the order of their indices, which go up from `start`.

    reserved: the mask token, which has an index of its own.
    """
    pairs = sorted((index, term) for term, index in zip(terms, indices) if term != reserved)
    if [index for index, _ in pairs] != list(range(start, start + len(pairs))):
        raise ValueError(
            f"Expected a table with the indices {start} to {start + len(pairs) - 1}, each for one "
            f"term. Received: {pairs[:10]}"
        )
    return [term for _, term in pairs]


def without_special(terms: list[Any], special: list[Any]) -> tuple[list[Any], bool]:
    """The terms after the special ones, and whether those were there."""
    has_special = bool(special) and terms[: len(special)] == special
    return (terms[len(special) :] if has_special else terms), has_special or not special


def check_terms(
    layer: str,
    tokens: list[Any],
    special: list[Any],
    mask: TensorLike,
    oov: Any,
    max_tokens: int | None,
) -> None:
    """Raise a ValueError for terms that a table cannot tell apart, and for too many of them."""
    if len(set(tokens)) != len(tokens):
        repeated = [term for term, count in Counter(tokens).items() if count > 1]
        raise ValueError(
            f"{layer}: the vocabulary has each term once. Received repeated terms: {repeated}"
        )
    for what, term in (("mask", mask), ("OOV", oov)):
        if term is not None and term in tokens:
            raise ValueError(
                f"{layer}: the {what} token {term!r} is reserved, but stands at index "
                f"{tokens.index(term)} of the vocabulary. The special tokens are left out, or all "
                f"of them come first: {special}. Received: vocabulary={tokens[:20]}"
            )
    size = len(special) + len(tokens)
    if max_tokens is not None and size > max_tokens:
        raise ValueError(
            f"{layer}: the vocabulary is larger than `max_tokens`={max_tokens}. Received a "
            f"vocabulary of size {size}, with the special tokens."
        )
