"""GraphDefs with functions: calls of functions by functions, and libraries that go too far.

The values of the first tests are those of TensorFlow 2.21 for the same messages.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from google.protobuf import text_format

import tapeflow as tf

F = "type: DT_FLOAT"
T = "attr { key: 'T' value { type: DT_FLOAT } }"
ONE_IN, ONE_OUT = [f"name: 'x' {F}"], [f"name: 'o' {F}"]


def function(
    name: str,
    inputs: Iterable[str],
    outputs: Iterable[str],
    nodes: str,
    returned: dict[str, str],
    attributes: str = "",
) -> str:
    arguments = "".join(f"input_arg {{ {i} }} " for i in inputs)
    arguments += "".join(f"output_arg {{ {o} }} " for o in outputs)
    rets = "".join(f"ret {{ key: '{k}' value: '{v}' }} " for k, v in returned.items())
    signature = f"signature {{ name: '{name}' {arguments}{attributes} }}"
    return f"function {{ {signature} {nodes} {rets} }}"


def calling(*functions: str, op: str) -> Any:
    """A graph whose node `r` calls a function with the placeholder `a`."""
    text = (
        "node { name: 'a' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } } "
        f"node {{ name: 'r' op: '{op}' input: 'a' }} library {{ {' '.join(functions)} }}"
    )
    return text_format.Parse(text, tf.compat.v1.GraphDef())


def value_of(message: Any, given: float) -> Any:
    with tf.Graph().as_default() as graph:
        (result,) = tf.import_graph_def(message, return_elements=["r:0"], name="")
    with tf.compat.v1.Session(graph=graph) as session:
        return np.ravel(session.run(result, {"a:0": given})).item()


def refused(message: Any) -> pytest.ExceptionInfo[Exception]:
    errors = (ValueError, tf.errors.OpError)
    with tf.Graph().as_default() as graph, pytest.raises(errors) as caught:
        tf.import_graph_def(message)
    assert graph.get_operations() == []
    return caught


SQUARE = function(
    "Square", ONE_IN, ONE_OUT, f"node_def {{ name: 's' op: 'Mul' input: 'x' input: 'x' {T} }}",
    {"o": "s:z:0"},
)  # fmt: skip
TWO = function(
    "Two", ONE_IN, [f"name: 'p' {F}", f"name: 'q' {F}"],
    f"node_def {{ name: 's' op: 'Mul' input: 'x' input: 'x' {T} }} "
    f"node_def {{ name: 'n' op: 'Neg' input: 'x' {T} }}",
    {"p": "s:z:0", "q": "n:y:0"},
)  # fmt: skip
USE_TWO = function(
    "UseTwo", ONE_IN, ONE_OUT,
    f"node_def {{ name: 't' op: 'Two' input: 'x' }} "
    f"node_def {{ name: 'y' op: 'Sub' input: 't:q:0' input: 't:p:0' {T} }}",
    {"o": "y:z:0"},
)  # fmt: skip


def test_functions_call_functions() -> None:
    twice = function(
        "Twice", ONE_IN, ONE_OUT,
        "node_def { name: 'x1' op: 'Square' input: 'x' } "
        "node_def { name: 'y' op: 'Square' input: 'x1:o:0' }",
        {"o": "y:o:0"},
    )  # fmt: skip
    assert value_of(calling(SQUARE, twice, op="Twice"), 3.0) == 81.0


def test_outputs_of_calls_are_tensors_of_the_graph() -> None:
    message = calling(TWO, USE_TWO, op="UseTwo")
    with tf.Graph().as_default() as graph:
        (expected,) = tf.import_graph_def(message, name="m", return_elements=["r:0"])
    assert graph.get_tensor_by_name("m/r:0") is expected
    with tf.compat.v1.Session(graph=graph) as session:
        assert session.run("m/r:0", {"m/a:0": 3.0}) == -12.0
    with pytest.raises(KeyError, match="'m/r:1' not found in the graph: the output"):
        graph.get_tensor_by_name("m/r:1")
    with pytest.raises(KeyError, match="it calls a function"):
        graph.get_operation_by_name("m/r")


def test_outputs_are_named_by_the_signature() -> None:
    assert value_of(calling(TWO, USE_TWO, op="UseTwo"), 3.0) == -12.0


def test_partitioned_calls_count_all_outputs() -> None:
    types = "list { type: DT_FLOAT type: DT_FLOAT }"
    call = (
        "node_def { name: 't' op: 'PartitionedCall' input: 'x' "
        "attr { key: 'Tin' value { list { type: DT_FLOAT } } } "
        f"attr {{ key: 'Tout' value {{ {types} }} }} "
        "attr { key: 'f' value { func { name: 'Two' } } } } "
        f"node_def {{ name: 'y' op: 'Sub' input: 't:output:1' input: 't:output:0' {T} }}"
    )
    outer = function("Outer", ONE_IN, ONE_OUT, call, {"o": "y:z:0"})
    assert value_of(calling(TWO, outer, op="Outer"), 2.0) == -6.0


def test_lists_of_outputs() -> None:
    nodes = (
        "node_def { name: 'c' op: 'Const' attr { key: 'dtype' value { type: DT_INT32 } } attr { "
        "key: 'value' value { tensor { dtype: DT_INT32 tensor_shape { } int_val: 0 } } } } "
        f"node_def {{ name: 'p' op: 'Pack' input: 'x' input: 'x' {T} "
        "attr { key: 'N' value { i: 2 } } attr { key: 'axis' value { i: 0 } } } "
        f"node_def {{ name: 's' op: 'Split' input: 'c:output:0' input: 'p:output:0' {T} "
        "attr { key: 'num_split' value { i: 2 } } }"
    )
    count = "attr { name: 'N' type: 'int' }"
    listed = function("Listed", ONE_IN, [f"name: 'o' {F} number_attr: 'N'"], nodes,
                      {"o": "s:output"}, count)  # fmt: skip
    use = function(
        "Use", ONE_IN, ONE_OUT,
        "node_def { name: 't' op: 'Listed' input: 'x' attr { key: 'N' value { i: 2 } } } "
        f"node_def {{ name: 'y' op: 'AddN' input: 't:o:0' input: 't:o:1' {T} "
        "attr { key: 'N' value { i: 2 } } }",
        {"o": "y:sum:0"},
    )  # fmt: skip
    assert value_of(calling(listed, use, op="Use"), 3.0) == 6.0


def test_lists_of_inputs_and_open_attributes() -> None:
    total = function(
        "Total", [f"name: 'xs' {F} number_attr: 'N'"], ONE_OUT,
        "node_def { name: 'y' op: 'AddN' input: 'xs' attr { key: 'N' value { placeholder: 'N' } } "
        "attr { key: 'T' value { type: DT_FLOAT } } }",
        {"o": "y:sum:0"}, "attr { name: 'N' type: 'int' }",
    )  # fmt: skip
    use = function(
        "Use", ONE_IN, ONE_OUT,
        "node_def { name: 't' op: 'Total' input: 'x' input: 'x' input: 'x' "
        "attr { key: 'N' value { i: 3 } } }",
        {"o": "t:o:0"},
    )  # fmt: skip
    assert value_of(calling(total, use, op="Use"), 2.0) == 6.0


@pytest.mark.parametrize(("given", "expected"), [(3.0, 9.0), (2.0, -6.0)])
def test_branches_call_functions(given: float, expected: float) -> None:
    def branch(name: str, op: str) -> str:
        nodes = f"node_def {{ name: 't' op: '{op}' input: 'x' }}"
        return function(name, ONE_IN, ONE_OUT, nodes, {"o": "t:o:0"})

    nodes = (
        "node_def { name: 'z' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } } attr { "
        "key: 'value' value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 2.5 } } } } "
        f"node_def {{ name: 'g' op: 'Greater' input: 'x' input: 'z:output:0' {T} }} "
        "node_def { name: 't' op: 'StatelessIf' input: 'g:z:0' input: 'x' "
        "attr { key: 'Tcond' value { type: DT_BOOL } } "
        "attr { key: 'Tin' value { list { type: DT_FLOAT } } } "
        "attr { key: 'Tout' value { list { type: DT_FLOAT } } } "
        "attr { key: 'then_branch' value { func { name: 'Then' } } } "
        "attr { key: 'else_branch' value { func { name: 'Else' } } } }"
    )
    chosen = function("Chosen", ONE_IN, ONE_OUT, nodes, {"o": "t:output:0"})
    parts = (SQUARE, TWO, USE_TWO, branch("Then", "Square"), branch("Else", "UseTwo"), chosen)
    assert value_of(calling(*parts, op="Chosen"), given) == expected


# -- what is refused -------------------------------------------------------------------------------


def chain(names: list[str]) -> list[str]:
    """Functions that call one another, the last one the first."""
    return [
        function(name, ONE_IN, ONE_OUT, f"node_def {{ name: 't' op: '{after}' input: 'x' }}",
                 {"o": "t:o:0"})
        for name, after in zip(names, [*names[1:], names[0]])
    ]  # fmt: skip


@pytest.mark.parametrize("names", [["A"], ["A", "B", "C"]])
def test_recursion_is_refused_with_the_cycle(names: list[str]) -> None:
    caught = refused(calling(*chain(names), op="A"))
    assert caught.type is ValueError
    caught.match(" -> ".join([*names, "A"]))


def test_branches_that_hold_themselves_are_refused() -> None:
    nodes = (
        "node_def { name: 'g' op: 'Greater' input: 'x' input: 'x' "
        "attr { key: 'T' value { type: DT_FLOAT } } } "
        "node_def { name: 't' op: 'StatelessIf' input: 'g:z:0' input: 'x' "
        "attr { key: 'Tcond' value { type: DT_BOOL } } "
        "attr { key: 'Tin' value { list { type: DT_FLOAT } } } "
        "attr { key: 'Tout' value { list { type: DT_FLOAT } } } "
        "attr { key: 'then_branch' value { func { name: 'A' } } } "
        "attr { key: 'else_branch' value { func { name: 'A' } } } }"
    )
    loop = function("A", ONE_IN, ONE_OUT, nodes, {"o": "t:output:0"})
    refused(calling(loop, op="A")).match("A -> A")


def test_deep_nesting_is_refused() -> None:
    names = [f"F{i}" for i in range(300)]
    caught = refused(calling(*chain(names)[:-1], SQUARE, op="F0"))
    assert caught.type is tf.errors.ResourceExhaustedError
    caught.match("nested more than")


def test_libraries_that_double_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tapeflow._src.graph.deserialize.MOST_NODES", 2000)
    doubling = [
        function(
            f"D{i}", ONE_IN, ONE_OUT,
            f"node_def {{ name: 'a' op: 'D{i + 1}' input: 'x' }} "
            f"node_def {{ name: 'b' op: 'D{i + 1}' input: 'a:o:0' }}",
            {"o": "b:o:0"},
        )
        for i in range(30)
    ]  # fmt: skip
    end = SQUARE.replace("'Square'", "'D30'")
    caught = refused(calling(*doubling, end, op="D0"))
    assert caught.type is tf.errors.ResourceExhaustedError
    caught.match("2,000 operations")


@pytest.mark.parametrize(
    ("nodes", "returned", "words"),
    [
        ("node_def { name: 't' op: 'Two' input: 'x' }", "t:nothing:0", "no output 'nothing'"),
        ("node_def { name: 't' op: 'Two' input: 'x' }", "t:p:7", "invalid output 7"),
        ("node_def { name: 't' op: 'Two' input: 'x' }", "t:p:x", "not the name of a tensor"),
        ("node_def { name: 't' op: 'Two' }", "t:p:0", "takes 1 inputs, with 0"),
        ("node_def { name: 't' op: 'Missing' input: 'x' }", "t:p:0", "Missing"),
    ],
)
def test_damaged_functions(nodes: str, returned: str, words: str) -> None:
    outer = function("Outer", ONE_IN, ONE_OUT, nodes, {"o": returned})
    refused(calling(TWO, outer, op="Outer")).match(words)


def test_outputs_without_a_value_are_refused() -> None:
    outer = function("Outer", ONE_IN, ONE_OUT, "", {})
    refused(calling(outer, op="Outer")).match("output 'o'")


# -- attributes ------------------------------------------------------------------------------------


def node(text: str) -> Any:
    return text_format.Parse(f"node {{ {text} }}", tf.compat.v1.GraphDef())


def constant(tensor: str, dtype: str = "DT_FLOAT") -> Any:
    return node(
        f"name: 'c' op: 'Const' attr {{ key: 'dtype' value {{ type: {dtype} }} }} "
        f"attr {{ key: 'value' value {{ tensor {{ dtype: {dtype} {tensor} }} }} }}"
    )


def test_constants_of_four_tebibytes_are_refused() -> None:
    caught = refused(constant("tensor_shape { dim { size: 1099511627776 } } float_val: 1"))
    assert caught.type is tf.errors.ResourceExhaustedError
    caught.match("4,398,046,511,104 bytes")


def test_large_constants_of_one_value_take_no_memory() -> None:
    message = constant("tensor_shape { dim { size: 268435456 } } float_val: 2.5")
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(message, name="")
    value = graph.get_operations()[0].attrs["value"]
    assert value.shape == (268435456,)
    assert value[-1] == 2.5
    assert not any(value.strides)


@pytest.mark.parametrize(
    "tensor",
    [
        "tensor_shape { dim { size: -1 } } float_val: 1",
        "tensor_shape { dim { size: 4 } } tensor_content: '123'",
        "tensor_shape { dim { size: 4 } } tensor_content: '12345678'",
        "tensor_shape { dim { size: 1 } } float_val: 1 float_val: 2",
        "tensor_shape { unknown_rank: true }",
    ],
)
def test_damaged_constants(tensor: str) -> None:
    message = constant(tensor)
    if "unknown_rank" in tensor:
        message.node[0].attr["value"].tensor.tensor_shape.dim.add(size=-5)
    assert refused(message).type is ValueError


@pytest.mark.parametrize(
    "text",
    [
        "name: 'n' op: 'NoOp' input: ''",
        "name: 'p' op: 'Placeholder' attr { key: 'dtype' value { type: 77 } }",
        "name: 'p' op: 'Placeholder' attr { key: 'dtype' value { i: 1 } }",
        "name: 'n' op: 'Pack' attr { key: 'N' value { i: 1152921504606846976 } } "
        "attr { key: 'T' value { type: DT_FLOAT } } attr { key: 'axis' value { i: 0 } }",
        "name: 'p' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } "
        "attr { key: 'shape' value { shape { dim { size: -7 } } } }",
    ],
)
def test_damaged_attributes(text: str) -> None:
    assert refused(node(text)).type is ValueError


def test_a_failed_import_leaves_the_graph_as_it_was() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.constant(1.0, name="x")
        before = [op.name for op in graph.get_operations()]
        bad = text_format.Parse(
            "node { name: 'a' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } } "
            "node { name: 'b' op: 'NoSuchOp' input: 'a' }",
            tf.compat.v1.GraphDef(),
        )
        with pytest.raises(tf.errors.NotFoundError):
            tf.import_graph_def(bad, input_map={"a": x})
        assert [op.name for op in graph.get_operations()] == before
        del bad.node[1]
        tf.import_graph_def(bad)
    assert graph.get_operations()[-1].name == "import/a"


def test_results_of_a_million_dimensions_are_refused() -> None:
    shape = constant("tensor_shape { dim { size: 1048576 } } int_val: 1", "DT_INT32").node[0]
    fill = node(
        f"name: 'f' op: 'Fill' input: 'c' input: 'a' {T} "
        "attr { key: 'index_type' value { type: DT_INT32 } }"
    )
    value = fill.node.add(name="a", op="Placeholder")
    value.attr["dtype"].type = 1
    fill.node.append(shape)
    refused(fill).match("1048576 dimensions")


def test_placeholders_inside_functions_have_no_value() -> None:
    nodes = (
        "node_def { name: 'p' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } } "
        f"node_def {{ name: 's' op: 'Mul' input: 'x' input: 'p:output:0' {T} }}"
    )
    inner = function("Inner", ONE_IN, ONE_OUT, nodes, {"o": "s:z:0"})
    message = calling(inner, op="Inner")

    @tf.function(autograph=False)
    def call(a: Any) -> Any:
        return tf.import_graph_def(message, input_map={"a:0": a}, return_elements=["r:0"])

    with pytest.raises(tf.errors.InvalidArgumentError, match="placeholder"):
        call(tf.constant(1.0))


def test_operations_may_be_called_as_pythons_functions_are() -> None:
    split = (
        "node { name: 'map' op: 'Const' attr { key: 'dtype' value { type: DT_INT32 } } attr { "
        "key: 'value' value { tensor { dtype: DT_INT32 tensor_shape { } int_val: 0 } } } } "
        "node { name: 'a' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } } "
        f"node {{ name: 's' op: 'Split' input: 'map' input: 'a' {T} "
        "attr { key: 'num_split' value { i: 2 } } }"
    )
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(text_format.Parse(split, tf.compat.v1.GraphDef()), name="")
    with tf.compat.v1.Session(graph=graph) as session:
        assert session.run("s:1", {"a:0": [1.0, 2.0]}).tolist() == [2.0]


def test_loops_nested_deeper_than_python_allows_say_so() -> None:
    def nested(depth: int, x: Any) -> Any:
        if depth == 0:
            return x + 1.0
        return tf.while_loop(
            lambda i, y: i < 1, lambda i, y: (i + 1, nested(depth - 1, y)), (0, x)
        )[1]

    deep = tf.function(lambda x: nested(24, x), autograph=False, jit_compile=False)
    with pytest.raises(tf.errors.UnimplementedError, match="nested too deeply"):
        deep(tf.constant(1.0))


# -- safe mode -------------------------------------------------------------------------------------


def test_file_and_python_ops_are_refused() -> None:
    with tf.Graph().as_default() as graph:
        tf.io.read_file("/etc/hostname")
        tf.py_function(lambda: 1.0, [], tf.float32)
        tf.print("a")
        tf.print("a", output_stream="file:///nowhere")
    message = graph.as_graph_def()
    caught = refused(message)
    assert caught.type is tf.errors.PermissionDeniedError
    for words in ("ReadFile", "EagerPyFunc", "PrintV2_1", "safe_mode=False"):
        caught.match(words)
    assert "'PrintV2'" not in str(caught.value)
    with tf.Graph().as_default() as other:
        tf.import_graph_def(message, safe_mode=False)
    assert {"ReadFile", "EagerPyFunc"} <= {op.type for op in other.get_operations()}


def test_file_ops_inside_functions_are_refused() -> None:
    nodes = "node_def { name: 't' op: 'ReadFile' input: 'x' }"
    inner = function("Inner", ["name: 'x' type: DT_STRING"], ["name: 'o' type: DT_STRING"], nodes,
                     {"o": "t:contents:0"})  # fmt: skip
    message = calling(inner, op="Inner")
    message.node[0].attr["dtype"].type = 7
    refused(message).match("'t': ReadFile .*in function 'Inner'")
