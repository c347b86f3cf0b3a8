"""`tf.explain.graph` shows a graph as text, Python, Graphviz and a page without a network."""

from __future__ import annotations

import html.parser
import json
import re
from pathlib import Path
from typing import Any

import pytest

import tapeflow as tf


@tf.function
def small(x: Any) -> Any:
    with tf.name_scope("layer"):
        hidden = tf.nn.relu(x @ tf.ones([2, 2])) * 1.0
    return tf.reduce_sum(hidden)


@pytest.fixture
def explained() -> Any:
    return tf.explain.graph(small, tf.ones([3, 2]), profile=True)


def data_of(page: str) -> Any:
    match = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    assert match
    return json.loads(match[1])


def test_stages_are_traced_optimised_and_run(explained: Any) -> None:
    names = [name for name, _ in explained.stages]
    assert names[0] == "as traced"
    assert names[-1] == "as run"
    assert "arithmetic" in names
    ops = [node.op for node in explained.stage("as traced").nodes]
    assert "Mul" in ops
    assert "Mul" not in [node.op for node in explained.stage().nodes]


def test_nodes_have_shapes_lines_and_measurements(explained: Any) -> None:
    relu = next(node for node in explained.stage().nodes if node.op == "Relu")
    assert relu.name == "layer/Relu"
    assert relu.outputs == ("float32[3, 2]",)
    assert relu.location.file == __file__
    assert relu.measured.calls == 1
    assert relu.measured.bytes == 24
    assert relu.measured.seconds > 0


def test_without_a_profile_nothing_runs() -> None:
    count = tf.Variable(0.0)

    @tf.function
    def add(x: Any) -> Any:
        count.assign_add(x)
        return count.read_value()

    explained = tf.explain.graph(add, tf.constant(2.0))
    assert float(count) == 0.0
    assert all(node.measured is None for node in explained.stage().nodes)
    tf.explain.graph(add, tf.constant(2.0), profile=True)
    assert float(count) == 2.0


def test_text_and_python(explained: Any) -> None:
    text = explained.to_text()
    assert "layer/Relu = Relu(layer/matmul) -> float32[3, 2]" in text
    assert "test_graph.py:" in text
    assert explained.to_python() == small.get_concrete_function(tf.ones([3, 2])).to_python()
    assert "stages: as traced:" in str(explained)


def test_dot_has_each_operation_and_edge_once(explained: Any) -> None:
    dot = explained.to_dot()
    nodes = explained.stage().nodes
    for node in nodes:
        assert dot.count(f'"{node.name}" [label=') == 1
    edges = sum(len(node.inputs) for node in nodes) + len(explained.stage().outputs)
    assert dot.count(" -> ") == edges
    assert dot.count("{") == dot.count("}")


def test_control_flow_holds_its_subgraphs() -> None:
    @tf.function
    def loop(x: Any) -> Any:
        for _ in tf.range(3):
            x = x * 2.0
        return x

    explained = tf.explain.graph(loop, tf.constant(1.0), profile=True)
    (node,) = [node for node in explained.stage().nodes if node.parts]
    inner = [each.op for part in node.parts for each in part.nodes]
    assert "Mul" in inner
    page = data_of(explained.to_html())
    assert len(page["graphs"]) > len(explained.stages)


def test_the_page_holds_the_data_and_needs_no_network(explained: Any, tmp_path: Path) -> None:
    path = tmp_path / "graph.html"
    page = explained.to_html(path)
    assert path.read_text("utf-8") == page
    addresses = re.findall(r"https?://[^\"' ]+", page)
    assert set(addresses) <= {"http://www.w3.org/2000/svg"}
    data = data_of(page)
    assert [stage["name"] for stage in data["stages"]] == [name for name, _ in explained.stages]
    html.parser.HTMLParser().feed(page)
    assert explained._repr_html_().startswith("<iframe")


def test_names_cannot_break_the_page() -> None:
    @tf.function
    def odd(x: Any) -> Any:
        return tf.strings.join([x, "</script><script>alert(1)</script>"])

    page = tf.explain.graph(odd, tf.constant("a")).to_html()
    assert page.count("<script") == 2


def test_which_trace_is_shown() -> None:
    double = tf.function(lambda x: x * 2.0)
    with pytest.raises(ValueError, match="has 0 traces"):
        tf.explain.graph(double)
    double(tf.ones([2]))
    assert tf.explain.graph(double).stage().nodes[0].outputs == ("float32[2]",)
    double(tf.ones([3]))
    with pytest.raises(ValueError, match="has 2 traces"):
        tf.explain.graph(double)
    concrete = double.get_concrete_function(tf.ones([3]))
    assert tf.explain.graph(concrete).stage().nodes[0].outputs == ("float32[3]",)
    assert tf.explain.graph(concrete.graph).stage().nodes[0].outputs == ("float32[3]",)
    with pytest.raises(ValueError, match="pass its arguments"):
        tf.explain.graph(concrete, profile=True)
    with pytest.raises(TypeError, match=r"expects what tf\.function returns"):
        tf.explain.graph(len)


def test_unknown_stages(explained: Any) -> None:
    with pytest.raises(KeyError, match="no stage 'later'"):
        explained.stage("later")
