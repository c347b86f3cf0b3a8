"""Options of a conversion: whether calls are followed, and optional features."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any


class Feature(Enum):
    """Optional parts of AutoGraph. Those that make sense here are always on.

    `ALL` stands for every feature. `ASSERT_STATEMENTS`, `EQUALITY_OPERATORS` and `LISTS` name what
    is always converted; `AUTO_CONTROL_DEPS` and `NAME_SCOPES` change nothing: effects always keep
    their order. Built-in functions are converted where a tensor needs it; with `BUILTIN_FUNCTIONS`
    `print` is, too: it shows the values of tensors whenever the graph runs.

    Example:
        >>> tf.autograph.experimental.Feature.EQUALITY_OPERATORS.name
        'EQUALITY_OPERATORS'
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
        """Return all features."""
        return tuple(cls)

    @classmethod
    def all_but(cls, exclude: Any) -> tuple[Feature, ...]:
        """Return all features except these.

        Args:
            exclude: A feature, or several.

        Example:
            >>> F = tf.autograph.experimental.Feature
            >>> F.ALL in F.all_but(F.ALL)
            False
        """
        left_out = features(exclude)
        return tuple(each for each in cls if each not in left_out)


def features(requested: Any) -> frozenset[Feature]:
    """Normalise features: None, one, or several."""
    if requested is None:
        return frozenset()
    selected = frozenset(requested if isinstance(requested, Iterable) else (requested,))
    for each in selected:
        if not isinstance(each, Feature):
            raise ValueError(
                f"experimental_optional_features must be a tf.autograph.experimental.Feature or "
                f"several of them, received {each!r}."
            )
    return selected


@dataclass(frozen=True)
class Options:
    """How a function is converted."""

    # Whether the functions it calls are converted, too.
    recursive: bool = True
    # Whether `print` waits until tensors have values.
    prints_values: bool = False

    @classmethod
    def of(cls, recursive: bool, optional_features: Any) -> Options:
        """Return the options for these features."""
        asked_for = features(optional_features)
        return cls(recursive, not asked_for.isdisjoint({Feature.ALL, Feature.BUILTIN_FUNCTIONS}))
