"""What a compiled program exchanges between processes is read from its text."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from tapeflow._src.backends.jax_processes import exchanges

LINE = "  %r = f32[8]{0} %KIND%(f32[8]{0} %x), channel_id=1, %GROUPS%, use_global_device_ids=true"
DEVICES = [SimpleNamespace(process_index=i // 2) for i in range(4)]
MESH = SimpleNamespace(devices=np.array(DEVICES))


@pytest.mark.parametrize(
    ("kind", "groups", "between_processes"),
    [
        ("all-reduce", "replica_groups={{0,1},{2,3}}", False),
        ("all-reduce", "replica_groups={{0,2},{1,3}}", True),
        ("all-gather", "replica_groups=[2,2]<=[4], dimensions={0}", False),
        ("all-gather", "replica_groups=[2,2]<=[2,2]T(1,0), dimensions={0}", True),
        ("all-gather", "replica_groups=mesh['a'=1,'b'=2,'c'=2] {'c'}", False),
        ("all-gather", "replica_groups=mesh['a'=2,'b'=2], device_ids=([2,2]T(1,0)) {'a'}", False),
        ("all-gather", "replica_groups=mesh['a'=2,'b'=2], device_ids=([2,2]T(1,0)) {'b'}", True),
        ("all-reduce", "replica_groups=mesh['a'=2,'b'=2] {'a','b'}", True),
        ("all-reduce", "replica_groups=mesh['a'=4] {'a':(1)2}", True),
        ("all-reduce-start", "replica_groups={}", True),
        ("collective-permute", "source_target_pairs={{0,1},{1,0}}", False),
        ("collective-permute", "source_target_pairs={{1,2}}", True),
        ("add", "replica_groups={}", False),
    ],
)
def test_only_what_leaves_a_process_counts(kind: str, groups: str, between_processes: bool) -> None:
    text = LINE.replace("%KIND%", kind).replace("%GROUPS%", groups)
    described = exchanges(SimpleNamespace(as_text=lambda: text), MESH)
    assert described.startswith("1 exchange of data, ") == between_processes
    assert bool(described) == between_processes
