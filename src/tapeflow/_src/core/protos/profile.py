"""The messages of profiles: lines of timed events on planes."""

from __future__ import annotations

PROFILE = """
# tsl/profiler/protobuf/xplane.proto
XSpace: XPlane* planes=1, string* errors=2, string* warnings=3, string* hostnames=4
XPlane: int64 id=1, string name=2, XLine* lines=3, int64->XEventMetadata event_metadata=4,
    int64->XStatMetadata stat_metadata=5, XStat* stats=6
XLine: int64 id=1, int64 display_id=10, string name=2, string display_name=11,
    int64 timestamp_ns=3, int64 duration_ps=9, XEvent* events=4
XEvent: int64 metadata_id=1, data(int64 offset_ps=2 | int64 num_occurrences=5),
    int64 duration_ps=3, XStat* stats=4
XStat: int64 metadata_id=1, value(double double_value=2 | uint64 uint64_value=3 |
    int64 int64_value=4 | string str_value=5 | bytes bytes_value=6 | uint64 ref_value=7)
XEventMetadata: int64 id=1, string name=2, bytes metadata=3, string display_name=4,
    XStat* stats=5, int64* child_id=6
XStatMetadata: int64 id=1, string name=2, string description=3
"""
