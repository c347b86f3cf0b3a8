"""Tracking as libraries drive it: containers, attributes that are no children, object graphs."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.core.trackable import NoDependency
from tapeflow._src.internal import decorator
from tapeflow._src.standin.modules import tf_inspect

tracking = tf.__internal__.tracking


class Layer(tf.Module):
    """Sets attributes as layers of Keras 2 do."""

    @tracking.no_automatic_dependency_tracking
    def __init__(self) -> None:
        super().__init__()
        self.cache = [tf.Variable(1.0)]

    def __setattr__(self, name: str, value: Any) -> None:
        if getattr(self, "_self_setattr_tracking", True):
            value = tracking.sticky_attribute_assignment(self, name, value)
        super(tracking.AutoTrackable, self).__setattr__(name, value)


def test_attributes_of_decorated_methods_are_no_children() -> None:
    layer = Layer()
    assert "cache" not in layer._trackable_children()
    layer.cache = [tf.Variable(2.0)]
    layer.hidden = NoDependency([tf.Variable(3.0)])
    assert sorted(layer._trackable_children()) == ["cache"]
    assert layer.hidden[0].numpy() == 3.0


def test_containers_know_the_variables_of_what_they_hold() -> None:
    layer = Layer()
    layer.blocks = [{"w": tf.Variable(1.0)}, (tf.Variable(2.0, trainable=False),)]
    assert isinstance(layer.blocks, tracking.TrackableDataStructure)
    assert isinstance(layer.blocks, list)
    inner = tf.Module()
    inner.v = tf.Variable(3.0)
    layer.blocks.append(inner)
    assert [v.numpy() for v in layer.blocks.trainable_weights] == [1.0, 3.0]
    assert [v.numpy() for v in layer.blocks.non_trainable_weights] == [2.0]
    layer.blocks.trainable = False
    assert layer.blocks.trainable_weights == []
    assert len(layer.blocks.weights) == 3
    assert tf.nest.flatten([1, layer.blocks[0]])[0] == 1


def test_containers_that_grow_are_restored(tmp_path: Path) -> None:
    saved, loaded = Layer(), Layer()
    saved.blocks = [tf.Variable(5.0), tf.Variable(6.0)]
    path = tf.train.Checkpoint(layer=saved).save(str(tmp_path / "c"))
    status = tf.train.Checkpoint(layer=loaded).restore(path)
    loaded.blocks = []
    for _ in range(2):
        loaded.blocks.append(tf.Variable(0.0))
    status.assert_existing_objects_matched()
    np.testing.assert_array_equal([v.numpy() for v in loaded.blocks], [5.0, 6.0])


def test_object_graphs_name_the_way_to_each_object() -> None:
    root = tf.Module()
    root.items = [tf.Variable(1.0)]
    objects, paths = tracking.ObjectGraphView(root).breadth_first_traversal()
    assert objects[0] is root
    assert [each.name for each in paths[root.items[0]]] == ["items", "0"]


def test_decorators_are_seen_through() -> None:
    def target(a: Any, b: int = 1) -> Any:
        return a

    wrapped = decorator.make_decorator(target, lambda *args, **kwargs: target(*args, **kwargs))
    decorators, found = decorator.unwrap(tf.function(wrapped))
    assert found is target
    assert decorators[-1].decorator_argspec is None
    assert wrapped.__name__ == "target"


def test_weights_are_brought_to_the_shape_of_values() -> None:
    broadcast = tf.__internal__.ops.broadcast_weights
    np.testing.assert_array_equal(broadcast([[1.0], [2.0]], tf.ones([2, 2])), [[1, 1], [2, 2]])
    assert broadcast(3.0, tf.ones([2])).shape == [2]
    with pytest.raises(ValueError, match="can not be broadcast to values"):
        broadcast(tf.ones([3]), tf.ones([2, 3]))


def test_attributes_set_in_a_scope_are_no_children() -> None:
    module = tf.Module()
    with tracking.no_automatic_dependency_tracking_scope(module):
        module.inner = [tf.Variable(1.0)]  # type: ignore[attr-defined]
    module.outer = [tf.Variable(1.0)]  # type: ignore[attr-defined]
    assert sorted(module._trackable_children()) == ["outer"]


def test_a_decorator_shows_the_arguments_that_it_describes() -> None:
    spec = inspect.FullArgSpec(["self", "x", "training"], None, "more", (None,), ["k"], None, {})
    shown = decorator.make_decorator(len, lambda *args, **kwargs: None, decorator_argspec=spec)
    assert str(inspect.signature(shown)) == "(self, x, training=None, *, k, **more)"
    assert tf_inspect.getfullargspec(shown) is spec


def test_a_decorated_bound_method_is_called_without_its_object() -> None:
    class Holder:
        def call(self, x: int) -> int:
            return x

    spec = inspect.FullArgSpec(["self", "x"], None, None, None, [], None, {})
    inner = decorator.make_decorator(
        Holder().call, lambda *args: Holder().call(*args), decorator_argspec=spec
    )
    outer = decorator.make_decorator(inner, lambda x: inner(x))
    assert str(inspect.signature(outer)) == "(x)"
    assert tf.function(outer)(tf.constant(2)).numpy() == 2


def test_tracking_a_child_adds_no_name_to_an_object() -> None:
    parent: Any = tf.Module()
    names = set(dir(parent))
    parent._track_trackable(tf.Variable(1.0), "child")
    assert set(dir(parent)) == names
