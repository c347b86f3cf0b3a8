"""`tf.train.Checkpoint`: what is saved is restored, also into objects that are made later."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.checkpoint.bundle import BundleReader, write_bundle

V = tf.Variable


class Dense(tf.Module):
    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size

    def __call__(self, x: Any) -> Any:
        if not hasattr(self, "w"):
            self.w = V(tf.zeros([x.shape[-1], self.size]))
        return x @ self.w


@pytest.fixture
def prefix(tmp_path: Path) -> str:
    return str(tmp_path / "ckpt")


@pytest.fixture
def saved(prefix: str) -> str:
    path: str = tf.train.Checkpoint(v=V([1.0, 2.0]), w=V(3)).save(prefix)
    return path


def test_paths_and_counters(prefix: str) -> None:
    checkpoint = tf.train.Checkpoint(v=V(1.0))
    assert checkpoint.save(prefix) == f"{prefix}-1"
    assert checkpoint.save(Path(prefix)) == f"{prefix}-2"
    assert int(checkpoint.save_counter) == 2
    assert checkpoint.write(prefix) == prefix
    again = tf.train.Checkpoint(v=V(1.0))
    again.restore(f"{prefix}-1")
    assert again.save(prefix) == f"{prefix}-2"


def test_values_come_back(saved: str) -> None:
    checkpoint = tf.train.Checkpoint(v=V([0.0, 0.0]), w=V(0))
    status = checkpoint.restore(saved)
    assert status.assert_consumed() is status
    np.testing.assert_array_equal(checkpoint.v, [1.0, 2.0])
    assert int(checkpoint.w) == 3


def test_objects_made_later(prefix: str) -> None:
    model = tf.Module()
    model.layer = Dense(2)
    model.layer(tf.ones([1, 3]))
    model.layer.w.assign(tf.ones([3, 2]))
    path = tf.train.Checkpoint(model=model).save(prefix)
    new = tf.Module()
    status = tf.train.Checkpoint(model=new).restore(path)
    with pytest.raises(AssertionError, match=r"Unresolved object in checkpoint \(root\)\.model\."):
        status.assert_consumed()
    new.layer = Dense(2)
    assert new.layer(tf.ones([1, 3])).numpy().tolist() == [[3.0, 3.0]]
    status.assert_consumed()


def test_objects_created_while_a_function_is_traced_are_restored(prefix: str) -> None:
    layer = Dense(2)
    layer(tf.ones([1, 3]))
    layer.w.assign(tf.ones([3, 2]))
    path = tf.train.Checkpoint(layer=layer).save(prefix)
    new = Dense(2)
    status = tf.train.Checkpoint(layer=new).restore(path)
    assert tf.function(new)(tf.ones([1, 3])).numpy().tolist() == [[3.0, 3.0]]
    assert new.w.numpy().tolist() == layer.w.numpy().tolist()
    status.assert_consumed()


def test_values_that_are_no_children_leave_the_restoration_waiting(prefix: str) -> None:
    module = tf.Module()
    module.w, module.items = V(5.0), [V(6.0)]
    path = tf.train.Checkpoint(module=module).save(prefix)
    new = tf.Module()
    status = tf.train.Checkpoint(module=new).restore(path)
    new.w, new.items = None, (1, 2)
    new.w, new.items = V(0.0), [V(0.0)]
    assert (float(new.w), float(new.items[0])) == (5.0, 6.0)
    status.assert_consumed()


def test_weak_references_stand_for_objects(prefix: str) -> None:
    module = tf.Module()
    module.v, other = V(1.0), V(2.0)
    checkpoint = tf.train.Checkpoint(weakref.ref(module), other=weakref.ref(other))
    path = checkpoint.save(prefix)
    strong = tf.train.Checkpoint(module, other=other).save(prefix + "_strong")
    assert tf.train.list_variables(path) == tf.train.list_variables(strong)
    module.v.assign(0.0)
    checkpoint.restore(path).assert_consumed()
    assert float(module.v) == 1.0
    named = tf.train.Checkpoint(a=weakref.ref(module)).save(prefix)
    assert tf.train.load_variable(named, "a/v/.ATTRIBUTES/VARIABLE_VALUE") == 1.0
    del module
    gc.collect()
    with pytest.raises(ReferenceError, match="the object is deleted"):
        checkpoint.write(prefix)


def test_children_that_are_no_attributes_are_tracked_by_name(prefix: str) -> None:
    parent = tf.__internal__.tracking.AutoTrackable()
    parent.attribute = V(1.0)
    parent._track_trackable(V(2.0), name="named")
    path = tf.train.Checkpoint(parent=parent).save(prefix)
    assert tf.train.load_variable(path, "parent/named/.ATTRIBUTES/VARIABLE_VALUE") == 2.0
    new = tf.__internal__.tracking.AutoTrackable()
    status = tf.train.Checkpoint(parent=new).restore(path)
    child = new._track_trackable(V(0.0), name="named")
    new.attribute = V(0.0)
    assert (float(child), float(new.attribute)) == (2.0, 1.0)
    status.assert_consumed()
    with pytest.raises(ValueError, match="There is a child 'named' already"):
        new._track_trackable(V(0.0), name="named")


def test_the_latest_restoration_wins(prefix: str) -> None:
    checkpoint = tf.train.Checkpoint(v=V(1.0))
    first = checkpoint.save(prefix)
    checkpoint.v.assign(2.0)
    second = checkpoint.save(prefix)
    new = tf.train.Checkpoint()
    new.restore(second).expect_partial()
    new.restore(first)
    new.v = V(0.0)
    assert float(new.v) == 1.0


def test_items_added_later(prefix: str) -> None:
    save = tf.train.Checkpoint()
    save.listed = [V(1.0)]
    save.listed.append(V(2.0))
    save.mapped = {"one": save.listed[0]}
    save.mapped["two"] = save.listed[1]
    path = save.save(prefix)
    restore = tf.train.Checkpoint()
    known = V(0.0)
    restore.mapped = {"two": known}
    status = restore.restore(path)
    assert float(known) == 2.0
    restore.listed = []
    assert repr(restore.listed) == "ListWrapper([])"
    assert restore.listed == []
    added = V(0.0)
    restore.listed.append(added)
    assert float(added) == 1.0
    restore.listed += [known]
    restore.mapped.update(one=added)
    assert list(restore.mapped) == ["two", "one"]
    status.assert_consumed()
    assert tf.nest.map_structure(float, restore.listed) == [1.0, 2.0]


def test_lists_that_are_whole_stay_as_they_are(prefix: str) -> None:
    items = [V(1.0), 2]
    module = tf.Module()
    module.items = items
    path = tf.train.Checkpoint(module=module).save(prefix)
    items[0].assign(0.0)
    tf.train.Checkpoint(module=module).restore(path).assert_consumed()
    assert module.items is items
    assert float(items[0]) == 1.0


def test_a_module_for_the_root(prefix: str) -> None:
    model = tf.Module()
    model.v = V(1.0)
    path = tf.train.Checkpoint(model, step=V(5)).save(prefix)
    names = [name for name, _ in tf.train.list_variables(path)]
    assert names[1:] == [f"{n}/.ATTRIBUTES/VARIABLE_VALUE" for n in ("save_counter", "step", "v")]
    new = tf.Module()
    checkpoint = tf.train.Checkpoint(new, step=V(0))
    status = checkpoint.restore(path)
    new.v = V(0.0)
    status.assert_consumed()
    assert (float(new.v), int(checkpoint.step), int(checkpoint.save_counter)) == (1.0, 5, 1)


def test_a_variable_for_the_root(prefix: str) -> None:
    path = tf.train.Checkpoint(V(4.0)).save(prefix)
    assert tf.train.list_variables(path)[0] == ("/.ATTRIBUTES/VARIABLE_VALUE", [])
    variable = V(0.0)
    tf.train.Checkpoint(variable).restore(path).assert_consumed()
    assert float(variable) == 4.0


def test_shared_objects_and_circles(prefix: str) -> None:
    module = tf.Module()
    module.itself = module
    module.a = module.b = V(1.0)
    path = tf.train.Checkpoint(m=module).save(prefix)
    assert len(tf.train.list_variables(path)) == 3
    module.a.assign(0.0)
    tf.train.Checkpoint(m=module).restore(path).assert_consumed()
    assert float(module.b) == 1.0


def test_states_of_iterators_and_generators(prefix: str) -> None:
    iterator = iter(tf.data.Dataset.range(10).shuffle(4, seed=3).batch(2))
    generator = tf.random.Generator.from_seed(1)
    next(iterator)
    checkpoint = tf.train.Checkpoint(iterator=iterator, generator=generator)
    path = checkpoint.save(prefix)
    expected = [e.numpy().tolist() for e in iterator], generator.normal([2]).numpy().tolist()
    checkpoint.restore(path).assert_consumed()
    found = [e.numpy().tolist() for e in iterator], generator.normal([2]).numpy().tolist()
    assert found == expected


def test_iterators_of_tensorflow(prefix: str) -> None:
    checkpoint = tf.train.Checkpoint(iterator=iter(tf.data.Dataset.range(3)))
    path = checkpoint.save(prefix)
    stored = BundleReader(path)
    key = "iterator/.ATTRIBUTES/ITERATOR"
    tensors = {name: stored.read(name) for name in stored.entries}
    tensors[f"{key}_STATE"] = tensors.pop(key)
    write_bundle(prefix, tensors.items())
    with pytest.raises(tf.errors.NotFoundError, match=r"ITERATOR not found.*ITERATOR_STATE'\]"):
        checkpoint.restore(prefix)


def test_tables(prefix: str) -> None:
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    table.insert(["a", "b"], [1, 2])
    fixed = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), -1)
    checkpoint = tf.train.Checkpoint(table=table, fixed=fixed)
    path = checkpoint.save(prefix)
    table.insert(["b", "c"], [5, 6])
    checkpoint.restore(path).assert_consumed()
    assert table.lookup(tf.constant(["a", "b", "c"])).numpy().tolist() == [1, 2, -1]
    dense = tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, 0, -2)
    with pytest.raises(tf.errors.UnimplementedError, match="DenseHashTable cannot be saved"):
        tf.train.Checkpoint(dense=dense).save(prefix)


def test_state_of_python(prefix: str) -> None:
    class State(tf.train.experimental.PythonState):  # type: ignore[misc]
        def __init__(self) -> None:
            self.values = [1, 2]

        def serialize(self) -> str:
            return ",".join(map(str, self.values))

        def deserialize(self, string_value: bytes) -> None:
            self.values = [int(v) for v in string_value.split(b",")]

    state = State()
    checkpoint = tf.train.Checkpoint(state=state)
    path = checkpoint.save(prefix)
    state.values = []
    checkpoint.restore(path).assert_consumed()
    assert state.values == [1, 2]


def test_statuses(saved: str) -> None:
    less = tf.train.Checkpoint(v=V([0.0, 0.0]))
    status = less.restore(saved)
    status.assert_existing_objects_matched().assert_nontrivial_match().expect_partial()
    with pytest.raises(AssertionError, match=r"\(root\)\.w, with the values"):
        status.assert_consumed()
    more = tf.train.Checkpoint(v=V([0.0, 0.0]), w=V(0), x=V(1))
    for check in ("assert_consumed", "assert_existing_objects_matched"):
        with pytest.raises(
            AssertionError, match="1 Python objects have no value in the checkpoint"
        ):
            getattr(more.restore(saved), check)()
    with pytest.raises(AssertionError, match="nothing to restore"):
        more.restore(None).assert_consumed()
    with pytest.raises(AssertionError, match=r"Unresolved object in checkpoint \(root\)\.save_c"):
        tf.train.Checkpoint(v=V([0.0, 0.0]), w=V(0)).read(saved).assert_consumed()


def test_unrestored_values_are_told(saved: str, capsys: pytest.CaptureFixture[str]) -> None:
    gc.collect()
    capsys.readouterr()
    tf.train.Checkpoint(v=V([0.0, 0.0])).restore(saved).expect_partial()
    gc.collect()
    assert "never restored" not in capsys.readouterr().err
    tf.train.Checkpoint(v=V([0.0, 0.0])).restore(saved)
    gc.collect()
    told = capsys.readouterr().err
    assert "never restored" in told
    assert "(root).w" in told


def test_what_does_not_fit(saved: str) -> None:
    with pytest.raises(ValueError, match=r"shape \(3,\).*shape \(2,\)"):
        tf.train.Checkpoint(v=V([0.0] * 3)).restore(saved).expect_partial()
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"float32.*expects dtype int32"):
        tf.train.Checkpoint(v=V([0, 0])).restore(saved).expect_partial()
    with pytest.raises(tf.errors.NotFoundError, match="such as 'ckpt-1'"):
        tf.train.Checkpoint(v=V(0.0)).restore(saved.removesuffix("-1"))


def test_what_cannot_be_saved(prefix: str) -> None:
    with pytest.raises(ValueError, match="x must be trackable"):
        tf.train.Checkpoint(x=3)
    with pytest.raises(ValueError, match="root of a checkpoint to be a trackable"):
        tf.train.Checkpoint(3)
    model = tf.Module()
    model.v = V(1.0)
    with pytest.raises(ValueError, match=r"would hide root\.v"):
        tf.train.Checkpoint(model, v=V(1.0))
    with pytest.raises(ValueError, match=r"1 is a non-string key"):
        tf.train.Checkpoint(d={1: V(1.0)}).save(prefix)


def test_references_that_differ_are_told(prefix: str, capsys: pytest.CaptureFixture[str]) -> None:
    shared = V(1.0)
    path = tf.train.Checkpoint(a=shared, b=shared).save(prefix)
    new = tf.train.Checkpoint(a=V(0.0), b=V(0.0))
    new.restore(path).expect_partial()
    assert "one object where the program has two" in capsys.readouterr().err
    assert (float(new.a), float(new.b)) == (1.0, 0.0)


def test_checkpoints_of_variables_by_name(prefix: str) -> None:
    write_bundle(prefix, [("a", np.ones(2, np.float32)), ("scope/b", np.array(3, np.int32))])
    a, b = V([0.0, 0.0], name="a"), V(0, name="scope/b")
    checkpoint = tf.train.Checkpoint(x=a, items=[b])
    status = checkpoint.restore(prefix)
    status.assert_consumed().assert_existing_objects_matched().expect_partial()
    assert (a.numpy().tolist(), int(b)) == ([1.0, 1.0], 3)
    more = tf.train.Checkpoint(x=a, c=V(0.0, name="c"))
    with pytest.raises(AssertionError, match=r"(?s)were not restored.*'c'"):
        more.restore(prefix).assert_consumed()
    with pytest.raises(ValueError, match="has no object graph"):
        tf.train.CheckpointView(prefix)


def test_checkpoints_are_no_part_of_graphs(prefix: str) -> None:
    checkpoint = tf.train.Checkpoint(v=V(1.0))
    for method in ("save", "write", "read"):
        with pytest.raises(NotImplementedError, match=rf"Checkpoint\.{method} cannot be part of"):
            tf.function(lambda m=method: getattr(checkpoint, m)(prefix), autograph=False)()

    @tf.function
    def step() -> Any:
        checkpoint.v.assign_add(1.0)
        tf.py_function(lambda: checkpoint.write(prefix), [], tf.string)
        return checkpoint.v.read_value()

    assert float(step()) == 2.0
    assert tf.train.load_variable(prefix, "v/.ATTRIBUTES/VARIABLE_VALUE") == 2.0


def test_options(prefix: str) -> None:
    called: list[Any] = []
    options = tf.train.CheckpointOptions(
        experimental_write_callbacks=[called.append, lambda: called.append("done")]
    )
    path = tf.train.Checkpoint(v=V(1.0)).save(prefix, options)
    assert called == [path, "done"]


def test_restored_variables_in_functions(prefix: str) -> None:
    variable = V([1.0, 2.0])
    checkpoint = tf.train.Checkpoint(v=variable)
    path = checkpoint.save(prefix)

    def step(x: Any) -> Any:
        variable.assign_add(x)
        return variable * 2.0

    for compiled in (False, True):
        function = tf.function(step, jit_compile=compiled)
        function(tf.constant([1.0, 1.0]))
        checkpoint.restore(path)
        assert function(tf.constant([1.0, 1.0])).numpy().tolist() == [4.0, 6.0]


def test_views(prefix: str) -> None:
    module = tf.Module()
    module.v, module.items = V(1.0), [V(2.0)]
    checkpoint = tf.train.Checkpoint(m=module)
    path = checkpoint.save(prefix)
    stored = tf.train.CheckpointView(path)
    assert stored.children(0) == {"m": 1, "save_counter": 2}
    assert stored.descendants() == [0, 1, 2, 3, 4, 5]
    matched, only_stored, only_here = stored.diff(tf.train.Checkpoint(m=module, x=V(1)))
    assert matched[3] is module.v
    assert (only_stored, [int(v) for v in only_here]) == ([2], [1])
    view = tf.train.TrackableView(checkpoint)
    assert view.root is checkpoint
    assert tf.train.TrackableView.children(module) == {"v": module.v, "items": module.items}
    assert view.descendants()[:2] == [checkpoint, module]
    items = "ListWrapper([<tf.Variable 'Variable:0' shape=() dtype=float32, numpy=2.0>])"
    assert repr(view.children(module)["items"]) == repr(matched[4]) == items
    assert type(module.items) is list
