"""Stubs of lazily loaded namespaces are those that the tables in the packages make."""

from __future__ import annotations

from tests.source_tree import PACKAGE
from tests.stubs import packages, text_of


def test_stubs_agree_with_the_tables() -> None:
    stale = [
        name
        for name, stub in packages().items()
        if not stub.exists() or stub.read_text(encoding="utf-8") != text_of(name, stub)
    ]
    assert stale == [], "run `make stubs`"


def test_every_stub_belongs_to_a_table() -> None:
    made = set(packages().values())
    assert [path for path in PACKAGE.rglob("*.pyi") if path not in made] == []
