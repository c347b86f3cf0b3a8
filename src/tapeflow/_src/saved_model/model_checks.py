"""Check a SavedModel's message before anything is made of it.

A message that parses may still say anything: numbers of objects that do not exist, functions that
the library lacks. Every reference is checked here, once, so that the loader can follow them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tapeflow._src.checkpoint.resources import CREATE
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.errors import ResourceExhaustedError
from tapeflow._src.core.protos.values import shape_from_proto
from tapeflow._src.eager.replication import VariableAggregation, VariableSynchronization

ASSETS = "assets"
_FUNCTIONS = ("function", "bare_concrete_function")
# Attributes that make an object what it is.
_RESERVED = frozenset({"__class__", "__dict__"})
_INDEX_DIGITS = 6


def damaged(folder: str, problem: str) -> ValueError:
    """Return the error for a message that does not fit together."""
    return ValueError(f"The SavedModel in {folder} is damaged: {problem}.")


@contextmanager
def reporting_damage(folder: str) -> Iterator[None]:
    """Report what loading stumbles over as the error of a damaged model.

    The checks have let it through, but the file is at fault all the same.
    """
    try:
        yield
    except (TypeError, LookupError, AttributeError, ArithmeticError, RecursionError) as error:
        raise damaged(folder, f"{type(error).__name__}: {error}") from error
    except MemoryError as error:
        raise ResourceExhaustedError(
            None, None, f"Out of memory while loading the SavedModel in {folder}: {error}"
        ) from error


def check_objects(meta: Any, folder: str) -> None:
    """Raise ValueError unless every object refers to what there is."""
    _ObjectChecks(meta, folder).run()


class _ObjectChecks:
    def __init__(self, meta: Any, folder: str) -> None:
        self._meta = meta
        self._folder = folder
        self._nodes = meta.object_graph_def.nodes
        self._kinds = [node.WhichOneof("kind") for node in self._nodes]
        self._functions = {function.signature.name for function in meta.graph_def.library.function}
        self._traces = meta.object_graph_def.concrete_functions
        self._constants = {node.name for node in meta.graph_def.node if node.op == "Const"}

    def run(self) -> None:
        if self._kinds[0] not in ("user_object", None):
            self._refuse(0, f"it is the root, but a {self._kinds[0]}")
        by_kind: dict[str | None, Callable[[int, Any], None]] = {
            "variable": self._variable,
            "constant": self._constant,
            "asset": self._asset,
            "function": self._function,
            "bare_concrete_function": self._function,
            "resource": self._resource,
        }
        for number, node in enumerate(self._nodes):
            self._children(number, node)
            if self._kinds[number] in by_kind:
                by_kind[self._kinds[number]](number, node)
        for name, described in self._traces.items():
            for number in described.bound_inputs:
                if not 0 <= number < len(self._nodes):
                    raise damaged(
                        self._folder,
                        f"the function {name!r} takes object {number} from outside, but there are "
                        f"{len(self._nodes)} objects",
                    )

    def _refuse(self, number: int, problem: str) -> None:
        raise damaged(self._folder, f"object {number}: {problem}")

    def _children(self, number: int, node: Any) -> None:
        for child in node.children:
            if not 0 <= child.node_id < len(self._nodes):
                self._refuse(
                    number,
                    f"its child {child.local_name!r} is object {child.node_id}, but there are "
                    f"{len(self._nodes)} objects",
                )
            if child.local_name in _RESERVED:
                self._refuse(number, f"a child may not be called {child.local_name!r}")
        if node.user_object.identifier == "signature_map":
            for child in node.children:
                if self._kinds[child.node_id] not in _FUNCTIONS:
                    self._refuse(number, f"the signature {child.local_name!r} is no function")
        if node.user_object.identifier in ("trackable_list_wrapper", "trackable_tuple_wrapper"):
            for child in node.children:
                name = child.local_name
                if name.isdecimal() and len(name) > _INDEX_DIGITS:
                    self._refuse(number, f"a list has no item number {name}")

    def _variable(self, number: int, node: Any) -> None:
        described = node.variable
        try:
            dtype = as_dtype(described.dtype)
            shape_from_proto(described.shape)
            VariableSynchronization(described.synchronization)
            VariableAggregation(described.aggregation)
        except (TypeError, ValueError) as error:
            self._refuse(number, f"the variable {described.name!r} is not described: {error}")
        if not dtype.is_numpy_compatible:
            self._refuse(number, f"the variable {described.name!r} holds {dtype.name}, not values")

    def _constant(self, number: int, node: Any) -> None:
        if node.constant.operation not in self._constants:
            self._refuse(number, f"the graph has no constant {node.constant.operation!r}")

    def _asset(self, number: int, node: Any) -> None:
        index, files = node.asset.asset_file_def_index, self._meta.asset_file_def
        if not 0 <= index < len(files):
            self._refuse(number, f"it is asset {index}, but there are {len(files)} assets")

    def _function(self, number: int, node: Any) -> None:
        if node.WhichOneof("kind") == "function":
            names = list(node.function.concrete_functions)
            spec = node.function.function_spec
        else:
            names = [node.bare_concrete_function.concrete_function_name]
            spec = node.bare_concrete_function.function_spec
        for name in names:
            if name not in self._functions or name not in self._traces:
                self._refuse(number, f"the library has no function {name!r}")
        if spec.jit_compile not in (0, 1, 2):
            self._refuse(number, f"jit_compile is {spec.jit_compile}, not one of 0, 1 and 2")

    def _resource(self, number: int, node: Any) -> None:
        made_by = {child.local_name: child.node_id for child in node.children}
        if self._kinds[made_by[CREATE]] not in _FUNCTIONS if CREATE in made_by else True:
            self._refuse(number, f"the resource has no function {CREATE!r}")
        for name, saveable in node.saveable_objects.items():
            for function in (saveable.save_function, saveable.restore_function):
                there = 0 <= function < len(self._nodes)
                if not there or self._kinds[function] not in _FUNCTIONS:
                    self._refuse(
                        number,
                        f"what saves or restores {name!r}, object {function}, is no function",
                    )


def asset_path(folder: str, filename: str, follow_links: bool) -> str:
    """Return the path of an asset, which is in the model's folder for assets.

    ValueError if it is not.

    follow_links: whether a symbolic link there may point to a file elsewhere.
    """
    base = os.path.join(folder, ASSETS)
    parts = filename.replace("\\", "/").split("/")
    if not filename or os.path.isabs(filename) or ".." in parts or "\0" in filename:
        raise damaged(
            folder, f"the asset {filename!r} is not the name of a file in its folder {ASSETS!r}"
        )
    path = os.path.join(base, filename)
    inside = os.path.realpath(base) + os.sep
    if not follow_links and not os.path.realpath(path).startswith(inside):
        raise ValueError(
            f"The asset {filename!r} of the SavedModel in {folder} is a link to "
            f"{os.path.realpath(path)}, outside of {base}. Copy the file there, or, if you trust "
            f"the model, load it with tf.saved_model.LoadOptions(safe_mode=False)."
        )
    return path
