"""`Checkpoint`: a tree of objects is written to files, and restored from them."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple
from weakref import ref

import numpy as np

from tapeflow._src.checkpoint.bundle import BundleReader, by_name, exists, write_bundle
from tapeflow._src.checkpoint.by_name import restore_by_name
from tapeflow._src.checkpoint.in_common import must_be_common, once, write_in_common
from tapeflow._src.checkpoint.object_graph import OBJECT_GRAPH_KEY, ObjectGraph
from tapeflow._src.checkpoint.options import CheckpointOptions
from tapeflow._src.checkpoint.restoring import InitializationOnlyStatus, LoadStatus, Restoration
from tapeflow._src.checkpoint.slices import content_of
from tapeflow._src.checkpoint.states import update_state
from tapeflow._src.core import dispatch
from tapeflow._src.core.default_session import session_for
from tapeflow._src.core.errors import NotFoundError
from tapeflow._src.core.paths import as_text
from tapeflow._src.core.trackable import (
    CHECKPOINT,
    AutoTrackable,
    Trackable,
    is_tracked,
    saved_children_of,
)
from tapeflow._src.eager.variable import Variable
from tapeflow._src.graph.tensor import SymbolicTensor

_VARIABLES = os.path.join("variables", "variables")


class Checkpoint(AutoTrackable):
    """Groups objects with values, to save and restore them together.

    Objects are matched by the names of attributes on the path to them: those of the keyword
    arguments, or of `root`, which then takes the place of the checkpoint itself. Weak references
    to objects stand for the objects.

    Args:
        root: The object to save, such as a model or a `tf.Module`.
        **kwargs: Further objects: variables, modules, optimizers, iterators, lists and dicts.

    Raises:
        ValueError: If an object cannot be tracked, or a name hides an attribute of `root`.

    Example:
        >>> v = tf.Variable(1.0)
        >>> checkpoint = tf.train.Checkpoint(v=v)
        >>> path = checkpoint.save("training/ckpt")
        >>> v.assign(5.0).numpy()
        np.float32(5.0)
        >>> checkpoint.restore(path).assert_consumed()
        <...>
        >>> v.numpy()
        np.float32(1.0)
    """

    def __init__(self, root: Any = None, **kwargs: Any) -> None:
        self._cp_root = root
        root = _referent(root)
        if root is not None and not isinstance(root, Trackable):
            raise ValueError(
                f"Expected the root of a checkpoint to be a trackable object such as a tf.Module "
                f"or a tf.Variable, got {root!r}."
            )
        self._cp_counter: Variable | None = None
        # Whether the last files were written by several processes together.
        self._cp_in_common = False
        if root is not None:
            kwargs["root"] = self._cp_root
        for name in sorted(kwargs):
            value = _referent(kwargs[name])
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
            setattr(self, name, kwargs[name])

    def _trackable_children(self, save_type: str = CHECKPOINT, **kwargs: Any) -> dict[str, Any]:
        values = {name: _referent(value) for name, value in vars(self).items()}
        children = {
            name: value
            for name, value in values.items()
            if is_tracked(value) and not name.startswith("_cp_")
        }
        if self._cp_counter is not None:
            children["save_counter"] = self._cp_counter
        return children

    @property
    def save_counter(self) -> Variable:
        """How often `save` was called; it numbers the files."""
        if self._cp_counter is None:
            counter = Variable(np.int64(0), trainable=False, name="save_counter")
            waiting = self.__dict__.get("_tpf_waiting")
            if waiting is not None:
                waiting.placed("save_counter", counter)
            self._cp_counter = counter
        return self._cp_counter

    def _top(self) -> tuple[Any, dict[str, Any]]:
        """Return the object at the root, and what hangs on it besides its own children."""
        if self._cp_root is None:
            return self, {}
        root = _referent(self._cp_root)
        if root is None:
            raise ReferenceError(
                "Checkpoint: the root was passed as a weak reference, and the object is deleted. "
                "Keep a reference to it for as long as the checkpoint is used."
            )
        return root, self._trackable_children()

    def write(self, file_prefix: Any, options: CheckpointOptions | None = None) -> str:
        """Write the values to files whose names start with `file_prefix`.

        Unlike `save`, it adds no number and does not count as the latest checkpoint of the folder.

        Args:
            file_prefix: The path that the names of the files begin with.
            options: A `tf.train.CheckpointOptions`.

        Returns:
            The prefix, for `read` or `restore`.

        Raises:
            NotImplementedError: Inside `tf.function`.

        Example:
            >>> tf.train.Checkpoint(v=tf.Variable(1.0)).write("single")
            'single'
        """
        session = _session("write")
        prefix = as_text(file_prefix)
        graph = ObjectGraph(*self._top(), children_of=saved_children_of)
        prefix, self._cp_in_common = write_graph(prefix, graph, session)
        for callback in options.experimental_write_callbacks or () if options else ():
            takes_path = len(inspect.signature(callback).parameters) > 0
            callback(prefix) if takes_path else callback()
        return prefix

    def save(self, file_prefix: Any, options: CheckpointOptions | None = None) -> str:
        """Write the values to numbered files, and note them as the latest of their folder.

        Args:
            file_prefix: The path that the names of the files begin with; `-1`, `-2`, … is added.
            options: A `tf.train.CheckpointOptions`.

        Returns:
            The prefix with its number, for `restore`.

        Raises:
            NotImplementedError: Inside `tf.function`.

        Example:
            >>> checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
            >>> checkpoint.save("runs/ckpt"), checkpoint.save("runs/ckpt")
            ('runs/ckpt-1', 'runs/ckpt-2')
            >>> tf.train.latest_checkpoint("runs")
            'runs/ckpt-2'
        """
        session = _session("save")
        prefix = as_text(file_prefix)
        number = self._count(session)
        path = self.write(f"{prefix}-{number}", options)
        once(self._cp_in_common, partial(update_state, os.path.dirname(path), path, [path]))
        return path

    def _count(self, session: Any) -> int:
        """Count one more checkpoint, in a session if the counter is a graph's."""
        counter = self.save_counter
        if session is None or counter._declared is None:
            return int(counter.assign_add(1).numpy())
        if not session.run(counter.is_initialized()):
            session.run(counter.initializer)
        number = int(session.run(counter)) + 1
        counter.load(number, session)
        return number

    def read(self, save_path: Any, options: CheckpointOptions | None = None) -> Any:
        """Restore what `write` has written. Objects made later are restored when assigned.

        Args:
            save_path: The prefix that `write` returned.
            options: A `tf.train.CheckpointOptions`.

        Returns:
            A status with `assert_consumed`, `assert_existing_objects_matched`,
            `assert_nontrivial_match` and `expect_partial`.

        Raises:
            tf.errors.NotFoundError: If there is no such checkpoint.
            ValueError: If a shape does not fit.

        Example:
            >>> v = tf.Variable(1.0)
            >>> path = tf.train.Checkpoint(v=v).write("values")
            >>> other = tf.Variable(0.0)
            >>> status = tf.train.Checkpoint(v=other).read(path)
            >>> other.numpy()
            np.float32(1.0)
        """
        _refuse_functions("read")
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

        Objects created later are restored when they become attributes. If something does not fit,
        nothing is changed.

        Args:
            save_path: The prefix that `save` returned, the folder of a SavedModel, or None.
            options: A `tf.train.CheckpointOptions`.

        Returns:
            A status, whose `assert_consumed()` raises unless everything was matched.

        Raises:
            tf.errors.NotFoundError: If there is no such checkpoint.

        Example:
            >>> v = tf.Variable([1, 2])
            >>> path = tf.train.Checkpoint(v=v).save("ckpt")
            >>> w = tf.Variable([0, 0])
            >>> status = tf.train.Checkpoint(v=w).restore(path)
            >>> w.numpy()
            array([1, 2], dtype=int32)
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
        """Return the start of the names of files; those of a SavedModel lie inside its folder."""
        path = as_text(save_path)
        inside = os.path.join(path, _VARIABLES)
        return inside if exists(inside) else path


class Written(NamedTuple):
    """The prefix of the files that were written, and whether several processes wrote them."""

    prefix: str
    in_common: bool


def write_graph(prefix: str, graph: ObjectGraph, session: Any = None) -> Written:
    """Write the values of objects, and how they hang together.

    session: what has the values of variables of a graph.
    """
    tensors = [(key, _tensor(value, session)) for key, value in graph.values()]
    message = graph.message().SerializeToString(deterministic=True)
    contents = [
        (key, tensor if isinstance(tensor, np.ndarray) else content_of(tensor))
        for key, tensor in tensors
    ]
    contents.append((OBJECT_GRAPH_KEY, np.array(message, object)))
    if must_be_common(tensor for _, tensor in tensors):
        return Written(write_in_common(prefix, by_name(contents)), True)
    write_bundle(prefix, contents)
    return Written(prefix, False)


def save_objects(root: Any, file_prefix: Any, children_of: Callable[[Any], dict[str, Any]]) -> str:
    """Write objects whose children are those that a function returns, as the latest checkpoint."""
    session = _session("write")
    prefix = as_text(file_prefix)
    prefix, in_common = write_graph(prefix, ObjectGraph(root, children_of=children_of), session)
    once(in_common, partial(update_state, os.path.dirname(prefix), prefix, [prefix]))
    return prefix


def _refuse_functions(method: str) -> None:
    """Raise in a traced function: files are written and read eagerly by Python."""
    graph = dispatch.current_graph()
    if graph is not None and graph.building_function:
        raise NotImplementedError(
            f"Checkpoint.{method} cannot be part of a graph. Call it outside of the tf.function, "
            f"or have it called when the graph runs: tf.py_function(lambda: ..., [], tf.string)."
        )


def _session(method: str) -> Any:
    """Return the session that has the values of variables where a graph is built; None eagerly."""
    _refuse_functions(method)
    if dispatch.current_graph() is None:
        return None
    return session_for(None, "read the values of variables", f"Checkpoint.{method}")


def _referent(value: Any) -> Any:
    """Return the object that a weak reference refers to, None if it is deleted.

    Others as they are.
    """
    return value() if isinstance(value, ref) else value


def _tensor(value: Any, session: Any) -> Any:
    """Return the value to write, as a tensor or an array."""
    if session is not None:
        if isinstance(value, Variable) and value._declared is not None:
            return np.asarray(session.value_of(value.handle.op))
        if isinstance(value, SymbolicTensor):
            return np.asarray(session.run(value))
    with dispatch.use_mode(dispatch.base_mode()):
        return dispatch.convert(value)
