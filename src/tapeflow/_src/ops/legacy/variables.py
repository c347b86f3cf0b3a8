"""Slices of variables by coordinates, read by one op."""

from __future__ import annotations

from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.registry import Index, Resource, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.array.gather_nd import gather_nd
from tapeflow._src.ops.legacy.renaming import infer, run
from tapeflow._src.ops.state.variables import current


@op("ResourceGatherNd", effect="reads")
def resource_gather_nd(xp, resource: Resource, indices: Index, *, dtype):
    """Return the slices of the variable at the coordinates in the last axis of `indices`."""
    return run(gather_nd, xp, current(resource), indices)


resource_gather_nd.kernel("jax")(resource_gather_nd.body)


@resource_gather_nd.infer
def _(resource, indices, *, dtype):
    return infer(gather_nd, Spec(resource.shape, as_dtype(dtype)), indices)


@resource_gather_nd.gradient
def _(dz, *, shape_of_resource, indices):
    return gather_nd.gradient_rule.fn(
        dz, shape_of_params=shape_of_resource, indices=indices, bad_indices_policy=""
    )
