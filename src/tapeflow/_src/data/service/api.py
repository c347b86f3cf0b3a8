"""`tf.data.experimental.service`: `distribute`, `register_dataset` and `from_dataset_id`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow._src.api.elements import Layout
from tapeflow._src.api.structure_protos import decode, encode
from tapeflow._src.core import dispatch, dtypes, protos
from tapeflow._src.core.errors import InternalError, invalid
from tapeflow._src.core.infer import fixed
from tapeflow._src.core.paths import as_text
from tapeflow._src.core.registry import Free, Index, Resource, Variant, op
from tapeflow._src.data import graphs
from tapeflow._src.data.arguments import INFINITE, int64
from tapeflow._src.data.dataset import Dataset
from tapeflow._src.data.dataset_op import dataset_op
from tapeflow._src.data.dummy_resources import dummy_iteration_counter
from tapeflow._src.data.recipe import Recipe, described
from tapeflow._src.data.service.policies import ShardingPolicy, policy_of
from tapeflow._src.data.service.reading import Job, ServiceDataset
from tapeflow._src.data.service.wire import Client, split_address
from tapeflow._src.data.stage import HOST

_OUTSTANDING = 16
_COMPRESSIONS = ("AUTO", None)
_TARGETS = ("AUTO", "ANY", "LOCAL")


class CrossTrainerCache:
    """Trainers that share the elements which workers have produced.

    Args:
        trainer_id: The name of the trainer. Each trainer reads elements once.
    """

    def __init__(self, trainer_id: Any) -> None:
        if not trainer_id:
            raise ValueError("`trainer_id` must be a name that no other trainer has.")
        self.trainer_id = trainer_id

    def _to_proto(self) -> Any:
        raise NotImplementedError("A CrossTrainerCache is not sent as a message here.")


@op("RegisterDatasetV2", infer=fixed((), dtypes.string), grad=None, host=HOST, effect="io")
def register_dataset_v2(
    xp,
    dataset: Variant,
    address: Free,
    protocol: Free,
    *,
    external_state_policy,
    element_spec="",
    requested_dataset_id="",
    metadata="",
):
    """Register a dataset with a dispatcher; return its id."""
    identifier = Client(as_text(address.item())).call(
        "register_dataset",
        graph=graphs.to_bytes(dataset),
        spec=element_spec.encode("latin-1") if isinstance(element_spec, str) else element_spec,
        dataset_id=requested_dataset_id,
    )
    return np.array(identifier.encode(), object)


register_dataset_v2.accesses("native")


@dataset_op("DataServiceDatasetV4", effect="io")
def data_service_dataset_v4(
    xp,
    dataset_id: Free,
    processing_mode: Free,
    address: Free,
    protocol: Free,
    job_name: Free,
    consumer_index: Index,
    num_consumers: Index,
    max_outstanding_requests: Index,
    iteration_counter: Resource,
    *,
    output_types,
    output_shapes,
    uncompress_fn,
    task_refresh_interval_hint_ms=-1,
    data_transfer_protocol="",
    target_workers="AUTO",
    uncompress=False,
    cross_trainer_cache_options="",
):
    """Return a dataset of elements that the workers of a service produce."""
    consumers = int(num_consumers)
    outstanding = int(max_outstanding_requests)
    return ServiceDataset(
        Job(
            as_text(address.item()),
            as_text(dataset_id.item()),
            ShardingPolicy[as_text(processing_mode.item())],
            as_text(job_name.item()),
            int(consumer_index) if consumers > 0 else None,
            consumers if consumers > 0 else None,
            as_text(cross_trainer_cache_options),
            outstanding if outstanding > 0 else _OUTSTANDING,
        )
    )


data_service_dataset_v4.accesses("native")


def _service(service: Any) -> str:
    """Return the address of a service, `protocol://host:port`."""
    if not isinstance(service, str) or not service:
        raise ValueError(
            f"`service` must be an address such as grpc://host:port. Received: {service!r}"
        )
    if "://" not in service:
        raise ValueError(f"`service` must begin with a protocol, as grpc://. Received: {service!r}")
    split_address(service)
    return service.rpartition("://")[2]


def _text(value: Any) -> Any:
    return dispatch.convert(value, dtypes.string)


def _check(
    job_name: Any,
    consumer_index: Any,
    num_consumers: Any,
    cache: Any,
    compression: Any,
    target_workers: Any,
) -> None:
    if job_name is not None and (not isinstance(job_name, str) or not job_name):
        raise ValueError(f"`job_name` must be a text that is not empty. Received: {job_name!r}")
    if (consumer_index is None) != (num_consumers is None):
        raise ValueError(
            f"Pass both of `consumer_index` and `num_consumers`, or neither. Received: "
            f"{consumer_index} and {num_consumers}"
        )
    if num_consumers is not None and job_name is None:
        raise ValueError("Consumers that read in turn share a job: pass `job_name`.")
    if cache is not None and job_name is None:
        raise ValueError("Trainers that share elements share a job: pass `job_name`.")
    if cache is not None and num_consumers is not None:
        raise ValueError("Pass `cross_trainer_cache` or `num_consumers`, not both.")
    if compression not in _COMPRESSIONS:
        raise ValueError(f'`compression` must be "AUTO" or None. Received: {compression!r}')
    if str(target_workers).upper() not in _TARGETS:
        raise ValueError(
            f"`target_workers` must be one of {_TARGETS}. Received: {target_workers!r}"
        )


def distribute(
    processing_mode: Any,
    service: str,
    job_name: str | None = None,
    consumer_index: int | None = None,
    num_consumers: int | None = None,
    max_outstanding_requests: int | None = None,
    data_transfer_protocol: str | None = None,
    compression: str | None = "AUTO",
    cross_trainer_cache: CrossTrainerCache | None = None,
    target_workers: str = "AUTO",
) -> Callable[[Dataset], Dataset]:
    """Return a transformation to a dataset that the workers of a service produce.

    Args:
        processing_mode: A `ShardingPolicy`, or "parallel_epochs" (OFF) or "distributed_epoch"
            (DYNAMIC).
        service: The address of the dispatcher, such as grpc://localhost:5000.
        job_name: Datasets with the same name share their elements; by default, each iteration has
            a job of its own.
        consumer_index: The number of this consumer, if consumers read in rounds.
        num_consumers: How many consumers read in rounds; in each round, all of them read from the
            same worker.
        max_outstanding_requests: How many elements are read ahead.
        data_transfer_protocol: Accepted; there is one way of transfer.
        compression: "AUTO" or None; elements are sent as they are.
        cross_trainer_cache: Lets trainers share the elements of a dataset without end.
        target_workers: Accepted: all workers are read from.

    Returns:
        A function of a dataset, for `Dataset.apply`.
    """
    _check(
        job_name, consumer_index, num_consumers, cross_trainer_cache, compression, target_workers
    )
    policy = policy_of(processing_mode)

    def distributed(dataset: Dataset) -> Dataset:
        identifier = register_dataset(service, dataset, compression)
        return _from_id(
            policy,
            service,
            identifier,
            dataset.element_spec,
            job_name,
            (consumer_index, num_consumers, max_outstanding_requests),
            _checked_cache(cross_trainer_cache, dataset),
        )

    return distributed


def _checked_cache(cache: CrossTrainerCache | None, dataset: Dataset) -> CrossTrainerCache | None:
    if cache is not None:
        count = dataset.cardinality().static_value
        if count is not None and int(count) != INFINITE:
            raise invalid("Trainers share the elements of a dataset without end: repeat it.")
    return cache


def register_dataset(
    service: str,
    dataset: Dataset,
    compression: str | None = "AUTO",
    dataset_id: str | None = None,
) -> Any:
    """Register a dataset with a service; return its id, a string tensor.

    Args:
        service: The address of the dispatcher.
        dataset: The dataset: ops, constants and functions of ops. It cannot hold variables or
            Python functions, which belong to this process.
        compression: "AUTO" or None.
        dataset_id: The id; by default a new one, or the one of an equal dataset.

    Returns:
        The id, a scalar string tensor.
    """
    if compression not in _COMPRESSIONS:
        raise ValueError(f'`compression` must be "AUTO" or None. Received: {compression!r}')
    spec = encode(dataset.element_spec).SerializeToString()
    return register_dataset_v2(
        dataset._variant_tensor,
        _text(_service(service)),
        _text(""),
        external_state_policy=0,
        element_spec=spec.decode("latin-1"),
        requested_dataset_id=_as_id(dataset_id),
    )


def _as_id(dataset_id: Any) -> str:
    if dataset_id is None:
        return ""
    value = dataset_id.numpy() if hasattr(dataset_id, "numpy") else dataset_id
    return as_text(value) if isinstance(value, str | bytes) else str(value)


def from_dataset_id(
    processing_mode: Any,
    service: str,
    dataset_id: Any,
    element_spec: Any = None,
    job_name: str | None = None,
    consumer_index: int | None = None,
    num_consumers: int | None = None,
    max_outstanding_requests: int | None = None,
    data_transfer_protocol: str | None = None,
    cross_trainer_cache: CrossTrainerCache | None = None,
    target_workers: str = "AUTO",
) -> Dataset:
    """Return a dataset that was registered with a service.

    Args:
        processing_mode: A `ShardingPolicy`, or one of its former names; see `distribute`.
        service: The address of the dispatcher.
        dataset_id: What `register_dataset` returned.
        element_spec: The spec of an element; the registered one by default.
        job_name: Datasets with the same name share their elements.
        consumer_index: The number of this consumer, if consumers read in rounds.
        num_consumers: How many consumers read in rounds.
        max_outstanding_requests: How many elements are read ahead.
        data_transfer_protocol: Accepted; there is one way of transfer.
        cross_trainer_cache: A `CrossTrainerCache`, to share elements among trainers.
        target_workers: Accepted for compatibility.

    Returns:
        A dataset of the elements that the workers produce.
    """
    _check(job_name, consumer_index, num_consumers, cross_trainer_cache, "AUTO", target_workers)
    policy = policy_of(processing_mode)
    if element_spec is None:
        data = Client(_service(service)).call("element_spec", dataset_id=_as_id(dataset_id))
        try:
            element_spec = decode(protos.StructuredValue.FromString(data))
        except (ValueError, TypeError, LookupError) as error:
            raise InternalError(None, None, f"The service sent no spec: {error}") from error
    identifier = dispatch.convert(dataset_id)
    if identifier.dtype is not dtypes.string:
        identifier = _text(_as_id(dataset_id))
    counts = consumer_index, num_consumers, max_outstanding_requests
    return _from_id(
        policy, service, identifier, element_spec, job_name, counts, cross_trainer_cache
    )


def _from_id(
    policy: ShardingPolicy,
    service: str,
    identifier: Any,
    spec: Any,
    job_name: str | None,
    counts: tuple[int | None, int | None, int | None],
    cache: CrossTrainerCache | None,
) -> Dataset:
    layout = Layout(spec)
    index, consumers, outstanding = [int64(-1 if count is None else count) for count in counts]
    variant = data_service_dataset_v4(
        identifier,
        _text(policy.name),
        _text(_service(service)),
        _text(""),
        _text(job_name or ""),
        index,
        consumers,
        outstanding,
        dummy_iteration_counter(),
        uncompress_fn=None,
        cross_trainer_cache_options="" if cache is None else str(cache.trainer_id),
        **described(layout),
    )
    return Dataset._made(Recipe("_DataServiceDataset", variant, spec))
