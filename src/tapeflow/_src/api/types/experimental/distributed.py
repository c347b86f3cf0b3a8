"""`tf.types.experimental.distributed`: the types of values that have a part on every replica."""

from __future__ import annotations


class PerReplica:
    """A value that may differ from replica to replica."""


class Mirrored:
    """A value that is the same on all replicas."""
