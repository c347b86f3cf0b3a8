"""`tf.tpu`: names that programs refer to; there are no TPUs here."""

from __future__ import annotations

from collections import namedtuple as _namedtuple

from tapeflow._src.api.tpu import experimental as experimental


class XLAOptions(
    _namedtuple(
        "XLAOptions",
        ("use_spmd_for_xla_partitioning", "enable_xla_dynamic_padder", "use_shardy_partitioner"),
        defaults=(True, True, False),
    )
):
    """How a program is to be compiled for TPUs."""

    __slots__ = ()
