"""`tf.test.main`, and decorators of tests."""

from __future__ import annotations

import functools
import sys
import unittest
from collections.abc import Callable
from typing import Any


def main(argv: Any = None) -> None:
    """Run the tests of the program.

    Args:
        argv: The command line; that of the program by default.

    Returns:
        None; it ends the program.
    """
    unittest.main(argv=sys.argv if argv is None else argv)


def disable_with_predicate(pred: Callable[[], Any], skip_message: str) -> Any:
    """Return a decorator that skips tests where `pred()` holds.

    Args:
        pred: Function without arguments.
        skip_message: The reason that is shown.

    Returns:
        A decorator.
    """

    def decorate(method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def run(self: Any, *args: Any, **kwargs: Any) -> Any:
            if pred():
                self.skipTest(skip_message)
            return method(self, *args, **kwargs)

        return run

    return decorate


def with_eager_op_as_function(cls: Any = None, only_as_function: bool = False) -> Any:
    """Return the class unchanged: eager ops run in one way.

    Args:
        only_as_function: Accepted for compatibility.
        cls: The class; None for use with arguments.

    Returns:
        The class, or a decorator.
    """
    return cls if cls is not None else lambda decorated: decorated
