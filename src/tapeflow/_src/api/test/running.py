"""`tf.test.main`, and decorators of tests."""

from __future__ import annotations

import functools
import sys
import unittest
from collections.abc import Callable
from typing import Any


def main(argv: Any = None) -> None:
    """Run the tests of the program."""
    unittest.main(argv=sys.argv if argv is None else argv)


def disable_with_predicate(pred: Callable[[], Any], skip_message: str) -> Any:
    """Return a decorator that skips tests where `pred()` holds."""

    def decorate(method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def run(self: Any, *args: Any, **kwargs: Any) -> Any:
            if pred():
                self.skipTest(skip_message)
            return method(self, *args, **kwargs)

        return run

    return decorate


def with_eager_op_as_function(cls: Any = None, only_as_function: bool = False) -> Any:
    """Return the class unchanged: eager ops run in one way."""
    return cls if cls is not None else lambda decorated: decorated
