"""The messages that TensorBoard reads: events and summaries."""

from __future__ import annotations

EVENTS = """
# xla/tsl/protobuf/histogram.proto
HistogramProto: double min=1, double max=2, double num=3, double sum=4, double sum_squares=5,
    double* bucket_limit=6, double* bucket=7
# tensorflow/core/framework/summary.proto
enum DataClass: DATA_CLASS_UNKNOWN=0, DATA_CLASS_SCALAR=1, DATA_CLASS_TENSOR=2,
    DATA_CLASS_BLOB_SEQUENCE=3
SummaryMetadata: .PluginData plugin_data=1, string display_name=2, string summary_description=3,
    DataClass data_class=4
SummaryMetadata.PluginData: string plugin_name=1, bytes content=2
Summary: .Value* value=1
Summary.Image: int32 height=1, int32 width=2, int32 colorspace=3, bytes encoded_image_string=4
Summary.Audio: float sample_rate=1, int64 num_channels=2, int64 length_frames=3,
    bytes encoded_audio_string=4, string content_type=5
Summary.Value: string node_name=7, string tag=1, SummaryMetadata metadata=9,
    value(float simple_value=2 | bytes obsolete_old_style_histogram=3 | Summary.Image image=4 |
    HistogramProto histo=5 | Summary.Audio audio=6 | TensorProto tensor=8)
# tensorflow/core/util/event.proto
Event: double wall_time=1, int64 step=2, what(string file_version=3 | bytes graph_def=4 |
    Summary summary=5 | LogMessage log_message=6 | SessionLog session_log=7 |
    TaggedRunMetadata tagged_run_metadata=8 | bytes meta_graph_def=9),
    SourceMetadata source_metadata=10
SourceMetadata: string writer=1
LogMessage: .Level level=1, string message=2
enum LogMessage.Level: UNKNOWN=0, DEBUGGING=10, INFO=20, WARN=30, ERROR=40, FATAL=50
SessionLog: .SessionStatus status=1, string checkpoint_path=2, string msg=3
enum SessionLog.SessionStatus: STATUS_UNSPECIFIED=0, START=1, STOP=2, CHECKPOINT=3
TaggedRunMetadata: string tag=1, bytes run_metadata=2
"""
