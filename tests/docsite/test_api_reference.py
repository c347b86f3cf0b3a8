"""The API reference has every public name, described once."""

from __future__ import annotations

import re
from functools import cache

import pytest

import tapeflow as tf
from docsite.api_reference import Reference, _split
from docsite.stage import generated_pages, navigation, prepare


@cache
def reference() -> Reference:
    return Reference()


@cache
def pages() -> dict[str, str]:
    return reference().pages()


def test_every_public_name_is_on_the_page_of_its_namespace() -> None:
    missing = [
        f"{space.path}.{name}"
        for space in reference().spaces.values()
        for name in space.members
        if f"{space.path}.{name}" not in pages()[space.page]
    ]
    assert not missing


def test_definitions_have_one_full_description() -> None:
    headings = [
        name for text in pages().values() for name in re.findall(r"^## (tf\.[\w.]+) ", text, re.M)
    ]
    assert len(headings) == len(set(headings)) > 2000
    assert "tf.nn.softmax" in headings and "tf.keras.layers.Dense" in headings
    # Aliases are listed on their own pages, with a link.
    assert "See [`tf.add`](tf.md#tf.add)" in pages()["api/tf.math.md"]


def test_links_within_the_reference_lead_somewhere() -> None:
    anchors = {
        f"{page.removeprefix('api/')}#{anchor}"
        for page, text in pages().items()
        for anchor in re.findall(r'(?:\{ #|<span id=")([\w.]+)', text)
    }
    targets = {
        target
        for text in pages().values()
        for target in re.findall(r"\]\((tf[\w.]*\.md#[^)]+)\)", text)
    }
    assert len(targets) > 500 and targets <= anchors


def test_classes_show_their_methods_and_properties() -> None:
    text = pages()["api/tf.data.md"]
    assert "### Dataset.map { #tf.data.Dataset.map .api-method }" in text
    assert "- `element_spec`" in text


def test_long_signatures_have_one_parameter_a_line() -> None:
    assert "\n    strides,\n" in pages()["api/tf.nn.md"]
    assert _split("a, b=(1, 2), c=', ', **kwargs") == ["a", "b=(1, 2)", "c=', '", "**kwargs"]


def test_generated_pages_and_navigation_agree() -> None:
    listed = re.findall(r"'([\w./-]+\.md)'", str(navigation(reference())))
    assert set(generated_pages(reference())) <= set(listed)
    assert len(listed) == len(set(listed))


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("[a](../CONTRIBUTING.md)", "[a](contributing.md)"),
        ("[a](../examples/digits.py)", "[a](examples/digits.md)"),
        ("[`a`](../clients/programs)", "`a`"),
        ("[a](keras.md#files)", "[a](keras.md#files)"),
        ("[a](https://example.org)", "[a](https://example.org)"),
    ],
)
def test_links_out_of_the_documentation(link: str, expected: str) -> None:
    assert prepare(link, "page.md", reference()) == expected


def test_the_table_of_namespaces_counts_names() -> None:
    table = prepare("<!-- generated: namespaces -->", "page.md", reference())
    (row,) = re.findall(r"^\| \[`tf\.nn`\].*$", table, re.M)
    cells = [cell.strip() for cell in row.split("|")]
    assert int(cells[2]) >= int(cells[3]) > 80
    assert hasattr(tf.nn, "softmax")
