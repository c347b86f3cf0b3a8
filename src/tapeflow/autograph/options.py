"""What a conversion may be asked for: whether calls are followed, and optional features."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any


class Feature(Enum):
    """Optional parts of AutoGraph. Those that make sense here are always on.

    `ALL` stands for every feature. `ASSERT_STATEMENTS`, `EQUALITY_OPERATORS` and `LISTS` name what
    is always converted; `BUILTIN_FUNCTIONS`, `AUTO_CONTROL_DEPS` and `NAME_SCOPES` change nothing:
    built-in functions are converted where a tensor needs it, and effects always keep their order.
    """

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"

    @classmethod
    def all(cls) -> tuple[Feature, ...]:
        """Every feature."""
        return tuple(cls)

    @classmethod
    def all_but(cls, exclude: Any) -> tuple[Feature, ...]:
        """Every feature except these."""
        left_out = features(exclude)
        return tuple(each for each in cls if each not in left_out)


def features(given: Any) -> frozenset[Feature]:
    """Features as they are given: None, one, or several."""
    if given is None:
        return frozenset()
    found = frozenset(given if isinstance(given, Iterable) else (given,))
    for each in found:
        if not isinstance(each, Feature):
            raise ValueError(
                f"experimental_optional_features must be a tf.autograph.experimental.Feature or "
                f"several of them, received {each!r}."
            )
    return found


@dataclass(frozen=True)
class Options:
    """How a function is converted."""

    # Whether the functions it calls are converted, too.
    recursive: bool = True
