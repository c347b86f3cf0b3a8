"""SavedModels of libraries whose classes say themselves what they hold, as Keras 2 does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tapeflow as tf
from tapeflow._src.core import protos
from tapeflow._src.core.trackable import NoDependency
from tapeflow._src.saved_model.load import load_partial, parse_saved_model
from tapeflow._src.saved_model.revived_types import VersionedTypeRegistration, register_revived_type
from tapeflow._src.standin.modules.saved_model_save import save_and_return_nodes


class Layer(tf.Module):
    """Notes its kind, and what it holds for SavedModels only."""

    def __init__(self, start: float) -> None:
        super().__init__()
        self.kernel = tf.Variable(start)
        self.parts = [tf.Variable(start + 1)]
        self.asked: list[Any] = self._no_dependency([])

    _object_identifier = "_example_layer"

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        children = super()._trackable_children(save_type, **kwargs)
        if save_type == "savedmodel":
            self.asked.append(kwargs["cache"])
            children["for_files"] = tf.Module()
        return children

    @tf.function(input_signature=[tf.TensorSpec([])])
    def scale(self, x: Any) -> Any:
        return x * self.kernel


class Registered(tf.Module):
    """A class that files know under a registered name."""

    value: Any


register_revived_type(
    "example_type",
    lambda value: isinstance(value, Registered),
    [VersionedTypeRegistration(lambda proto: Registered(), 3, 1, 2)],
)


def test_objects_say_what_a_model_holds(tmp_path: Path) -> None:
    layer = Layer(2.0)
    layer.child = Layer(5.0)  # type: ignore[attr-defined]
    nodes, references = save_and_return_nodes(layer, str(tmp_path))
    objects = parse_saved_model(str(tmp_path)).meta_graphs[0].object_graph_def.nodes
    assert len(nodes) == len(objects)
    assert nodes[0] is layer
    assert objects[0].user_object.identifier == "_example_layer"
    assert [each.name for each in references[layer.child.kernel]] == ["child", "kernel"]  # type: ignore[attr-defined]
    assert {"for_files", "scale", "kernel", "parts", "child"} <= {
        child.local_name for child in objects[0].children
    }
    # One cache for the whole save.
    assert layer.asked[-1] is layer.child.asked[-1]  # type: ignore[attr-defined]


def test_functions_that_a_class_hides_are_not_saved(tmp_path: Path) -> None:
    class Hiding(Layer):
        def _trackable_children(
            self, save_type: str = "checkpoint", **kwargs: Any
        ) -> dict[str, Any]:
            children = super()._trackable_children(save_type, **kwargs)
            children.pop("scale", None)
            return children

    tf.saved_model.save(Hiding(1.0), str(tmp_path))
    assert not hasattr(tf.saved_model.load(str(tmp_path)), "scale")


def test_existing_objects_get_values_and_children(tmp_path: Path) -> None:
    saved = Layer(2.0)
    saved.child = Layer(5.0)  # type: ignore[attr-defined]
    tf.saved_model.save(saved, str(tmp_path))
    target, children = Layer(0.0), {}

    def note(value: Any, name: str, child: Any) -> None:
        children[name] = child

    wanted = {"root": (target, note), "root.kernel": target.kernel, "root.child": None}
    loaded = load_partial(str(tmp_path), wanted)
    assert loaded["root"] is target
    assert target.kernel.numpy() == 2.0
    assert children["kernel"] is target.kernel
    assert loaded["root.child"].kernel.numpy() == 5.0
    # Its functions read the variable that existed already.
    target.kernel.assign(7.0)
    assert children["scale"](tf.constant(3.0)).numpy() == 21.0


def test_existing_tables_are_filled_and_read(tmp_path: Path) -> None:
    class Words(tf.Module):
        def __init__(self, *words: str) -> None:
            super().__init__()
            keys = tf.constant(words, tf.string, [len(words)])
            values = tf.range(len(words), dtype=tf.int64)
            lines = tf.lookup.KeyValueTensorInitializer(keys, values)
            self.table = tf.lookup.StaticHashTable(lines, -1)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def find(self, words):
            return self.table.lookup(words)

    tf.saved_model.save(Words("a", "b"), str(tmp_path))
    target, children = Words(), {}

    def note(value: Any, name: str, child: Any) -> None:
        children[name] = child

    load_partial(str(tmp_path), {"root": (target, note), "root.table": (target.table, setattr)})
    assert target.table.size().numpy() == 2
    assert children["find"](tf.constant(["b", "c"])).numpy().tolist() == [1, -1]


def test_variables_created_after_loading_are_restored(tmp_path: Path) -> None:
    saved = tf.Module()
    saved.late = tf.Variable(4.0)  # type: ignore[attr-defined]
    tf.saved_model.save(saved, str(tmp_path))
    target = tf.Module()
    load_partial(str(tmp_path), {"root": (target, lambda *child: None)})
    target.late = tf.Variable(0.0)  # type: ignore[attr-defined]
    assert target.late.numpy() == 4.0  # type: ignore[attr-defined]


def test_containers_are_complete_when_they_become_attributes(tmp_path: Path) -> None:
    tf.saved_model.save(Layer(2.0), str(tmp_path))
    lengths = {}

    def note(value: Any, name: str, child: Any) -> None:
        if isinstance(child, list):
            lengths[name] = len(child)

    load_partial(str(tmp_path), {"root": (tf.Module(), note)})
    assert lengths == {"parts": 1}


def test_an_unknown_path_is_named(tmp_path: Path) -> None:
    tf.saved_model.save(Layer(2.0), str(tmp_path))
    with pytest.raises(ValueError, match=r"no object 'root\.nothing'"):
        load_partial(str(tmp_path), ["root.nothing"])


def test_registered_classes_are_created_again(tmp_path: Path) -> None:
    root = tf.Module()
    root.held = Registered()  # type: ignore[attr-defined]
    root.held.value = tf.Variable(6.0)  # type: ignore[attr-defined]
    tf.saved_model.save(root, str(tmp_path))
    message = parse_saved_model(str(tmp_path)).meta_graphs[0].object_graph_def
    (kind,) = (n.user_object for n in message.nodes if n.user_object.identifier == "example_type")
    assert (kind.version.producer, kind.version.min_consumer) == (3, 2)
    loaded = tf.saved_model.load(str(tmp_path))
    assert isinstance(loaded.held, Registered)
    assert loaded.held.value.numpy() == 6.0


def test_an_attribute_without_dependency_is_no_child() -> None:
    module = tf.Module()
    module.kept = NoDependency({"a": tf.Variable(1.0)})  # type: ignore[attr-defined]
    assert isinstance(module.kept, dict)  # type: ignore[attr-defined]
    assert "kept" not in module._trackable_children()
    module.kept = [tf.Variable(2.0)]  # type: ignore[attr-defined]
    assert "kept" in module._trackable_children()


def test_nested_values_of_signatures_are_read_back() -> None:
    coder = tf.__internal__.saved_model
    value = [tf.TensorSpec([None], tf.int32), {"a": (1, "b")}]
    message = coder.encode_structure(value)
    assert isinstance(message, protos.StructuredValue)
    assert coder.decode_proto(message) == value
