"""`SymbolicScope`: marks code that computes shapes and dtypes, not values."""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.scopes import calls


class SymbolicScope:
    """Marks code that computes shapes and dtypes, not values."""

    def __enter__(self) -> SymbolicScope:
        self._outer = calls.symbolic
        calls.symbolic = self
        return self

    def __exit__(self, *error: Any) -> None:
        calls.symbolic = self._outer


def in_symbolic_scope() -> bool:
    """Whether shapes and dtypes are being inferred, or a `SymbolicScope` is entered."""
    return calls.symbolic is not None


def get_symbolic_scope() -> Any:
    """The innermost `SymbolicScope`, or None."""
    return calls.symbolic
