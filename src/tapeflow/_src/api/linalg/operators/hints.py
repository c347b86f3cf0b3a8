"""Hints of composed operators, derived from those of their parts."""

from __future__ import annotations

from typing import Any


def all_or_none(hints: list[bool | None]) -> bool | None:
    """Return True if all hints are true, else None (unknown)."""
    return True if all(hints) else None


def every(operators: list[Any], hint: str) -> bool | None:
    """Return True if the hint holds for all operators, else None (unknown)."""
    return all_or_none([getattr(operator, hint) for operator in operators])


def checked_hint(hint: bool | None, derived: bool | None, what: str) -> bool | None:
    """Return the caller's hint, or the derived one; raise ValueError if they contradict."""
    if derived and hint is False:
        raise ValueError(
            f"The operators are {what}, so the result is {what} too, but the hint given is False."
        )
    return hint if derived is None else derived


def product_is_non_singular(a: Any, b: Any) -> bool | None:
    """Derive the hint of a product: singular if one factor is, not if neither is."""
    if a.is_non_singular is False or b.is_non_singular is False:
        return False
    return True if a.is_non_singular and b.is_non_singular else None


def commuting_is_self_adjoint(a: Any, b: Any) -> bool | None:
    """Derive the hint for a product of commuting operators, such as diagonal ones."""
    if a.is_self_adjoint and b.is_self_adjoint:
        return True
    hints = (a.is_self_adjoint, b.is_self_adjoint)
    return False if hints in ((True, False), (False, True)) else None


def commuting_is_positive_definite(a: Any, b: Any) -> bool | None:
    return True if all((a.is_positive_definite, b.is_positive_definite)) else None
