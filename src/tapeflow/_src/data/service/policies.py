"""How the elements of a dataset are divided among workers."""

from __future__ import annotations

import enum
from typing import Any

from tapeflow._src.core.errors import NotFoundError, invalid
from tapeflow._src.data.dataset_op import rebuilt
from tapeflow._src.data.selecting import Part, ShardHint
from tapeflow._src.data.service.splits import FetchSplit, SplitSource
from tapeflow._src.data.stage import Stage, upstream


class ShardingPolicy(enum.IntEnum):
    """How the elements of a dataset are divided among workers.

    OFF: not at all, each worker produces all of them. DYNAMIC: the elements of sources are given
    to workers as they ask for them, so that each is produced once at most. FILE: each worker reads
    some of the files. DATA: each worker produces some of the elements. FILE_OR_DATA: FILE if there
    are files, else DATA. HINT: where the dataset has `shard(SHARD_HINT, SHARD_HINT)`.
    """

    OFF = 0
    DYNAMIC = 1
    FILE = 2
    DATA = 3
    FILE_OR_DATA = 4
    HINT = 5

    @property
    def is_static(self) -> bool:
        """Whether each worker has a part of its own, by its index."""
        return self not in (ShardingPolicy.OFF, ShardingPolicy.DYNAMIC)


_MODES = {"parallel_epochs": ShardingPolicy.OFF, "distributed_epoch": ShardingPolicy.DYNAMIC}


def policy_of(processing_mode: Any) -> ShardingPolicy:
    """Return the policy of a processing mode: a policy, or one of its former names."""
    if isinstance(processing_mode, ShardingPolicy):
        return processing_mode
    if processing_mode not in _MODES:
        raise ValueError(
            f"`processing_mode` must be a tf.data.experimental.service.ShardingPolicy, or one of "
            f"{list(_MODES)}. Received: {processing_mode!r}"
        )
    return _MODES[processing_mode]


def sources(stage: Stage) -> list[Stage]:
    """Return the stages of a dataset that read no other."""
    return [s for s in upstream(stage) if not any(other is not s for other in upstream(s))]


def sharded(stage: Stage, policy: ShardingPolicy, count: int, index: int) -> Stage:
    """Return the part of a dataset that belongs to one of `count` workers."""
    if policy is ShardingPolicy.HINT:
        return _by_hint(stage, count, index)
    files = _file_sources(stage)
    if policy is ShardingPolicy.FILE and not files:
        raise NotFoundError(
            None, None, "The policy FILE needs a dataset of files, and there are none. Use DATA."
        )
    if policy is ShardingPolicy.DATA or not files:
        return Part(stage, index, None, count)
    return rebuilt(stage, {id(s): Part(s, index, None, count) for s in files})


def _file_sources(stage: Stage) -> list[Stage]:
    """Return the sources of file names, if files are read in functions of the dataset."""
    reads = any(_reads_files(each) for each in upstream(stage))
    return sources(stage) if reads else []


def _reads_files(stage: Stage) -> bool:
    bodies = [] if stage.origin is None else [stage.origin.attrs.get("f")]
    nodes = [node for body in bodies if body is not None for node in body.nodes()]
    return any(node.definition.access is not None for node in nodes)


def _by_hint(stage: Stage, count: int, index: int) -> Stage:
    hints = [each for each in upstream(stage) if isinstance(each, ShardHint)]
    if not hints:
        raise invalid(
            "The policy HINT needs `dataset.shard(tf.data.experimental.SHARD_HINT, "
            "tf.data.experimental.SHARD_HINT)` in the dataset."
        )
    return rebuilt(stage, {id(h): Part(h.source, index, None, count) for h in hints})


def split(stage: Stage, fetch: FetchSplit) -> Stage:
    """Return a dataset whose sources ask for the index of each of their elements."""
    replaced: dict[int, Stage] = {}
    for number, source in enumerate(sources(stage)):
        replaced[id(source)] = SplitSource(source, number, fetch)
    return rebuilt(stage, replaced)
