"""`tf.explain.graph`: the graph of a function as text, Python, Graphviz and an HTML page."""

from __future__ import annotations

import os
from collections.abc import Sequence
from html import escape
from typing import Any

from tapeflow._src.executors.interpreter import Interpreter
from tapeflow._src.explain.graph_data import GraphData, graph_data
from tapeflow._src.explain.graph_page import page
from tapeflow._src.explain.graph_profile import measure
from tapeflow._src.explain.graph_text import as_dot, as_text
from tapeflow._src.function.concrete import ConcreteFunction
from tapeflow._src.function.polymorphic import Function
from tapeflow._src.graph.body import Body
from tapeflow._src.graph.graph import FuncGraph
from tapeflow._src.passes.pipeline import steps

TRACED, OPTIMIZED = "as traced", "as run"


class GraphExplanation:
    """The graph of a function, as traced, after each pass, and as it runs.

    Attributes:
        name: The name of the function.
        stages: Pairs of a name and the graph at that time: as traced, after each pass that changed
            something, and as run.
    """

    def __init__(self, name: str, stages: Sequence[tuple[str, GraphData]], python: str) -> None:
        self.name = name
        self.stages = tuple(stages)
        self._python = python

    def stage(self, name: str = OPTIMIZED) -> GraphData:
        """Return the graph of one stage; by default the one that runs.

        Args:
            name: "as traced", the name of a pass, or "as run".

        Returns:
            The data of the graph.

        Raises:
            KeyError: There is no such stage.
        """
        for label, data in self.stages:
            if label == name:
                return data
        raise KeyError(
            f"{self.name} has no stage {name!r}; there are {[label for label, _ in self.stages]}."
        )

    def to_text(self, stage: str = OPTIMIZED) -> str:
        """Return one line per operation.

        Args:
            stage: The stage that is shown.

        Returns:
            The text.

        Example:
            >>> double = tf.function(lambda x: x * 2.0, input_signature=[tf.TensorSpec([2])])
            >>> "Mul" in tf.explain.graph(double).to_text()
            True
        """
        return as_text(self.stage(stage))

    def to_python(self) -> str:
        """Return the Python source that the interpreter runs.

        Returns:
            The source.

        Example:
            >>> double = tf.function(lambda x: x * 2.0, input_signature=[tf.TensorSpec([2])])
            >>> "Mul(" in tf.explain.graph(double).to_python()
            True
        """
        return self._python

    def to_dot(self, stage: str = OPTIMIZED) -> str:
        """Return the source of a picture for Graphviz.

        Args:
            stage: The stage that is shown.

        Returns:
            The source, for `dot -Tsvg`.

        Example:
            >>> double = tf.function(lambda x: x * 2.0, input_signature=[tf.TensorSpec([2])])
            >>> tf.explain.graph(double).to_dot().startswith("digraph")
            True
        """
        return as_dot(self.stage(stage))

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return a page that shows the graph interactively, without a network.

        Args:
            path: A file that the page is written to, too.

        Returns:
            The page.
        """
        text = page(self.name, self.stages)
        if path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return text

    def __str__(self) -> str:
        changed = [f"{label}: {len(data.nodes)} operations" for label, data in self.stages]
        return "\n".join([self.to_text(), "stages: " + "; ".join(changed)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        source = escape(self.to_html(), quote=True)
        return (
            f'<iframe srcdoc="{source}" style="width:100%;height:600px;border:1px solid #ccc" '
            'sandbox="allow-scripts"></iframe>'
        )


def graph(fn: Any, *args: Any, profile: bool = False, **kwargs: Any) -> GraphExplanation:
    """Show the graph of a function: operations, shapes, dtypes and lines, before and after passes.

    Args:
        fn: What `tf.function` returned, a concrete function, or a graph.
        *args: The arguments whose trace is shown; unnecessary if there is one trace.
        profile: Whether the function runs once with the arguments, to measure time and memory of
            each operation. The run is a real one: variables are updated.
        **kwargs: Keyword arguments of the function.

    Returns:
        A `GraphExplanation`: it prints as text, and has `to_python`, `to_dot` and `to_html`.

    Raises:
        TypeError: `fn` has no graph.
        ValueError: It is unclear which trace is meant, or the profile lacks arguments.

    Example:
        >>> @tf.function
        ... def affine(x):
        ...     return x * 2.0 + tf.constant(1.0) * 1.0
        >>> explained = tf.explain.graph(affine, tf.ones([2]))
        >>> [node.op for node in explained.stage().nodes]
        ['Placeholder', 'Const', 'Mul', 'Const', 'AddV2']
        >>> len(explained.stage("as traced").nodes)
        7
    """
    concrete = _concrete(fn, args, kwargs)
    if not isinstance(concrete, ConcreteFunction):
        body = Body(concrete)
        stages = _stages(body, body, {})
        return GraphExplanation(body.name, stages, Interpreter(body).text)
    callee = concrete._callee
    interpreter = callee.program.interpreter
    measured = {}
    if profile:
        if concrete.graph.arguments and not args and not kwargs:
            raise ValueError(
                "tf.explain.graph with profile=True runs the function: pass its arguments as "
                "values, tf.explain.graph(fn, x, profile=True)."
            )
        tensors = concrete.signature.flatten(args, kwargs)
        arrays = [t._array for t in (*tensors, *concrete.captured_inputs)]
        measured = measure(interpreter, arrays)
    stages = _stages(callee.body, interpreter.body, measured)
    return GraphExplanation(concrete.graph.name, stages, interpreter.text)


def _concrete(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if isinstance(fn, ConcreteFunction | FuncGraph):
        return fn
    if not isinstance(fn, Function):
        raise TypeError(
            "tf.explain.graph expects what tf.function returns, a concrete function or its graph; "
            f"received {type(fn).__name__}: decorate the function with @tf.function."
        )
    if args or kwargs or fn.input_signature is not None:
        return fn.get_concrete_function(*args, **kwargs)
    traces = fn._list_all_concrete_functions()
    if len(traces) == 1:
        return traces[0]
    raise ValueError(
        f"{fn.name} has {len(traces)} traces: pass the arguments of the one to show, "
        "tf.explain.graph(fn, x)."
    )


def _stages(body: Body, run: Body, measured: Any) -> list[tuple[str, GraphData]]:
    """Return the graph as traced, after each pass that changed it, and as run."""
    stages = [(TRACED, graph_data(body, measured))]
    for name, optimized in steps(body):
        data = graph_data(optimized, measured)
        if data.nodes != stages[-1][1].nodes:
            stages.append((name, data))
    return [*stages, (OPTIMIZED, graph_data(run, measured))]
