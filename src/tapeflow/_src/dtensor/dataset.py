"""`DTensorDataset`: batches of a dataset, placed on a mesh."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tapeflow._src.core import nest
from tapeflow._src.core.device_mesh import Mesh
from tapeflow._src.core.spec import TensorSpec
from tapeflow._src.core.tensor_layout import Layout
from tapeflow._src.data.dataset import Dataset
from tapeflow._src.eager.dtensor import checked, in_layout


class DTensorDataset(Dataset):
    """The batches of a dataset as tensors on a mesh.

    Transformations of it are those of the dataset of batches, whose tensors lie on no mesh.

    Args:
        dataset: A dataset of samples, or of batches.
        mesh: The mesh.
        layouts: The layout of each component of a batch.
        global_batch_size: Number of samples of a batch, over all devices.
        dataset_already_batched: Whether the elements of `dataset` are batches.
        batch_dim: The axis of the mesh that batches are sharded along; None if they are not.
        prefetch: How many batches are prepared ahead.
        tf_data_service_config: Not supported: batches are produced in this process.

    Raises:
        ValueError: If layouts and components do not match, or batches cannot be divided.
        NotImplementedError: For `tf_data_service_config`.

    Example:
        >>> dtensor = tf.experimental.dtensor
        >>> mesh = dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
        >>> layout = dtensor.Layout.batch_sharded(mesh, "x", rank=1)
        >>> batches = dtensor.DTensorDataset(tf.data.Dataset.range(4), mesh=mesh, layouts=layout,
        ...     global_batch_size=2, batch_dim="x")
        >>> [dtensor.fetch_layout(batch) == layout for batch in batches]
        [True, True]
    """

    def __init__(
        self,
        dataset: Any,
        *,
        mesh: Mesh,
        layouts: Any,
        global_batch_size: int,
        dataset_already_batched: bool = False,
        batch_dim: str | None = None,
        prefetch: int | None = None,
        tf_data_service_config: Any = None,
    ) -> None:
        if tf_data_service_config is not None:
            raise NotImplementedError(
                "DTensorDataset produces batches in this process: leave tf_data_service_config out."
            )
        shards = 1 if batch_dim is None else mesh.dim_size(batch_dim)
        nest.assert_same_structure(dataset.element_spec, layouts)
        pairs = zip(nest.flatten(dataset.element_spec), nest.flatten(layouts), strict=True)
        for spec, layout in pairs:
            _check_rank(spec, layout, dataset_already_batched)
        if global_batch_size % shards:
            raise ValueError(
                f"DTensorDataset: a batch of {global_batch_size} samples cannot be divided into "
                f"the {shards} shards of the axis {batch_dim!r}."
            )
        if dataset_already_batched:
            dataset = dataset.unbatch()
        batches = dataset.batch(global_batch_size, drop_remainder=True)
        if prefetch is not None:
            batches = batches.prefetch(prefetch)
        self._batches = batches
        self._mesh = mesh
        self._layouts = layouts
        super().__init__(batches._variant_tensor)

    @property
    def element_spec(self) -> Any:
        """The specs of a batch, with global shapes."""
        return self._batches.element_spec

    def __iter__(self) -> Iterator[Any]:  # type: ignore[override]
        for batch in self._batches:
            yield nest.map_structure(_placed, batch, self._layouts)


def _placed(tensor: Any, layout: Layout) -> Any:
    return in_layout(tensor, checked(layout, tensor.static_shape))


def _check_rank(spec: Any, layout: Any, batched: bool) -> None:
    if not isinstance(spec, TensorSpec) or not isinstance(layout, Layout):
        raise ValueError(
            f"DTensorDataset: expected a Layout for each tensor of an element. Received {layout!r} "
            f"for {spec!r}"
        )
    rank = spec.shape.rank if batched or spec.shape.rank is None else spec.shape.rank + 1
    if rank is not None and rank != layout.rank:
        raise ValueError(
            f"DTensorDataset: batches of {spec!r} have the rank {rank}, and the layout "
            f"{layout.sharding_specs} is for rank {layout.rank}. Set dataset_already_batched if "
            "the elements are batches."
        )
