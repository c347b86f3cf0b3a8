"""Connections to other machines: not supported, with what to do instead."""

from __future__ import annotations

from tapeflow._src.core.refused import refused_function

_REASON = (
    "Tapeflow does not run operations on other hosts through TensorFlow's servers. Run the same "
    "program on every host with tf.distribute.MultiWorkerMirroredStrategy, or leave the call out "
    "on a single one."
)

experimental_connect_to_cluster = refused_function(
    "experimental_connect_to_cluster",
    "tf.config",
    _REASON,
    "cluster_spec_or_resolver job_name= task_index= protocol= make_master_device_default= "
    "cluster_device_filters=",
)
experimental_connect_to_host = refused_function(
    "experimental_connect_to_host", "tf.config", _REASON, "remote_host= job_name="
)
