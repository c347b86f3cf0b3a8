"""`Checkpoint`: a tree of objects is written to files, and restored from them."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.core import dispatch
from tapeflow.core.errors import NotFoundError
from tapeflow.core.paths import as_text
from tapeflow.core.trackable import CHECKPOINT, AutoTrackable, Trackable, is_tracked
from tapeflow.eager.variable import Variable
from tapeflow.saving.bundle import BundleReader, exists, write_bundle
from tapeflow.saving.by_name import restore_by_name
from tapeflow.saving.object_graph import OBJECT_GRAPH_KEY, ObjectGraph
from tapeflow.saving.options import CheckpointOptions
from tapeflow.saving.restoring import InitializationOnlyStatus, LoadStatus, Restoration
from tapeflow.saving.states import update_state

_VARIABLES = os.path.join("variables", "variables")


class Checkpoint(AutoTrackable):
    """Groups objects with values, to save and restore them together.

    Objects are found by the names of attributes on the way to them: those of the keyword
    arguments, or of `root`, which then takes the place of the checkpoint itself.
    """

    def __init__(self, root: Any = None, **kwargs: Any) -> None:
        if root is not None and not isinstance(root, Trackable):
            raise ValueError(
                f"Expected the root of a checkpoint to be a trackable object such as a tf.Module "
                f"or a tf.Variable, got {root!r}."
            )
        self._cp_root = root
        self._cp_counter: Variable | None = None
        if root is not None:
            kwargs["root"] = root
        for name in sorted(kwargs):
            value = kwargs[name]
            if not is_tracked(value):
                raise ValueError(
                    f"Checkpoint: {name} must be trackable, received {value!r}. Variables, "
                    "modules, iterators and lists or dicts of these are; numbers and tensors are "
                    "not."
                )
            if root is not None and name != "root" and getattr(root, name, value) is not value:
                raise ValueError(
                    f"Checkpoint: the keyword argument {name} would hide root.{name}: choose "
                    "another name."
                )
            setattr(self, name, value)

    def _trackable_children(self, save_type: str = CHECKPOINT, **kwargs: Any) -> dict[str, Any]:
        children = {
            name: value
            for name, value in super()._trackable_children(save_type).items()
            if not name.startswith("_cp_")
        }
        if self._cp_counter is not None:
            children["save_counter"] = self._cp_counter
        return children

    @property
    def save_counter(self) -> Variable:
        """How often `save` was called; it numbers the files."""
        if self._cp_counter is None:
            counter = Variable(np.int64(0), trainable=False, name="save_counter")
            waiting = self.__dict__.get("_waiting")
            if waiting is not None:
                waiting.placed("save_counter", counter)
            self._cp_counter = counter
        return self._cp_counter

    def _top(self) -> tuple[Any, dict[str, Any]]:
        """The object at the root, and what hangs on it besides its own children."""
        if self._cp_root is None:
            return self, {}
        return self._cp_root, self._trackable_children()

    def write(self, file_prefix: Any, options: CheckpointOptions | None = None) -> str:
        """Write the values to files whose names start with `file_prefix`, which is returned."""
        _refuse_tracing("write")
        prefix = as_text(file_prefix)
        write_graph(prefix, ObjectGraph(*self._top()))
        for callback in options.experimental_write_callbacks or () if options else ():
            takes_path = len(inspect.signature(callback).parameters) > 0
            callback(prefix) if takes_path else callback()
        return prefix

    def save(self, file_prefix: Any, options: CheckpointOptions | None = None) -> str:
        """Write the values to numbered files, and note them as the latest of their folder."""
        _refuse_tracing("save")
        prefix = as_text(file_prefix)
        number = self.save_counter.assign_add(1).numpy()
        path = self.write(f"{prefix}-{number}", options)
        update_state(os.path.dirname(prefix), path, [path])
        return path

    def read(self, save_path: Any, options: CheckpointOptions | None = None) -> Any:
        """Restore what `write` has written. Objects made later are restored when assigned."""
        _refuse_tracing("read")
        root, attached = self._top()
        reader = BundleReader(self._prefix(save_path))
        if OBJECT_GRAPH_KEY not in reader.entries:
            nodes = ObjectGraph(root, attached, strict=False).nodes
            objects = [node.value for node in nodes if node.value is not self._cp_counter]
            return restore_by_name(reader, objects)
        restoration = Restoration(reader)
        restoration.start(root, attached)
        return LoadStatus(restoration, root, attached)

    def restore(self, save_path: Any, options: CheckpointOptions | None = None) -> Any:
        """Restore what `save` or `write` has written; nothing, if `save_path` is None.

        The status returned can assert that everything was found. Objects that are made later are
        restored when they become attributes.
        """
        if save_path is None:
            return InitializationOnlyStatus()
        counter = self.save_counter
        try:
            return self.read(save_path, options)
        except NotFoundError as error:
            raise NotFoundError(
                None,
                None,
                f"Cannot restore {as_text(save_path)}: {error.message}\nExpected the prefix of a "
                f"checkpoint, with the number that `save` adds to it (such as 'ckpt-1'), or the "
                f"folder of a SavedModel.",
            ) from None
        finally:
            self._cp_counter = counter

    def _prefix(self, save_path: Any) -> str:
        """The start of the names of files; those of a SavedModel lie inside its folder."""
        path = as_text(save_path)
        inside = os.path.join(path, _VARIABLES)
        return inside if exists(inside) else path


def write_graph(prefix: str, graph: ObjectGraph) -> None:
    """Write the values of objects, and how they hang together."""
    tensors = [(key, _array(value)) for key, value in graph.values()]
    message = graph.message().SerializeToString(deterministic=True)
    write_bundle(prefix, [*tensors, (OBJECT_GRAPH_KEY, np.array(message, object))])


def save_objects(root: Any, file_prefix: Any, children_of: Callable[[Any], dict[str, Any]]) -> str:
    """Write objects whose children are those that a function returns, as the latest checkpoint."""
    _refuse_tracing("write")
    prefix = as_text(file_prefix)
    write_graph(prefix, ObjectGraph(root, children_of=children_of))
    update_state(os.path.dirname(prefix), prefix, [prefix])
    return prefix


def _refuse_tracing(method: str) -> None:
    """Files are written and read by Python, at once: that cannot be part of a graph."""
    if getattr(dispatch.state.mode, "graph", None) is not None:
        raise NotImplementedError(
            f"Checkpoint.{method} cannot be part of a graph. Call it outside of the tf.function, "
            f"or have it called when the graph runs: tf.py_function(lambda: ..., [], tf.string)."
        )


def _array(value: Any) -> np.ndarray:
    found: np.ndarray = dispatch.convert(value)._array
    return found
