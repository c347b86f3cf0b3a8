"""`Saver`: variables by their names in checkpoints of TensorFlow 1, of sessions or eagerly."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from tapeflow._src.checkpoint.bundle import BundleReader, delete_bundle, exists, write_bundle
from tapeflow._src.checkpoint.object_graph import OBJECT_GRAPH_KEY
from tapeflow._src.checkpoint.restoring import stored_graph
from tapeflow._src.checkpoint.states import update_state
from tapeflow._src.core import dispatch, protos
from tapeflow._src.core.dtypes import string
from tapeflow._src.core.errors import InvalidArgumentError, NotFoundError
from tapeflow._src.core.paths import as_text, local_path
from tapeflow._src.eager.variable import Variable
from tapeflow._src.graph.operation import Operation
from tapeflow._src.saved_model import meta_graphs
from tapeflow._src.sessions.default_graph import default_graph
from tapeflow._src.sessions.session import _BaseSession

_HOUR = 3600.0


def _building() -> bool:
    return dispatch.current_graph() is not None


class Saver:
    """Saves and restores variables by name.

    In a graph, values are those of a session, and `var_list` defaults to all variables of the
    graph; eagerly, sessions are None.

    Args:
        var_list: Variables, or a dict of variables by the names that files have for them.
        reshape: Whether values of another shape, but of the same size, are restored.
        sharded: Accepted; there is one file.
        max_to_keep: How many checkpoints are kept; None or 0 keeps all.
        keep_checkpoint_every_n_hours: How often one of those to be deleted is kept.
        saver_def: A SaverDef with the limits, from a MetaGraph.
        allow_empty: Whether there need not be any variables.
        pad_step_number: Whether step numbers in names have eight digits.
        save_relative_paths: Whether the file `checkpoint` names files relative to itself.

    >>> import tempfile
    >>> v = tf.Variable(1.0, name="v")
    >>> saver = tf.compat.v1.train.Saver([v])
    >>> path = saver.save(None, tempfile.mkdtemp() + "/model", global_step=3)
    >>> v.assign(2.0) is v
    True
    >>> saver.restore(None, path)
    >>> float(v)
    1.0
    """

    def __init__(
        self,
        var_list: Any = None,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: str | None = None,
        restore_sequentially: bool = False,
        saver_def: Any = None,
        builder: Any = None,
        defer_build: bool = False,
        allow_empty: bool = False,
        write_version: Any = 2,
        pad_step_number: bool = False,
        save_relative_paths: bool = False,
        filename: str | None = None,
    ) -> None:
        if defer_build and var_list is not None:
            raise ValueError("With defer_build=True, var_list is taken by build(): leave it out.")
        if not _building() and var_list is None:
            raise RuntimeError(
                "Expected `var_list`: with eager execution, no graph lists the variables. "
                "Pass them, or use tf.train.Checkpoint, which tracks objects."
            )
        if saver_def is not None:
            max_to_keep = saver_def.max_to_keep
            keep_checkpoint_every_n_hours = saver_def.keep_checkpoint_every_n_hours
        self._reshape = reshape
        self._sharded = sharded
        self._max_to_keep = max_to_keep or 0
        self._every_hours = keep_checkpoint_every_n_hours
        self._next_to_keep = time.time() + keep_checkpoint_every_n_hours * _HOUR
        self._pad_step_number = pad_step_number
        self._relative = save_relative_paths
        self._allow_empty = allow_empty
        self._last: list[tuple[str, float]] = []
        self._variables: dict[str, Variable] = {}
        self._states: dict[str, Operation] = {}
        if not defer_build:
            self._build(var_list)

    def build(self) -> None:
        """Take up the variables that the graph has now, after `defer_build=True`."""
        self._build(None)

    def _build(self, var_list: Any) -> None:
        if var_list is None:
            graph = default_graph()
            objects = graph.get_collection("saveable_objects")
            var_list = [*graph.get_collection("variables"), *objects]
        self._states, variables = _resource_states(var_list)
        self._variables = _by_name(variables)
        if not self._variables and not self._states and not self._allow_empty:
            raise ValueError(
                "No variables to save: the graph has none. Create them before the Saver, or pass "
                "allow_empty=True."
            )

    # -- what it is --------------------------------------------------------------------------

    @property
    def saver_def(self) -> Any:
        """The limits as a SaverDef message."""
        return self.as_saver_def()

    def as_saver_def(self) -> Any:
        """Return the limits as a SaverDef message."""
        return protos.SaverDef(
            max_to_keep=self._max_to_keep,
            keep_checkpoint_every_n_hours=self._every_hours,
            sharded=self._sharded,
            version=2,
        )

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Return the limits as a SaverDef message."""
        return self.as_saver_def()

    @staticmethod
    def from_proto(saver_def: Any, import_scope: str | None = None) -> Saver:
        """Return a saver of all variables of the graph with the limits of a message."""
        return Saver(saver_def=saver_def, allow_empty=True)

    # -- the checkpoints there are -----------------------------------------------------------

    @property
    def last_checkpoints(self) -> list[str]:
        """The checkpoints that are kept, the latest last."""
        return [path for path, _ in self._last]

    def set_last_checkpoints(self, last_checkpoints: Iterable[str]) -> None:
        """Set the checkpoints that are kept, as if they were saved now."""
        self._last = [(path, time.time()) for path in last_checkpoints]

    def set_last_checkpoints_with_time(
        self, last_checkpoints_with_time: Iterable[tuple[str, float]]
    ) -> None:
        """Set the checkpoints that are kept, with the times when they were saved."""
        self._last = list(last_checkpoints_with_time)

    def recover_last_checkpoints(self, checkpoint_paths: Iterable[Any]) -> None:
        """Take up those of the checkpoints that exist, as after a restart."""
        existing = [path for path in map(as_text, checkpoint_paths) if exists(path)]
        self._last = [(path, os.path.getmtime(f"{local_path(path)}.index")) for path in existing]

    # -- saving ------------------------------------------------------------------------------

    def save(
        self,
        sess: Any,
        save_path: Any,
        global_step: Any = None,
        latest_filename: str | None = None,
        meta_graph_suffix: str = "meta",
        write_meta_graph: bool = True,
        write_state: bool = True,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> str:
        """Write the variables, and return the prefix of the files.

        Args:
            sess: The session with the values; None eagerly.
            save_path: The start of the names of files.
            global_step: A number, variable or tensor that is appended to it.
            latest_filename: Another name for the file `checkpoint`.
            meta_graph_suffix: What the name of the file of the graph ends in.
            write_meta_graph: Whether the graph is written, too.
            write_state: Whether the checkpoint is noted as the latest of its folder.
        """
        self._check_session(sess)
        self._check_latest(latest_filename)
        path = as_text(save_path)
        if global_step is not None:
            step = _step(sess, global_step)
            path += f"-{step:08d}" if self._pad_step_number else f"-{step}"
        folder = os.path.dirname(path)
        if folder and not os.path.isdir(local_path(folder)):
            raise ValueError(f"Cannot save to {path}: the folder {folder} does not exist.")
        write_bundle(path, self.values_in(sess))
        if write_state:
            self._record(path, latest_filename, meta_graph_suffix)
        if write_meta_graph and sess is not None:
            meta = meta_graphs.meta_graph_of(sess.graph)
            meta_graphs.write_meta_graph(meta, f"{path}.{meta_graph_suffix}", as_text=False)
        return path

    def values_in(self, sess: Any) -> list[tuple[str, np.ndarray]]:
        """The names and values of the variables, in a session or, if that is None, eagerly."""
        values = {name: _value(variable, sess) for name, variable in self._variables.items()}
        return sorted((values | self._positions_in(sess)).items())

    def _positions_in(self, sess: Any) -> dict[str, np.ndarray]:
        """Return the states of resources, such as positions of iterators, by their keys."""
        tensors = {key: node.outputs[0] for key, node in self._states.items()}
        values = sess.run(tensors) if tensors else {}
        return {key: np.array(value[0], object) for key, value in values.items()}

    def _check_session(self, sess: Any) -> None:
        if any(v._declared is not None for v in self._variables.values()) or _building():
            if not isinstance(sess, _BaseSession):
                raise TypeError(f"sess must be a tf.compat.v1.Session, received {sess!r}.")
        elif sess is not None:
            raise TypeError(
                f"sess must be None for variables outside of graphs, received {sess!r}."
            )

    def _check_latest(self, latest_filename: str | None) -> None:
        if latest_filename is not None and os.path.basename(latest_filename) != latest_filename:
            raise ValueError(
                f"latest_filename must be a name without a folder, received {latest_filename!r}."
            )

    def _record(self, path: str, latest_filename: str | None, suffix: str) -> None:
        """Note the checkpoint as the latest, and delete those beyond the limit."""
        self._last = [(p, t) for p, t in self._last if p != path] + [(path, time.time())]
        while self._max_to_keep and len(self._last) > self._max_to_keep:
            old, written = self._last.pop(0)
            if written > self._next_to_keep:
                self._next_to_keep += self._every_hours * _HOUR
                continue
            remove_checkpoint(old, meta_graph_suffix=suffix)
        update_state(os.path.dirname(path), path, self.last_checkpoints, name=latest_filename)

    def export_meta_graph(
        self,
        filename: Any = None,
        collection_list: Any = None,
        as_text: bool = False,
        export_scope: str | None = None,
        clear_devices: bool = False,
        clear_extraneous_savers: bool = False,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> Any:
        """Return the default graph as a MetaGraphDef, and write it to `filename`."""
        return meta_graphs.export_meta_graph(
            filename,
            collection_list=collection_list,
            as_text=as_text,
            export_scope=export_scope,
            clear_devices=clear_devices,
        )

    # -- restoring ---------------------------------------------------------------------------

    def restore(self, sess: Any, save_path: Any) -> None:
        """Give the variables the values of a checkpoint, which may be one of `tf.train.Checkpoint`.

        Raises:
            ValueError: if there is no checkpoint of that name, or a shape differs eagerly.
            tf.errors.NotFoundError: if it lacks a variable.
            tf.errors.InvalidArgumentError: if a dtype differs, or a shape in a session.
        """
        if save_path is None:
            raise ValueError("Cannot restore from None: pass the prefix that `save` returned.")
        path = as_text(save_path)
        if not exists(path):
            raise ValueError(f"{path} is not the prefix of a checkpoint: {path}.index is missing.")
        self._check_session(sess)
        reader = BundleReader(path)
        keys = self._keys(reader)
        arrays = {name: self._fitting(reader, key, name) for name, key in keys.items()}
        positions = {key: _position(reader, key) for key in self._states}
        for key, position in positions.items():
            sess.resource_of(self._states[key].inputs[0].op).restore(position)
        for name, array in arrays.items():
            self._variables[name].load(array, sess)

    def _keys(self, reader: BundleReader) -> dict[str, str]:
        """Return the key that a checkpoint has for each variable."""
        missing = [name for name in self._variables if name not in reader.entries]
        if not missing:
            return {name: name for name in self._variables}
        if OBJECT_GRAPH_KEY in reader.entries:
            message = stored_graph(reader)
            named = {
                attribute.full_name: attribute.checkpoint_key
                for node in message.nodes
                for attribute in node.attributes
            }
            if all(name in named for name in self._variables):
                return {name: named[name] for name in self._variables}
        raise NotFoundError(
            None,
            None,
            f"Key {missing[0]} not found in checkpoint {reader.prefix}, nor are {missing[1:]}. It "
            f"has {sorted(reader.entries)}. Pass Saver a dict of variables by these names.",
        )

    def _fitting(self, reader: BundleReader, key: str, name: str) -> np.ndarray:
        """Return a value, once its dtype and shape are checked."""
        variable = self._variables[name]
        array = reader.read(key)
        dtype = reader.dtype(key)
        if dtype is not variable.dtype:
            raise InvalidArgumentError(
                None,
                None,
                f"{reader.prefix}: {key} has dtype {dtype.name}, the variable has "
                f"{variable.dtype.name}.",
            )
        if variable.shape.is_compatible_with(array.shape):
            return array
        if self._reshape and variable.shape.num_elements() == array.size:
            dims: list[Any] = variable.shape.as_list()
            return array.reshape(dims)
        reason = (
            f"{reader.prefix}: {key} has shape {array.shape}, the variable {variable.shape}. With "
            f"reshape=True, Saver restores values of the same size."
        )
        if variable._declared is None:
            raise ValueError(reason)
        raise InvalidArgumentError(None, None, reason)


def _by_name(var_list: Any) -> dict[str, Variable]:
    """Variables by the names that files have for them."""
    named: dict[str, Variable] = {}
    items = var_list.items() if isinstance(var_list, Mapping) else [(None, v) for v in var_list]
    for name, variable in items:
        if not isinstance(variable, Variable):
            raise TypeError(f"Saver saves variables, received {variable!r} as {name!r}.")
        key = variable._shared_name if name is None else name
        if named.setdefault(key, variable) is not variable:
            raise ValueError(
                f"Expected variables with different names, received two that have the same name "
                f"{key!r}. Pass Saver a dict from names to variables."
            )
    return named


def _resource_states(var_list: Any) -> tuple[dict[str, Operation], Any]:
    """Return operations for the states of resources by their keys, and the variables."""
    if isinstance(var_list, Mapping):
        return {}, var_list
    items = list(var_list)
    states = [s for s in (getattr(item, "state", None) for item in items) if s is not None]
    variables = [item for item in items if getattr(item, "state", None) is None]
    return {_state_key(node): node for node in states}, variables


def _state_key(node: Operation) -> str:
    """Return the key that checkpoints have for the state of a resource."""
    return f"{node.inputs[0].name}_STATE"


def _position(reader: BundleReader, key: str) -> bytes:
    """Return the stored state of a resource.

    Raises:
        tf.errors.NotFoundError: if there is none.
        tf.errors.InvalidArgumentError: if it is in a form that only TensorFlow reads.
    """
    if key not in reader.entries:
        raise NotFoundError(
            None,
            None,
            f"Key {key} not found in checkpoint {reader.prefix}, which has "
            f"{sorted(reader.entries)}.",
        )
    dtype = reader.dtype(key)
    if dtype is not string:
        raise InvalidArgumentError(
            None,
            None,
            f"{reader.prefix}: {key} has dtype {dtype.name}, expected {string.name}: positions "
            f"that TensorFlow wrote hold the state of its own kernels and cannot be restored here.",
        )
    position: bytes = reader.read(key).item()
    return position


def _value(variable: Variable, sess: Any) -> np.ndarray:
    if sess is None:
        array: np.ndarray = dispatch.convert(variable)._array
        return array
    return np.asarray(sess.value_of(variable.handle.op))


def _step(sess: Any, global_step: Any) -> int:
    """Return the number of a step."""
    if isinstance(global_step, (int, np.integer)):
        return int(global_step)
    if sess is not None:
        return int(sess.run(global_step))
    return int(dispatch.convert(global_step))


# -- files -------------------------------------------------------------------------------------


def remove_checkpoint(
    checkpoint_prefix: Any, checkpoint_format_version: Any = 2, meta_graph_suffix: str = "meta"
) -> None:
    """Delete the files of a checkpoint."""
    path = local_path(checkpoint_prefix)
    delete_bundle(path)
    if os.path.isfile(f"{path}.{meta_graph_suffix}"):
        os.remove(f"{path}.{meta_graph_suffix}")


def checkpoint_exists(checkpoint_prefix: Any) -> bool:
    """Whether there is a checkpoint whose files start with `checkpoint_prefix`."""
    return exists(as_text(checkpoint_prefix))


def get_checkpoint_mtimes(checkpoint_prefixes: Iterable[Any]) -> list[float]:
    """When the checkpoints that exist were written, in seconds."""
    paths = [local_path(prefix) for prefix in checkpoint_prefixes]
    return [os.path.getmtime(f"{path}.index") for path in paths if exists(path)]


def update_checkpoint_state(
    save_dir: Any,
    model_checkpoint_path: Any,
    all_model_checkpoint_paths: Iterable[Any] | None = None,
    latest_filename: str | None = None,
    all_model_checkpoint_timestamps: Iterable[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> None:
    """Write the file `checkpoint` of a folder, which names its checkpoints, the latest first."""
    latest = as_text(model_checkpoint_path)
    paths = [*map(as_text, all_model_checkpoint_paths or ())]
    if latest not in paths:
        paths.append(latest)
    times = list(all_model_checkpoint_timestamps or ())
    update_state(
        as_text(save_dir), latest, paths, times, last_preserved_timestamp, name=latest_filename
    )


def generate_checkpoint_state_proto(
    save_dir: Any,
    model_checkpoint_path: Any,
    all_model_checkpoint_paths: Iterable[Any] | None = None,
    all_model_checkpoint_timestamps: Iterable[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> Any:
    """Return the content of the file `checkpoint` as a message."""
    latest = as_text(model_checkpoint_path)
    paths = [*map(as_text, all_model_checkpoint_paths or ())]
    state = protos.CheckpointState(model_checkpoint_path=latest)
    state.all_model_checkpoint_paths.extend(paths if latest in paths else [*paths, latest])
    state.all_model_checkpoint_timestamps.extend(all_model_checkpoint_timestamps or ())
    if last_preserved_timestamp is not None:
        state.last_preserved_timestamp = last_preserved_timestamp
    return state


def import_meta_graph(
    meta_graph_or_file: Any,
    clear_devices: bool = False,
    import_scope: str | None = None,
    *,
    safe_mode: bool = True,
    **kwargs: Any,
) -> Saver | None:
    """Import a MetaGraph, a message or a file, into the graph that is built.

    Returns a Saver of its variables and of the iterators that were saved; None if it has none.
    In `safe_mode`, operations that read or write files or call Python functions are refused.
    """
    if not _building():
        raise RuntimeError(
            "import_meta_graph needs a graph: call it in `with tf.Graph().as_default():`, or in a "
            "function wrapped by tf.compat.v1.wrap_function."
        )
    is_message = hasattr(meta_graph_or_file, "graph_def")
    meta = meta_graph_or_file if is_message else meta_graphs.read_meta_graph(meta_graph_or_file)
    if clear_devices:
        meta_graphs.without_devices(meta.graph_def)
    before = len(default_graph().nodes)
    variables = meta_graphs.import_into_graph(
        meta, import_scope, kwargs.pop("input_map", None), safe_mode
    )
    if kwargs:
        raise ValueError(f"import_meta_graph does not know the arguments {sorted(kwargs)}.")
    states = [n for n in default_graph().nodes[before:] if n.definition.is_resource_state]
    if not variables and not states:
        return None
    limits = meta.saver_def if meta.HasField("saver_def") else None
    prefix = f"{import_scope.rstrip('/')}/" if import_scope else ""
    local = meta_graphs.local_variables(meta)
    named = {v._shared_name.removeprefix(prefix): v for v in variables}
    saved = {name: variable for name, variable in named.items() if f"{name}:0" not in local}
    if not saved and not states:
        return None
    saver = Saver(saved, saver_def=limits, allow_empty=True)
    saver._states = {_state_key(node).removeprefix(prefix): node for node in states}
    return saver
