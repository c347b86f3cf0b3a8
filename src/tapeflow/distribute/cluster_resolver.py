"""`tf.distribute.cluster_resolver`: which processes a program consists of."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.distribute.cluster_resolver import ClusterResolver as ClusterResolver
from tapeflow._src.distribute.cluster_resolver import SimpleClusterResolver as SimpleClusterResolver
from tapeflow._src.distribute.cluster_resolver import (
    TFConfigClusterResolver as TFConfigClusterResolver,
)

_explain_missing(__name__)
