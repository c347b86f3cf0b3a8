"""`tensorflow.tools.docs.doc_controls`: marks for generated documentation, which have no effect."""

from __future__ import annotations

from typing import Any


def _as_it_is(target: Any) -> Any:
    """Return what is decorated."""
    return target


do_not_generate_docs = do_not_doc_inheritable = doc_private = _as_it_is
for_subclass_implementers = do_not_doc_in_subclasses = doc_in_current_and_subclasses = _as_it_is


def inheritable_header(header: str) -> Any:
    """Return a decorator that leaves what it decorates as it is."""
    return _as_it_is


header = inheritable_header
