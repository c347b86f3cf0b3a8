"""Meshes and layouts: their strings, shards and shapes. No tensor is placed here."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest

from tapeflow.experimental import dtensor

UNSHARDED = dtensor.UNSHARDED
MESH = dtensor.create_mesh([("x", 3), ("y", 2)], devices=[f"CPU:{i}" for i in range(6)])


def test_a_mesh_describes_its_axes_and_devices() -> None:
    assert (MESH.dim_names, MESH.shape(), MESH.size, MESH.strides) == (
        ["x", "y"],
        [3, 2],
        6,
        [2, 1],
    )
    assert MESH.dim_size("x") == 3 and "y" in MESH and not MESH.contains_dim("z")
    assert MESH["y"].size == 2 and MESH.device_type() == "CPU"
    assert MESH.local_device_locations()[3] == MESH.unravel_index()[3] == {"x": 1, "y": 1}
    assert MESH.coords(3).numpy().tolist() == [1, 1]
    assert np.array_equal(MESH.global_device_ids(), np.arange(6).reshape(3, 2))
    assert MESH.host_mesh() == MESH and MESH.num_local_devices() == 6
    with pytest.raises(ValueError, match="no axis 'z'"):
        MESH.dim_size("z")


@pytest.mark.parametrize(
    "mesh",
    [
        MESH,
        dtensor.create_mesh({"x": 2}, "name", ["CPU:0", "CPU:1"]),
        dtensor.create_mesh({"x": 1}, devices=["CPU:3"], use_xla_spmd=True),
        dtensor.Mesh.from_device("CPU:0"),
    ],
)
def test_meshes_and_layouts_read_their_own_strings(mesh: dtensor.Mesh) -> None:
    assert dtensor.Mesh.from_string(mesh.to_string()) == mesh
    assert hash(pickle.loads(pickle.dumps(mesh))) == hash(mesh)
    for rank in range(3):
        layout = dtensor.Layout.replicated(mesh, rank)
        assert dtensor.Layout.from_string(layout.to_string()) == layout
        assert dtensor.Layout.from_string(layout.to_parted().to_string()) == layout.to_parted()


def test_every_layout_maps_shapes_and_offsets() -> None:
    for specs in itertools.permutations([UNSHARDED, UNSHARDED, "x", "y"], 3):
        layout = dtensor.Layout(specs, MESH)
        parts = layout.local_shape_from_global_shape([6, 6, 6])
        assert layout.global_shape_from_local_shape(parts) == (6, 6, 6)
        whole = np.arange(6**3).reshape(6, 6, 6)
        seen = {
            int(i)
            for offset in layout.offset_to_shard()
            for i in whole[tuple(slice(o * n, o * n + n) for o, n in zip(offset, parts))].flat
        }
        assert seen == set(range(6**3))
        indices = {layout.offset_tuple_to_global_index(o) for o in layout.offset_to_shard()}
        assert indices == set(range(len(indices)))
        assert layout.is_fully_replicated() == (len(indices) == 1)


def test_layouts_by_name() -> None:
    assert dtensor.Layout.batch_sharded(MESH, "x", 3).sharding_specs == ["x", UNSHARDED, UNSHARDED]
    assert dtensor.Layout.batch_sharded(MESH, "x", 2, axis=1).sharding_specs == [UNSHARDED, "x"]
    assert dtensor.Layout.inner_sharded(MESH, "y", 2).sharding_specs == [UNSHARDED, "y"]
    assert dtensor.Layout(["x", "y"], MESH).delete([0]).sharding_specs == ["y"]
    assert dtensor.Layout.from_device("CPU:0").is_single_device()
    assert dtensor.Layout(["x", UNSHARDED], MESH).is_batch_parallel()


@pytest.mark.parametrize(
    ("specs", "error"), [(["z"], ValueError), (["x", "x"], ValueError), ("x", TypeError)]
)
def test_layouts_refuse_other_axes(specs: list[str], error: type[Exception]) -> None:
    with pytest.raises(error, match="axis of the mesh"):
        dtensor.Layout(specs, MESH)


def test_meshes_refuse_wrong_devices() -> None:
    with pytest.raises(ValueError, match="has 4 devices"):
        dtensor.create_mesh([("x", 4)], devices=["CPU:0"])
    with pytest.raises(ValueError, match="appears twice"):
        dtensor.create_mesh([("x", 2)], devices=["CPU:0", "CPU:0"])
    with pytest.raises(ValueError, match="initialize_accelerator_system"):
        dtensor.create_distributed_mesh([("x", 1)])
    with pytest.raises(ValueError, match="from_string"):
        dtensor.Mesh.from_string("x|y")


def test_one_process_is_described() -> None:
    assert (dtensor.num_clients(), dtensor.client_id(), dtensor.jobs()) == (1, 0, [])
    assert dtensor.full_job_name(0) == "localhost/replica:0/task:0"
    assert dtensor.num_global_devices("CPU") == dtensor.num_local_devices("CPU") >= 1
    assert dtensor.heartbeat_enabled() and dtensor.preferred_device_type() == "CPU"
    with pytest.raises(ValueError, match="task from 0 to 0"):
        dtensor.full_job_name(3)
    with pytest.raises(ValueError, match="device type"):
        dtensor.local_devices("XPU")
    with pytest.raises(ValueError, match="nothing is initialized"):
        dtensor.shutdown_accelerator_system()
    assert dtensor.barrier(MESH) is None


def test_meshes_and_layouts_are_exchanged_as_strings() -> None:
    mesh = dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
    for value in (mesh, dtensor.Layout.replicated(mesh, 1)):
        with pytest.raises(NotImplementedError, match="to_string"):
            value.as_proto()
    assert dtensor.initialize_multi_client is dtensor.initialize_accelerator_system
    assert dtensor.initialize_tpu_system is dtensor.initialize_accelerator_system
    assert dtensor.shutdown_tpu_system is dtensor.shutdown_accelerator_system
    dtensor.DTensorCheckpoint(mesh).sync()
